#include "plan/cost_model.h"

#include <QtTest>
#include <limits>

#include "model/past_shape.h"
#include "plan/memory_costs.h"
#include "plan/split.h"
#include "plan/split_choice.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

using namespace hearth;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

// One layer of four neurons: 100 bytes of attention, 10 + 20 + 40 a neuron, 1000 of output.
TokenCosts four_neurons(FeedForwardMode mode, Activation activation = Activation::ReluGated) {
    TokenCosts costs;
    costs.bytes.layers = {
        {.attention = 100, .neuron = {10, 20, 40}, .kv_position = 8, .predictor = 7}};
    costs.bytes.output = 1000;
    costs.bytes.multiply_adds = 500'000;
    costs.bytes.output_multiply_adds = 120'000;
    costs.heat.layers = {{.order = {2, 0, 1, 3}, .rates = {1, 0.25, 0.25, 0}}};
    costs.heat.measured = true;
    costs.mode = mode;
    costs.activation = activation;
    return costs;
}

bool near(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

}  // namespace

class CostModelTest : public QObject {
    Q_OBJECT

private slots:
    // The rows of one neuron and the bytes of a file's tensors, for types with and without blocks.
    void bytesOfAModel_data() {
        QTest::addColumn<quint32>("type");
        QTest::addColumn<quint64>("row");  // of 64 values
        QTest::newRow("F32") << static_cast<quint32>(DType::F32) << quint64{256};
        QTest::newRow("F16") << static_cast<quint32>(DType::F16) << quint64{128};
        QTest::newRow("Q8_0") << static_cast<quint32>(DType::Q8_0) << quint64{68};
        QTest::newRow("Q4_0") << static_cast<quint32>(DType::Q4_0) << quint64{36};
    }
    void bytesOfAModel() {
        QFETCH(quint32, type);
        QFETCH(quint64, row);
        TinyModelOptions options;
        options.type = static_cast<DType>(type);
        QTemporaryDir dir;
        const std::string path = dir.filePath("tiny.gguf").toStdString();
        QVERIFY(TinyModel(options).write(path));
        const auto file = GgufFile::open(path);
        const auto spec = read_model_spec(*file);
        const auto tensors = bind_tensors(*file, *spec);
        QVERIFY(tensors);
        const ModelBytes bytes = model_bytes(*spec, *tensors);
        QCOMPARE(bytes.layers.size(), std::size_t{2});
        std::uint64_t sum = bytes.output;
        for (const LayerBytes& layer : bytes.layers) {
            QCOMPARE(layer.neuron.gate, row);
            QCOMPARE(layer.neuron.up, row);
            QCOMPARE(layer.neuron.down, row);  // a column: as many values, in other blocks
            QCOMPARE(layer.kv_position, std::uint64_t{2 * 2 * 2 * 16});  // heads K,V F16
            sum += layer.attention + layer.neuron.total() * 96;
        }
        std::uint64_t in_file = 0;
        for (const TensorInfo& tensor : file->tensors().entries()) {
            in_file += tensor.name == "token_embd.weight" ? 0 : tensor.bytes;
        }
        QCOMPARE(sum, in_file);
        // q and o 64 x 64, k and v 32 x 64, three of 96 x 64, a head of 259 x 64.
        QCOMPARE(bytes.multiply_adds,
                 std::uint64_t{2 * (2 * 64 * 64 + 2 * 32 * 64 + 3 * 96 * 64) + 259 * 64});
    }

