#include <hearth/tools.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <string>
#include <utility>

#include "engine/vulkan/gpu_checks.h"
#include "engine/vulkan/shader_rig.h"
#include "engine/vulkan/split_model.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

namespace hearth::test {
namespace {

constexpr int kEmbd = 256;  // whole blocks of every type
constexpr int kFf = 512;
constexpr int kLayers = 3;
constexpr int kCtx = 160;  // more than one part of the attention of a token
constexpr SplitSizes kSizes{kCtx, 48, 2};
constexpr int kSingle = 4;  // tokens that are passed alone, at the end

struct Case {
    const char* arch;
    DType type;
    bool by_neuron;
    FeedForwardMode mode;
    int hot_percent;
    bool ordered;
    enum class Rest { None, Output, Layers, AllLayers } on_cpu = Rest::None;
    bool uploaded = false;  // what the GPU has not is uploaded for batches
    bool planted = false;
    bool second_norm = false;                  // falcon: attention's is not the neurons'
    std::optional<DType> gate = std::nullopt;  // if not `type`
    bool packed = false;                       // into records of neuron rows
};

std::string name_of(const Case& one) {
    return std::string("split/") + one.arch +
           (one.planted       ? " planted "
            : one.second_norm ? " with two norms "
                              : " ") +
           std::string(dtype_info(one.type).name) + " " + (one.by_neuron ? "by neuron " : "") +
           std::string(to_string(one.mode)) + " " + std::to_string(one.hot_percent) + " %" +
           (one.ordered ? " ordered" : "") +
           (one.on_cpu == Case::Rest::Output      ? ", output on the CPU"
            : one.on_cpu == Case::Rest::Layers    ? ", first and last layer and output on the CPU"
            : one.on_cpu == Case::Rest::AllLayers ? ", layers on the CPU"
                                                  : "") +
           (one.uploaded ? ", uploaded" : "") +
           (one.gate ? ", gates of " + std::string(dtype_info(*one.gate).name) : "") +
           (one.packed ? ", packed" : "");
}

// What a split is given: the same share of the neurons of each layer.
VramPart part_of(const Case& one) {
    VramPart part{std::vector<int>(kLayers, kFf)};
    // Blocks of down stay whole.
    const int unit = static_cast<int>(std::max(32U, dtype_info(one.type).block_values));
    const int hot = kFf * one.hot_percent / 100 / unit * unit;
    part.hot_neurons.assign(kLayers, hot);
    part.attention_in_vram.assign(kLayers, true);
    part.output_in_vram = one.on_cpu == Case::Rest::None || one.on_cpu == Case::Rest::AllLayers;
    for (std::size_t layer = 0; layer < kLayers; ++layer) {
        const bool inner = layer > 0 && layer + 1 < kLayers;
        if (one.on_cpu == Case::Rest::AllLayers || (one.on_cpu == Case::Rest::Layers && !inner)) {
            part.hot_neurons[layer] = 0;
            part.attention_in_vram[layer] = false;
        }
    }
    if (one.ordered) {
        for (unsigned layer = 0; layer < kLayers; ++layer) {
            std::vector<int> order(kFf);
            std::iota(order.begin(), order.end(), 0);
            if (one.by_neuron) {
                std::shuffle(order.begin(), order.end(), std::mt19937(layer));
            } else {  // a run of the file for each unit, the GPU's behind the processor's
                std::rotate(order.begin(), order.end() - hot, order.end());
            }
            part.neuron_order.push_back(std::move(order));
        }
    }
    return part;
}

// Logits differ by the order of sums, and since keys and values of a batch are halves at once.
// Where activations become bytes, a value between two of them may fall to either side: that changes
// a product as much as the rounding itself does, 0.6 % of it, and where a predictor's score lies at
// its threshold it changes a whole neuron. Root mean squares of a row.
// halves: matrix units round a batch to them, and one score in F16 lies that near its threshold.
double bound_of(const Case& one, bool halves) {
    const bool quantized =
        vulkan::is_quantized(one.type) || (one.gate && vulkan::is_quantized(*one.gate));
    if (one.mode == FeedForwardMode::Predicted && quantized) {
        return 1.5e-1;
    }
    if (one.mode == FeedForwardMode::Predicted && halves) {
        return 1.2e-2;
    }
    return quantized ? 2.5e-2 : 4e-3;
}

// What must be uploaded for a batch, as the file has it.
double bytes_to_upload(const ModelSpec& spec, const ModelTensors& tensors, const VramPart& part) {
    double bytes = 0;
    for (int i = 0; i < spec.n_layer(); ++i) {
        const LayerTensors& layer = tensors.layers[static_cast<std::size_t>(i)];
        for (const Role role : {Role::Q, Role::K, Role::V, Role::AttnOutput}) {
            bytes += part.has_attention(i) ? 0.0 : static_cast<double>(layer[role].bytes());
        }
        const double cold = 1.0 - static_cast<double>(part.hot(i)) / spec.layer(i).n_ff;
        for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
            bytes += cold * static_cast<double>(layer[role].bytes());
        }
    }
    return bytes;
}

// The share of all firings that only one of the two counted. Where a neuron's gate lies within
// rounding of 0, either is right.
double share_counted_otherwise(SplitModel& alone, SplitModel& split) {
    std::uint64_t sum = 0;
    std::uint64_t differ = 0;
    for (int layer = 0; layer < kLayers; ++layer) {
        for (std::size_t n = 0; n < kFf; ++n) {
            const std::uint32_t a = alone.profile.fired(layer)[n];
            const std::uint32_t b = split.profile.fired(layer)[n];
            sum += a;
            differ += a > b ? a - b : b - a;
        }
    }
    return static_cast<double>(differ) / static_cast<double>(std::max(sum, std::uint64_t{1}));
}

// Whether what was counted is what was planted, to the last neuron.
bool counted_as_planted(SplitModel& loaded, std::span<const std::int32_t> tokens) {
    for (int layer = 0; layer < kLayers; ++layer) {
        for (int n = 0; n < kFf; ++n) {
            const auto fires = std::count_if(tokens.begin(), tokens.end(), [&](std::int32_t token) {
                return TinyModel::planted_fires(layer, n, token);
            });
            if (loaded.profile.fired(layer)[static_cast<std::size_t>(n)] != fires) {
                return false;
            }
        }
    }
    return true;
}

// Of firings: errors of hidden values are as those of logits, and what lies so near to 0 as that
// may count for one side only. A score at its threshold does the same.
double count_bound_of(const Case& one, bool halves) {
    return one.planted ? 0 : bound_of(one, halves);
}

// The case's model as a file.
struct Written {
    TempDir dir;
    std::optional<GgufFile> file;
    std::optional<ModelSpec> spec;
    std::optional<ModelTensors> tensors;

