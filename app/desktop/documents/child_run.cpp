#include "documents/child_run.h"

#include <QDeadlineTimer>
#include <QProcess>

namespace hearth::ui {

namespace {

constexpr int kLookMs = 50;  // how soon a stop is heeded

}  // namespace

ChildAnswer runChild(const QString& program, const QStringList& arguments, const QByteArray& input,
                     const std::function<bool()>& stopped, const ChildBounds& bounds) {
    QProcess child;
    child.setStandardErrorFile(QProcess::nullDevice());
    if (input.isEmpty()) {
        child.setStandardInputFile(QProcess::nullDevice());
    }
    child.start(program, arguments);
    if (!input.isEmpty()) {
        child.write(input);
        child.closeWriteChannel();  // once all of it is written
    }
    QByteArray answer;
    const QDeadlineTimer deadline(bounds.mostMs);
    const char* why = nullptr;
    while (why == nullptr && child.state() != QProcess::NotRunning) {
        child.waitForReadyRead(kLookMs);
        answer += child.readAllStandardOutput();
        if (answer.size() > bounds.mostBytes) {
            why = "its answer has no end";
        } else if (stopped()) {
            why = "nobody wants it any more";
        } else if (deadline.hasExpired()) {
            why = "it takes too long";
        }
    }
    if (why != nullptr) {
        child.kill();
        child.waitForFinished();
        return {why, {}};
    }
    answer += child.readAllStandardOutput();
    if (child.error() == QProcess::FailedToStart) {
        return {"its process cannot be started", {}};
    }
    if (child.exitStatus() != QProcess::NormalExit || child.exitCode() != 0) {
        return {"its process crashed", {}};
    }
    if (answer.size() > bounds.mostBytes) {
        return {"its answer has no end", {}};
    }
    return {nullptr, answer};
}

}  // namespace hearth::ui
