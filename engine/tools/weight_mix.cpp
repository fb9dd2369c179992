#include "tools/weight_mix.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <limits>
#include <numeric>

#include "gguf/recipes.h"

namespace hearth::tools {
namespace {

constexpr std::array kMixes{
    WeightMix{"F32", DType::F32, false},    WeightMix{"F16", DType::F16, false},
    WeightMix{"BF16", DType::BF16, false},  WeightMix{"Q8_0", DType::Q8_0, false},
    WeightMix{"Q4_0", DType::Q4_0, false},  WeightMix{"Q4_K_M", DType::Q4_K, true},
    WeightMix{"Q5_K_M", DType::Q5_K, true}, WeightMix{"Q6_K", DType::Q6_K, true},
};

constexpr std::array kTypes{DType::F32,  DType::F16,  DType::BF16, DType::Q8_0,
                            DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1,
                            DType::Q4_K, DType::Q5_K, DType::Q6_K};

// "a, b and c"
template <class Range, class Name>
std::string listed(const Range& range, Name&& name) {
    std::string text;
    for (std::size_t i = 0; i < range.size(); ++i) {
        text += i == 0 ? "" : i + 1 == range.size() ? " and " : ", ";
        text += name(range[i]);
    }
    return text;
}

// Parts of names, and whole names, of what is small and delicate. Facts of the families' files.
constexpr std::string_view kKeptParts[] = {
    "_norm.weight",
    "ffn_gate_inp.weight",
    "ffn_gate_tid2eid.weight",
    "altup",
    "laurel",
    "per_layer_model_proj",
    "ssm_conv1d",
    "shortconv.conv.weight",
    "ple_conv1d",
    "ple_norm_",
    "indexer.k_proj.weight",
    "indexer.q_proj.weight",
    "time_mix_first.weight",
    "time_mix_w0.weight",
    "time_mix_w1.weight",
    "time_mix_w2.weight",
    "time_mix_v0.weight",
    "time_mix_v1.weight",
    "time_mix_v2.weight",
    "time_mix_a0.weight",
    "time_mix_a1.weight",
    "time_mix_a2.weight",
    "time_mix_g1.weight",
    "time_mix_g2.weight",
    "time_mix_decay_w1.weight",
    "time_mix_decay_w2.weight",
    "time_mix_lerp_fused.weight",
    "attn_rel_b.weight",
    ".position_embd",
    ".rel_pos",
    ".patch_embd",
    ".patch_merger",
};
constexpr std::string_view kKeptNames[] = {"position_embd.weight", "token_types.weight"};

bool has(std::string_view name, std::string_view part) {
    return name.find(part) != std::string_view::npos;
}

// As small and delicate as a vector, though a file cuts it into rows: taps of a convolution, norms
// of groups, decays of states, routers of experts.
bool is_like_a_vector(std::string_view name) {
    return has(name, "ssm_conv1d") || has(name, "shortconv.conv.weight") ||
           has(name, "ple_conv1d") || has(name, "ple_norm_") || has(name, "_norm.weight") ||
           has(name, "ffn_gate_inp.weight") || !name.ends_with("weight");
}

// The work of a tensor, as far as the mixes care.
enum class MixPart { Embedding, Output, Value, Key, AttentionOutput, Down, Other };

MixPart part_of(std::string_view name) {
    if (name == "output.weight") {
        return MixPart::Output;
    }
    if (name == "token_embd.weight" || name == "per_layer_token_embd.weight") {
        return MixPart::Embedding;
    }
    if (has(name, "attn_qkv.weight") || has(name, "attn_kv_b.weight") ||
        has(name, "attn_v.weight")) {
        return MixPart::Value;
    }
    if (has(name, "attn_k.weight")) {
        return MixPart::Key;
    }
    if (has(name, "attn_q.weight")) {
        return MixPart::Other;
    }
    if (has(name, "attn_output.weight")) {
        return MixPart::AttentionOutput;
    }
    const bool before_down = has(name, "ffn_up") || has(name, "ffn_gate");
    return has(name, "ffn_down") && !before_down ? MixPart::Down : MixPart::Other;
}

// The number in "blk.7.", as far as it can be read; else one below all layers.
constexpr std::int64_t kNoLayer = -1;
std::int64_t layer_of(std::string_view name) {
    constexpr std::string_view kPrefix = "blk.";
    std::int32_t layer = 0;
    if (!name.starts_with(kPrefix)) {
        return kNoLayer;
    }
    const char* end = name.data() + name.size();
    const auto parsed = std::from_chars(name.data() + kPrefix.size(), end, layer);
    return parsed.ec == std::errc() ? layer : kNoLayer;
}

// Every third layer, and the first and the last eighth.
bool has_more_bits(std::int64_t index, std::int64_t count) {
    return index < count / 8 || index >= 7 * count / 8 || (index - count / 8) % 3 == 2;
}

// Eight heads and more share their values: these are few, and more bits for them cost little.
bool has_few_values(const MixModel& model) {
    if (model.arch == "jais2") {
        return model.n_layer == 68;
    }
    if (model.arch == "llama") {
        return model.n_layer == 80 && model.n_head != model.n_head_kv;
    }
    return model.n_layer == 80 &&
           (model.arch == "qwen2" || model.arch == "deci" || model.arch == "olmo");
}

// Goes through the tensors layer by layer and counts those that a rule counts.
class Mixer {
public:
    Mixer(const WeightMix& mix, const MixModel& model, std::int64_t n_values)
        : base_(mix.type), model_(model), n_values_(n_values), falcon_(model.arch == "falcon") {}

