#include "tools/training/sizing.h"

#include <QtTest>

using namespace hearth::tools;

namespace {

// Tokens for which the given neurons fire.
std::vector<TokenSample> tokens_of(const std::vector<std::vector<Fired>>& fired) {
    std::vector<TokenSample> tokens;
    for (const auto& token : fired) {
        tokens.push_back({nullptr, token});
    }
    return tokens;
}

// The search over widths whose costs `cost` knows; what it tried, then the answer.
template <class Cost>
std::vector<int> search(int baseline, int step, int most, const Cost& cost) {
    WidthSearch widths(baseline, step, most);
    std::vector<int> tried;
    while (widths.next() != 0 && tried.size() < 100) {
        tried.push_back(widths.next());
        widths.tried(cost(widths.next()));
    }
    tried.push_back(widths.best());
    return tried;
}

}  // namespace

class SizingTest : public QObject {
    Q_OBJECT

private slots:
    void activity() {
        // 10 neurons; neuron 0 always fires, each of the others never or once.
        const std::vector<std::vector<Fired>> fired = {
            {pack_fired(0, 1.0F), pack_fired(1, 1.0F)},
            {pack_fired(0, 1.0F), pack_fired(2, 1.0F)},
            {pack_fired(0, 1.0F), pack_fired(3, 1.0F)},
            {pack_fired(0, 1.0F)},
        };
        const NeuronActivity found = measure_activity(tokens_of(fired), 10);
        QCOMPARE(found.active, 7.0 / 40);
        QCOMPARE(found.skew, 5.0 / 7);  // the two busiest: 4 and 1
        QCOMPARE(measure_activity(tokens_of({{}, {}}), 10).active, 0.0);
    }

    void more_skew_or_more_sparsity_is_smaller() {
        const int base = baseline_width({.active = 0.1, .skew = 0.3}, 1024);
        QVERIFY(baseline_width({.active = 0.1, .skew = 0.8}, 1024) < base);
        QVERIFY(baseline_width({.active = 0.02, .skew = 0.3}, 1024) < base);
        QCOMPARE(base % 32, 0);
        QVERIFY(baseline_width({.active = 0.0001, .skew = 1}, 512) >= 32);
        QCOMPARE(baseline_width({.active = 0.1, .skew = 0.3}, 4096) % 256, 0);
    }

    void cost() { QCOMPARE(predicted_bytes(1000, 0.25, 4000), 2000.0); }

    void finds_the_width_that_costs_least_data() {
        QTest::addColumn<int>("baseline");
        QTest::addColumn<int>("least");
        QTest::newRow("above") << 64 << 320;
        QTest::newRow("below") << 320 << 64;
        QTest::newRow("right there") << 160 << 160;
        QTest::newRow("at the lower end") << 96 << 1;
        QTest::newRow("at the upper end") << 96 << 5000;
    }
    void finds_the_width_that_costs_least() {
        QFETCH(int, baseline);
        QFETCH(int, least);
        const auto cost = [&](int width) { return 1000.0 + 40.0 * std::abs(width - least); };
        const auto tried = search(baseline, 32, 480, cost);
        const int best = tried.back();
        QVERIFY2(std::abs(best - std::clamp(least, 32, 480)) <= std::max(32, least / 4),
                 qPrintable(QString::number(best)));
        QVERIFY(tried.size() < 12);
        for (const int width : tried) {
            QVERIFY(width >= 32 && width <= 480 && width % 32 == 0);
        }
    }

    void a_gain_too_small_is_none() {
        const auto tried = search(96, 32, 480, [](int width) { return 1000.0 - 0.01 * width; });
        QCOMPARE(tried, (std::vector<int>{96, 160, 64, 96}));
    }

    void a_narrow_limit() {
        QCOMPARE(search(96, 32, 32, [](int) { return 1.0; }), (std::vector<int>{32, 32}));
        QCOMPARE(search(96, 32, 0, [](int) { return 1.0; }), (std::vector<int>{32, 32}));
    }
};

QTEST_GUILESS_MAIN(SizingTest)
#include "sizing_test.moc"
