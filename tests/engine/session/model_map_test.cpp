// The map of a loaded model: every byte of every layer has one place, and what the layers' counters
// say of an answer is what the engine's other counters say, and what the file's sizes ask for.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "gguf/reader.h"
#include "session/loaded_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::DType;
using hearth::LayerMap;
using hearth::ModelMap;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

namespace {

// The bytes of the layer's tensors in the file.
std::uint64_t bytes_in_file(const hearth::GgufFile& file, int layer) {
    const std::string prefix = "blk." + std::to_string(layer) + ".";
    std::uint64_t bytes = 0;
    for (const hearth::TensorInfo& tensor : file.tensors().entries()) {
        bytes += tensor.name.starts_with(prefix) ? tensor.bytes : 0;
    }
    return bytes;
}

std::uint64_t all_bytes(const LayerMap& layer) {
    return layer.vram_bytes + layer.ram_bytes + layer.flash_bytes;
}

template <class Member>
std::uint64_t sum(const ModelMap& map, Member member) {
    return std::accumulate(
        map.layers.begin(), map.layers.end(), std::uint64_t{0},
        [&](std::uint64_t all, const LayerMap& layer) { return all + layer.*member; });
}

}  // namespace

class ModelMapTest : public QObject {
    Q_OBJECT

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");

    // Greedy, each token by itself.
    static hearth::Result<hearth::GenerationResult> answer(
        hearth::Engine& engine, int tokens, const hearth::PieceCallback& on_piece = {}) {
        hearth::GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = tokens;
        options.drafts = false;
        return engine.complete("The quick brown fox jumps", options, on_piece, {});
    }

private slots:
    void every_byte_has_a_place_data() {
        QTest::addColumn<QString>("arch");
        for (const char* arch : {"llama", "bamboo", "qwen3moe", "granitehybrid", "nemotron_h",
                                 "qwen3next", "lfm2", "deepseek2"}) {
            QTest::newRow(arch) << arch;
        }
    }

    void every_byte_has_a_place() {
        QFETCH(const QString, arch);
        QVERIFY(TinyModel({.arch = arch.toStdString(), .n_layer = 4}).write(path_));
        const auto engine = hearth::test::load_or_say(hearth::test::small_engine(path_));
        QVERIFY(engine);
        const auto map = engine->map();
        QVERIFY(map);
        const auto file = hearth::GgufFile::open(path_);
        QCOMPARE(map->layers.size(), static_cast<std::size_t>(engine->model().n_layer));
        QCOMPARE(map->tokens, std::uint64_t{0});
        std::uint64_t of_layers = 0;
        std::uint64_t of_file = 0;
        // Nemotron's layers are two blocks of the file each, or one.
        const bool alike = arch != "nemotron_h";
        for (std::size_t i = 0; i < map->layers.size(); ++i) {
            const LayerMap& layer = map->layers[i];
            const hearth::LayerSpec& spec = engine->impl().spec.layers[i];
            of_layers += all_bytes(layer);
            if (alike) {
                QCOMPARE(all_bytes(layer), bytes_in_file(*file, static_cast<int>(i)));
            }
            QCOMPARE(layer.ram_bytes, all_bytes(layer));
            QCOMPARE(layer.hits + layer.misses + layer.read_bytes, std::uint64_t{0});
            QCOMPARE(layer.experts, spec.is_mixture() ? spec.experts.n : 0);
            QCOMPARE(layer.experts_per_token, spec.is_mixture() ? spec.experts.n_used : 0);
            QCOMPARE(layer.neurons, spec.is_mixture() ? 0 : spec.n_ff);
        }
        for (int block = 0; block < 16; ++block) {
            of_file += bytes_in_file(*file, block);
        }
        QCOMPARE(of_layers, of_file);
    }

