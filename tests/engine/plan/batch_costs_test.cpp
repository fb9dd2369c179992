// The time of a prompt's batches, by itself and beside what was measured.
#include "plan/batch_costs.h"

#include <QtTest>
#include <limits>

#include "plan/split.h"
#include "support/vram_part.h"

using namespace hearth;

namespace {

bool near(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

// Layers of 1000 bytes of attention and 10 neurons of 300: a multiplication a byte.
TokenCosts layers(int n_layer) {
    TokenCosts costs;
    const auto n = static_cast<std::size_t>(n_layer);
    costs.bytes.layers.assign(n, {.attention = 1000, .neuron = {100, 100, 100}});
    costs.heat.layers.assign(n, {.order = {}, .rates = std::vector<double>(10, 1.0)});
    costs.bytes.multiply_adds = 4000 * n;
    return costs;
}

Speeds some_speeds() {
    Speeds speeds;
    speeds.ram.bandwidth_gb_per_s = 1;
    speeds.vram.bandwidth_gb_per_s = 10;
    speeds.gflop_per_s = 1;
    speeds.vram_gflop_per_s = 100;
    speeds.to_vram_gb_per_s = 1;
    speeds.from_vram_gb_per_s = 2;
    return speeds;
}

constexpr WeightUpload kUpload{.slot_bytes = 64, .tokens_min = 2};

// A llama without grouped heads: bytes of a weight, 16 threads of the processor beside it.
struct Llama {
    int n_layer, n_embd, n_ff;
    double weight_bytes;

    TokenCosts costs() const {
        const auto e = static_cast<std::uint64_t>(n_embd);
        const auto n = static_cast<std::size_t>(n_layer);
        const auto row = static_cast<std::uint64_t>(weight_bytes * n_embd);
        TokenCosts costs;
        costs.bytes.layers.assign(n, {.attention = 4 * e * row,
                                      .neuron = {row, row, row},
                                      .kv_position = 4 * e,
                                      .attended = 2 * e,
                                      .to_heads = 12 * e,
                                      .from_heads = 4 * e});
        costs.heat.layers.assign(
            n, {.order = {}, .rates = std::vector<double>(static_cast<std::size_t>(n_ff), 1.0)});
        costs.bytes.output_multiply_adds = 32000 * e;
        costs.bytes.multiply_adds = costs.bytes.output_multiply_adds +
                                    n * e * (4 * e + 3 * static_cast<std::uint64_t>(n_ff));
        return costs;
    }
};

}  // namespace

class BatchCostsTest : public QObject {
    Q_OBJECT

private slots:
    // The bus has nothing to carry while the GPU multiplies with a layer that VRAM holds, and slots
    // hold too little to be far ahead: the longer of both in each layer.
    void eachLayerWaitsForItsOwnWeights() {
        const TokenCosts costs = layers(2);
        Speeds speeds = some_speeds();
        test::VramPart part{{10, 10}};
        part.attention_in_vram = {true, true};
        part.hot_neurons = {0, 10};
        speeds.vram_gflop_per_s = 100;
        const double computing = 2e-9 * 4000 * 100 / 100 / 0.85;
        speeds.to_vram_gb_per_s = 1;
        const double carried = 3000 / 0.87e9;
        QVERIFY(carried < computing);
        QVERIFY(near(batch_seconds(costs, part, speeds, kUpload, 100).value(), 2 * computing));
        speeds.to_vram_gb_per_s = 0.01;
        QVERIFY(near(batch_seconds(costs, part, speeds, kUpload, 100).value(),
                     computing + 100 * carried));
    }

    // If nothing is uploaded each unit multiplies with what it has.
    void splitAsTokensAre() {
        const TokenCosts costs = layers(1);
        const BatchCosts batch(costs, some_speeds(), {}, 100);
        const auto seconds = [](double of_gpu, double of_cpu) {
            return 2e-9 * 100 * (of_gpu / 100 + of_cpu) / 0.85;
        };
        QVERIFY(near(batch.layer_seconds(0, false, 0), seconds(0, 4000)));
        QVERIFY(near(batch.layer_seconds(0, true, 0), seconds(1000, 3000)));
        QVERIFY(near(batch.layer_seconds(0, true, 4), seconds(2200, 1800)));
        QVERIFY(near(batch.layer_seconds(0, true, 10), seconds(4000, 0)));
        const BatchCosts few(costs, some_speeds(), {.slot_bytes = 64, .tokens_min = 101}, 100);
        QVERIFY(near(few.layer_seconds(0, true, 4), seconds(2200, 1800)));
    }

