#include "model/model_spec.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "gguf/printable.h"

namespace hearth {
namespace {

// Far above any published model, far below what would overflow a product of two of them.
constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostVocabulary = 1 << 24;
constexpr std::int64_t kMostContext = 1 << 27;

// Reads "{arch}.{name}" keys and remembers the first failure. A reader of ten keys then takes ten
// lines.
class Keys {
public:
    Keys(const GgufFile& file, std::string arch) : file_(file), arch_(std::move(arch)) {}

    std::string key(std::string_view name) const { return arch_ + "." + std::string(name); }

    bool has(std::string_view name) const { return file_.metadata().contains(key(name)); }

    int integer(std::string_view name, std::int64_t least, std::int64_t most) {
        return keep(file_.metadata().integer(key(name), least, most), 0);
    }
    int integer_or(std::string_view name, std::int64_t least, std::int64_t most, int otherwise) {
        return has(name) ? integer(name, least, most) : otherwise;
    }
    float positive_or(std::string_view name, std::optional<float> otherwise) {
        if (otherwise && !has(name)) {
            return *otherwise;
        }
        const auto value = static_cast<float>(keep(file_.metadata().number(key(name)), 1.0));
        if (!failure_ && (!std::isfinite(value) || value <= 0.0F)) {
            failure_ = Error{ErrorCode::BadFile,
                             key(name) + ": is " + std::to_string(value) + ", must be positive",
                             file_.path(), key(name)};
        }
        return value;
    }

    const std::optional<Error>& failure() const { return failure_; }

private:
    template <class T, class U>
    U keep(Result<T> result, U otherwise) {
        if (result) {
            return static_cast<U>(*result);
        }
        if (!failure_) {
            failure_ = std::move(result).error();
        }
        return otherwise;
    }
    int keep(Result<std::int64_t> result, int otherwise) {
        return keep<std::int64_t, int>(std::move(result), otherwise);
    }

