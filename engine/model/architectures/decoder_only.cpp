#include "model/architectures/decoder_only.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gguf/printable.h"
#include "model/experts_spec.h"

namespace hearth {
namespace {

// Far above any published model, far below what would overflow a product of two of them.
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostVocabulary = 1 << 24;
constexpr std::int64_t kMostContext = 1 << 27;

constexpr const char* kActivationKey = "hearth.activation";
constexpr std::string_view kFeedForwardKey = "feed_forward_length";
constexpr const char* kReluThresholdKey = "hearth.activation.threshold";

Activation read_activation(Keys& keys, Activation own, std::optional<Activation> stated) {
    const GgufFile& file = keys.file();
    Activation activation = own;
    if (stated) {
        activation = *stated;
    } else if (file.metadata().contains(kActivationKey)) {
        auto name = file.metadata().string(kActivationKey);
        if (!name) {
            keys.fail(name.error().code, kActivationKey, name.error().message);
            return own;
        }
        const auto known = activation_from_name(*name);
        if (!known) {
            keys.fail(ErrorCode::Unsupported, kActivationKey,
                      std::string(kActivationKey) + ": \"" + printable(*name) +
                          "\" is no activation this version knows");
            return own;
        }
        activation = *known;
    }
    if (is_gated(activation) != is_gated(own)) {
        keys.fail(ErrorCode::Unsupported, kActivationKey,
                  "the activation \"" + std::string(to_string(activation)) +
                      "\" does not fit the architecture " + keys.arch());
    }
    return activation;
}

float read_relu_threshold(Keys& keys) {
    const Metadata& metadata = keys.file().metadata();
    if (!metadata.contains(kReluThresholdKey)) {
        return 0.0F;
    }
    auto threshold = metadata.number(kReluThresholdKey);
    if (!threshold) {
        keys.fail(threshold.error().code, kReluThresholdKey, threshold.error().message);
        return 0.0F;
    }
    if (!(*threshold >= 0.0) || *threshold > 1e6) {
        keys.fail(ErrorCode::BadFile, kReluThresholdKey,
                  std::string(kReluThresholdKey) + ": is " + std::to_string(*threshold) +
                      ", must be 0 or more");
    }
    return static_cast<float>(*threshold);
}

int read_head_dim(Keys& keys, int n_embd, int n_head) {
    if (!keys.has("attention.key_length") && n_embd % n_head != 0) {
        keys.bad("embedding_length", std::to_string(n_embd) + " is not a multiple of " +
                                         std::to_string(n_head) + " heads");
    }
    const int head_dim = keys.integer_or("attention.key_length", 2, 1024, n_embd / n_head);
    const int value_dim = keys.integer_or("attention.value_length", 2, 1024, head_dim);
    if (value_dim != head_dim) {
        keys.unsupported("attention.value_length",
                         "value heads of " + std::to_string(value_dim) + " beside key heads of " +
                             std::to_string(head_dim) + " are not supported");
    }
    return head_dim;
}

// Queries and keys grow with the factor (Peng et al. 2023, section 3.4). A model may state how
// much of that its layers undo; only the rest is done then.
void add_yarn(Keys& keys, RopeSpec& rope) {
    const auto growth = [&](float part) {
        return 1.0F + 0.1F * part * std::log(std::max(rope.linear_factor, 1.0F));
    };
    rope.linear_factor = keys.positive("rope.scaling.factor");
    const int trained = keys.integer("context_length", 1, kMostContext);
    rope.yarn_context =
        keys.integer_or("rope.scaling.original_context_length", 1, kMostContext, trained);
    rope.yarn_beta_fast = keys.positive_or("rope.scaling.yarn_beta_fast", 32.0F);
    rope.yarn_beta_slow = keys.positive_or("rope.scaling.yarn_beta_slow", 1.0F);
    rope.magnitude *= growth(1.0F);
    // 0 is what files say that state none.
    const auto undone = keys.file().metadata().number(keys.key("rope.scaling.yarn_log_multiplier"));
    if (undone && *undone != 0) {
        rope.magnitude /= growth(keys.positive("rope.scaling.yarn_log_multiplier"));
    }
    if (!(rope.base > 1.0F)) {
        keys.bad("rope.freq_base", "is " + std::to_string(rope.base) + ", YaRN needs more than 1");
    }
}

RopeSpec read_rope(Keys& keys, RopePairing pairing, int head_dim) {
    RopeSpec rope{.pairing = pairing, .base = keys.positive_or("rope.freq_base", 10000.0F)};
    if (pairing != RopePairing::None) {
        rope.dim = keys.integer_or("rope.dimension_count", 2, 1024, head_dim);
    }
    if (head_dim % 2 != 0 || head_dim > 1024 || rope.dim % 2 != 0 || rope.dim > head_dim) {
        keys.bad("rope.dimension_count", "rotating " + std::to_string(rope.dim) + " of " +
                                             std::to_string(head_dim) +
                                             " head dimensions is not possible");
    }
    rope.magnitude = keys.positive_or("rope.scaling.attn_factor", 1.0F);
    if (!keys.has("rope.scaling.type")) {
        if (keys.has("rope.scale_linear")) {  // older spelling
            rope.linear_factor = keys.positive("rope.scale_linear");
        }
        return rope;
    }
    auto type = keys.file().metadata().string(keys.key("rope.scaling.type"));
    if (!type) {
        keys.fail(type.error().code, keys.key("rope.scaling.type"), type.error().message);
    } else if (*type == "linear") {
        rope.linear_factor = keys.positive("rope.scaling.factor");
    } else if (*type == "yarn") {
        add_yarn(keys, rope);
    } else if (*type != "none" && *type != "llama3" && *type != "longrope") {
        // llama3 and longrope: the file carries factors.
        keys.unsupported("rope.scaling.type",
                         "RoPE scaling \"" + printable(*type) + "\" is not supported");
    }
    return rope;
}

float read_epsilon(Keys& keys, NormKind norm) {
    constexpr std::string_view kOfRms = "attention.layer_norm_rms_epsilon";
    constexpr std::string_view kOfLayer = "attention.layer_norm_epsilon";
    if (norm == NormKind::Layer) {
        return keys.positive_or(kOfLayer, 1e-5F);  // PowerInfer's OPT files leave it out
    }
    // Files of Nemotron-H may have the other key.
    return keys.positive(!keys.has(kOfRms) && keys.has(kOfLayer) ? kOfLayer : kOfRms);
}

}  // namespace

void check_heads(Keys& keys, const AttentionSpec& attention) {
    if (attention.n_head % attention.n_head_kv != 0) {
        keys.fail(ErrorCode::BadFile, keys.key("attention.head_count_kv"),
                  keys.key("attention.head_count") + ": " + std::to_string(attention.n_head) +
                      " heads do not share " + std::to_string(attention.n_head_kv) +
                      " key/value heads evenly");
    }
    if (static_cast<std::int64_t>(attention.n_head) * attention.head_dim > kMostWidth) {
        keys.bad("attention.key_length", std::to_string(attention.n_head) + " heads of " +
                                             std::to_string(attention.head_dim) + " are too wide");
    }
}

namespace {

// The last layers of a file may foretell more than one token (multi-token prediction). An answer
// needs none of them.
int n_predict_layers(Keys& keys, int n_layer) {
    const int n = keys.integer_or("nextn_predict_layers", 0, kMostLayers, 0);
    if (n >= n_layer && !keys.failure()) {
        keys.bad("nextn_predict_layers",
                 std::to_string(n) + " of " + std::to_string(n_layer) +
                     " layers predict more tokens: none is left to compute");
        return 0;
    }
    return n;
}

// Neurons of the dense block beside the experts of a layer.
int width_beside(Keys& keys, int block, int n_ff) {
    if (n_ff == 0 || n_ff % kExpertBlock != 0) {
        keys.unsupported(kFeedForwardKey, "block " + std::to_string(block) + " has " +
                                              std::to_string(n_ff) +
                                              " neurons beside its experts, which must be a "
                                              "positive multiple of " +
                                              std::to_string(kExpertBlock));
    }
    return n_ff;
}

void read_vocabulary(Keys& keys, ModelSpec& spec) {
    const RoleTensor found = keys.tensor(Role::TokenEmbd);
    const TensorInfo* embedding = found.tensor;
    if (embedding == nullptr) {
        keys.fail(ErrorCode::BadFile, found.name,
                  keys.file().tensors().entries().empty()
                      ? "holds a vocabulary and no weights"
                      : found.name + ": the file has no such tensor");
        return;
    }
    if (embedding->shape.size() != 2 || embedding->shape[0] == 0 ||
        embedding->shape[0] > static_cast<std::uint64_t>(kMostVocabulary)) {
        keys.fail(ErrorCode::BadFile, found.name,
                  found.name + ": is not a table of one row a token");
        return;
    }
    spec.n_vocab = static_cast<int>(embedding->shape[0]);
    spec.tied_output = keys.tensor(Role::Output).tensor == nullptr;
}

}  // namespace

bool is_powerinfer_file(const GgufFile& file) {
    return file.container() == Container::Pwri ||
           file.tensors().find("blk.0.ffn_down_t.weight") != nullptr;
}

Activation gated_activation(const GgufFile& file, Activation dense) {
    return is_powerinfer_file(file) ? Activation::ReluGated : dense;
}

std::vector<bool> windowed_layers(Keys& keys, int n_layer, int usual_pattern) {
    constexpr std::string_view kKey = "attention.sliding_window_pattern";
    std::vector<bool> windowed(static_cast<std::size_t>(n_layer));
    const MetadataValue* value = keys.file().metadata().find(keys.key(kKey));
    if (value != nullptr && value->type == MetadataType::Array) {
        const std::vector<int> truths = keys.per_layer(kKey, 0, 1, n_layer);
        std::copy(truths.begin(), truths.end(), windowed.begin());
        return windowed;
    }
    // 0: all layers.
    const int pattern = keys.integer_or(kKey, 0, kMostLayers, usual_pattern);
    for (int i = 0; i < n_layer; ++i) {
        windowed[static_cast<std::size_t>(i)] = pattern == 0 || i % pattern < pattern - 1;
    }
    return windowed;
}

Result<ModelSpec> read_decoder(Keys& keys, const DecoderTraits& traits,
                               std::optional<Activation> stated) {
    LayerSpec layer;
    layer.activation = read_activation(keys, traits.activation, stated);
    layer.relu_threshold = read_relu_threshold(keys);
    ModelSpec spec;
    spec.arch = keys.arch();
    const int n_layer = keys.integer("block_count", 1, kMostLayers);
    spec.n_left_out = n_predict_layers(keys, n_layer);
    spec.n_embd = keys.integer("embedding_length", 1, kMostWidth);
    const ExpertsSpec experts = read_experts(keys, traits.experts);
    const int n_leading =
        experts.present() ? keys.integer_or("leading_dense_block_count", 0, kMostLayers, 0) : 0;
    // Files whose layers are all mixtures may not say how wide others would be.
    const std::vector<int> n_ff =
        experts.present() && n_leading == 0 && !keys.has(kFeedForwardKey)
            ? std::vector<int>(static_cast<std::size_t>(n_layer))
            : keys.per_layer(kFeedForwardKey, traits.lone_blocks || experts.present() ? 0 : 1,
                             kMostWidth, n_layer);
    const std::vector<int> n_head = keys.per_layer("attention.head_count", 1, kMostHeads, n_layer);
    const std::vector<int> n_head_kv =
        keys.has("attention.head_count_kv")
            ? keys.per_layer("attention.head_count_kv", traits.least_head_kv, kMostHeads, n_layer)
            : n_head;
    spec.n_ctx_train = keys.integer("context_length", 1, kMostContext);
    layer.norm.kind = traits.norm;
    layer.norm.eps = read_epsilon(keys, traits.norm);
    if (experts.present() && spec.n_embd % kExpertBlock != 0) {
        keys.unsupported("embedding_length", std::to_string(spec.n_embd) + " is no multiple of " +
                                                 std::to_string(kExpertBlock) +
                                                 ", and the model has experts");
    }
    if (keys.failure()) {
        return *keys.failure();
    }
    spec.output_norm = layer.norm;
    spec.output_norm_bias = layer.norm.kind == NormKind::Layer && traits.norm_biases;
    layer.norm_bias = spec.output_norm_bias;
    layer.norms = traits.norms;
    AttentionSpec& attention = layer.attention;
    attention.head_dim = traits.head_dim != nullptr
                             ? traits.head_dim(keys)
                             : read_head_dim(keys, spec.n_embd, n_head.front());
    attention.scale = 1.0F / std::sqrt(static_cast<float>(attention.head_dim));
    attention.rope = read_rope(keys, traits.rope, attention.head_dim);
    attention.head_norm = traits.head_norm;
    if (keys.tensor(Role::RopeLong).tensor != nullptr) {
        spec.longrope_context =
            keys.integer("rope.scaling.original_context_length", 1, kMostContext);
    }
    layer.block_biases = traits.biases;
    layer.qkv_bias = traits.biases || keys.tensor(Role::QBias, 0).tensor != nullptr;
    const TensorTable& tensors = keys.file().tensors();
    spec.n_blocks = n_layer - spec.n_left_out;
    for (int block = 0; block < spec.n_blocks && !keys.failure(); ++block) {
        const auto i = static_cast<std::size_t>(block);
        const bool alone = traits.lone_blocks && n_ff[i] > 0;
        if (alone && (spec.layers.empty() || spec.layers.back().has_feed_forward())) {
            keys.unsupported(kFeedForwardKey, "block " + std::to_string(block) +
                                                  " is a feed-forward block without attention or "
                                                  "a recurrence before it");
            break;
        }
        LayerSpec& own = alone ? spec.layers.back() : spec.layers.emplace_back(layer);
        own.n_ff = n_ff[i];
        if (experts.present() && block >= n_leading && (alone || !traits.lone_blocks)) {
            own.experts = experts;
            own.n_ff = experts.n * experts.n_ff;
            if (experts.norms_apart) {
                own.experts.n_ff_shared = width_beside(keys, block, n_ff[i]);
            }
        }
        own.feed_forward_block = block;
        own.down_by_neuron =
            keys.tensor(Role::Down, block).by_neuron ||
            tensors.find("blk." + std::to_string(block) + ".ffn_neurons.weight") != nullptr;
        if (alone) {
            continue;
        }
        own.attention_block = block;
        own.attention.n_head = n_head[i];
        own.attention.n_head_kv = n_head_kv[i];
        if (traits.of_layer != nullptr) {
            traits.of_layer(keys, block, own);
        }
        check_heads(keys, own.attention);
    }
    if (!spec.any(&LayerSpec::has_feed_forward) && !keys.failure()) {
        keys.unsupported(kFeedForwardKey, "no block of the model is a feed-forward block");
    }
    read_vocabulary(keys, spec);
    if (keys.failure()) {
        return *keys.failure();
    }
    return spec;
}

}  // namespace hearth
