// When layers change their paths, with a unit that only counts.
#include "session/layer_paths.h"

#include <QtTest>

using hearth::FeedForwardMode;
using hearth::LayerActivity;
using hearth::LayerPaths;
using hearth::PathSpeeds;

namespace {

constexpr PathSpeeds kSpeeds{10, {4, 8, 12, 16, 20}};  // both take 10 at 0.5

constexpr auto kDense = FeedForwardMode::Dense;
constexpr auto kExact = FeedForwardMode::Exact;
using Paths = std::vector<FeedForwardMode>;

// Its last layer has one path only.
class Counting final : public hearth::BlockPaths {
public:
    static constexpr int kLayers = 4;
    Counting() : layers(kLayers, {.path = kExact}) { layers.back().path = kDense; }

    // So many tokens of 100 neurons more.
    void count(int layer, std::uint64_t tokens, double opened) {
        LayerActivity& seen = layers[static_cast<std::size_t>(layer)];
        seen.tokens += tokens;
        seen.neurons += 100 * tokens;
        seen.examined += 100 * tokens;
        seen.opened += static_cast<std::uint64_t>(opened * 100 * static_cast<double>(tokens) + 0.5);
        seen.fired += tokens;  // fewer than are open: not what decides
    }
    Paths paths() const {
        Paths paths;
        for (const LayerActivity& layer : layers) {
            paths.push_back(layer.path);
        }
        return paths;
    }

    std::vector<LayerActivity> layers;
    int switches = 0;

    bool has_paths(int layer) const override { return layer < kLayers - 1; }
    void set_path(int layer, FeedForwardMode path) override {
        if (!has_paths(layer)) {
            qFatal("layer %d has one path only", layer);
        }
        layers[static_cast<std::size_t>(layer)].path = path;
        ++switches;
    }
    PathSpeeds measure_paths() override { return kSpeeds; }
    hearth::Result<std::span<const LayerActivity>> activity() override {
        return std::span<const LayerActivity>(layers);
    }
};

}  // namespace

class LayerPathsTest : public QObject {
    Q_OBJECT

private slots:
    void each_layer_follows_its_own_count() {
        Counting unit;
        LayerPaths paths(unit, kSpeeds);
        unit.count(0, 20, 0.8);
        unit.count(1, 20, 0.1);
        unit.count(2, 15, 0.9);  // too few tokens to tell
        unit.count(3, 20, 0.1);
        QCOMPARE(unit.switches, 0);  // not while tokens are counted
        paths.choose();
        QVERIFY((unit.paths() == Paths{kDense, kExact, kExact, kDense}));
        unit.count(2, 1, 0.9);
        paths.choose();
        QVERIFY((unit.paths() == Paths{kDense, kExact, kDense, kDense}));
        QCOMPARE(unit.switches, 2);
        paths.choose();
        QCOMPARE(unit.switches, 2);
    }

    void a_small_change_changes_nothing() {
        Counting unit;
        LayerPaths paths(unit, kSpeeds);
        unit.count(0, 20, 0.52);  // exact takes 10.4: dense would save less than 5 %
        paths.choose();
        QVERIFY(unit.paths()[0] == kExact);
        unit.count(0, 20, 0.6);  // 0.56 altogether
        paths.choose();
        QVERIFY(unit.paths()[0] == kDense);
        unit.count(0, 40, 0.42);  // 0.49
        paths.choose();
        QVERIFY(unit.paths()[0] == kDense);
        unit.count(0, 80, 0.39);  // 0.44
        paths.choose();
        QVERIFY(unit.paths()[0] == kExact);
    }

    void begins_with_what_is_known() {
        Counting unit;
        LayerPaths paths(unit, kSpeeds);
        const std::vector<std::optional<double>> known{0.9, 0.2, std::nullopt, 0.9};
        paths.begin(known);
        QVERIFY((unit.paths() == Paths{kDense, kExact, kExact, kDense}));
        Counting fresh;
        LayerPaths unknown(fresh, kSpeeds);
        unknown.begin({});
        QCOMPARE(fresh.switches, 0);
        // What is counted is truer than what was known.
        unit.count(0, 16, 0.1);
        paths.choose();
        QVERIFY(unit.paths()[0] == kExact);
    }

    void fixed_is_exact_for_good() {
        Counting unit;
        LayerPaths paths(unit, kSpeeds);
        unit.count(0, 20, 0.9);
        paths.choose();
        QVERIFY(unit.paths()[0] == kDense);
        paths.fix();
        QVERIFY((unit.paths() == Paths{kExact, kExact, kExact, kDense}));
        paths.choose();
        const std::vector<std::optional<double>> known(Counting::kLayers, 0.9);
        paths.begin(known);
        QVERIFY((unit.paths() == Paths{kExact, kExact, kExact, kDense}));
    }

    void an_answer_keeps_its_paths_when_the_unit_changes() {
        Counting lost;
        LayerPaths before(lost, kSpeeds);
        lost.count(1, 20, 0.9);
        before.choose();
        Counting unit;
        LayerPaths after(unit, kSpeeds);
        after.take_over(before);
        QVERIFY((unit.paths() == Paths{kExact, kDense, kExact, kDense}));
        unit.count(1, 20, 0.1);
        after.choose();
        QVERIFY(unit.paths()[1] == kExact);

        before.fix();
        Counting again;
        LayerPaths fixed(again, kSpeeds);
        fixed.take_over(before);
        again.count(0, 20, 0.9);
        fixed.choose();
        QCOMPARE(again.switches, 0);
    }
};

QTEST_GUILESS_MAIN(LayerPathsTest)
#include "layer_paths_test.moc"
