#include "engine/vulkan/recorded_splits.h"

#include <algorithm>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <string_view>
#include <utility>

#include "engine/vulkan/split_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

namespace hearth::test {
namespace {

constexpr int kEmbd = 256;
constexpr int kFf = 512;
constexpr int kLayers = 3;
constexpr int kPrompt = 21;  // two batches
constexpr int kAnswer = 12;
// One thread: workers that spin would take the cores that a software driver computes on.
constexpr SplitSizes kSizes{64, 16, 1};
// Between the best two logits of each step, of the largest: a device's rounding decides nothing,
// nor an activation that becomes another byte by it.
constexpr float kMargin = 1e-3F;
constexpr float kQuantizedMargin = 1e-2F;

struct Split {
    std::string name;
    TinyModelOptions model;
    FeedForwardMode mode = FeedForwardMode::Dense;
    std::vector<int> hot;         // percent, by layer
    std::vector<bool> attention;  // by layer
    bool output = false;
    bool ordered = false;
    bool uploaded = false;
    unsigned seed = 1;  // of weights that leave the margin
};

std::vector<Split> splits() {
    using enum FeedForwardMode;
    std::vector<Split> all;
    const auto add = [&](const char* name, TinyModelOptions model, FeedForwardMode mode,
                         std::vector<int> hot, std::vector<bool> attention, bool output,
                         unsigned seed = 1) -> Split& {
        all.push_back({name, std::move(model), mode, std::move(hot), std::move(attention), output});
        all.back().seed = seed;
        return all.back();
    };
    const std::vector<bool> all_layers{true, true, true};
    const std::vector<bool> no_layer{false, false, false};
    const std::vector<bool> inner{false, true, false};
    add("llama F32, 30 %", {.arch = "llama"}, Dense, {30, 30, 30}, all_layers, true);
    add("llama Q8_0, all", {.arch = "llama", .type = DType::Q8_0}, Dense, {100, 100, 100},
        all_layers, true, 2);
    add("llama Q5_0, all", {.arch = "llama", .type = DType::Q5_0}, Dense, {100, 100, 100},
        all_layers, true, 7);
    add("llama Q4_0, last two layers", {.arch = "llama", .type = DType::Q4_0}, Dense, {0, 70, 100},
        {false, true, true}, true, 11);
    add("llama Q6_K, attention and head", {.arch = "llama", .type = DType::Q6_K}, Dense, {0, 0, 0},
        all_layers, true, 3);
    add("llama BF16, head alone", {.arch = "llama", .type = DType::BF16}, Dense, {0, 0, 0},
        no_layer, true);
    add("falcon with two norms F16, no head",
        {.arch = "falcon", .type = DType::F16, .second_norm = true}, Dense, {70, 30, 70},
        all_layers, false);
    add("opt F32, inner layer", {.arch = "opt"}, Exact, {0, 70, 0}, inner, false);
    add("opt F32 by neuron, 70 % ordered", {.arch = "opt", .by_neuron = true}, Exact, {70, 30, 70},
        all_layers, true)
        .ordered = true;
    add("bamboo F32 by neuron, 30 % ordered", {.by_neuron = true, .planted = true}, Exact,
        {30, 30, 30}, all_layers, true)
        .ordered = true;
    add("bamboo Q8_0, shares differ", {.type = DType::Q8_0, .planted = true}, Exact, {100, 0, 70},
        all_layers, true);
    add("bamboo Q4_0 by neuron, all", {.type = DType::Q4_0, .by_neuron = true, .planted = true},
        Exact, {100, 100, 100}, all_layers, true, 2);
    add("bamboo F32 predicted, 70 % ordered",
        {.by_neuron = true, .predictor_width = 64, .sparse_threshold = 0.1F}, Predicted,
        {70, 70, 70}, all_layers, true)
        .ordered = true;
    add("opt F32 predicted, first and last layer", {.arch = "opt", .predictor_width = 64},
        Predicted, {30, 0, 100}, {true, false, true}, false);
    add("llama Q4_0 uploaded, 30 %", {.arch = "llama", .type = DType::Q4_0}, Dense, {30, 30, 30},
        all_layers, true, 11)
        .uploaded = true;
    Split& last = add("bamboo F32 by neuron uploaded, inner layer",
                      {.by_neuron = true, .planted = true}, Exact, {0, 70, 0}, inner, false);
    last.ordered = last.uploaded = true;
    for (Split& split : all) {
        split.model.n_layer = kLayers;
        split.model.n_embd = kEmbd;
        split.model.n_head = 4;
        split.model.n_head_kv = split.model.arch == "opt" ? 4 : 2;
        split.model.n_ff = kFf;
        split.model.n_ctx = kSizes.n_ctx;
    }
    return all;
}

VramPart part_of(const Split& split) {
    VramPart part{std::vector<int>(kLayers, kFf)};
    const int unit = split.model.type == DType::Q6_K ? 256 : 32;  // blocks of down stay whole
    for (unsigned layer = 0; layer < kLayers; ++layer) {
        part.hot_neurons.push_back(kFf * split.hot[layer] / 100 / unit * unit);
        part.attention_in_vram.push_back(split.attention[layer]);
        if (split.ordered) {
            std::vector<int> order(kFf);
            std::iota(order.begin(), order.end(), 0);
            // Not std::shuffle: libraries draw differently.
            std::mt19937 random(layer);
            for (std::size_t i = order.size() - 1; i > 0; --i) {
                std::swap(order[i], order[random() % (i + 1)]);
            }
            part.neuron_order.push_back(std::move(order));
        }
    }
    part.output_in_vram = split.output;
    return part;
}

void write(std::ostream& out, std::string_view unit, std::span<const LayerActivity> layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const LayerActivity& layer = layers[i];
        out << "  " << unit << " " << i << " " << to_string(layer.path) << " " << layer.passed
            << " " << layer.computed << " " << layer.down_rows << " " << layer.tokens << " "
            << layer.neurons << " " << layer.examined << " " << layer.opened << " " << layer.fired
            << "\n";
    }
}

// Of both units together, by the file's numbers.
std::uint64_t hash_of(SelfProfile& profile) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (int layer = 0; layer < kLayers; ++layer) {
        for (const std::uint32_t count : profile.fired(layer)) {
            hash = (hash ^ count) * 0x100000001B3U;
        }
    }
    return hash;
}