    const GgufFile& file_;
    std::string arch_;
    std::optional<Error> failure_;
};

Error unsupported(const GgufFile& file, std::string message, std::string field) {
    return Error{ErrorCode::Unsupported, std::move(message), file.path(), std::move(field)};
}

Error bad(const GgufFile& file, std::string message, std::string field) {
    return Error{ErrorCode::BadFile, std::move(message), file.path(), std::move(field)};
}

constexpr std::string_view kActivationKey = "hearth.activation";
constexpr std::string_view kReluThresholdKey = "hearth.activation.threshold";

// Whether PowerInfer made the file: the down projection lies by neuron, or the magic is
// PowerInfer's. PowerInfer computes ReLU in such a file, whatever the architecture's dense files
// mean.
bool is_powerinfer_file(const GgufFile& file) {
    return file.container() == Container::Pwri ||
           file.tensors().find("blk.0.ffn_down_t.weight") != nullptr;
}

// Falcon's dense files store the down projection by neuron as well. Only a predictor tells them
// apart from PowerInfer's.
bool has_predictors(const GgufFile& file) {
    return file.container() == Container::Pwri ||
           file.tensors().find("blk.0.fc1.weight") != nullptr;
}

// Reads how matrices lie in the file, and how many positions OPT has learned.
Result<void> read_layout(const GgufFile& file, const Architecture& row, ModelSpec& spec) {
    const std::string key = spec.arch + ".tensor_data_layout";
    if (spec.fused_qkv && file.metadata().contains(key)) {
        auto layout = file.metadata().string(key);
        if (!layout) {
            return std::move(layout).error();
        }
        if (*layout != "jploski") {
            return unsupported(
                file, key + ": the layout \"" + printable(*layout) + "\" is not supported", key);
        }
    }
    const auto& tensors = file.tensors().entries();
    spec.down_by_neuron = std::any_of(tensors.begin(), tensors.end(), [](const TensorInfo& tensor) {
        return tensor.name.ends_with(".ffn_down_t.weight") ||
               tensor.name.ends_with(".ffn_neurons.weight");
    });
    if (row.first_learned_position < 0) {
        return {};
    }
    const TensorInfo* positions = file.tensors().find("position_embd.weight");
    const auto first = static_cast<std::uint64_t>(row.first_learned_position);
    if (positions == nullptr || positions->shape.size() != 2 || positions->shape[0] <= first ||
        positions->shape[0] > static_cast<std::uint64_t>(kMostContext)) {
        return bad(file,
                   positions == nullptr
                       ? "position_embd.weight: the file has no such tensor"
                       : "position_embd.weight: is not a table of one row a position",
                   "position_embd.weight");
    }
    spec.n_positions = static_cast<int>(positions->shape[0]);
    spec.first_learned_position = row.first_learned_position;
    spec.n_ctx_train = std::min(spec.n_ctx_train, spec.n_positions - row.first_learned_position);
    return {};
}

Result<Activation> read_activation(const GgufFile& file, const Architecture& row,
                                   std::optional<Activation> stated) {
    Activation activation = row.activation;
    if (stated) {
        activation = *stated;
    } else if (file.metadata().contains(kActivationKey)) {
        auto name = file.metadata().string(kActivationKey);
        if (!name) {
            return std::move(name).error();
        }
        const auto known = activation_from_name(*name);
        if (!known) {
            return unsupported(file,
                               std::string(kActivationKey) + ": \"" + printable(*name) +
                                   "\" is no activation this version knows",
                               std::string(kActivationKey));
        }
        activation = *known;
    } else if (activation == Activation::SiluGated && is_powerinfer_file(file)) {
        activation = Activation::ReluGated;
    } else if (activation == Activation::Gelu && has_predictors(file)) {
        activation = Activation::Relu;
    }
    if (is_gated(activation) != is_gated(row.activation)) {
        return unsupported(file,
                           "the activation \"" + std::string(to_string(activation)) +
                               "\" does not fit the architecture " + std::string(row.name),
                           std::string(kActivationKey));
    }
    return activation;
}

}  // namespace

Result<ModelSpec> read_model_spec(const GgufFile& file, std::optional<Activation> stated) {
    auto arch = file.metadata().string("general.architecture");
    if (!arch) {
        return std::move(arch).error();
    }
    const Architecture* row = find_architecture(*arch);
    if (row == nullptr) {
        return unsupported(
            file,
            "the architecture \"" + printable(*arch) +
                "\" is not one this version can run (it runs llama, bamboo, falcon and opt)",
            "general.architecture");
    }
    Keys keys(file, *arch);
    ModelSpec spec;
    spec.arch = *arch;
    spec.norm = row->norm;
    spec.rope = row->rope;
    spec.parallel_block = row->parallel_block;
    spec.block_biases = row->biases;
    auto activation = read_activation(file, *row, stated);
    if (!activation) {
        return std::move(activation).error();
    }
    spec.activation = *activation;
    if (file.metadata().contains(kReluThresholdKey)) {
        auto threshold = file.metadata().number(kReluThresholdKey);
        if (!threshold) {
            return std::move(threshold).error();
        }
        if (!(*threshold >= 0.0) || *threshold > 1e6) {
            return bad(file,
                       std::string(kReluThresholdKey) + ": is " + std::to_string(*threshold) +
                           ", must be 0 or more",
                       std::string(kReluThresholdKey));
        }
        spec.relu_threshold = static_cast<float>(*threshold);
    }
    spec.n_layer = keys.integer("block_count", 1, kMostLayers);
    spec.n_embd = keys.integer("embedding_length", 1, kMostWidth);
    spec.n_ff = keys.integer("feed_forward_length", 1, kMostWidth);
    spec.n_head = keys.integer("attention.head_count", 1, kMostHeads);
    spec.n_head_kv = keys.integer_or("attention.head_count_kv", 1, kMostHeads, spec.n_head);
    spec.n_ctx_train = keys.integer("context_length", 1, kMostContext);
    // PowerInfer's OPT files leave it out.
    spec.norm_eps = spec.norm == NormKind::Rms
                        ? keys.positive_or("attention.layer_norm_rms_epsilon", std::nullopt)
                        : keys.positive_or("attention.layer_norm_epsilon", 1e-5F);
    spec.rope_base = keys.positive_or("rope.freq_base", 10000.0F);
    if (keys.failure()) {
        return *keys.failure();
    }
    if (spec.n_head % spec.n_head_kv != 0) {
        return bad(file,
                   keys.key("attention.head_count") + ": " + std::to_string(spec.n_head) +
                       " heads do not share " + std::to_string(spec.n_head_kv) +
                       " key/value heads evenly",
                   keys.key("attention.head_count_kv"));
    }
    if (!keys.has("attention.key_length") && spec.n_embd % spec.n_head != 0) {
        return bad(file,
                   keys.key("embedding_length") + ": " + std::to_string(spec.n_embd) +
                       " is not a multiple of " + std::to_string(spec.n_head) + " heads",
                   keys.key("embedding_length"));
    }
    spec.head_dim = keys.integer_or("attention.key_length", 2, 1024, spec.n_embd / spec.n_head);
    const int value_dim = keys.integer_or("attention.value_length", 2, 1024, spec.head_dim);
    spec.rope_dim = spec.rope == RopePairing::None
                        ? 0
                        : keys.integer_or("rope.dimension_count", 2, 1024, spec.head_dim);
    if (keys.failure()) {
        return *keys.failure();
    }
    if (value_dim != spec.head_dim) {
        return unsupported(file,
                           keys.key("attention.value_length") + ": value heads of " +
                               std::to_string(value_dim) + " beside key heads of " +
                               std::to_string(spec.head_dim) + " are not supported",
                           keys.key("attention.value_length"));
    }
    if (spec.head_dim % 2 != 0 || spec.head_dim > 1024 || spec.rope_dim % 2 != 0 ||
        spec.rope_dim > spec.head_dim) {
        return bad(file,
                   keys.key("rope.dimension_count") + ": rotating " +
                       std::to_string(spec.rope_dim) + " of " + std::to_string(spec.head_dim) +
                       " head dimensions is not possible",
                   keys.key("rope.dimension_count"));
    }
    if (spec.n_embd_q() > kMostWidth) {
        return bad(file,
                   keys.key("attention.key_length") + ": " + std::to_string(spec.n_head) +
                       " heads of " + std::to_string(spec.head_dim) + " are too wide",
                   keys.key("attention.key_length"));
    }

    if (keys.has("rope.scaling.type")) {
        const std::string key = keys.key("rope.scaling.type");
        auto type = file.metadata().string(key);
        if (!type) {
            return std::move(type).error();
        }
        if (*type == "linear") {
            spec.rope_linear_factor = keys.positive_or("rope.scaling.factor", std::nullopt);
        } else if (*type != "none" && *type != "llama3") {  // llama3: the file carries rope_freqs
            return unsupported(
                file, key + ": RoPE scaling \"" + printable(*type) + "\" is not supported", key);
        }
    } else if (keys.has("rope.scale_linear")) {  // older spelling
        spec.rope_linear_factor = keys.positive_or("rope.scale_linear", std::nullopt);
    }
    const int experts = keys.integer_or("expert_count", 0, kMostWidth, 0);
    if (keys.failure()) {
        return *keys.failure();
    }
    if (experts > 0) {
        return unsupported(file,
                           "a mixture of " + std::to_string(experts) +
                               " experts is not something this version can run",
                           keys.key("expert_count"));
    }

    const TensorInfo* embedding = file.tensors().find("token_embd.weight");
    if (embedding == nullptr) {
        return bad(file,
                   file.tensors().entries().empty()
                       ? "holds a vocabulary and no weights"
                       : "token_embd.weight: the file has no such tensor",
                   "token_embd.weight");
    }
    if (embedding->shape.size() != 2 || embedding->shape[0] == 0 ||
        embedding->shape[0] > static_cast<std::uint64_t>(kMostVocabulary)) {
        return bad(file, "token_embd.weight: is not a table of one row a token",
                   "token_embd.weight");
    }
    spec.n_vocab = static_cast<int>(embedding->shape[0]);
    const TensorInfo* output = file.tensors().find("output.weight");
    spec.tied_output = output == nullptr;
    spec.qkv_bias = row->biases || file.tensors().find("blk.0.attn_q.bias") != nullptr;
    spec.fused_qkv = file.tensors().find("blk.0.attn_qkv.weight") != nullptr;
    if (auto read = read_layout(file, *row, spec); !read) {
        return std::move(read).error();
    }
    return spec;
}

}  // namespace hearth
