// Permissions mean nothing to root, and tests often run as root in containers.
#pragma once

#ifndef _WIN32
#include <unistd.h>

namespace hearth::test {

// As long as it lives, this process acts as a user without rights, if it is root's. Others' files
// are then judged by what everybody may do.
class WithoutRoot {
public:
    WithoutRoot() : was_root_(geteuid() == 0), done_(!was_root_ || seteuid(kNobody) == 0) {}
    ~WithoutRoot() {
        if (was_root_ && done_ && seteuid(0) != 0) {
            _exit(70);  // whatever ran next would fail for a reason nobody would find
        }
    }
    WithoutRoot(const WithoutRoot&) = delete;
    WithoutRoot& operator=(const WithoutRoot&) = delete;

    bool done() const { return done_; }

private:
    static constexpr uid_t kNobody = 65534;
    bool was_root_;
    bool done_;
};

}  // namespace hearth::test
#endif
