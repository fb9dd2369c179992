#include "model/weights.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/assert.h"
#include "gguf/printable.h"
#include "gguf/rows.h"
#include "model/packed_layout.h"

namespace hearth {
namespace {

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + "]";
}

constexpr std::array<std::string_view, 5> kBeside{
    ".fc1.weight", ".fc2.weight", ".ffn_neurons.weight", ".ffn_permutation", ".ffn_fired"};

// Looks tensors up and remembers the first failure.
class Binder {
public:
    Binder(const GgufFile& file, int n_embd) : file_(file), n_embd_(n_embd) {}

    const TensorInfo* required(const std::string& name, std::initializer_list<int> shape) {
        const TensorInfo* tensor = file_.tensors().find(name);
        if (tensor == nullptr) {
            fail(ErrorCode::BadFile, name, name + ": the file has no such tensor");
            return nullptr;
        }
        check(*tensor, shape);
        return tensor;
    }

    const TensorInfo* optional(const std::string& name, std::initializer_list<int> shape) {
        const TensorInfo* tensor = file_.tensors().find(name);
        if (tensor != nullptr) {
            check(*tensor, shape);
        }
        return tensor;
    }

    NeuronRows neurons(const std::string& name, int n_ff) {
        const TensorInfo* tensor = required(name, {n_ff, n_embd_});
        if (failure_) {
            return {};
        }
        return {tensor, tensor->type, n_embd_, 0, row_bytes(tensor->type, tensor->cols())};
    }

    // Binds a norm's weight and, for LayerNorm, its bias.
    void norm(const std::string& name, NormKind kind, const TensorInfo*& weight,
              const TensorInfo*& bias) {
        weight = required(name + ".weight", {n_embd_});
        bias = kind == NormKind::Layer ? required(name + ".bias", {n_embd_}) : nullptr;
    }

    const TensorInfo* block_bias(const std::string& name, const LayerSpec& spec, int size) {
        return spec.block_biases ? required(name, {size}) : optional(name, {size});
    }

    // Of two norms of a parallel layer, attention's is the second in the file.
    void norms(const std::string& prefix, const LayerSpec& spec, LayerTensors& layer) {
        const NormKind kind = spec.norm.kind;
        norm(prefix + "attn_norm", kind, layer.attn_norm, layer.attn_norm_bias);
        if (!is_parallel(spec.norms)) {
            norm(prefix + "ffn_norm", kind, layer.ffn_norm, layer.ffn_norm_bias);
            return;
        }
        layer.ffn_norm = layer.attn_norm;
        layer.ffn_norm_bias = layer.attn_norm_bias;
        if (spec.norms == Norms::ParallelTwo) {
            norm(prefix + "attn_norm_2", kind, layer.attn_norm, layer.attn_norm_bias);
        }
    }

    void attention(const std::string& prefix, const LayerSpec& spec, LayerTensors& layer,
                   std::vector<std::shared_ptr<const TensorInfo>>& parts) {
        if (file_.tensors().find(prefix + "attn_qkv.weight") != nullptr) {
            const TensorInfo* fused = required(prefix + "attn_qkv.weight",
                                               {spec.n_embd_q() + 2 * spec.n_embd_kv(), n_embd_});
            if (failure_) {
                return;
            }
            std::uint64_t first_row = 0;
            for (const auto& [part, rows] : {std::pair{&layer.attn_q, spec.n_embd_q()},
                                             {&layer.attn_k, spec.n_embd_kv()},
                                             {&layer.attn_v, spec.n_embd_kv()}}) {
                const auto n_rows = static_cast<std::uint64_t>(rows);
                const std::uint64_t row_size = row_bytes(fused->type, fused->cols());
                parts.push_back(std::make_shared<const TensorInfo>(
                    TensorInfo{fused->name,
                               {n_rows, fused->cols()},
                               fused->type,
                               fused->offset + first_row * row_size,
                               n_rows * row_size}));
                *part = parts.back().get();
                first_row += n_rows;
            }
        } else {
            layer.attn_q = required(prefix + "attn_q.weight", {spec.n_embd_q(), n_embd_});
            layer.attn_k = required(prefix + "attn_k.weight", {spec.n_embd_kv(), n_embd_});
            layer.attn_v = required(prefix + "attn_v.weight", {spec.n_embd_kv(), n_embd_});
        }
        if (spec.qkv_bias) {
            layer.attn_q_bias = required(prefix + "attn_q.bias", {spec.n_embd_q()});
            layer.attn_k_bias = required(prefix + "attn_k.bias", {spec.n_embd_kv()});
            layer.attn_v_bias = required(prefix + "attn_v.bias", {spec.n_embd_kv()});
        }
        layer.attn_output = required(prefix + "attn_output.weight", {n_embd_, spec.n_embd_q()});
        layer.attn_output_bias = block_bias(prefix + "attn_output.bias", spec, n_embd_);
    }

    void feed_forward_biases(const std::string& prefix, const LayerSpec& spec,
                             LayerTensors& layer) {
        if (is_gated(spec.activation)) {
            return;  // no known model has them; refuse_unknown() refuses them
        }
        layer.ffn_up_bias = block_bias(prefix + "ffn_up.bias", spec, spec.n_ff);
        const bool by_neuron = file_.tensors().find(prefix + "ffn_down_t.bias") != nullptr;
        layer.ffn_down_bias =
            block_bias(prefix + (by_neuron ? "ffn_down_t.bias" : "ffn_down.bias"), spec, n_embd_);
    }

