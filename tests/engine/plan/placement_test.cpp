#include "plan/placement.h"

#include <QtTest>
#include <algorithm>
#include <numeric>
#include <random>

using namespace hearth;

class PlacementTest : public QObject {
    Q_OBJECT

private slots:
    // What a GPU is given comes back, whatever it is; empty lists come back as lists of nothing.
    void the_gpus_part_is_what_was_placed() {
        std::mt19937 random(3);
        const auto up_to = [&](int n) { return std::uniform_int_distribution<int>(0, n)(random); };
        for (int round = 0; round < 200; ++round) {
            std::vector<int> n_ff;
            GpuPart part;
            part.output_in_vram = up_to(1) == 1;
            const bool ordered = up_to(1) == 1;
            for (int layer = up_to(5); layer >= 0; --layer) {
                n_ff.push_back(32 * (1 + up_to(3)));
                part.hot_neurons.push_back(std::min(n_ff.back(), 32 * up_to(4)));
                part.attention_in_vram.push_back(up_to(1) == 1);
                if (ordered) {
                    std::vector<int>& order = part.neuron_order.emplace_back();
                    // Some layers keep the file's order.
                    order.resize(layer == 0 || up_to(2) > 0 ? static_cast<std::size_t>(n_ff.back())
                                                            : 0);
                    std::iota(order.begin(), order.end(), 0);
                    std::shuffle(order.begin(), order.end(), random);
                }
            }
            const Placement placement = rest_in_ram(part, n_ff);
            const GpuPart back = gpu_part(placement);
            QCOMPARE(back.hot_neurons, part.hot_neurons);
            QCOMPARE(back.neuron_order, part.neuron_order);
            QVERIFY(back.attention_in_vram == part.attention_in_vram);
            QCOMPARE(back.output_in_vram, part.output_in_vram);
            for (std::size_t l = 0; l < n_ff.size(); ++l) {
                int placed = 0;
                for (const ClusterPlacement& one : placement.layers[l].clusters) {
                    placed += one.cluster.count;
                    QVERIFY(one.cluster.count > 0);
                }
                QCOMPARE(placed, n_ff[l]);
            }
        }
    }

    void without_a_gpu_all_is_in_ram() {
        const std::vector<int> n_ff{64, 96};
        const Placement placement = rest_in_ram({}, n_ff);
        QVERIFY(placement.output == Unit::Cpu);
        for (std::size_t l = 0; l < n_ff.size(); ++l) {
            QVERIFY(placement.layers[l].attention == Unit::Cpu &&
                    placement.layers[l].order.empty());
            QCOMPARE(placement.layers[l].clusters.size(), std::size_t{1});
            QVERIFY(placement.layers[l].clusters[0].residency == Residency::Ram);
        }
        const GpuPart part = gpu_part(placement);
        QCOMPARE(part.hot_neurons, (std::vector<int>{0, 0}));
        QVERIFY(part.neuron_order.empty() && !part.has_attention(1) && !part.output_in_vram);
    }

    // What lies on flash is the processor's, too.
    void clusters_of_one_unit_are_added_up() {
        Placement placement;
        placement.layers.push_back({.attention = Unit::Gpu,
                                    .clusters = {{{0, 0, 32}, Residency::Vram},
                                                 {{0, 32, 64}, Residency::Vram},
                                                 {{0, 96, 32}, Residency::Ram},
                                                 {{0, 128, 32}, Residency::Flash}},
                                    .order = {}});
        QCOMPARE(gpu_part(placement).hot(0), 96);
    }
};

QTEST_GUILESS_MAIN(PlacementTest)
#include "placement_test.moc"
