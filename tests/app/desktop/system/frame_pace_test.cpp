#include "system/frame_pace.h"

#include <QSignalSpy>
#include <QtTest>

using namespace hearth::ui;

class FramePaceTest : public QObject {
    Q_OBJECT

private slots:
    void startsAsItIsDrawn() {
        QCOMPARE(FramePace(DrawnBy::Card).intervalMs(), FramePace::kShortestMs);
        QCOMPARE(FramePace(DrawnBy::DriverOnProcessor).intervalMs(), FramePace::kLongestMs);
        const int first = FramePace(DrawnBy::Qt).intervalMs();
        QVERIFY(first > FramePace::kShortestMs && first < FramePace::kLongestMs);
    }

    // A window whose change costs `cost` ms takes cost / interval of a core.
    void takesItsShare_data() {
        QTest::addColumn<double>("cost");
        QTest::addColumn<int>("interval");
        QTest::addRow("nothing") << 0.0 << FramePace::kShortestMs;
        QTest::addRow("3 ms") << 3.0 << 50;
        QTest::addRow("4.5 ms") << 4.5 << 75;
        QTest::addRow("40 ms") << 40.0 << FramePace::kLongestMs;
    }
    void takesItsShare() {
        QFETCH(double, cost);
        QFETCH(int, interval);
        int now = FramePace(DrawnBy::Qt).intervalMs();
        for (int i = 0; i < 10; ++i) {
            now = FramePace::next(now, cost / now);
        }
        QCOMPARE(now, interval);
        QCOMPARE(FramePace::next(now, cost / now), now);
    }

    // A busy thread is seen, one that waits is seen, and a card's window is left alone.
    void looksAtItsThread() {
        FramePace pace(DrawnBy::Qt);
        QSignalSpy changed(&pace, &FramePace::intervalChanged);
        pace.setRunning(true);
        QTRY_VERIFY(!changed.isEmpty());  // this thread waits
        QVERIFY(changed.last().first().toInt() < 50);
        QElapsedTimer busy;
        const auto spin = [&] {
            for (busy.start(); busy.elapsed() < 20;) {}
            return pace.intervalMs() == FramePace::kLongestMs;
        };
        QTRY_VERIFY(spin());
        pace.setRunning(false);
        changed.clear();
        QTest::qWait(600);
        QVERIFY(changed.isEmpty());

        FramePace card(DrawnBy::Card);
        QSignalSpy cards(&card, &FramePace::intervalChanged);
        card.setRunning(true);
        QTest::qWait(600);
        QVERIFY(cards.isEmpty());
    }
};

QTEST_GUILESS_MAIN(FramePaceTest)
#include "frame_pace_test.moc"
