// The choice of experts, number by number.
#include "cpu/feed_forward/expert_choice.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

using hearth::ChosenExpert;
using hearth::ExpertsSpec;
using hearth::RouterScores;

namespace {

std::vector<ChosenExpert> chosen(const ExpertsSpec& spec, std::vector<float> products,
                                 const std::vector<float>& bias = {}) {
    std::vector<ChosenExpert> out(static_cast<std::size_t>(spec.n_used));
    hearth::choose_experts(spec, products, bias, out);
    return out;
}

std::vector<int> experts(const std::vector<ChosenExpert>& all) {
    std::vector<int> numbers;
    for (const ChosenExpert& one : all) {
        numbers.push_back(one.expert);
    }
    return numbers;
}

bool near(float a, double b) {
    return std::fabs(static_cast<double>(a) - b) < 1e-6;
}

double sigmoid(double x) {
    return 1 / (1 + std::exp(-x));
}

}  // namespace

class ExpertChoiceTest : public QObject {
    Q_OBJECT

private slots:
    void the_largest_are_chosen_in_the_order_of_their_numbers() {
        const ExpertsSpec spec{.n = 5, .n_used = 3, .n_ff = 32};
        QCOMPARE(experts(chosen(spec, {0, 4, 1, 3, 2})), (std::vector<int>{1, 3, 4}));
        QCOMPARE(experts(chosen(spec, {5, 4, 3, 2, 1})), (std::vector<int>{0, 1, 2}));
    }

    void of_equal_ones_the_first() {
        const ExpertsSpec spec{.n = 5, .n_used = 2, .n_ff = 32};
        QCOMPARE(experts(chosen(spec, {1, 2, 1, 2, 2})), (std::vector<int>{1, 3}));
        QCOMPARE(experts(chosen(spec, {1, 1, 1, 1, 1})), (std::vector<int>{0, 1}));
        QCOMPARE(experts(chosen(spec, {1, 1, 1, 9, 1})), (std::vector<int>{0, 3}));
    }

    void softmax_weights() {
        ExpertsSpec spec{.n = 3, .n_used = 2, .n_ff = 32};
        const double total = 1 + std::exp(1.0) + std::exp(2.0);
        auto all = chosen(spec, {2, 0, 1});
        QVERIFY(near(all[0].weight, std::exp(2.0) / total));
        QVERIFY(near(all[1].weight, std::exp(1.0) / total));
        spec.scale = 3.0F;
        QVERIFY(near(chosen(spec, {2, 0, 1})[0].weight, 3 * std::exp(2.0) / total));
        spec.scale = 1.0F;
        spec.normed = true;
        all = chosen(spec, {2, 0, 1});
        QVERIFY(near(all[0].weight, sigmoid(1)) && near(all[1].weight, sigmoid(-1)));
        spec.scale = 2.5F;
        QVERIFY(near(chosen(spec, {2, 0, 1})[0].weight, 2.5 * sigmoid(1)));
        spec.scores = RouterScores::SoftmaxOfChosen;
        QVERIFY(near(chosen(spec, {2, 0, 1})[0].weight, 2.5 * sigmoid(1)));
        // Far from zero the same.
        QVERIFY(near(chosen(spec, {902, -1000, 901})[1].weight, 2.5 * sigmoid(-1)));
    }

    // The bias chooses, and does not weigh.
    void sigmoids_and_their_bias() {
        ExpertsSpec spec{.n = 3, .n_used = 1, .n_ff = 32, .scores = RouterScores::Sigmoid};
        const auto all = chosen(spec, {2, 1, 0}, {0, 0, 0.5F});
        QCOMPARE(all[0].expert, 2);
        QVERIFY(near(all[0].weight, 0.5));
        QCOMPARE(chosen(spec, {2, 1, 0})[0].expert, 0);
    }

    // A sum of next to nothing does not make much of it.
    void weights_of_next_to_nothing() {
        const ExpertsSpec spec{
            .n = 2, .n_used = 1, .n_ff = 32, .scores = RouterScores::Sigmoid, .normed = true};
        QVERIFY(near(chosen(spec, {-20, -30})[0].weight, sigmoid(-20) / 6.103515625e-5));
    }

