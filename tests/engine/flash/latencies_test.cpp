#include "flash/latencies.h"

#include <QtTest>
#include <algorithm>
#include <random>
#include <vector>

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
