// How fast all downloads together may read: a bucket of bytes that fills with time.
#pragma once

#include <QtGlobal>

namespace hearth::ui {

class Clock;

class SpeedLimit {
public:
    explicit SpeedLimit(const Clock& clock) : clock_(clock) {}

    void setBytesPerSecond(qint64 most);  // 0: no limit
    // How many of `wanted` bytes may be read now; they count as read.
    qint64 take(qint64 wanted);
    // Until it is worth while to ask again.
    static constexpr qint64 kPauseMs = 50;

private:
    const Clock& clock_;
    qint64 bytesPerSecond_ = 0;
    double held_ = 0;  // at most what a quarter of a second brings
    qint64 filledMs_ = 0;
};

}  // namespace hearth::ui