    // Neurons that lie on disk: each that a token misses is read once, and of the layer's size.
    void neurons_on_disk() {
        // The second layer's neurons are of another number and, with more inputs, not of another
        // size: layers that were mixed up would be seen by their counts.
        QVERIFY(TinyModel({.type = DType::F16,
                           .n_layer = 6,
                           .n_embd = 256,
                           .n_ff = 2048,
                           .layers = {{4, 2, 2048},
                                      {4, 2, 1024},
                                      {4, 2, 2048},
                                      {4, 2, 1536},
                                      {4, 2, 2048},
                                      {4, 2, 512}}})
                    .write(dir_.file("plain.gguf")));
        hearth::tools::PackOptions pack;
        pack.output_path = path_;
        pack.format = 2;
        QVERIFY(hearth::tools::pack(dir_.file("plain.gguf"), pack, {}, {}));
        auto options = hearth::test::small_engine(path_);
        options.mode = "exact";
        options.heeds_memory_pressure = false;
        std::uint64_t whole = 0;
        {
            const auto engine = hearth::test::load_or_say(options);
            QVERIFY(engine);
            whole = engine->memory().ledger_bytes();
        }
        // A budget with which neurons lie on disk and nothing else does.
        std::unique_ptr<hearth::Engine> engine;
        for (int part = 1; part < 16 && engine == nullptr; ++part) {
            options.ram_bytes = whole - whole * static_cast<std::uint64_t>(part) / 24;
            engine = hearth::test::load_or_say(options);
            if (engine &&
                (!engine->flash().caches_neurons || engine->flash().bytes_per_token > 0)) {
                engine.reset();
            }
        }
        QVERIFY(engine);
        const auto loaded = engine->map();
        QVERIFY(loaded);
        QCOMPARE(sum(*loaded, &LayerMap::read_bytes), std::uint64_t{0});

        // The first answer's prompt is read in a batch, for which whole layers are read, some ahead
        // of their use. The second answer has that prompt already and reads nothing but what it
        // misses.
        QVERIFY(answer(*engine, 30));
        std::vector<ModelMap> seen;
        const auto done = answer(*engine, 30, [&](std::string_view) {
            if (auto map = engine->map()) {
                seen.push_back(std::move(*map));
            }
        });
        QVERIFY(done && seen.size() > 10);
        const auto end = engine->map();
        QVERIFY(end);
        const auto statistics = engine->decode_statistics();
        const hearth::FlashReport flash = engine->flash();
        QCOMPARE(end->tokens, statistics->tokens);
        QCOMPARE(sum(*end, &LayerMap::hits), flash.neuron_hits);
        QCOMPARE(sum(*end, &LayerMap::misses), flash.neuron_misses);
        const std::uint64_t asked = sum(*end, &LayerMap::read_bytes) + end->other_read_bytes;
        QVERIFY(asked > 0 && asked <= flash.read_bytes);
        QVERIFY(flash.neuron_hits > 0 && flash.neuron_misses > 0);

        // Up and down of a neuron lie in its slot, and its gate where that is not held.
        constexpr std::uint64_t kRow = 256 * sizeof(std::uint16_t);
        int cached = 0;
        std::uint64_t of_neuron = 0;
        const ModelMap& first = seen.front();
        const ModelMap& last = seen.back();
        for (std::size_t i = 0; i < end->layers.size(); ++i) {
            const LayerMap& layer = end->layers[i];
            QCOMPARE(layer.statistics.fired, statistics->layers[i].fired);
            QCOMPARE(layer.statistics.tokens, statistics->layers[i].tokens);
            QCOMPARE(layer.statistics.path, std::string("exact"));
            QVERIFY(layer.statistics.fired > 0 && layer.statistics.fired < 1);
            QCOMPARE(all_bytes(layer), all_bytes(loaded->layers[i]));
            const std::uint64_t read = last.layers[i].read_bytes - first.layers[i].read_bytes;
            const std::uint64_t missed = last.layers[i].misses - first.layers[i].misses;
            if (missed == 0) {
                QCOMPARE(read, std::uint64_t{0});
                continue;
            }
            ++cached;
            of_neuron = of_neuron == 0 ? read / missed : of_neuron;
            QVERIFY(of_neuron == 2 * kRow || of_neuron == 3 * kRow);
            QCOMPARE(read, missed * of_neuron);
            QCOMPARE(layer.flash_bytes % of_neuron, std::uint64_t{0});
            QVERIFY(layer.flash_bytes > 0);
            QVERIFY(layer.flash_bytes / of_neuron < static_cast<std::uint64_t>(layer.neurons));
        }
        QVERIFY(cached >= 2);

        // A budget that moves: what memory gives up lies on disk alone, and no byte is lost.
        const std::uint64_t less_bytes = *options.ram_bytes - whole / 40;
        QVERIFY(engine->set_budget({.ram_bytes = less_bytes}));
        QVERIFY(!engine->memory().budget_waits);
        const auto less = engine->map();
        QVERIFY(less);
        QVERIFY(sum(*less, &LayerMap::flash_bytes) > sum(*end, &LayerMap::flash_bytes));
        QCOMPARE(sum(*less, &LayerMap::flash_bytes) + sum(*less, &LayerMap::ram_bytes),
                 sum(*end, &LayerMap::flash_bytes) + sum(*end, &LayerMap::ram_bytes));
    }

