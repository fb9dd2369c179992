// Each step of the sampler against its definition, in double precision: not draws but the
// distribution that is drawn from.
#include <QtTest>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "session/sampler.h"

using hearth::Sampler;
using hearth::SamplerWords;
using hearth::SamplingOptions;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
using Shares = std::map<std::int32_t, double>;

struct Case {
    SamplingOptions options;
    SamplerWords words;
    std::vector<std::int32_t> recent;
    std::set<std::int32_t> masked;  // may not come
};

struct One {
    std::int32_t token;
    double logit;
    double share;
};

void divide(std::vector<One>& all) {
    double total = 0;
    for (const One& one : all) {
        total += one.share;
    }
    for (One& one : all) {
        one.share /= total;
    }
}

void by_share(std::vector<One>& all) {
    std::sort(all.begin(), all.end(), [](const One& a, const One& b) {
        return a.share != b.share ? a.share > b.share : a.token < b.token;
    });
}

// Keeps the first ones until they make up `enough`, at least one.
void keep_first(std::vector<One>& all, double enough) {
    double sum = 0;
    std::size_t kept = 0;
    while (kept < all.size() && (kept == 0 || sum < enough)) {
        sum += all[kept++].share;
    }
    all.resize(kept);
    divide(all);
}

double lowered_by_dry(const Case& c, std::int32_t token) {
    const std::vector<std::int32_t>& text = c.recent;
    std::size_t longest = 0;
    for (std::size_t at = 1; at < text.size(); ++at) {
        std::size_t length = 0;
        while (length < at && text[at - 1 - length] == text[text.size() - 1 - length]) {
            ++length;
        }
        longest = text[at] == token ? std::max(longest, length) : longest;
    }
    const auto allowed = static_cast<std::size_t>(c.options.dry_allowed_length);
    return longest < allowed ? 0
                             : static_cast<double>(c.options.dry_multiplier) *
                                   std::pow(static_cast<double>(c.options.dry_base),
                                            static_cast<double>(longest - allowed));
}

// XTC leaves out with certainty here. Thresholds are double: the options' floats.
Shares by_definition(const Case& c, const std::vector<float>& logits) {
    const SamplingOptions& o = c.options;
    std::vector<One> all;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        const auto token = static_cast<std::int32_t>(i);
        double logit = static_cast<double>(logits[i]);
        for (const SamplerWords::Bias& bias : c.words.biases) {
            logit += bias.token == token ? static_cast<double>(bias.bias) : 0;
        }
        const std::size_t window =
            o.repeat_last_n < 0
                ? c.recent.size()
                : std::min(c.recent.size(), static_cast<std::size_t>(o.repeat_last_n));
        const auto count =
            std::count(c.recent.end() - static_cast<std::ptrdiff_t>(window), c.recent.end(), token);
        if (count > 0) {
            const auto repeat = static_cast<double>(o.repeat_penalty);
            logit = logit > 0 ? logit / repeat : logit * repeat;
            logit -= static_cast<double>(count) * static_cast<double>(o.frequency_penalty) +
                     static_cast<double>(o.presence_penalty);
        }
        logit -= lowered_by_dry(c, token);
        if (std::isfinite(logit) && !c.masked.contains(token)) {
            all.push_back({token, logit, std::exp(logit / static_cast<double>(o.temperature))});
        }
    }
    divide(all);
    by_share(all);
    if (o.top_k > 0 && all.size() > static_cast<std::size_t>(o.top_k)) {
        all.resize(static_cast<std::size_t>(o.top_k));
        divide(all);
    }
    if (o.typical_p < 1) {
        double entropy = 0;
        for (const One& one : all) {
            entropy -= one.share * std::log(one.share);
        }
        std::sort(all.begin(), all.end(), [&](const One& a, const One& b) {
            return std::fabs(-std::log(a.share) - entropy) <
                   std::fabs(-std::log(b.share) - entropy);
        });
        keep_first(all, static_cast<double>(o.typical_p));
        by_share(all);
    }
    if (o.top_p < 1) {
        keep_first(all, static_cast<double>(o.top_p));
    }
    const double most = all[0].share;
    std::erase_if(all,
                  [&](const One& one) { return one.share < static_cast<double>(o.min_p) * most; });
    divide(all);
    if (o.xtc_probability > 0) {
        const auto likely = std::count_if(all.begin(), all.end(), [&](const One& one) {
            return one.share >= static_cast<double>(o.xtc_threshold);
        });
        if (likely > 1) {
            all.erase(all.begin(), all.begin() + (likely - 1));
            divide(all);
        }
    }
    Shares shares;
    for (const One& one : all) {
        shares[one.token] = one.share;
    }
    return shares;
}

