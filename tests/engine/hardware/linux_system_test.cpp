// Reads folders that imitate /proc and /sys of machines that are not here.
#include "hardware/linux_system.h"

#include <QtTest>

namespace {

using Tree = QMap<QString, QByteArray>;  // path below the root -> contents

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

const QByteArray kMeminfo =
    "MemTotal:        8388608 kB\nMemFree:         1048576 kB\n"
    "MemAvailable:    4194304 kB\nSwapCached:            0 kB\nCached:          2097152 kB\n";

const QByteArray kV2Mount =
    "25 1 0:22 / /sys rw - sysfs sysfs rw\n"
    "30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";

const QByteArray kV1Mounts =
    "31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:10 - cgroup cgroup rw,cpu,cpuacct\n"
    "32 25 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";

}  // namespace

class LinuxSystemTest : public QObject {
    Q_OBJECT

private:
    // False if a file could not be written.
    static bool write(const QTemporaryDir& dir, const Tree& tree) {
        for (auto it = tree.begin(); it != tree.end(); ++it) {
            const QString path = dir.filePath(it.key());
            QFile file(path);
            if (!QDir().mkpath(QFileInfo(path).path()) || !file.open(QIODevice::WriteOnly) ||
                file.write(it.value()) != it.value().size()) {
                return false;
            }
        }
        return true;
    }

private slots:
    void memory_data() {
        QTest::addColumn<Tree>("tree");
        QTest::addColumn<quint64>("total");
        QTest::addColumn<quint64>("available");
        QTest::addColumn<qint64>("limit");  // -1: none
        const auto row = [](const char* name, const Tree& extra, std::uint64_t available,
                            std::int64_t limit) {
            Tree tree{{"proc/meminfo", kMeminfo}};
            tree.insert(extra);
            QTest::newRow(name) << tree << quint64{8192 * kMiB} << quint64{available}
                                << qint64{limit};
        };
        row("no cgroup", {}, 4096 * kMiB, -1);
        row("v2 without limit",
            {{"proc/self/cgroup", "0::/user.slice/a\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/user.slice/a/memory.max", "max\n"}},
            4096 * kMiB, -1);
        row("v2 limit on the group",
            {{"proc/self/cgroup", "0::/user.slice/a\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/user.slice/a/memory.max", "1073741824\n"},
             {"sys/fs/cgroup/user.slice/a/memory.current", "524288000\n"},
             {"sys/fs/cgroup/user.slice/a/memory.stat",
              "anon 104857600\nactive_file 209715200\ninactive_file 104857600\n"}},
            1024 * kMiB - 200 * kMiB, static_cast<std::int64_t>(1024 * kMiB));
        row("v2 tighter limit above",
            {{"proc/self/cgroup", "0::/user.slice/a\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/user.slice/a/memory.max", "2147483648\n"},
             {"sys/fs/cgroup/user.slice/memory.max", "536870912\n"},
             {"sys/fs/cgroup/user.slice/memory.current", "0\n"}},
            512 * kMiB, static_cast<std::int64_t>(512 * kMiB));
        row("v2 wider limit above",
            {{"proc/self/cgroup", "0::/user.slice/a\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/user.slice/a/memory.max", "536870912\n"},
             {"sys/fs/cgroup/user.slice/memory.max", "2147483648\n"},
             {"sys/fs/cgroup/user.slice/memory.current", "0\n"}},
            512 * kMiB, static_cast<std::int64_t>(512 * kMiB));
        row("v2 limit above what is available",
            {{"proc/self/cgroup", "0::/user.slice/a\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/user.slice/a/memory.max", "6442450944\n"},
             {"sys/fs/cgroup/user.slice/a/memory.current", "1048576\n"}},
            4096 * kMiB, static_cast<std::int64_t>(6144 * kMiB));
        row("v2 wider limit above, whose group is fuller",
            {{"proc/self/cgroup", "0::/user.slice/a\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/user.slice/a/memory.max", "536870912\n"},
             {"sys/fs/cgroup/user.slice/memory.max", "2147483648\n"},
             {"sys/fs/cgroup/user.slice/memory.current", "2042626048\n"}},
            100 * kMiB, static_cast<std::int64_t>(512 * kMiB));
        row("v2 memory.high below memory.max",
            {{"proc/self/cgroup", "0::/\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/memory.max", "2147483648\n"},
             {"sys/fs/cgroup/memory.high", "1073741824\n"}},
            1024 * kMiB, static_cast<std::int64_t>(1024 * kMiB));
        row("v2 container: only its part is mounted",
            {{"proc/self/cgroup", "0::/docker/c0ffee\n"},
             {"proc/self/mountinfo",
              "30 25 0:26 /docker/c0ffee /sys/fs/cgroup ro - cgroup2 cgroup rw\n"},
             {"sys/fs/cgroup/memory.max", "268435456\n"},
             {"sys/fs/cgroup/memory.current", "999999999999\n"}},
            0, static_cast<std::int64_t>(256 * kMiB));
        row("v2 path outside the namespace",
            {{"proc/self/cgroup", "0::/../../x\n"},
             {"proc/self/mountinfo", kV2Mount},
             {"sys/fs/cgroup/memory.max", "268435456\n"}},
            256 * kMiB, static_cast<std::int64_t>(256 * kMiB));
        row("v1 limit",
            {{"proc/self/cgroup", "9:memory:/box\n4:cpu,cpuacct:/box\n0::/\n"},
             {"proc/self/mountinfo", kV1Mounts},
             {"sys/fs/cgroup/memory/box/memory.limit_in_bytes", "1073741824\n"},
             {"sys/fs/cgroup/memory/box/memory.usage_in_bytes", "104857600\n"},
             {"sys/fs/cgroup/memory/box/memory.stat",
              "inactive_file 1\ntotal_inactive_file 52428800\ntotal_active_file 0\n"}},
            1024 * kMiB - 50 * kMiB, static_cast<std::int64_t>(1024 * kMiB));
        row("v1 without limit says a huge number",
            {{"proc/self/cgroup", "9:memory:/\n"},
             {"proc/self/mountinfo", kV1Mounts},
             {"sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"}},
            4096 * kMiB, -1);
        row("mount point with a space",
            {{"proc/self/cgroup", "0::/\n"},
             {"proc/self/mountinfo", "30 25 0:26 / /my\\040groups rw - cgroup2 cgroup2 rw\n"},
             {"my groups/memory.max", "268435456\n"}},
            256 * kMiB, static_cast<std::int64_t>(256 * kMiB));
        row("garbage",
            {{"proc/self/cgroup", "::::\n\n0\n:\n0::\xff\xfe\n"},
             {"proc/self/mountinfo", " - \n - cgroup2\n1 2 3\n- - - - - - - - -\n"}},
            4096 * kMiB, -1);
    }
    void memory() {
        QFETCH(Tree, tree);
        QFETCH(quint64, total);
        QFETCH(quint64, available);
        QFETCH(qint64, limit);
        QTemporaryDir dir;
        QVERIFY(dir.isValid() && write(dir, tree));
        const hearth::MemoryInfo info =
            hearth::linux_system::read_memory_info(dir.path().toStdString());
        QCOMPARE(quint64{info.total_bytes}, total);
        QCOMPARE(quint64{info.available_bytes}, available);
        QCOMPARE(info.limit_bytes ? static_cast<qint64>(*info.limit_bytes) : -1, limit);
    }

