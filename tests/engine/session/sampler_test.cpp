#include "session/sampler.h"

#include <QtTest>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>

#include "support/best_candidates.h"

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

// How often each token is drawn from the same logits.
std::map<int, int> draws(hearth::SamplingOptions options, const std::vector<float>& logits,
                         int count) {
    options.seed = 42;
    hearth::Sampler sampler(options, static_cast<int>(logits.size()));
    std::map<int, int> seen;
    for (int i = 0; i < count; ++i) {
        std::vector<float> copy = logits;
        auto token = sampler.sample(copy, {});
        ++seen[token ? *token : -1];
    }
    return seen;
}

constexpr int kVocab = 300;
constexpr int kBest = 64;

// Of kVocab tokens and some rows that are none: ties, zeros of both signs, NaN and infinities.
std::vector<float> rough_logits(unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<float> normal;
    std::vector<float> logits(kVocab + 20);
    for (float& logit : logits) {
        logit = std::round(normal(random) * 16) / 4;
        if (random() % 64 == 0) {
            logit = random() % 2 == 0 ? kNan : -kInfinity;
        }
    }
    if (seed % 4 == 0) {
        logits[seed % logits.size()] = kInfinity;
    }
    return logits;
}

const hearth::SamplingOptions kPlain{.temperature = 1.0F, .top_k = 0, .top_p = 1.0F, .min_p = 0.0F};

}  // namespace

class SamplerTest : public QObject {
    Q_OBJECT

private slots:
    void greedy_takes_the_largest_and_the_lower_of_equals() {
        hearth::Sampler sampler({.temperature = 0.0F}, 5);
        std::vector<float> logits{kNan, 2.0F, 3.0F, 3.0F, -1.0F};
        QCOMPARE(*sampler.sample(logits, {}), 2);
    }

    void no_number_is_an_error() {
        for (const float temperature : {0.0F, 1.0F}) {
            hearth::Sampler sampler({.temperature = temperature}, 2);
            std::vector<float> logits{kNan, kNan};
            auto token = sampler.sample(logits, {});
            QVERIFY(!token);
            QVERIFY(token.error().code == hearth::ErrorCode::BadFile);
        }
    }

    // Expected counts of a softmax; five standard deviations.
    void draws_the_softmax() {
        const std::vector<float> logits{0.0F, 1.0F, 2.0F, -kInfinity};
        const int count = 20000;
        auto seen = draws(kPlain, logits, count);
        const double total = 1.0 + std::exp(1.0) + std::exp(2.0);
        for (int token = 0; token < 3; ++token) {
            const double p = std::exp(static_cast<double>(token)) / total;
            QVERIFY(std::fabs(seen[token] - count * p) < 5 * std::sqrt(count * p * (1 - p)));
        }
        QCOMPARE(seen[3], 0);
    }

    void temperature_sharpens() {
        auto options = kPlain;
        options.temperature = 0.1F;
        QVERIFY(draws(options, {0.0F, 1.0F}, 1000)[1] > 990);
    }

    void top_k_top_p_min_p_cut() {
        const std::vector<float> logits{std::log(0.5F), std::log(0.3F), std::log(0.15F),
                                        std::log(0.05F)};
        auto top_k = kPlain;
        top_k.top_k = 2;
        auto seen = draws(top_k, logits, 2000);
        QCOMPARE(seen.size(), std::size_t{2});
        QVERIFY(seen.contains(0) && seen.contains(1));

        auto top_p = kPlain;
        top_p.top_p = 0.79F;  // 0.5 alone is too little, 0.8 is enough
        seen = draws(top_p, logits, 2000);
        QCOMPARE(seen.size(), std::size_t{2});

        auto min_p = kPlain;
        min_p.min_p = 0.2F;  // of the largest: 0.1
        seen = draws(min_p, logits, 2000);
        QCOMPARE(seen.size(), std::size_t{3});

        auto nothing = kPlain;
        nothing.top_p = 0.0F;  // one candidate always stays
        seen = draws(nothing, logits, 100);
        QCOMPARE(seen[0], 100);
    }

