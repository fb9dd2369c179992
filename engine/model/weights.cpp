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
    explicit Binder(const GgufFile& file) : file_(file) {}

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

    NeuronRows neurons(const std::string& name, const ModelSpec& spec) {
        const TensorInfo* tensor = required(name, {spec.n_ff, spec.n_embd});
        if (failure_) {
            return {};
        }
        return {tensor, tensor->type, spec.n_embd, 0, row_bytes(tensor->type, tensor->cols())};
    }

    void feed_forward(const std::string& prefix, const ModelSpec& spec, LayerTensors& layer) {
        if (is_gated(spec.activation)) {
            layer.ffn_gate = neurons(prefix + "ffn_gate.weight", spec);
        }
        layer.ffn_up = neurons(prefix + "ffn_up.weight", spec);
        if (file_.tensors().find(prefix + "ffn_down_t.weight") != nullptr) {
            layer.ffn_down_t = neurons(prefix + "ffn_down_t.weight", spec);
        } else {
            layer.ffn_down = required(prefix + "ffn_down.weight", {spec.n_embd, spec.n_ff});
        }
    }

    const std::optional<Error>& failure() const { return failure_; }

    // Every tensor of a layer must have been asked for, or be one that changes no result.
    void refuse_unknown() {
        for (const TensorInfo& tensor : file_.tensors().entries()) {
            // Predictors, profiles and what packing moved are read by who needs them.
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
    std::unordered_set<std::string> asked_;
    std::optional<Error> failure_;
};

// Types whose rows can be added one by one. A row of Q6_K or Q5_0 has a form of its own that no
// published file uses for the down projection.
bool by_neuron_type(DType type) {
    return is_computable(type) && type != DType::Q6_K && type != DType::Q5_0;
}

// All three matrices of a packed layer lie in one tensor, which the layout's reader has checked.
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
    Binder bind(file);
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
    model.output_norm = bind.required("output_norm.weight", {spec.n_embd});
    model.output = spec.tied_output ? model.token_embd
                                    : bind.required("output.weight", {spec.n_vocab, spec.n_embd});
    model.rope_freqs = bind.optional("rope_freqs.weight", {spec.rope_dim / 2});
    for (int i = 0; i < spec.n_layer && !bind.failure(); ++i) {
        const std::string prefix = "blk." + std::to_string(i) + ".";
        LayerTensors layer;
        layer.attn_norm = bind.required(prefix + "attn_norm.weight", {spec.n_embd});
        layer.attn_q = bind.required(prefix + "attn_q.weight", {spec.n_embd_q(), spec.n_embd});
        layer.attn_k = bind.required(prefix + "attn_k.weight", {spec.n_embd_kv(), spec.n_embd});
        layer.attn_v = bind.required(prefix + "attn_v.weight", {spec.n_embd_kv(), spec.n_embd});
        layer.attn_output =
            bind.required(prefix + "attn_output.weight", {spec.n_embd, spec.n_embd_q()});
        if (spec.qkv_bias) {
            layer.attn_q_bias = bind.required(prefix + "attn_q.bias", {spec.n_embd_q()});
            layer.attn_k_bias = bind.required(prefix + "attn_k.bias", {spec.n_embd_kv()});
            layer.attn_v_bias = bind.required(prefix + "attn_v.bias", {spec.n_embd_kv()});
        }
        layer.ffn_norm = bind.required(prefix + "ffn_norm.weight", {spec.n_embd});
        if (packed) {
            bind_packed(packed->layers[static_cast<std::size_t>(i)], *packed, spec, layer);
        } else {
            bind.feed_forward(prefix, spec, layer);
        }
        if (layer.ffn_down_t.present() && !by_neuron_type(layer.ffn_down_t.type)) {
            return Error{ErrorCode::Unsupported,
                         prefix + "ffn_down_t.weight: is of type " +
                             std::string(dtype_info(layer.ffn_down_t.type).name) +
                             ", which this version cannot compute with by neuron",
                         file.path(), prefix + "ffn_down_t.weight"};
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
