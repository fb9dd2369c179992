#include "system/quit_signals.h"

#include <QtGlobal>

#ifdef Q_OS_UNIX
#include <QSocketNotifier>
#include <array>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

namespace hearth::ui {

#ifdef Q_OS_UNIX

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// The handler may only call async-signal-safe functions: it writes one byte, which the event loop
// reads. [0] is read, [1] written.
std::array<int, 2> ends{-1, -1};
std::array<struct sigaction, kSignals.size()> before;

void onSignal(int) {
    const int kept = errno;
    const char byte = 1;
    // A full socket already has bytes enough to wake the loop.
    [[maybe_unused]] const ssize_t written = write(ends[1], &byte, 1);
    errno = kept;
}

bool prepare(int descriptor) {
    return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 &&
           fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0;
}

}  // namespace

QuitSignals::QuitSignals(QObject* parent) : QObject(parent) {
    Q_ASSERT(ends[0] < 0);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) != 0) {
        ends = {-1, -1};
        return;
    }
    if (!prepare(ends[0]) || !prepare(ends[1])) {
        close(ends[0]);
        close(ends[1]);
        ends = {-1, -1};
        return;
    }
    auto* notifier = new QSocketNotifier(ends[0], QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] {
        std::array<char, 16> bytes{};
        while (read(ends[0], bytes.data(), bytes.size()) > 0) {}
        emit asked();
    });
    struct sigaction action = {};
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], nullptr, &before[i]);
        if (before[i].sa_handler != SIG_IGN) {
            sigaction(kSignals[i], &action, nullptr);
        }
    }
    active_ = true;
}

QuitSignals::~QuitSignals() {
    if (!active_) {
        return;
    }
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i], &before[i], nullptr);
    }
    qDeleteAll(findChildren<QSocketNotifier*>());  // before their descriptor closes
    close(ends[0]);
    close(ends[1]);
    ends = {-1, -1};
}

#else

QuitSignals::QuitSignals(QObject* parent) : QObject(parent) {}
QuitSignals::~QuitSignals() = default;

#endif

}  // namespace hearth::ui
