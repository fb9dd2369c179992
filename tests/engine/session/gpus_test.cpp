// Devices that are not there, tried by a program that behaves as their drivers would.
#include "session/gpus.h"

#include <QtTest>

#include <hearth/engine.h>

#include "hardware/gpu_list.h"
#include "hardware/gpu_probe_file.h"

using namespace hearth;
using namespace std::chrono_literals;

namespace {

GpuInfo gpu(int index, GpuKind kind = GpuKind::Discrete) {
    GpuInfo info;
    info.index = index;
    info.name = "GPU " + std::to_string(index);
    info.kind = kind;
    info.uuid.fill(static_cast<std::uint8_t>(0x10 + index));
    info.heaps.push_back({std::uint64_t{8} << 30, std::uint64_t{8} << 30, true});
    return info;
}

GpuProbe ok(const GpuInfo& of) {
    GpuProbe probe;
    probe.uuid = of.uuid;
    probe.verdict = GpuVerdict::Ok;
    probe.speeds = {500, 20, 19, 15, 4000};
    return probe;
}

GpuProbe failed(const GpuInfo& of, const char* reason) {
    GpuProbe probe;
    probe.uuid = of.uuid;
    probe.verdict = GpuVerdict::Failed;
    probe.reason = reason;
    return probe;
}

void behave(const char* how, const std::string& answer = {}) {
    qputenv("HEARTH_FAKE_TRIAL", how);
    qputenv("HEARTH_FAKE_ANSWER", QByteArray::fromStdString(answer));
}

void list(const char* how, const std::string& text = {}) {
    qputenv("HEARTH_FAKE_LISTING", how);
    qputenv("HEARTH_FAKE_LIST", QByteArray::fromStdString(text));
}

KnownGpus listed(std::initializer_list<GpuInfo> gpus) {
    KnownGpus known;
    known.gpus = gpus;
    known.probes.resize(gpus.size());
    return known;
}

}  // namespace

class GpusTest : public QObject {
    Q_OBJECT

private slots:
    void init() { list(""); }

    void verdicts_data() {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("verdict");
        QTest::addColumn<QByteArray>("reason");
        const auto row = [](const char* name, const char* how, const std::string& answer,
                            GpuVerdict verdict, const char* reason) {
            QTest::newRow(name) << QByteArray(how) << QByteArray::fromStdString(answer)
                                << static_cast<int>(verdict) << QByteArray(reason);
        };
        const auto text = [](const GpuProbe& probe, std::string_view by = version()) {
            return format_gpu_probes({probe}, by);
        };
        row("right", "text", "a driver's remark\n" + text(ok(gpu(3))), GpuVerdict::Ok, "");
        row("wrong", "text", text(failed(gpu(3), "it computes wrong: Q4_0 times a vector")),
            GpuVerdict::Failed, "it computes wrong: Q4_0 times a vector");
        row("crash", "crash", "", GpuVerdict::Failed, "its driver crashed when it was tried (");
        row("crash at the end", "crash after the answer", text(ok(gpu(3))), GpuVerdict::Failed,
            "its driver crashed when it was tried (");
        row("exit", "exit", "", GpuVerdict::Failed,
            "its trial ended without an answer (exit status 3)");
        row("nothing", "text", "", GpuVerdict::Failed,
            "its trial ended without an answer (exit status 0)");
        row("nonsense", "text", "hearth gpus 3\nok\nend\n", GpuVerdict::Failed,
            "its trial ended without an answer");
        row("two answers", "text", format_gpu_probes({ok(gpu(3)), ok(gpu(4))}, version()),
            GpuVerdict::Failed, "its trial ended without an answer");
        row("another version", "text", text(ok(gpu(3)), "0.0.0"), GpuVerdict::Failed,
            "its trial ended without an answer");
        row("another device", "text", text(ok(gpu(4))), GpuVerdict::Unprobed,
            "it could not be tried: drivers list another device in its place");
    }
    void verdicts() {
        QFETCH(QByteArray, how);
        QFETCH(QByteArray, answer);
        QFETCH(int, verdict);
        QFETCH(QByteArray, reason);
        behave(how.constData(), answer.toStdString());
        const GpuProbe probe = try_gpu(gpu(3), {HEARTH_FAKE_GPU_TRIAL, {}, 60s});
        QCOMPARE(static_cast<int>(probe.verdict), verdict);
        QVERIFY2(QByteArray::fromStdString(probe.reason).startsWith(reason), probe.reason.c_str());
        QCOMPARE(probe.reason.empty(), reason.isEmpty());
        QVERIFY(probe.uuid == gpu(3).uuid);
        QCOMPARE(probe.speeds.read_gb_per_s, probe.verdict == GpuVerdict::Ok ? 500.0 : 0.0);
    }

