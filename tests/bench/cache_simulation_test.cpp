// Policies on traces that are replayed by hand.
#include "bench/cache_simulation.h"

#include <QtTest>
#include <algorithm>

#include "bench/made_trace.h"

using namespace hearth;
using namespace hearth::bench;

namespace {

// One layer.
Trace trace_of(std::uint32_t n_items, std::vector<std::vector<std::uint16_t>> sets) {
    Trace trace{1, n_items, {}, std::move(sets)};
    trace.ids.resize(trace.sets.size());
    return trace;
}

// A letter is a token that asks for that item alone: 'a' is item 0.
Trace letters(const QByteArray& text) {
    std::vector<std::vector<std::uint16_t>> sets;
    for (const char letter : text) {
        sets.push_back({static_cast<std::uint16_t>(letter - 'a')});
    }
    return trace_of(26, std::move(sets));
}

QByteArray misses_of(const Replay& replay) {
    QByteArray text;
    for (const std::size_t misses : replay.misses) {
        text += QByteArray::number(static_cast<qulonglong>(misses));
    }
    return text;
}

std::vector<CachePolicy> all_policies() {
    std::vector<CachePolicy> all;
    for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(CachePolicy::kCount); ++i) {
        all.push_back(static_cast<CachePolicy>(i));
    }
    return all;
}

}  // namespace

class CacheSimulationTest : public QObject {
    Q_OBJECT

private slots:
    void replays_by_hand_data() {
        QTest::addColumn<int>("policy");
        QTest::addColumn<int>("n_slots");
        QTest::addColumn<QByteArray>("tuning");
        QTest::addColumn<QByteArray>("judged");
        QTest::addColumn<QByteArray>("misses");
        const auto row = [](CachePolicy policy, const char* what, int count, const char* tuning,
                            const char* judged, const char* misses) {
            QTest::addRow("%s: %s", to_string(policy).data(), what)
                << static_cast<int>(policy) << count << QByteArray(tuning) << QByteArray(judged)
                << QByteArray(misses);
        };
        using enum CachePolicy;
        row(Lru, "the oldest goes", 2, "", "abacbca", "1101101");
        row(Lru, "a circle hits nothing", 2, "", "abcabc", "111111");
        row(Lru, "what was tuned is there", 2, "ab", "abc", "001");
        row(Lfu, "the rarest goes", 2, "", "aaabcbca", "10011110");
        row(Lfu, "of two the older one", 2, "", "abcab", "11111");
        row(LfuSelecting, "what is rarer does not come in", 2, "", "aabbcab", "1010100");
        // c is as frequent as a and used later, once it was asked for twice.
        row(LfuSelecting, "until it is asked for often", 1, "", "aaccca", "101101");
        row(LruK, "used twice stays", 2, "", "aabcda", "101110");
        row(LruK, "the twice used last goes last", 2, "", "aabbcab", "1010110");
        row(LruKSelecting, "used once does not come in", 2, "", "aabbcab", "1010100");
        row(Arc, "used twice stays while others pass", 2, "", "aabcda", "101110");
        row(Arc, "a ghost comes back as often used", 2, "", "abacb", "11011");
        row(Static, "the most frequent of the tuning", 2, "aabbc", "abcca", "00110");
        row(Static, "nothing tuned: the last items", 2, "", "abyz", "1100");
        row(Belady, "what is used latest goes", 2, "", "abcab", "00100");
        row(Belady, "knows what is not used again", 1, "", "abbb", "0100");
        row(Ours, "fills its slots", 2, "", "abab", "1100");
        row(Ours, "what was tuned is there", 2, "ab", "abc", "001");
        row(Ours, "used often stays while others pass", 2, "", "aaabcdea", "10011110");
        row(OursOfExperts, "fills its slots", 2, "", "abab", "1100");
    }
    void replays_by_hand() {
        QFETCH(int, policy);
        QFETCH(int, n_slots);
        QFETCH(QByteArray, tuning);
        QFETCH(QByteArray, judged);
        QFETCH(QByteArray, misses);
        const std::size_t of_layer[] = {static_cast<std::size_t>(n_slots)};
        const Replay seen =
            replay(static_cast<CachePolicy>(policy), letters(tuning), letters(judged), of_layer);
        QCOMPARE(misses_of(seen), misses);
        QCOMPARE(seen.asked, static_cast<std::size_t>(judged.size()));
    }

