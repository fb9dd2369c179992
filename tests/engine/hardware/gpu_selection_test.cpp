#include "hardware/gpu_selection.h"

#include <QtTest>

using namespace hearth;

namespace {

struct Machine {
    std::vector<GpuInfo> gpus;
    std::vector<GpuProbe> probes;

    GpuProbe& add(const char* name, GpuKind kind, std::uint64_t gib) {
        GpuInfo gpu;
        gpu.index = static_cast<int>(gpus.size());
        gpu.name = name;
        gpu.kind = kind;
        gpu.heaps.push_back({gib << 30, gib << 30, true});
        gpus.push_back(gpu);
        return probes.emplace_back();
    }
    Result<GpuSelection> select(const char* wanted, bool allow_cpu = false) const {
        return select_gpu(gpus, probes, wanted, allow_cpu);
    }
};

void fail(GpuProbe& probe, const char* reason) {
    probe.verdict = GpuVerdict::Failed;
    probe.reason = reason;
}

void measure(GpuProbe& probe, double gb_per_s) {
    probe.verdict = GpuVerdict::Ok;
    probe.speeds.read_gb_per_s = gb_per_s;
}

// What a laptop with a dock may list, in the driver's order.
Machine laptop() {
    Machine machine;
    machine.add("llvmpipe (LLVM 15.0.6, 256 bits)", GpuKind::Cpu, 32);
    machine.add("Intel(R) Iris(R) Xe Graphics", GpuKind::Integrated, 16);
    machine.add("NVIDIA GeForce RTX 4060", GpuKind::Discrete, 8);
    machine.add("NVIDIA GeForce RTX 4060 Ti", GpuKind::Discrete, 16);
    return machine;
}

}  // namespace

class GpuSelectionTest : public QObject {
    Q_OBJECT

private slots:
    void autoTakesTheBest() {
        Machine machine = laptop();
        auto selection = machine.select("auto");
        QVERIFY(selection);
        QCOMPARE(selection->chosen, 3);  // discrete, more memory
        QVERIFY(selection->left_out[3].empty());
        QCOMPARE(selection->left_out[2].c_str(), "another one is taken");

        // Only one of them measured: that says nothing about the other.
        measure(machine.probes[2], 300);
        QCOMPARE(machine.select("auto")->chosen, 3);
        measure(machine.probes[3], 280);
        QCOMPARE(machine.select("auto")->chosen, 2);
        // However fast, an integrated one comes after a discrete one.
        measure(machine.probes[1], 900);
        QCOMPARE(machine.select("auto")->chosen, 2);

        fail(machine.probes[2], "it crashed");
        QCOMPARE(machine.select("auto")->chosen, 3);
        QCOMPARE(machine.select("auto")->left_out[2].c_str(), "it crashed");
        machine.gpus[3].unusable = "its driver has no queue that computes";
        QCOMPARE(machine.select("auto")->chosen, 1);
        QCOMPARE(machine.select("auto")->left_out[3].c_str(),
                 "its driver has no queue that computes");
    }

    void kindsInOrder() {
        Machine machine;
        machine.add("a", GpuKind::Cpu, 64);
        machine.add("b", GpuKind::Other, 32);
        machine.add("c", GpuKind::Virtual, 16);
        machine.add("d", GpuKind::Integrated, 8);
        machine.add("e", GpuKind::Discrete, 4);
        for (int best = 4; best >= 0; --best) {
            QCOMPARE(machine.select("auto", true)->chosen, best);
            machine.gpus[static_cast<std::size_t>(best)].unusable = "gone";
        }
        QCOMPARE(machine.select("auto", true)->chosen, -1);
    }

    void alikeTheFirst() {
        Machine machine;
        machine.add("twin", GpuKind::Discrete, 8);
        machine.add("twin", GpuKind::Discrete, 8);
        QCOMPARE(machine.select("auto")->chosen, 0);
    }

