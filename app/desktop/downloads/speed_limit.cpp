#include "downloads/speed_limit.h"

#include <algorithm>

#include "downloads/clock.h"

namespace hearth::ui {

void SpeedLimit::setBytesPerSecond(qint64 most) {
    if (most != bytesPerSecond_) {
        bytesPerSecond_ = most;
        held_ = 0;
        filledMs_ = clock_.nowMs();
    }
}

qint64 SpeedLimit::take(qint64 wanted) {
    if (bytesPerSecond_ <= 0) {
        return wanted;
    }
    const qint64 now = clock_.nowMs();
    const auto rate = static_cast<double>(bytesPerSecond_);
    held_ = std::min(held_ + rate * static_cast<double>(now - filledMs_) / 1000,
                     std::max(1.0, rate / 4));
    filledMs_ = now;
    const qint64 taken = std::min(wanted, static_cast<qint64>(held_));
    held_ -= static_cast<double>(taken);
    return taken;
}

}  // namespace hearth::ui
