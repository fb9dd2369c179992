#include "model/weights.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/assert.h"
#include "gguf/printable.h"
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

// Others read predictors, profiles and the tensors that packing made.
constexpr std::array<std::string_view, 5> kBeside{
    ".fc1.weight", ".fc2.weight", ".ffn_neurons.weight", ".ffn_permutation", ".ffn_fired"};

// What else a role's tensor is called.
struct OtherName {
    Role role;
    std::string_view name;
    bool (*counts)(const LayerSpec& spec);
};
constexpr auto kParallel = [](const LayerSpec& spec) { return is_parallel(spec.norms); };
constexpr auto kTwo = [](const LayerSpec& spec) { return spec.norms == Norms::ParallelTwo; };
// Of two norms of a parallel layer, attention's is the second in the file.
constexpr std::array kOtherNames{
    OtherName{Role::AttnNorm, "attn_norm_2.weight", kTwo},
    OtherName{Role::AttnNormBias, "attn_norm_2.bias", kTwo},
    OtherName{Role::FfnNorm, "attn_norm.weight", kParallel},
    OtherName{Role::FfnNormBias, "attn_norm.bias", kParallel},
};
constexpr std::string_view kFused = "attn_qkv.weight";  // the rows of q, then k, then v
constexpr std::string_view kByNeuron = "ffn_down_t";    // down, its rows being neurons

// Looks tensors up and remembers the first failure.
class Binder {
public:
    Binder(const GgufFile& file, const ModelSpec& spec) : file_(file), spec_(spec) {}

    Weight model_weight(const RoleRow& row) {
        if (row.role == Role::Output && spec_.tied_output) {
            return model_weight(row_of(Role::TokenEmbd));
        }
        return weight(row, spec_.layers.front(), "", row.name);
    }

    // `packed`: null where the file is not.
    void layer(int index, const PackedLayer* packed, LayerTensors& out) {
        const LayerSpec& spec = spec_.layer(index);
        const std::string prefix = "blk." + std::to_string(index) + ".";
        for (const RoleRow& row : layer_roles()) {
            if (failure_) {
                return;
            }
            if (row.part != Part::Predictor) {
                const bool in_records =
                    packed != nullptr && row.part == Part::Neurons && !row.is_vector();
                out[row.role] =
                    in_records ? packed->rows[row.role] : layer_weight(row, spec, prefix);
            }
        }
        if (packed != nullptr && packed->gates != nullptr) {
            asked_.insert(packed->gates->name);
            out.gate_matrix = whole(*packed->gates);
        }
    }

    const std::optional<Error>& failure() const { return failure_; }

