#include "system/quit_signals.h"

#include <QSignalSpy>
#include <QtTest>
#include <csignal>

using namespace hearth::ui;

namespace {

void (*handlerOf(int number))(int) {
    struct sigaction now = {};
    sigaction(number, nullptr, &now);
    return now.sa_handler;
}

}  // namespace

class QuitSignalsTest : public QObject {
    Q_OBJECT

private slots:
    void asksFromTheEventLoop_data();
    void asksFromTheEventLoop();
    void leavesIgnoredSignalsIgnored();
};

void QuitSignalsTest::asksFromTheEventLoop_data() {
    QTest::addColumn<int>("number");
    QTest::addRow("SIGINT") << SIGINT;
    QTest::addRow("SIGTERM") << SIGTERM;
    QTest::addRow("SIGHUP") << SIGHUP;
}

void QuitSignalsTest::asksFromTheEventLoop() {
    QFETCH(int, number);
    const auto before = handlerOf(number);
    {
        const QuitSignals object;
        QVERIFY(object.active());
        QVERIFY(handlerOf(number) != before);
        QSignalSpy spy(&object, &QuitSignals::asked);
        QCOMPARE(raise(number), 0);
        QCOMPARE(spy.size(), 0);  // not from within the handler
        QTRY_COMPARE(spy.size(), 1);
        QVERIFY2(handlerOf(number) == SIG_DFL, "a second one must end the process");
    }
    QVERIFY(handlerOf(number) == before);
}

void QuitSignalsTest::leavesIgnoredSignalsIgnored() {
    const auto before = std::signal(SIGHUP, SIG_IGN);
    {
        const QuitSignals object;
        QVERIFY(handlerOf(SIGHUP) == SIG_IGN);
        QVERIFY(handlerOf(SIGTERM) != SIG_IGN);
    }
    QVERIFY(handlerOf(SIGHUP) == SIG_IGN);
    std::signal(SIGHUP, before);
}

QTEST_GUILESS_MAIN(QuitSignalsTest)
#include "quit_signals_test.moc"
