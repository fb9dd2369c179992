// Weights that are read from the file in each pass: the same bits as with all of them in RAM, for
// every kind of file, mode and layout, and a clear error where the file no longer gives them.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QtTest>
#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/aligned_buffer.h"
#include "cpu/cold_neurons.h"
#include "cpu/cpu_executor.h"
#include "cpu/cpu_feed_forward.h"
#include "cpu/flash_choice.h"
#include "cpu/layout_jobs.h"
#include "flash/disk_probe_file.h"
#include "model/model_hash.h"
#include "plan/self_profile.h"
#include "session/decoder.h"
#include "session/loaded_model.h"
#include "session/ram_budget.h"
#include "support/damaged_file.h"
#include "support/loose_cpu_executor.h"
#include "support/split_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

namespace {

using hearth::DType;
using hearth::FeedForwardMode;
using hearth::Placement;
using hearth::Role;
using hearth::test::slots_of;
using hearth::test::TinyModelOptions;

constexpr int kCtx = 64;

struct Nothing : hearth::LoadMonitor {
    bool loaded(double) override { return true; }
};

struct Kind {
    const char* name;
    TinyModelOptions options;
    FeedForwardMode mode = FeedForwardMode::Dense;
    std::uint32_t packed = 0;  // in which format
    bool gate_matrices = true;
    int parts = 1;  // files that it lies in
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all{
        {"llama Q4_0", {.arch = "llama", .type = DType::Q4_0, .n_layer = 3}},
        {"llama Q8_0 tied", {.arch = "llama", .type = DType::Q8_0, .n_layer = 3, .tied = true}},
        {"llama F16", {.arch = "llama", .type = DType::F16, .n_layer = 3}},
        {"llama Q6_K",
         {.arch = "llama", .type = DType::Q6_K, .n_layer = 2, .n_embd = 256, .n_ff = 256}},
        {"llama Q2_K",
         {.arch = "llama", .type = DType::Q2_K, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama Q3_K",
         {.arch = "llama", .type = DType::Q3_K, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama IQ2_XXS",
         {.arch = "llama", .type = DType::IQ2_XXS, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama IQ2_XS",
         {.arch = "llama", .type = DType::IQ2_XS, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama IQ2_S",
         {.arch = "llama", .type = DType::IQ2_S, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama IQ3_XXS",
         {.arch = "llama", .type = DType::IQ3_XXS, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama IQ3_S",
         {.arch = "llama", .type = DType::IQ3_S, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama IQ1_S",
         {.arch = "llama", .type = DType::IQ1_S, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama IQ1_M",
         {.arch = "llama", .type = DType::IQ1_M, .n_layer = 2, .n_embd = 256, .n_ff = 512}},
        {"llama Q4_0, gate and up in one",
         {.arch = "llama",
          .type = DType::Q4_0,
          .n_layer = 3,
          .fused_qkv = true,
          .fused_gate_up = true}},
        {"falcon Q5_1", {.arch = "falcon", .type = DType::Q5_1, .n_layer = 3}},
        {"opt Q8_0 exact", {.arch = "opt", .type = DType::Q8_0}, FeedForwardMode::Exact},
        {"bamboo Q4_0 exact", {.type = DType::Q4_0, .n_ff = 320}, FeedForwardMode::Exact},
        {"bamboo Q4_0 predicted",
         {.type = DType::Q4_0, .n_ff = 320, .predictor_width = 64},
         FeedForwardMode::Predicted},
        {"bamboo by neuron Q8_0 exact",
         {.type = DType::Q8_0,
          .n_ff = 320,
          .by_neuron = true,
          .pwri = true,
          .predictor_width = 64,
          .sparse_threshold = 0.1F},
         FeedForwardMode::Exact},
        {"packed 1 bamboo Q4_0 predicted",
         {.type = DType::Q4_0, .n_ff = 320, .predictor_width = 64},
         FeedForwardMode::Predicted,
         1},
        {"packed 1 bamboo F16 dense", {.type = DType::F16, .n_ff = 320}, FeedForwardMode::Dense, 1},
        {"packed 2 bamboo Q4_0 predicted",
         {.type = DType::Q4_0, .n_ff = 320, .predictor_width = 64},
         FeedForwardMode::Predicted,
         2},
        {"packed 2 bamboo F16 dense", {.type = DType::F16, .n_ff = 320}, FeedForwardMode::Dense, 2},
        {"packed 2 bamboo Q5_0 exact",
         {.type = DType::Q5_0, .n_ff = 320},
         FeedForwardMode::Exact,
         2},
        {"packed 2 opt Q8_0 exact",
         {.arch = "opt", .type = DType::Q8_0, .n_ff = 320},
         FeedForwardMode::Exact,
         2},
        {.name = "llama Q4_0 in 3 parts",
         .options = {.arch = "llama", .type = DType::Q4_0, .n_layer = 3},
         .parts = 3},
        {.name = "bamboo by neuron Q8_0 exact in 4 parts",
         .options = {.type = DType::Q8_0,
                     .n_ff = 320,
                     .by_neuron = true,
                     .pwri = true,
                     .predictor_width = 64,
                     .sparse_threshold = 0.1F},
         .mode = FeedForwardMode::Exact,
         .parts = 4},
        {.name = "packed 2 bamboo Q4_0 predicted in 2 parts",
         .options = {.type = DType::Q4_0, .n_ff = 320, .predictor_width = 64},
         .mode = FeedForwardMode::Predicted,
         .packed = 2,
         .parts = 2},
    };
    return all;
}

// Of these the processor computes single neurons.
const std::vector<Kind>& cached_kinds() {
    static const std::vector<Kind> all{
        {"packed 1 bamboo Q4_0 predicted",
         {.type = DType::Q4_0, .n_ff = 640, .predictor_width = 64},
         FeedForwardMode::Predicted,
         1},
        {"packed 2 bamboo Q4_0 predicted",
         {.type = DType::Q4_0, .n_ff = 640, .predictor_width = 64},
         FeedForwardMode::Predicted,
         2},
        {"packed 2 bamboo F16 exact", {.type = DType::F16, .n_ff = 640}, FeedForwardMode::Exact, 2},
        {"packed 2 bamboo Q4_0 exact",
         {.type = DType::Q4_0, .n_ff = 640},
         FeedForwardMode::Exact,
         2},
        {"packed 2 bamboo Q4_0 exact, gates in records only",
         {.type = DType::Q4_0, .n_ff = 640},
         FeedForwardMode::Exact,
         2,
         false},
        {"packed 2 opt Q4_0 predicted",  // whose up has a bias
         {.arch = "opt", .type = DType::Q4_0, .n_ff = 640, .predictor_width = 64},
         FeedForwardMode::Predicted,
         2},
        {"packed 1 opt Q8_0 exact",
         {.arch = "opt", .type = DType::Q8_0, .n_ff = 640},
         FeedForwardMode::Exact,
         1},
        {"bamboo by neuron Q4_0 predicted",
         {.type = DType::Q4_0,
          .n_ff = 640,
          .by_neuron = true,
          .pwri = true,
          .predictor_width = 64,
          .sparse_threshold = 0.1F},
         FeedForwardMode::Predicted},
        {"bamboo by neuron Q8_0 exact",
         {.type = DType::Q8_0,
          .n_ff = 640,
          .by_neuron = true,
          .pwri = true,
          .predictor_width = 64,
          .sparse_threshold = 0.1F},
         FeedForwardMode::Exact},
        {"bamboo by neuron Q8_0 exact, gate and up in one",
         {.type = DType::Q8_0,
          .n_ff = 640,
          .by_neuron = true,
          .pwri = true,
          .predictor_width = 64,
          .sparse_threshold = 0.1F,
          .fused_gate_up = true},
         FeedForwardMode::Exact},
        {.name = "bamboo by neuron Q4_0 predicted in 3 parts",
         .options = {.type = DType::Q4_0,
                     .n_ff = 640,
                     .by_neuron = true,
                     .pwri = true,
                     .predictor_width = 64,
                     .sparse_threshold = 0.1F},
         .mode = FeedForwardMode::Predicted,
         .parts = 3},
        {.name = "packed 2 bamboo Q4_0 exact in 3 parts",
         .options = {.type = DType::Q4_0, .n_ff = 640},
         .mode = FeedForwardMode::Exact,
         .packed = 2,
         .parts = 3},
    };
    return all;
}

struct Model {
    explicit Model(const Kind& kind) : mode(kind.mode) {
        const bool says_input = kind.options.sparse_threshold.has_value();
        path = dir.file("tiny.gguf");
        bool written = hearth::test::TinyModel(kind.options).write(path);
        if (written && kind.packed > 0) {
            const std::string source = std::exchange(path, dir.file("packed.gguf"));
            hearth::tools::PackOptions options;
            options.output_path = path;
            options.format = kind.packed;
            options.gate_matrices = kind.gate_matrices;
            options.predictor_input = kind.options.predictor_width > 0 ? "normed" : "";
            written = hearth::tools::pack(source, options, {}, {}).has_value();
        }
        if (written && kind.parts > 1) {
            path = hearth::test::split_model(path, kind.parts);
            written = !path.empty();
        }
        if (!written) {
            return;
        }
        file = std::make_unique<hearth::GgufFile>(std::move(*hearth::GgufFile::open(path)));
        spec = *hearth::read_model_spec(*file);
        tensors = *hearth::bind_tensors(*file, spec);
        if (mode == FeedForwardMode::Predicted) {
            const auto stated =
                says_input ? std::nullopt : std::optional(hearth::PredictorInput::Normed);
            hearth::use_predictors(*file, *hearth::bind_predictors(*file, spec, {}, stated),
                                   tensors);
        }
    }

    hearth::test::TempDir dir;
    std::string path;
    std::unique_ptr<hearth::GgufFile> file;
    hearth::ModelSpec spec;
    hearth::ModelTensors tensors;
    FeedForwardMode mode;
};

// All that can be read so, or every second layer.
Placement all_of(const Model& model, bool all_layers = true) {
    Placement placement = hearth::all_in_ram(model.spec.neurons());
    for (std::size_t i = 0; i < placement.layers.size(); i += all_layers ? 1 : 2) {
        for (const Role role :
             {Role::Q, Role::K, Role::V, Role::AttnOutput, Role::Gate, Role::Up, Role::Down}) {
            if (model.tensors.layers[i][role].present()) {
                placement.layers[i].streamed.add(role);
            }
        }
    }
    if (all_layers && !model.tensors[Role::Output].same_as(model.tensors[Role::TokenEmbd])) {
        placement.output = hearth::Home::Stream;
    }
    return placement;
}

// Slots for so many neurons of every layer.
Placement with_slots(const Model& model, int n_slots) {
    Placement placement = hearth::all_in_ram(model.spec.neurons());
    for (hearth::LayerPlacement& layer : placement.layers) {
        layer.set_slots(n_slots);
    }
    return placement;
}

// The neurons of every layer in a cache, with slots for `share` of them and no fewer than needed;
// and of every second layer its attention streamed, of the others their gates, where a token
// computes all of them.
Placement cached(const Model& model, double share, bool attention, bool gates = false) {
    const int n_ff = model.spec.n_ff_max();
    Placement placement = with_slots(
        model, std::max(hearth::CpuFeedForward::least_slots(n_ff), static_cast<int>(share * n_ff)));
    for (std::size_t i = 0; i < placement.layers.size(); ++i) {
        hearth::RoleSet& streamed = placement.layers[i].streamed;
        if (i % 2 == 1 && gates) {
            streamed.add(Role::Gate);
        }
        for (const Role role : {Role::Q, Role::K, Role::V, Role::AttnOutput}) {
            if (i % 2 == 0 && attention) {
                streamed.add(role);
            }
        }
    }
    return placement;
}

// The processor's executor with some of a model's weights on flash.
struct Loaded {
    Loaded(const Model& of, const Placement& placement, int threads,
           const hearth::FlashWithout& without = {})
        : model(of), pool(threads), ledger({}) {
        plan.flash_without = without;
        plan.placement =
            placement.layers.empty() ? hearth::all_in_ram(model.spec.neurons()) : placement;
        plan.n_ctx = kCtx;
        plan.n_batch = 32;
        plan.threads = threads;
        plan.mode = model.mode;
        plan.ram = {
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode, plan.placement),
            hearth::KvCache::bytes_for(model.spec, kCtx, {}),
            hearth::CpuExecutor::scratch_bytes(model.spec, model.tensors.predictor_width(),
                                               plan.n_batch, threads, model.mode)};
        ledger = hearth::Ledger(plan.ram);
        executor = hearth::test::loose_cpu_executor(pool);
        Nothing monitor;
        status = executor->load({*model.file, model.spec, model.tensors, plan, ledger}, monitor);
        decoder = std::make_unique<hearth::Decoder>(model.spec, plan, *executor, nullptr);
        if (auto made = decoder->make_past(ledger); status && made) {
            past = std::move(*made);
        }
    }
    // Logits of a batch's tokens, then of tokens that come alone.
    std::vector<float> run(const std::function<void()>& between = [] {}) {
        std::vector<float> all;
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 20; ++i) {
            tokens.push_back(3 + (i * 37 + 11) % 200);
        }
        const auto keep = [&](std::size_t, std::span<const float> row) {
            all.insert(all.end(), row.begin(), row.end());
        };
        const std::span<const std::int32_t> text(tokens);
        status = decoder->forward(text.first(12), 0, past, hearth::Decoder::Want::All, keep, {});
        for (int i = 12; i < 20 && status; ++i) {
            between();
            status = decoder->forward(text.subspan(static_cast<std::size_t>(i), 1), i, past,
                                      hearth::Decoder::Want::Last, keep, {});
        }
        return all;
    }

    // Loads the same executor for another placement.
    hearth::Result<void> load_again(const Placement& placement) {
        plan.placement = placement;
        plan.ram.weights =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode, placement);
        ledger = hearth::Ledger(plan.ram);
        Nothing monitor;
        return executor->load({*model.file, model.spec, model.tensors, plan, ledger}, monitor);
    }

    const Model& model;
    hearth::ThreadPool pool;
    hearth::Ledger ledger;
    hearth::Plan plan;
    std::unique_ptr<hearth::CpuExecutor> executor;
    std::unique_ptr<hearth::Decoder> decoder;
    hearth::Past past;
    hearth::Result<void> status;
};

// The neurons of a layer, 2048, fired for half to twice so many of 1000 tokens.
hearth::ActivationProfile profile_of_layers(int n_layer, const std::function<int(int)>& fired) {
    hearth::ActivationProfile profile;
    profile.tokens = profile.groups[0] = 1000;
    for (int layer = 0; layer < n_layer; ++layer) {
        hearth::LayerProfile& of = profile.layers.emplace_back();
        for (auto& counts : of.fired) {
            counts.resize(2048);
        }
        for (std::size_t n = 0; n < 2048; ++n) {
            of.fired[0][n] = static_cast<std::uint32_t>(static_cast<std::size_t>(fired(layer)) *
                                                        (n % 4 + 1) / 2);
        }
    }
    return profile;
}

// Enough of them that their neurons take more than a batch does.
Kind with_layers(Kind kind, int n_layer) {
    kind.options.n_layer = n_layer;
    return kind;
}

// NaN as the scale at byte `at` of a tensor, until it is mended or goes. Who has the file open is
// not told that it was written to.
struct Damage {
    Damage(const Model& of, std::string of_tensor, std::uint64_t at_byte)
        : model(of), tensor(std::move(of_tensor)), at(at_byte) {
        const hearth::TensorInfo* info = model.file->tensors().find(tensor);
        std::array<std::byte, 2> scale{};
        done = info != nullptr && model.file->read(*info, at, scale);
        bits = static_cast<std::uint32_t>(scale[0]) | static_cast<std::uint32_t>(scale[1]) << 8;
        done = done && write(hearth::test::kHalfNanBits);
    }
    ~Damage() { mend(); }
    Damage(const Damage&) = delete;
    Damage& operator=(const Damage&) = delete;
    bool mend() const { return write(bits); }

    const Model& model;
    const std::string tensor;
    const std::uint64_t at;
    std::uint32_t bits = 0;
    bool done = false;

private:
    bool write(std::uint32_t two_bytes) const {
        const auto time = std::filesystem::last_write_time(model.path);
        const bool written = hearth::test::overwrite_tensor(model.path, tensor, at, two_bytes, 2);
        std::filesystem::last_write_time(model.path, time);
        return written;
    }
};

// Of this process; 0: this system does not say.
std::uint64_t resident_bytes() {
    QFile file(QStringLiteral("/proc/self/statm"));
    if (!file.open(QIODevice::ReadOnly)) {
        return 0;
    }
    return file.readAll().split(' ')[1].toULongLong() * 4096;
}

// With which nothing is loaded anew.
std::uint64_t least_budget(hearth::Engine& engine) {
    return engine.memory().ledger_bytes() - engine.impl().executor->most_spared_ram();
}

}  // namespace

class StreamedWeightsTest : public QObject {
    Q_OBJECT

private slots:
    void theBitsOfARunInRam_data() {
        QTest::addColumn<std::size_t>("kind");
        for (std::size_t i = 0; i < kinds().size(); ++i) {
            QTest::newRow(kinds()[i].name) << i;
        }
    }

    void theBitsOfARunInRam() {
        QFETCH(const std::size_t, kind);
        const Model model(kinds()[kind]);
        QVERIFY(model.file != nullptr);
        Loaded resident(model, {}, 2);
        const std::vector<float> expected = resident.run();
        QVERIFY2(resident.status, resident.status ? "" : resident.status.error().message.c_str());
        QVERIFY(!expected.empty());
        QCOMPARE(resident.executor->flash().bytes_per_pass, 0U);
        for (const bool all_layers : {true, false}) {
            for (const int threads : {1, 2, 3}) {
                Loaded streamed(model, all_of(model, all_layers), threads);
                QVERIFY2(streamed.status,
                         streamed.status ? "" : streamed.status.error().message.c_str());
                QCOMPARE(streamed.ledger.actual().weights, streamed.plan.ram.weights);
                QVERIFY(streamed.run() == expected);
                const hearth::FlashReads reads = streamed.executor->flash();
                // Nine passes have used every byte; some are read ahead for the next one.
                QVERIFY(reads.bytes_per_pass > 0);
                QVERIFY2(reads.bytes >= 9 * reads.bytes_per_pass,
                         qPrintable(QString::number(reads.bytes)));
            }
        }
    }

    void theBitsOfARunInRamWithCachedNeurons_data() {
        QTest::addColumn<std::size_t>("kind");
        for (std::size_t i = 0; i < cached_kinds().size(); ++i) {
            QTest::newRow(cached_kinds()[i].name) << i;
        }
    }

    void theBitsOfARunInRamWithCachedNeurons() {
        QFETCH(const std::size_t, kind);
        const Model model(cached_kinds()[kind]);
        QVERIFY(model.file != nullptr);
        Loaded resident(model, {}, 2);
        const std::vector<float> expected = resident.run();
        QVERIFY2(resident.status, resident.status ? "" : resident.status.error().message.c_str());
        const bool all_gates =
            model.mode == FeedForwardMode::Exact && model.tensors.layers[0][Role::Gate].present();
        for (const double share : {0.0, 0.5, 1.0}) {
            for (const auto& [attention, gates] :
                 {std::pair{false, false}, {true, false}, {false, true}, {true, true}}) {
                for (const int threads : {1, 2, 3}) {
                    if (gates && !all_gates) {
                        continue;
                    }
                    Loaded cold(model, cached(model, share, attention, gates), threads);
                    QVERIFY2(cold.status, cold.status ? "" : cold.status.error().message.c_str());
                    QCOMPARE(cold.ledger.actual().weights, cold.plan.ram.weights);
                    QCOMPARE(cold.executor->flash().neuron_misses, 0U);  // no token named any yet
                    QVERIFY(cold.run() == expected);
                    QVERIFY(cold.run() == expected);  // after a batch that lay over the cache
                    const hearth::FlashReads reads = cold.executor->flash();
                    QCOMPARE(reads.bytes_per_pass > 0, attention || gates);
                    QVERIFY(share == 0.0 || reads.neuron_hits > 0);
                    QVERIFY(reads.neuron_misses > 0);  // the batch's place was theirs
                    const auto activity = cold.executor->activity();
                    const auto expected_activity = resident.executor->activity();
                    for (std::size_t l = 0; l < activity->size(); ++l) {
                        const hearth::LayerActivity& one = (*activity)[l];
                        const hearth::LayerActivity& other = (*expected_activity)[l];
                        QCOMPARE(one.fired, 2 * other.fired);
                        QCOMPARE(one.opened, 2 * other.opened);
                        QCOMPARE(one.examined, 2 * other.examined);
                    }
                }
            }
        }
    }

    // What a measurement leaves out changes what is read, and no bit.
    void theBitsWithPartsLeftOut_data() { theBitsOfARunInRamWithCachedNeurons_data(); }

    void theBitsWithPartsLeftOut() {
        QFETCH(const std::size_t, kind);
        const Model model(cached_kinds()[kind]);
        QVERIFY(model.file != nullptr);
        Loaded resident(model, {}, 2);
        const std::vector<float> expected = resident.run();
        for (const double share : {0.0, 1.0}) {
            const Placement placement = cached(model, share, false);
            const auto misses = [&](const hearth::FlashWithout& without, int threads) {
                Loaded cold(model, placement, threads, without);
                const bool same = cold.run() == expected && cold.run() == expected;
                return same && cold.status ? cold.executor->flash().neuron_misses : 0;
            };
            for (const int threads : {1, 3}) {
                const std::uint64_t all = misses({}, threads);
                QVERIFY(all > 0);
                QVERIFY(misses({.overlap = true}, threads) > 0);
                QVERIFY(misses({.cache = true}, threads) > all);
            }
            Loaded buffered(model, placement, 2, {.direct = true});
            QVERIFY(buffered.run() == expected);
            QVERIFY(!buffered.executor->flash().why_not_direct.empty());
        }
    }

    // From RAM to flash and back, some of it each time; up lay in tiles before, which the weights
    // that are kept do not.
    void theBitsOfAnExecutorLoadedAgain() {
        const Model model({"",
                           {.type = DType::Q4_0, .n_layer = 4, .n_embd = 256, .n_ff = 1024},
                           FeedForwardMode::Exact,
                           2});
        QVERIFY(model.file != nullptr);
        Loaded moving(model, {}, 2);
        const std::vector<float> expected = moving.run();
        QVERIFY(!expected.empty());
        const Placement in_ram = hearth::all_in_ram(model.spec.neurons());
        Placement half = cached(model, 0.5, true);
        half.layers[1] = in_ram.layers[1];
        std::uint64_t first = moving.executor->load_read_bytes();
        for (const Placement& placement :
             {in_ram, half, cached(model, 0.25, false), half, all_of(model), in_ram}) {
            int in_tiles = 0;
            for (int layer = 0; layer < 4; ++layer) {
                if (moving.executor->has_paths(layer)) {
                    moving.executor->set_path(layer, FeedForwardMode::Dense);
                    ++in_tiles;
                }
            }
            QVERIFY(in_tiles > 0 || moving.plan.reads_flash());
            const auto loaded = moving.load_again(placement);
            QVERIFY(loaded);
            QVERIFY(moving.ledger.actual().weights == moving.plan.ram.weights);
            QVERIFY(moving.executor->load_read_bytes() < first);
            QVERIFY(moving.run() == expected);
        }
    }

    void neuronsCanBeLeftToTheirMatrices() {
        const Model model({"",
                           {.type = DType::Q4_0,
                            .n_layer = 6,
                            .n_embd = 256,
                            .n_ff = 2048,
                            .predictor_width = 64},
                           FeedForwardMode::Predicted,
                           2});
        QVERIFY(model.file != nullptr);
        const std::vector<float> expected = Loaded(model, {}, 2).run();
        const std::uint64_t budget =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode) * 7 / 8;
        const auto cached =
            hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, budget);
        const auto whole =
            hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, budget, false);
        QVERIFY(cached && cached->placement.has_slots());
        QVERIFY(whole && !whole->placement.has_slots());
        QVERIFY(whole->streamed_bytes > cached->streamed_bytes);
        Loaded streamed(model, whole->placement, 2);
        QVERIFY(streamed.run() == expected);
    }

    void theBitsWhileTheBudgetMoves_data() { theBitsOfARunInRamWithCachedNeurons_data(); }

    void theBitsWhileTheBudgetMoves() {
        QFETCH(const std::size_t, kind);
        const Model model(with_layers(cached_kinds()[kind], 8));
        QVERIFY(model.file != nullptr);
        Loaded resident(model, {}, 2);
        const std::vector<float> expected = resident.run();
        QVERIFY(resident.status);
        QCOMPARE(resident.executor->most_spared_ram(), 0U);
        for (const bool streams : {false, true}) {
            const bool gates = streams && model.tensors.layers[0].gate_matrix.present() &&
                               model.mode == FeedForwardMode::Exact;
            Loaded cold(model, cached(model, 1.0, streams, gates), 3);
            QVERIFY2(cold.status, cold.status ? "" : cold.status.error().message.c_str());
            const std::uint64_t most = cold.executor->most_spared_ram();
            QVERIFY(most > 0 && most < cold.plan.ram.weights);
            std::mt19937_64 random(7);
            const auto change = [&] {
                const std::uint64_t choice = random() % 8;
                cold.executor->set_spared_ram(choice == 0   ? 0
                                              : choice == 1 ? most
                                                            : random() % (most + 1));
            };
            for (int round = 0; round < 12; ++round) {
                QVERIFY(cold.run(change) == expected);
                if (round % 2 == 0) {
                    change();  // else the batch comes right after a token
                }
            }
            // A batch after a batch, whose memory went in between.
            const std::array<std::int32_t, 4> tokens{5, 9, 70, 33};
            std::vector<std::vector<float>> rows(3);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                cold.executor->set_spared_ram(i == 0 ? 0 : i == 1 ? most : most / 2);
                QVERIFY(cold.decoder->forward(tokens, 0, cold.past, hearth::Decoder::Want::All,
                                              [&](std::size_t, std::span<const float> row) {
                                                  rows[i].insert(rows[i].end(), row.begin(),
                                                                 row.end());
                                              },
                                              {}));
                QVERIFY(rows[i] == rows[0]);
            }
        }
    }