    void aProcessorIsNoGpu() {
        Machine machine;
        machine.add("llvmpipe", GpuKind::Cpu, 32);
        const auto selection = machine.select("auto");
        QVERIFY(selection);
        QCOMPARE(selection->chosen, -1);
        QVERIFY(!selection->left_out[0].empty());
        QCOMPARE(machine.select("auto", true)->chosen, 0);
        QCOMPARE(machine.select("0")->chosen, 0);
        QCOMPARE(machine.select("LLVM")->chosen, 0);
    }

    void none() {
        const Machine machine = laptop();
        const auto selection = machine.select("none");
        QVERIFY(selection);
        QCOMPARE(selection->chosen, -1);
        QCOMPARE(selection->left_out[3].c_str(), "no GPU is asked for");
        QCOMPARE(Machine().select("none")->chosen, -1);
        QCOMPARE(Machine().select("auto")->chosen, -1);
    }

    void named_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<int>("chosen");
        QTest::newRow("index") << "1" << 1;
        QTest::newRow("leading zero") << "02" << 2;
        QTest::newRow("part") << "iris" << 1;
        QTest::newRow("part of one of two") << "4060 tI" << 3;
        QTest::newRow("whole name of what is part of another") << "nvidia geforce rtx 4060" << 2;
    }
    void named() {
        QFETCH(QString, wanted);
        QFETCH(int, chosen);
        Machine machine = laptop();
        const QByteArray text = wanted.toUtf8();
        QCOMPARE(machine.select(text.constData())->chosen, chosen);
        // The user knows better than a probe, but not better than the shaders.
        fail(machine.probes[static_cast<std::size_t>(chosen)], "it hung");
        QCOMPARE(machine.select(text.constData())->chosen, chosen);
        machine.gpus[static_cast<std::size_t>(chosen)].unusable = "its workgroups are too small";
        const auto refused = machine.select(text.constData());
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::Unsupported);
        QVERIFY(refused.error().message.ends_with(": its workgroups are too small"));
    }

    // The driver's numbers may have gaps in a list that was cut.
    void indexIsTheDrivers() {
        Machine machine;
        machine.add("a", GpuKind::Discrete, 8);
        machine.gpus[0].index = 5;
        QCOMPARE(machine.select("5")->chosen, 0);
        QVERIFY(!machine.select("0"));
    }

    void refused_data() {
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("message");
        const QString all =
            "0 (llvmpipe (LLVM 15.0.6, 256 bits)), 1 (Intel(R) Iris(R) Xe Graphics), "
            "2 (NVIDIA GeForce RTX 4060), 3 (NVIDIA GeForce RTX 4060 Ti)";
        for (const char* wanted : {"4", "Radeon", "", "-1", "99999999999999999999"}) {
            QTest::addRow("\"%s\"", wanted)
                << wanted
                << QString("there is no GPU \"%1\"; the system lists %2").arg(wanted, all);
        }
        QTest::newRow("ambiguous") << "geforce"
                                   << "\"geforce\" names more than one GPU: 2 (NVIDIA GeForce RTX "
                                      "4060), 3 (NVIDIA GeForce RTX 4060 Ti); say which by its "
                                      "number";
    }
    void refused() {
        QFETCH(QString, wanted);
        QFETCH(QString, message);
        const auto selection = laptop().select(wanted.toUtf8().constData());
        QVERIFY(!selection);
        QCOMPARE(selection.error().code, ErrorCode::InvalidArgument);
        QCOMPARE(selection.error().field.c_str(), "gpu");
        QCOMPARE(QString::fromStdString(selection.error().message), message);
    }

    void refusedWithoutAny() {
        const auto selection = Machine().select("0");
        QVERIFY(!selection);
        QCOMPARE(selection.error().message.c_str(), "there is no GPU \"0\"; the system lists none");
    }
};

QTEST_GUILESS_MAIN(GpuSelectionTest)
#include "gpu_selection_test.moc"
