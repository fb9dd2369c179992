// The choice over curves of machines that are not here, and one measurement of the one that is.
#include "hardware/core_scaling.h"

#include <QtTest>

using hearth::CpuFeatures;
using hearth::ThreadSpeed;

namespace {

CpuFeatures machine(int performance, int physical, int logical) {
    CpuFeatures cpu;
    cpu.performance_cores = performance;
    cpu.physical_cores = physical;
    cpu.logical_cores = logical;
    return cpu;
}

}  // namespace

class CoreScalingTest : public QObject {
    Q_OBJECT

private slots:
    void candidates_data() {
        QTest::addColumn<CpuFeatures>("cpu");
        QTest::addColumn<QList<int>>("counts");
        QTest::newRow("one") << machine(1, 1, 1) << QList<int>{1};
        QTest::newRow("one core, two threads") << machine(1, 1, 2) << QList<int>{1, 2};
        // Two processors of a virtual machine may be the two threads of one core.
        QTest::newRow("two, topology may lie") << machine(2, 2, 2) << QList<int>{1, 2};
        QTest::newRow("three, topology may lie") << machine(3, 3, 3) << QList<int>{2, 3};
        QTest::newRow("eight cores, two threads each") << machine(8, 8, 16) << QList<int>{8, 16};
        QTest::newRow("8 fast with two threads, 8 slow")
            << machine(8, 16, 24) << QList<int>{8, 16, 24};
        QTest::newRow("4 fast, 4 slow") << machine(4, 8, 8) << QList<int>{4, 8};
        QTest::newRow("6 fast, 4 slow") << machine(6, 10, 10) << QList<int>{5, 6, 10};
        QTest::newRow("nothing known") << machine(0, 0, 0) << QList<int>{1};
    }
    void candidates() {
        QFETCH(CpuFeatures, cpu);
        const std::vector<int> found = hearth::thread_candidates(cpu);
        QTEST(QList<int>(found.begin(), found.end()), "counts");
    }

    void choice_data() {
        QTest::addColumn<std::vector<ThreadSpeed>>("curve");
        QTest::addColumn<int>("threads");
        using Curve = std::vector<ThreadSpeed>;
        QTest::newRow("nothing measured") << Curve{} << 1;
        QTest::newRow("one") << Curve{{1, 1.0}} << 1;
        QTest::newRow("two real cores") << Curve{{1, 1.0}, {2, 1.97}} << 2;
        QTest::newRow("two threads of one core") << Curve{{1, 1.0}, {2, 1.06}} << 1;
        QTest::newRow("second thread slows") << Curve{{8, 1.0}, {16, 0.93}} << 8;
        QTest::newRow("two real cores, one of them busy") << Curve{{1, 1.0}, {2, 1.4}} << 2;
        QTest::newRow("slow cores at half speed help")
            << Curve{{8, 1.0}, {16, 1.45}, {24, 1.52}} << 16;
        QTest::newRow("slow cores that only drag") << Curve{{8, 1.0}, {16, 0.8}, {24, 0.85}} << 8;
        // What adds little twice adds enough together.
        QTest::newRow("two small steps") << Curve{{8, 1.0}, {10, 1.1}, {12, 1.2}} << 12;
        QTest::newRow("a dip between") << Curve{{4, 1.0}, {6, 0.9}, {8, 1.9}} << 8;
        QTest::newRow("just enough") << Curve{{1, 1.0}, {2, 1.16}} << 2;
        QTest::newRow("just too little") << Curve{{1, 1.0}, {2, 1.14}} << 1;
    }
    void choice() {
        QFETCH(std::vector<ThreadSpeed>, curve);
        QTEST(hearth::most_useful_threads(curve), "threads");
    }

    // What comes out depends on what else runs: only that it is a curve can be said.
    void measures() {
        const std::vector<int> candidates{1, 2};
        const std::vector<ThreadSpeed> speeds = hearth::measure_thread_speeds(candidates);
        QCOMPARE(speeds.size(), std::size_t{2});
        QCOMPARE(speeds[0].threads, 1);
        QCOMPARE(speeds[0].speed, 1.0);
        QCOMPARE(speeds[1].threads, 2);
        QVERIFY(speeds[1].speed > 0 && speeds[1].speed < 100);
        QVERIFY(hearth::measure_thread_speeds({}).empty());
    }
};

QTEST_GUILESS_MAIN(CoreScalingTest)
#include "core_scaling_test.moc"
