// A lock that the one process holds which writes a data folder. The system frees it when the
// process ends, in any way. It is a file lock through SQLite, which has one on every system.
// (QLockFile writes a process id, which means little inside a sandbox, where every program may be
// number 2.)
#pragma once

#include <QString>

namespace hearth::ui {

class InstanceLock {
public:
    enum class Outcome { Acquired, HeldByAnother, CannotWrite };

    InstanceLock() = default;
    ~InstanceLock();
    InstanceLock(const InstanceLock&) = delete;
    InstanceLock& operator=(const InstanceLock&) = delete;

    Outcome acquire(const QString& file);
    void release();

private:
    QString connection_;
};

}  // namespace hearth::ui
