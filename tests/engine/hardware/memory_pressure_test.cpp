// What the system says about waiting for memory, and the share of a budget that follows from it.
#include "hardware/memory_pressure.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "hardware/linux_system.h"

using hearth::BudgetAdvice;
using hearth::ErrorCode;
using hearth::MemoryPressure;
using hearth::parse_memory_pressure;

namespace {

constexpr std::uint64_t kSecond = 1000, kMinute = 60 * kSecond;

MemoryPressure some(double percent) {
    return {percent, percent, 0, 0};
}

// A machine under a constant load: some programs wait for as much of the time as `stall` says,
// given the share of the budget that is in use. The averages fade as the kernel's do.
class Machine {
public:
    explicit Machine(std::function<double(double share)> stall) : stall_(std::move(stall)) {}

    // A sample every two seconds; returns how often the share changed.
    int run(std::uint64_t ms) {
        int changes = 0;
        for (const std::uint64_t end = now_ms_ + ms; now_ms_ < end; now_ms_ += 2 * kSecond) {
            const double now = stall_(advice_.share());
            pressure_.some_10s += (now - pressure_.some_10s) * (1 - std::exp(-2.0 / 10));
            pressure_.some_60s += (now - pressure_.some_60s) * (1 - std::exp(-2.0 / 60));
            const double before = advice_.share();
            changes += advice_.add(now_ms_, pressure_) != before ? 1 : 0;
            least_ = std::min(least_, advice_.share());
        }
        return changes;
    }
    void change(std::function<double(double share)> stall) { stall_ = std::move(stall); }
    double share() const { return advice_.share(); }
    double least() const { return least_; }

private:
    std::function<double(double)> stall_;
    BudgetAdvice advice_;
    MemoryPressure pressure_;
    std::uint64_t now_ms_ = 1;
    double least_ = 1;
};

}  // namespace

class MemoryPressureTest : public QObject {
    Q_OBJECT

private:
    static bool write(const QTemporaryDir& dir, const QString& name, const QByteArray& text) {
        const QString path = dir.filePath(name);
        QFile file(path);
        return QDir().mkpath(QFileInfo(path).path()) && file.open(QIODevice::WriteOnly) &&
               file.write(text) == text.size();
    }

private slots:
    void parsed() {
        const auto pressure = parse_memory_pressure(
            "some avg10=12.34 avg60=5.07 avg300=0.00 total=12728\n"
            "full avg10=100.00 avg60=0.00 avg300=0.00 total=3348\n");
        QVERIFY(pressure);
        QCOMPARE(pressure->some_10s, 12.34);
        QCOMPARE(pressure->some_60s, 5.07);
        QCOMPARE(pressure->full_10s, 100.0);
        QCOMPARE(pressure->full_60s, 0.0);
    }

    void odd_data() {
        QTest::addColumn<QByteArray>("text");
        const QByteArray full = "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("one line") << QByteArray("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
        QTest::newRow("another word") << "several avg10=0.00 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("a longer word") << "something avg10=0.00 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("negative") << "some avg10=-1.00 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("above 100") << "some avg10=100.01 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("huge") << "some avg10=99999999999999999999.00 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("nan") << "some avg10=nan avg60=0.00 avg300=0.00" + full;
        QTest::newRow("no decimals") << "some avg10=1 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("one decimal") << "some avg10=1.0 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("three decimals") << "some avg10=1.000 avg60=0.00 avg300=0.00" + full;
        QTest::newRow("no number") << "some avg10= avg60=0.00 avg300=0.00" + full;
        QTest::newRow("cut") << QByteArray("some avg10=1.0");
        QTest::newRow("ends in the second figure") << "some avg10=1.00 avg60=2.00" + full;
        QTest::newRow("order") << "some avg60=0.00 avg10=0.00 avg300=0.00" + full;
        QTest::newRow("zeros") << QByteArray(64, '\0');
    }
    void odd() {
        QFETCH(QByteArray, text);
        const auto pressure = parse_memory_pressure(text.toStdString());
        QVERIFY(!pressure);
        QVERIFY(pressure.error().code == ErrorCode::Unsupported);
        QVERIFY(pressure.error().message.starts_with("how long programs wait"));
    }

