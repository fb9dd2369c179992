// Starts a program of strangers so that it ends with this one, and without the network unless that
// is allowed. On Linux the kernel does both, with namespaces that util-linux' unshare makes; other
// systems cannot shut a program out of the network here.
#pragma once

#include <QString>
#include <QStringList>

class QProcess;

namespace hearth::ui {

enum class ChildNetwork { None, Allowed };

// True: this system has what is needed to start a program without the network. Its kernel may
// still refuse, which isIsolationRefusal() tells.
bool knowsChildIsolation();
// The command line that runs `command` in namespaces of its own: it is the first process of one,
// and when it ends, the kernel ends all that it started. Precondition: knowsChildIsolation().
QStringList isolatedCommand(const QStringList& command, ChildNetwork network);
// A line of standard error: the namespaces were refused, and the program did not run.
bool isIsolationRefusal(const QString& line);
// Prepares a process before its start: it is killed when this program ends, however that happens,
// and never gets more rights by the set-user-id bit of a file.
void tieChild(QProcess& process);

}  // namespace hearth::ui
