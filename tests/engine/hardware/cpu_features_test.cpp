#include "hardware/cpu_features.h"

#include <QtTest>

#include "hardware/cpu_flags.h"
#include "hardware/x86_cpuid.h"

namespace flags = hearth::cpu_flags;
using hearth::x86::CpuidLeaves;

namespace {

constexpr std::uint32_t bit(int index) {
    return std::uint32_t{1} << index;
}

// A server with everything, as its CPUID would answer.
CpuidLeaves everything() {
    return {.leaf1_ecx = bit(12) | bit(27) | bit(28) | bit(29),
            .leaf7_ebx = bit(5) | bit(16) | bit(17) | bit(30) | bit(31),
            .leaf7_ecx = bit(11),
            .leaf7_1_eax = bit(4) | bit(5),
            .xcr0 = 0xE7};
}

constexpr std::uint32_t kAll =
    flags::kAvx2 | flags::kAvxVnni | flags::kAvx512 | flags::kAvx512Vnni | flags::kAvx512Bf16;

}  // namespace

class CpuFeaturesTest : public QObject {
    Q_OBJECT

private slots:
    void flagsOf_data() {
        QTest::addColumn<CpuidLeaves>("leaves");
        QTest::addColumn<std::uint32_t>("expected");
        const auto row = [](const char* name, std::uint32_t expected, auto change) {
            CpuidLeaves leaves = everything();
            change(leaves);
            QTest::newRow(name) << leaves << expected;
        };
        row("everything", kAll, [](CpuidLeaves&) {});
        row("nothing", 0, [](CpuidLeaves& l) { l = {}; });
        row("no OSXSAVE", 0, [](CpuidLeaves& l) { l.leaf1_ecx &= ~bit(27); });
        row("system saves nothing", 0, [](CpuidLeaves& l) { l.xcr0 = 0; });
        row("system saves SSE only", 0, [](CpuidLeaves& l) { l.xcr0 = 0x3; });
        row("system saves no opmask", flags::kAvx2 | flags::kAvxVnni,
            [](CpuidLeaves& l) { l.xcr0 = 0xC7; });
        row("system saves AVX only", flags::kAvx2 | flags::kAvxVnni,
            [](CpuidLeaves& l) { l.xcr0 = 0x7; });
        row("no FMA", 0, [](CpuidLeaves& l) { l.leaf1_ecx &= ~bit(12); });
        row("no F16C", 0, [](CpuidLeaves& l) { l.leaf1_ecx &= ~bit(29); });
        row("no AVX2", 0, [](CpuidLeaves& l) { l.leaf7_ebx &= ~bit(5); });
        for (const int index : {16, 17, 30, 31}) {
            const QByteArray name = "AVX-512 without bit " + QByteArray::number(index);
            row(name.constData(), flags::kAvx2 | flags::kAvxVnni,
                [index](CpuidLeaves& l) { l.leaf7_ebx &= ~bit(index); });
        }
        row("no AVX-VNNI", kAll & ~flags::kAvxVnni,
            [](CpuidLeaves& l) { l.leaf7_1_eax &= ~bit(4); });
        row("no AVX-512 BF16", kAll & ~flags::kAvx512Bf16,
            [](CpuidLeaves& l) { l.leaf7_1_eax &= ~bit(5); });
        row("no AVX-512 VNNI", kAll & ~flags::kAvx512Vnni, [](CpuidLeaves& l) { l.leaf7_ecx = 0; });
    }
    void flagsOf() {
        QFETCH(CpuidLeaves, leaves);
        QFETCH(std::uint32_t, expected);
        QCOMPARE(hearth::x86::flags_of(leaves), expected);
    }

    void thisMachine() {
        const hearth::CpuFeatures features = hearth::detect_cpu_features();
        QVERIFY(!features.name.empty());
        QCOMPARE(QString::fromStdString(features.name).trimmed(),
                 QString::fromStdString(features.name));
        QVERIFY(features.physical_cores >= 1);
        QVERIFY(features.logical_cores >= features.physical_cores);
        QVERIFY(features.logical_cores <= QThread::idealThreadCount());
    }

#if defined(Q_OS_LINUX) && (defined(__x86_64__))
    // What the kernel lists it also saves: an independent reading of the same machine.
    void agreesWithCpuinfo() {
        QFile file("/proc/cpuinfo");
        QVERIFY(file.open(QIODevice::ReadOnly));
        QList<QByteArray> words;
        for (QByteArray line = file.readLine(); !line.isEmpty(); line = file.readLine()) {
            if (line.startsWith("flags")) {
                words = line.simplified().split(' ');
                break;
            }
        }
        QVERIFY(!words.isEmpty());
        const auto has = [&](std::initializer_list<const char*> names) {
            return std::all_of(names.begin(), names.end(),
                               [&](const char* name) { return words.contains(name); });
        };
        std::uint32_t expected = 0;
        expected |= has({"avx2", "fma", "f16c"}) ? flags::kAvx2 : 0;
        expected |= has({"avx_vnni"}) ? flags::kAvxVnni : 0;
        expected |= has({"avx512f", "avx512dq", "avx512bw", "avx512vl"}) ? flags::kAvx512 : 0;
        expected |= has({"avx512_vnni"}) ? flags::kAvx512Vnni : 0;
        expected |= has({"avx512_bf16"}) ? flags::kAvx512Bf16 : 0;
        QCOMPARE(hearth::detect_cpu_features().flags, expected);
    }
#endif
};

QTEST_GUILESS_MAIN(CpuFeaturesTest)
#include "cpu_features_test.moc"
