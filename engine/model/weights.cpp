#include "model/weights.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "gguf/encoding.h"
#include "gguf/printable.h"
#include "model/key_head_rows.h"
#include "model/packed_layout.h"
#include "model/tensor_names.h"

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

// Looks tensors up and remembers the first failure.
class Binder {
public:
    Binder(const GgufFile& file, const ModelSpec& spec) : file_(file), spec_(spec), finder_(file) {}

    Weight model_weight(const RoleRow& row) {
        if (row.role == Role::Output && spec_.tied_output) {
            return model_weight(row_of(Role::TokenEmbd));
        }
        return weight(row, spec_.layers.front());
    }

    // A layer's own tensor: not what stands in the records of a packed file.
    Weight layer_weight(const RoleRow& row, int index) { return weight(row, spec_.layer(index)); }

    // `packed`: null where the file is not.
    void layer(int index, const PackedLayer* packed, LayerTensors& out) {
        for (const RoleRow& row : layer_roles()) {
            if (failure_) {
                return;
            }
            if (row.part != Part::Predictor) {
                const bool in_records =
                    packed != nullptr && row.part == Part::Neurons && !row.is_vector();
                out[row.role] = in_records ? packed->rows[row.role] : layer_weight(row, index);
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
            if (tensor.name.starts_with("blk.") && !beside && !asked_.contains(tensor.name) &&
                !is_left_out(tensor.name)) {
                fail(ErrorCode::Unsupported, tensor.name,
                     printable(tensor.name) +
                         ": is a tensor this version does not know what to do with");
            }
        }
    }

private:
    // True for a block behind the last one that is computed.
    bool is_left_out(std::string_view name) const {
        for (int i = 0; i < spec_.n_left_out; ++i) {
            if (name.starts_with("blk." + std::to_string(spec_.n_blocks + i) + ".")) {
                return true;
            }
        }
        return false;
    }

    Weight weight(const RoleRow& row, const LayerSpec& layer) {
        const Need need = row.need(spec_, layer);
        if (need == Need::Absent) {
            return {};
        }
        const RoleTensor found = finder_.find(row.role, block_of(row.role, layer));
        if (need == Need::Unused) {
            asked_.insert(found.name);
            return {};
        }
        return need == Need::Optional && found.tensor == nullptr ? Weight{}
                                                                 : bound(row, layer, found);
    }

    // Rows of a matrix, values of a vector.
    std::uint64_t length(const RoleRow& row, const LayerSpec& layer) const {
        return size_of(row.is_vector() ? row.cols : row.rows, spec_, layer);
    }

    // A matrix an expert, all in one tensor.
    Weight bound_experts(const RoleRow& row, const LayerSpec& layer, const RoleTensor& found) {
        const auto n_experts = static_cast<std::uint64_t>(layer.experts.n);
        const auto n_ff = static_cast<std::uint64_t>(layer.experts.n_ff);
        const int width = layer.experts.n_latent > 0 ? layer.experts.n_latent : spec_.n_embd;
        const auto n_embd = static_cast<std::uint64_t>(width);
        const bool down = row.role == Role::Down;
        const RoleTensor router = finder_.find(Role::Router, block_of(Role::Router, layer));
        if (router.tensor == nullptr) {  // it decides what its experts are called
            check(router, {});
            return {};
        }
        const auto n_roles = static_cast<std::uint64_t>(found.roles.all().size());
        const std::uint64_t rows = n_roles * (down ? n_embd : n_ff);
        if (down && n_ff != n_embd && found.tensor != nullptr &&
            found.tensor->shape == std::vector{n_experts, n_ff, n_embd}) {
            fail(ErrorCode::Unsupported, found.name,
                 found.name +
                     ": stores experts by neuron, as files made for PowerInfer do; a file "
                     "of the same model made for llama.cpp can be run");
            return {};
        }
        if (!check(found, {n_experts, rows, down ? n_ff : n_embd})) {
            return {};
        }
        Weight weight = whole(*found.tensor);
        weight.n_experts = n_experts;
        if (found.roles.fused()) {  // each expert's gates, then its ups
            weight.rows = n_experts * n_ff;
            weight.offset = found.roles.all().front() == row.role ? 0 : n_ff * weight.stride;
            weight.expert_step = rows;
        }
        return weight;
    }

    // A matrix a head, one behind the other. Or each head has its rows of both roles together, and
    // those of keys are the columns of the matrix.
    Weight bound_heads(const RoleRow& row, const LayerSpec& layer, const RoleTensor& found) {
        const auto n_head = static_cast<std::uint64_t>(layer.attention.n_head);
        const auto rank = static_cast<std::uint64_t>(layer.latent.rank);
        const auto plain = static_cast<std::uint64_t>(layer.latent.plain_dim);
        const auto values = static_cast<std::uint64_t>(layer.latent.value_dim);
        const bool keys = row.role == Role::KeyUp;
        if (!found.roles.fused()) {
            const std::vector<std::uint64_t> shape =
                keys ? std::vector{n_head, rank, plain} : std::vector{n_head, values, rank};
            return check(found, shape) ? whole(*found.tensor) : Weight{};
        }
        if (!check(found, {n_head * (plain + values), rank})) {
            return {};
        }
        Weight weight = whole(*found.tensor);
        weight.rows = n_head * (keys ? plain : values);
        weight.offset = keys ? 0 : plain * weight.stride;
        weight.n_parts = n_head;
        weight.part_stride = (plain + values) * weight.stride;
        weight.turned = keys;
        return weight;
    }

    Weight bound(const RoleRow& row, const LayerSpec& layer, const RoleTensor& found) {
        if (row.role == Role::KeyUp || row.role == Role::ValueUp) {
            return bound_heads(row, layer, found);
        }
        if (layer.is_mixture() && row.part == Part::Neurons) {
            return bound_experts(row, layer, found);
        }
        if (found.by_key_head && !layer.is_delta_net()) {
            fail(ErrorCode::BadFile, found.name,
                 found.name + ": is a delta net's, and its block is attention");
            return {};
        }
        std::uint64_t all = 0;
        std::uint64_t before = 0;  // of other roles, in front of the row's own
        for (const Role role : found.roles.all()) {
            before = role == row.role ? all : before;
            all += length(row_of(role), layer);
        }
        std::vector<std::uint64_t> shape{all};
        if (row.cols == Dim::ConvTaps) {  // a file has a row a channel
            const auto kernel = static_cast<std::uint64_t>(layer.conv_kernel());
            shape = {all / kernel, kernel};
        } else if (row.cols == Dim::NgramTaps) {
            const auto kernel = static_cast<std::uint64_t>(layer.ngram.kernel);
            shape = {all / kernel, kernel};
        } else if (row.is_vector() && row.cols == Dim::Residual && found.tensor != nullptr &&
                   found.tensor->shape.size() == 2) {  // a row a stream, or all in one
            shape = {static_cast<std::uint64_t>(spec_.n_streams),
                     static_cast<std::uint64_t>(spec_.n_embd)};
        } else if (layer.is_state_space() &&
                   (row.role == Role::DeltaA || row.role == Role::StateSkip)) {
            shape = {all, 1};
        } else if (layer.is_state_space() && row.role == Role::DeltaNorm) {  // a row a group
            const auto groups = static_cast<std::uint64_t>(layer.state_space.n_groups);
            shape = {groups, all / groups};
        } else if (row.role == Role::ExpertGateBias || row.role == Role::ExpertUpBias ||
                   row.role == Role::ExpertDownBias) {  // a row an expert
            const auto experts = static_cast<std::uint64_t>(layer.experts.n);
            shape = {experts, all / experts};
        } else if (!row.is_vector()) {
            const std::uint64_t cols = size_of(row.cols, spec_, layer);
            shape = found.by_neuron ? std::vector{cols, all} : std::vector{all, cols};
        }
        if (!check(found, shape)) {
            return {};
        }
        Weight weight = whole(*found.tensor);
        if (row.is_vector()) {  // whatever rows the file cuts it into
            weight.rows = 1;
            weight.cols = all;
            weight.stride = weight.tensor->bytes;
        }
        weight.by_neuron = found.by_neuron;
        if (found.by_key_head) {
            take_runs(weight, key_head_runs(found.roles, row.role, layer.delta_net),
                      length(row, layer));
        } else if (found.roles.fused()) {
            slice(weight, row, before, length(row, layer));
        }
        return weight;
    }

    static void take_runs(Weight& weight, KeyHeadRuns runs, std::uint64_t count) {
        HEARTH_ASSERT(runs.order.size() * runs.rows == count);
        weight.rows = count;
        weight.offset = runs.first * weight.stride;
        weight.run = runs.rows;
        weight.runs = std::make_shared<const std::vector<int>>(std::move(runs.order));
    }

    // The part of a fused tensor that begins at a row, or at a value of a vector.
    void slice(Weight& weight, const RoleRow& row, std::uint64_t first, std::uint64_t count) {
        if (!row.is_vector()) {
            weight.rows = count;
            weight.offset = first * weight.stride;
            return;
        }
        const std::uint64_t block = dtype_info(weight.type).block_values;
        if (first % block != 0 || count % block != 0) {
            const std::string& name = weight.tensor->name;
            fail(ErrorCode::Unsupported, name,
                 name + ": values " + std::to_string(first) + " to " +
                     std::to_string(first + count) + " are no whole blocks of " +
                     std::string(dtype_info(weight.type).name));
            return;
        }
        weight.cols = count;
        weight.stride = weight.row_size();
        weight.offset = row_bytes(weight.type, first);
    }

    bool check(const RoleTensor& found, const std::vector<std::uint64_t>& wanted) {
        const std::string& name = found.name;
        if (found.tensor == nullptr) {
            fail(ErrorCode::BadFile, name, name + ": the file has no such tensor");
            return false;
        }
        asked_.insert(name);
        if (found.tensor->shape != wanted) {
            fail(ErrorCode::BadFile, name,
                 name + ": has shape " + shape_text(found.tensor->shape) + ", must have " +
                     shape_text(wanted));
            return false;
        }
        if (!is_computable(found.tensor->type)) {
            fail(ErrorCode::Unsupported, name,
                 name + ": is of type " + std::string(dtype_info(found.tensor->type).name) +
                     ", which this version cannot compute with");
            return false;
        }
        if (found.by_neuron && !encoding_of(found.tensor->type).has(Layout::NeuronRow)) {
            fail(ErrorCode::Unsupported, name,
                 name + ": is of type " + std::string(dtype_info(found.tensor->type).name) +
                     ", whose rows cannot be computed neuron by neuron");
            return false;
        }
        return true;
    }

    void fail(ErrorCode code, const std::string& field, std::string message) {
        if (!failure_) {
            failure_ = Error{code, std::move(message), file_.path(), field};
        }
    }

    const GgufFile& file_;
    const ModelSpec& spec_;
    const TensorFinder finder_;
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

Result<std::vector<LayerTensors>> bind_neurons(const GgufFile& file, const ModelSpec& spec) {
    Binder bind(file, spec);
    std::vector<LayerTensors> layers(spec.layers.size());
    for (int i = 0; i < spec.n_layer(); ++i) {
        for (const Role role : kRecordRoles) {
            layers[static_cast<std::size_t>(i)][role] = bind.layer_weight(row_of(role), i);
        }
    }
    if (bind.failure()) {
        return *bind.failure();
    }
    return layers;
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
