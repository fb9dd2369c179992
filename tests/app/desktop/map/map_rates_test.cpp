#include "map/map_rates.h"

#include <QtTest>

using namespace hearth::ui;

class MapRatesTest : public QObject {
    Q_OBJECT

    // A report of two layers; all in bytes.
    static MapReport report(double seconds, bool answering, quint64 disk, quint64 first,
                            quint64 second) {
        MapReport made;
        made.takenNs = qRound64(seconds * 1e9);
        made.answering = answering;
        made.readBytes = disk;
        made.layers.resize(2);
        made.layers[0].readBytes = first;
        made.layers[1].readBytes = second;
        return made;
    }

private slots:
    void nothingIsKnownAtFirst() {
        MapRates rates;
        QVERIFY(!rates.total() && !rates.layer(0) && !rates.fastestLayer());
        rates.add(report(1, false, 100, 50, 50));
        QVERIFY(!rates.total() && !rates.layer(0));
        rates.add(report(2, false, 900, 400, 500));  // no answer was computed: nobody waited for it
        QVERIFY(!rates.total() && !rates.layer(1));
    }

    // While an answer is computed the latest step counts, afterwards all of it.
    void stepsAndTheWholeAnswer() {
        MapRates rates;
        rates.add(report(0, false, 0, 0, 0));
        rates.add(report(10, true, 100, 40, 60));
        QVERIFY(!rates.total());
        rates.add(report(12, true, 300, 140, 160));
        QCOMPARE(*rates.total(), 100.0);
        QCOMPARE(*rates.layer(0), 50.0);
        QCOMPARE(*rates.layer(1), 50.0);
        rates.add(report(12.5, true, 400, 160, 240));
        QCOMPARE(*rates.total(), 200.0);
        QCOMPARE(*rates.layer(0), 40.0);
        QCOMPARE(*rates.layer(1), 160.0);
        QCOMPARE(*rates.fastestLayer(), 160.0);
        QVERIFY(!rates.layer(2) && !rates.layer(-1));
        rates.add(report(15, false, 600, 240, 360));
        QCOMPARE(*rates.total(), 100.0);
        QCOMPARE(*rates.layer(0), 40.0);
        QCOMPARE(*rates.layer(1), 60.0);
        // Idle time changes nothing of it, and the second answer begins anew.
        rates.add(report(1000, false, 600, 240, 360));
        QCOMPARE(*rates.total(), 100.0);
        rates.add(report(1001, true, 600, 240, 360));
        QVERIFY(!rates.total() && !rates.layer(0));
        rates.add(report(1003, false, 610, 250, 360));
        QCOMPARE(*rates.total(), 5.0);
        QCOMPARE(*rates.layer(0), 5.0);
        QCOMPARE(*rates.layer(1), 0.0);
    }

    // Counters of another load, or of another model, are compared with nothing.
    void anotherLoadBeginsAnew_data() {
        QTest::addColumn<int>("loads");
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("layers");
        QTest::newRow("loaded anew") << 2 << "a" << 2;
        QTest::newRow("another model") << 1 << "b" << 2;
        QTest::newRow("more layers") << 1 << "a" << 3;
    }
    void anotherLoadBeginsAnew() {
        QFETCH(const int, loads);
        QFETCH(const QString, path);
        QFETCH(const int, layers);
        MapRates rates;
        for (MapReport now : {report(1, true, 1000, 500, 500), report(2, true, 2000, 1000, 1000)}) {
            now.loads = 1;
            now.modelPath = QStringLiteral("a");
            rates.add(now);
        }
        QCOMPARE(*rates.total(), 1000.0);
        MapReport other = report(3, true, 5, 1, 2);
        other.loads = loads;
        other.modelPath = path;
        other.layers.resize(layers);
        rates.add(other);
        QVERIFY(!rates.total() && !rates.layer(0));
        other.takenNs += 1'000'000'000;
        other.readBytes += 7;
        other.answering = false;
        rates.add(other);
        QCOMPARE(*rates.total(), 7.0);
    }
};

QTEST_GUILESS_MAIN(MapRatesTest)
#include "map_rates_test.moc"
