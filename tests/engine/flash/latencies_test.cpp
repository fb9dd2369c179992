#include "flash/latencies.h"

#include <QtTest>

#include <algorithm>
#include <random>
#include <vector>
#include "flash/read_meter.h"

using hearth::Latencies;

class LatenciesTest : public QObject {
    Q_OBJECT

private slots:
    void nothing() { QCOMPARE(Latencies().percentile(0.5), std::uint64_t{0}); }

    void smallTimesAreExact() {
        Latencies latencies;
        for (std::uint64_t ns = 1; ns <= 20; ++ns) {
            latencies.add(ns);
        }
        QCOMPARE(latencies.percentile(0.5), std::uint64_t{10});
        QCOMPARE(latencies.percentile(1.0), std::uint64_t{20});
    }

    // The disk is busy while any read is in flight, and once for reads that overlap.
    void readsThatOverlap() {
        hearth::ReadMeter meter;
        meter.read_began(100);
        meter.read_began(150);
        meter.read_ended(100, 200, 2, 64, 1);
        QCOMPARE(meter.in_flight(), 1);
        meter.read_ended(150, 300, 1, 32, 0);
        meter.read_began(1000);
        meter.read_ended(1000, 1007, 1, 16, 0);
        meter.open_account(2);
        meter.open_account(0);
        meter.request_completed(40, 2);
        meter.request_completed(7, 0);
        meter.request_completed(1, 2);
        QCOMPARE(meter.by_account(), (std::vector<std::uint64_t>{7, 0, 41}));
        const hearth::ReadCounters seen = meter.counters();
        QCOMPARE(seen.busy_ns, std::uint64_t{207});
        QCOMPARE(seen.deepest, 2);
        QCOMPARE(seen.reads, std::uint64_t{4});
        QCOMPARE(seen.bytes_read, std::uint64_t{112});
        QCOMPARE(seen.retries, std::uint64_t{1});
        QCOMPARE(seen.requests, std::uint64_t{3});
        QCOMPARE(seen.bytes_asked, std::uint64_t{48});
        QVERIFY(seen.p50_ns >= 100 && seen.p50_ns <= 107);
        QVERIFY(seen.p99_ns >= 150 && seen.p99_ns <= 160);
        // A read that is in flight when counting begins anew ends in it.
        meter.read_began(hearth::ReadMeter::now_ns());
        meter.restart();
        QCOMPARE(meter.counters().deepest, 1);
        QCOMPARE(meter.counters().reads, std::uint64_t{0});
        QCOMPARE(meter.by_account(), std::vector<std::uint64_t>(3));
        QCOMPARE(meter.counters().p50_ns, std::uint64_t{0});
        QVERIFY(meter.counters().busy_ns < 60'000'000'000);
    }

    // Never below the true percentile, and at most a sixteenth above it.
    void closeToSorting() {
        std::mt19937_64 random(7);
        Latencies latencies;
        std::vector<std::uint64_t> all;
        for (int i = 0; i < 5000; ++i) {
            all.push_back(random() >> (random() % 64));
            latencies.add(all.back());
        }
        std::sort(all.begin(), all.end());
        for (const double share : {0.01, 0.5, 0.9, 0.99, 1.0}) {
            const std::uint64_t right = all[static_cast<std::size_t>(5000 * share) - 1];
            const std::uint64_t told = latencies.percentile(share);
            QVERIFY2(told >= right && told - right <= right / 16,
                     qPrintable(QString("%1: %2, not %3").arg(share).arg(told).arg(right)));
        }
    }
};

QTEST_GUILESS_MAIN(LatenciesTest)
#include "latencies_test.moc"