    // What a token asks for is there at once: the second of two items does not cost the first one
    // its slot while there is another.
    void a_token_asks_for_a_set_data() {
        QTest::addColumn<int>("policy");
        for (const CachePolicy policy : all_policies()) {
            QTest::addRow("%s", to_string(policy).data()) << static_cast<int>(policy);
        }
    }
    void a_token_asks_for_a_set() {
        QFETCH(int, policy);
        const auto which = static_cast<CachePolicy>(policy);
        const Trace pairs = trace_of(4, {{0, 1}, {0, 1}, {0, 1}, {2, 3}, {2, 3}});
        const std::size_t two[] = {2};
        const Replay seen = replay(which, trace_of(4, {{0, 1}}), pairs, two);
        QVERIFY(seen.misses[1] == 0 && seen.misses[2] == 0);
        QVERIFY(seen.misses[3] == 2);
        QCOMPARE(seen.asked, std::size_t{10});
        // More than there are slots: the rest passes by, every time.
        const Trace threes = trace_of(4, {{0, 1, 2}, {0, 1, 2}});
        QVERIFY(replay(which, threes, threes, two).misses[1] >= 1);
        const std::size_t enough[] = {4};
        QCOMPARE(replay(which, threes, threes, enough).misses[1], std::size_t{0});
    }

    // Of one token the second group's miss takes the slot of the first group's: both together do
    // not fit, and items used more often stay.
    void groups_give_way_to_each_other() {
        const Trace trace = trace_of(300, {{0, 5}, {0, 5}, {2, 200}, {2, 200}});
        const std::size_t three[] = {3};
        const Trace nothing = trace_of(300, {});
        QCOMPARE(misses_of(replay(CachePolicy::Ours, nothing, trace, three)), QByteArray("2020"));
        QCOMPARE(misses_of(replay(CachePolicy::OursInGroups, nothing, trace, three)),
                 QByteArray("2022"));
    }

    // No policy hits much more often than the cache of experts does, be experts as popular as each
    // other or not, and be they chosen again by the next token or not.
    void experts_hit_as_often_as_by_the_best_policy_data() {
        QTest::addColumn<double>("zipf");
        QTest::addColumn<double>("stays");
        for (const double zipf : {0.0, 0.8, 1.2}) {
            for (const double stays : {0.0, 0.2, 0.4}) {
                QTest::addRow("zipf %g, %g stay", zipf, stays) << zipf << stays;
            }
        }
    }
    void experts_hit_as_often_as_by_the_best_policy() {
        QFETCH(double, zipf);
        QFETCH(double, stays);
        const MadeTraceOptions options{
            .n_layer = 2, .n_items = 64, .n_tokens = 1200, .stays = stays, .text = 1};
        MadeTraceOptions other = options;
        other.text = 2;
        const Trace tuning = make_expert_trace(options, 8, zipf);
        const Trace judged = make_expert_trace(other, 8, zipf);
        for (const double share : {0.14, 0.25, 0.5}) {
            const auto of_layer = layer_slots(tuning, share, SlotShares::Equal);
            const auto hits = [&](CachePolicy policy) {
                return 100 * replay(policy, tuning, judged, of_layer).hit_rate();
            };
            const double best = std::max(
                {hits(CachePolicy::Lru), hits(CachePolicy::Lfu), hits(CachePolicy::Static)});
            const double ours = hits(CachePolicy::OursOfExperts);
            QVERIFY2(
                ours > best - 2,
                qPrintable(QString("%1 %: %2 and %3 hits").arg(100 * share).arg(ours).arg(best)));
        }
    }

    // Over many traces, sizes and both kinds of locality.
    void none_misses_less_than_belady() {
        std::size_t compared = 0;
        for (const double stays : {0.0, 0.5, 0.9}) {
            MadeTraceOptions options{.n_layer = 2, .n_items = 96, .n_tokens = 150, .stays = stays};
            const Trace neurons = make_neuron_trace(options);
            const Trace experts = make_expert_trace(options, 6);
            options.text = 2;
            options.of_text = 0.3;
            const Trace tuning[] = {make_neuron_trace(options), make_expert_trace(options, 6)};
            for (const double share : {0.04, 0.08, 0.14, 0.25, 0.5, 1.0}) {
                for (const bool is_neurons : {true, false}) {
                    const Trace& judged = is_neurons ? neurons : experts;
                    const auto n_slots =
                        layer_slots(tuning[is_neurons ? 0 : 1], share, SlotShares::ByFrequency);
                    const Replay best =
                        replay(CachePolicy::Belady, tuning[is_neurons ? 0 : 1], judged, n_slots);
                    for (const CachePolicy policy : all_policies()) {
                        const Replay seen =
                            replay(policy, tuning[is_neurons ? 0 : 1], judged, n_slots);
                        QVERIFY2(best.per_token() <= seen.per_token(), to_string(policy).data());
                        QCOMPARE(seen.asked, best.asked);
                        ++compared;
                    }
                }
            }
        }
        QCOMPARE(compared, std::size_t{3 * 6 * 2} * all_policies().size());
    }

