// What the calling thread has computed, and what the events of the window took of it. For programs
// that measure; on a busy machine the time on the clock says less than the time computed.
#pragma once

#include <QElapsedTimer>
#include <QGuiApplication>
#include <QList>
#include <algorithm>
#include <ctime>

namespace hearth::ui::test {

inline double threadMs() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

// The share'th value in order, 0 to 1; 0 for none.
inline double at(QList<double> values, double share) {
    if (values.isEmpty()) {
        return 0;
    }
    std::sort(values.begin(), values.end());
    return values[std::min(values.size() - 1,
                           static_cast<qsizetype>(share * static_cast<double>(values.size())))];
}

// An application that times each event of the event loop, with all that it brings about.
class TimedApplication : public QGuiApplication {
public:
    struct Times {
        QList<double> computed_ms;
        QList<double> clock_ms;
    };
    using QGuiApplication::QGuiApplication;

    bool notify(QObject* receiver, QEvent* event) override {
        if (depth_ > 0) {
            return QGuiApplication::notify(receiver, event);
        }
        ++depth_;
        QElapsedTimer clock;
        clock.start();
        const double before = threadMs();
        const bool result = QGuiApplication::notify(receiver, event);
        times_.computed_ms.append(threadMs() - before);
        times_.clock_ms.append(static_cast<double>(clock.nsecsElapsed()) / 1e6);
        --depth_;
        return result;
    }
    // Since the last call.
    Times take() { return std::exchange(times_, {}); }

private:
    Times times_;
    int depth_ = 0;
};

}  // namespace hearth::ui::test