    // A pass streams the bytes of the gates and nothing of the records they lie in too.
    void gatesAreReadFromTheirMatrix() {
        const Kind kind{
            "", {.type = DType::Q4_0, .n_layer = 4, .n_ff = 640}, FeedForwardMode::Exact, 2};
        const Model model(kind);
        QVERIFY(model.file != nullptr);
        const hearth::LayerTensors& layer = model.tensors.layers[1];
        QVERIFY(layer.gate_matrix.present());
        Loaded cold(model, cached(model, 0.5, false, true), 2);
        cold.run();
        QVERIFY(cold.status);
        QCOMPARE(cold.executor->flash().bytes_per_pass, 2 * layer.gate_matrix.tensor->bytes);
        Kind without = kind;
        without.gate_matrices = false;
        const Model records(without);
        QVERIFY(!records.tensors.layers[1].gate_matrix.present());
        Loaded streams(records, cached(records, 0.5, false, true), 2);
        streams.run();
        QVERIFY(streams.status);
        QCOMPARE(streams.executor->flash().bytes_per_pass, 2 * 640 * layer[Role::Gate].stride);
    }

    // Whoever reads the gates of the matrix finds what is wrong with it; for all others it is
    // harmless.
    void gateMatricesThatAreBroken_data() {
        QTest::addColumn<std::uint64_t>("row");
        QTest::addColumn<unsigned>("bits");
        QTest::addColumn<bool>("streamed");
        QTest::addColumn<QString>("message");
        QTest::newRow("NaN") << std::uint64_t{3} << hearth::test::kHalfNanBits << false
                             << "blk.1.ffn_gate.weight: the scale of row 3, block 0 is NaN";
        QTest::newRow("NaN, streamed")
            << std::uint64_t{639} << hearth::test::kHalfNanBits << true
            << "blk.1.ffn_gate.weight: the scale of row 639, block 0 is NaN";
        QTest::newRow("another row")
            << std::uint64_t{80} << 0x1234U << false
            << "blk.1.ffn_gate.weight: row 80 is not the gate of record 80 of "
               "blk.1.ffn_neurons.weight";
        QTest::newRow("another row, streamed")
            << std::uint64_t{560} << 0x1234U << true
            << "blk.1.ffn_gate.weight: row 560 is not the gate of record 560 of "
               "blk.1.ffn_neurons.weight";
    }
    void gateMatricesThatAreBroken() {
        QFETCH(const std::uint64_t, row);
        QFETCH(const unsigned, bits);
        QFETCH(const bool, streamed);
        QFETCH(const QString, message);
        const Model model({"", {.type = DType::Q4_0, .n_ff = 640}, FeedForwardMode::Exact, 2});
        QVERIFY(model.file != nullptr);
        Loaded whole(model, {}, 2);
        const std::vector<float> expected = whole.run();
        QVERIFY(whole.status);
        const std::uint64_t row_bytes = model.tensors.layers[1].gate_matrix.stride;
        QVERIFY(hearth::test::overwrite_tensor(model.path, "blk.1.ffn_gate.weight", row * row_bytes,
                                               bits, 2));
        Loaded cold(model, cached(model, 0.5, false, streamed), 2);
        if (cold.status) {
            cold.run();
        }
        QVERIFY(!cold.status);
        QCOMPARE(cold.status.error().code, hearth::ErrorCode::BadFile);
        QCOMPARE(QString::fromStdString(cold.status.error().message), message);
        Loaded resident(model, {}, 2);
        QVERIFY(resident.run() == expected);
    }

