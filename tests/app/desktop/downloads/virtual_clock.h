// A clock that stands still until a test turns it.
#pragma once

#include <QList>
#include <algorithm>
#include <optional>

#include "downloads/clock.h"

namespace hearth::ui::test {

class VirtualClock : public Clock {
public:
    qint64 nowMs() const override { return nowMs_; }
    QDateTime date() const override {
        return QDateTime::fromMSecsSinceEpoch(nowMs_, Qt::UTC).addYears(50);
    }
    std::unique_ptr<Alarm> alarm(std::function<void()> rings) override {
        return std::make_unique<HandAlarm>(*this, std::move(rings));
    }

    void pass(qint64 ms) {
        const qint64 end = nowMs_ + ms;
        while (HandAlarm* next = first()) {
            if (next->at_ > end) {
                break;
            }
            ring(*next);
        }
        nowMs_ = end;
    }
    // Until the next alarm; nothing: none is set.
    std::optional<qint64> nextInMs() {
        const HandAlarm* next = first();
        return next != nullptr ? std::optional(next->at_ - nowMs_) : std::nullopt;
    }
    // Turns to the next alarm and rings it. False: none is set.
    bool ringNext() {
        HandAlarm* next = first();
        if (next != nullptr) {
            ring(*next);
        }
        return next != nullptr;
    }

private:
    class HandAlarm : public Alarm {
    public:
        HandAlarm(VirtualClock& clock, std::function<void()> rings)
            : clock_(clock), rings_(std::move(rings)) {
            clock_.alarms_.append(this);
        }
        ~HandAlarm() override { clock_.alarms_.removeOne(this); }
        void set(qint64 ms) override { at_ = clock_.nowMs_ + ms; }
        void clear() override { at_ = -1; }
        bool isSet() const override { return at_ >= 0; }

        VirtualClock& clock_;
        std::function<void()> rings_;
        qint64 at_ = -1;
    };

    HandAlarm* first() {
        HandAlarm* found = nullptr;
        for (HandAlarm* alarm : alarms_) {
            if (alarm->isSet() && (found == nullptr || alarm->at_ < found->at_)) {
                found = alarm;
            }
        }
        return found;
    }
    void ring(HandAlarm& alarm) {
        nowMs_ = std::max(nowMs_, alarm.at_);
        alarm.at_ = -1;
        alarm.rings_();
    }

    qint64 nowMs_ = 1000;
    QList<HandAlarm*> alarms_;
};

}  // namespace hearth::ui::test
