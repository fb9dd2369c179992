// Time for downloads, replaceable so that their tests need not wait.
#pragma once

#include <QDateTime>
#include <functional>
#include <memory>

namespace hearth::ui {

// Rings once, in the thread that created it, after the time that was set.
class Alarm {
public:
    virtual ~Alarm() = default;
    virtual void set(qint64 ms) = 0;  // from now on; replaces the earlier time
    virtual void clear() = 0;
    virtual bool isSet() const = 0;
};

class Clock {
public:
    virtual ~Clock() = default;
    virtual qint64 nowMs() const = 0;  // since some moment; never goes back
    virtual QDateTime date() const = 0;
    virtual std::unique_ptr<Alarm> alarm(std::function<void()> rings) = 0;
};

class SystemClock : public Clock {
public:
    qint64 nowMs() const override;
    QDateTime date() const override { return QDateTime::currentDateTimeUtc(); }
    std::unique_ptr<Alarm> alarm(std::function<void()> rings) override;
};

}  // namespace hearth::ui
