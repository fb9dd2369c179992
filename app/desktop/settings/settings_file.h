// Keeps settings in their file, on a thread of its own: a slow disk never holds up the window. The
// file is replaced in one step, so whoever reads it, also after a kill or a power cut, finds the
// old text or the new one.
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

    // Changes what the file has by then, which somebody may have edited. Several changes at once
    // may become one.
    void set(const QString& key, const QStringList& values);
    void remove(const QString& key);
    // Waits until all is written, or the disk refused it.
    void flush();

signals:
    // A sentence. What was not written is tried again with the next change, and by flush().
    void failed(const QString& sentence);

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
