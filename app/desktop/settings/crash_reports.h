// What a crash left (crash_handler.h), as the next start finds it: told of once, shown, deleted.
// Nothing is sent. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>

namespace hearth::ui {

class CrashReports : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("AppController has it")
    Q_PROPERTY(QString file READ file NOTIFY changed)  // as the system writes it; empty: none
    Q_PROPERTY(QString text READ text NOTIFY changed)

public:
    static constexpr int kMostKept = 10;

    using QObject::QObject;
    // Waits for a deletion that is under way.
    ~CrashReports() override;

    // Where this process would leave its report. Makes the folder.
    static QString prepare(const QString& folder);
    // The latest one that nobody was told of, which from now on somebody was. Older ones beyond
    // kMostKept are deleted. False: there is none. Reads the disk: before the window is there.
    bool look(const QString& folder);

    QString file() const;
    QString text() const { return text_; }
    // The one that look() found. removed() follows.
    Q_INVOKABLE void remove();

signals:
    void changed();
    void removed(bool done);

private:
    QString file_;
    QString text_;
    bool removing_ = false;
};

}  // namespace hearth::ui
