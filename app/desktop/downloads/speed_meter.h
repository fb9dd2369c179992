// Bytes a second for people to read: smoothed over some seconds, and no guess before there is
// enough to guess from.
#pragma once

#include <QString>

namespace hearth::ui {

class SpeedMeter {
public:
    void reset() { *this = {}; }
    // `bytes` came since the previous call, which had another `nowMs`.
    void add(qint64 bytes, qint64 nowMs);
    // 0: unknown so far, or nothing comes.
    double bytesPerSecond(qint64 nowMs) const;
    // -1: unknown.
    qint64 secondsLeft(qint64 bytesLeft, qint64 nowMs) const;

private:
    static constexpr double kSmoothMs = 5000;    // older bytes count little
    static constexpr qint64 kSilentMs = 10'000;  // without a byte for so long, the speed is 0
    static constexpr qint64 kFirstGuessMs = 2000;

    double rate_ = 0;  // bytes a millisecond
    qint64 pending_ = 0;
    qint64 beganMs_ = -1;
    qint64 sampleMs_ = 0;
    qint64 lastByteMs_ = 0;
};

// "2 min left", "about an hour left"; empty: unknown.
QString timeLeftText(qint64 seconds);

}  // namespace hearth::ui
