#include "system/process_limits.h"

#ifdef Q_OS_UNIX
#include <sys/resource.h>

#include <csignal>
#endif

namespace hearth::ui {

#ifdef Q_OS_UNIX

namespace {

void limit(decltype(RLIMIT_AS) what, rlim_t most) {
    const rlimit bound = {most, most};
    if (::setrlimit(what, &bound) != 0) {
        qWarning("a limit of this process was refused");
    }
}

}  // namespace

void limitThisProcess([[maybe_unused]] quint64 memoryBytes, int processorSeconds) {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    limit(RLIMIT_AS, memoryBytes);
#endif
    limit(RLIMIT_CPU, static_cast<rlim_t>(processorSeconds));
    limit(RLIMIT_FSIZE, 0);         // a pipe is no file
    std::signal(SIGXFSZ, SIG_IGN);  // a library that would write a cache is refused, and goes on
    limit(RLIMIT_CORE, 0);
}

#else

void limitThisProcess(quint64 /*memoryBytes*/, int /*processorSeconds*/) {}

#endif

}  // namespace hearth::ui