    // Neurons of a file that is cut short cannot be read; what was read before still answers.
    void cachedNeuronsOfAFileThatIsCutShort() {
        const Model model(cached_kinds()[0]);
        Loaded cold(model, cached(model, 0.0, false), 2);
        const std::vector<float> expected = cold.run();
        QVERIFY(cold.status);
        QFile file(QString::fromStdString(model.path));
        QVERIFY(file.resize(file.size() / 2));
        cold.run();
        QVERIFY(!cold.status);
        QCOMPARE(cold.status.error().code, hearth::ErrorCode::ReadFailed);
        QCOMPARE(cold.status.error().path, model.path);
    }

    // A record is looked at when its neuron is read for the first time, whatever lay in the slot
    // before: NaN is found, or is of a neuron that no token asks for.
    void aDamagedRecordInASlotThatWasUsed() {
        const Model model({"",
                           {.type = DType::Q8_0,
                            .n_ff = 640,
                            .by_neuron = true,
                            .pwri = true,
                            .predictor_width = 64,
                            .sparse_threshold = 0.1F},
                           FeedForwardMode::Exact});
        QVERIFY(model.file != nullptr);
        const auto run = [](Loaded& loaded) {
            std::vector<float> all;
            for (int i = 0; i < 12 && loaded.status; ++i) {
                const std::int32_t token = 3 + (i * 37 + 11) % 200;
                loaded.status = loaded.decoder->forward(
                    {&token, 1}, i, loaded.past, hearth::Decoder::Want::Last,
                    [&](std::size_t, std::span<const float> row) {
                        all.insert(all.end(), row.begin(), row.end());
                    },
                    {});
            }
            return all;
        };
        Loaded resident(model, {}, 2);
        const std::vector<float> expected = run(resident);
        QVERIFY(resident.status && !expected.empty());
        const std::string name = "blk.1.ffn_down_t.weight";
        const hearth::TensorInfo* down = model.file->tensors().find(name);
        QVERIFY(down != nullptr);
        const std::uint64_t row_bytes = down->bytes / 640;
        int found = 0;
        for (std::uint64_t neuron = 5; neuron < 640; neuron += 31) {
            const Damage damage(model, name, neuron * row_bytes);
            QVERIFY(damage.done);
            const std::string message =
                name + ": the scale of row " + std::to_string(neuron) + ", block 0 is NaN";
            Loaded cold(model, cached(model, 0.0, false), 2);
            if (!cold.status) {  // the first neurons fill the slots before anything is asked
                QCOMPARE(cold.status.error().message, message);
                continue;
            }
            const std::vector<float> got = run(cold);
            if (cold.status) {
                QVERIFY2(got == expected, qPrintable(QString::number(neuron)));
                continue;
            }
            ++found;
            // As often as it is read, and never again once it is mended.
            for (int again = 0; again < 2; ++again) {
                QCOMPARE(cold.status.error().code, hearth::ErrorCode::BadFile);
                QCOMPARE(cold.status.error().message, message);
                cold.status = {};
                run(cold);
                QVERIFY(!cold.status);
            }
            QVERIFY(damage.mend());
            cold.status = {};
            QVERIFY(run(cold) == expected);
            QVERIFY2(cold.status, cold.status ? "" : cold.status.error().message.c_str());
        }
        QVERIFY2(found > 10, qPrintable(QString::number(found)));
    }

