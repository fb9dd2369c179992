#include "plan/vram_moves.h"

#include <QtTest>
#include <numeric>
#include <set>
#include <vector>

using hearth::ActivationProfile;
using hearth::PlaceExchange;
using hearth::Placement;
using hearth::VramMoves;

namespace {

constexpr int kExperts = 8;
constexpr int kFf = 32;

using Counts = std::vector<std::vector<std::uint32_t>>;

// A mixture, a dense layer, and a mixture.
hearth::ModelSpec spec() {
    hearth::ModelSpec spec;
    spec.layers.resize(3);
    for (const std::size_t l : {std::size_t{0}, std::size_t{2}}) {
        spec.layers[l].n_ff = kExperts * kFf;
        spec.layers[l].experts.n = kExperts;
        spec.layers[l].experts.n_used = 2;
        spec.layers[l].experts.n_ff = kFf;
    }
    spec.layers[1].n_ff = 64;
    return spec;
}

// VRAM has `hot` experts of both mixtures, the first ones of the order.
Placement placement(int hot, const std::vector<int>& order) {
    Placement placement = hearth::all_in_ram(spec().neurons());
    for (const int layer : {0, 2}) {
        placement.layers[static_cast<std::size_t>(layer)].attention = hearth::Unit::Gpu;
        placement.layers[static_cast<std::size_t>(layer)].order = order;
        hearth::place_neurons(placement, layer, kExperts * kFf, hot * kFf);
    }
    return placement;
}

const std::vector<int> kOrder = {7, 6, 5, 4, 3, 2, 1, 0};

Counts nothing() {
    return {std::vector<std::uint32_t>(kExperts), std::vector<std::uint32_t>(64),
            std::vector<std::uint32_t>(kExperts)};
}

// Tokens that choose two experts of layer 2, and 0 and 1 of layer 0, by turns with their next.
Counts choices(std::uint32_t tokens, std::size_t a, std::size_t b) {
    Counts counts = nothing();
    counts[0][7] = counts[0][6] = tokens;  // which VRAM has
    counts[2][a] += tokens;
    counts[2][b] += tokens;
    return counts;
}

ActivationProfile profile(std::uint32_t tokens, std::size_t a, std::size_t b) {
    ActivationProfile profile;
    profile.tokens = tokens;
    for (const std::vector<std::uint32_t>& fired : choices(tokens, a, b)) {
        profile.layers.emplace_back().fired[0] = fired;
    }
    return profile;
}

// A sparse model of two layers.
hearth::ModelSpec sparse_spec(int n_ff) {
    hearth::ModelSpec spec;
    spec.layers.resize(2);
    for (hearth::LayerSpec& layer : spec.layers) {
        layer.n_ff = n_ff;
        layer.activation = hearth::Activation::ReluGated;
    }
    return spec;
}

// VRAM has the first `hot` neurons of an order that goes up, of the second layer alone.
Placement sparse_placement(int n_ff, int hot) {
    Placement placement = hearth::all_in_ram(sparse_spec(n_ff).neurons());
    std::vector<int>& order = placement.layers[1].order;
    order.resize(static_cast<std::size_t>(n_ff));
    std::iota(order.begin(), order.end(), 0);
    placement.layers[1].attention = hearth::Unit::Gpu;
    hearth::place_neurons(placement, 1, n_ff, hot);
    return placement;
}

}  // namespace

class VramMovesTest : public QObject {
    Q_OBJECT

private slots:
    void nothing_is_known_at_first() {
        const VramMoves moves(spec(), nullptr);
        QVERIFY(moves.wanted(placement(2, kOrder), 100).empty());
    }

    void what_is_chosen_takes_the_place_of_what_is_not() {
        const Placement now = placement(2, kOrder);
        VramMoves moves(spec(), nullptr);
        moves.add(choices(100, 1, 7), 100, now);
        // Expert 1 has place 6. Expert 6, at place 1, was never chosen in layer 2; 7 was.
        const std::vector<PlaceExchange> wanted = moves.wanted(now, 100);
        QVERIFY((wanted == std::vector<PlaceExchange>{{2, 1, 6}}));
        Placement then = now;
        hearth::exchange(then, wanted.front());
        QVERIFY((then.layers[2].order == std::vector<int>{7, 1, 5, 4, 3, 2, 6, 0}));
        QVERIFY(then.layers[0] == now.layers[0]);
        QVERIFY(moves.wanted(then, 100).empty());
    }

