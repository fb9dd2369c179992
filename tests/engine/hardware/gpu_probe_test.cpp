#include "hardware/gpu_probe.h"

#include <QtTest>

#include "hardware/gpu_probe_file.h"

using namespace hearth;

namespace {

constexpr const char* kVersion = "1.2.3";

GpuProbe good() {
    GpuProbe probe;
    probe.uuid = {0x00, 0x11, 0xAB, 0xFF, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0xE0};
    probe.verdict = GpuVerdict::Ok;
    probe.speeds = {3912.5, 51.25, 49.125, 11.75, 81920.5, 5.25};
    return probe;
}

GpuProbe bad() {
    GpuProbe probe;
    probe.uuid.fill(0x5A);
    probe.without = "integer-dot,subgroups";
    probe.verdict = GpuVerdict::Failed;
    probe.reason = "its driver crashed (signal 11) when it was tried";
    return probe;
}

bool equal(const GpuProbe& a, const GpuProbe& b) {
    return a.uuid == b.uuid && a.without == b.without && a.verdict == b.verdict &&
           a.reason == b.reason && a.speeds.read_gb_per_s == b.speeds.read_gb_per_s &&
           a.speeds.to_gpu_gb_per_s == b.speeds.to_gpu_gb_per_s &&
           a.speeds.from_gpu_gb_per_s == b.speeds.from_gpu_gb_per_s &&
           a.speeds.round_trip_us == b.speeds.round_trip_us &&
           a.speeds.gflop_per_s == b.speeds.gflop_per_s && a.speeds.step_us == b.speeds.step_us;
}

void write(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
}

}  // namespace

class GpuProbeTest : public QObject {
    Q_OBJECT

private slots:
    void thereAndBack() {
        const std::string text = format_gpu_probes({good(), bad(), GpuProbe()}, kVersion);
        QCOMPARE(text.c_str(),
                 "hearth gpus 3\n"
                 "1.2.3 0011abff0102030405060708090a0be0 - ok 3912.500 51.250 49.125 11.750 "
                 "81920.500 5.250\n"
                 "1.2.3 5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a integer-dot,subgroups failed its driver "
                 "crashed (signal 11) when it was tried\n"
                 "end\n");
        const auto probes = parse_gpu_probes(text, kVersion);
        QVERIFY(probes && probes->size() == 2);  // what was not tried is not kept
        QVERIFY(equal((*probes)[0], good()));
        QVERIFY(equal((*probes)[1], bad()));
    }

    void timeouts() {
        GpuProbe late = bad();
        late.timeouts = 2;
        const std::string text = format_gpu_probes({late}, kVersion);
        QVERIFY2(text.find(" late 2 its driver") != std::string::npos, text.c_str());
        const auto probes = parse_gpu_probes(text, kVersion);
        QVERIFY(probes && probes->size() == 1);
        QVERIFY(equal((*probes)[0], late));
        QCOMPARE((*probes)[0].timeouts, 2);
        QVERIFY(may_try_again(late));
        late.timeouts = kTrialStarts;
        QVERIFY(!may_try_again(late));
        QVERIFY(!may_try_again(bad()) && !may_try_again(good()));
    }

    void noise() {
        const std::string text = "MESA: warning\nhearth gpus 3\ncut off\nvendor: " +
                                 format_gpu_probes({good()}, kVersion) + "bye";
        const auto probes = parse_gpu_probes(text, kVersion);
        QVERIFY(probes && probes->size() == 1);
        QVERIFY(equal((*probes)[0], good()));
    }

    void otherVersions() {
        const auto probes = parse_gpu_probes(format_gpu_probes({good()}, "1.2.2"), kVersion);
        QVERIFY(probes && probes->empty());
    }

