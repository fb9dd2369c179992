#include "base/child_process.h"

#include <QtTest>
#include <csignal>

using hearth::ChildOutcome;
using hearth::ErrorCode;
using hearth::run_child;
using namespace std::chrono_literals;

namespace {

constexpr std::size_t kMost = 4096;

// Long enough on a machine that is busy with other things.
ChildOutcome run(const std::vector<std::string>& arguments,
                 std::chrono::milliseconds time_max = 60s) {
    auto outcome = run_child(HEARTH_CHILD, arguments, time_max, kMost);
    if (!outcome) {
        QTest::qFail(outcome.error().message.c_str(), __FILE__, __LINE__);
        return {};
    }
    return *outcome;
}

}  // namespace

class ChildProcessTest : public QObject {
    Q_OBJECT

private slots:
    void arguments() {
        const ChildOutcome outcome =
            run({"print", "", "a b", "\"quoted\"", "C:\\end\\", "$HOME *", "\\\"", "ä"});
        QCOMPARE(outcome.end, ChildOutcome::End::Exited);
        QCOMPARE(outcome.status, 0);
        QCOMPARE(outcome.output.c_str(), "[][a b][\"quoted\"][C:\\end\\][$HOME *][\\\"][ä]");
    }

    void hasNothingToRead() {
        const ChildOutcome outcome = run({"read"});
        QCOMPARE(outcome.output.c_str(), "-1");
    }

    void exitStatus() {
        const ChildOutcome outcome = run({"exit", "7"});
        QCOMPARE(outcome.end, ChildOutcome::End::Exited);
        QCOMPARE(outcome.status, 7);
    }

    void crash() {
        const ChildOutcome outcome = run({"crash"});
        QCOMPARE(outcome.output.c_str(), "so far");
#ifndef _WIN32
        QCOMPARE(outcome.end, ChildOutcome::End::Crashed);
        QCOMPARE(outcome.status, SIGABRT);
#endif
    }

    void hang_data() {
        QTest::addColumn<QString>("what");
        QTest::newRow("silent") << "hang";
        QTest::newRow("output closed") << "hang closed";
    }
    void hang() {
        QFETCH(QString, what);
        QElapsedTimer timer;
        timer.start();
        // It sleeps for ten minutes: that this returns at all is the point.
        const ChildOutcome outcome = run({what.toStdString()}, 1500ms);
        QCOMPARE(outcome.end, ChildOutcome::End::TimedOut);
        QVERIFY(timer.elapsed() >= 1500);
    }

    // A full pipe would stop the child.
    void tooMuchOutput() {
        const ChildOutcome outcome = run({"flood"});
        QCOMPARE(outcome.end, ChildOutcome::End::Exited);
        QCOMPARE(outcome.status, 0);
        QCOMPARE(outcome.output.size(), kMost);
    }

    void cannotBeStarted() {
        const auto missing = run_child(HEARTH_CHILD "-is-not-there", {}, 60s, kMost);
        QVERIFY(!missing);
        QCOMPARE(missing.error().code, ErrorCode::NotFound);
        QVERIFY(!run_child(__FILE__, {}, 60s, kMost));  // no program
        QVERIFY(!run_child("", {}, 60s, kMost));
    }
};

QTEST_GUILESS_MAIN(ChildProcessTest)
#include "child_process_test.moc"
