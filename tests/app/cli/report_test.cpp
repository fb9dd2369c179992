// The figures that bench makes of many measurements.
#include "report.h"

#include <QtTest>
#include <numeric>

using namespace hearth::cli;

class ReportTest : public QObject {
    Q_OBJECT

private slots:
    void medians() {
        QCOMPARE(median(std::vector{7.0}), 7.0);
        QCOMPARE(median(std::vector{9.0, 1.0, 4.0}), 4.0);
        QCOMPARE(median(std::vector{8.0, 1.0, 4.0, 2.0}), 3.0);
    }

    // The smallest value that so many are not above: one that was measured, never one between.
    void percentiles() {
        std::vector<double> values(10);
        std::iota(values.rbegin(), values.rend(), 1.0);
        QCOMPARE(percentile(values, 50), 5.0);
        QCOMPARE(percentile(values, 90), 9.0);
        QCOMPARE(percentile(values, 91), 10.0);
        QCOMPARE(percentile(values, 99), 10.0);
        QCOMPARE(percentile(values, 0), 1.0);
        QCOMPARE(percentile(values, 100), 10.0);
        QCOMPARE(percentile(std::vector{7.0}, 50), 7.0);
    }

    // Bytes that went to the GPU were loaded, too; a load that took no time has no speed.
    void loadSpeed() {
        hearth::LoadTimings timings;
        hearth::MemoryReport memory;
        memory.weights.actual_bytes = 3'000'000;
        memory.vram_weights.actual_bytes = 5'000'000;
        QVERIFY(load_speed_json(timings, memory).is_null());
        timings.total_ms = 4;
        QCOMPARE(load_speed_json(timings, memory).get<double>(), 2.0);
    }

    void shares() {
        hearth::DecodeStatistics decoded;
        QVERIFY(share_json(decoded)["cpu"].is_null());
        QVERIFY(share_json(decoded)["gpu"].is_null());
        decoded.cpu_share = 0.25;
        decoded.gpu_share = 0.75;
        QCOMPARE(share_json(decoded)["cpu"].get<double>(), 0.25);
        QCOMPARE(share_json(decoded)["gpu"].get<double>(), 0.75);
    }
};

QTEST_GUILESS_MAIN(ReportTest)
#include "report_test.moc"