    void reasonsStayOnALine() {
        GpuProbe probe = bad();
        probe.reason = "it said \"a\nend\n\x1b[0m\" " + std::string(1000, 'x');
        const auto probes = parse_gpu_probes(format_gpu_probes({probe}, kVersion), kVersion);
        QVERIFY(probes && probes->size() == 1);
        QVERIFY((*probes)[0].reason.starts_with("it said \"a end  [0m\" xxx"));
        QCOMPARE((*probes)[0].reason.size(), std::size_t{300});
    }

    void speedsThatAreNoNumbers() {
        GpuProbe probe = good();
        probe.speeds = {std::numeric_limits<double>::quiet_NaN(),
                        std::numeric_limits<double>::infinity(), -1, 1e300, 0};
        const auto probes = parse_gpu_probes(format_gpu_probes({probe}, kVersion), kVersion);
        QVERIFY(probes && probes->size() == 1);
        const GpuSpeeds& speeds = (*probes)[0].speeds;
        QCOMPARE(speeds.read_gb_per_s, 0.0);
        QCOMPARE(speeds.to_gpu_gb_per_s, 0.0);
        QCOMPARE(speeds.from_gpu_gb_per_s, 0.0);
        QCOMPARE(speeds.round_trip_us, 1e9);
    }

    void broken_data() {
        QTest::addColumn<QByteArray>("text");
        const QByteArray first = "hearth gpus 3\n";
        const QByteArray uuid = "00112233445566778899aabbccddeeff";
        const QByteArray speeds = " ok 1 2 3 4 5 6\nend\n";
        QTest::newRow("nothing") << QByteArray();
        QTest::newRow("another format") << QByteArray("hearth gpus 9\nend\n");
        QTest::newRow("cut") << first + "1.2.3 " + uuid + " - ok 1 2 3";
        QTest::newRow("no end") << first + "1.2.3 " + uuid + " - ok 1 2 3 4 5 6\n";
        QTest::newRow("an empty line") << first + "\nend\n";
        QTest::newRow("uuid too short") << first + "1.2.3 0011 -" + speeds;
        QTest::newRow("uuid too long") << first + "1.2.3 " + uuid + "00 -" + speeds;
        QTest::newRow("uuid no number")
            << first + "1.2.3 " + QByteArray(uuid).replace(6, 1, "x") + " -" + speeds;
        QTest::newRow("uuid signed")
            << first + "1.2.3 " + QByteArray(uuid).replace(6, 1, "-") + " -" + speeds;
        QTest::newRow("no restrictions") << first + "1.2.3 " + uuid + " " + speeds;
        QTest::newRow("other verdict") << first + "1.2.3 " + uuid + " - fine 1 2 3 4 5 6\nend\n";
        QTest::newRow("no verdict") << first + "1.2.3 " + uuid + " -\nend\n";
        QTest::newRow("no reason") << first + "1.2.3 " + uuid + " - failed\nend\n";
        QTest::newRow("no timeouts") << first + "1.2.3 " + uuid + " - late 0 why\nend\n";
        QTest::newRow("too many timeouts") << first + "1.2.3 " + uuid + " - late 4 why\nend\n";
        QTest::newRow("timeouts no number") << first + "1.2.3 " + uuid + " - late why\nend\n";
        QTest::newRow("five speeds") << first + "1.2.3 " + uuid + " - ok 1 2 3 4 5\nend\n";
        QTest::newRow("seven speeds") << first + "1.2.3 " + uuid + " - ok 1 2 3 4 5 6 7\nend\n";
        QTest::newRow("a negative speed") << first + "1.2.3 " + uuid + " - ok 1 -2 3 4 5 6\nend\n";
        QTest::newRow("no number") << first + "1.2.3 " + uuid + " - ok 1 nan 3 4 5 6\nend\n";
        QTest::newRow("infinite") << first + "1.2.3 " + uuid + " - ok 1 inf 3 4 5 6\nend\n";
        QTest::newRow("a zero byte")
            << first + "1.2.3 " + uuid + " - ok 1 2" + QByteArray("\0", 1) + " 3 4 5 6\nend\n";
        // Also where the broken line is of another version: then who wrote the rest?
        QTest::newRow("another version's") << first + "0.0.1 " + uuid + " - fine\nend\n";
        QTest::newRow("too many") << first +
                                         ("1.2.3 " + uuid + " - ok 1 2 3 4 5 6\n").repeated(100) +
                                         "end\n";
    }
    void broken() {
        QFETCH(QByteArray, text);
        QVERIFY(!parse_gpu_probes(text.toStdString(), kVersion));
        // As a cache: none, and replaced.
        const QTemporaryDir folder;
        write(folder.filePath("gpus.txt"), text);
        const std::string path = folder.path().toStdString();
        QVERIFY(read_gpu_probes(path, kVersion).empty());
        QVERIFY(keep_gpu_probe(path, kVersion, good()));
        QCOMPARE(read_gpu_probes(path, kVersion).size(), std::size_t{1});
    }

