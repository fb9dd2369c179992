// Limits the speed of all downloads together: a bucket of bytes that fills with time.
#pragma once

#include <QtGlobal>

namespace hearth::ui {

class Clock;

class SpeedLimit {
public:
    explicit SpeedLimit(const Clock& clock) : clock_(clock) {}

    void setBytesPerSecond(qint64 most);  // 0: no limit
    // Returns how many of `wanted` bytes may be read now, and counts them as read.
    qint64 take(qint64 wanted);
    // The time after which asking again makes sense.
    static constexpr qint64 kPauseMs = 50;

private:
    const Clock& clock_;
    qint64 bytesPerSecond_ = 0;
    double held_ = 0;  // at most the bytes of a quarter of a second
    qint64 filledMs_ = 0;
};

}  // namespace hearth::ui