    // What is left after a cut keeps its shares: they sum to 1 again. Five standard deviations.
    void what_a_cut_leaves_keeps_its_shares_data() {
        QTest::addColumn<hearth::SamplingOptions>("options");
        QTest::addColumn<std::vector<double>>("kept");  // of the four, not divided yet
        const auto row = [](const char* name, int k, float p, float min_p,
                            const std::vector<double>& kept) {
            auto options = kPlain;
            options.top_k = k;
            options.top_p = p;
            options.min_p = min_p;
            QTest::newRow(name) << options << kept;
        };
        row("nothing", 0, 1.0F, 0.0F, {0.5, 0.3, 0.15, 0.05});
        row("top-k", 2, 1.0F, 0.0F, {0.5, 0.3});
        row("top-p", 0, 0.79F, 0.0F, {0.5, 0.3});
        row("top-p of three", 0, 0.9F, 0.0F, {0.5, 0.3, 0.15});
        row("min-p", 0, 1.0F, 0.2F, {0.5, 0.3, 0.15});
        row("top-p after top-k", 3, 0.8F, 0.0F, {0.5, 0.3});  // 0.76 of what top-k left
        row("min-p after top-p", 0, 0.9F, 0.5F, {0.5, 0.3});
    }
    void what_a_cut_leaves_keeps_its_shares() {
        QFETCH(hearth::SamplingOptions, options);
        QFETCH(std::vector<double>, kept);
        const int count = 20000;
        auto seen = draws(
            options, {std::log(0.5F), std::log(0.3F), std::log(0.15F), std::log(0.05F)}, count);
        const double total = std::accumulate(kept.begin(), kept.end(), 0.0);
        for (std::size_t token = 0; token < 4; ++token) {
            const double p = token < kept.size() ? kept[token] / total : 0.0;
            const int drawn = seen[static_cast<int>(token)];
            QVERIFY2(std::fabs(drawn - count * p) <= 5 * std::sqrt(count * p * (1 - p)),
                     qPrintable(QString("token %1: %2 of %3, wanted %4")
                                    .arg(token)
                                    .arg(drawn)
                                    .arg(count)
                                    .arg(count * p)));
        }
    }

    void repetition_is_penalised_once_a_token_and_within_its_window() {
        hearth::SamplingOptions options{.temperature = 0.0F, .repeat_penalty = 2.0F};
        options.repeat_last_n = 3;
        hearth::Sampler sampler(options, 4);
        std::vector<float> logits{5.0F, 3.0F, -1.0F, 1.0F};
        const std::vector<std::int32_t> recent{1, 0, 0, 2};  // 1 is too long ago
        QCOMPARE(*sampler.sample(logits, recent), 1);
        QCOMPARE(logits[0], 2.5F);
        QCOMPARE(logits[1], 3.0F);
        QCOMPARE(logits[2], -2.0F);
    }

