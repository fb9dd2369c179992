#include "plan/placement.h"

#include <QtTest>
#include <algorithm>
#include <numeric>
#include <random>

#include "support/vram_part.h"

using namespace hearth;

class PlacementTest : public QObject {
    Q_OBJECT

private slots:
    // A GPU's part comes back, whatever it is; empty lists come back as lists of nothing.
    void the_gpus_part_is_what_was_placed() {
        std::mt19937 random(3);
        const auto up_to = [&](int n) { return std::uniform_int_distribution<int>(0, n)(random); };
        for (int round = 0; round < 200; ++round) {
            test::VramPart part;
            part.output_in_vram = up_to(1) == 1;
            const bool ordered = up_to(1) == 1;
            for (int layer = up_to(5); layer >= 0; --layer) {
                part.n_ff.push_back(32 * (1 + up_to(3)));
                part.hot_neurons.push_back(std::min(part.n_ff.back(), 32 * up_to(4)));
                part.attention_in_vram.push_back(up_to(1) == 1);
                if (ordered) {
                    std::vector<int>& order = part.neuron_order.emplace_back();
                    // Some layers keep the file's order.
                    order.resize(layer == 0 || up_to(2) > 0
                                     ? static_cast<std::size_t>(part.n_ff.back())
                                     : 0);
                    std::iota(order.begin(), order.end(), 0);
                    std::shuffle(order.begin(), order.end(), random);
                }
            }
            const Placement placement = part;
            check_placement(placement, part.n_ff);
            const test::VramPart back = test::vram_part(placement);
            QCOMPARE(back.n_ff, part.n_ff);
            QCOMPARE(back.hot_neurons, part.hot_neurons);
            QCOMPARE(back.neuron_order, part.neuron_order);
            QVERIFY(back.attention_in_vram == part.attention_in_vram);
            QCOMPARE(back.output_in_vram, part.output_in_vram);
            QCOMPARE(placement.uses_vram(), part.output_in_vram || placement.has_hot_neurons() ||
                                                std::count(part.attention_in_vram.begin(),
                                                           part.attention_in_vram.end(), true) > 0);
            QVERIFY(!placement.reads_flash());
        }
    }

    // Their expected uses go with them.
    void experts_exchange_places() {
        Placement placement = all_in_ram(std::vector<int>{64});
        LayerPlacement& layer = placement.layers.front();
        layer.order = {3, 2, 1, 0};
        exchange(placement, {.layer = 0, .vram_place = 0, .other_place = 2});
        QVERIFY((layer.order == std::vector<int>{1, 2, 3, 0}));
        QVERIFY(layer.expected_uses.empty());
        layer.expected_uses = {9, 8, 7, 6};
        exchange(placement, {.layer = 0, .vram_place = 1, .other_place = 3});
        QVERIFY((layer.order == std::vector<int>{1, 0, 3, 2}));
        QVERIFY((layer.expected_uses == std::vector<std::uint8_t>{9, 6, 7, 8}));
    }

    void without_a_gpu_all_is_in_ram() {
        const std::vector<int> n_ff{64, 96, 0};
        const Placement placement = all_in_ram(n_ff);
        check_placement(placement, n_ff);
        QVERIFY(placement.output == Home::Ram && !placement.uses_vram());
        for (std::size_t l = 0; l < n_ff.size(); ++l) {
            QVERIFY(placement.layers[l].attention == Unit::Cpu &&
                    placement.layers[l].order.empty());
            QCOMPARE(placement.layers[l].n_neurons(), n_ff[l]);
            QVERIFY(std::ranges::all_of(placement.layers[l].clusters,
                                        [](const auto& one) { return one.home == Home::Ram; }));
        }
        QVERIFY(placement.layers[2].clusters.empty());
    }

    // Neurons in slots are the processor's too.
    void clusters_of_one_unit_are_added_up() {
        Placement placement;
        LayerPlacement& layer = placement.layers.emplace_back();
        layer.attention = Unit::Gpu;
        layer.clusters = {{{0, 0, 32}, Home::Vram},
                          {{0, 32, 64}, Home::Vram},
                          {{0, 96, 32}, Home::Ram},
                          {{0, 128, 32}, Home::Ram}};
        QCOMPARE(placement.hot(0), 96);
        QCOMPARE(layer.n_neurons(), 160);
        layer.set_slots(8);
        check_placement(placement, std::vector<int>{160});
        QVERIFY(placement.reads_flash() && placement.has_slots());
        QCOMPARE(placement.hot(0), 96);
        layer.set_slots(0);
        QVERIFY(!placement.reads_flash());
        QVERIFY(layer.clusters.back().home == Home::Ram);
    }

    // One matrix or the output head is enough for a pass to read flash.
    void what_streams_is_on_flash() {
        Placement placement = all_in_ram(std::vector<int>{32, 32});
        placement.layers[1].streamed.add(Role::K);
        QVERIFY(placement.reads_flash() && !placement.has_slots());
        QVERIFY(placement.streamed(1).has(Role::K) && !placement.streamed(1).has(Role::V));
        QVERIFY(!placement.streamed(0).any());
        placement.layers[1].streamed = {};
        placement.output = Home::Stream;
        QVERIFY(placement.reads_flash() && !placement.output_in_vram());
    }
};

QTEST_GUILESS_MAIN(PlacementTest)
#include "placement_test.moc"
