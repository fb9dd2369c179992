// Which limits belong to which processor; how fast they are is not tested.
#include "bench/peaks/peaks.h"

#include <QtTest>

#include "hardware/cpu_features.h"

using namespace hearth;
using namespace hearth::bench;

class PeaksTest : public QObject {
    Q_OBJECT

private slots:
    void every_peak_of_this_processor_runs() {
        const std::uint32_t flags = detect_cpu_features().flags;
        std::array<const Peak*, kMostPeaks> peaks{};
        const int count = available_peaks(flags, peaks.data());
        QVERIFY(count >= 2);
        for (int i = 0; i < count; ++i) {
            const Peak& peak = *peaks[static_cast<std::size_t>(i)];
            QVERIFY(std::isfinite(peak.run(1000)));
            QVERIFY(peak.operations_per_round > 0);
            QCOMPARE((peak.needs & ~flags), 0U);
            QCOMPARE(find_peak(flags, peak.table, peak.kind), &peak);
        }
    }
    void a_processor_without_features_has_the_plain_loops_only() {
        std::array<const Peak*, kMostPeaks> peaks{};
        QCOMPARE(available_peaks(0, peaks.data()), 2);
        QVERIFY(find_peak(0, "generic", PeakKind::F32) != nullptr);
        for (const char* table : {"avx2", "avx512", "neon", "none such"}) {
            QVERIFY(find_peak(0, table, PeakKind::Int8) == nullptr);
        }
    }
    void two_threads_are_measured() {
        const Peak* peak = find_peak(0, "generic", PeakKind::F32);
        const PeakSpeed speed = measure_peak(*peak, 2);
        QVERIFY(speed.typical > 0);
        QVERIFY(speed.best >= speed.typical);
    }
};

QTEST_GUILESS_MAIN(PeaksTest)
#include "peaks_test.moc"