    // From the best of the logits what all of them would give, draw for draw.
    void candidates_are_enough_data() {
        QTest::addColumn<hearth::SamplingOptions>("options");
        QTest::newRow("greedy") << hearth::SamplingOptions{.temperature = 0};
        QTest::newRow("defaults") << hearth::SamplingOptions{};
        QTest::newRow("penalty") << hearth::SamplingOptions{.repeat_penalty = 1.3F};
        QTest::newRow("greedy, penalty")
            << hearth::SamplingOptions{.temperature = 0, .repeat_penalty = 1.3F};
        QTest::newRow("hot, top-k alone")
            << hearth::SamplingOptions{.temperature = 4, .top_k = 40, .top_p = 1, .min_p = 0};
        QTest::newRow("min-p cuts")
            << hearth::SamplingOptions{.top_k = 0, .top_p = 1, .min_p = 0.2F};
        QTest::newRow("typical-p after top-k") << hearth::SamplingOptions{.typical_p = 0.7F};
        QTest::newRow("XTC") << hearth::SamplingOptions{.xtc_probability = 0.5F,
                                                        .xtc_threshold = 0.05F};
        QTest::newRow("presence and frequency")
            << hearth::SamplingOptions{.presence_penalty = 1.5F, .frequency_penalty = 0.5F};
        QTest::newRow("greedy, DRY") << hearth::SamplingOptions{
            .temperature = 0, .dry_multiplier = 3, .dry_allowed_length = 1};
        QTest::newRow("min-p cuts before k")
            << hearth::SamplingOptions{.top_k = 2 * kBest, .top_p = 1, .min_p = 0.2F};
    }
    void candidates_are_enough() {
        QFETCH(hearth::SamplingOptions, options);
        options.seed = 11;
        hearth::Sampler from_all(options, kVocab);
        hearth::Sampler from_best(options, kVocab);
        for (unsigned round = 0; round < 300; ++round) {
            std::vector<float> logits = rough_logits(round);
            const std::vector<hearth::Candidate> best = hearth::test::best_of(logits, kBest);
            // Every second is one of the best.
            std::vector<std::int32_t> recent;
            for (unsigned i = 0; i < 12; ++i) {
                recent.push_back(i % 2 == 0 ? best[i].token % kVocab
                                            : static_cast<std::int32_t>((round * 37 + i) % kVocab));
            }
            const auto token = from_best.sample_among(best, kBest, recent);
            QVERIFY(token);
            logits.resize(kVocab);
            QCOMPARE(*token, *from_all.sample(logits, recent));
        }
    }

    // Whatever else they are asked, they say the same as all logits or nothing, and nothing is
    // drawn.
    void candidates_are_right_or_say_nothing() {
        std::mt19937 random(5);
        const auto one_of = [&](auto... values) {
            const std::array list{values...};
            return list[random() % list.size()];
        };
        int said = 0;
        int silent = 0;
        for (unsigned round = 0; round < 3000; ++round) {
            const hearth::SamplingOptions options{
                .temperature = one_of(0.0F, 0.3F, 1.0F, 5.0F),
                .top_k = one_of(0, 1, 10, int{kBest} - 4, int{kBest} + 1),
                .typical_p = one_of(1.0F, 1.0F, 0.5F),
                .top_p = one_of(0.0F, 0.9F, 1.0F),
                .min_p = one_of(0.0F, 0.05F, 0.6F),
                .xtc_probability = one_of(0.0F, 0.0F, 0.5F),
                .xtc_threshold = one_of(0.1F, 0.01F),
                .repeat_penalty = one_of(1.0F, 1.2F, 8.0F, 0.7F),
                .presence_penalty = one_of(0.0F, 0.0F, 1.0F, 1.0F, -1.0F),
                .frequency_penalty = one_of(0.0F, 0.5F),
                .repeat_last_n = one_of(0, 4, 64, -1),
                .dry_multiplier = one_of(0.0F, 0.8F),
                .dry_allowed_length = one_of(1, 2),
                .dry_last_n = one_of(-1, 0, 8),
                .seed = round + 1};
            hearth::SamplerWords words;
            for (unsigned i = 0; i < round % 4; ++i) {
                const float up = round % 3 == 0 ? 9.0F : -1.0F;
                words.biases.push_back(
                    {static_cast<std::int32_t>(random() % kVocab), one_of(-2.0F, -kInfinity, up)});
            }
            hearth::Sampler from_all(options, kVocab, words);
            hearth::Sampler from_best(options, kVocab, words);
            std::vector<std::int32_t> recent;
            for (unsigned pass = 0; pass < 3; ++pass) {
                std::vector<float> logits = rough_logits(3 * round + pass);
                if (round % 5 == 0) {  // fewer numbers than candidates
                    std::fill(logits.begin() + 20, logits.end(), kNan);
                }
                const std::vector<hearth::Candidate> best = hearth::test::best_of(logits, kBest);
                for (const hearth::Candidate& one : best) {
                    if (random() % 2 == 0 && one.token < kVocab) {
                        recent.push_back(one.token);
                    }
                }
                const auto token = from_best.sample_among(best, kBest, recent);
                logits.resize(kVocab);
                std::vector<float> copy = logits;
                const auto wanted = from_all.sample(logits, recent);
                QVERIFY(wanted);
                QCOMPARE(token ? *token : *from_best.sample(copy, recent), *wanted);
                (token ? said : silent) += 1;
            }
        }
        QVERIFY2(said > 2000 && silent > 2000, qPrintable(QString("%1 %2").arg(said).arg(silent)));
    }