    DType type_of(const TensorInfo& tensor) {
        const MixPart part = part_of(tensor.name);
        switch (part) {
            case MixPart::Output:
                return output_type(tensor);
            case MixPart::Embedding:
                return model_.tied ? output_type(tensor) : base_;
            case MixPart::Value:
                return value_type();
            case MixPart::Key:
                return model_.n_expert == 8 ? DType::Q8_0 : base_;
            case MixPart::AttentionOutput:
                return model_.n_expert == 8 && !falcon_ && base_ == DType::Q4_K ? DType::Q5_K
                                                                                : base_;
            case MixPart::Down:
                return down_type(tensor.name);
            case MixPart::Other:
                return base_;
        }
        return base_;
    }

private:
    bool medium() const { return base_ == DType::Q4_K || base_ == DType::Q5_K; }

    // No fallback for blocks: what the whole vocabulary passes through gets all its bits.
    DType output_type(const TensorInfo& tensor) const {
        const bool whole = tensor.cols() % dtype_info(base_).block_values == 0;
        return falcon_ || !whole ? DType::Q8_0 : DType::Q6_K;
    }

    DType value_type() {
        const std::int64_t index = i_value_++;
        DType type = medium() && has_more_bits(index, n_values_) ? DType::Q6_K : base_;
        if (type == DType::Q4_K && has_few_values(model_)) {
            type = DType::Q5_K;
        }
        return model_.n_expert == 8 ? DType::Q8_0 : type;
    }

    DType down_type(std::string_view name) {
        const auto n_layer = static_cast<std::int64_t>(model_.n_layer);
        const std::int64_t counted = i_down_++;
        const std::int64_t index = model_.n_expert > 1 ? layer_of(name) : counted;
        const bool more = has_more_bits(index, n_layer);
        if (falcon_ && base_ == DType::Q4_K) {
            return index < n_layer / 16 ? DType::Q6_K : more ? DType::Q5_K : DType::Q4_K;
        }
        return medium() && more ? DType::Q6_K : base_;
    }

    DType base_;
    const MixModel& model_;
    std::int64_t n_values_;
    bool falcon_;
    std::int64_t i_value_ = 0;
    std::int64_t i_down_ = 0;
};

std::uint64_t number(const Metadata& metadata, const std::string& key) {
    const MetadataValue* value = metadata.find(key);
    if (value == nullptr) {
        return 0;
    }
    // One number a layer: the greatest, as of n_head of layers that differ.
    if (value->type == MetadataType::Array) {
        const auto& array = std::get<MetadataArray>(value->value);
        std::uint64_t most = 0;
        for (const std::uint64_t each : array.unsigned_values) {
            most = std::max(most, each);
        }
        for (const std::int64_t each : array.signed_values) {
            most = std::max(most, static_cast<std::uint64_t>(std::max<std::int64_t>(each, 0)));
        }
        return most;
    }
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const auto integer = metadata.integer(key, 0, kMost);
    return integer ? static_cast<std::uint64_t>(*integer) : 0;
}

}  // namespace

const WeightMix* find_weight_mix(std::string_view name) {
    const auto* found = std::find_if(kMixes.begin(), kMixes.end(),
                                     [&](const WeightMix& mix) { return mix.name == name; });
    return found == kMixes.end() ? nullptr : found;
}

std::string weight_mix_names() {
    return listed(kMixes, [](const WeightMix& mix) { return mix.name; });
}

bool is_weight_type(DType type) {
    return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end();
}

std::string weight_type_names() {
    return listed(kTypes, [](DType type) { return dtype_info(type).name; });
}

MixModel read_mix_model(const GgufFile& file, bool tied) {
    const Metadata& metadata = file.metadata();
    MixModel model;
    if (const auto arch = metadata.string("general.architecture")) {
        model.arch = *arch;
    }
    model.n_layer = number(metadata, model.arch + ".block_count");
    model.n_head = number(metadata, model.arch + ".attention.head_count");
    const std::string kv = model.arch + ".attention.head_count_kv";
    model.n_head_kv = metadata.contains(kv) ? number(metadata, kv) : model.n_head;
    model.n_expert = number(metadata, model.arch + ".expert_count");
    model.tied = tied;
    return model;
}

bool stays_as_it_is(std::string_view name) {
    return !name.ends_with("weight") ||
           std::any_of(std::begin(kKeptParts), std::end(kKeptParts),
                       [&](std::string_view part) { return has(name, part); }) ||
           std::find(std::begin(kKeptNames), std::end(kKeptNames), name) != std::end(kKeptNames);
}

std::vector<std::optional<DType>> mixed_types(const WeightMix& mix, const MixModel& model,
                                              const std::vector<TensorInfo>& tensors) {
    std::vector<std::optional<DType>> types(tensors.size());
    const auto n_values = std::count_if(
        tensors.begin(), tensors.end(),
        [](const TensorInfo& tensor) { return part_of(tensor.name) == MixPart::Value; });
    Mixer mixer(mix, model, n_values);
    // Layer by layer and by name, whatever the file's order: the rules count.
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const std::int64_t layer_a = layer_of(tensors[a].name);
        const std::int64_t layer_b = layer_of(tensors[b].name);
        return layer_a != layer_b ? layer_a < layer_b : tensors[a].name < tensors[b].name;
    });
    for (const std::size_t i : order) {
        const TensorInfo& tensor = tensors[i];
        if (tensor.shape.size() == 1) {
            types[i] = kVectorType;
        } else if (!mix.mixed) {
            types[i] = is_like_a_vector(tensor.name) ? kVectorType
                                                     : type_that_fits(mix.type, tensor.cols());
        } else if (!stays_as_it_is(tensor.name)) {
            types[i] = type_that_fits(mixer.type_of(tensor), tensor.cols());
        }
    }
    return types;
}

}  // namespace hearth::tools
