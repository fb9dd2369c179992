// When to ask again, how fast to read, and what to say of it.
#include <QtTest>

#include "downloads/retry_plan.h"
#include "downloads/speed_limit.h"
#include "downloads/speed_meter.h"
#include "virtual_clock.h"

using namespace hearth::ui;
using test::VirtualClock;

class TimingTest : public QObject {
    Q_OBJECT

private slots:
    void backsOff() {
        QCOMPARE(backOffMs(1, 0), 500);
        QCOMPARE(backOffMs(1, 1), 1000);
        QCOMPARE(backOffMs(4, 1), 8000);
        for (const int tries : {10, 64, std::numeric_limits<int>::max()}) {
            QCOMPARE(backOffMs(tries, 1), 300'000);
            QCOMPARE(backOffMs(tries, 0), 150'000);
        }
        QCOMPARE(backOffMs(0, 1), 1000);
    }
    void retryAfter_data() {
        QTest::addColumn<QByteArray>("field");
        QTest::addColumn<qint64>("ms");
        const auto row = [](const char* field, qint64 ms) {
            QTest::addRow("'%s'", field) << QByteArray(field) << ms;
        };
        row("0", 0);
        row("120", 120'000);
        row("999999999999", 3'600'000);
        row("Fri, 02 Jan 2026 10:00:30 GMT", 30'000);
        row("Fri, 02 Jan 2026 09:00:00 GMT", 0);
        row("Sat, 02 Jan 2027 10:00:00 GMT", 3'600'000);
        row("", -1);
        row("-5", -1);
        row("soon", -1);
    }
    void retryAfter() {
        QFETCH(QByteArray, field);
        const QDateTime now(QDate(2026, 1, 2), QTime(10, 0), Qt::UTC);
        QTEST(retryAfterMs(field, now), "ms");
    }
    void limits() {
        VirtualClock clock;
        SpeedLimit limit(clock);
        QCOMPARE(limit.take(1'000'000), 1'000'000);
        limit.setBytesPerSecond(100'000);
        qint64 read = 0;
        for (int i = 0; i < 200; ++i) {
            clock.pass(SpeedLimit::kPauseMs);
            read += limit.take(1'000'000);
        }
        QCOMPARE(read, 1'000'000);  // ten seconds of it
        clock.pass(60'000);
        QVERIFY(limit.take(1'000'000) <= 25'000);  // what was not read is not owed
        limit.setBytesPerSecond(3);                // less than a byte in a pause
        read = 0;
        for (int i = 0; i < 200; ++i) {
            clock.pass(SpeedLimit::kPauseMs);
            read += limit.take(10);
        }
        QVERIFY(read >= 28 && read <= 31);
        limit.setBytesPerSecond(0);
        QCOMPARE(limit.take(5), 5);
    }
    void measures() {
        SpeedMeter meter;
        QCOMPARE(meter.bytesPerSecond(0), 0.0);
        QCOMPARE(meter.secondsLeft(100, 0), -1);
        qint64 now = 0;
        for (int i = 0; i <= 100; ++i, now += 100) {
            meter.add(i == 0 ? 0 : 1000, now);
            if (now == 1000) {
                QCOMPARE(meter.secondsLeft(1000, now), -1);  // too early to say
            }
        }
        QVERIFY(std::abs(meter.bytesPerSecond(now) - 10'000) < 500);
        QVERIFY(std::abs(meter.secondsLeft(100'000, now) - 10) <= 1);
        meter.add(20'000, now);  // a burst moves it a little only
        meter.add(0, now += 300);
        QVERIFY(meter.bytesPerSecond(now) < 15'000);
        QCOMPARE(meter.bytesPerSecond(now + 11'000), 0.0);
        QCOMPARE(meter.secondsLeft(100, now + 11'000), -1);
        meter.reset();
        meter.add(0, now);
        QCOMPARE(meter.bytesPerSecond(now), 0.0);
        meter.add(2000, now += 1000);  // the mean since then, not since the beginning
        QCOMPARE(meter.bytesPerSecond(now), 2000.0);
        QCOMPARE(meter.secondsLeft(-1, now + 5000), -1);
    }
    // An alarm of the real clock rings once, and again once it is set again.
    void rings() {
        SystemClock clock;
        int rung = 0;
        const auto alarm = clock.alarm([&] { ++rung; });
        for (int time = 1; time <= 2; ++time) {
            alarm->set(0);
            QVERIFY(alarm->isSet());
            QTRY_COMPARE(rung, time);
            QVERIFY(!alarm->isSet());
        }
        alarm->set(0);
        alarm->clear();
        QCoreApplication::processEvents();
        QCOMPARE(rung, 2);
        const qint64 before = clock.nowMs();
        QTRY_VERIFY(clock.nowMs() > before);
    }
    void says() {
        QVERIFY(timeLeftText(-1).isEmpty());
        QCOMPARE(timeLeftText(0), QStringLiteral("0 s left"));
        QCOMPARE(timeLeftText(7), QStringLiteral("7 s left"));
        QCOMPARE(timeLeftText(10), QStringLiteral("10 s left"));
        QCOMPARE(timeLeftText(11), QStringLiteral("15 s left"));
        QCOMPARE(timeLeftText(41), QStringLiteral("45 s left"));
        QCOMPARE(timeLeftText(59), QStringLiteral("60 s left"));
        QCOMPARE(timeLeftText(60), QStringLiteral("1 min left"));
        QCOMPARE(timeLeftText(100), QStringLiteral("2 min left"));
        QCOMPARE(timeLeftText(3569), QStringLiteral("59 min left"));
        QCOMPARE(timeLeftText(3570), QStringLiteral("1 h 0 min left"));
        QCOMPARE(timeLeftText(48 * 3600 - 31), QStringLiteral("47 h 59 min left"));
        QCOMPARE(timeLeftText(48 * 3600), QStringLiteral("2 days left"));
        QCOMPARE(timeLeftText(2 * 3600 + 300), QStringLiteral("2 h 5 min left"));
        QCOMPARE(timeLeftText(7 * 86400), QStringLiteral("7 days left"));
    }
};

QTEST_GUILESS_MAIN(TimingTest)
#include "timing_test.moc"