    void memoryUnknown_data() {
        QTest::addColumn<QByteArray>("meminfo");
        QTest::addColumn<quint64>("available");
        QTest::newRow("no such file") << QByteArray() << quint64{0};
        QTest::newRow("no numbers")
            << QByteArray("MemTotal: many kB\nMemAvailable:\n") << quint64{0};
        QTest::newRow("before Linux 3.14")
            << QByteArray("MemTotal: 4096 kB\nMemFree: 1024 kB\nCached: 1024 kB\n")
            << quint64{2 * kMiB};
        QTest::newRow("overflow") << QByteArray("MemAvailable: 18446744073709551615 kB\n")
                                  << quint64{0};
    }
    void memoryUnknown() {
        QFETCH(QByteArray, meminfo);
        QFETCH(quint64, available);
        QTemporaryDir dir;
        QVERIFY(write(dir, {{"proc/meminfo", meminfo}}));
        QCOMPARE(
            quint64{
                hearth::linux_system::read_memory_info(dir.path().toStdString()).available_bytes},
            available);
    }

    void peakRss() {
        QTemporaryDir dir;
        QVERIFY(write(dir, {{"proc/self/status", "VmPeak:\t  900 kB\nVmHWM:\t  512 kB\n"}}));
        QCOMPARE(hearth::linux_system::read_peak_rss_bytes(dir.path().toStdString()),
                 std::uint64_t{512 * 1024});
    }