    void feed_forward(const std::string& prefix, const LayerSpec& spec, LayerTensors& layer) {
        if (is_gated(spec.activation)) {
            layer.ffn_gate = neurons(prefix + "ffn_gate.weight", spec.n_ff);
        }
        layer.ffn_up = neurons(prefix + "ffn_up.weight", spec.n_ff);
        if (file_.tensors().find(prefix + "ffn_down_t.weight") != nullptr) {
            layer.ffn_down_t = neurons(prefix + "ffn_down_t.weight", spec.n_ff);
        } else {
            layer.ffn_down = required(prefix + "ffn_down.weight", {n_embd_, spec.n_ff});
        }
    }

    const std::optional<Error>& failure() const { return failure_; }

    // Refuses a tensor of a layer that was not asked for, unless it changes no result.
    void refuse_unknown() {
        for (const TensorInfo& tensor : file_.tensors().entries()) {
            // Others read predictors, profiles and the tensors that packing made.
            const bool beside =
                std::any_of(kBeside.begin(), kBeside.end(),
                            [&](std::string_view ending) { return tensor.name.ends_with(ending); });
            if (tensor.name.starts_with("blk.") && !beside && !asked_.contains(tensor.name)) {
                fail(ErrorCode::Unsupported, tensor.name,
                     printable(tensor.name) +
                         ": is a tensor this version does not know what to do with");
            }
        }
    }

private:
    void check(const TensorInfo& tensor, std::initializer_list<int> shape) {
        asked_.insert(tensor.name);
        std::vector<std::uint64_t> wanted;
        for (const int size : shape) {
            wanted.push_back(static_cast<std::uint64_t>(size));
        }
        if (tensor.shape != wanted) {
            fail(ErrorCode::BadFile, tensor.name,
                 tensor.name + ": has shape " + shape_text(tensor.shape) + ", must have " +
                     shape_text(wanted));
        } else if (!is_computable(tensor.type)) {
            fail(ErrorCode::Unsupported, tensor.name,
                 tensor.name + ": is of type " + std::string(dtype_info(tensor.type).name) +
                     ", which this version cannot compute with");
        }
    }

    void fail(ErrorCode code, const std::string& field, std::string message) {
        if (!failure_) {
            failure_ = Error{code, std::move(message), file_.path(), field};
        }
    }

    const GgufFile& file_;
    const int n_embd_;
    std::unordered_set<std::string> asked_;
    std::optional<Error> failure_;
};

// Binds a packed layer. All its matrices lie in one tensor, which read_packed_layout() has checked.
void bind_packed(const PackedLayer& packed, const PackedLayout& layout, const ModelSpec& spec,
                 LayerTensors& layer) {
    const auto rows = [&](DType type, std::uint64_t offset) {
        return NeuronRows{packed.neurons, type, spec.n_embd, offset, layout.neuron_bytes};
    };
    if (layout.gated) {
        layer.ffn_gate = rows(packed.gate_type, 0);
    }
    layer.ffn_up = rows(packed.up_type, packed.up_offset);
    layer.ffn_down_t = rows(packed.down_type, packed.down_offset);
}

}  // namespace

Result<ModelTensors> bind_tensors(const GgufFile& file, const ModelSpec& spec) {
    Binder bind(file, spec.n_embd);
    ModelTensors model;
    std::optional<PackedLayout> packed;
    if (is_packed(file)) {
        auto layout = read_packed_layout(file, spec);
        if (!layout) {
            return std::move(layout).error();
        }
        packed = std::move(*layout);
    }
    model.token_embd = bind.required("token_embd.weight", {spec.n_vocab, spec.n_embd});
    if (spec.n_positions > 0) {
        model.position_embd =
            bind.required("position_embd.weight", {spec.n_positions, spec.n_embd});
    }
    bind.norm("output_norm", spec.output_norm.kind, model.output_norm, model.output_norm_bias);
    model.output = spec.tied_output ? model.token_embd
                                    : bind.required("output.weight", {spec.n_vocab, spec.n_embd});
    model.rope_freqs = bind.optional("rope_freqs.weight", {spec.layers.front().rope.dim / 2});
    for (int i = 0; i < spec.n_layer() && !bind.failure(); ++i) {
        const std::string prefix = "blk." + std::to_string(i) + ".";
        LayerTensors layer;
        bind.norms(prefix, spec.layer(i), layer);
        bind.attention(prefix, spec.layer(i), layer, model.parts);
        bind.feed_forward_biases(prefix, spec.layer(i), layer);
        if (packed) {
            bind_packed(packed->layers[static_cast<std::size_t>(i)], *packed, spec, layer);
        } else {
            bind.feed_forward(prefix, spec.layer(i), layer);
        }
        model.layers.push_back(layer);
    }
    bind.refuse_unknown();
    if (bind.failure()) {
        return *bind.failure();
    }
    return model;
}

void use_predictors(const GgufFile& file, const PredictorTensors& predictors,
                    ModelTensors& tensors) {
    HEARTH_ASSERT(predictors.layers.size() == tensors.layers.size());
    tensors.predictor_file = &file;
    tensors.predictor_input = predictors.input;
    tensors.predictor_linear = predictors.linear;
    for (std::size_t i = 0; i < tensors.layers.size(); ++i) {
        tensors.layers[i].predictor = predictors.layers[i];
    }
}

int ModelTensors::predictor_width() const {
    int width = 0;
    for (const LayerTensors& layer : layers) {
        width = std::max(width, layer.predictor.width());
    }
    return width;
}

}  // namespace hearth