SamplingOptions plain() {
    return {.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 5};
}

std::vector<std::uint64_t> mask_without(const std::set<std::int32_t>& masked, std::size_t n) {
    std::vector<std::uint64_t> bits((n + 63) / 64);
    for (std::size_t i = 0; i < n; ++i) {
        if (!masked.contains(static_cast<std::int32_t>(i))) {
            bits[i / 64] |= std::uint64_t{1} << (i % 64);
        }
    }
    return bits;
}

}  // namespace

Q_DECLARE_METATYPE(Case)

class SamplerStepsTest : public QObject {
    Q_OBJECT

    static void row(const char* name, const SamplingOptions& changes, SamplerWords words = {},
                    std::vector<std::int32_t> recent = {1, 2, 3, 1, 2, 70, 1, 2},
                    std::set<std::int32_t> masked = {}) {
        QTest::newRow(name) << Case{changes, std::move(words), std::move(recent),
                                    std::move(masked)};
    }

private slots:
    void follows_the_definition_data() {
        QTest::addColumn<Case>("c");
        auto o = plain();
        row("softmax", o);
        o.temperature = 0.6F;
        row("temperature", o);
        for (const float p : {0.05F, 0.3F, 0.9F}) {
            o = plain();
            o.typical_p = p;
            row(qPrintable(QString("typical-p %1").arg(static_cast<double>(p))), o);
            o.top_k = 12;
            o.top_p = 0.8F;
            o.min_p = 0.3F;
            row(qPrintable(QString("all cuts, typical-p %1").arg(static_cast<double>(p))), o);
        }
        o = plain();
        o.xtc_probability = 1;
        for (const float threshold : {0.01F, 0.05F, 0.3F, 0.5F}) {
            o.xtc_threshold = threshold;
            row(qPrintable(QString("XTC %1").arg(static_cast<double>(threshold))), o);
        }
        o.xtc_threshold = 0.1F;
        o.min_p = 0.1F;
        o.top_k = 20;
        row("XTC after the cuts", o);
        o = plain();
        o.presence_penalty = 1.5F;
        row("presence", o);
        o.frequency_penalty = 0.7F;
        row("presence and frequency", o);
        o.presence_penalty = -0.5F;
        row("presence that raises", o);
        o.repeat_last_n = 4;
        row("penalties in a window", o);
        o.repeat_last_n = 0;
        row("penalties of no window", o);
        o.repeat_last_n = -1;
        std::vector<std::int32_t> many;
        for (std::int32_t i = 0; i < 300; ++i) {
            many.push_back(i % 7);
        }
        row("penalties of the context", o, {}, many);
        o.repeat_penalty = 1.3F;
        row("all penalties", o);
        o = plain();
        o.dry_multiplier = 0.8F;
        row("DRY", o);
        o.dry_allowed_length = 3;
        o.dry_base = 1.5F;
        row("DRY from three on", o);
        o = plain();
        row("bias", o, {{{3, 2.0F}, {4, -1.5F}, {3, 0.5F}}, {}});
        row("ban", o, {{{0, -kInfinity}, {5, -kInfinity}, {0, 4.0F}}, {}});
        row("mask", o, {}, {}, {0, 1, 2, 64, 65});
        o.top_k = 5;
        o.typical_p = 0.9F;
        row("mask before the cuts", o, {}, {}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    }
    void follows_the_definition() {
        QFETCH(Case, c);
        std::mt19937 random(9);
        std::normal_distribution<float> normal(0, 2);
        Sampler sampler(c.options, 75, c.words);
        for (int round = 0; round < 60; ++round) {
            std::vector<float> logits(75);
            for (float& logit : logits) {
                logit = normal(random);
            }
            const Shares wanted = by_definition(c, logits);
            const std::vector<std::uint64_t> mask = mask_without(c.masked, logits.size());
            const auto token = sampler.sample(
                logits, c.recent, c.masked.empty() ? hearth::TokenMask() : hearth::TokenMask(mask));
            QVERIFY(token);
            QVERIFY(wanted.contains(*token));
            const auto shares = sampler.distribution();
            QCOMPARE(shares.size(), wanted.size());
            for (const auto& [one, share] : shares) {
                QVERIFY2(std::fabs(share - wanted.at(one)) < 1e-5,
                         qPrintable(QString("round %1, token %2: %3, wanted %4")
                                        .arg(round)
                                        .arg(one)
                                        .arg(share)
                                        .arg(wanted.at(one))));
            }
        }
    }

    // Hand-made: p = 0.5 0.3 0.15 0.05, entropy 1.142 nats; the surprises are 0.693, 1.204, 1.897
    // and 2.996. The nearest is 0.3, then 0.5, then 0.15.
    void typical_p_by_hand() {
        const auto kept = [](float typical_p) {
            auto options = plain();
            options.typical_p = typical_p;
            Sampler sampler(options, 4);
            std::vector<float> logits{std::log(0.5F), std::log(0.3F), std::log(0.15F),
                                      std::log(0.05F)};
            if (!sampler.sample(logits, {})) {
                return std::vector<std::int32_t>{};
            }
            std::vector<std::int32_t> tokens;
            for (const auto& [token, share] : sampler.distribution()) {
                tokens.push_back(token);
            }
            return tokens;
        };
        QCOMPARE(kept(0.2F), (std::vector<std::int32_t>{1}));
        QCOMPARE(kept(0.4F), (std::vector<std::int32_t>{0, 1}));
        QCOMPARE(kept(0.9F), (std::vector<std::int32_t>{0, 1, 2}));
        QCOMPARE(kept(0.99F), (std::vector<std::int32_t>{0, 1, 2, 3}));
    }

    // XTC is tossed for: five standard deviations.
    void xtc_happens_as_often_as_said() {
        auto options = plain();
        options.xtc_probability = 0.3F;
        options.xtc_threshold = 0.15F;
        Sampler sampler(options, 3);
        int times = 0;
        const int count = 20000;
        for (int i = 0; i < count; ++i) {
            std::vector<float> logits{std::log(0.5F), std::log(0.3F), std::log(0.2F)};
            QVERIFY(sampler.sample(logits, {}));
            times += sampler.distribution().size() == 1 ? 1 : 0;
        }
        QVERIFY(std::fabs(times - count * 0.3) < 5 * std::sqrt(count * 0.3 * 0.7));
    }

    void greedy_heeds_bias_penalties_and_mask() {
        const SamplingOptions greedy{.temperature = 0, .presence_penalty = 3};
        Sampler plain_one(greedy, 4);
        std::vector<float> logits{5, 4, 3, -kInfinity};
        QCOMPARE(*plain_one.sample(logits, std::vector<std::int32_t>{0}), 1);
        QCOMPARE(plain_one.distribution().size(), std::size_t{1});
        Sampler biased(greedy, 4, {{{2, 4.0F}, {0, -kInfinity}}, {}});
        logits = {5, 4, 3, -kInfinity};
        QCOMPARE(*biased.sample(logits, {}), 2);
        const std::vector<std::uint64_t> mask{0b1010};
        logits = {5, 4, 3, -kInfinity};
        QCOMPARE(*biased.sample(logits, {}, mask), 1);
        logits = {5, 4, 3, -kInfinity};
        const std::vector<std::uint64_t> last{0b1000};  // unlikely, and still the only one
        QCOMPARE(*biased.sample(logits, {}, last), 3);
    }

    // A token that the candidates do not hold is raised above them, and one among them banned.
    void a_bias_from_outside_the_candidates() {
        const std::vector<hearth::Candidate> best{{9, 4}, {8, 1}, {7, 2}};
        const SamplingOptions greedy{.temperature = 0};
        Sampler raised(greedy, 10, {{{6, 5.0F}}, {}});
        QVERIFY(!raised.sample_among(best, 3, {}));
        std::vector<float> logits{0, 8, 7, 0, 9, 0, 6, 0, 0, 0};
        QCOMPARE(*raised.sample(logits, {}), 6);
        Sampler banned(greedy, 10, {{{4, -kInfinity}}, {}});
        QCOMPARE(banned.sample_among(best, 3, {}), 1);
        Sampler lowered(greedy, 10, {{{4, -1.5F}, {1, -2.0F}}, {}});
        QCOMPARE(lowered.sample_among(best, 3, {}), 4);
        Sampler none_left(greedy, 10, {{{4, -3.0F}, {1, -3.0F}, {2, -3.0F}}, {}});
        QVERIFY(!none_left.sample_among(best, 3, {}));  // a token outside may be better now
    }

    void nothing_left_is_an_error_and_the_next_draw_is_right() {
        for (const float temperature : {0.0F, 1.0F}) {
            Sampler sampler({.temperature = temperature}, 2,
                            {{{0, -kInfinity}, {1, -kInfinity}}, {}});
            std::vector<float> logits{1, 2};
            const auto token = sampler.sample(logits, {});
            QVERIFY(!token);
            QVERIFY(token.error().code == hearth::ErrorCode::InvalidArgument);
            Sampler half({.temperature = temperature}, 2, {{{1, -kInfinity}}, {}});
            logits = {1, 2};
            QVERIFY(!half.sample(logits, {}, std::vector<std::uint64_t>{0b10}));
            logits = {1, 2};
            QCOMPARE(*half.sample(logits, {}, std::vector<std::uint64_t>{0b11}), 0);
            logits = {kInfinity * 0, kInfinity * 0};
            const auto damaged = half.sample(logits, {}, std::vector<std::uint64_t>{0b11});
            QVERIFY(!damaged && damaged.error().code == hearth::ErrorCode::BadFile);
        }
    }

    // A step that is off draws nothing: the same tokens as with the options left out.
    void defaults_are_off() {
        SamplingOptions named{.seed = 3};
        named.xtc_threshold = 0.01F;   // but its probability is 0
        named.dry_allowed_length = 1;  // but its multiplier is 0
        named.repeat_last_n = -1;      // but there is no penalty
        named.xtc_probability = 0.0F;
        Sampler a({.seed = 3}, 50);
        Sampler b(named, 50);
        named.xtc_probability = 1.0F;
        named.xtc_threshold = 0.51F;  // no two tokens can reach it
        Sampler c(named, 50);
        std::mt19937 random(2);
        std::normal_distribution<float> normal(0, 1);
        for (int round = 0; round < 200; ++round) {
            std::vector<float> logits(50);
            for (float& logit : logits) {
                logit = normal(random);
            }
            std::vector<float> again = logits;
            std::vector<float> third = logits;
            const std::vector<std::int32_t> recent{1, 1, 1};
            const std::int32_t token = *a.sample(logits, recent);
            QCOMPARE(*b.sample(again, recent), token);
            QCOMPARE(*c.sample(third, recent), token);
        }
    }
};

QTEST_GUILESS_MAIN(SamplerStepsTest)
#include "sampler_steps_test.moc"
