// A model in VRAM, RAM and flash at once: the same bits as where RAM holds what VRAM leaves, for
// every kind of file, mode and cut, and on each tier the bytes and neurons that were planned.
#include <hearth/tools.h>

#include <QtTest>
#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.h"
#include "cpu/cpu_feed_forward.h"
#include "cpu/cpu_weights.h"
#include "engine/vulkan/split_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"
#include "vulkan/instance.h"
#include "vulkan/weight_uploader.h"

using namespace hearth;
using hearth::test::SplitModel;
using hearth::test::TinyModelOptions;

namespace {

constexpr int kLayers = 3;
constexpr int kFf = 640;
constexpr int kSingle = 6;  // tokens that are passed alone, at the end
constexpr test::SplitSizes kSizes{64, 32, 2};

struct Kind {
    const char* name;
    TinyModelOptions options;
    FeedForwardMode mode = FeedForwardMode::Dense;
    std::uint32_t packed = 0;  // in which format
};

const std::vector<Kind>& kinds() {
    static const std::vector<Kind> all{
        {"llama Q4_0", {.arch = "llama", .type = DType::Q4_0}},
        {"llama Q8_0 tied", {.arch = "llama", .type = DType::Q8_0, .tied = true}},
        {"falcon F16", {.arch = "falcon", .type = DType::F16}},
        {"bamboo Q4_0 exact", {.type = DType::Q4_0}, FeedForwardMode::Exact},
        {"bamboo Q8_0 predicted",
         {.type = DType::Q8_0, .predictor_width = 64},
         FeedForwardMode::Predicted},
        {"bamboo by neuron Q4_0 exact",
         {.type = DType::Q4_0, .by_neuron = true},
         FeedForwardMode::Exact},
        {"packed 1 bamboo F16 exact", {.type = DType::F16}, FeedForwardMode::Exact, 1},
        {"packed 1 bamboo Q4_0 predicted",
         {.type = DType::Q4_0, .predictor_width = 64},
         FeedForwardMode::Predicted,
         1},
        {"packed 2 bamboo Q4_0 exact", {.type = DType::Q4_0}, FeedForwardMode::Exact, 2},
        {"packed 2 bamboo Q4_0 predicted",
         {.type = DType::Q4_0, .predictor_width = 64},
         FeedForwardMode::Predicted,
         2},
        {"packed 2 opt Q8_0 predicted",  // whose up has a bias
         {.arch = "opt", .type = DType::Q8_0, .predictor_width = 64},
         FeedForwardMode::Predicted,
         2},
    };
    return all;
}

struct Model {
    explicit Model(Kind kind) : mode(kind.mode) {
        kind.options.n_layer = kLayers;
        kind.options.n_embd = 128;
        kind.options.n_head = 4;
        kind.options.n_head_kv = 2;
        kind.options.n_ff = kFf;
        path = dir.file("tiny.gguf");
        bool written = test::TinyModel(kind.options).write(path);
        if (written && kind.packed > 0) {
            const std::string source = std::exchange(path, dir.file("packed.gguf"));
            tools::PackOptions options;
            options.output_path = path;
            options.format = kind.packed;
            options.predictor_input = kind.options.predictor_width > 0 ? "normed" : "";
            written = tools::pack(source, options, {}, {}).has_value();
        }
        if (!written) {
            return;
        }
        file = std::make_unique<GgufFile>(std::move(*GgufFile::open(path)));
        spec = *read_model_spec(*file);
        tensors = *bind_tensors(*file, spec);
        if (mode == FeedForwardMode::Predicted) {
            use_predictors(*file, *bind_predictors(*file, spec, {}, PredictorInput::Normed),
                           tensors);
        }
    }
    bool by_neuron() const { return tensors.layers.front()[Role::Down].by_neuron; }

    test::TempDir dir;
    std::string path;
    std::unique_ptr<GgufFile> file;
    ModelSpec spec;
    ModelTensors tensors;
    FeedForwardMode mode;
};

// The GPU's part: attention of the layers from `first` on, and two fifths of the neurons of each of
// them but the last one, which goes whole.
Placement part_of(const Model& model, int first, bool output) {
    test::VramPart part{std::vector<int>(kLayers, kFf)};
    part.output_in_vram = output;
    for (int layer = 0; layer < kLayers; ++layer) {
        const bool here = layer >= first;
        const bool whole = layer == kLayers - 1;
        part.attention_in_vram.push_back(here);
        part.hot_neurons.push_back(!here ? 0 : whole ? kFf : kFf * 2 / 5);
        std::vector<int> order(kFf);
        std::iota(order.begin(), order.end(), 0);
        if (here && model.by_neuron()) {
            std::shuffle(order.begin(), order.end(),
                         std::mt19937(static_cast<unsigned>(layer) + 1));
            const auto hot = order.begin() + part.hot_neurons.back();
            std::sort(order.begin(), hot);  // as plans have them
            std::sort(hot, order.end());
        }
        part.neuron_order.push_back(std::move(order));
    }
    return part;
}

// All that the processor can stream.
Placement streamed(const Model& model, Placement placement) {
    for (std::size_t i = 0; i < kLayers; ++i) {
        for (const Role role :
             {Role::Q, Role::K, Role::V, Role::AttnOutput, Role::Gate, Role::Up, Role::Down}) {
            if (model.tensors.layers[i][role].present()) {
                placement.layers[i].streamed.add(role);
            }
        }
    }
    if (!placement.output_in_vram() &&
        !model.tensors[Role::Output].same_as(model.tensors[Role::TokenEmbd])) {
        placement.output = Home::Stream;
    }
    return placement;
}

// A quarter of the processor's neurons in a cache, and attention of the first layer streamed.
Placement cached(Placement placement) {
    for (const Role role : {Role::Q, Role::K, Role::V, Role::AttnOutput}) {
        placement.layers.front().streamed.add(role);
    }
    for (LayerPlacement& layer : placement.layers) {
        const int own = kFf - layer.hot();
        layer.set_slots(own == 0 ? 0 : std::max(CpuFeedForward::least_slots(own), own / 4));
    }
    return placement;
}

}  // namespace

class ThreeTiersTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto instance =
            vulkan::Instance::create(vulkan::validation_from(read_environment().vulkan_validation));
        if (!instance) {
            missing(instance.error().message);
            return;
        }
        auto device = vulkan::Device::create(*instance, 0, {});
        if (!device) {
            missing(device.error().message);
            return;
        }
        device_ = *device;
    }
    void init() {
        if (device_ == nullptr) {
            QSKIP(why_missing_.c_str());
        }
    }

    void theBitsOfTheSameSplitInRam_data() {
        QTest::addColumn<std::size_t>("kind");
        for (std::size_t i = 0; i < kinds().size(); ++i) {
            QTest::newRow(kinds()[i].name) << i;
        }
    }
    void theBitsOfTheSameSplitInRam() {
        QFETCH(const std::size_t, kind);
        const Model model(kinds()[kind]);
        QVERIFY(model.file != nullptr);
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < 26; ++i) {
            tokens.push_back(3 + (i * 37 + 11) % 200);
        }
        const std::vector<int> n_ff = model.spec.neurons();
        // Attention of all layers and the head on the GPU, and prompts split as tokens are;
        // attention of the last two layers, and prompts the GPU's alone, with what the processor
        // reads uploaded.
        for (const bool uploads : {false, true}) {
            const Placement part = part_of(model, uploads ? 1 : 0, !uploads);
            const WeightUpload upload = uploads
                                            ? WeightUpload{vulkan::WeightUploader::slot_bytes_min(
                                                               model.spec, model.tensors),
                                                           2}
                                            : WeightUpload{};
            SplitModel resident(*model.file, model.spec, model.tensors, model.mode, part, device_,
                                upload, kSizes);
            const auto expected = resident.run(tokens, kSingle);
            QVERIFY2(resident.problem.empty(), resident.problem.c_str());
            std::vector<Placement> on_flash{streamed(model, part)};
            if (model.by_neuron() && model.mode != FeedForwardMode::Dense) {
                on_flash.push_back(cached(part));
            }
            for (const Placement& placement : on_flash) {
                // Checks what VRAM holds against what it costs.
                SplitModel split(*model.file, model.spec, model.tensors, model.mode, placement,
                                 device_, upload, kSizes);
                QVERIFY2(split.problem.empty(), split.problem.c_str());
                QVERIFY(split.plan.reads_flash());
                QVERIFY(split.gpu->held().weights > 0);
                QCOMPARE(split.ledger.actual().weights, split.plan.ram.weights);
                QVERIFY(split.run(tokens, kSingle) == expected);
                QVERIFY2(split.problem.empty(), split.problem.c_str());
                expect_reads(model, placement, split);
                QCOMPARE(split.profile.tokens(), resident.profile.tokens());
                for (int layer = 0; layer < kLayers; ++layer) {
                    const auto fired = split.profile.fired(layer);
                    QVERIFY(std::equal(fired.begin(), fired.end(),
                                       resident.profile.fired(layer).begin()));
                }
            }
        }
    }

    // What VRAM holds is not read in a pass.
    void vramSparesTheDisk() {
        const Model model(kinds().front());
        QVERIFY(model.file != nullptr);
        const auto read = [&](const Placement& part) {
            return CpuWeights::bytes_read(model.spec, model.tensors, model.mode,
                                          streamed(model, part));
        };
        const PassBytes all = read(all_in_ram(model.spec.neurons()));
        const PassBytes rest = read(part_of(model, 1, true));
        const auto bytes_of = [&](int layer, std::initializer_list<Role> roles) {
            std::uint64_t bytes = 0;
            for (const Role role : roles) {
                bytes += model.tensors.layers[static_cast<std::size_t>(layer)][role].bytes();
            }
            return bytes;
        };
        const auto attention = {Role::Q, Role::K, Role::V, Role::AttnOutput};
        // Of down, which is stored by output, whole rows are read for some of their columns.
        const std::uint64_t spared =
            bytes_of(1, attention) + bytes_of(1, {Role::Gate, Role::Up}) * 2 / 5 +
            bytes_of(2, attention) + bytes_of(2, {Role::Gate, Role::Up, Role::Down}) +
            model.tensors[Role::Output].bytes();
        QCOMPARE(all.of_token - rest.of_token, spared);
        QCOMPARE(rest.of_batch, rest.of_token);
    }

private:
    static void expect_reads(const Model& model, const Placement& placement,
                             const SplitModel& split) {
        const FlashReads reads = split.executor->flash();
        const PassBytes pass =
            CpuWeights::bytes_read(model.spec, model.tensors, model.mode, placement);
        QVERIFY(pass.of_batch > 0);
        QCOMPARE(reads.bytes_per_pass, pass.of_token);
        QCOMPARE(reads.caches_neurons, placement.has_slots());
        if (reads.caches_neurons) {
            QVERIFY(reads.neuron_misses > 0);
            QVERIFY(pass.of_token < pass.of_batch);
        } else {
            QVERIFY(reads.bytes >= (kSingle + 2) * pass.of_token);
        }
    }
    void missing(const std::string& why) {
        QVERIFY2(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"), why.c_str());
        why_missing_ = "there is no GPU, nor lavapipe: " + why;
    }

    std::shared_ptr<vulkan::Device> device_;
    std::string why_missing_;
};

QTEST_GUILESS_MAIN(ThreeTiersTest)
#include "three_tiers_test.moc"