    // A mixture whose experts lie on disk: the layers' choices are those of the answers.
    void experts_on_disk() {
        QVERIFY(
            TinyModel(
                {.arch = "qwen3moe", .type = DType::Q8_0, .n_layer = 4, .n_embd = 256, .n_ff = 256})
                .write(path_));
        std::uint64_t whole = 0;
        {
            const auto engine = hearth::test::load_or_say(hearth::test::small_engine(path_));
            QVERIFY(engine);
            whole = engine->memory().ledger_bytes();
        }
        auto options = hearth::test::small_engine(path_, whole - whole / 4);
        options.heeds_memory_pressure = false;
        const auto engine = hearth::test::load_or_say(options);
        QVERIFY(engine && engine->flash().are_experts);
        hearth::ExpertsServed served;
        for (int i = 0; i < 2; ++i) {  // counters go on over answers
            const auto done = answer(*engine, 20 + i);
            QVERIFY(done);
            served += done->experts;
            const auto map = engine->map();
            QVERIFY(map);
            hearth::ExpertsServed of_layers;
            for (const LayerMap& layer : map->layers) {
                of_layers += layer.served;
                QCOMPARE(layer.served.all(),
                         map->tokens * static_cast<std::uint64_t>(layer.experts_per_token));
            }
            QCOMPARE(of_layers.ram, served.ram);
            QCOMPARE(of_layers.disk, served.disk);
            QCOMPARE(of_layers.vram, std::uint64_t{0});
            QCOMPARE(sum(*map, &LayerMap::hits), engine->flash().neuron_hits);
            QCOMPARE(sum(*map, &LayerMap::misses), engine->flash().neuron_misses);
            QVERIFY(served.disk > 0);
            QVERIFY(sum(*map, &LayerMap::read_bytes) + map->other_read_bytes <=
                    engine->flash().read_bytes);
        }
    }

    // A model that streams: a token reads of each layer what memory has not.
    void streamed_weights() {
        QVERIFY(
            TinyModel(
                {.arch = "llama", .type = DType::Q8_0, .n_layer = 12, .n_embd = 256, .n_ff = 1024})
                .write(path_));
        std::uint64_t whole = 0;
        {
            const auto engine = hearth::test::load_or_say(hearth::test::small_engine(path_));
            QVERIFY(engine);
            whole = engine->memory().ledger_bytes();
        }
        const auto engine =
            hearth::test::load_or_say(hearth::test::small_engine(path_, whole - whole / 3));
        QVERIFY(engine && !engine->flash().caches_neurons);
        const auto done = answer(*engine, 8);
        QVERIFY(done);
        const auto map = engine->map();
        QVERIFY(map);
        const std::uint64_t of_layers = sum(*map, &LayerMap::flash_bytes);
        const std::uint64_t of_token = engine->flash().bytes_per_token;
        QVERIFY(of_layers > 0 && of_layers <= of_token);
        if (map->other_read_bytes == 0) {
            QCOMPARE(of_layers, of_token);
        }
        int resident = 0;
        for (const LayerMap& layer : map->layers) {
            QVERIFY(layer.read_bytes >= map->tokens * layer.flash_bytes);
            QCOMPARE(layer.read_bytes > 0, layer.flash_bytes > 0);
            resident += layer.flash_bytes == 0 ? 1 : 0;
        }
        QVERIFY(resident < 12);
        QVERIFY(sum(*map, &LayerMap::read_bytes) + map->other_read_bytes <=
                engine->flash().read_bytes);
        const int loads = map->loads;
        QVERIFY(engine->set_budget({.ram_bytes = 2 * whole}));
        QVERIFY(engine->carry_out_budget());
        const auto again = engine->map();
        QVERIFY(again);
        QVERIFY(again->loads > loads);
        QCOMPARE(sum(*again, &LayerMap::flash_bytes), std::uint64_t{0});
        QCOMPARE(sum(*again, &LayerMap::read_bytes), std::uint64_t{0});
    }
};

QTEST_GUILESS_MAIN(ModelMapTest)
#include "model_map_test.moc"
