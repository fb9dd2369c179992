#include "downloads/speed_meter.h"

#include <QCoreApplication>
#include <cmath>

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Downloads)
};

}  // namespace

void SpeedMeter::add(qint64 bytes, qint64 nowMs) {
    if (beganMs_ < 0) {
        beganMs_ = sampleMs_ = lastByteMs_ = nowMs;
    }
    if (bytes > 0) {
        lastByteMs_ = nowMs;
    }
    pending_ += bytes;
    const qint64 passed = nowMs - sampleMs_;
    if (passed < 200) {
        return;  // one piece more or less would show as a jump
    }
    const auto ms = static_cast<double>(passed);
    const double now = static_cast<double>(pending_) / ms;
    // A young meter shows the mean of all bytes so far.
    const double weight =
        std::max(1 - std::exp(-ms / kSmoothMs), ms / static_cast<double>(nowMs - beganMs_));
    rate_ += (now - rate_) * weight;
    pending_ = 0;
    sampleMs_ = nowMs;
}

double SpeedMeter::bytesPerSecond(qint64 nowMs) const {
    const bool silent = beganMs_ < 0 || nowMs - lastByteMs_ > kSilentMs;
    return silent ? 0 : rate_ * 1000;
}

qint64 SpeedMeter::secondsLeft(qint64 bytesLeft, qint64 nowMs) const {
    const double rate = bytesPerSecond(nowMs);
    if (rate < 1 || nowMs - beganMs_ < kFirstGuessMs || bytesLeft < 0) {
        return -1;
    }
    return static_cast<qint64>(std::ceil(static_cast<double>(bytesLeft) / rate));
}

QString timeLeftText(qint64 seconds) {
    if (seconds < 0) {
        return {};
    }
    if (seconds < 60) {
        // The steps are coarse enough for a reader to follow.
        return Words::tr("%1 s left").arg(seconds <= 10 ? seconds : (seconds + 4) / 5 * 5);
    }
    const qint64 minutes = (seconds + 30) / 60;
    if (minutes < 60) {
        return Words::tr("%1 min left").arg(minutes);
    }
    if (minutes < qint64{48} * 60) {
        return Words::tr("%1 h %2 min left").arg(minutes / 60).arg(minutes % 60);
    }
    return Words::tr("%n days left", nullptr, static_cast<int>((minutes + 720) / 1440));
}

}  // namespace hearth::ui
