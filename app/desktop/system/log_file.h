// Writes Qt's messages to a file of bounded size. A full file becomes FILE.1, which replaces the
// previous one. The log never holds chat text.
#pragma once

#include <QFile>
#include <QMutex>
#include <QString>

namespace hearth::ui {

class LogFile {
public:
    static constexpr qint64 kMaxBytes = qint64{1024} * 1024;

    // Creates the folder. A file that cannot be written is no error: messages then go to standard
    // error only, as warnings always do.
    explicit LogFile(const QString& file, qint64 maxBytes = kMaxBytes);
    ~LogFile();
    LogFile(const LogFile&) = delete;
    LogFile& operator=(const LogFile&) = delete;

    // Takes over Qt's messages until destroyed. One at a time.
    void install();
    // Any thread. Longer lines are cut.
    void write(QtMsgType type, const char* category, const QString& message);

private:
    static void handle(QtMsgType type, const QMessageLogContext& context, const QString& message);

    QMutex mutex_;
    QFile file_;
    qint64 maxBytes_;
    QtMessageHandler before_ = nullptr;
    bool installed_ = false;
};

}  // namespace hearth::ui