    // Groups count by their two best, and no expert of another one is chosen.
    void groups() {
        ExpertsSpec spec{.n = 6,
                         .n_used = 2,
                         .n_ff = 32,
                         .scores = RouterScores::SoftmaxOfChosen,
                         .n_groups = 3,
                         .n_used_groups = 1};
        QCOMPARE(experts(chosen(spec, {9, 0, 5, 5, 6, 3})), (std::vector<int>{2, 3}));
        QCOMPARE(experts(chosen(spec, {5, 5, 5, 5, 5, 5})), (std::vector<int>{0, 1}));
        spec.n_used_groups = 2;
        QCOMPARE(experts(chosen(spec, {1, 0, 5, 5, 6, 3})), (std::vector<int>{2, 4}));
        // The bias chooses groups, too.
        QCOMPARE(experts(chosen(spec, {1, 0, 5, 5, 6, 3}, {20, 20, 0, 0, 0, 0})),
                 (std::vector<int>{0, 1}));
        // Scores that are a softmax's count by the best one alone.
        ExpertsSpec softmax = spec;
        softmax.scores = RouterScores::Softmax;
        softmax.n_used_groups = 1;
        QCOMPARE(experts(chosen(softmax, {1, 0, 5, 5, 6, -9})), (std::vector<int>{4, 5}));
        // A group may have one expert alone.
        spec.n_groups = 6;
        QCOMPARE(experts(chosen(spec, {-9, -8, -7, -6, -5, -4})), (std::vector<int>{4, 5}));
    }

    // DeepSeek-V2's choice and its weights, in double precision from the definition.
    void groups_of_a_softmax() {
        const ExpertsSpec spec{
            .n = 160, .n_used = 6, .n_ff = 32, .n_groups = 8, .n_used_groups = 3, .scale = 16};
        std::mt19937 random(5);
        std::normal_distribution<float> normal;
        int other_sums = 0;
        for (int turn = 0; turn < 200; ++turn) {
            std::vector<float> products(160);
            std::generate(products.begin(), products.end(), [&] { return normal(random); });
            const std::vector<int> by_best = of_groups(products, 1);
            QCOMPARE(experts(chosen(spec, products)), by_best);
            other_sums += of_groups(products, 2) != by_best ? 1 : 0;
            double total = 0;
            for (const float product : products) {
                total += std::exp(static_cast<double>(product));
            }
            for (const ChosenExpert& one : chosen(spec, products)) {
                const auto product =
                    static_cast<double>(products[static_cast<std::size_t>(one.expert)]);
                QVERIFY(std::fabs(static_cast<double>(one.weight) -
                                  16 * std::exp(product) / total) < 1e-6);
            }
        }
        QVERIFY(other_sums > 50);  // the two rules differ
    }

private:
    // The six best of 160 experts in the three of eight groups with the largest sums of their
    // `count` best softmax scores.
    static std::vector<int> of_groups(const std::vector<float>& products, int count) {
        std::vector<std::pair<double, int>> groups;
        for (int group = 0; group < 8; ++group) {
            std::vector<double> scores;
            for (int i = 20 * group; i < 20 * (group + 1); ++i) {
                const auto product = static_cast<double>(products[static_cast<std::size_t>(i)]);
                scores.push_back(std::exp(product));
            }
            std::sort(scores.rbegin(), scores.rend());
            groups.emplace_back(-std::accumulate(scores.begin(), scores.begin() + count, 0.0),
                                group);
        }
        std::sort(groups.begin(), groups.end());
        std::vector<std::pair<float, int>> order;
        for (int rank = 0; rank < 3; ++rank) {
            const int first = 20 * groups[static_cast<std::size_t>(rank)].second;
            for (int i = first; i < first + 20; ++i) {
                order.emplace_back(-products[static_cast<std::size_t>(i)], i);
            }
        }
        std::sort(order.begin(), order.end());
        std::vector<int> best;
        for (int i = 0; i < 6; ++i) {
            best.push_back(order[static_cast<std::size_t>(i)].second);
        }
        std::sort(best.begin(), best.end());
        return best;
    }
};

QTEST_APPLESS_MAIN(ExpertChoiceTest)
#include "expert_choice_test.moc"