    void ofADevice() {
        GpuInfo gpu;
        gpu.uuid = bad().uuid;
        QVERIFY(is_of(bad(), gpu, "integer-dot,subgroups"));
        QVERIFY(!is_of(bad(), gpu, ""));
        gpu.uuid[3] ^= 1;  // another driver
        QVERIFY(!is_of(bad(), gpu, "integer-dot,subgroups"));
    }

    void kept() {
        const QTemporaryDir folder;
        const std::string path = (folder.path() + "/not/yet/th\u00e9re").toStdString();
        QVERIFY(read_gpu_probes(path, kVersion).empty());
        QVERIFY(keep_gpu_probe(path, kVersion, good()));
        QVERIFY(keep_gpu_probe(path, kVersion, bad()));
        auto probes = read_gpu_probes(path, kVersion);
        QCOMPARE(probes.size(), std::size_t{2});
        QVERIFY(equal(probes[0], bad()) && equal(probes[1], good()));

        GpuProbe worse = good();
        worse.verdict = GpuVerdict::Failed;
        worse.reason = "it hangs now";
        worse.speeds = {};
        QVERIFY(keep_gpu_probe(path, kVersion, worse));
        probes = read_gpu_probes(path, kVersion);
        QCOMPARE(probes.size(), std::size_t{2});
        QVERIFY(equal(probes[0], worse) && equal(probes[1], bad()));

        // The same GPU with parts of its driver left out is another one.
        GpuProbe restricted = good();
        restricted.without = "subgroups";
        QVERIFY(keep_gpu_probe(path, kVersion, restricted));
        probes = read_gpu_probes(path, kVersion);
        QCOMPARE(probes.size(), std::size_t{3});
        QVERIFY(equal(probes[0], restricted) && equal(probes[1], worse));

        QVERIFY(read_gpu_probes(path, "1.2.4").empty());
        QVERIFY(keep_gpu_probe(path, "1.2.4", bad()));
        QVERIFY(read_gpu_probes(path, kVersion).empty());  // an older version's are forgotten
    }

    void doesNotGrow() {
        const QTemporaryDir folder;
        const std::string path = folder.path().toStdString();
        for (int i = 0; i < 50; ++i) {
            GpuProbe probe = good();
            probe.uuid[0] = static_cast<std::uint8_t>(i);
            QVERIFY(keep_gpu_probe(path, kVersion, probe));
        }
        const auto probes = read_gpu_probes(path, kVersion);
        QCOMPARE(probes.size(), std::size_t{32});
        QCOMPARE(probes[0].uuid[0], std::uint8_t{49});
    }

    void notToBeWritten() {
        const QTemporaryDir folder;
        write(folder.filePath("file"), "x");
        const std::string path = folder.filePath("file").toStdString();
        QVERIFY(!keep_gpu_probe(path, kVersion, good()));
        QVERIFY(read_gpu_probes(path, kVersion).empty());
        QVERIFY(!keep_gpu_probe("", kVersion, good()));
        QVERIFY(read_gpu_probes("", kVersion).empty());
    }
};

QTEST_GUILESS_MAIN(GpuProbeTest)
#include "gpu_probe_test.moc"
