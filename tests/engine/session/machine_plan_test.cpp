// A plan takes the speeds of a disk from what was measured of it.
#include "session/machine_plan.h"

#include <QtTest>

#include <hearth/engine.h>

#include "flash/disk_probe_file.h"
#include "flash/read_queue.h"
#include "session/processor.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;

class MachinePlanTest : public QObject {
    Q_OBJECT

private slots:
    // Neurons are read one by one: the figure of the largest size that is no larger than one
    // counts, or that of the smallest size where all are larger.
    void readsPerSecondAreThoseOfANeuron_data() {
        QTest::addColumn<std::vector<RandomReads>>("random");
        QTest::addColumn<double>("per_s");
        QTest::newRow("four sizes") << std::vector<RandomReads>{{4096, 16, 90'000},
                                                                {8192, 32, 60'000},
                                                                {16'384, 32, 30'000},
                                                                {65'536, 8, 9'000}}
                                    << 60'000.0;
        QTest::newRow("small ones only")
            << std::vector<RandomReads>{{512, 16, 99'000}, {4096, 16, 90'000}} << 90'000.0;
        QTest::newRow("large ones only")
            << std::vector<RandomReads>{{16'384, 32, 30'000}, {65'536, 8, 9'000}} << 30'000.0;
        QTest::newRow("none") << std::vector<RandomReads>{} << 0.0;
    }
    void readsPerSecondAreThoseOfANeuron() {
        QFETCH(const std::vector<RandomReads>, random);
        QFETCH(const double, per_s);
        const test::TempDir dir;
        DiskProbe probe;
        probe.disk = disk_of(dir.path());
        probe.path = dir.path();
        probe.direct = true;
        probe.alignment = 512;
        probe.sequential_bytes_per_s = 2.5e9;
        probe.random = random;
        probe.depth = 16;
        probe.largest_read_bytes = std::uint64_t{4} << 20;
        probe.merge_gap_bytes = std::uint64_t{1} << 20;
        if (!keep_disk_probe(dir.path(), version(), probe)) {
            QSKIP("this file system has no name");
        }
        Machine machine;
        measure_disk_of_folder(machine, dir.path(), dir.path());
        QCOMPARE(machine.disk_read_gb_per_s, 2.5);
        QCOMPARE(machine.disk_reads_per_s, per_s);
        // Each read in flight may need its memory: both sizes are bounded.
        const DiskReads reads = known_disk_reads(dir.path(), dir.path(), false);
        QCOMPARE(reads.depth, 16);
        QCOMPARE(reads.largest_read_bytes, std::uint64_t{1} << 20);
        QCOMPARE(reads.merge_gap_bytes, std::uint64_t{128} << 10);
        // Figures of a disk that is not read directly say nothing of how.
        probe.why_not_direct = "it is in memory";
        QVERIFY(keep_disk_probe(dir.path(), version(), probe));
        const DiskReads unknown = known_disk_reads(dir.path(), dir.path(), false);
        QVERIFY(unknown.depth == 0 && unknown.largest_read_bytes == 0);
        // Experts come in large reads, whatever is known of the disk.
        const DiskReads of_experts = known_disk_reads(dir.path(), dir.path(), true);
        QCOMPARE(of_experts.depth, 0);
        QCOMPARE(of_experts.largest_read_bytes, std::uint64_t{1} << 20);
        QCOMPARE(of_experts.merge_gap_bytes, ReadQueueOptions{}.merge_gap_bytes);
        probe.why_not_direct.clear();
        probe.largest_read_bytes = 256 << 10;
        QVERIFY(keep_disk_probe(dir.path(), version(), probe));
        const DiskReads known = known_disk_reads(dir.path(), dir.path(), true);
        QCOMPARE(known.depth, 16);
        QCOMPARE(known.largest_read_bytes, std::uint64_t{1} << 20);
        QCOMPARE(known.merge_gap_bytes, std::uint64_t{128} << 10);
    }

    // The processor is measured with the type that most of what it computes with is of.
    void theUsualMatrixIsOfTheUsualType() {
        const auto usual_of = [](DType type, DType gates) {
            const test::Bytes bytes =
                test::TinyModel({.arch = "llama", .type = type, .gate_type = gates}).file().bytes();
            const auto file = GgufFile::parse(bytes, "memory");
            const auto spec = file ? read_model_spec(*file) : Result<ModelSpec>(file.error());
            const auto tensors =
                spec ? bind_tensors(*file, *spec) : Result<ModelTensors>(spec.error());
            return tensors ? usual_matrix(*spec, *tensors) : UsualMatrix{};
        };
        const UsualMatrix halves = usual_of(DType::F16, DType::Q8_0);
        QVERIFY(halves.type == DType::F16);
        QVERIFY(halves.rows == 96 && halves.cols == 64);
        // Attention, up and down of two layers and the output head; gates in blocks of 34 bytes.
        constexpr std::uint64_t kHalves = 2 * (2 * 64 * 64 + 2 * 32 * 64 + 2 * 96 * 64) + 259 * 64;
        QCOMPARE(halves.read_bytes, 2 * kHalves + 2 * 96 * 2 * 34);
        QVERIFY(usual_of(DType::Q8_0, DType::F16).type == DType::Q8_0);
    }
};

QTEST_APPLESS_MAIN(MachinePlanTest)
#include "machine_plan_test.moc"
