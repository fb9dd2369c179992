#include "vulkan/cooperative_tiles.h"

#include <QtTest>

#include "vulkan/physical_device.h"

using namespace hearth::vulkan;

using Shapes = std::vector<CooperativeShape>;
Q_DECLARE_METATYPE(Shapes)

namespace {

struct Sizes {
    int min, max;
    bool control = true;
};

}  // namespace
Q_DECLARE_METATYPE(Sizes)

class CooperativeTilesTest : public QObject {
    Q_OBJECT

private slots:
    void chosen_data() {
        QTest::addColumn<Sizes>("sizes");
        QTest::addColumn<int>("shared_kib");
        QTest::addColumn<Shapes>("shapes");
        QTest::addColumn<Shapes>("taken");  // in this order
        QTest::addColumn<int>("size");
        QTest::addColumn<int>("threads");
        const auto row = [](const char* name, Sizes sizes, int shared_kib, const Shapes& shapes,
                            const Shapes& taken, int size, int threads = 256 + 128) {
            QTest::newRow(name) << sizes << shared_kib << shapes << taken << size << threads;
        };
        const Shapes cube{{16, 16, 16}};
        const Shapes small{{8, 8, 8}};
        const Shapes three{{16, 16, 16}, {16, 8, 16}, {16, 8, 8}};
        row("as NVIDIA's", {32, 32}, 48, three, three, 32, 128 + 128);
        row("32 alone", {32, 32, false}, 48, three, three, 32, 128 + 128);
        row("as AMD's", {32, 64}, 32, cube, cube, 32);
        row("64 alone", {64, 64, false}, 64, cube, cube, 64);
        row("as Intel's Arc A", {8, 32}, 64, {{8, 8, 16}}, {{8, 8, 16}}, 32);
        row("as Intel's Arc B", {16, 32}, 64, {{8, 16, 16}}, {{8, 16, 16}}, 32);
        row("16 alone", {16, 16}, 48, cube, cube, 16);
        row("as lavapipe's", {8, 8}, 32, small, small, 8);
        row("the smallest size", {4, 4}, 48, {{8, 8, 8}, {16, 16, 16}}, small, 4);
        row("the largest size", {128, 128}, 32, cube, cube, 128);
        row("larger shapes first, each once", {32, 32}, 48,
            {{16, 8, 8}, {16, 16, 16}, {16, 8, 8}, {16, 8, 16}}, three, 32, 128 + 128);
        row("a fragment that leaves no room", {32, 64}, 32, {{64, 32, 16}, {16, 16, 16}}, cube, 32);

        row("no shapes", {32, 32}, 48, {}, {}, 0);
        const Shapes none_cuts{{0, 16, 16},  {16, 0, 16},   {16, 16, 0},    {4, 16, 16},
                               {24, 16, 16}, {128, 16, 16}, {16, 12, 16},   {16, 128, 16},
                               {16, 16, 4},  {16, 16, 64},  {~0U, ~0U, ~0U}};
        for (const CooperativeShape& shape : none_cuts) {
            const std::string name = "cuts nothing: " + std::to_string(shape.m) + ", " +
                                     std::to_string(shape.n) + ", " + std::to_string(shape.k);
            row(name.c_str(), {32, 32}, 48, {shape}, {}, 0);
        }
        row("little shared memory", {32, 32}, 16, cube, {}, 0);
        row("several sizes, none to be demanded", {32, 64, false}, 64, cube, {}, 0);
        row("no size", {0, 0}, 48, cube, {}, 0);
        row("an odd size", {24, 24}, 48, small, {}, 0);
        row("a size beyond a workgroup's", {256, 256}, 48, cube, {}, 0);
        row("a negative size", {-32, -32}, 48, cube, {}, 0);
    }
    void chosen() {
        QFETCH(Sizes, sizes);
        QFETCH(int, shared_kib);
        QFETCH(Shapes, shapes);
        QFETCH(Shapes, taken);
        QFETCH(int, size);
        QFETCH(int, threads);
        ShaderFeatures features;
        features.invocations_max = 1024;
        features.subgroup_size_min = sizes.min;
        features.subgroup_size_max = sizes.max;
        features.subgroup_size_control = sizes.control;
        features.shared_bytes_max = static_cast<std::uint32_t>(shared_kib) * 1024;
        const std::vector<CooperativeTiles> tiles = cooperative_tiles(shapes, features);
        QCOMPARE(tiles.size(), taken.size());
        for (std::size_t i = 0; i < tiles.size(); ++i) {
            const CooperativeTiles& got = tiles[i];
            QVERIFY(got.shape == taken[i]);
            QCOMPARE(got.subgroup_size, size);
            // The subgroups that multiply make all of 128 by 128, in whole fragments; 128 threads
            // are left, which fill panels.
            QCOMPARE(got.rows * got.tokens * static_cast<unsigned>(threads - 128),
                     128U * 128U * static_cast<unsigned>(size));
            QCOMPARE(got.threads(), static_cast<unsigned>(threads));
            QVERIFY(128 % got.rows == 0 && 128 % got.tokens == 0);
            QVERIFY(got.rows % got.shape.m == 0 && got.tokens % got.shape.n == 0);
        }
        features.invocations_max = static_cast<std::uint32_t>(threads) - 1;
        QVERIFY(cooperative_tiles(shapes, features).empty());
    }

    // A panel of weights and one of inputs take 20 KB, a table of codes one. In the end fragments
    // of the subgroups take the place of the weights.
    void panels() {
        ShaderFeatures features;
        const auto of = [&](int kib, const CooperativeTiles& tiles) {
            features.shared_bytes_max = static_cast<std::uint32_t>(kib) * 1024;
            return cooperative_panels(features, tiles);
        };
        const CooperativeTiles few{{16, 16, 16}, 64, 32, 32};
        QCOMPARE(of(32, few), 1U);
        QCOMPARE(of(40, few), 1U);
        QCOMPARE(of(41, few), 2U);
        const CooperativeTiles many{{16, 16, 16}, 32, 16, 8};  // 32 subgroups
        QCOMPARE(of(48, many), 1U);
        QCOMPARE(of(53, many), 2U);
    }
};

QTEST_GUILESS_MAIN(CooperativeTilesTest)
#include "cooperative_tiles_test.moc"