    // Refuses a tensor of a layer that was not asked for, unless it changes no result.
    void refuse_unknown() {
        for (const TensorInfo& tensor : file_.tensors().entries()) {
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
    bool has(const std::string& name) const { return file_.tensors().find(name) != nullptr; }

    std::vector<std::uint64_t> shape_of(const RoleRow& row, const LayerSpec& layer) const {
        const std::uint64_t cols = size_of(row.cols, spec_, layer);
        return row.is_vector() ? std::vector{cols}
                               : std::vector{size_of(row.rows, spec_, layer), cols};
    }

    Weight weight(const RoleRow& row, const LayerSpec& layer, const std::string& prefix,
                  std::string_view name) {
        const Need need = row.need(spec_, layer);
        const std::string full = prefix + std::string(name);
        if (need == Need::Absent || (need == Need::Optional && !has(full))) {
            return {};
        }
        return of_shape(full, shape_of(row, layer));
    }

    Weight layer_weight(const RoleRow& row, const LayerSpec& spec, const std::string& prefix) {
        const Role role = row.role;
        if ((role == Role::Q || role == Role::K || role == Role::V) &&
            has(prefix + std::string(kFused))) {
            return fused(row, spec, prefix);
        }
        std::string_view name = row.name;
        for (const OtherName& other : kOtherNames) {
            if (other.role == role && other.counts(spec)) {
                name = other.name;
            }
        }
        const std::string by_neuron = prefix + std::string(kByNeuron);
        if (role == Role::DownBias && has(by_neuron + ".bias")) {
            return weight(row, spec, by_neuron, ".bias");
        }
        if (role != Role::Down || !has(by_neuron + ".weight")) {
            return weight(row, spec, prefix, name);
        }
        std::vector<std::uint64_t> shape = shape_of(row, spec);
        std::swap(shape.front(), shape.back());
        Weight down = of_shape(by_neuron + ".weight", shape);
        down.by_neuron = true;
        return down;
    }

    // Rows of a matrix that holds those of q, then k, then v.
    Weight fused(const RoleRow& row, const LayerSpec& spec, const std::string& prefix) {
        const std::uint64_t n_q = size_of(Dim::Query, spec_, spec);
        const std::uint64_t n_kv = size_of(Dim::KeyValue, spec_, spec);
        Weight part = of_shape(prefix + std::string(kFused),
                               {n_q + 2 * n_kv, size_of(Dim::Embd, spec_, spec)});
        if (part.present()) {
            part.rows = row.role == Role::Q ? n_q : n_kv;
            part.offset = part.stride * (row.role == Role::Q   ? 0
                                         : row.role == Role::K ? n_q
                                                               : n_q + n_kv);
        }
        return part;
    }

    Weight of_shape(const std::string& name, const std::vector<std::uint64_t>& wanted) {
        const TensorInfo* tensor = file_.tensors().find(name);
        if (tensor == nullptr) {
            fail(ErrorCode::BadFile, name, name + ": the file has no such tensor");
            return {};
        }
        asked_.insert(name);
        if (tensor->shape != wanted) {
            fail(ErrorCode::BadFile, name,
                 name + ": has shape " + shape_text(tensor->shape) + ", must have " +
                     shape_text(wanted));
            return {};
        }
        if (!is_computable(tensor->type)) {
            fail(ErrorCode::Unsupported, name,
                 name + ": is of type " + std::string(dtype_info(tensor->type).name) +
                     ", which this version cannot compute with");
            return {};
        }
        return whole(*tensor);
    }

    void fail(ErrorCode code, const std::string& field, std::string message) {
        if (!failure_) {
            failure_ = Error{code, std::move(message), file_.path(), field};
        }
    }

    const GgufFile& file_;
    const ModelSpec& spec_;
    std::unordered_set<std::string> asked_;
    std::optional<Error> failure_;
};

}  // namespace

Weight whole(const TensorInfo& tensor) {
    return {.tensor = &tensor,
            .type = tensor.type,
            .rows = tensor.rows(),
            .cols = tensor.cols(),
            .stride = row_bytes(tensor.type, tensor.cols())};
}

Result<ModelTensors> bind_tensors(const GgufFile& file, const ModelSpec& spec) {
    Binder bind(file, spec);
    ModelTensors model;
    std::optional<PackedLayout> packed;
    if (is_packed(file)) {
        auto layout = read_packed_layout(file, spec);
        if (!layout) {
            return std::move(layout).error();
        }
        packed = std::move(*layout);
    }
    for (const RoleRow& row : model_roles()) {
        model[row.role] = bind.model_weight(row);
    }
    for (int i = 0; i < spec.n_layer() && !bind.failure(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        bind.layer(i, packed ? &packed->layers[at] : nullptr, model.layers.emplace_back());
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
        const LayerPredictor& from = predictors.layers[i];
        LayerTensors& layer = tensors.layers[i];
        layer[Role::PredictorFc1] = from.present() ? whole(*from.fc1) : Weight{};
        layer[Role::PredictorFc2] = from.present() ? whole(*from.fc2) : Weight{};
        layer.predictor_threshold = from.threshold;
    }
}

int ModelTensors::predictor_width() const {
    std::uint64_t width = 0;
    for (const LayerTensors& layer : layers) {
        width = std::max(width, layer[Role::PredictorFc1].rows);
    }
    return static_cast<int>(width);
}

}  // namespace hearth