    // Says what went wrong.
    std::string open(const Case& one) {
        const bool predicted = one.mode == FeedForwardMode::Predicted;
        const std::string path = dir.file("tiny.gguf");
        const TinyModelOptions options{
            .arch = one.arch,
            .type = one.type,
            .n_layer = kLayers,
            .n_embd = kEmbd,
            .n_head = 4,
            .n_head_kv = std::string(one.arch) == "opt" ? 4 : 2,
            .n_ff = kFf,
            .n_ctx = kCtx,
            .by_neuron = one.by_neuron,
            .predictor_width = predicted ? 64 : 0,
            .sparse_threshold = predicted && one.by_neuron ? std::optional(0.1F) : std::nullopt,
            .second_norm = one.second_norm,
            .gate_type = one.gate,
            .planted = one.planted};
        if (!TinyModel(options).write(path)) {
            return "the model could not be written";
        }
        const std::string packed = dir.file("packed.gguf");
        if (one.packed && !tools::pack(path, {.output_path = packed}, {}, {})) {
            return "the model could not be packed";
        }
        auto opened = GgufFile::open(one.packed ? packed : path);
        auto read = opened ? read_model_spec(*opened) : Result<ModelSpec>(opened.error());
        if (!read) {
            return read.error().message;
        }
        file = std::move(*opened);
        spec = std::move(*read);
        auto bound = bind_tensors(*file, *spec);
        if (!bound) {
            return bound.error().message;
        }
        tensors = std::move(*bound);
        if (predicted) {
            const auto stated =
                one.by_neuron ? std::nullopt : std::optional(PredictorInput::Normed);
            auto predictors = bind_predictors(*file, *spec, {}, stated);
            if (!predictors) {
                return predictors.error().message;
            }
            use_predictors(*file, *predictors, *tensors);
        }
        return {};
    }
};

CheckOutcome check(const Case& one, const std::shared_ptr<vulkan::Device>& device) {
    Written written;
    if (std::string why = written.open(one); !why.empty()) {
        return {false, why};
    }
    const auto& [dir, file, spec, tensors] = written;
    const FeedForwardMode mode = is_sparse(spec->activation()) ? one.mode : FeedForwardMode::Dense;

    std::vector<std::int32_t> tokens(110);
    std::mt19937 random(7);
    std::generate(tokens.begin(), tokens.end(), [&] {
        return std::uniform_int_distribution<std::int32_t>(3, TinyModel::kVocab - 1)(random);
    });
    SplitModel alone(*file, *spec, *tensors, mode, {}, nullptr, {}, kSizes);
    // Some dozen slices a layer; rows of F32 that stay together take 64 KiB.
    const WeightUpload upload{one.uploaded ? std::uint64_t{80} << 10 : 0, one.uploaded ? 2 : 0};
    SplitModel split(*file, *spec, *tensors, mode, part_of(one), device, upload, kSizes);
    if (!alone.problem.empty() || !split.problem.empty()) {
        return {false, alone.problem + split.problem};
    }
    const auto expected = alone.run(tokens, kSingle);
    const auto seen = split.run(tokens, kSingle);
    if (!alone.problem.empty() || !split.problem.empty() || seen.size() != expected.size()) {
        return {false, alone.problem + split.problem};
    }
    if (one.uploaded) {
        // All that the GPU has not, for three batches of the text and one of its beginning.
        constexpr int kBatches = 4;
        const auto least = kBatches * bytes_to_upload(*spec, *tensors, part_of(one));
        const auto sent = static_cast<double>(split.gpu->uploaded_bytes());
        if (sent < least || sent > 2.5 * least) {  // the processor holds some types wider
            return {false, std::to_string(sent) + " bytes were uploaded, the file has " +
                               std::to_string(least)};
        }
    }
    const RowError worst = worst_row(expected, seen);
    const std::uint64_t n_counted = mode == FeedForwardMode::Dense ? 0 : kSingle;
    if (alone.profile.tokens() != n_counted || split.profile.tokens() != n_counted) {
        return {false, "other tokens were counted than were passed alone"};
    }
    if (one.planted && !(counted_as_planted(alone, std::span(tokens).last(kSingle)) &&
                         counted_as_planted(split, std::span(tokens).last(kSingle)))) {
        return {false, "what was counted is not what was planted"};
    }
    const double otherwise = share_counted_otherwise(alone, split);
    const bool halves = device->features().matrix_units();
    const double bound = bound_of(one, halves);
    const double count_bound = count_bound_of(one, halves);
    std::array<char, 128> text{};
    // Row 0: the end of a batch, 1 to 4: tokens alone, 5 to 24: rows of a batch.
    std::snprintf(text.data(), text.size(),
                  "error %.2e in row %zu, bound %.0e; counted otherwise %.1e, bound %.0e",
                  worst.error, worst.row, bound, otherwise, count_bound);
    return {worst.error <= bound && otherwise <= count_bound, text.data()};
}

// ---- two pasts ---------------------------------------------------------------------------------

// A conversation: a prompt as one batch, then what comes out most likely, token by token.
class Talk {
public:
    Talk(SplitModel& model, std::size_t past, std::int32_t first) : model_(model), past_(past) {
        for (std::int32_t i = 0; i < kPrompt; ++i) {
            tokens.push_back(3 + (first + 7 * i) % (TinyModel::kVocab - 3));
        }
    }
    void go_on() {
        const std::span<const std::int32_t> seen(tokens);
        const auto draw = [&](std::size_t, std::span<const float> row) {
            logits.emplace_back(row.begin(), row.end());
        };
        const auto done =
            model_.decoder->forward(seen.subspan(n_computed_), static_cast<int>(n_computed_),
                                    model_.pasts[past_], Decoder::Want::Last, draw, {});
        if (!done) {
            model_.problem = done.error().message;
            return;
        }
        n_computed_ = tokens.size();
        const auto& row = logits.back();
        tokens.push_back(
            static_cast<std::int32_t>(std::max_element(row.begin(), row.end()) - row.begin()));
    }