    // A streamed part is found damaged every time: the pass after a failure reads all of it anew,
    // also what came before the damage.
    void aDamagedPartIsFoundUntilItIsMended_data() {
        QTest::addColumn<QString>("tensor");
        QTest::newRow("neurons of the first layer") << "blk.0.ffn_up.weight";
        QTest::newRow("attention of a later layer") << "blk.1.attn_v.weight";
        QTest::newRow("neurons of the last layer") << "blk.2.ffn_down.weight";
        QTest::newRow("the head") << "output.weight";
    }
    void aDamagedPartIsFoundUntilItIsMended() {
        QFETCH(const QString, tensor);
        const std::string name = tensor.toStdString();
        const Model model(kinds()[0]);
        const std::vector<float> expected = Loaded(model, {}, 2).run();
        QVERIFY(!expected.empty());
        const Damage damage(model, name, 0);
        QVERIFY(damage.done);
        Loaded streamed(model, all_of(model), 2);
        QVERIFY2(streamed.status, streamed.status ? "" : streamed.status.error().message.c_str());
        for (int pass = 0; pass < 3; ++pass) {
            streamed.run();
            QVERIFY(!streamed.status);
            QCOMPARE(streamed.status.error().code, hearth::ErrorCode::BadFile);
            QCOMPARE(streamed.status.error().message,
                     name + ": the scale of row 0, block 0 is NaN");
        }
        QVERIFY(damage.mend());
        const std::vector<float> first = streamed.run();
        QVERIFY(!streamed.status || first == expected);  // what was read ahead may be the old bytes
        for (int pass = 0; pass < 2; ++pass) {
            QVERIFY(streamed.run() == expected);
            QVERIFY2(streamed.status,
                     streamed.status ? "" : streamed.status.error().message.c_str());
        }
    }

