// The choice of experts, number by number.
#include "cpu/feed_forward/expert_choice.h"

#include <QtTest>
#include <cmath>
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
        // A group may have one expert alone.
        spec.n_groups = 6;
        QCOMPARE(experts(chosen(spec, {-9, -8, -7, -6, -5, -4})), (std::vector<int>{4, 5}));
    }
};

QTEST_APPLESS_MAIN(ExpertChoiceTest)
#include "expert_choice_test.moc"