    void chance_moves_nothing() {
        const Placement now = placement(2, kOrder);
        VramMoves moves(spec(), nullptr);
        // 24 and 8: a difference of 2.8 deviations; 54 and 10: of 5.5.
        Counts counts = choices(0, 1, 7);
        counts[2] = {24, 0, 0, 0, 0, 0, 8, 32};
        moves.add(counts, 32, now);
        QVERIFY(moves.wanted(now, 100).empty());
        counts[2] = {30, 0, 0, 0, 0, 0, 2, 32};
        moves.add(counts, 32, now);
        QVERIFY((moves.wanted(now, 100) == std::vector<PlaceExchange>{{2, 1, 7}}));
    }

    void most_gain_first_and_no_more_than_asked_for() {
        const Placement now = placement(2, kOrder);
        VramMoves moves(spec(), nullptr);
        Counts counts = nothing();
        counts[0] = {0, 0, 60, 50, 0, 0, 0, 0};  // places 5 and 4
        counts[2] = {0, 100, 0, 0, 0, 0, 0, 0};  // place 6
        moves.add(counts, 100, now);
        const std::vector<PlaceExchange> all = {{2, 0, 6}, {0, 0, 5}, {0, 1, 4}};
        QVERIFY(moves.wanted(now, 100) == all);
        QVERIFY((moves.wanted(now, 2) == std::vector<PlaceExchange>{all[0], all[1]}));
        QVERIFY(moves.wanted(now, 0).empty());
    }

    void what_has_no_other_place_stays() {
        VramMoves moves(spec(), nullptr);
        moves.add(choices(100, 1, 2), 100, placement(2, kOrder));
        QVERIFY(!moves.wanted(placement(2, kOrder), 100).empty());
        QVERIFY(moves.wanted(placement(0, kOrder), 100).empty());
        QVERIFY(moves.wanted(placement(kExperts, kOrder), 100).empty());
        QVERIFY(moves.wanted(placement(2, {}), 100).empty());
    }

    // A profile of other days knows experts 0 and 1; today's texts want 4 and 5.
    void the_last_answers_say_what_moves_once_they_foresee_more() {
        const ActivationProfile known = profile(100000, 0, 1);
        Placement now = placement(2, {0, 1, 2, 3, 4, 5, 6, 7});
        now.layers[0].order = {7, 6, 0, 1, 2, 3, 4, 5};
        VramMoves moves(spec(), &known);
        QVERIFY(moves.wanted(now, 100).empty());
        moves.add(choices(200, 4, 5), 200, now);
        QVERIFY(!moves.goes_by_last());  // neither was judged yet
        QVERIFY(moves.wanted(now, 100).empty());
        moves.add(choices(200, 4, 5), 200, now);
        QVERIFY(moves.goes_by_last());
        const std::vector<PlaceExchange> wanted = moves.wanted(now, 100);
        QVERIFY((wanted == std::vector<PlaceExchange>{{2, 0, 4}, {2, 1, 5}}));
        for (const PlaceExchange& two : wanted) {
            hearth::exchange(now, two);
        }
        // The texts of other days again: their profile foresees them, the last answers do not. It
        // takes several half-lives until the judgement has forgotten today's.
        for (int i = 0; i < 8; ++i) {
            moves.add(choices(200, 0, 1), 200, now);
        }
        QVERIFY((moves.wanted(now, 100) == std::vector<PlaceExchange>{{2, 0, 4}, {2, 1, 5}}));
        QVERIFY((now.layers[2].order == std::vector<int>{4, 5, 2, 3, 0, 1, 6, 7}));
    }

