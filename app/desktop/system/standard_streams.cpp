#include "system/standard_streams.h"

#include <QtGlobal>

#ifdef Q_OS_UNIX
#include <csignal>

#include <fcntl.h>
#include <unistd.h>
#endif

namespace hearth::ui {

void outliveLauncher() {
#ifdef Q_OS_UNIX
    std::signal(SIGPIPE, SIG_IGN);
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(number, F_GETFD) == -1) {
            // open() takes the lowest number that is free, which is this one.
            [[maybe_unused]] const int opened = open("/dev/null", O_RDWR);
        }
    }
#endif
}

}  // namespace hearth::ui
