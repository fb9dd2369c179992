// Which path a layer takes, at given speeds.
#include "plan/path_choice.h"

#include <QtTest>

using hearth::choose_path;
using hearth::FeedForwardMode;
using hearth::PathSpeeds;

namespace {

// A stream takes 10; single rows cost twice as much each, and as much as all from half of them on.
constexpr PathSpeeds kSpeeds{10, {4, 8, 12, 16, 20}};

constexpr auto kDense = FeedForwardMode::Dense;
constexpr auto kExact = FeedForwardMode::Exact;

}  // namespace

class PathChoiceTest : public QObject {
    Q_OBJECT

private slots:
    void time_lies_on_straight_lines() {
        const PathSpeeds speeds{10, {4, 6, 7, 20, 21}};
        QCOMPARE(speeds.exact_at(0), 0.0);
        QCOMPARE(speeds.exact_at(0.1), 2.0);
        QCOMPARE(speeds.exact_at(0.2), 4.0);
        QCOMPARE(speeds.exact_at(0.3), 5.0);
        QCOMPARE(speeds.exact_at(0.7), 13.5);
        QCOMPARE(speeds.exact_at(1), 21.0);
    }

    void the_faster_path_is_taken_data() {
        QTest::addColumn<double>("opened");
        QTest::addColumn<bool>("from_exact_to_dense");
        QTest::addColumn<bool>("from_dense_to_dense");
        // Both take 10 at 0.5. Exact is left where dense takes less than 0.95 of its time, above
        // 0.526; dense where exact takes less than 9.5, below 0.475.
        QTest::newRow("5 %") << 0.05 << false << false;
        QTest::newRow("30 %") << 0.3 << false << false;
        QTest::newRow("47 %") << 0.47 << false << false;
        QTest::newRow("48 %, stays") << 0.48 << false << true;
        QTest::newRow("50 %, stays") << 0.5 << false << true;
        QTest::newRow("52 %, stays") << 0.52 << false << true;
        QTest::newRow("53 %") << 0.53 << true << true;
        QTest::newRow("80 %") << 0.8 << true << true;
        QTest::newRow("all") << 1.0 << true << true;
    }
    void the_faster_path_is_taken() {
        QFETCH(double, opened);
        QFETCH(bool, from_exact_to_dense);
        QFETCH(bool, from_dense_to_dense);
        QCOMPARE(choose_path(opened, kSpeeds, kExact) == kDense, from_exact_to_dense);
        QCOMPARE(choose_path(opened, kSpeeds, kDense) == kDense, from_dense_to_dense);
    }

    void speeds_decide_and_not_the_share_alone() {
        constexpr PathSpeeds kFastRows{10, {1, 2, 3, 4, 5}};
        QVERIFY(choose_path(1.0, kFastRows, kExact) == kExact);
        QVERIFY(choose_path(1.0, kFastRows, kDense) == kExact);
        constexpr PathSpeeds kSlowRows{10, {40, 80, 120, 160, 200}};
        QVERIFY(choose_path(0.1, kSlowRows, kExact) == kDense);
        QVERIFY(choose_path(0.04, kSlowRows, kDense) == kExact);
    }

    // A model too small to measure: what is sparse is exact, what hardly is, dense.
    void typical_speeds() {
        QVERIFY(hearth::kTypicalSpeeds.measured() && !PathSpeeds{}.measured());
        for (const double opened : {0.05, 0.1, 0.3, 0.5}) {
            QVERIFY(choose_path(opened, hearth::kTypicalSpeeds, kExact) == kExact);
        }
        for (const double opened : {0.7, 0.8, 0.95}) {
            QVERIFY(choose_path(opened, hearth::kTypicalSpeeds, kExact) == kDense);
        }
    }

    void few_tokens_say_nothing() {
        constexpr auto kLeast = hearth::kLeastTokensForPath;
        QVERIFY(!hearth::measured_share(0, 0, 0));
        QVERIFY(!hearth::measured_share(kLeast - 1, 500, 1000));
        QVERIFY(!hearth::measured_share(kLeast, 0, 0));
        QCOMPARE(hearth::measured_share(kLeast, 250, 1000).value_or(-1), 0.25);
    }

    void a_profile_is_read_at_the_processors_places() {
        hearth::ActivationProfile profile;
        profile.tokens = 20;
        profile.layers.resize(2);
        for (hearth::LayerProfile& layer : profile.layers) {
            for (auto& fired : layer.fired) {
                fired.assign(4, 1000);  // of groups of tokens: nobody's business here
            }
        }
        profile.layers[0].fired[0] = {20, 10, 0, 2};
        profile.layers[1].fired[0] = {20, 20, 20, 0};
        const auto share = [&](int layer, std::vector<int> order, int first) {
            return hearth::profiled_share(profile, layer, order, first).value_or(-1);
        };
        QCOMPARE(share(0, {}, 0), 32.0 / 80);
        QCOMPARE(share(1, {}, 0), 60.0 / 80);
        QCOMPARE(share(0, {}, 2), 2.0 / 40);
        QCOMPARE(share(0, {3, 2, 1, 0}, 2), 30.0 / 40);
        QCOMPARE(share(0, {}, 4), -1.0);
        profile.tokens = hearth::kLeastTokensForPath - 1;
        QCOMPARE(share(0, {}, 0), -1.0);
    }
};

QTEST_GUILESS_MAIN(PathChoiceTest)
#include "path_choice_test.moc"
