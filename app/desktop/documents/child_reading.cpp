#include "documents/child_reading.h"

#include <QDeadlineTimer>
#include <QLoggingCategory>
#include <QProcess>

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcReading, "hearth.documents")

namespace {

constexpr int kLookMs = 50;  // how soon a stop is heeded

DocumentReading failed(const char* why) {
    qCWarning(lcReading) << "a document was not read:" << why;  // names stay out of the log
    DocumentReading reading;
    reading.trouble = DocumentTrouble::TooDemanding;
    return reading;
}

}  // namespace

DocumentReading readInChild(const QString& program, const QString& path,
                            const std::function<bool()>& stopped, const ChildBounds& bounds) {
    QProcess child;
    child.setStandardErrorFile(QProcess::nullDevice());
    child.setStandardInputFile(QProcess::nullDevice());
    child.start(program, {QStringLiteral("read-document"), path}, QIODevice::ReadOnly);
    QByteArray answer;
    const QDeadlineTimer deadline(bounds.mostMs);
    const char* why = nullptr;
    while (why == nullptr && child.state() != QProcess::NotRunning) {
        child.waitForReadyRead(kLookMs);
        answer += child.readAllStandardOutput();
        if (answer.size() > bounds.mostBytes) {
            why = "its text has no end";
        } else if (stopped()) {
            why = "nobody wants it any more";
        } else if (deadline.hasExpired()) {
            why = "it takes too long";
        }
    }
    if (why != nullptr) {
        child.kill();
        child.waitForFinished();
        return failed(why);
    }
    answer += child.readAllStandardOutput();
    if (child.error() == QProcess::FailedToStart) {
        return failed("its reader cannot be started");
    }
    if (child.exitStatus() != QProcess::NormalExit || child.exitCode() != 0) {
        return failed("its reader crashed");
    }
    const auto reading = DocumentReading::fromBytes(answer);
    return reading ? *reading : failed("its reader wrote something else");
}

}  // namespace hearth::ui
