// A model larger than its budget of RAM, judged by the kernel's own counters: what it holds, what
// the page cache holds for it, what it reads.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <vector>

#include "cli_process.h"
#include "large_model.h"
#include "support/memory_cgroup.h"

#ifdef Q_OS_LINUX
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/vfs.h>
#include <unistd.h>
#endif

using hearth::DType;
using hearth::test::cli_path;
using hearth::test::CliResult;
using hearth::test::large_model;
using hearth::test::MemoryCgroup;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kBudget = 200 * kMiB;
// The kernel counts more than the budget: pages of the program and its libraries, where nobody else
// has read them (20 MiB), page tables, stacks.
constexpr std::uint64_t kLimit = kBudget + 32 * kMiB;
constexpr std::uint64_t kMostFile = 32 * kMiB;

struct Seen {
    CliResult result;
    std::uint64_t read_bytes = 0;  // by the kernel's count, from start to end
    std::uint64_t peak_bytes = 0;
    std::uint64_t most_anonymous = 0, most_file = 0, most_swapped = 0;
};

#ifdef Q_OS_LINUX

// Bytes that all awaited child processes have read: the sum of read_bytes of their /proc/PID/io
// when they ended.
std::uint64_t read_by_children() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<std::uint64_t>(usage.ru_inblock) * 512;
}

Seen run_in(const MemoryCgroup& group, const QStringList& arguments) {
    Seen seen;
    const std::uint64_t before = read_by_children();
    QProcess process;
    process.setChildProcessModifier([&group] {
        if (!group.enter()) {
            _exit(71);
        }
    });
    process.start(cli_path(), arguments);
    process.waitForStarted();
    QElapsedTimer timer;
    timer.start();
    while (!process.waitForFinished(5) && timer.elapsed() < 120'000) {
        seen.most_anonymous = std::max(seen.most_anonymous, group.anonymous_bytes());
        seen.most_file = std::max(seen.most_file, group.file_bytes());
        seen.most_swapped = std::max(seen.most_swapped, group.swapped_bytes());
    }
    const bool ended = process.state() == QProcess::NotRunning;
    if (!ended) {
        process.kill();
        process.waitForFinished();
    }
    seen.result.out = process.readAllStandardOutput();
    seen.result.err = process.readAllStandardError();
    if (ended && process.exitStatus() == QProcess::NormalExit) {
        seen.result.status = process.exitCode();
    }
    seen.peak_bytes = group.peak_bytes();
    seen.read_bytes = read_by_children() - before;
    return seen;
}

bool is_on_disk(const QString& path) {
    const int file = open(qPrintable(path), O_RDONLY | O_DIRECT | O_CLOEXEC);
    struct statfs system {};
    const bool direct = file >= 0 && fstatfs(file, &system) == 0 && system.f_type != TMPFS_MAGIC;
    close(file);
    return direct;
}

// Else its pages, which this process has written, would serve whoever reads through the page cache.
bool drop_from_page_cache(const QString& path) {
    const int file = open(qPrintable(path), O_RDONLY | O_CLOEXEC);
    const bool dropped =
        file >= 0 && fsync(file) == 0 && posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0;
    close(file);
    return dropped;
}

#else

Seen run_in(const MemoryCgroup&, const QStringList&) {
    return {};
}
bool is_on_disk(const QString&) {
    return true;
}
bool drop_from_page_cache(const QString&) {
    return true;
}

#endif

QByteArray figures(const Seen& seen) {
    const auto mib = [](std::uint64_t bytes) {
        return QByteArray::number(static_cast<double>(bytes) / static_cast<double>(kMiB), 'f', 1);
    };
    return "MiB: limit " + mib(kLimit) + ", peak " + mib(seen.peak_bytes) + ", anonymous " +
           mib(seen.most_anonymous) + ", file " + mib(seen.most_file) + ", read " +
           mib(seen.read_bytes) + "\n" + seen.result.text();
}

// As the engine's store counts them.
double flash_bytes(const Seen& seen) {
    return seen.result.json()["flash"].toObject()["read_bytes"].toDouble();
}

}  // namespace

class CgroupTest : public QObject {
    Q_OBJECT

private slots:
    void aModelLargerThanItsBudget() {
        const auto group = MemoryCgroup::create(kLimit);
        if (group == nullptr) {
            QSKIP("no memory cgroup: making one needs root and Linux");
        }
        const QTemporaryDir dir;
        const QString model = dir.filePath("model.gguf");
        QVERIFY(large_model(DType::Q4_0, 8).write(model.toStdString()));
        QVERIFY(static_cast<std::uint64_t>(QFileInfo(model).size()) > kLimit + 50 * kMiB);
        if (!is_on_disk(model)) {
            QSKIP("the temporary folder is not on a disk");
        }

        // A forecast measures the disk, and reads as much of it as it can.
        const CliResult measured = hearth::test::run_cli({"devices", "-m", model, "--json"});
        QVERIFY2(measured.status == 0, measured.text());
        QVERIFY(measured.json()["disks"].toArray().size() > 0);

        // Two runs that differ in what they decode: what else is read is the same in both. Most of
        // the context is filled by a prompt, so that what the ledger counts was touched.
        std::vector<Seen> runs;
        for (const char* tokens : {"2", "12"}) {
            QVERIFY(drop_from_page_cache(model));
            const QStringList settings{"-t",    "2",    "--ctx", "256",
                                       "--gpu", "none", "--ram", QString::number(kBudget),
                                       "--json"};
            runs.push_back(run_in(*group, QStringList{"bench", "-m", model, "-p", "0", "-d", "200",
                                                      "-n", tokens, "-r", "1", "--temp", "0"} +
                                              settings));
            const Seen& seen = runs.back();
            const QByteArray text = figures(seen);
            QVERIFY2(seen.result.status == 0, text);
            QVERIFY2(seen.peak_bytes < kLimit, text);
            QVERIFY2(seen.most_file < kMostFile, text);
            QVERIFY2(seen.most_swapped == 0, text);
            // At this size what is not in the ledger (heap, stacks) is about as much as what of
            // the ledger was not touched (the rest of the context): 0.7 % were seen.
            const double ledger =
                seen.result.json()["memory"].toObject()["ledger_bytes"].toDouble();
            QVERIFY2(ledger > 0 && ledger <= static_cast<double>(kBudget), text);
            QVERIFY2(std::abs(static_cast<double>(seen.most_anonymous) / ledger - 1) < 0.02, text);
        }
        const double kernels = static_cast<double>(runs[1].read_bytes - runs[0].read_bytes);
        const double counted = flash_bytes(runs[1]) - flash_bytes(runs[0]);
        const QByteArray text = figures(runs[0]) + figures(runs[1]);
        QVERIFY2(counted > 3e9, text);
        QVERIFY2(std::abs(kernels / counted - 1) < 0.01, text);
    }
};

QTEST_GUILESS_MAIN(CgroupTest)
#include "cgroup_test.moc"