    void rss() {
        QTemporaryDir dir;
        QVERIFY(write(dir, {{"proc/self/status", "VmHWM:\t  512 kB\nVmRSS:\t  256 kB\n"}}));
        QCOMPARE(hearth::linux_system::read_rss_bytes(dir.path().toStdString()),
                 std::uint64_t{256 * 1024});
        QCOMPARE(hearth::linux_system::read_rss_bytes("nowhere"), std::uint64_t{0});
    }

    void processorTicks_data() {
        QTest::addColumn<QByteArray>("stat");
        QTest::addColumn<qint64>("busy");  // -1: not known
        QTest::addColumn<qint64>("idle");
        QTest::newRow("all") << QByteArray("cpu  1 2 4 8 16 32 64 128 999 999\ncpu0 7 7 7 7\n")
                             << qint64{1 + 2 + 4 + 32 + 64 + 128} << qint64{8 + 16};
        QTest::newRow("old") << QByteArray("cpu 1 2 4 8\n") << qint64{7} << qint64{8};
        QTest::newRow("of one processor")
            << QByteArray("cpu0 1 2 4 8 16\n") << qint64{-1} << qint64{0};
        QTest::newRow("short") << QByteArray("cpu 1 2 4\n") << qint64{-1} << qint64{0};
        QTest::newRow("no numbers") << QByteArray("cpu  a b c d\n") << qint64{-1} << qint64{0};
        QTest::newRow("empty") << QByteArray() << qint64{-1} << qint64{0};
    }
    void processorTicks() {
        QFETCH(const QByteArray, stat);
        QFETCH(const qint64, busy);
        QFETCH(const qint64, idle);
        const QTemporaryDir dir;
        QVERIFY(write(dir, {{"proc/stat", stat}}));
        const auto ticks = hearth::linux_system::read_processor_ticks(dir.path().toStdString());
        QCOMPARE(ticks.has_value(), busy >= 0);
        if (ticks) {
            QCOMPARE(static_cast<qint64>(ticks->busy), busy);
            QCOMPARE(static_cast<qint64>(ticks->idle), idle);
        }
        QVERIFY(!hearth::linux_system::read_processor_ticks("/nowhere"));
    }