    // The worse of the system and the process's own group; what is odd leaves the other.
    void files_data() {
        QTest::addColumn<QByteArray>("system");
        QTest::addColumn<QByteArray>("group");
        QTest::addColumn<double>("some");  // -1: not known
        QTest::addColumn<double>("full");
        const auto text = [](const char* avg10, const char* full) {
            return QByteArray("some avg10=") + avg10 + " avg60=1" + avg10 +
                   " avg300=0.00 total=1\nfull avg10=" + full + " avg60=1" + full +
                   " avg300=0.00 total=1\n";
        };
        QTest::newRow("none") << QByteArray() << QByteArray() << -1.0 << -1.0;
        QTest::newRow("system") << text("3.00", "2.00") << QByteArray() << 3.0 << 2.0;
        QTest::newRow("group") << QByteArray() << text("4.00", "1.00") << 4.0 << 1.0;
        QTest::newRow("both") << text("3.00", "2.00") << text("4.00", "1.00") << 4.0 << 2.0;
        QTest::newRow("odd group") << text("3.00", "2.00") << QByteArray("?") << 3.0 << 2.0;
        QTest::newRow("odd system") << QByteArray("?") << text("4.00", "1.00") << 4.0 << 1.0;
        QTest::newRow("odd both") << QByteArray("?") << QByteArray("?") << -1.0 << -1.0;
    }
    void files() {
        QFETCH(QByteArray, system);
        QFETCH(QByteArray, group);
        QFETCH(double, some);
        QFETCH(double, full);
        const QTemporaryDir dir;
        QVERIFY(write(dir, "proc/pressure/memory", system));
        QVERIFY(write(dir, "proc/self/cgroup", "0::/a/b\n"));
        QVERIFY(write(dir, "proc/self/mountinfo",
                      "30 25 0:26 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n"));
        QVERIFY(write(dir, "sys/fs/cgroup/a/b/memory.pressure", group));
        const auto pressure = hearth::linux_system::read_memory_pressure(dir.path().toStdString());
        QCOMPARE(pressure.has_value(), some >= 0);
        if (pressure) {
            QCOMPARE(pressure->some_10s, some);
            QCOMPARE(pressure->full_10s, full);
            QCOMPARE(pressure->some_60s, 10 + some);
            QCOMPARE(pressure->full_60s, 10 + full);
        }
    }

    // Of the system that runs this: known or not, but never out of range.
    void here() {
        const auto pressure = hearth::read_memory_pressure();
        if (pressure) {
            QVERIFY(pressure->some_10s >= 0 && pressure->some_10s <= 100);
        } else {
            QVERIFY(pressure.error().code == ErrorCode::Unsupported);
        }
    }

    void quietChangesNothing() {
        BudgetAdvice advice;
        QCOMPARE(advice.share(), 1.0);
        for (std::uint64_t t = 0; t < 600; ++t) {
            QCOMPARE(advice.add(t * kSecond, some(t % 7 == 0 ? 9.99 : 0.5)), 1.0);
        }
    }

    void fallsAtTheFirstSample() {
        BudgetAdvice some_wait, all_wait, severe;
        QCOMPARE(some_wait.add(0, some(10)), 0.9);
        QCOMPARE(all_wait.add(0, {6, 0, 5, 0}), 0.9);
        QCOMPARE(severe.add(0, {50, 0, 20, 0}), 0.8);
    }

    // The average still remembers what the first step has ended.
    void doesNotFallForWhatFades() {
        BudgetAdvice advice;
        QCOMPARE(advice.add(0, some(40)), 0.9);
        QCOMPARE(advice.add(9 * kSecond, some(40)), 0.9);
        QCOMPARE(advice.add(10 * kSecond, some(40 * 0.37)), 0.9);
        QCOMPARE(advice.add(20 * kSecond, some(40)), 0.8);
        QCOMPARE(advice.add(29 * kSecond, some(40)), 0.8);
        QCOMPARE(advice.add(30 * kSecond, some(40)), 0.7);
    }

    // Others take the memory, whatever this process gives up: it keeps a part, and has all of it
    // back when they are gone, not at once.
    void othersTakeItAll() {
        Machine machine([](double) { return 50; });
        machine.run(10 * kMinute);
        QCOMPARE(machine.share(), BudgetAdvice::kLeast);
        QCOMPARE(machine.run(10 * kMinute), 0);
        machine.change([](double) { return 0; });
        machine.run(3 * kMinute);
        QVERIFY2(machine.share() < 0.5, qPrintable(QString::number(machine.share())));
        machine.run(60 * kMinute);
        QCOMPARE(machine.share(), 1.0);
    }

