#include "session/dry_penalty.h"

#include <QtTest>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

using hearth::DryPenalty;

namespace {

using Lengths = std::map<std::int32_t, std::size_t>;

// The definition, word by word: every earlier place is compared with the end of the text, token by
// token.
Lengths lengths_by_definition(const std::vector<std::int32_t>& text, std::size_t allowed,
                              int last_n, const std::vector<bool>& breaks) {
    const std::size_t window =
        last_n < 0 ? text.size() : std::min(text.size(), static_cast<std::size_t>(last_n));
    const std::vector<std::int32_t> seen(text.end() - static_cast<std::ptrdiff_t>(window),
                                         text.end());
    const auto is_breaker = [&](std::int32_t token) {
        return static_cast<std::size_t>(token) < breaks.size() &&
               breaks[static_cast<std::size_t>(token)];
    };
    Lengths longest;
    for (std::size_t next = 1; next < seen.size(); ++next) {
        std::size_t length = 0;
        while (length < next && seen[next - 1 - length] == seen[seen.size() - 1 - length] &&
               !is_breaker(seen[next - 1 - length])) {
            ++length;
        }
        if (length >= allowed && !is_breaker(seen[next])) {
            longest[seen[next]] = std::max(longest[seen[next]], length);
        }
    }
    return longest;
}

Lengths lengths_of(DryPenalty& dry, const std::vector<std::int32_t>& text) {
    Lengths longest;
    for (const DryPenalty::Hit& hit : dry.hits(text)) {
        longest[hit.token] = std::max(longest[hit.token], hit.length);
    }
    return longest;
}

DryPenalty dry_of(int allowed, int last_n, std::vector<bool> breaks = {}) {
    return {{.dry_multiplier = 0.8F, .dry_allowed_length = allowed, .dry_last_n = last_n},
            std::move(breaks)};
}

}  // namespace

class DryPenaltyTest : public QObject {
    Q_OBJECT

private slots:
    void continues_a_repetition() {
        DryPenalty dry = dry_of(2, -1);
        QCOMPARE(lengths_of(dry, {1, 2, 3, 9, 1, 2}), (Lengths{{3, 2}}));
        // The longer of two counts: "5 1 2" before 4, "1 2" before 3.
        QCOMPARE(lengths_of(dry, {1, 2, 3, 5, 1, 2, 4, 5, 1, 2}), (Lengths{{3, 2}, {4, 3}}));
        QCOMPARE(lengths_of(dry, {1, 2}), Lengths{});
        QCOMPARE(lengths_of(dry, {}), Lengths{});
        // A repetition may overlap itself.
        QCOMPARE(lengths_of(dry, {7, 7, 7, 7}), (Lengths{{7, 3}}));
    }

    void breakers_end_it() {
        DryPenalty dry = dry_of(1, -1, {false, false, false, true});
        QCOMPARE(lengths_of(dry, {0, 1, 2, 0, 1}), (Lengths{{2, 2}}));
        QCOMPARE(lengths_of(dry, {0, 3, 1, 2, 0, 3, 1}), (Lengths{{2, 1}}));
        QCOMPARE(lengths_of(dry, {0, 3, 0}), Lengths{});           // a breaker is not lowered
        QCOMPARE(lengths_of(dry, {0, 1, 3, 0, 1, 3}), Lengths{});  // the last one breaks
    }

    void penalties_grow_and_are_bounded() {
        const DryPenalty dry{{.dry_multiplier = 0.5F, .dry_base = 2, .dry_allowed_length = 3}, {}};
        QCOMPARE(dry.penalty(3), 0.5F);
        QCOMPARE(dry.penalty(5), 2.0F);
        QCOMPARE(dry.penalty(100000), static_cast<float>(DryPenalty::kMostPenalty));
        QVERIFY(!DryPenalty().on());
    }

    // Against the definition, on texts of few words, which repeat themselves a lot.
    void equals_the_definition() {
        std::mt19937 random(3);
        std::size_t hits = 0;
        for (int round = 0; round < 3000; ++round) {
            const int words = 1 + static_cast<int>(random() % 4);
            std::vector<std::int32_t> text(random() % 40);
            for (std::int32_t& token : text) {
                token = static_cast<std::int32_t>(random() % static_cast<unsigned>(words));
            }
            const int allowed = 1 + static_cast<int>(random() % 4);
            const int last_n = static_cast<int>(random() % 30) - 1;
            std::vector<bool> breaks(random() % 5);
            for (std::size_t i = 0; i < breaks.size(); ++i) {
                breaks[i] = random() % 4 == 0;
            }
            DryPenalty dry = dry_of(allowed, last_n, breaks);
            const Lengths wanted =
                lengths_by_definition(text, static_cast<std::size_t>(allowed), last_n, breaks);
            QCOMPARE(lengths_of(dry, text), wanted);
            QCOMPARE(lengths_of(dry, text), wanted);  // the second time too
            hits += wanted.size();
        }
        QVERIFY(hits > 1000);
    }

    // A text that repeats everywhere takes linear time: quadratic would be 10^12 comparisons.
    void a_long_text_is_no_trouble() {
        DryPenalty dry = dry_of(2, -1);
        const std::vector<std::int32_t> text(1000000, 5);
        QCOMPARE(lengths_of(dry, text), (Lengths{{5, 999999}}));
    }
};

QTEST_GUILESS_MAIN(DryPenaltyTest)
#include "dry_penalty_test.moc"