    void slots_follow_frequency() {
        Trace trace{2, 4, {0, 0, 0}, {}};
        trace.sets = {{0, 1, 2}, {3}, {0, 1, 2}, {}, {0, 1, 2}, {}};
        QVERIFY((layer_slots(trace, 0.5, SlotShares::Equal) == std::vector<std::size_t>{2, 2}));
        QVERIFY(
            (layer_slots(trace, 0.5, SlotShares::ByFrequency) == std::vector<std::size_t>{3, 1}));
        QVERIFY((layer_slots(trace, 0, SlotShares::ByFrequency) == std::vector<std::size_t>{1, 1}));
    }

    // Layers whose items are asked for with 0.1 and 0.4: as many are used within as many tokens.
    void slots_follow_a_window() {
        Trace trace{2, 1000, {}, {}};
        trace.ids.resize(1000);
        for (std::uint32_t token = 0; token < 1000; ++token) {
            for (const std::uint32_t every : {10U, 40U}) {
                auto& set = trace.sets.emplace_back();
                for (std::uint32_t item = 0; item < 1000; ++item) {
                    if ((item + token) % every < 4) {
                        set.push_back(static_cast<std::uint16_t>(item));
                    }
                }
            }
        }
        const auto room = layer_slots(trace, 0.5, SlotShares::ByWindow);
        QVERIFY(room[0] + room[1] <= 1000 && room[0] + room[1] > 990);
        const auto tokens = [&](std::size_t layer, double rate) {
            return std::log(1 - static_cast<double>(room[layer]) / 1000) / std::log(1 - rate);
        };
        const double ratio = tokens(0, 0.4) / tokens(1, 0.1);
        QVERIFY2(std::abs(ratio - 1) < 0.02, qPrintable(QString::number(ratio)));
        const auto few = layer_slots(trace, 0.1, SlotShares::ByWindow);
        QCOMPARE(few[1], kPinnedNeighbours);
        QVERIFY(
            (layer_slots(trace, 1, SlotShares::ByWindow) == std::vector<std::size_t>{1000, 1000}));
    }

    void figures_of_a_replay() {
        Replay seen;
        for (std::size_t i = 1; i <= 200; ++i) {
            seen.misses.push_back(201 - i);
        }
        seen.asked = 40200;
        QCOMPARE(seen.per_token(), 100.5);
        QCOMPARE(seen.hit_rate(), 0.5);
        QCOMPARE(seen.percentile(50), std::size_t{100});
        QCOMPARE(seen.percentile(90), std::size_t{180});
        QCOMPARE(seen.percentile(99), std::size_t{198});
        seen.misses = {7};
        QCOMPARE(seen.percentile(50), std::size_t{7});
        QCOMPARE(Replay{}.percentile(50), std::size_t{0});
        QCOMPARE(Replay{}.hit_rate(), 1.0);
    }

    void bound_of_a_machine() {
        BoundInputs inputs;
        inputs.reads_per_second = 50'000;
        inputs.seconds_in_ram = 0.1;
        inputs.cpu_us_per_read = 4;
        inputs.cores = 2;
        inputs.streamed_bytes = 1e9;
        inputs.bytes_per_second = 2e9;
        // Disk 0.2 s; processor 0.1 + 10,000 * 4 us / 2 = 0.12 s; streaming 0.5 s.
        QVERIFY(std::abs(bound(10'000, inputs) - 1 / 0.7) < 1e-12);
        // Disk 0.02 s; processor 0.102 s.
        QVERIFY(std::abs(bound(1'000, inputs) - 1 / 0.602) < 1e-12);
    }
};

QTEST_GUILESS_MAIN(CacheSimulationTest)
#include "cache_simulation_test.moc"