    void hang() {
        behave("hang");
        const GpuProbe probe = try_gpu(gpu(3), {HEARTH_FAKE_GPU_TRIAL, {}, 1s});
        QCOMPARE(probe.verdict, GpuVerdict::Failed);
        QCOMPARE(probe.reason.c_str(), "it did not answer within 1 second when it was tried");
    }

    // A busy machine may be the reason: three starts, each with twice the time of the one before.
    void aTimeoutIsTriedAgain() {
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 200ms};
        behave("hang");
        const auto start = [&] {
            list("text", format_gpu_list({{gpu(0)}, {}}));
            auto known = find_gpus({trials.program, trials.cache_folder, 60s});
            if (!known || known->gpus.size() != 1) {
                return KnownGpus();
            }
            const auto selection = choose_gpu(*known, "auto", trials);
            return selection && selection->chosen == -1 ? *known : KnownGpus();
        };
        for (const int timeouts : {1, 2, 3, 3, 3}) {
            const KnownGpus known = start();
            QCOMPARE(known.probes.size(), std::size_t{1});
            QCOMPARE(known.probes[0].verdict, GpuVerdict::Failed);
            QCOMPARE(known.probes[0].timeouts, timeouts);
        }
        behave("crash");  // would be another reason, if it was tried a fourth time
        QVERIFY(start().probes[0].reason.starts_with("it did not answer within"));
    }

    void aSecondTrialMayGoWell() {
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 60s};
        GpuProbe late = failed(gpu(1), "it did not answer within 5 seconds when it was tried");
        late.timeouts = 1;
        QVERIFY(keep_gpu_probe(trials.cache_folder, version(), late));
        list("text", format_gpu_list({{gpu(0), gpu(1)}, {}}));
        behave("text", format_gpu_probes({ok(gpu(1))}, version()));
        auto known = find_gpus(trials);
        QVERIFY(known);
        // Named; "auto" would take the first, of which nothing is known.
        QCOMPARE(choose_gpu(*known, "1", trials)->chosen, 1);
        QCOMPARE(known->probes[1].verdict, GpuVerdict::Ok);
        QCOMPARE(find_gpus(trials)->probes[1].timeouts, 0);
    }

    void timeDoubles() {
        behave("hang");
        for (const int timeouts : {0, 1, 2}) {
            GpuProbe before = failed(gpu(3), "late");
            before.timeouts = timeouts;
            const GpuProbe probe = try_gpu(gpu(3), {HEARTH_FAKE_GPU_TRIAL, {}, 250ms}, before);
            QCOMPARE(probe.reason.c_str(),
                     timeouts < 2 ? "it did not answer within 0 seconds when it was tried"
                                  : "it did not answer within 1 second when it was tried");
            QCOMPARE(probe.timeouts, timeouts + 1);
        }
    }

    // The drivers are asked by a process of their own, and not again before they change.
    void listsInAChild() {
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 60s};
        list("text", "a driver's remark\n" + format_gpu_list({{gpu(0), gpu(1)}, {}}));
        const auto known = find_gpus(trials);
        QVERIFY(known);
        QCOMPARE(known->gpus.size(), std::size_t{2});
        QCOMPARE(known->gpus[1].name.c_str(), "GPU 1");
        list("crash");
        QCOMPARE(find_gpus(trials)->gpus.size(), std::size_t{2});
        const auto anew = find_gpus(trials, Listing::Anew);
        QVERIFY(anew && anew->gpus.empty());
        QVERIFY2(anew->none.starts_with("a driver crashed when it was to list its devices ("),
                 anew->none.c_str());
        list("text", format_gpu_list({{gpu(0), gpu(1), gpu(2)}, {}}));
        QCOMPARE(find_gpus(trials)->gpus.size(), std::size_t{3});  // what failed is asked again
        list("text", format_gpu_list({{gpu(0)}, {}}));
        QCOMPARE(find_gpus(trials)->gpus.size(), std::size_t{3});  // until the drivers change
        qputenv("VK_DRIVER_FILES", "/another/driver.json");
        QCOMPARE(find_gpus(trials)->gpus.size(), std::size_t{1});
        qunsetenv("VK_DRIVER_FILES");
    }

    void listsThatAreNone_data() {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("none");
        QTest::newRow("crash") << QByteArray("crash") << QByteArray()
                               << QByteArray("a driver crashed when it was to list its devices (");
        QTest::newRow("exit") << QByteArray("exit") << QByteArray()
                              << QByteArray(
                                     "the drivers' devices could not be listed (exit status 3)");
        QTest::newRow("nonsense") << QByteArray("text")
                                  << QByteArray("hearth gpu list 1\ngpu\nend\n")
                                  << QByteArray("the drivers' devices could not be listed");
        QTest::newRow("no driver")
            << QByteArray("text")
            << QByteArray::fromStdString(format_gpu_list({{}, "this system has no Vulkan driver"}))
            << QByteArray("this system has no Vulkan driver");
    }
    void listsThatAreNone() {
        QFETCH(QByteArray, how);
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, none);
        list(how.constData(), text.toStdString());
        const auto known = find_gpus({HEARTH_FAKE_GPU_TRIAL, {}, 60s});
        QVERIFY(known && known->gpus.empty() && known->probes.empty());
        QVERIFY2(QByteArray::fromStdString(known->none).startsWith(none), known->none.c_str());
    }

    // A program that does not know the question: what it says is not kept.
    void noAnswerIsNotKept() {
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 60s};
        list("exit");
        QVERIFY(find_gpus(trials)->gpus.empty());
        QVERIFY(QDir(cache.path()).isEmpty());
        list("text", format_gpu_list({{gpu(0)}, {}}));
        QCOMPARE(find_gpus(trials)->gpus.size(), std::size_t{1});
    }

    void aListingThatFailsIsAskedForThreeTimes_data() {
        QTest::addColumn<QByteArray>("how");
        QTest::newRow("hang") << QByteArray("hang");
        QTest::newRow("crash") << QByteArray("crash");
    }
    void aListingThatFailsIsAskedForThreeTimes() {
        QFETCH(QByteArray, how);
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(),
                               how == "hang" ? 200ms : 60s};
        list(how.constData());
        for (int start = 0; start < 3; ++start) {
            QVERIFY(!find_gpus(trials)->none.empty());
        }
        list("text", format_gpu_list({{gpu(0)}, {}}));
        QVERIFY(find_gpus(trials)->gpus.empty());
        const GpuTrials patient{trials.program, trials.cache_folder, 60s};
        QCOMPARE(find_gpus(patient, Listing::Anew)->gpus.size(), std::size_t{1});
        QCOMPARE(find_gpus(patient)->gpus.size(), std::size_t{1});
    }

    // One that crashes or hangs does not hide the devices of the others, of which each is tried
    // without it. It is asked again at three starts.
    void aDriverThatFailsIsLeftOut_data() {
        QTest::addColumn<QByteArray>("how");
        QTest::addColumn<QByteArray>("why");
        QTest::newRow("crash") << QByteArray("crash on bad")
                               << QByteArray(
                                      " is left out: it crashed when it was to list its "
                                      "devices (");
        QTest::newRow("hang") << QByteArray("hang on bad")
                              << QByteArray(
                                     " is left out: it did not list its devices within 1 "
                                     "second");
    }
    void aDriverThatFailsIsLeftOut() {
        QFETCH(QByteArray, how);
        QFETCH(QByteArray, why);
        const QTemporaryDir folder;
        QByteArray files;
        for (const char* name : {"one.json", "bad.json", "two.json"}) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{}") == 2);
            files += (files.isEmpty() ? "" : ":") + file.fileName().toLocal8Bit();
        }
        qputenv("VK_DRIVER_FILES", files);
        const auto restore = qScopeGuard([] { qunsetenv("VK_DRIVER_FILES"); });
        const std::string good = folder.filePath("one.json").toStdString() + ":" +
                                 folder.filePath("two.json").toStdString();
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(),
                               how.startsWith("hang") ? 1s : 60s};
        list(how.constData(), format_gpu_list({{gpu(0), gpu(1)}, {}}));
        behave("crash on bad", format_gpu_probes({ok(gpu(1))}, version()));
        for (int start = 0; start < 4; ++start) {
            auto known = find_gpus({trials.program, trials.cache_folder, start == 0 ? 1s : 60s});
            QVERIFY(known && known->none.empty());
            QCOMPARE(known->gpus.size(), std::size_t{2});
            QCOMPARE(known->drivers, good);
            QVERIFY2(
                known->left_out.starts_with(
                    "the driver " + folder.filePath("bad.json").toStdString() + why.toStdString()),
                known->left_out.c_str());
            try_and_keep(*known, 1, trials);
            QCOMPARE(known->probes[1].verdict, GpuVerdict::Ok);
            if (how.startsWith("hang")) {
                break;  // each start waits twice as long
            }
        }
        // A driver that is well again is heard as soon as lists are made anew.
        list("text", format_gpu_list({{gpu(0), gpu(1), gpu(2)}, {}}));
        const auto known = find_gpus(trials, Listing::Anew);
        QVERIFY(known && known->drivers.empty() && known->left_out.empty());
        QCOMPARE(known->gpus.size(), std::size_t{3});
    }

    // A driver that was left out is asked again at the next start, with the others: it may be well.
    void aDriverThatWasLeftOutComesBack() {
        const QTemporaryDir folder;
        QByteArray files;
        for (const char* name : {"one.json", "bad.json"}) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{}") == 2);
            files += (files.isEmpty() ? "" : ":") + file.fileName().toLocal8Bit();
        }
        qputenv("VK_DRIVER_FILES", files);
        const auto restore = qScopeGuard([] { qunsetenv("VK_DRIVER_FILES"); });
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 60s};
        list("crash on bad", format_gpu_list({{gpu(0)}, {}}));
        const auto without = find_gpus(trials);
        QVERIFY(without && !without->left_out.empty());
        QCOMPARE(without->gpus.size(), std::size_t{1});
        list("text", format_gpu_list({{gpu(0), gpu(1)}, {}}));
        const auto all = find_gpus(trials);
        QVERIFY(all && all->left_out.empty() && all->drivers.empty());
        QCOMPARE(all->gpus.size(), std::size_t{2});
    }

    // A verdict on a driver with parts left out says nothing of the whole one, nor the other way.
    void verdictsAreOfTheirRestrictions() {
        const QTemporaryDir cache;
        GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 60s};
        list("text", format_gpu_list({{gpu(0)}, {}}));
        GpuProbe lesser = failed(gpu(0), "it computes wrong");
        lesser.without = "subgroups";
        QVERIFY(keep_gpu_probe(trials.cache_folder, version(), lesser));
        QCOMPARE(find_gpus(trials)->probes[0].verdict, GpuVerdict::Unprobed);
        QVERIFY(keep_gpu_probe(trials.cache_folder, version(), ok(gpu(0))));
        QCOMPARE(find_gpus(trials)->probes[0].verdict, GpuVerdict::Ok);
        trials.environment.vulkan_without = "subgroups";
        QCOMPARE(find_gpus(trials)->probes[0].verdict, GpuVerdict::Failed);
    }

    // The user's patience counts, however long the program's own is.
    void patienceIsTheUsers() {
        behave("hang");
        GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, {}, 60s};
        trials.environment.gpu_trial = 1s;
        const GpuProbe probe = try_gpu(gpu(3), trials);
        QCOMPARE(probe.reason.c_str(), "it did not answer within 1 second when it was tried");
    }

    // Without a program drivers are left alone, unless a GPU was named.
    void driversAreLeftAlone() {
        const auto known = find_gpus({});
        QVERIFY(known && known->gpus.empty());
        QVERIFY2(known->none.starts_with("drivers are asked by another process"),
                 known->none.c_str());
    }

    // That says nothing about the device, and is not kept.
    void cannotBeTried() {
        const QTemporaryDir cache;
        KnownGpus known = listed({gpu(0)});
        try_and_keep(known, 0, {HEARTH_FAKE_GPU_TRIAL "-is-not-there", cache.path().toStdString()});
        QCOMPARE(known.probes[0].verdict, GpuVerdict::Unprobed);
        QVERIFY2(known.probes[0].reason.starts_with("it could not be tried: "),
                 known.probes[0].reason.c_str());
        try_and_keep(known, 0, {"", cache.path().toStdString()});
        QCOMPARE(known.probes[0].verdict, GpuVerdict::Unprobed);
        QVERIFY(QDir(cache.path()).isEmpty());
    }

    void triesTheOneItTakes() {
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 60s};
        behave("text", format_gpu_probes({ok(gpu(1))}, version()));
        KnownGpus known = listed({gpu(0, GpuKind::Integrated), gpu(1)});
        const auto selection = choose_gpu(known, "auto", trials);
        QVERIFY(selection);
        QCOMPARE(selection->chosen, 1);
        QCOMPARE(known.probes[1].speeds.round_trip_us, 15.0);
        QCOMPARE(known.probes[0].verdict, GpuVerdict::Unprobed);  // left alone
        QCOMPARE(read_gpu_probes(trials.cache_folder, version()).size(), std::size_t{1});
        // What is known is not tried again: now it would crash.
        behave("crash");
        QCOMPARE(choose_gpu(known, "auto", trials)->chosen, 1);
        QCOMPARE(choose_gpu(known, "none", trials)->chosen, -1);
    }

    void goesOnToTheNext() {
        const QTemporaryDir cache;
        const GpuTrials trials{HEARTH_FAKE_GPU_TRIAL, cache.path().toStdString(), 60s};
        behave("crash on 0", format_gpu_probes({ok(gpu(1))}, version()));
        KnownGpus known = listed({gpu(0), gpu(1, GpuKind::Integrated), gpu(2, GpuKind::Cpu)});
        const auto selection = choose_gpu(known, "auto", trials);
        QVERIFY(selection);
        QCOMPARE(selection->chosen, 1);
        QVERIFY(selection->left_out[0].starts_with("its driver crashed"));
        QCOMPARE(read_gpu_probes(trials.cache_folder, version()).size(), std::size_t{2});
        // Named, a bad one is taken as it is.
        QCOMPARE(choose_gpu(known, "0", trials)->chosen, 0);
        QCOMPARE(known.probes[2].verdict, GpuVerdict::Unprobed);
    }

    void noneIsLeft() {
        behave("crash");
        KnownGpus known = listed({gpu(0), gpu(1)});
        const auto selection = choose_gpu(known, "auto", {HEARTH_FAKE_GPU_TRIAL, {}, 60s});
        QVERIFY(selection);
        QCOMPARE(selection->chosen, -1);
        QVERIFY(!choose_gpu(known, "7", {}));
    }

    // Without a program to try them with, the best is taken untried.
    void untried() {
        KnownGpus known = listed({gpu(0, GpuKind::Integrated), gpu(1)});
        QCOMPARE(choose_gpu(known, "auto", {})->chosen, 1);
        QCOMPARE(known.probes[1].verdict, GpuVerdict::Unprobed);
        const auto selection =
            choose_gpu(known, "auto", {HEARTH_FAKE_GPU_TRIAL "-is-not-there", {}, 60s});
        QCOMPARE(selection->chosen, 1);
    }

    void processorsOnlyOnRequest() {
        KnownGpus known = listed({gpu(0, GpuKind::Cpu)});
        QCOMPARE(choose_gpu(known, "auto", {})->chosen, -1);
        QCOMPARE(choose_gpu(known, "auto", {.environment = {.cpu_counts_as_gpu = true}})->chosen,
                 0);
    }

    void restrictionsThatMakeNoSense() {
        const auto known = find_gpus({.environment = {.vulkan_without = "wings"}});
        QVERIFY(!known);
        QCOMPARE(known.error().code, ErrorCode::InvalidArgument);
    }
};

QTEST_GUILESS_MAIN(GpusTest)
#include "gpus_test.moc"