    void cpuQuota_data() {
        QTest::addColumn<Tree>("tree");
        QTest::addColumn<double>("quota");  // 0: none
        const Tree v2{{"proc/self/cgroup", "0::/a/b\n"}, {"proc/self/mountinfo", kV2Mount}};
        const Tree v1{{"proc/self/cgroup", "4:cpu,cpuacct:/box\n"},
                      {"proc/self/mountinfo", kV1Mounts}};
        const auto row = [](const char* name, Tree tree, const Tree& extra, double quota) {
            tree.insert(extra);
            QTest::newRow(name) << tree << quota;
        };
        row("v2 max", v2, {{"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"}}, 0);
        row("v2 one and a half", v2, {{"sys/fs/cgroup/a/b/cpu.max", "150000 100000\n"}}, 1.5);
        row("v2 tighter above", v2,
            {{"sys/fs/cgroup/a/b/cpu.max", "800000 100000\n"},
             {"sys/fs/cgroup/a/cpu.max", "200000 100000\n"}},
            2);
        row("v2 wider above", v2,
            {{"sys/fs/cgroup/a/b/cpu.max", "200000 100000\n"},
             {"sys/fs/cgroup/a/cpu.max", "800000 100000\n"}},
            2);
        row("v2 none below", v2,
            {{"sys/fs/cgroup/a/b/cpu.max", "max 100000\n"},
             {"sys/fs/cgroup/cpu.max", "300000 100000\n"}},
            3);
        row("v2 half a line", v2, {{"sys/fs/cgroup/a/b/cpu.max", "150000"}}, 0);
        row("v2 zero period", v2, {{"sys/fs/cgroup/a/b/cpu.max", "150000 0\n"}}, 0);
        row("v1 none", v1,
            {{"sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "-1\n"},
             {"sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"}},
            0);
        row("v1 three", v1,
            {{"sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "300000\n"},
             {"sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n"}},
            3);
    }
    void cpuQuota() {
        QFETCH(Tree, tree);
        QFETCH(double, quota);
        QTemporaryDir dir;
        QVERIFY(write(dir, tree));
        QCOMPARE(hearth::linux_system::read_cpu_quota(dir.path().toStdString()).value_or(0), quota);
    }

    void physicalCores_data() {
        QTest::addColumn<Tree>("tree");
        QTest::addColumn<QList<int>>("allowed");
        QTest::addColumn<int>("cores");
        const QString cpu = "sys/devices/system/cpu/cpu%1/topology/%2";
        Tree smt;
        Tree old;
        for (int i = 0; i < 8; ++i) {
            const QByteArray list =
                QByteArray::number(i % 4) + "," + QByteArray::number(i % 4 + 4) + "\n";
            smt[cpu.arg(i).arg("core_cpus_list")] = list;
            old[cpu.arg(i).arg("thread_siblings_list")] = list;
        }
        QTest::newRow("four cores, eight threads")
            << smt << QList<int>{0, 1, 2, 3, 4, 5, 6, 7} << 4;
        QTest::newRow("old name") << old << QList<int>{0, 1, 2, 3, 4, 5, 6, 7} << 4;
        QTest::newRow("both threads of one core") << smt << QList<int>{1, 5} << 1;
        QTest::newRow("one thread of two cores") << smt << QList<int>{1, 6} << 2;
        QTest::newRow("topology unknown") << Tree{} << QList<int>{0, 1, 2} << 3;
        QTest::newRow("none allowed") << smt << QList<int>{} << 0;
    }
    void physicalCores() {
        QFETCH(Tree, tree);
        QFETCH(QList<int>, allowed);
        QTemporaryDir dir;
        QVERIFY(write(dir, tree));
        QTEST(hearth::linux_system::count_physical_cores(
                  dir.path().toStdString(),
                  std::span<const int>(allowed.data(), static_cast<std::size_t>(allowed.size()))),
              "cores");
    }

    void cacheBytes_data() {
        QTest::addColumn<Tree>("tree");
        QTest::addColumn<QList<int>>("allowed");
        QTest::addColumn<qulonglong>("bytes");
        const auto cache = [](Tree& tree, int cpu, int index, const char* level, const char* size,
                              const char* sharers) {
            const QString folder =
                QStringLiteral("sys/devices/system/cpu/cpu%1/cache/index%2/").arg(cpu).arg(index);
            tree[folder + "level"] = level;
            tree[folder + "size"] = size;
            tree[folder + "shared_cpu_list"] = sharers;
        };
        Tree halves;  // two processors share each of two last caches
        for (int cpu = 0; cpu < 4; ++cpu) {
            cache(halves, cpu, 0, "1\n", "32K\n", "0\n");
            cache(halves, cpu, 1, "3\n", "32768K\n", cpu < 2 ? "0-1\n" : "2-3\n");
            cache(halves, cpu, 2, "2\n", "1024K\n", "0\n");
        }
        Tree alone;  // nothing says who shares them
        cache(alone, 0, 0, "2\n", "512K\n", "");
        cache(alone, 1, 0, "2\n", "512K\n", "");
        Tree sizeless;
        cache(sizeless, 0, 0, "3\n", "", "0\n");
        constexpr qulonglong kMiB = 1 << 20;
        QTest::newRow("two last caches") << halves << QList<int>{0, 1, 2, 3} << 64 * kMiB;
        QTest::newRow("one of them is allowed") << halves << QList<int>{2, 3} << 32 * kMiB;
        QTest::newRow("each its own") << alone << QList<int>{0, 1} << kMiB;
        QTest::newRow("no size") << sizeless << QList<int>{0} << qulonglong{0};
        QTest::newRow("nothing is known") << Tree{} << QList<int>{0, 1} << qulonglong{0};
    }
    void cacheBytes() {
        QFETCH(Tree, tree);
        QFETCH(QList<int>, allowed);
        QTemporaryDir dir;
        QVERIFY(write(dir, tree));
        QTEST(static_cast<qulonglong>(hearth::linux_system::read_cache_bytes(
                  dir.path().toStdString(),
                  std::span<const int>(allowed.data(), static_cast<std::size_t>(allowed.size())))),
              "bytes");
    }

    void performanceCpus_data() {
        QTest::addColumn<Tree>("tree");
        QTest::addColumn<QList<int>>("allowed");
        QTest::addColumn<QList<int>>("fast");
        const QList<int> all{0, 1, 2, 3, 4, 5, 6, 7};
        const QString capacity = "sys/devices/system/cpu/cpu%1/cpu_capacity";
        Tree phone;  // four little, three big, one bigger
        for (int i = 0; i < 8; ++i) {
            phone[capacity.arg(i)] = i < 4 ? "250\n" : i < 7 ? "860\n" : "1024\n";
        }
        Tree board = phone;  // little cores alone count among themselves
        const Tree laptop{{"sys/devices/cpu_core/cpus", "0-3\n"},
                          {"sys/devices/cpu_atom/cpus", "4-7\n"}};
        QTest::newRow("capacities") << phone << all << QList<int>{4, 5, 6, 7};
        QTest::newRow("little ones only") << board << QList<int>{0, 1, 3} << QList<int>{0, 1, 3};
        QTest::newRow("performance cores") << laptop << all << QList<int>{0, 1, 2, 3};
        QTest::newRow("some of each") << laptop << QList<int>{3, 4, 5} << QList<int>{3};
        QTest::newRow("efficiency cores only") << laptop << QList<int>{4, 5} << QList<int>{4, 5};
        QTest::newRow("a list with gaps")
            << Tree{{"sys/devices/cpu_core/cpus", "0,2-3,7\n"}} << all << QList<int>{0, 2, 3, 7};
        QTest::newRow("nonsense") << Tree{{"sys/devices/cpu_core/cpus", "a-b,,9-1,-\n"}} << all
                                  << all;
        QTest::newRow("capacities all alike")
            << Tree{{capacity.arg(0), "1024\n"}, {capacity.arg(1), "1024\n"}} << QList<int>{0, 1}
            << QList<int>{0, 1};
        QTest::newRow("nothing known") << Tree{} << all << all;
        QTest::newRow("none allowed") << laptop << QList<int>{} << QList<int>{};
    }
    void performanceCpus() {
        QFETCH(Tree, tree);
        QFETCH(QList<int>, allowed);
        QFETCH(QList<int>, fast);
        QTemporaryDir dir;
        QVERIFY(write(dir, tree));
        const std::vector<int> found = hearth::linux_system::performance_cpus(
            dir.path().toStdString(),
            std::span<const int>(allowed.data(), static_cast<std::size_t>(allowed.size())));
        QCOMPARE(QList<int>(found.begin(), found.end()), fast);
    }

    void cpuName_data() {
        QTest::addColumn<Tree>("tree");
        QTest::addColumn<QByteArray>("name");
        QTest::newRow("x86") << Tree{{"proc/cpuinfo",
                                      "processor\t: 0\nmodel\t\t: 17\n"
                                      "model name\t: Fast CPU 9 \n"}}
                             << QByteArray("Fast CPU 9");
        QTest::newRow("board") << Tree{{"proc/cpuinfo", "processor\t: 0\nBogoMIPS\t: 50.0\n"},
                                       {"sys/firmware/devicetree/base/model",
                                        QByteArray("Small Board 5\0", 14)}}
                               << QByteArray("Small Board 5");
        QTest::newRow("nothing") << Tree{} << QByteArray();
    }
    void cpuName() {
        QFETCH(Tree, tree);
        QFETCH(QByteArray, name);
        QTemporaryDir dir;
        QVERIFY(write(dir, tree));
        QCOMPARE(QByteArray::fromStdString(
                     hearth::linux_system::read_cpu_name(dir.path().toStdString())),
                 name);
    }
};

QTEST_GUILESS_MAIN(LinuxSystemTest)
#include "linux_system_test.moc"