    // Pressure begins at a share: it settles just below that, and tries again ever more seldom.
    void settlesUnderAConstantLoad_data() {
        QTest::addColumn<double>("too_much");
        QTest::addColumn<double>("stall");
        for (const double too_much : {1.0, 0.85, 0.6}) {
            for (const double stall : {12.0, 30.0, 90.0}) {
                QTest::addRow("%g at %g", stall, too_much) << too_much << stall;
            }
        }
    }
    void settlesUnderAConstantLoad() {
        QFETCH(double, too_much);
        QFETCH(double, stall);
        Machine machine([&](double share) { return share >= too_much - 1e-9 ? stall : 0; });
        machine.run(30 * kMinute);
        QVERIFY(machine.share() < too_much);
        // A try falls by two steps at least and rises again: the first hours see some, the next
        // day hardly any.
        const int first = machine.run(6 * 60 * kMinute);
        QVERIFY2(first <= 30, qPrintable(QString::number(first)));
        const int later = machine.run(24 * 60 * kMinute);
        QVERIFY2(later <= 15, qPrintable(QString::number(later)));
        QVERIFY(machine.share() < too_much);
        QVERIFY2(machine.share() >= too_much - 0.16, qPrintable(QString::number(machine.share())));
    }

    // A load that was there for long is gone: once a try has held, the next one comes sooner.
    void triesComeSoonerOnceOneHeld() {
        BudgetAdvice advice;
        double share = 1;
        std::uint64_t now = 0;
        for (; now < 12 * 60 * kMinute; now += 10 * kSecond) {
            share = advice.add(now, some(share >= 0.9 - 1e-9 ? 30 : 0));
        }
        QVERIFY(share < 0.9);
        std::vector<std::uint64_t> rises;
        for (const std::uint64_t end = now + 72 * 60 * kMinute; now < end && share < 1;
             now += 10 * kSecond) {
            const double next = advice.add(now, some(0));
            if (next > share) {
                rises.push_back(now);
            }
            share = next;
        }
        QCOMPARE(share, 1.0);
        QVERIFY(rises.size() >= 3);
        const std::uint64_t last = rises.back() - rises[rises.size() - 2];
        const std::uint64_t before = rises[rises.size() - 2] - rises[rises.size() - 3];
        QVERIFY(before >= 10 * kMinute);
        QVERIFY2(10 * last <= 6 * before, qPrintable(QString("%1 %2").arg(before).arg(last)));
    }

    // Pressure that stays between the thresholds moves nothing, at any share.
    void betweenTheThresholdsNothingMoves() {
        Machine machine([](double) { return 30; });
        machine.run(20 * kSecond);
        const double share = machine.share();
        QVERIFY(share < 1);
        machine.change([](double) { return 5; });
        machine.run(20 * kSecond);
        const double settled = machine.share();
        QCOMPARE(machine.run(120 * kMinute), 0);
        QCOMPARE(machine.share(), settled);
    }

    // A short burst costs a few minutes.
    void aBurstPasses() {
        Machine machine([](double) { return 80; });
        machine.run(6 * kSecond);
        machine.change([](double) { return 0; });
        machine.run(kMinute);
        QVERIFY(machine.share() < 1);
        machine.run(15 * kMinute);
        QCOMPARE(machine.share(), 1.0);
    }

    // Each step up waits for a quiet minute of its own.
    void risesAStepAMinute() {
        BudgetAdvice advice;
        QCOMPARE(advice.add(0, {50, 0, 20, 0}), 0.8);
        QCOMPARE(advice.add(10 * kSecond, {50, 0, 20, 0}), 0.6);
        double share = 0.6;
        std::uint64_t risen = 10 * kSecond;  // the last look that was not quiet
        int rises = 0;
        for (std::uint64_t now = 20 * kSecond; now <= 7 * kMinute; now += 10 * kSecond) {
            const double next = advice.add(now, some(0));
            if (next > share) {
                QVERIFY2(now - risen >= kMinute, qPrintable(QString::number(now)));
                risen = now;
                ++rises;
            }
            share = next;
        }
        QCOMPARE(rises, 6);
        QCOMPARE(share, 0.9);
    }

    // Nobody looked for an hour: that it was quiet is not known.
    void anUnseenHourIsNotQuiet() {
        BudgetAdvice advice;
        advice.add(0, some(20));
        QCOMPARE(advice.add(60 * kMinute, some(0)), 0.9);
        for (std::uint64_t s = 30; s < 60; s += 10) {
            QCOMPARE(advice.add(60 * kMinute + s * kSecond, some(0)), 0.9);
        }
        QCOMPARE(advice.add(61 * kMinute, some(0)), 0.95);
    }

    void oddSamples() {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        BudgetAdvice advice;
        QCOMPARE(advice.add(50 * kSecond, {nan, nan, nan, nan}), 1.0);
        QCOMPARE(advice.add(0, some(20)), 0.9);  // an older one counts as now
        QCOMPARE(advice.add(~std::uint64_t{0} - 1, some(0)), 0.9);
        QCOMPARE(advice.add(~std::uint64_t{0}, some(50)), 0.8);
        QCOMPARE(advice.add(0, {nan, nan, nan, nan}), 0.8);
    }
};

QTEST_GUILESS_MAIN(MemoryPressureTest)
#include "memory_pressure_test.moc"
