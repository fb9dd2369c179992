#include "model/tensor_names.h"

#include "model/architectures/architectures.h"

namespace hearth {
namespace {

// A layer is a mixture where it has a router.
constexpr std::string_view kExperts = "ffn_gate_inp.weight";

// Beside the names of roles.cpp.
constexpr std::array kCommon{
    TensorName{"attn_qkv.weight", {Role::Q, Role::K, Role::V}},
    TensorName{"attn_qkv.bias", {Role::QBias, Role::KBias, Role::VBias}},
    TensorName{"ffn_gate_up.weight", {Role::Gate, Role::Up}},
    TensorName{"ffn_gate_up_exps.weight", {Role::Gate, Role::Up}},  // expert by expert
    TensorName{.name = "ffn_gate_exps.weight", .roles = {Role::Gate}, .where = kExperts},
    TensorName{.name = "ffn_up_exps.weight", .roles = {Role::Up}, .where = kExperts},
    TensorName{.name = "ffn_down_exps.weight", .roles = {Role::Down}, .where = kExperts},
    // PowerInfer's.
    TensorName{.name = "ffn_down_t.weight", .roles = {Role::Down}, .by_neuron = true},
    TensorName{"ffn_down_t.bias", {Role::DownBias}},
};

}  // namespace

TensorFinder::TensorFinder(const GgufFile& file) : file_(&file) {
    const auto arch = file.metadata().string("general.architecture");
    const Architecture* known = arch ? find_architecture(*arch) : nullptr;
    if (known != nullptr) {
        own_ = known->names;
    }
}

RoleTensor TensorFinder::find(Role role, int block) const {
    const std::string prefix =
        is_of_layer(role) ? "blk." + std::to_string(block) + "." : std::string();
    const auto tensor = [&](std::string_view name) {
        return file_->tensors().find(prefix + std::string(name));
    };
    const auto is_of_role = [&](const TensorName& row) { return row.roles.has(role); };
    TensorName usual{row_of(role).name, {role}};
    const bool renamed = std::any_of(own_.begin(), own_.end(), is_of_role);
    for (const TensorName& row : renamed ? own_ : std::span<const TensorName>(kCommon)) {
        if (!is_of_role(row)) {
            continue;
        }
        const bool counts = tensor(row.where.empty() ? row.name : row.where) != nullptr;
        if (counts || renamed) {
            usual = row;
        }
        if (counts) {
            break;
        }
    }
    return {prefix + std::string(usual.name), tensor(usual.name), usual.roles, usual.by_neuron,
            usual.by_key_head};
}

}  // namespace hearth
