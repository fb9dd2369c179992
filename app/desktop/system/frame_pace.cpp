#include "system/frame_pace.h"

#include <algorithm>
#include <cmath>
#include <ctime>

namespace hearth::ui {

namespace {

constexpr int kLookMs = 250;
constexpr int kFirstMs = 50;  // for a processor that was not measured yet

// Processor time of the calling thread so far. It is needed only where Qt draws on the processor,
// which is where POSIX is (renderer.h).
double threadMs() {
#ifdef CLOCK_THREAD_CPUTIME_ID
    timespec time{};
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0) {
        return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
    }
#endif
    return 0;
}

}  // namespace

FramePace::FramePace(DrawnBy by, QObject* parent)
    : QObject(parent),
      by_(by),
      intervalMs_(by == DrawnBy::Card ? kShortestMs
                  : by == DrawnBy::Qt ? kFirstMs
                                      : kLongestMs) {
    timer_.setInterval(kLookMs);
    connect(&timer_, &QTimer::timeout, this, &FramePace::look);
}

void FramePace::setRunning(bool running) {
    if (by_ != DrawnBy::Qt || running == timer_.isActive()) {
        return;
    }
    if (running) {
        threadMs_ = threadMs();
        sinceLook_.start();
        timer_.start();
    } else {
        timer_.stop();
    }
}

void FramePace::look() {
    const double now = threadMs();
    const double passed = static_cast<double>(std::max<qint64>(1, sinceLook_.restart()));
    const int wanted = next(intervalMs_, (now - threadMs_) / passed);
    threadMs_ = now;
    if (wanted != intervalMs_) {
        intervalMs_ = wanted;
        emit intervalChanged(wanted);
    }
}

int FramePace::next(int intervalMs, double share) {
    // The time is nearly all spent per change: half as many changes take half of it. A single look
    // is no more than a hint.
    const double factor = std::clamp(share / kShare, 0.5, 2.0);
    return std::clamp(static_cast<int>(std::lround(intervalMs * factor)), kShortestMs, kLongestMs);
}

}  // namespace hearth::ui