    // Everything in the file that a token reads counts, biases and both norms among them, and what
    // serves twice counts once.
    void everyTensorCounts_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<bool>("second_norm");
        QTest::addColumn<bool>("biases");  // that the architecture need not have
        QTest::newRow("norm and all five biases of a layer") << "opt" << false << false;
        QTest::newRow("one norm for both blocks") << "falcon" << false << false;
        QTest::newRow("a norm for each block") << "falcon" << true << false;
        QTest::newRow("biases of queries, keys and values") << "llama" << false << true;
        QTest::newRow("biases of both blocks") << "falcon" << true << true;
        QTest::newRow("biases of experts") << "gpt-oss" << false << true;
    }
    void everyTensorCounts() {
        QFETCH(QString, arch);
        QFETCH(bool, second_norm);
        QTemporaryDir dir;
        const std::string path = dir.filePath("tiny.gguf").toStdString();
        QFETCH(bool, biases);
        TinyModelOptions options;
        options.arch = arch.toStdString();
        options.type = DType::F16;
        options.second_norm = second_norm;
        options.qkv_bias = options.block_biases = biases;
        QVERIFY(TinyModel(options).write(path));
        const auto file = GgufFile::open(path);
        const auto spec = read_model_spec(*file);
        const auto tensors = bind_tensors(*file, *spec);
        QVERIFY2(tensors, tensors ? "" : tensors.error().message.c_str());
        const ModelBytes bytes = model_bytes(*spec, *tensors);
        std::uint64_t sum = bytes.output;
        for (std::size_t i = 0; i < bytes.layers.size(); ++i) {
            const LayerBytes& layer = bytes.layers[i];
            QCOMPARE(layer.kv_position, std::uint64_t{2 * 2 * 2 * 16});  // heads K,V F16
            sum += layer.attention + layer.block +
                   layer.neuron.total() * static_cast<std::uint64_t>(spec->layers[i].n_ff);
        }
        std::uint64_t in_file = 0;
        for (const TensorInfo& tensor : file->tensors().entries()) {
            const bool embeds =
                tensor.name == "token_embd.weight" || tensor.name == "position_embd.weight";
            in_file += embeds ? 0 : tensor.bytes;
        }
        QCOMPARE(sum, in_file);
    }

    // Its router, its shared expert, and the matrices before and behind its experts.
    void everyTensorOfAMixtureCounts() {
        const QTemporaryDir dir;
        const std::string path = dir.filePath("tiny.gguf").toStdString();
        QVERIFY(
            TinyModel({.arch = "nemotron_h_moe", .type = DType::F16, .n_layer = 5, .n_latent = 32})
                .write(path));
        const auto file = GgufFile::open(path);
        const auto spec = read_model_spec(*file);
        const auto tensors = bind_tensors(*file, *spec);
        QVERIFY2(tensors, tensors ? "" : tensors.error().message.c_str());
        const ModelBytes bytes = model_bytes(*spec, *tensors);
        std::uint64_t sum = bytes.output;
        for (std::size_t l = 0; l < bytes.layers.size(); ++l) {
            const LayerBytes& layer = bytes.layers[l];
            sum += layer.attention + layer.block +
                   layer.neuron.total() * static_cast<std::uint64_t>(spec->layers[l].n_ff);
        }
        std::uint64_t in_file = 0;
        for (const TensorInfo& tensor : file->tensors().entries()) {
            in_file += tensor.name == "token_embd.weight" ? 0 : tensor.bytes;
        }
        QCOMPARE(sum, in_file);
    }

    // Layers read keys and values of each other; the processor makes their inputs first.
    void sharedPastsAndInputsOfLayers() {
        const QTemporaryDir dir;
        const std::string path = dir.filePath("tiny.gguf").toStdString();
        QVERIFY(TinyModel({.arch = "gemma4", .n_layer = 6}).write(path));
        const auto file = GgufFile::open(path);
        const auto spec = read_model_spec(*file);
        const auto tensors = bind_tensors(*file, *spec);
        QVERIFY2(tensors, tensors ? "" : tensors.error().message.c_str());
        const ModelBytes bytes = model_bytes(*spec, *tensors);
        QCOMPARE(bytes.layer_inputs, file->tensors().find("per_layer_model_proj.weight")->bytes);
        // 4 reads 2, 5 reads 3: of itself each keeps nothing, and reads as much.
        QCOMPARE(bytes.layers[4].past_of, 2);
        QCOMPARE(bytes.layers[4].kv_position, bytes.layers[2].kv_position);
        for (const auto& [border, wanted] :
             {std::pair{0, 0}, {1, 1}, {2, 2}, {3, 2}, {4, 2}, {5, 2}, {6, 6}}) {
            QCOMPARE(border_of_pasts(bytes, border), wanted);
        }
        TokenCosts own;
        own.bytes = bytes;
        own.heat = neuron_heat(*spec, nullptr);
        const GpuMemoryCosts assumed = assumed_gpu_costs(own);
        QCOMPARE(assumed.kv_bytes(100, 2), 100 * bytes.layers[2].kv_position);
        QCOMPARE(assumed.kv_bytes(100, 4), std::uint64_t{0});
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 10;
        speeds.vram.bandwidth_gb_per_s = 100;
        test::VramPart all{{4}};
        all.output_in_vram = true;
        all.attention_in_vram = {true};
        all.hot_neurons = {4};
        const auto before = decode_seconds(costs, all, 10, speeds);
        costs.bytes.layer_inputs = 5000;
        const auto after = decode_seconds(costs, all, 10, speeds);
        QVERIFY(before && after && near(*after - *before, 5000 / 10e9));
        QVERIFY(near(decode_costs(costs, all, 10).ram_bytes, 5000));
    }

    // A layer that sees a window reads no more than that, and holds no more than its room.
    void windows() {
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        const auto read = [&](int positions) {
            return decode_costs(costs, {}, positions).ram_bytes;
        };
        const double nothing = read(0);
        QVERIFY(near(read(3000) - nothing, 3000 * 8));
        costs.bytes.layers[0].window = 1000;
        costs.bytes.layers[0].kept = kept_of_window(1000);
        QVERIFY(near(read(1000) - nothing, 1000 * 8));
        QVERIFY(near(read(3000) - nothing, 1000 * 8));
        QVERIFY(near(read(10) - nothing, 10 * 8));
        const int kept = costs.bytes.layers[0].kept;
        const std::uint64_t room = 8 * static_cast<std::uint64_t>(room_of_kept(kept) + kept);
        const GpuMemoryCosts assumed = assumed_gpu_costs(costs);
        QCOMPARE(assumed.kv_bytes(100000, 0), room);
        QCOMPARE(assumed.kv_bytes(100, 0), std::uint64_t{800});
    }

    void modes() {
        const auto read = [](FeedForwardMode mode, Activation activation = Activation::ReluGated) {
            return decode_costs(four_neurons(mode, activation), {}, 10).ram_bytes - 1000 - 100 - 80;
        };
        QVERIFY(near(read(FeedForwardMode::Dense), 4 * 70));
        // All gates; up and down of 1.5 neurons.
        QVERIFY(near(read(FeedForwardMode::Exact), 4 * 10 + 1.5 * 60));
        // dReLU: up of as many as have a positive gate, 1 + 2 * 0.5.
        QVERIFY(near(read(FeedForwardMode::Exact, Activation::DRelu), 4 * 10 + 2 * 20 + 1.5 * 40));
        // The predictor; gate and up of those it names, a quarter more.
        QVERIFY(near(read(FeedForwardMode::Predicted), 7 + (1 + 2 * 0.3125) * 30 + 1.5 * 40));
        // Stored by output: columns cannot be left out.
        const TokenCosts exact = four_neurons(FeedForwardMode::Exact);
        QVERIFY(near(expected_bytes(exact, {10, 20, 40, true}, 0.5), 10 + 0.5 * 20 + 40));
        TokenCosts ungated = four_neurons(FeedForwardMode::Exact);
        QVERIFY(near(expected_bytes(ungated, {0, 20, 40}, 0.5), 20 + 0.5 * 40));
        // A router asks for a quarter of the neurons: of no more are gates or ups read.
        NeuronBytes routed{10, 20, 40};
        routed.asked_share = 0.25;
        QVERIFY(near(expected_bytes(exact, routed, 0.05), 2.5 + 0.05 * 60));
        QVERIFY(near(
            expected_bytes(four_neurons(FeedForwardMode::Exact, Activation::DRelu), routed, 0.09),
            2.5 + 0.25 * 20 + 0.09 * 40));
        QVERIFY(near(expected_bytes(four_neurons(FeedForwardMode::Dense), routed, 1), 0.25 * 70));
        ModelSpec spec;
        spec.layers = {{.n_ff = 64, .activation = Activation::SiluGated}};
        QVERIFY(possible_mode(spec, FeedForwardMode::Exact) == FeedForwardMode::Dense);
        spec.layers[0].activation = Activation::DRelu;
        QVERIFY(possible_mode(spec, FeedForwardMode::Exact) == FeedForwardMode::Exact);
        spec.layers[0].experts = {.n = 2, .n_used = 1, .n_ff = 32};
        QVERIFY(possible_mode(spec, FeedForwardMode::Exact) == FeedForwardMode::Dense);
        spec.layers[0].experts.by_neuron = true;
        QVERIFY(possible_mode(spec, FeedForwardMode::Exact) == FeedForwardMode::Exact);
    }

    // A token reads its experts and no others.
    void experts() {
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        const double whole = decode_costs(costs, {}, 10).ram_bytes;
        costs.bytes.layers[0].neuron.of_expert = true;
        costs.bytes.layers[0].expert_neurons = 1;
        costs.heat.layers[0].rates = {0.5, 0.5, 0, 0};
        QVERIFY(near(whole - decode_costs(costs, {}, 10).ram_bytes, 0.75 * 4 * 70));
        QVERIFY(near(weight_bytes(costs), weight_bytes(four_neurons(FeedForwardMode::Dense))));
        // Router and shared expert are the first neuron's unit's, wherever attention is.
        costs.bytes.layers[0].block = 500;
        test::VramPart part{{4}};
        part.attention_in_vram = {true};
        const DecodeCosts split = decode_costs(costs, part, 10);
        QVERIFY(near(split.ram_bytes, 1000 + 500 + 0.25 * 4 * 70));
    }

    // The hottest neuron on the GPU, all else on the processor: one round trip, and the block takes
    // as long as the slower of both.
    void neuronsApart() {
        TokenCosts costs = four_neurons(FeedForwardMode::Exact);
        test::VramPart part{{4}};
        part.hot_neurons = {1};
        const DecodeCosts split = decode_costs(costs, part, 10);
        QVERIFY(near(split.vram_bytes, 70));
        QVERIFY(near(split.vram_bytes + split.ram_bytes, decode_costs(costs, {}, 10).ram_bytes));
        QCOMPARE(split.round_trips, 1.0);
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 2;
        speeds.vram = {.bandwidth_gb_per_s = 10, .sync_us = 3};
        const double seconds = split.ram_bytes / 2e9 + 3e-6;
        QVERIFY(near(decode_seconds(costs, part, 10, speeds).value(), seconds));
        const Forecast known = forecast(costs, part, 10, speeds);
        QVERIFY(near(known.decode_per_s->high, 1 / seconds));
        QVERIFY(known.decode_per_s->low < known.decode_per_s->mid);
        QVERIFY(known.decode_per_s->mid < known.decode_per_s->high);
        QVERIFY(!known.prefill_per_s && !known.ttft_ms);
        // A GPU so slow that the block waits for it: 70 bytes at 0.1 GB/s.
        speeds.vram.bandwidth_gb_per_s = 0.1;
        QVERIFY(
            near(decode_seconds(costs, part, 10, speeds).value(), 1180 / 2e9 + 70 / 0.1e9 + 3e-6));
        // The bus: the stream there and back.
        costs.bytes.stream = 400;
        speeds.to_vram_gb_per_s = 4;
        speeds.from_vram_gb_per_s = 1;
        QVERIFY(near(decode_seconds(costs, part, 10, speeds).value(),
                     1180 / 2e9 + 70 / 0.1e9 + 3e-6 + 400 / 4e9 + 400 / 1e9));
    }

    // What the GPU's dispatches cost beside their bytes: 4 of attention and 2 of the block, which
    // is computed beside the processor's, one more where down lies by neuron, one more where the
    // processor reads the block's norm, too, 6 of the head.
    void stepsOfTheGpu() {
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        test::VramPart all{{4}};
        all.attention_in_vram = {true};
        all.hot_neurons = {4};
        all.output_in_vram = true;
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 2;
        speeds.vram.bandwidth_gb_per_s = 10;
        const auto added = [&](const Placement& part) {
            speeds.vram.step_us = 0;
            const double without = decode_seconds(costs, part, 10, speeds).value();
            speeds.vram.step_us = 1;
            return (decode_seconds(costs, part, 10, speeds).value() - without) * 1e6;
        };
        QVERIFY(near(added(all), 4 + 3 + 6));
        costs.bytes.layers[0].neuron.down_whole = true;
        QVERIFY(near(added(all), 4 + 2 + 6));
        QVERIFY(near(added({}), 0));  // nothing there
        costs.bytes.layers[0].expert_neurons = 2;
        QVERIFY(near(added(all), 4 + 2 + 2 + 6));
        costs.bytes.layers[0].expert_neurons = 0;
        // All of it is counted: the forecast has a range of its own.
        const double whole = decode_seconds(costs, all, 10, speeds).value();
        QVERIFY(near(forecast(costs, all, 10, speeds).decode_per_s->mid, 0.95 / whole));
        all.output_in_vram = false;
        const double parted = decode_seconds(costs, all, 10, speeds).value();
        QVERIFY(near(forecast(costs, all, 10, speeds).decode_per_s->mid, 0.85 / parted));
        all.output_in_vram = true;
        test::VramPart attention{{4}};
        attention.attention_in_vram = {true};
        QVERIFY(near(added(attention), 4));
        test::VramPart three{{4}};
        three.attention_in_vram = {true};
        three.hot_neurons = {3};
        const double ram = std::exchange(speeds.ram.bandwidth_gb_per_s, 1e9);
        QVERIFY(near(added(three), 4 + 2 + 1));
        speeds.ram.bandwidth_gb_per_s = ram;
        costs = four_neurons(FeedForwardMode::Predicted);
        QVERIFY(near(added(all), 4 + 9 + 6));
        // Beside a processor that takes longer they cost nothing.
        test::VramPart one{{4}};
        one.hot_neurons = {1};
        speeds.ram.bandwidth_gb_per_s = 1e-3;
        QVERIFY(near(added(one), 0));
    }

    // How often the units wait for each other: two layers, and the changes of units between them.
    void roundTrips() {
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        costs.bytes.layers.push_back(costs.bytes.layers[0]);
        costs.heat.layers.push_back(costs.heat.layers[0]);
        const auto round_trips = [&](std::vector<bool> attention, std::vector<int> hot,
                                     bool output) {
            test::VramPart part{{4, 4}};
            part.attention_in_vram = std::move(attention);
            part.hot_neurons = std::move(hot);
            part.output_in_vram = output;
            return decode_costs(costs, part, 10).round_trips;
        };
        QCOMPARE(round_trips({}, {}, false), 0.0);
        QCOMPARE(round_trips({true, true}, {4, 4}, true), 1.0);     // in, and out at the end
        QCOMPARE(round_trips({false, true}, {0, 4}, true), 1.0);    // likewise, later
        QCOMPARE(round_trips({false, false}, {4, 4}, false), 2.0);  // in every layer
        QCOMPARE(round_trips({true, true}, {0, 0}, false), 3.0);    // likewise, and in and out
        QCOMPARE(round_trips({true, true}, {4, 1}, false), 2.0);
        QCOMPARE(round_trips({false, false}, {}, true), 1.0);
        test::VramPart all{{4, 4}};
        all.attention_in_vram = {true, true};
        all.hot_neurons = {4, 4};
        all.output_in_vram = true;
        const DecodeCosts there = decode_costs(costs, all, 10);
        QVERIFY(near(there.vram_bytes, 1000 + 2 * (100 + 4 * 70 + 80)));
        QVERIFY(near(there.ram_bytes, 0));
    }

    // Either unit reads its own rows of a predictor, and the rest of it if it has any neurons.
    void predictorsApart() {
        TokenCosts costs = four_neurons(FeedForwardMode::Predicted);
        costs.bytes.layers[0].predictor = 50 + 4 * 3;
        costs.bytes.layers[0].predictor_row = 3;
        const std::vector<double> sums = neuron_bytes_sums(costs, 0);
        const auto work = [&](int hot) { return layer_work(costs, 0, sums, false, hot, 0); };
        QVERIFY(near(work(0).ram_block, sums[4] + 62));
        QVERIFY(near(work(0).vram_block, 0));
        QVERIFY(near(work(1).ram_block, sums[4] - sums[1] + 59));
        QVERIFY(near(work(1).vram_block, sums[1] + 53));
        QVERIFY(near(work(4).ram_block, 0));
    }

    // Gates, or a predictor, are read in order; the rows that they name are picked.
    void pickedRowsHaveTheirOwnSpeed() {
        for (const auto mode : {FeedForwardMode::Dense, FeedForwardMode::Exact,
                                FeedForwardMode::Thresholded, FeedForwardMode::Predicted}) {
            TokenCosts costs = four_neurons(mode);
            costs.bytes.layers[0].predictor = 50;
            const NeuronBytes& neuron = costs.bytes.layers[0].neuron;
            const LayerWork work = layer_work(costs, 0, neuron_bytes_sums(costs, 0), false, 0, 0);
            const bool picks = mode == FeedForwardMode::Exact || mode == FeedForwardMode::Predicted;
            const double in_order = !picks ? work.ram_block
                                    : mode == FeedForwardMode::Exact
                                        ? 4 * static_cast<double>(neuron.gate)
                                        : 50;
            QVERIFY(near(work.ram_block - work.ram_rows, in_order));
            Speeds speeds;
            speeds.ram.bandwidth_gb_per_s = 8e-9;  // 8 bytes a second
            const double alike = layer_seconds(work, costs, speeds);
            QVERIFY(near(alike, (work.ram_attention + work.ram_block) / 8));
            speeds.ram_rows_gb_per_s = 2e-9;
            QVERIFY(
                near(layer_seconds(work, costs, speeds), alike + work.ram_rows * (0.5 - 0.125)));
            // A GPU's neurons are none of RAM's.
            const LayerWork hot = layer_work(costs, 0, neuron_bytes_sums(costs, 0), false, 4, 0);
            QVERIFY(near(hot.ram_rows, 0) && near(hot.ram_block, 0));
        }
    }

    void prefill() {
        const TokenCosts costs = four_neurons(FeedForwardMode::Exact);
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 2;
        speeds.vram.bandwidth_gb_per_s = 10;
        speeds.gflop_per_s = 100;
        const Forecast measured = forecast(costs, {}, 10, speeds);
        QVERIFY(near(*measured.prefill_per_s, 0.85 * 100e9 / 0.76e6));  // without the head
        QVERIFY(near(*measured.ttft_ms, 1000 * 256 / *measured.prefill_per_s));
        // The attention's 100 of a layer's 380 bytes of weights on a GPU nine times as fast.
        test::VramPart part{{4}};
        part.attention_in_vram = {true};
        QVERIFY(!forecast(costs, part, 10, speeds).prefill_per_s);
        speeds.vram_gflop_per_s = 900;
        const auto is_forecast = [&](double gpu) {
            return near(*forecast(costs, part, 10, speeds).prefill_per_s,
                        0.85 / (0.76e6 * (gpu / 900e9 + (1 - gpu) / 100e9)));
        };
        QVERIFY(is_forecast(100.0 / 380));
        part.output_in_vram = true;  // which the last token alone needs
        QVERIFY(is_forecast(100.0 / 380));
        part.hot_neurons = {4};
        QVERIFY(is_forecast(1));
    }

    // Slots hold what fires most; the rest is read as often as it fires, and all of it for a batch.
    void neuronsThatAreReadFromFlash() {
        const TokenCosts costs = four_neurons(FeedForwardMode::Exact);
        const auto with_slots = [](Placement placement, int n_slots) {
            placement.layers[0].set_slots(n_slots);
            return placement;
        };
        const Placement in_ram = test::VramPart{{4}};
        const FlashWork work = flash_work(costs, with_slots(in_ram, 1), 3'000, 9'000);
        QVERIFY(near(work.token_reads(), 0.5));
        QVERIFY(near(work.token_bytes, 3'000));
        QVERIFY(near(work.batch_bytes, 9'000));
        test::VramPart hottest{{4}};  // the processor's slot holds the next of them
        hottest.hot_neurons = {1};
        QVERIFY(near(flash_work(costs, with_slots(hottest, 1), 0, 0).token_reads(), 0.25));
        QVERIFY(near(flash_work(costs, in_ram, 0, 0).token_reads(), 0));
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 1000;  // no time beside the disk
        speeds.gflop_per_s = 1e9;
        QVERIFY(!forecast(costs, {}, 10, speeds, {}, 256, work).decode_per_s);
        speeds.flash.bandwidth_gb_per_s = 1e-3;
        QVERIFY(!forecast(costs, {}, 10, speeds, {}, 256, work).decode_per_s);
        speeds.flash_reads_per_s = 100;
        const Forecast known = forecast(costs, {}, 10, speeds, {}, 256, work);
        QVERIFY(near(known.decode_per_s->low, 1 / (3e-3 / 0.7 + 10e-3)));
        QVERIFY(near(known.decode_per_s->mid, 1 / (3e-3 / 0.9 + 5e-3 / 0.8)));
        QVERIFY(near(known.decode_per_s->high, 1 / (3e-3 + 5e-3)));
        QVERIFY(near(*known.prefill_per_s, 256 / 9e-3));
    }

    // A token reads its experts that have no slot, a batch all of those.
    void expertsThatAreReadFromFlash() {
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        costs.bytes.layers[0].neuron.of_expert = true;
        costs.bytes.layers[0].expert_neurons = 1;
        costs.heat.layers[0].rates = {0.5, 0.5, 0.5, 0.5};
        Placement part = test::VramPart{{4}};
        part.layers[0].set_slots(1);
        const FlashWork work = flash_work(costs, part, 0, 0);
        QVERIFY(near(work.token_reads(), 0));
        QVERIFY(near(work.expert_bytes(), 0.5 * 3 * 70));
        QVERIFY(near(work.batch_bytes, 3 * 70));
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 1e9;
        speeds.gflop_per_s = 1e9;
        QVERIFY(!forecast(costs, {}, 10, speeds, {}, 256, work).decode_per_s);
        speeds.flash.bandwidth_gb_per_s = 1e-6;
        const Forecast known = forecast(costs, {}, 10, speeds, {}, 256, work);
        QVERIFY(near(known.decode_per_s->high, 1 / (105 / 1e3)));
        QVERIFY(near(known.decode_per_s->mid, 0.9 / (105 / 1e3)));
        QVERIFY(near(*known.prefill_per_s, 256 / (210 / 1e3)));
    }

    // The disk has nothing to do while attention computes; beside the block only what it takes
    // longer counts.
    void readsWaitForTheBlockAlone() {
        const TokenCosts costs = four_neurons(FeedForwardMode::Exact);
        Placement part = test::VramPart{{4}};
        part.layers[0].set_slots(1);
        const FlashWork work = flash_work(costs, part, 0, 0);
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 1e-6;  // 1000 bytes a second
        speeds.flash.bandwidth_gb_per_s = 1;
        const double in_memory = *decode_seconds(costs, {}, 10, speeds);
        const double block =
            layer_work(costs, 0, neuron_bytes_sums(costs, 0), false, 0, 10).ram_block / 1000;
        QVERIFY(block > 0 && block < in_memory / 2);
        for (const double reads_seconds : {block / 2, 3 * block, 100 * in_memory}) {
            speeds.flash_reads_per_s = 0.5 / reads_seconds;
            const Forecast seen = forecast(costs, {}, 10, speeds, {}, 256, work);
            QVERIFY(near(seen.decode_per_s->high,
                         1 / (in_memory + std::max(0.0, reads_seconds - block))));
        }
    }

    // What a cache misses falls with its room, from all to nothing.
    void missesFallWithTheRoom() {
        QVERIFY(near(missed_share(0), 1));
        QVERIFY(near(missed_share(0.03), 1));
        QVERIFY(near(missed_share(0.5), 1.0 / 32));
        QVERIFY(near(missed_share(1), 0));
        for (int percent = 0; percent < 100; ++percent) {
            QVERIFY(missed_share(percent / 100.0) >= missed_share((percent + 1) / 100.0));
        }
        // Where all fire alike, more is missed than what fires most would leave.
        TokenCosts costs = four_neurons(FeedForwardMode::Exact);
        costs.heat.layers[0].rates = {1, 0, 0, 0};
        Placement part = test::VramPart{{4}};
        part.layers[0].set_slots(1);
        QVERIFY(near(flash_work(costs, part, 0, 0).token_reads(), missed_share(0.25)));
        part.layers[0].set_slots(4);
        QVERIFY(near(flash_work(costs, part, 0, 0).token_reads(), 0));
    }

    // A batch that weights are uploaded for is the GPU's alone, unless the bus is slower; a smaller
    // one is not.
    void prefillWithUploads() {
        const TokenCosts costs = four_neurons(FeedForwardMode::Exact);
        QCOMPARE(weight_bytes(costs), 1380.0);
        Speeds speeds;
        speeds.ram.bandwidth_gb_per_s = 2;
        speeds.vram.bandwidth_gb_per_s = 10;
        speeds.gflop_per_s = 100;
        speeds.vram_gflop_per_s = 900;
        test::VramPart part{{4}};
        part.attention_in_vram = {true};
        const double gpu = 100.0 / 380;
        const double split = 0.76e6 * (gpu / 900e9 + (1 - gpu) / 100e9) / 0.85;  // a token
        const double uploading = 0.76e6 / 900e9 / 0.85;
        speeds.to_vram_gb_per_s = 100;
        const WeightUpload upload{.slot_bytes = 64, .tokens_min = 100};
        const Forecast large = forecast(costs, part, 10, speeds, upload, 512);
        QVERIFY(near(*large.prefill_per_s, 1 / uploading));
        QVERIFY(near(*large.ttft_ms, 1000 * 256 * uploading));
        // Three batches of 96 tokens: below the least that weights are uploaded for, the last
        // of 64.
        const Forecast small = forecast(costs, part, 10, speeds, upload, 96);
        QVERIFY(near(*small.prefill_per_s, 1 / split));
        QVERIFY(near(*small.ttft_ms, 1000 * 256 * split));
        // Two of 120, the rest of 16 is split.
        const Forecast mixed = forecast(costs, part, 10, speeds, upload, 120);
        QVERIFY(near(*mixed.ttft_ms, 1000 * (240 * uploading + 16 * split)));
        // 280 bytes over a slow bus, for each batch.
        speeds.to_vram_gb_per_s = 1e-6;
        QVERIFY(near(*forecast(costs, part, 10, speeds, upload, 512).prefill_per_s,
                     512 / (280 / 870.0)));
    }

    // The bus carries experts however often they are chosen.
    void prefillWithExpertsUploaded() {
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        costs.bytes.layers[0].neuron.of_expert = true;
        costs.bytes.layers[0].expert_neurons = 1;
        costs.heat.layers[0].rates = {1, 0.5, 0.25, 0.25};
        Speeds speeds;
        speeds.gflop_per_s = 100;
        speeds.vram_gflop_per_s = 900;
        speeds.to_vram_gb_per_s = 1e-6;
        test::VramPart part{{4}};
        part.attention_in_vram = {true};
        part.hot_neurons = {1};
        const WeightUpload upload{.slot_bytes = 64, .tokens_min = 100};
        const Forecast seen = forecast(costs, part, 10, speeds, upload, 512);
        QVERIFY(near(*seen.prefill_per_s, 512 / ((380 - 100 - 70) / 870.0)));
        // A GPU's products of a few tokens an expert are slower than those of all.
        speeds.to_vram_gb_per_s = 100;
        QVERIFY(near(*forecast(costs, part, 10, speeds, upload, 512).prefill_per_s,
                     900e9 * 0.31 / 0.76e6));
    }

    // What is not known is not forecast.
    void unknownSpeeds() {
        const TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        Speeds speeds;
        for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity()}) {
            speeds.ram.bandwidth_gb_per_s = bad;
            QVERIFY(!forecast(costs, {}, 10, speeds).decode_per_s);
        }
        speeds.ram.bandwidth_gb_per_s = 10;
        QVERIFY(forecast(costs, {}, 10, speeds).decode_per_s);
        test::VramPart part{{4}};
        part.hot_neurons = {1};
        QVERIFY(!forecast(costs, part, 10, speeds).decode_per_s);  // of VRAM nothing
    }

    // Experts are counted and ordered, and their neurons go with them.
    void heatOfExperts() {
        ModelSpec spec;
        spec.layers.resize(1);
        spec.layers[0].n_ff = 6;
        spec.layers[0].experts = {.n = 3, .n_used = 1, .n_ff = 2};
        const NeuronHeat even = neuron_heat(spec, nullptr);
        QCOMPARE(even.layers[0].rates, std::vector<double>(6, 1.0 / 3));
        ActivationProfile profile;
        profile.tokens = 199;
        profile.layers.resize(1);
        profile.layers[0].fired[0] = {20, 150, 29};
        ModelBytes bytes;
        bytes.layers = {{.neuron = {1, 1, 1, true}, .expert_neurons = 2}};
        const NeuronHeat heat = neuron_heat(spec, &profile, &bytes);
        QVERIFY(heat.measured);
        QCOMPARE(heat.layers[0].order, (std::vector<int>{1, 2, 0}));
        QCOMPARE(heat.layers[0].rates,
                 (std::vector<double>{0.7525, 0.7525, 0.1475, 0.1475, 0.1025, 0.1025}));
        // Each unit's experts lie as they stand in the file.
        const Placement two = placement_of({0, false, {4}}, heat);
        QCOMPARE(two.layers[0].order, (std::vector<int>{1, 2, 0}));
        const Placement one = placement_of({0, false, {2}}, heat);
        QCOMPARE(one.layers[0].order, (std::vector<int>{1, 0, 2}));
        check_placement(one, spec.neurons());
        // Counts of neurons are none of experts.
        profile.layers[0].fired[0].resize(6);
        QVERIFY(!neuron_heat(spec, &profile).measured);
        // A token reads the chosen share of what has no slot.
        TokenCosts costs = four_neurons(FeedForwardMode::Dense);
        costs.bytes.layers[0].neuron.of_expert = true;
        costs.bytes.layers[0].expert_neurons = 2;
        costs.heat.layers[0].rates = {0.5, 0.5, 0.25, 0.25};
        Placement part = test::VramPart{{4}};
        part.layers[0].set_slots(2);
        QVERIFY(near(flash_work(costs, part, 0, 0).expert_bytes(), 2 * 0.25 * 70));
        QCOMPARE(group_neurons(costs.bytes.layers[0], 4), 2);
    }

    // Jeffreys' estimator: nothing is sure to rest or to fire.
    void heat() {
        ModelSpec spec;
        spec.layers.resize(1);
        spec.layers[0].n_ff = 4;
        ActivationProfile profile;
        profile.tokens = 199;
        profile.layers.resize(1);
        profile.layers[0].fired[0] = {0, 150, 0, 500};  // five hundred firings of 199 tokens: all
        const NeuronHeat heat = neuron_heat(spec, &profile);
        QVERIFY(heat.measured);
        QCOMPARE(heat.layers[0].order, (std::vector<int>{3, 1, 0, 2}));
        QCOMPARE(heat.layers[0].rates, (std::vector<double>{0.9975, 0.7525, 0.0025, 0.0025}));

        // Columns stay where they are.
        ModelBytes bytes;
        bytes.layers = {{.neuron = {1, 1, 1, true}}};
        const NeuronHeat fixed = neuron_heat(spec, &profile, &bytes);
        QVERIFY(fixed.measured && fixed.layers[0].order.empty());
        QCOMPARE(fixed.layers[0].rates, (std::vector<double>{0.0025, 0.7525, 0.0025, 0.9975}));

        // One of two tokens is no measurement; a hundred tokens are one.
        QCOMPARE(firing_rate(1, 1), 0.75);
        QCOMPARE(firing_rate(0, 0), 0.5);
        profile.layers[0].fired[0] = {0, 1, 2, 1};
        for (const auto& [tokens, measured] :
             {std::pair{2, false}, {99, false}, {100, true}, {101, true}}) {
            profile.tokens = static_cast<std::uint64_t>(tokens);
            QCOMPARE(neuron_heat(spec, &profile).measured, measured);
        }
        profile.tokens = 1000;

        const auto unmeasured = [&](const ActivationProfile* given) {
            const NeuronHeat even = neuron_heat(spec, given);
            return !even.measured && even.layers.size() == 1 && even.layers[0].order.empty() &&
                   even.layers[0].rates == std::vector<double>(4, 1.0);
        };
        QVERIFY(unmeasured(nullptr));
        profile.layers[0].fired[0].pop_back();
        QVERIFY(unmeasured(&profile));
        profile.layers[0].fired[0] = {5, 9, 5, 1};
        profile.tokens = 0;
        QVERIFY(unmeasured(&profile));
        profile.tokens = 1000;
        profile.layers.resize(2);
        QVERIFY(unmeasured(&profile));
    }
};

QTEST_GUILESS_MAIN(CostModelTest)
#include "cost_model_test.moc"
