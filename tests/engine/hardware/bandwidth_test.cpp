// The measurement must end and give a plausible figure; how fast the machine is is not tested here.
#include "hardware/bandwidth.h"

#include <QtTest>

class BandwidthTest : public QObject {
    Q_OBJECT

private slots:
    void measures_data() {
        QTest::addColumn<int>("threads");
        for (const int threads : {-1, 1, 2, 7}) {
            QTest::addRow("%d threads", threads) << threads;
        }
    }
    void measures() {
        QFETCH(int, threads);
        const double gb_per_s = hearth::measure_ram_read_gb_per_s(threads);
        // 0 would say that memory could not be had; no machine reads a terabyte through 7 threads
        // in half a second, so more would mean that the compiler removed the reads.
        QVERIFY2(gb_per_s > 0.01 && gb_per_s < 2000, qPrintable(QString::number(gb_per_s)));
    }
};

QTEST_GUILESS_MAIN(BandwidthTest)
#include "bandwidth_test.moc"
