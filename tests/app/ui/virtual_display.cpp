#include "virtual_display.h"

#include <QStandardPaths>

namespace hearth::ui::test {

VirtualDisplay::~VirtualDisplay() {
    if (server_.state() != QProcess::NotRunning) {
        server_.terminate();
        if (!server_.waitForFinished(3000)) {
            server_.kill();
            server_.waitForFinished(3000);
        }
    }
}

bool VirtualDisplay::start(int width, int height) {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("Xvfb"));
    if (program.isEmpty()) {
        reason_ = QStringLiteral("Xvfb is not installed (Debian package xvfb)");
        return false;
    }
    server_.setStandardErrorFile(QProcess::nullDevice());
    // It chooses the number itself and writes it to the file descriptor when it is ready.
    server_.start(program,
                  {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"),
                   QStringLiteral("0"), QStringLiteral("%1x%2x24").arg(width).arg(height),
                   QStringLiteral("-nolisten"), QStringLiteral("tcp")});
    if (!server_.waitForStarted(5000)) {
        reason_ = QStringLiteral("Xvfb does not start: ") + server_.errorString();
        return false;
    }
    QByteArray number;
    while (!number.contains('\n') && server_.waitForReadyRead(10000)) {
        number += server_.readAllStandardOutput();
    }
    number = number.trimmed();
    if (number.isEmpty()) {
        reason_ = QStringLiteral("Xvfb ended without a display");
        return false;
    }
    name_ = ":" + number;
    return true;
}

}  // namespace hearth::ui::test
