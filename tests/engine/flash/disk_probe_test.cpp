#include "flash/disk_probe.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "flash/disk_probe_file.h"
#include "flash/disk_sample.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;

namespace {

// A disk that takes `fixed` and the bytes' time for a read, with reads side by side up to `most`.
std::vector<RandomReads> figures(double fixed_s, double bytes_per_s, int most) {
    std::vector<RandomReads> all;
    for (const int depth : {1, 4, 8, 16, 32, 64}) {
        for (const std::uint64_t bytes : {4U << 10, 8U << 10, 16U << 10, 64U << 10}) {
            const double share = std::min(1.0, static_cast<double>(depth) / most);
            all.push_back(
                {bytes, depth, share / (fixed_s + static_cast<double>(bytes) / bytes_per_s)});
        }
    }
    return all;
}

DiskProbe full_probe() {
    return {.disk = "1234",
            .path = "/a b/c.gguf",
            .direct = true,
            .why_not_direct = {},
            .alignment = 512,
            .sequential_bytes_per_s = 2.5e9,
            .random = {{4096, 32, 70'000}, {8192, 64, 60'000}},
            .depth = 32,
            .largest_read_bytes = 262'144,
            .merge_gap_bytes = 16'384};
}

bool same(const DiskProbe& a, const DiskProbe& b) {
    return a.disk == b.disk && a.path == b.path && a.direct == b.direct &&
           a.why_not_direct == b.why_not_direct && a.alignment == b.alignment &&
           a.sequential_bytes_per_s == b.sequential_bytes_per_s && a.depth == b.depth &&
           a.largest_read_bytes == b.largest_read_bytes && a.merge_gap_bytes == b.merge_gap_bytes &&
           std::equal(a.random.begin(), a.random.end(), b.random.begin(), b.random.end(),
                      [](const RandomReads& x, const RandomReads& y) {
                          return x.bytes == y.bytes && x.depth == y.depth && x.per_s == y.per_s;
                      });
}

}  // namespace

class DiskProbeTest : public QObject {
    Q_OBJECT

private slots:
    void chosen_data() {
        QTest::addColumn<double>("fixed_us");
        QTest::addColumn<double>("gb_per_s");
        QTest::addColumn<int>("most");
        QTest::addColumn<int>("depth");
        QTest::addColumn<quint64>("gap");
        QTest::addColumn<quint64>("largest");
        // 12 us are 24,000 bytes' time: 46 sectors.
        QTest::newRow("fast") << 12.0 << 2.0 << 32 << 32 << quint64{46 * 512} << quint64{256 << 10};
        QTest::newRow("one at a time")
            << 12.0 << 2.0 << 1 << 1 << quint64{46 * 512} << quint64{256 << 10};
        QTest::newRow("a rotating disk")
            << 8000.0 << 0.2 << 1 << 1 << quint64{128 << 10} << quint64{512 << 10};
        QTest::newRow("bytes are all that counts")
            << 0.0 << 1.0 << 16 << 16 << quint64{0} << quint64{256 << 10};
    }
    void chosen() {
        QFETCH(double, fixed_us);
        QFETCH(double, gb_per_s);
        QFETCH(int, most);
        QFETCH(int, depth);
        QFETCH(quint64, gap);
        QFETCH(quint64, largest);
        std::vector<RandomReads> all = figures(fixed_us / 1e6, gb_per_s * 1e9, most);
        std::reverse(all.begin(), all.end());
        DiskProbe probe;
        choose_reads(all, probe);
        QCOMPARE(probe.depth, depth);
        // The line through the points may miss by less than a sector.
        QVERIFY2(probe.merge_gap_bytes + 512 >= gap && probe.merge_gap_bytes <= gap + 512,
                 qPrintable(QString::number(probe.merge_gap_bytes)));
        QCOMPARE(quint64{probe.largest_read_bytes}, largest);
        QCOMPARE(probe.random.size(), std::size_t{4});
        for (const RandomReads& best : probe.random) {
            for (const RandomReads& one : all) {
                QVERIFY(one.bytes != best.bytes || one.per_s <= best.per_s);
            }
        }
        QVERIFY(std::is_sorted(probe.random.begin(), probe.random.end(),
                               [](const auto& a, const auto& b) { return a.bytes < b.bytes; }));
    }

    void aDeeperQueueMustBeWorthIt() {
        DiskProbe probe;
        choose_reads(std::array{RandomReads{8192, 64, 100.0}, RandomReads{8192, 16, 96.0},
                                RandomReads{8192, 8, 94.0}, RandomReads{4096, 4, 200.0}},
                     probe);
        QCOMPARE(probe.depth, 16);
    }

