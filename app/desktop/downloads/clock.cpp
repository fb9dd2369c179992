#include "downloads/clock.h"

#include <QTimer>
#include <chrono>

namespace hearth::ui {

namespace {

class TimerAlarm : public Alarm {
public:
    explicit TimerAlarm(std::function<void()> rings) {
        timer_.setSingleShot(true);
        QObject::connect(&timer_, &QTimer::timeout, std::move(rings));
    }
    void set(qint64 ms) override { timer_.start(std::chrono::milliseconds(ms)); }
    void clear() override { timer_.stop(); }
    bool isSet() const override { return timer_.isActive(); }

private:
    QTimer timer_;
};

}  // namespace

qint64 SystemClock::nowMs() const {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::unique_ptr<Alarm> SystemClock::alarm(std::function<void()> rings) {
    return std::make_unique<TimerAlarm>(std::move(rings));
}

}  // namespace hearth::ui
