// Which of several measurements counts, with a clock, loads and speeds of this test's own.
#include "hardware/speed_book.h"

#include <QtTest>

namespace hearth {

namespace {

using Values = std::vector<double>;

// A machine of two processors whose other work the test sets. A measurement takes half a second of
// both.
struct GivenMachine {
    double now_s = 1000;
    ProcessorTimes times{0, 0, 0};
    double others = 0;  // share of both processors, also of an answer that this process writes
    bool says = true;   // how busy it is

    void pass(double seconds, double own_share) {
        now_s += seconds;
        times.total_s += 2 * seconds;
        times.busy_s += 2 * seconds * std::min(1.0, others + own_share);
        times.own_s += 2 * seconds * own_share;
    }
    SpeedBook::Sources sources() {
        return {.now_s = [this] { return now_s; },
                .times = [this] { return says ? std::optional(times) : std::nullopt; },
                .pause = [this](double seconds) { pass(seconds, 0); }};
    }
};

}  // namespace

class SpeedBookTest : public QObject {
    Q_OBJECT

private:
    // Measures `found`, one after another; the last stays.
    std::function<Values()> measure(std::vector<Values> found) {
        left_ = std::move(found);
        return [this] {
            ++measured_;
            machine_.pass(0.5, std::max(0.0, 1 - machine_.others));
            const Values now = left_.front();
            if (left_.size() > 1) {
                left_.erase(left_.begin());
            }
            return now;
        };
    }

    GivenMachine machine_;
    std::vector<Values> left_;
    int measured_ = 0;

private slots:
    void init() {
        machine_ = {};
        measured_ = 0;
    }

    void theBestOfSeveralCounts() {
        SpeedBook book(machine_.sources());
        const auto found = book.get("a", measure({{20, 300}, {25, 200}}));
        QCOMPARE(found.values, (Values{25, 300}));
        QVERIFY(!found.busy);
        QCOMPARE(measured_, SpeedBook::kQuietTries);
    }

    void whatIsAskedTwiceIsAnsweredAlike() {
        SpeedBook book(machine_.sources());
        const Values first = book.get("a", measure({{20}})).values;
        machine_.pass(3600, 0);
        QCOMPARE(book.get("a", measure({{90}})).values, first);
        QCOMPARE(measured_, SpeedBook::kQuietTries);
        // The second of two keys is measured for itself.
        QCOMPARE(book.get("b", measure({{90}})).values, Values{90});
        QCOMPARE(book.get("a", measure({{91}})).values, first);
    }

    void aBusyMachineIsMeasuredAgain() {
        SpeedBook book(machine_.sources());
        machine_.others = 0.5;
        const auto busy = book.get("a", measure({{7}, {8}}));
        QVERIFY(busy.busy);
        QCOMPARE(busy.values, Values{8});
        // A copy of the file, asked about a moment later, is told the same.
        QCOMPARE(book.get("a", measure({{9}})).values, Values{8});
        machine_.pass(SpeedBook::kHeldSeconds, 0);
        // Still busy: the best so far.
        const auto later = book.get("a", measure({{6}}));
        QVERIFY(later.busy);
        QCOMPARE(later.values, Values{8});
        machine_.pass(SpeedBook::kHeldSeconds, 0);
        machine_.others = 0;
        const auto quiet = book.get("a", measure({{20}}));
        QVERIFY(!quiet.busy);
        QCOMPARE(quiet.values, Values{20});
        const int before = measured_;
        machine_.pass(3600, 0);
        QVERIFY(!book.get("a", measure({{99}})).busy);
        QCOMPARE(measured_, before);
    }

    // Work of this process itself, an answer, shows before the measurement begins.
    void anAnswerDisturbsToo() {
        SpeedBook book(machine_.sources());
        machine_.others = 0.5;  // GivenMachine counts it as nobody's: it is not in own_s
        auto sources = machine_.sources();
        sources.pause = [this](double seconds) {
            machine_.pass(seconds, 0);
            machine_.times.own_s += 2 * seconds * machine_.others;
        };
        SpeedBook own(sources);
        QVERIFY(own.get("a", measure({{7}})).busy);
    }

    void disturbedBesideQuietDoesNotCount() {
        SpeedBook book(machine_.sources());
        int turn = 0;
        const auto found = book.get("a", [&] {
            machine_.others = turn++ == 0 ? 0 : 0.6;
            machine_.pass(0.5, 0.4);
            return Values{turn == 1 ? 20.0 : 21.0};
        });
        QVERIFY(!found.busy);
        QCOMPARE(found.values, Values{20});
    }

    void littleWorkIsQuiet() {
        machine_.others = SpeedBook::kQuietShare - 0.01;
        SpeedBook book(machine_.sources());
        QVERIFY(!book.get("a", measure({{7}})).busy);
        machine_.others = SpeedBook::kQuietShare + 0.01;
        QVERIFY(book.get("b", measure({{7}})).busy);
    }

    void aMachineThatDoesNotSayIsQuiet() {
        machine_.says = false;
        machine_.others = 1;
        SpeedBook book(machine_.sources());
        QVERIFY(!book.get("a", measure({{7}})).busy);
    }

    // Success after a failure: no memory to measure with, and then there is some.
    void nothingMeasuredIsNotKept() {
        SpeedBook book(machine_.sources());
        QCOMPARE(book.get("a", measure({{0, 0}})).values, (Values{0, 0}));
        QCOMPARE(book.get("a", measure({{20, 300}})).values, (Values{20, 300}));
    }

    void theSystemSaysHowBusyItIs() {
#if defined(__linux__)
        const auto now = read_processor_times();
        QVERIFY(now.has_value());
        QVERIFY(now->busy_s > 0 && now->total_s >= now->busy_s);
        QVERIFY(now->own_s > 0 && now->own_s < now->total_s);
#endif
    }
};

}  // namespace hearth

QTEST_GUILESS_MAIN(hearth::SpeedBookTest)
#include "speed_book_test.moc"