    // The processor attends where RAM holds the past, to half of the batch in the mean, and what
    // heads read and leave passes the bus and is copied.
    void headsOfTheProcessor() {
        TokenCosts costs = layers(1);
        LayerBytes& layer = costs.bytes.layers[0];
        Speeds speeds = some_speeds();
        const auto added = [&] {
            const BatchCosts batch(costs, speeds, kUpload, 100);
            return batch.layer_seconds(0, false, 10) - batch.layer_seconds(0, true, 10);
        };
        const double carried = std::max(0.0, 1000 / 0.87e9 - 2e-9 * 4000 * 100 / 100 / 0.85);
        QVERIFY(near(1 + added(), 1 + carried));
        layer.attended = 40'000;
        QVERIFY(near(added(), 2e-9 * 40'000 * 50 * 100 / 0.3));
        layer.window = 20;
        QVERIFY(near(added(), 2e-9 * 40'000 * 20 * 100 / 0.3));
        speeds.heads_gflop_per_s = 0.5;  // measured
        QVERIFY(near(added(), 2e-9 * 40'000 * 20 * 100 / 0.5));
        speeds.heads_gflop_per_s = 0;
        layer.attended = 0;
        layer.state = 40'000;  // whatever was before
        QVERIFY(near(added(), 2e-9 * 40'000 * 100 / 0.3));
        layer.state = 0;
        layer.to_heads = 60'000;
        layer.from_heads = 20'000;
        QVERIFY(near(added(), 60'000 * 100 / 2e9 + 20'000 * 100 / 1e9 + 80'000 * 100 / 14e9));
    }

    // A token multiplies with its experts; all that VRAM has not pass the bus.
    void experts() {
        TokenCosts costs = layers(1);
        LayerBytes& layer = costs.bytes.layers[0];
        layer.expert_neurons = 5;
        layer.neuron.of_expert = true;
        layer.block = 500;
        costs.heat.layers[0].rates = {0.8, 0.8, 0.8, 0.8, 0.8, 0.2, 0.2, 0.2, 0.2, 0.2};
        costs.bytes.multiply_adds = 3000;  // 1000, 500 and half of the experts
        Speeds speeds = some_speeds();
        const auto seconds = [](double of_gpu, double of_cpu) {
            return 2e-9 * 100 * (of_gpu / 100 / 0.31 + of_cpu / 0.85);
        };
        const BatchCosts split(costs, speeds, {}, 100);
        QVERIFY(near(split.layer_seconds(0, true, 0), seconds(1000, 2000)));
        QVERIFY(near(split.layer_seconds(0, true, 5), seconds(1000 + 500 + 1200, 300)));
        speeds.to_vram_gb_per_s = 1e-3;
        const BatchCosts uploads(costs, speeds, kUpload, 100);
        QVERIFY(near(uploads.layer_seconds(0, true, 0), 3500 / 0.87e6));
        QVERIFY(near(uploads.layer_seconds(0, true, 5), 1500 / 0.87e6));
    }

    // Unknown speeds are not guessed, and where they do not matter they are not asked for.
    void unknownSpeeds() {
        const TokenCosts costs = layers(1);
        test::VramPart all{{10}};
        all.attention_in_vram = {true};
        all.hot_neurons = {10};
        const double nan = std::numeric_limits<double>::quiet_NaN();
        for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
            Speeds speeds = some_speeds();
            speeds.gflop_per_s = bad;
            QVERIFY(!batch_seconds(costs, all_in_ram(std::array{10}), speeds, {}, 10));
            QVERIFY(batch_seconds(costs, all, speeds, {}, 10));
            speeds = some_speeds();
            speeds.vram_gflop_per_s = bad;
            QVERIFY(batch_seconds(costs, all_in_ram(std::array{10}), speeds, {}, 10));
            QVERIFY(!batch_seconds(costs, all, speeds, {}, 10));
            // Splits are then compared by tokens alone.
            const ExchangeCosts exchange(costs, speeds, {}, 512);
            QCOMPARE(exchange.seconds(all, 10), decode_seconds(costs, all, 10, speeds));
            QCOMPARE(exchange.layer_seconds(3, 0, true, 0), 3.0);
            QCOMPARE(exchange.other_seconds(5), 5.0);
        }
        TokenCosts unknown = costs;
        unknown.bytes.multiply_adds = 0;
        QVERIFY(!batch_seconds(unknown, all, some_speeds(), {}, 10));
    }

    // A written token and three of its prompt; the sum of its parts.
    void exchanges() {
        TokenCosts costs = layers(3);
        costs.bytes.layer_inputs = 500;
        costs.bytes.output = 700;
        const Speeds speeds = some_speeds();
        test::VramPart part{{10, 10, 10}};
        part.attention_in_vram = {false, true, true};
        part.hot_neurons = {0, 4, 10};
        const Placement placement = part;
        for (const int n_batch : {32, 512, 2048}) {
            const int n = std::min(n_batch, 512);
            const ExchangeCosts exchange(costs, speeds, kUpload, n_batch);
            const double all = exchange.seconds(placement, 10).value();
            QVERIFY(near(
                all, decode_seconds(costs, placement, 10, speeds).value() +
                         3.0 / n * batch_seconds(costs, placement, speeds, kUpload, n).value()));
            double sum = exchange.other_seconds(other_seconds(costs, placement, speeds));
            for (std::size_t l = 0; l < 3; ++l) {
                const auto layer = static_cast<int>(l);
                const bool in_vram = placement.attention_in_vram(layer);
                const int hot = placement.hot(layer);
                const double decode = layer_seconds(
                    layer_work(costs, l, neuron_bytes_sums(costs, l), in_vram, hot, 10), costs,
                    speeds);
                sum += exchange.layer_seconds(decode, l, in_vram, hot);
            }
            QVERIFY(near(all, sum));
        }
    }

    // Prompts of 512 tokens on an H200 with 16 threads of a Xeon
    // (docs/measurements/nvidia-h200.md): what the GPU multiplies is that host's prefill with all
    // in VRAM, so that the rows test what parting costs. layers: whole, in VRAM; else that share of
    // all neurons is, with attention.
    void beside_what_was_measured_data() {
        QTest::addColumn<int>("n_layer");
        QTest::addColumn<int>("n_embd");
        QTest::addColumn<int>("n_ff");
        QTest::addColumn<double>("weight");
        QTest::addColumn<double>("all_in_vram");  // tokens a second, of a 7B
        QTest::addColumn<int>("layers");
        QTest::addColumn<double>("share");
        QTest::addColumn<double>("measured");
        const double q4 = 0.5625;
        QTest::newRow("7B Q4_0, 19 layers")
            << 32 << 4096 << 11008 << q4 << 10085.0 << 19 << 0.0 << 512 / 0.152;
        QTest::newRow("7B Q4_0, 16 layers")
            << 32 << 4096 << 11008 << q4 << 5950.0 << 16 << 0.0 << 2650.0;
        QTest::newRow("7B Q4_0, 25 %")
            << 32 << 4096 << 11008 << q4 << 5950.0 << 0 << 0.25 << 5920.0;
        QTest::newRow("7B F16, 16 layers")
            << 32 << 4096 << 11008 << 2.0 << 5240.0 << 16 << 0.0 << 1520.0;
        QTest::newRow("7B F16, 22 layers")
            << 32 << 4096 << 11008 << 2.0 << 5240.0 << 22 << 0.0 << 2080.0;
        QTest::newRow("7B F16, 44 %")
            << 32 << 4096 << 11008 << 2.0 << 5240.0 << 0 << 0.44 << 3950.0;
        QTest::newRow("13B F16, 24 layers")
            << 40 << 5120 << 13824 << 2.0 << 5240.0 << 24 << 0.0 << 985.0;
        QTest::newRow("13B F16, 25 %")
            << 40 << 5120 << 13824 << 2.0 << 5240.0 << 0 << 0.25 << 1630.0;
    }
    void beside_what_was_measured() {
        QFETCH(int, n_layer);
        QFETCH(int, n_embd);
        QFETCH(int, n_ff);
        QFETCH(double, weight);
        QFETCH(double, all_in_vram);
        QFETCH(int, layers);
        QFETCH(double, share);
        QFETCH(double, measured);
        const TokenCosts costs = Llama{n_layer, n_embd, n_ff, weight}.costs();
        const auto n = static_cast<std::size_t>(n_layer);
        test::VramPart part{std::vector<int>(n, n_ff)};
        for (int l = 0; l < n_layer; ++l) {
            const bool whole = l >= n_layer - layers;
            part.attention_in_vram.push_back(layers == 0 || whole);
            part.hot_neurons.push_back(layers == 0 ? static_cast<int>(share * n_ff) / 64 * 64
                                       : whole     ? n_ff
                                                   : 0);
        }
        Speeds speeds;
        speeds.gflop_per_s = 2480;
        const Llama seven{32, 4096, 11008, weight};
        const ModelBytes of_seven = seven.costs().bytes;
        speeds.vram_gflop_per_s =
            2e-9 * static_cast<double>(of_seven.multiply_adds - of_seven.output_multiply_adds) *
            all_in_vram / 0.85;
        speeds.to_vram_gb_per_s = 46.9;
        speeds.from_vram_gb_per_s = 38;
        const double forecast =
            512 /
            batch_seconds(costs, part, speeds, {.slot_bytes = 64, .tokens_min = 32}, 512).value();
        qInfo("%.0f tokens/s forecast, %.0f measured: %.2f", forecast, measured,
              forecast / measured);
        QVERIFY(std::abs(forecast / measured - 1) < 0.25);
    }
};

QTEST_GUILESS_MAIN(BatchCostsTest)
#include "batch_costs_test.moc"