    // A pass that broke off leaves pieces behind that the next one must not take for its own.
    void aPassThatBreaksOff() {
        const Model model(kinds()[0]);
        Loaded resident(model, {}, 2);
        const std::vector<float> expected = resident.run();
        Loaded streamed(model, all_of(model), 2);
        struct StopAfter : hearth::FeedForwardObserver {
            int layer = 0;
            hearth::Cancellation cancellation;
            void observed(const hearth::FeedForwardRecord& record) override {
                if (record.layer == layer) {
                    cancellation.request();
                }
            }
        } stop;
        streamed.executor->observe(&stop);
        const std::array<std::int32_t, 3> tokens{5, 6, 7};
        for (const int layer : {1, 0, 0, 1, 2}) {
            stop.layer = layer;
            stop.cancellation.reset();
            const auto done = streamed.decoder->forward(
                tokens, 0, streamed.past, hearth::Decoder::Want::Last, {}, stop.cancellation);
            QVERIFY(!done);
            QCOMPARE(done.error().code, hearth::ErrorCode::Cancelled);
        }
        streamed.executor->observe(nullptr);
        QVERIFY(streamed.run() == expected);
    }

    void aFileThatIsCutShortIsAnError() {
        const Model model(kinds()[0]);
        Loaded streamed(model, all_of(model), 2);
        QVERIFY(!streamed.run().empty());
        QVERIFY(streamed.status);
        QFile file(QString::fromStdString(model.path));
        QVERIFY(file.resize(file.size() / 2));
        streamed.run();
        QVERIFY(!streamed.status);
        QCOMPARE(streamed.status.error().code, hearth::ErrorCode::ReadFailed);
        QCOMPARE(streamed.status.error().path, model.path);
    }

