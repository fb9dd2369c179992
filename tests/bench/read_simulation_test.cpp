// What misses cost the disk, by hand.
#include "bench/read_simulation.h"

#include <QtTest>
#include <algorithm>
#include <cstdlib>

#include "bench/made_trace.h"

using namespace hearth::bench;

namespace {

using Order = std::vector<std::vector<std::uint16_t>>;

Trace trace_of(std::uint32_t n_items, std::vector<std::vector<std::uint16_t>> sets) {
    Trace trace{1, n_items, {}, std::move(sets)};
    trace.ids.resize(trace.sets.size());
    return trace;
}

}  // namespace

class ReadSimulationTest : public QObject {
    Q_OBJECT

private slots:
    // Records of 1024 bytes. Of what is missed, neighbours at most the gap apart are one read, and
    // reads of two groups (of 128) stay two.
    void neighbours_are_one_read() {
        const Trace nothing = trace_of(300, {});
        const Trace judged =
            trace_of(300, {{0, 1, 2, 5, 40, 127, 128}, {0, 1, 2, 6, 40, 127, 128}});
        ReadRules rules{.record_bytes = 1024, .merge_gap_bytes = 2048};
        Reads seen = replay_reads(nothing, judged, 300, true, rules);
        QCOMPARE(seen.misses, 4.0);  // 7 and 1 of 2 tokens
        QCOMPARE(seen.reads, 2.5);
        QCOMPARE(seen.bytes, (6 + 1 + 1 + 1 + 1) * 1024 / 2.0);
        rules.merge_gap_bytes = 0;
        seen = replay_reads(nothing, judged, 300, true, rules);
        QCOMPARE(seen.reads, 3.0);
        QCOMPARE(seen.bytes, 8 * 1024 / 2.0);
        rules.largest_read_bytes = 2048;
        seen = replay_reads(nothing, judged, 300, true, rules);
        QCOMPARE(seen.reads, 3.5);
    }

    // The cache is SlotTable's: with names known first, what a later group wants is not thrown out.
    void later_groups_keep_what_they_want() {
        const Trace nothing = trace_of(300, {});
        const Trace judged = trace_of(300, {{200, 201}, {200, 201}, {0, 200}});
        const ReadRules rules{.record_bytes = 512};
        QVERIFY(replay_reads(nothing, judged, 2, true, rules).misses >
                replay_reads(nothing, judged, 2, false, rules).misses);
    }

    void orders_are_permutations() {
        const Trace trace =
            make_neuron_trace({.n_layer = 2, .n_items = 200, .n_tokens = 100, .stays = 0.5});
        for (std::uint8_t i = 0; i < static_cast<std::uint8_t>(FileOrder::kCount); ++i) {
            const Order order = file_order(trace, static_cast<FileOrder>(i), 50);
            QCOMPARE(order.size(), std::size_t{2});
            for (const auto& layer : order) {
                auto sorted = layer;
                std::sort(sorted.begin(), sorted.end());
                for (std::size_t n = 0; n < 200; ++n) {
                    QCOMPARE(static_cast<std::size_t>(sorted[n]), n);
                }
            }
        }
    }

    void items_get_the_numbers_of_their_places() {
        const Trace ordered = in_order(trace_of(4, {{0, 1}, {3}}), {{2, 0, 3, 1}});
        QVERIFY((ordered.sets == std::vector<std::vector<std::uint16_t>>{{1, 3}, {2}}));
    }

    // Ten sets of ten, scattered over the file, of which each token asks for one: side by side, a
    // token is one read.
    void what_is_asked_for_together_lies_together() {
        std::vector<std::vector<std::uint16_t>> sets;
        for (std::uint16_t token = 0; token < 200; ++token) {
            auto& set = sets.emplace_back();
            for (std::uint16_t i = 0; i < 10; ++i) {
                set.push_back(static_cast<std::uint16_t>(10 * i + (7 * token) % 10));
            }
        }
        const Trace trace = trace_of(100, sets);
        const ReadRules rules{.record_bytes = 512, .merge_gap_bytes = 0};
        const auto reads = [&](FileOrder order) {
            const Order places = file_order(trace, order, 10);
            const Trace ordered = in_order(trace, places);
            return replay_reads(ordered, ordered, 10, true, rules).reads;
        };
        QCOMPARE(reads(FileOrder::AsTraced), 10.0);
        QCOMPARE(reads(FileOrder::AskedTogether), 1.0);
        QCOMPARE(reads(FileOrder::MissedTogether), 1.0);
        QVERIFY(reads(FileOrder::Random) > 5);
    }
};

QTEST_GUILESS_MAIN(ReadSimulationTest)
#include "read_simulation_test.moc"