    void nothingWasMeasured() {
        DiskProbe probe = full_probe();
        choose_reads({}, probe);
        QVERIFY(probe.random.empty() && probe.depth == 0 && probe.largest_read_bytes == 0 &&
                probe.merge_gap_bytes == 0);
    }

    // Every size is measured, on whatever disk the folder lies and however little time there is.
    void measured_data() {
        QTest::addColumn<int>("limit_ms");
        QTest::newRow("some time") << 100;
        QTest::newRow("none") << 0;
    }
    void measured() {
        QFETCH(int, limit_ms);
        const test::TempDir dir;
        const std::string path = dir.file("a");
        {
            auto file = OutputFile::create(path, kProbedBytesMin);
            QVERIFY(file && file->write(test::Bytes(kProbedBytesMin)) && file->commit());
        }
        const auto probe = probe_disk(path, std::chrono::milliseconds(limit_ms));
        QVERIFY2(probe, probe ? "" : probe.error().message.c_str());
        QCOMPARE(probe->path, path);
        QCOMPARE(probe->disk, disk_of(path));
        QCOMPARE(probe->direct, probe->why_not_direct.empty());
        if (!probe->direct) {
            QVERIFY(probe->random.empty());
            return;
        }
        QVERIFY(probe->sequential_bytes_per_s > 0 && probe->depth > 0 && probe->alignment > 0);
        QCOMPARE(probe->random.size(), std::size_t{4});
        for (const RandomReads& reads : probe->random) {
            QVERIFY(reads.per_s > 0 && reads.depth > 0);
        }
    }

    // A folder is measured on the largest model in it that is whole on the disk, else on a file of
    // its own, which is gone afterwards. A header with a hole behind it is no model.
    void ofAFolder() {
        const test::TempDir dir;
        const auto measured = [&] {
            return probe_folder(dir.path(), std::chrono::milliseconds(0), kProbedBytesMin);
        };
        {
            auto file = OutputFile::create(dir.file("hole.gguf"), 0);
            QVERIFY(file && file->write(test::Bytes(1000)) && file->commit());
            std::filesystem::resize_file(dir.file("hole.gguf"), 4 * kProbedBytesMin);
        }
        QVERIFY(test::write_file(dir.file("tiny.gguf"), test::Bytes(1000)));  // too few to measure
        const auto none = measured();
        QVERIFY2(none, none ? "" : none.error().message.c_str());
        QVERIFY(none->path != dir.file("hole.gguf"));
        QVERIFY(!std::filesystem::exists(none->path));
        QCOMPARE(none->random.empty(), !none->direct);
        for (const auto& [name, bytes] : {std::pair("small.gguf", kProbedBytesMin),
                                          std::pair("large.gguf", kProbedBytesMin + 1),
                                          std::pair("larger.bin", kProbedBytesMin + 2)}) {
            auto file = OutputFile::create(dir.file(name), bytes);
            QVERIFY(file && file->write(test::Bytes(bytes)) && file->commit());
        }
        const auto one = measured();
        QVERIFY(one);
        QCOMPARE(one->path, dir.file("large.gguf"));
        QVERIFY(!probe_folder(dir.file("none")));
        std::size_t left = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) {
            ++left;
        }
        QCOMPARE(left, std::size_t{5});
    }

    void filesThatCannotBeMeasuredOn() {
        const test::TempDir dir;
        QVERIFY(probe_disk(dir.file("none")).error().code == ErrorCode::NotFound);
        QVERIFY(test::write_file(dir.file("a"), test::Bytes(1000)));
        const auto small = probe_disk(dir.file("a"));
        QVERIFY(!small && small.error().code == ErrorCode::InvalidArgument);
        QVERIFY(small.error().message.starts_with(dir.file("a") + ": 1000 bytes are too few"));
    }

    void kept() {
        const test::TempDir dir;
        const std::string folder = dir.file("cache");
        QVERIFY(read_disk_probes(folder, "1").empty());
        DiskProbe probe = full_probe();
        QVERIFY(keep_disk_probe(folder, "1", probe));
        DiskProbe memory{.disk = "5", .path = "b", .why_not_direct = "it is in\nmemory"};
        QVERIFY(keep_disk_probe(folder, "1", memory));
        memory.why_not_direct = "it is in?memory";
        std::vector<DiskProbe> read = read_disk_probes(folder, "1");
        QCOMPARE(read.size(), std::size_t{2});
        QVERIFY(same(read[0], memory) && same(read[1], probe));

        probe.depth = 8;  // measured again
        QVERIFY(keep_disk_probe(folder, "1", probe));
        read = read_disk_probes(folder, "1");
        QCOMPARE(read.size(), std::size_t{2});
        QVERIFY(same(read[0], probe) && same(read[1], memory));
        QVERIFY(read_disk_probes(folder, "2").empty());  // another version's

        probe.disk = disk_of(dir.path());
        QVERIFY(!probe.disk.empty());
        QVERIFY(keep_disk_probe(folder, "1", probe));
        const auto here = read_disk_probe(folder, "1", folder);
        QVERIFY(here && same(*here, probe));
        memory.disk = "another";
        QVERIFY(keep_disk_probe(folder, "1", memory));  // which stands before it now
        const auto second = read_disk_probe(folder, "1", folder);
        QVERIFY(second && same(*second, probe));
        QVERIFY(!read_disk_probe(folder, "1", dir.file("none")));
    }