    static constexpr int kPrompt = 20;
    std::vector<std::int32_t> tokens;
    std::vector<std::vector<float>> logits;

private:
    SplitModel& model_;
    std::size_t past_;
    std::size_t n_computed_ = 0;
};

// Two conversations in turn are what each is alone, and nothing is recorded for the other one.
CheckOutcome check_two_pasts(const Case& one, const std::shared_ptr<vulkan::Device>& device) {
    constexpr int kSteps = 8;
    constexpr std::int32_t kFirst = 1;
    constexpr std::int32_t kSecond = 40;
    Written written;
    if (std::string why = written.open(one); !why.empty()) {
        return {false, why};
    }
    SplitSizes sizes = kSizes;
    sizes.n_pasts = 2;
    const WeightUpload upload{one.uploaded ? std::uint64_t{80} << 10 : 0, one.uploaded ? 2 : 0};
    SplitModel model(*written.file, *written.spec, *written.tensors, FeedForwardMode::Dense,
                     part_of(one), device, upload, sizes);
    if (!model.problem.empty()) {
        return {false, model.problem};
    }
    std::vector<Talk> alone;
    for (const std::int32_t first : {kFirst, kSecond}) {
        Talk& talk = alone.emplace_back(model, alone.size(), first);
        for (int i = 0; i < kSteps; ++i) {
            talk.go_on();
        }
    }
    const std::uint64_t n_recordings = model.gpu->n_recordings();
    // The other way round, so that what an earlier one left in a past is of no use.
    Talk first(model, 1, kFirst);
    Talk second(model, 0, kSecond);
    for (int i = 0; i < kSteps; ++i) {
        first.go_on();
        second.go_on();
    }
    if (!model.problem.empty()) {
        return {false, model.problem};
    }
    if (first.tokens == second.tokens) {
        return {false, "both conversations are the same"};
    }
    if (first.tokens != alone[0].tokens || first.logits != alone[0].logits ||
        second.tokens != alone[1].tokens || second.logits != alone[1].logits) {
        return {false, "a conversation changed another one"};
    }
    if (model.gpu->n_recordings() != n_recordings) {
        return {false, "another conversation was recorded anew"};
    }
    if (model.gpu->make_past()) {
        return {false, "there is a third past"};
    }
    model.pasts.pop_back();
    return {model.gpu->make_past().has_value(), "the place of a past that is gone is not free"};
}

}  // namespace

