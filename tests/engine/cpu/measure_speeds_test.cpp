// The measurement must end with plausible figures for every type and table; how fast the machine is
// is not tested here.
#include "cpu/measure_speeds.h"

#include <QtTest>
#include <array>

#include "gguf/encoding.h"
#include "hardware/cpu_features.h"

using namespace hearth;

class MeasureSpeedsTest : public QObject {
    Q_OBJECT

private slots:
    void measures_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("rows");
        QTest::addColumn<int>("cols");
        QTest::addColumn<qulonglong>("bytes");
        QTest::addColumn<int>("threads");
        const auto row = [](DType type, int rows, int cols, qulonglong bytes, int threads) {
            QTest::addRow("%s %d x %d of %llu bytes, %d threads",
                          std::string(dtype_info(type).name).c_str(), rows, cols, bytes, threads)
                << static_cast<int>(type) << rows << cols << bytes << threads;
        };
        for (const Encoding& encoding : encodings()) {
            row(encoding.type, 1024, 512, 20 << 20, 2);
        }
        row(DType::Q4_0, 1, 32, 0, 1);
        row(DType::Q8_0, 999, 96, 1 << 20, 7);  // rows and columns that fill no tile or group
        row(DType::F32, 40'000, 16'384, 1ULL << 40, 2);  // a matrix larger than the buffer
    }
    void measures() {
        QFETCH(int, type);
        QFETCH(int, rows);
        QFETCH(int, cols);
        QFETCH(qulonglong, bytes);
        QFETCH(int, threads);
        ThreadPool pool(threads);
        std::array<const kernels::KernelTable*, kernels::kMostTables> tables{};
        const int count = kernels::available(detect_cpu_features().flags, tables.data());
        const KernelSpeeds speeds =
            measure_kernel_speeds(*tables[static_cast<std::size_t>(count - 1)], pool,
                                  {static_cast<DType>(type), rows, cols, bytes}, 64 << 20);
        // No machine reads ten terabytes a second, and none that ends this test a kilobyte.
        const auto plausible = [](double number) { return number > 1e-6 && number < 1e4; };
        QVERIFY2(plausible(speeds.read_gb_per_s) && plausible(speeds.rows_gb_per_s) &&
                     plausible(speeds.gflop_per_s / 100) &&
                     plausible(speeds.heads_gflop_per_s / 100),
                 qPrintable(QStringLiteral("%1 %2 %3 %4")
                                .arg(speeds.read_gb_per_s)
                                .arg(speeds.rows_gb_per_s)
                                .arg(speeds.gflop_per_s)
                                .arg(speeds.heads_gflop_per_s)));
    }
    void noCacheHoldsWhatIsMeasured() {
        constexpr std::uint64_t kMiB = 1 << 20;
        QCOMPARE(measured_bytes(0, 64'000 * kMiB), 256 * kMiB);           // unknown caches
        QCOMPARE(measured_bytes(32 * kMiB, 64'000 * kMiB), 256 * kMiB);   // small ones
        QCOMPARE(measured_bytes(128 * kMiB, 64'000 * kMiB), 384 * kMiB);  // three times theirs
        QVERIFY(measured_bytes(4'000 * kMiB, 64'000 * kMiB) <= 1024 * kMiB);
        QVERIFY(measured_bytes(4'000 * kMiB, 64'000 * kMiB) > 1000 * kMiB);
        QCOMPARE(measured_bytes(300 * kMiB, 6'000 * kMiB), 512 * kMiB);  // of what is free
        QCOMPARE(measured_bytes(300 * kMiB, 100 * kMiB), 256 * kMiB);    // as ever
    }

    void nothingToMeasure() {
        ThreadPool pool(1);
        std::array<const kernels::KernelTable*, kernels::kMostTables> tables{};
        kernels::available(detect_cpu_features().flags, tables.data());
        const KernelSpeeds speeds =
            measure_kernel_speeds(*tables[0], pool, {DType::F16, 0, 0, 0}, 64 << 20);
        QCOMPARE(speeds.read_gb_per_s + speeds.rows_gb_per_s + speeds.gflop_per_s +
                     speeds.heads_gflop_per_s,
                 0.0);
    }
};

QTEST_GUILESS_MAIN(MeasureSpeedsTest)
#include "measure_speeds_test.moc"