// The greatest, which must stand clear of all others.
std::int32_t best(std::span<const float> logits, float margin, std::string& problem) {
    const auto top = std::max_element(logits.begin(), logits.end());
    float size = 0;
    float next = -1e30F;
    for (auto at = logits.begin(); at != logits.end(); ++at) {
        size = std::max(size, std::abs(*at));
        next = at == top ? next : std::max(next, *at);
    }
    if (!(*top - next > margin * size)) {
        problem = "two tokens are about as likely";
    }
    return static_cast<std::int32_t>(top - logits.begin());
}

std::string run(const Split& split, const std::shared_ptr<vulkan::Device>& device,
                std::string& problem) {
    const TempDir dir;
    const std::string path = dir.file("tiny.gguf");
    if (!TinyModel(split.model, split.seed).write(path)) {
        problem = "the model could not be written";
        return {};
    }
    auto file = GgufFile::open(path);
    auto spec = file ? read_model_spec(*file) : Result<ModelSpec>(file.error());
    auto tensors = spec ? bind_tensors(*file, *spec) : Result<ModelTensors>(spec.error());
    if (!tensors) {
        problem = tensors.error().message;
        return {};
    }
    if (split.mode == FeedForwardMode::Predicted) {
        const auto stated =
            split.model.by_neuron ? std::nullopt : std::optional(PredictorInput::Normed);
        auto predictors = bind_predictors(*file, *spec, {}, stated);
        if (!predictors) {
            problem = predictors.error().message;
            return {};
        }
        use_predictors(*file, *predictors, *tensors);
    }
    const WeightUpload upload{split.uploaded ? std::uint64_t{80} << 10 : 0, split.uploaded ? 2 : 0};
    SplitModel model(*file, *spec, *tensors, split.mode, part_of(split), device, upload, kSizes);
    if (!model.problem.empty()) {
        problem = model.problem;
        return {};
    }
    const Cancellation never;
    std::vector<std::int32_t> passed;
    for (int i = 0; i < kPrompt; ++i) {
        passed.push_back(3 + (i * 37 + 11) % 256);
    }
    std::ostringstream out;
    out << "  tokens";
    std::int32_t next = 0;
    const float margin = vulkan::is_quantized(split.model.type) ? kQuantizedMargin : kMargin;
    const auto keep = [&](std::size_t, std::span<const float> logits) {
        next = best(logits, margin, problem);
    };
    auto done =
        model.decoder->forward(passed, 0, model.pasts.front(), Decoder::Want::Last, keep, never);
    model.executor->reset_activity();
    model.gpu->reset_activity();
    for (int i = 0; done && i < kAnswer; ++i) {
        out << " " << next;
        const std::int32_t token = next;
        done = model.decoder->forward(std::span(&token, 1), kPrompt + i, model.pasts.front(),
                                      Decoder::Want::Last, keep, never);
    }
    done = done ? model.gpu->collect_firing(model.profile) : done;
    const std::uint64_t all_bytes = model.gpu->decode_weight_bytes();  // before activity() is asked
    const auto on_gpu = model.gpu->activity();
    if (!done || !on_gpu) {
        problem = done ? on_gpu.error().message : done.error().message;
        return {};
    }
    out << "\n";
    write(out, "processor", *model.executor->activity());
    write(out, "gpu", *on_gpu);
    out << "  fired in " << model.profile.tokens() << " tokens: " << std::hex
        << hash_of(model.profile) << std::dec << "\n  bytes a token: processor "
        << model.executor->decode_weight_bytes() << " gpu " << model.gpu->decode_weight_bytes()
        << " of " << all_bytes << " bus " << model.gpu->bus_bytes_per_token() << " uploaded "
        << model.gpu->uploaded_bytes() << "\n";
    return out.str();
}

}  // namespace

std::vector<RecordedSplit> recorded_splits(const std::shared_ptr<vulkan::Device>& device) {
    std::vector<RecordedSplit> all;
    for (const Split& split : splits()) {
        all.push_back({split.name, [split, device](std::string& problem) {
                           return run(split, device, problem);
                       }});
    }
    return all;
}

}  // namespace hearth::test
