// Keeps settings in their file, on a thread of its own: a slow disk never holds up the window. The
// file is replaced in one step. A reader therefore finds the old text or the new one, also after a
// kill or a power cut.
#pragma once

#include <QMap>
#include <QMutex>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QThreadPool>
#include <optional>

namespace hearth::ui {

class SettingsFile : public QObject {
    Q_OBJECT

public:
    explicit SettingsFile(const QString& file, QObject* parent = nullptr);
    // Waits until all is written.
    ~SettingsFile() override;

    // Changes the file as it is at that time: somebody may have edited it meanwhile. Several
    // changes may be written as one.
    void set(const QString& key, const QStringList& values);
    void remove(const QString& key);
    // Waits until all is written, or the disk refused it.
    void flush();

signals:
    // A sentence. The next change, and flush(), try again to write what was not written.
    void failed(const QString& sentence);
    // All that was asked for is in the file.
    void worked();

private:
    using Changes = QMap<QString, std::optional<QStringList>>;  // nothing: removed

    void change(const QString& key, const std::optional<QStringList>& values);
    void work();
    QString write(const Changes& changes) const;

    const QString file_;
    QMutex mutex_;
    Changes pending_;
    bool working_ = false;
    QThreadPool thread_;
};

}  // namespace hearth::ui
