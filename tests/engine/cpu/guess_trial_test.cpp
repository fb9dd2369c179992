// Guessing is kept where it saves time on the tokens that are computed anyway, and left elsewhere.
#include <QtTest>
#include <cmath>
#include <random>

#include "cpu/feed_forward/guess_trial.h"

using hearth::GuessTrial;

namespace {

// A machine on which a token takes 10 ms and 1 ms for each miss, and guessing changes that.
struct Machine {
    double saves = 0;       // of all of a token's time
    double noise = 0;       // 1 in 10 tokens takes so many times as long
    double of_misses = 20;  // that misses vary by
    std::mt19937 random{5};

    void run(GuessTrial& trial, int tokens) {
        for (int i = 0; i < tokens; ++i) {
            const auto misses =
                std::floor(30 + std::uniform_real_distribution(-0.5, 0.5)(random) * of_misses);
            double ns = 10e6 + 1e6 * misses;
            ns *= trial.guesses() ? 1 - saves : 1.0;
            ns *= noise > 0 && random() % 10 == 0 ? noise : 1.0;
            trial.ended(static_cast<std::uint64_t>(ns), static_cast<std::uint64_t>(misses));
        }
    }
};

constexpr int kTrial = 2 * GuessTrial::kPairs;
constexpr int kRound = GuessTrial::kKept + kTrial;

}  // namespace

class GuessTrialTest : public QObject {
    Q_OBJECT

private slots:
    // With, without, without, with: as many of each, and neither always first.
    void tokens_take_turns() {
        GuessTrial trial;
        for (int i = 0; i < GuessTrial::kWarm; ++i) {
            QVERIFY(!trial.guesses());
            trial.ended(1000, 0);
        }
        int with = 0;
        int first = 0;
        for (int i = 0; i < kTrial; ++i) {
            with += trial.guesses() ? 1 : 0;
            first += trial.guesses() && i % 2 == 0 ? 1 : 0;
            trial.ended(1000, 0);
        }
        QCOMPARE(with, GuessTrial::kPairs);
        QCOMPARE(first, GuessTrial::kPairs / 2);
        QCOMPARE(trial.n_trials(), 1);
        QCOMPARE(trial.gain(), 0.0);
        QVERIFY(!trial.pays());
        for (int i = 0; i < GuessTrial::kKept; ++i) {
            QVERIFY(!trial.guesses());
            trial.ended(1000, 0);
        }
        QVERIFY(trial.guesses());  // the next one
    }

    void what_saves_time_is_kept_data() {
        QTest::addColumn<double>("saves");
        QTest::addColumn<double>("noise");
        QTest::addColumn<bool>("pays");
        for (const double noise : {0.0, 1.5, 30.0}) {
            QTest::addRow("saves a fifth, noise %g", noise) << 0.2 << noise << true;
            QTest::addRow("saves 6 %%, noise %g", noise) << 0.06 << noise << true;
            QTest::addRow("saves nothing, noise %g", noise) << 0.0 << noise << false;
            QTest::addRow("costs a tenth, noise %g", noise) << -0.1 << noise << false;
        }
    }
    void what_saves_time_is_kept() {
        QFETCH(double, saves);
        QFETCH(double, noise);
        QFETCH(bool, pays);
        GuessTrial trial;
        Machine machine{.saves = saves, .noise = noise};
        machine.run(trial, GuessTrial::kWarm + kTrial);
        QCOMPARE(trial.n_trials(), 1);
        QCOMPARE(trial.pays(), pays);
        QCOMPARE(trial.guesses(), pays);
        QVERIFY2(std::abs(trial.gain() - saves) < 0.03, qPrintable(QString::number(trial.gain())));
        machine.run(trial, 3 * kRound);
        QCOMPARE(trial.n_trials(), 4);
        QCOMPARE(trial.pays(), pays);
    }

    // A small gain begins nothing and ends nothing.
    void the_border_is_wide() {
        Machine machine{.saves = 0.02, .of_misses = 0};
        GuessTrial trial;
        machine.run(trial, GuessTrial::kWarm + kTrial);
        QVERIFY(!trial.pays());
        machine.saves = 0.1;
        machine.run(trial, kRound);
        QVERIFY(trial.pays());
        machine.saves = 0.02;
        machine.run(trial, 2 * kRound);
        QCOMPARE(trial.n_trials(), 4);
        QVERIFY(trial.pays());
        machine.saves = 0.005;
        machine.run(trial, kRound);
        QVERIFY(!trial.pays());
    }

    // A trial changes nothing if times vary much more than what is saved.
    void noise_changes_nothing() {
        const auto run = [](GuessTrial& trial, double saves, double varies) {
            const int n = trial.n_trials();
            for (int i = 0; trial.n_trials() == n; ++i) {
                const double ns = 1e7 * (trial.guesses() ? 1 - saves : 1.0) *
                                  (i / 2 % 2 == 0 ? 1 - varies : 1 + varies);
                trial.ended(static_cast<std::uint64_t>(ns), 0);
            }
        };
        GuessTrial trial;
        run(trial, 0.06, 0.4);
        QVERIFY(!trial.pays());
        run(trial, 0.06, 0.01);
        QVERIFY(trial.pays());
        run(trial, -0.06, 0.4);
        QVERIFY(trial.pays());
        run(trial, -0.06, 0.01);
        QVERIFY(!trial.pays());
    }

    // Tokens that miss more take longer for that, not for guessing.
    void misses_are_no_cost_of_guesses() {
        GuessTrial::Tokens with, without;
        for (std::size_t i = 0; i < with.size(); ++i) {
            const auto misses = static_cast<double>(i % 12);
            with[i] = {1e7 + 1e6 * (misses + 5), misses + 5};
            without[i] = {1e7 + 1e6 * misses, misses};
        }
        QVERIFY(std::abs(GuessTrial::gain_of(with, without)) < 1e-9);
        for (GuessTrial::Token& token : with) {
            token.ns -= 1.5e6;
        }
        QVERIFY(GuessTrial::gain_of(with, without) > 0.08);
        // Nothing is there to compare by if none miss.
        with.fill({9e6, 0});
        without.fill({1e7, 0});
        QVERIFY(std::abs(GuessTrial::gain_of(with, without) - 0.1) < 1e-9);
        without.fill({0, 0});
        QCOMPARE(GuessTrial::gain_of(with, without), 0.0);
    }
};

QTEST_GUILESS_MAIN(GuessTrialTest)
#include "guess_trial_test.moc"