    void candidates_do_not_speak_for_all() {
        const std::vector<hearth::Candidate> best{{3.0F, 4}, {2.0F, 1}, {2.0F, 7}};
        const auto says = [&](const hearth::SamplingOptions& options, std::size_t n_best,
                              const std::vector<std::int32_t>& recent = {}, int n_vocab = 100) {
            hearth::Sampler sampler(options, n_vocab);
            return sampler.sample_among(std::span(best).first(std::min(n_best, best.size())),
                                        n_best, recent);
        };
        QCOMPARE(says({.temperature = 0}, 3), 4);
        QVERIFY(!says({.temperature = 0}, 0));
        QVERIFY(!says({.temperature = 0, .repeat_penalty = 0.9F}, 3));
        QVERIFY(!says({.temperature = 0, .presence_penalty = -1}, 3, {9}));
        QVERIFY(!says({.temperature = 0, .frequency_penalty = -1}, 3, {9}));
        QVERIFY(says({.temperature = 0, .presence_penalty = -1, .repeat_last_n = 0}, 3, {9}));
        // 4 falls behind the last, then both that are left are still good.
        QCOMPARE(says({.temperature = 0, .repeat_penalty = 2.0F}, 3, {4}), 1);
        QVERIFY(!says({.temperature = 0, .repeat_penalty = 2.0F}, 3, {4, 1, 7}));
        QCOMPARE(says({.temperature = 0, .repeat_penalty = 2.0F}, 4, {4, 1, 7}), 4);
        QCOMPARE(says({.temperature = 0}, 3, {}, 4), 1);
        QVERIFY(!says({.temperature = 0}, 3, {}, 1));
        QVERIFY(says({.top_k = 3}, 3));
        QVERIFY(!says({.top_k = 4}, 3));
        QVERIFY(says({.top_k = 4}, 4));  // there are no more
        QVERIFY(!says({.top_k = 3}, 3, {}, 4));
        QVERIFY(!says({.top_k = 0, .top_p = 1.0F, .min_p = 0.1F}, 3));
        QVERIFY(says({.top_k = 0, .top_p = 1.0F, .min_p = 0.5F}, 3));
        QVERIFY(!says({.top_k = 0, .top_p = 0.9F, .min_p = 0.5F}, 3));
        QVERIFY(!says({.top_k = 0, .typical_p = 0.9F, .top_p = 1.0F, .min_p = 0.5F}, 3));
    }

    // Equal seeds draw alike, others do not. (Other platforms were never compared.)
    void a_seed_fixes_the_draws() {
        const std::vector<float> logits{0.0F, 0.1F, 0.2F, 0.3F, 0.4F, 0.5F, 0.6F, 0.7F};
        hearth::SamplingOptions options = kPlain;
        options.seed = 7;
        hearth::Sampler a(options, 8);
        hearth::Sampler b(options, 8);
        options.seed = 8;
        hearth::Sampler c(options, 8);
        std::vector<int> from_a;
        std::vector<int> from_b;
        std::vector<int> from_c;
        for (int i = 0; i < 32; ++i) {
            std::vector<float> x = logits;
            std::vector<float> y = logits;
            std::vector<float> z = logits;
            from_a.push_back(*a.sample(x, {}));
            from_b.push_back(*b.sample(y, {}));
            from_c.push_back(*c.sample(z, {}));
        }
        QCOMPARE(from_a, from_b);
        QVERIFY(from_a != from_c);
    }

    void a_fresh_seed_is_reported() {
        hearth::Sampler sampler({}, 4);
        QVERIFY(sampler.seed() != 0);
    }
};

QTEST_GUILESS_MAIN(SamplerTest)
#include "sampler_test.moc"
