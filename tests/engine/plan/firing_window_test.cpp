// What a layer's cache holds of the neurons that fire within a while.
#include "plan/firing_window.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <functional>
#include <random>

using hearth::ActivationProfile;
using hearth::FiringWindow;
using hearth::ModelSpec;

namespace {

// fired: of each layer's neurons.
ActivationProfile profile_of(std::uint64_t tokens, std::vector<std::vector<std::uint32_t>> fired) {
    ActivationProfile profile;
    profile.tokens = profile.groups[0] = tokens;
    for (auto& layer : fired) {
        profile.layers.emplace_back().fired[0] = std::move(layer);
    }
    return profile;
}

ModelSpec spec_of(const ActivationProfile& profile) {
    ModelSpec spec;
    for (const auto& layer : profile.layers) {
        spec.layers.emplace_back().n_ff = static_cast<int>(layer.fired[0].size());
    }
    return spec;
}

}  // namespace

class FiringWindowTest : public QObject {
    Q_OBJECT

private slots:
    void nothing_is_known_without_a_profile_that_counts() {
        const ActivationProfile profile = profile_of(hearth::kProfileTokensMin, {{1, 2}, {3, 4}});
        const ModelSpec spec = spec_of(profile);
        QVERIFY(FiringWindow(spec, &profile).is_known());
        QVERIFY(!FiringWindow(spec, nullptr).is_known());
        const auto few = profile_of(hearth::kProfileTokensMin - 1, {{1, 2}, {3, 4}});
        QVERIFY(!FiringWindow(spec, &few).is_known());
        const auto of_another = profile_of(hearth::kProfileTokensMin, {{1, 2}, {3, 4, 5}});
        QVERIFY(!FiringWindow(spec, &of_another).is_known());
    }

    // An expert's neurons fire together, where it is chosen.
    void experts_count_as_their_neurons() {
        const ActivationProfile profile = profile_of(1023, {{128, 896}});
        ModelSpec spec;
        spec.layers.emplace_back().n_ff = 200;
        spec.layers.front().experts = {.n = 2, .n_used = 1, .n_ff = 100};
        const FiringWindow window(spec, &profile);
        QVERIFY(window.is_known());
        const auto near = [](double value, double expected) {
            return std::abs(value - expected) < 1e-9;
        };
        QVERIFY(near(window.neurons(0, 1), 100 * (128.5 + 896.5) / 1024));
        QVERIFY((window.experts(0) == std::vector<int>{1, 0}));
        QVERIFY((window.expert_uses(0) == std::vector<std::uint8_t>{2, 14}));  // of 8 in the mean
        // The hotter one lies elsewhere.
        QVERIFY(near(window.neurons(0, 1, 100), 100 * 128.5 / 1024));
    }

    // Rates of 1/8, 1/4 and 7/8, by Jeffreys' estimator of 1023 tokens.
    void by_hand() {
        const ActivationProfile profile = profile_of(1023, {{128, 896, 256, 256}});
        const FiringWindow window(spec_of(profile), &profile);
        const auto rate = [](int fired) { return (fired + 0.5) / 1024; };
        const auto near = [](double value, double expected) {
            return std::abs(value - expected) < 1e-9;
        };
        QVERIFY(near(window.neurons(0, 1), rate(128) + rate(896) + 2 * rate(256)));
        QVERIFY(near(window.neurons(0, 2), 4 - std::pow(1 - rate(128), 2) -
                                               std::pow(1 - rate(896), 2) -
                                               2 * std::pow(1 - rate(256), 2)));
        QVERIFY(near(window.neurons(0, 1, 1), rate(128) + 2 * rate(256)));
        QVERIFY(near(window.neurons(0, 1, 2), rate(128) + rate(256)));
        QVERIFY(near(window.neurons(0, 1, 4), 0));
    }

    // Neurons of about one rate are counted together: within 1 % of each by itself.
    void as_each_neuron_by_itself() {
        std::mt19937 random(1);
        std::vector<std::uint32_t> fired(5000);
        for (std::uint32_t& count : fired) {
            const double share = static_cast<double>(random()) / 4294967296.0;
            count = static_cast<std::uint32_t>(20000 * std::pow(share, 6));
        }
        const ActivationProfile profile = profile_of(20000, {fired});
        const FiringWindow window(spec_of(profile), &profile);
        std::sort(fired.begin(), fired.end(), std::greater<>());
        double before = 0;
        for (const double tokens : {0.1, 1.0, 3.5, 20.0, 100.0, 1e4, 1e7}) {
            for (const int left_out : {0, 700}) {
                double expected = 0;
                for (std::size_t i = static_cast<std::size_t>(left_out); i < fired.size(); ++i) {
                    expected += 1 - std::pow(1 - hearth::firing_rate(fired[i], 20000), tokens);
                }
                const double got = window.neurons(0, tokens, left_out);
                QVERIFY2(std::abs(got - expected) < 0.01 * expected,
                         qPrintable(QStringLiteral("%1 %2").arg(got).arg(expected)));
            }
            QVERIFY(window.neurons(0, tokens) > before);
            before = window.neurons(0, tokens);
        }
        QCOMPARE(std::lround(window.neurons(0, 1e12)), 5000L);
    }
};

QTEST_GUILESS_MAIN(FiringWindowTest)
#include "firing_window_test.moc"