    // A disk keeps its latest figures, whichever file they were measured on.
    void aDiskIsKeptOnce() {
        const test::TempDir dir;
        DiskProbe other = full_probe();
        other.disk = "other";
        QVERIFY(keep_disk_probe(dir.path(), "1", other));
        DiskProbe probe = full_probe();
        for (int i = 0; i < 20; ++i) {
            probe.path = "/models/" + std::to_string(i);
            QVERIFY(keep_disk_probe(dir.path(), "1", probe));
        }
        const std::vector<DiskProbe> read = read_disk_probes(dir.path(), "1");
        QCOMPARE(read.size(), std::size_t{2});
        QVERIFY(same(read[0], probe) && same(read[1], other));
    }

    // More disks than are kept: those that were measured last are, and can be read.
    void theLatestDisksAreKept() {
        const test::TempDir dir;
        DiskProbe probe = full_probe();
        for (int i = 0; i < 20; ++i) {
            probe.disk = std::to_string(i);
            QVERIFY(keep_disk_probe(dir.path(), "1", probe));
            const std::vector<DiskProbe> read = read_disk_probes(dir.path(), "1");
            QCOMPARE(read.size(), static_cast<std::size_t>(std::min(i + 1, 16)));
            QCOMPARE(read.front().disk, std::to_string(i));
        }
        QCOMPARE(read_disk_probes(dir.path(), "1").back().disk, std::string("4"));
    }

    // Two disks may be mounted at one place, one after the other.
    void twoDisksWithOnePathAreKept() {
        const test::TempDir dir;
        const DiskProbe probe = full_probe();
        DiskProbe other = full_probe();
        other.disk = "other";
        QVERIFY(keep_disk_probe(dir.path(), "1", other));
        QVERIFY(keep_disk_probe(dir.path(), "1", probe));
        const std::vector<DiskProbe> read = read_disk_probes(dir.path(), "1");
        QCOMPARE(read.size(), std::size_t{2});
        QVERIFY(same(read[0], probe) && same(read[1], other));
    }

    void notKept() {
        QVERIFY(keep_disk_probe("", "1", full_probe()).error().code == ErrorCode::NotFound);
        DiskProbe nameless = full_probe();
        nameless.disk.clear();
        const test::TempDir dir;
        QVERIFY(keep_disk_probe(dir.path(), "1", nameless).error().code ==
                ErrorCode::InvalidArgument);
    }

    // Each line that is missing, twice there or changed spoils the file.
    void damagedFiles() {
        const std::vector<DiskProbe> one = {full_probe()};
        const std::string text = format_disk_probes(one, "1");
        QCOMPARE(parse_disk_probes(text, "1").size(), std::size_t{1});
        const QStringList lines = QString::fromStdString(text).split('\n');
        for (qsizetype i = 0; i + 1 < lines.size(); ++i) {
            const auto with = [&](const QStringList& instead) {
                QStringList changed = lines.mid(0, i) + instead + lines.mid(i + 1);
                return parse_disk_probes(changed.join('\n').toStdString(), "1");
            };
            const std::string line = lines[i].toStdString();
            if (!lines[i].startsWith("random")) {  // any number of these
                QVERIFY2(with({}).empty(), line.c_str());
                QVERIFY2(with({lines[i], lines[i]}).empty(), line.c_str());
            }
            QVERIFY2(with({"x" + lines[i]}).empty(), line.c_str());
            if (i > 0 && lines[i].back().isDigit() && !lines[i].startsWith("disk")) {
                QVERIFY2(with({lines[i] + "x"}).empty(), line.c_str());
                QVERIFY2(with({lines[i].section(' ', 0, 0) + " -1"}).empty(), line.c_str());
                QVERIFY2(with({lines[i] + "99999999999999999"}).empty(), line.c_str());
            }
        }
        for (std::size_t cut = 0; cut < text.size(); ++cut) {
            QVERIFY(parse_disk_probes(std::string_view(text).substr(0, cut), "1").empty());
        }
    }
};

QTEST_GUILESS_MAIN(DiskProbeTest)
#include "disk_probe_test.moc"