    void choices_of_long_ago_count_less() {
        const Placement now = placement(2, kOrder);
        VramMoves moves(spec(), nullptr);
        // Expert 0 for 4,000 tokens, then 1 for 2,000.
        moves.add(choices(4000, 0, 7), 4000, now);
        QVERIFY((moves.wanted(now, 1) == std::vector<PlaceExchange>{{2, 1, 7}}));
        for (int i = 0; i < 20; ++i) {
            moves.add(choices(100, 1, 7), 100, now);
        }
        QVERIFY(moves.goes_by_last());
        QVERIFY((moves.wanted(now, 1) == std::vector<PlaceExchange>{{2, 1, 6}}));
    }

    void neurons_that_fire_take_the_place_of_those_that_do_not() {
        constexpr int kN = 200;
        Placement now = sparse_placement(kN, 50);
        VramMoves moves(sparse_spec(kN), nullptr);
        Counts counts(2, std::vector<std::uint32_t>(kN));
        for (std::size_t i = 0; i < kN; ++i) {
            counts[0][i] = 100;                                      // all of it is in RAM
            counts[1][i] = i >= 40 && i < 60 ? 90 : i < 40 ? 5 : 6;  // 5 or 6 is chance
        }
        moves.add(counts, 100, now);
        const std::vector<PlaceExchange> wanted = moves.wanted(now, 100);
        QCOMPARE(wanted.size(), std::size_t{10});
        std::set<int> places;
        for (const PlaceExchange& two : wanted) {
            QCOMPARE(two.layer, 1);
            QVERIFY(two.vram_place < 40 && two.other_place >= 50 && two.other_place < 60);
            places.insert({two.vram_place, two.other_place});
            hearth::exchange(now, two);
        }
        QCOMPARE(places.size(), std::size_t{20});  // none comes twice
        QVERIFY(moves.wanted(now, 100).empty());
        QCOMPARE(moves.wanted(sparse_placement(kN, 50), 3).size(), std::size_t{3});
    }

    void hits_are_of_layers_that_both_have_a_part_of() {
        constexpr int kN = 64;
        Placement now = sparse_placement(kN, 16);
        VramMoves moves(sparse_spec(kN), nullptr);
        Counts counts(2, std::vector<std::uint32_t>(kN, 1));
        counts[1][3] = 9;
        counts[1][40] = 33;
        moves.add(counts, 33, now);
        VramMoves::Hits hits = moves.take_hits();
        QCOMPARE(hits.uses, std::uint64_t{64 + 8 + 32});
        QCOMPARE(hits.in_vram, std::uint64_t{16 + 8});
        QCOMPARE(moves.take_hits().uses, std::uint64_t{0});
        hearth::exchange(now, {1, 0, 40});
        moves.add(counts, 33, now);
        hits = moves.take_hits();
        QCOMPARE(hits.in_vram, std::uint64_t{16 + 8 + 32});
    }

    void dense_models_and_dense_layers_of_mixtures_have_nothing_to_move() {
        hearth::ModelSpec dense = sparse_spec(64);
        QVERIFY(VramMoves::suits(dense));
        QVERIFY(VramMoves::suits(spec()));
        for (hearth::LayerSpec& layer : dense.layers) {
            layer.activation = hearth::Activation::SiluGated;
        }
        QVERIFY(!VramMoves::suits(dense));
        Counts counts(2, std::vector<std::uint32_t>(64));
        counts[1][63] = 100;
        VramMoves moves(dense, nullptr);
        moves.add(counts, 100, sparse_placement(64, 16));
        QVERIFY(moves.wanted(sparse_placement(64, 16), 100).empty());
        QCOMPARE(moves.take_hits().uses, std::uint64_t{0});
    }

    void no_tokens_change_nothing() {
        const Placement now = placement(2, kOrder);
        VramMoves moves(spec(), nullptr);
        moves.add(choices(100, 1, 7), 100, now);
        const auto before = moves.wanted(now, 100);
        moves.add(nothing(), 0, now);
        QVERIFY(moves.wanted(now, 100) == before && !before.empty());
    }
};

QTEST_APPLESS_MAIN(VramMovesTest)
#include "vram_moves_test.moc"
