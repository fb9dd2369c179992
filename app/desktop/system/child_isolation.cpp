#include "system/child_isolation.h"

#include <QProcess>
#include <QStandardPaths>

#if defined(Q_OS_LINUX)
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#endif

namespace hearth::ui {

#if defined(Q_OS_LINUX)

namespace {

QString unshareProgram() {
    return QStandardPaths::findExecutable(QStringLiteral("unshare"));
}

}  // namespace

bool knowsChildIsolation() {
    return !unshareProgram().isEmpty();
}

QStringList isolatedCommand(const QStringList& command, ChildNetwork network) {
    QStringList words = {
        unshareProgram(),
        QStringLiteral("--user"),
        QStringLiteral("--map-current-user"),  // files that it makes are the user's
        QStringLiteral("--pid"),
        QStringLiteral("--fork"),
        QStringLiteral("--kill-child")};
    if (network == ChildNetwork::None) {
        words.append(QStringLiteral("--net"));
    }
    words.append(QStringLiteral("--"));
    return words + command;
}

void tieChild(QProcess& process) {
    // Runs between fork and exec, where nothing may allocate.
    process.setChildProcessModifier([window = getpid()] {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != window) {
            _exit(127);  // the window ended meanwhile
        }
        prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        setsid();
    });
}

#else

bool knowsChildIsolation() {
    return false;
}

QStringList isolatedCommand(const QStringList& command, ChildNetwork /*network*/) {
    return command;
}

void tieChild(QProcess& /*process*/) {}

#endif

bool isIsolationRefusal(const QString& line) {
    return line.startsWith(QLatin1String("unshare: ")) &&
           !line.startsWith(QLatin1String("unshare: failed to execute"));
}

}  // namespace hearth::ui
