// Reports of crashes (crash_handler.h), as the next start finds them: it announces them once, shows
// them and deletes them. Nothing is sent. GUI thread.
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
    // Waits for a deletion under way.
    ~CrashReports() override;

    // The file in which this process would leave its report. Creates the folder.
    static QString prepare(const QString& folder);
    // Finds the latest report that was not announced yet, and marks it as announced. Deletes older
    // ones beyond kMostKept. False: there is none. Reads the disk: call it before the window is
    // there.
    bool look(const QString& folder);

    QString file() const;
    QString text() const { return text_; }
    // Deletes the report that look() found. removed() follows.
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