    // As few bytes as the budget asks for, never more memory than it allows.
    void theChoiceFollowsTheBudget() {
        const Model model(
            {"",
             {.arch = "llama", .type = DType::Q4_0, .n_layer = 12, .n_embd = 256, .n_ff = 1024}});
        const std::uint64_t all =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode);
        std::uint64_t before = 0;
        int fitting = 0;
        for (int percent = 99; percent > 0; --percent) {
            const std::uint64_t budget = all * static_cast<std::uint64_t>(percent) / 100;
            const auto choice =
                hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, budget);
            if (!choice) {
                continue;
            }
            ++fitting;
            QVERIFY(choice->weights_bytes <= budget);
            QCOMPARE(choice->weights_bytes,
                     hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode,
                                                   choice->placement));
            QVERIFY(choice->streamed_bytes >= all - budget);
            QVERIFY(choice->streamed_bytes >= before);
            before = choice->streamed_bytes;
        }
        QVERIFY2(fitting > 30, qPrintable(QString::number(fitting)));
        QVERIFY(!hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, all / 100));
    }

    // Of a sparse model the neurons leave RAM first, as few of them as the budget allows.
    void theChoiceCachesNeurons() {
        const Model model({"",
                           {.type = DType::Q4_0,
                            .n_layer = 6,
                            .n_embd = 256,
                            .n_ff = 2048,
                            .predictor_width = 64},
                           FeedForwardMode::Predicted,
                           2});
        QVERIFY(model.file != nullptr);
        const std::uint64_t all =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode);
        constexpr std::uint64_t kRecord = 144 + 144 + 272;  // down became Q8_0
        const std::uint64_t stride = model.tensors.layers.front()[Role::Up].stride;
        QVERIFY(stride >= kRecord && stride < kRecord + 64);
        int before = model.spec.n_ff_max();
        int fitting = 0;
        bool streams = false;
        for (int percent = 99; percent > 0; --percent) {
            const std::uint64_t budget = all * static_cast<std::uint64_t>(percent) / 100;
            const auto choice =
                hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, budget);
            if (!choice) {
                continue;
            }
            ++fitting;
            QVERIFY(choice->weights_bytes <= budget);
            QCOMPARE(choice->weights_bytes,
                     hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode,
                                                   choice->placement));
            streams = streams || choice->streamed_bytes > 0;
            if (!choice->placement.has_slots()) {  // so little that the head would be streamed
                continue;
            }
            if (!streams) {
                QVERIFY(choice->placement.n_slots(0) <= before);
                before = choice->placement.n_slots(0);
                QVERIFY(before >= hearth::CpuFeedForward::least_slots(2048));
                QCOMPARE(choice->neuron_bytes,
                         std::uint64_t{6} * static_cast<std::uint64_t>(2048 - before) * kRecord);
                QCOMPARE(choice->batch_bytes, std::uint64_t{6} * 2048 * stride);
            }
        }
        QVERIFY2(fitting > 20, qPrintable(QString::number(fitting)));
        QVERIFY(before < 1024);
        QVERIFY(streams);
    }

    // The neurons that a GPU has are not read from the disk, in each layer as many as it has.
    void neuronsOfAGpuAreNotMissing() {
        const Model model({"",
                           {.type = DType::Q4_0,
                            .n_layer = 6,
                            .n_embd = 256,
                            .n_ff = 2048,
                            .predictor_width = 64},
                           FeedForwardMode::Predicted,
                           2});
        QVERIFY(model.file != nullptr);
        constexpr std::uint64_t kRecord = 144 + 144 + 272;  // down became Q8_0
        hearth::test::VramPart on_gpu{model.spec.neurons()};
        on_gpu.hot_neurons = {0, 256, 512, 0, 1024, 2048};
        const std::uint64_t all =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode, on_gpu);
        int looked = 0;
        for (std::uint64_t percent = 90; percent >= 60; percent -= 15) {
            const auto choice = hearth::stream_to_fit(model.spec, model.tensors, model.mode, on_gpu,
                                                      all * percent / 100);
            if (!choice || !choice->placement.has_slots()) {
                continue;
            }
            ++looked;
            std::uint64_t missing = 0;
            for (std::size_t i = 0; i < 6; ++i) {
                const int own = 2048 - on_gpu.hot_neurons[i];
                const int cached = choice->placement.layers[i].n_slots;
                QVERIFY(cached <= own);
                missing += cached == 0 ? 0 : static_cast<std::uint64_t>(own - cached);
            }
            QVERIFY(missing > 0);
            QCOMPARE(choice->neuron_bytes, missing * kRecord);
        }
        QVERIFY(looked > 0);
    }

    // A slot costs its rows and its line in the tables: both are the plan's.
    void theTablesOfCachedNeuronsAreCounted() {
        const Model model(with_layers(cached_kinds()[1], 8));
        const auto bytes_with = [&](int n_slots) {
            return hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode,
                                                 with_slots(model, n_slots));
        };
        const std::uint64_t slot_bytes =
            hearth::lay_out(model.spec, model.tensors, model.mode, with_slots(model, 600))
                .blocks[0]
                .slot_bytes;
        QVERIFY(slot_bytes > 0);
        const std::uint64_t line = hearth::SlotTable::bytes_for(0, 1);
        QVERIFY(line >= 16);
        QCOMPARE(bytes_with(640) - bytes_with(600), 8 * 40 * (slot_bytes + line));

        std::vector<hearth::ColdLayer> layers(2);
        for (hearth::ColdLayer& layer : layers) {
            layer.items = {640, 0, {}};
            layer.n_slots = 100;
        }
        const std::uint64_t least = 2 * (hearth::SlotTable::bytes_for(640, 100) + 640);
        QCOMPARE(hearth::ColdNeurons::table_bytes(layers), least);
        const std::vector<int> order(640);
        layers[1].items.order = order;
        QCOMPARE(hearth::ColdNeurons::table_bytes(layers), least + 640 * sizeof(int));
    }

    // A batch's weights lie over the first layer's slots and count for what all may take: of the
    // layers behind, those keep their neurons that fit beside them.
    void aBatchTakesTheRoomOfLayersBehindIt() {
        const Model model(with_layers(cached_kinds()[8], 4));
        QVERIFY(model.file != nullptr);
        const Placement placement = with_slots(model, 200);
        const std::vector<hearth::ColdLayer> layers =
            hearth::cold_layers(hearth::lay_out(model.spec, model.tensors, model.mode, placement));
        QCOMPARE(layers.size(), std::size_t{4});
        const std::uint64_t one = 200 * layers[0].slot_bytes;
        auto memory = hearth::AlignedBuffer::create(4 * one, "slots");
        auto queue = hearth::ReadQueue::open(model.path);
        QVERIFY(memory && queue);
        hearth::ColdNeurons cold(*queue, 1, 4, layers,
                                 memory->span<std::byte>(0, static_cast<std::size_t>(4 * one)));
        const auto held = [&](std::uint64_t batch, std::uint64_t most) {
            std::vector<int> of_layers;
            for (int i = 0; i < 4; ++i) {
                if (!cold.fill(i)) {
                    return std::vector<int>{};
                }
            }
            cold.give_up(batch, most);
            for (int i = 0; i < 4; ++i) {
                of_layers.push_back(cold.cache().n_held(i));
            }
            return of_layers;
        };
        QCOMPARE(held(one / 2, 4 * one), (std::vector<int>{0, 200, 200, 200}));
        QCOMPARE(held(one / 2, 3 * one), (std::vector<int>{0, 200, 200, 0}));
        QCOMPARE(held(one / 2, 3 * one - 1), (std::vector<int>{0, 200, 0, 0}));
        QCOMPARE(held(one, 3 * one), (std::vector<int>{0, 200, 200, 0}));
        QCOMPARE(held(one + 1, 4 * one), (std::vector<int>{0, 0, 200, 200}));
        QCOMPARE(held(0, one), (std::vector<int>{200, 0, 0, 0}));
    }

    // Gates that have a matrix leave RAM alone and before attention does: a batch reads them
    // anyway.
    void theChoiceStreamsGatesAlone() {
        const Kind kind{"",
                        {.type = DType::Q4_0, .n_layer = 6, .n_embd = 256, .n_ff = 2048},
                        FeedForwardMode::Exact,
                        2};
        Kind without = kind;
        without.gate_matrices = false;
        const Model model(kind);
        const Model records(without);
        QVERIFY(model.file != nullptr && records.file != nullptr);
        const std::uint64_t all =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode);
        const std::uint64_t gate = model.tensors.layers[0][Role::Gate].bytes();
        const std::uint64_t attention = model.tensors.layers[0][Role::Q].bytes() +
                                        model.tensors.layers[0][Role::K].bytes() +
                                        model.tensors.layers[0][Role::V].bytes() +
                                        model.tensors.layers[0][Role::AttnOutput].bytes();
        const std::uint64_t records_bytes = 6 * 2048 * model.tensors.layers[0][Role::Up].stride;
        int reads_less = 0;
        int some_gates = 0;
        int some_attention = 0;
        for (int percent = 99; percent > 0; --percent) {
            const std::uint64_t budget = all * static_cast<std::uint64_t>(percent) / 100;
            const auto choice =
                hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, budget);
            const auto whole =
                hearth::stream_to_fit(records.spec, records.tensors, records.mode, {}, budget);
            if (!choice || !choice->placement.has_slots()) {  // so little that the head is streamed
                continue;
            }
            QVERIFY(choice->weights_bytes <= budget);
            QCOMPARE(choice->weights_bytes,
                     hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode,
                                                   choice->placement));
            std::uint64_t gates = 0;
            for (int i = 0; i < 6; ++i) {
                QVERIFY(choice->placement.n_slots(i) > 0);
                const hearth::RoleSet streamed = choice->placement.streamed(i);
                QVERIFY(!streamed.has(Role::Up) && !streamed.has(Role::Down));
                gates += streamed.has(Role::Gate) ? gate : 0;
            }
            reads_less += whole && choice->streamed_bytes < whole->streamed_bytes ? 1 : 0;
            QVERIFY(choice->streamed_bytes == gates || gates == 6 * gate);
            QCOMPARE(choice->batch_bytes, records_bytes + choice->streamed_bytes - gates);
            some_gates += gates > 0 && gates < 6 * gate ? 1 : 0;
            some_attention +=
                choice->streamed_bytes > gates && choice->streamed_bytes < gates + 6 * attention
                    ? 1
                    : 0;
        }
        QVERIFY2(reads_less > 10, qPrintable(QString::number(reads_less)));
        QVERIFY2(some_gates > 3, qPrintable(QString::number(some_gates)));
        QVERIFY2(some_attention > 3, qPrintable(QString::number(some_attention)));
    }

    // Slots and gates want the same RAM. Where rows are short, gates are streamed so that more
    // neurons have slots: a scattered read costs the disk as much as 24 kB in order. Where rows are
    // long, gates stay and fewer neurons have slots.
    void theChoiceKeepsTheDiskBusyForTheShortestTime_data() {
        QTest::addColumn<int>("n_embd");
        QTest::addColumn<int>("n_ff");
        QTest::addColumn<bool>("streams_gates");
        QTest::newRow("short rows") << 256 << 2048 << true;
        QTest::newRow("long rows") << 3072 << 1024 << false;
    }
    void theChoiceKeepsTheDiskBusyForTheShortestTime() {
        QFETCH(const int, n_embd);
        QFETCH(const int, n_ff);
        QFETCH(const bool, streams_gates);
        const Model model({"",
                           {.type = DType::Q4_0,
                            .n_embd = n_embd,
                            .n_head = 2,
                            .n_head_kv = 1,
                            .n_ff = n_ff,
                            .head_dim = 32},
                           FeedForwardMode::Exact,
                           2});
        QVERIFY(model.file != nullptr);
        // With all gates in RAM.
        const auto bytes_with = [&](int n_slots) {
            return hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode,
                                                 with_slots(model, n_slots));
        };
        const std::uint64_t most = bytes_with(n_ff / 4);
        const std::uint64_t least = bytes_with(n_ff / 8);
        QVERIFY(least < most);
        for (int step = 1; step < 10; ++step) {
            const std::uint64_t budget = least + (most - least) * static_cast<unsigned>(step) / 10;
            const auto choice =
                hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, budget);
            QVERIFY(choice);
            QVERIFY(choice->weights_bytes <= budget);
            const int n_slots = choice->placement.n_slots(0);
            QCOMPARE(choice->streamed_bytes > 0, streams_gates);
            QCOMPARE(n_slots >= n_ff / 4, streams_gates);
            QVERIFY(n_slots >= n_ff / 8);
        }
        // A budget that holds a quarter leaves nothing to weigh.
        const auto roomy = hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, most);
        QVERIFY(roomy);
        QCOMPARE(roomy->streamed_bytes, 0U);
        QVERIFY(roomy->placement.n_slots(0) >= n_ff / 4);
    }

    // A layer gets slots as its neurons fire, and the budget is used up; with slots of different
    // numbers the bits are the same.
    void slotsFollowTheProfile() {
        const Model model({"",
                           {.type = DType::Q4_0,
                            .n_layer = 6,
                            .n_embd = 256,
                            .n_ff = 2048,
                            .predictor_width = 64},
                           FeedForwardMode::Predicted,
                           2});
        QVERIFY(model.file != nullptr);
        const std::uint64_t all =
            hearth::CpuWeights::bytes_for(model.spec, model.tensors, model.mode);
        const std::uint64_t budget = all * 8 / 10;
        const auto chosen = [&](const hearth::ActivationProfile* profile) {
            return *hearth::stream_to_fit(model.spec, model.tensors, model.mode, {}, budget, true,
                                          hearth::FiringWindow(model.spec, profile));
        };
        const std::vector<int> even = slots_of(chosen(nullptr).placement);
        QCOMPARE(std::count(even.begin(), even.end(), even.front()), 6);
        const hearth::ActivationProfile alike = profile_of_layers(6, [](int) { return 100; });
        for (const int room : slots_of(chosen(&alike).placement)) {
            QVERIFY(room <= even.front() && room > even.front() - 4);
        }
        const hearth::ActivationProfile profile =
            profile_of_layers(6, [](int layer) { return 2 << layer; });
        const hearth::FlashChoice choice = chosen(&profile);
        const std::vector<int> room = slots_of(choice.placement);
        QVERIFY(std::is_sorted(room.begin(), room.end()));
        QVERIFY(room.front() < even.front() / 2);
        QVERIFY(room.front() >= hearth::CpuFeedForward::least_slots(2048));
        QVERIFY(room.back() > even.front() * 5 / 4);
        QCOMPARE(choice.weights_bytes, hearth::CpuWeights::bytes_for(model.spec, model.tensors,
                                                                     model.mode, choice.placement));
        QVERIFY(choice.weights_bytes <= budget && choice.weights_bytes > budget - budget / 200);
        hearth::ActivationProfile few = profile;
        few.tokens = hearth::kProfileTokensMin - 1;
        QCOMPARE(slots_of(chosen(&few).placement), even);

        const std::vector<float> expected = Loaded(model, {}, 2).run();
        QVERIFY(!expected.empty());
        QVERIFY(Loaded(model, choice.placement, 2).run() == expected);
    }

    // Through the door: so does the profile that a model made of itself.
    void theEngineGoesByTheProfile() {
        const Model model(
            {"",
             {.type = DType::F16, .n_layer = 12, .n_embd = 256, .n_ff = 2048, .n_ctx = kCtx},
             FeedForwardMode::Exact,
             2});
        QVERIFY(model.file != nullptr);
        hearth::EngineOptions options;
        options.model_path = model.path;
        options.gpu = "none";
        options.n_ctx = kCtx;
        options.mode = "exact";
        options.heeds_memory_pressure = false;
        options.profile_folder = model.dir.file("cache");
        const auto room = [&] {
            auto engine = hearth::Engine::load(options);
            return engine ? slots_of((*engine)->impl().plan.placement) : std::vector<int>{};
        };
        {
            auto engine = hearth::Engine::load(options);
            QVERIFY(engine);
            options.ram_bytes = (*engine)->memory().ledger_bytes() * 7 / 8;
        }
        const std::vector<int> even = room();
        QCOMPARE(even.size(), std::size_t{12});
        QCOMPARE(even.front(), even.back());
        hearth::ActivationProfile profile =
            profile_of_layers(12, [](int layer) { return layer < 6 ? 20 : 200; });
        profile.model_hash = *hearth::model_hash(*model.file);
        const std::string path =
            hearth::self_profile_path(options.profile_folder, profile.model_hash);
        QVERIFY(QDir().mkpath(QFileInfo(QString::fromStdString(path)).path()));
        QVERIFY(hearth::write_profile(path, profile));
        const std::vector<int> followed = room();
        QCOMPARE(followed.size(), std::size_t{12});
        QVERIFY(followed.front() < even.front() && followed.back() > even.back());
    }

    // Through the door: a sparse model in half of its memory answers the same.
    void theEngineReadsTheNeuronsItNeeds() {
        const Model model({"",
                           {.type = DType::Q4_0,
                            .n_layer = 6,
                            .n_embd = 256,
                            .n_ff = 2048,
                            .n_ctx = kCtx,
                            .predictor_width = 64},
                           FeedForwardMode::Exact,
                           2});
        QVERIFY(model.file != nullptr);
        hearth::EngineOptions options;
        options.model_path = model.path;
        options.gpu = "none";
        options.threads = 2;
        options.n_ctx = kCtx;
        options.mode = "predicted";
        options.predictor_input = "normed";
        hearth::FlashReport flash;
        const auto logits_of = [&](std::vector<float>& out) {
            auto engine = hearth::Engine::load(options);
            if (!engine) {
                qWarning("%s", engine.error().message.c_str());
                return std::uint64_t{0};
            }
            std::vector<std::int32_t> tokens;
            for (int i = 0; i < 12; ++i) {
                tokens.push_back(5 + 7 * i);
                const auto done = (*engine)->impl().session->score(
                    tokens, hearth::Decoder::Want::All,
                    [&](std::size_t, std::span<const float> row) {
                        out.insert(out.end(), row.begin(), row.end());
                    },
                    {});
                if (!done) {
                    return std::uint64_t{0};
                }
            }
            flash = (*engine)->flash();
            return (*engine)->memory().ledger_bytes();
        };
        std::vector<float> expected;
        const std::uint64_t bytes = logits_of(expected);
        QVERIFY(bytes > 0);
        QVERIFY(!flash.caches_neurons);
        options.ram_bytes = bytes - bytes / 4;
        std::vector<float> got;
        const std::uint64_t held = logits_of(got);
        QVERIFY(held > 0 && held <= *options.ram_bytes);
        QVERIFY(flash.caches_neurons);
        QVERIFY(flash.read_bytes > 0);
        QVERIFY(got == expected);
    }

    // Through the door: a budget below the weights loads, says so, and answers the same.
    void theEngineStreamsWhatDoesNotFit() {
        const Model model({"",
                           {.arch = "llama",
                            .type = DType::Q8_0,
                            .n_layer = 12,
                            .n_embd = 256,
                            .n_ff = 1024,
                            .n_ctx = kCtx}});
        hearth::EngineOptions options;
        options.model_path = model.path;
        options.gpu = "none";
        options.threads = 2;
        options.n_ctx = kCtx;
        std::uint64_t reads = 0;
        const auto logits_of = [&](std::vector<float>& out) {
            auto engine = hearth::Engine::load(options);
            if (!engine) {
                qWarning("%s", engine.error().message.c_str());
                return std::pair<std::uint64_t, std::uint64_t>{};
            }
            const std::vector<std::int32_t> tokens{5, 9, 70, 33, 12};
            const auto done =
                (*engine)->impl().session->score(tokens, hearth::Decoder::Want::All,
                                                 [&](std::size_t, std::span<const float> row) {
                                                     out.insert(out.end(), row.begin(), row.end());
                                                 },
                                                 {});
            const hearth::MemoryReport memory = (*engine)->memory();
            reads = (*engine)->flash().reads;
            return std::pair{memory.ledger_bytes(), (*engine)->flash().bytes_per_token};
        };
        std::vector<float> expected;
        const auto [bytes, none] = logits_of(expected);
        QVERIFY(bytes > 0);
        QCOMPARE(none, 0U);
        options.ram_bytes = bytes - bytes / 3;
        std::vector<float> got;
        const auto [held, streamed] = logits_of(got);
        QVERIFY(held > 0 && held <= *options.ram_bytes);
        QVERIFY(streamed >= bytes / 3);
        QVERIFY(got == expected);

        // As the disk wants to be read, by what was measured of it before.
        const std::uint64_t usual_reads = reads;
        const hearth::test::TempDir cache;
        hearth::DiskProbe probe;
        probe.disk = hearth::disk_of(model.path);
        probe.path = model.path;
        probe.direct = true;
        probe.alignment = 512;
        probe.sequential_bytes_per_s = 1e9;
        probe.random = {{8192, 2, 1000.0}};
        probe.depth = 2;
        probe.largest_read_bytes = 32 << 10;
        if (!hearth::keep_disk_probe(cache.path(), hearth::version(), probe)) {
            QSKIP("this file system has no name");
        }
        options.cache_folder = cache.path();
        std::vector<float> small_reads;
        QVERIFY(logits_of(small_reads).first > 0);
        QVERIFY(small_reads == expected);
        QVERIFY2(reads > 2 * usual_reads, qPrintable(QString::number(reads)));
    }

    // Another thread moves it while tokens are computed.
    void theEnginesBudgetMoves() {
        const Model model(
            {"",
             {.type = DType::F16, .n_layer = 12, .n_embd = 256, .n_ff = 2048, .n_ctx = kCtx},
             FeedForwardMode::Exact,
             2});
        QVERIFY(model.file != nullptr);
        hearth::EngineOptions options;
        options.model_path = model.path;
        options.gpu = "none";
        options.threads = 2;
        options.n_ctx = kCtx;
        options.mode = "exact";
        options.heeds_memory_pressure = false;  // of this machine, while the test runs
        const auto logits_of = [](hearth::Engine& engine) {
            hearth::Session& session = *engine.impl().session;
            const std::array<std::int32_t, 5> prompt{5, 9, 70, 33, 12};
            std::vector<float> all;
            session.clear();
            bool fine = session.append(prompt, {}).has_value();
            for (std::int32_t token = 20; token < 60 && fine; ++token) {
                fine = session.decode_one(token, {}).has_value();
                const auto row = session.last_logits({});
                all.insert(all.end(), row->begin(), row->end());
            }
            return fine ? all : std::vector<float>{};
        };
        auto engine = hearth::Engine::load(options);
        QVERIFY(engine);
        const std::vector<float> expected = logits_of(**engine);
        QVERIFY(!expected.empty());
        const std::uint64_t whole = (*engine)->memory().ledger_bytes();
        auto least = least_budget(**engine);
        QCOMPARE(least, whole);
        QVERIFY((*engine)->set_budget({.ram_bytes = whole}));
        QCOMPARE((*engine)->memory().spared_bytes, 0U);

        options.ram_bytes = whole - whole / 8;
        engine = hearth::Engine::load(options);
        QVERIFY(engine);
        QVERIFY((*engine)->flash().caches_neurons);
        const std::uint64_t held = (*engine)->memory().ledger_bytes();
        least = least_budget(**engine);
        QVERIFY2(least < held - held / 8,
                 qPrintable(QStringLiteral("%1 of %2").arg(least).arg(held)));
        std::atomic<bool> stop = false;
        std::atomic<int> refused = 0;
        std::thread other([&] {
            std::mt19937_64 random(3);
            while (!stop) {
                if (!(*engine)->set_budget({.ram_bytes = least + random() % (held - least + 1)})) {
                    ++refused;
                }
                std::this_thread::yield();
            }
        });
        const std::vector<float> first = logits_of(**engine);
        const std::vector<float> second = logits_of(**engine);
        stop = true;
        other.join();
        QVERIFY(first == expected);
        QVERIFY(second == expected);
        QCOMPARE(refused, 0);

        const auto check = [&](std::uint64_t budget, std::uint64_t spared) {
            QVERIFY((*engine)->set_budget({.ram_bytes = budget}));
            const hearth::MemoryReport memory = (*engine)->memory();
            QCOMPARE(memory.ram_budget_bytes, budget);
            QCOMPARE(memory.spared_bytes, spared);
            QCOMPARE(memory.ledger_bytes(), held);
            QVERIFY(memory.used_bytes() <= budget);
        };
        check(2 * held, 0);
        check(least, held - least);
        check(held - 1, 1);
        check(held, 0);
    }

    void neuronsGiveWayUnderPressure() {
        const Model model(with_layers(cached_kinds()[1], 8));
        Loaded cold(model, cached(model, 1.0, false), 2);
        const std::vector<float> expected = cold.run();
        QVERIFY(cold.status);
        const std::uint64_t most = cold.executor->most_spared_ram();
        const std::uint64_t held = cold.plan.ram.total();
        hearth::MemoryPressure pressure;
        std::uint64_t now = 1'000'000;
        int reads = 0;
        bool known = true;
        hearth::RamBudget budget;
        budget.follow({[&]() -> hearth::Result<hearth::MemoryPressure> {
                           ++reads;
                           if (!known) {
                               return hearth::Error{hearth::ErrorCode::Unsupported, "not known"};
                           }
                           return pressure;
                       },
                       [&] { return now; }});
        budget.attach(cold.executor.get(), held);
        cold.decoder->set_ram_budget(budget);
        QVERIFY(cold.run() == expected);
        QCOMPARE(reads, 1);  // no time has passed
        QCOMPARE(budget.spared(), 0U);
        pressure = {.some_10s = 50, .some_60s = 20};
        QVERIFY(cold.run([&] { now += hearth::RamBudget::kLookEveryMs / 2; }) == expected);
        QCOMPARE(reads, 5);
        const std::uint64_t under_pressure = budget.spared();
        QVERIFY(under_pressure > 0 && under_pressure < most);
        // The larger of what the budget and what the pressure asks for.
        QVERIFY(budget.set(held - most));
        QCOMPARE(budget.spared(), most);
        QVERIFY(budget.set(held));
        QCOMPARE(budget.spared(), under_pressure);
        pressure = {};
        for (int round = 0; round < 10; ++round) {
            QVERIFY(cold.run([&] { now += 30'000; }) == expected);
        }
        QCOMPARE(budget.spared(), 0U);
        known = false;
        reads = 0;
        QVERIFY(cold.run([&] { now += 30'000; }) == expected);
        QCOMPARE(reads, 1);
        budget.attach(nullptr, 0);
    }

    // What a lower budget does without is no longer the process'.
    void pagesGoBackToTheSystem() {
        if (resident_bytes() == 0) {
            QSKIP("this system does not say how much memory a process has");
        }
        const Model model({"",
                           {.type = DType::F16, .n_layer = 12, .n_embd = 256, .n_ff = 4096},
                           FeedForwardMode::Exact,
                           2});
        QVERIFY(model.file != nullptr);
        Loaded cold(model, cached(model, 1.0, false), 2);
        const std::vector<float> expected = cold.run();
        QVERIFY(cold.status);
        const std::uint64_t most = cold.executor->most_spared_ram();
        QVERIFY2(most > 16U << 20, qPrintable(QString::number(most)));
        const std::uint64_t slack = 3U << 20;  // what else the process takes meanwhile
        cold.run();
        const std::uint64_t before = resident_bytes();
        cold.executor->set_spared_ram(most);
        QVERIFY2(resident_bytes() < before - most + slack, qPrintable(QString::number(before)));
        for (int round = 0; round < 2; ++round) {
            QVERIFY(cold.run() == expected);
            QVERIFY2(resident_bytes() < before - most + slack, "after a batch that lay over it");
        }
        cold.executor->set_spared_ram(0);
        QVERIFY(cold.run() == expected);
        QVERIFY(cold.run() == expected);
    }
};

QTEST_GUILESS_MAIN(StreamedWeightsTest)
#include "streamed_weights_test.moc"