std::vector<KernelCheck> split_checks(const std::shared_ptr<vulkan::Device>& device) {
    std::vector<Case> cases;
    using enum FeedForwardMode;
    for (const DType type : matrix_types()) {
        cases.push_back({"llama", type, false, Dense, 100, false});
        cases.push_back({"llama", type, false, Dense, 30, false});
        if (encoding_of(type).has(Layout::NeuronRow)) {
            cases.push_back({"bamboo", type, true, Exact, 70, true});
        }
    }
    cases.push_back({"llama", DType::F16, false, Dense, 30, true});
    for (const char* arch : {"llama", "bamboo", "falcon", "opt"}) {
        for (const int percent : {0, 30, 70, 100}) {
            cases.push_back({arch, DType::F32, false, Exact, percent, false});
            cases.push_back({arch, DType::Q4_0, false, Dense, percent, false});
        }
    }
    for (const char* arch : {"bamboo", "falcon", "opt"}) {
        for (const int percent : {0, 30, 70}) {
            cases.push_back({arch, DType::F16, true, Predicted, percent, true});
            cases.push_back({arch, DType::F32, false, Predicted, percent, false});
        }
        for (const int percent : {30, 70, 100}) {
            cases.push_back({arch, DType::Q4_0, true, Predicted, percent, true});
            cases.push_back({arch, DType::Q8_0, true, Exact, percent, false});
        }
        cases.push_back({arch, DType::F32, false, Predicted, 100, false});
        cases.push_back({arch, DType::F16, true, Predicted, 100, true});
        cases.push_back({arch, DType::F16, false, Predicted, 70, false});
        cases.push_back({arch, DType::Q4_0, false, Predicted, 100, false});
    }
    for (const char* arch : {"llama", "falcon"}) {
        for (const auto rest : {Case::Rest::Output, Case::Rest::Layers, Case::Rest::AllLayers}) {
            cases.push_back({arch, DType::F32, false, Exact, 70, false, rest});
            cases.push_back({arch, DType::F32, false, Exact, 100, false, rest});
        }
    }
    for (const DType type : {DType::F32, DType::Q8_0, DType::Q4_0}) {
        for (const int percent : {0, 30, 70, 100}) {
            cases.push_back(
                {"bamboo", type, true, Exact, percent, true, Case::Rest::None, false, true});
            cases.push_back(
                {"bamboo", type, false, Exact, percent, false, Case::Rest::Layers, false, true});
        }
    }
    const auto add_uploaded = [&](Case one) {
        one.uploaded = true;
        cases.push_back(one);
    };
    for (const DType type : matrix_types()) {
        add_uploaded({"llama", type, false, Dense, 0, false});
        add_uploaded({"llama", type, false, Dense, 70, false, Case::Rest::AllLayers});
    }
    for (const char* arch : {"llama", "bamboo", "falcon", "opt"}) {
        add_uploaded({arch, DType::F32, false, Exact, 70, false, Case::Rest::Layers});
        add_uploaded({arch, DType::Q4_0, false, Dense, 30, false, Case::Rest::Layers});
        add_uploaded({arch, DType::F32, false, Exact, 30, false, Case::Rest::Output});
    }
    for (const char* arch : {"bamboo", "falcon", "opt"}) {
        add_uploaded({arch, DType::F16, true, Predicted, 30, true});
        add_uploaded({arch, DType::Q4_0, true, Predicted, 0, true});
        add_uploaded({arch, DType::Q8_0, true, Exact, 70, false});
        add_uploaded({arch, DType::F32, false, Predicted, 30, false});
    }
    const auto add_two_norms = [&](Case one) {
        one.second_norm = true;
        cases.push_back(one);
    };
    for (const DType type : {DType::F32, DType::Q4_0}) {
        add_two_norms({"falcon", type, false, Dense, 0, false});
        add_two_norms({"falcon", type, false, Dense, 30, false});
        add_two_norms({"falcon", type, true, Predicted, 70, true});
        add_two_norms({"falcon", type, false, Dense, 70, false, Case::Rest::Layers, true});
    }
    const auto add_gates = [&](DType gate, Case one) {
        one.gate = gate;
        cases.push_back(one);
    };
    // Bytes of both, of one and of none; a token and a batch; skipped and predicted.
    add_gates(DType::Q8_0, {"llama", DType::Q4_0, false, Dense, 30, false});
    add_gates(DType::Q6_K, {"bamboo", DType::Q5_0, true, Exact, 70, true});
    add_gates(DType::F16, {"bamboo", DType::Q4_0, true, Predicted, 100, true});
    add_gates(DType::Q5_0, {"bamboo", DType::F32, false, Exact, 70, false, Case::Rest::Layers});
    add_gates(DType::BF16, {"bamboo", DType::F16, true, Exact, 100, true});
    add_gates(DType::Q4_0, {"llama", DType::Q8_0, false, Dense, 0, false, Case::Rest::None, true});
    cases.push_back({"bamboo", DType::Q5_0, true, Exact, 70, true});
    cases.back().packed = true;
    std::vector<KernelCheck> checks;
    for (const Case& one : cases) {
        checks.push_back({name_of(one), [one, device] { return check(one, device); }});
    }
    for (const Case& one :
         {Case{"llama", DType::F32, false, Dense, 100, false},
          Case{"opt", DType::F16, false, Dense, 30, false, Case::Rest::Layers, true}}) {
        checks.push_back(
            {name_of(one) + ", two pasts", [one, device] { return check_two_pasts(one, device); }});
    }
    return checks;
}

}  // namespace hearth::test
