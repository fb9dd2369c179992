// several_neurons.comp: the hidden values of a few tokens, of which closed gates leave out.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "engine/vulkan/shader_checks.h"
#include "interfaces/several_neurons.h"
#include "model/model_spec.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace params = vulkan::params;
using vulkan::GpuMatrix;
using vulkan::InputForm;

constexpr float kGateThreshold = 0.25F;

struct SeveralCase {
    DType type = DType::F32;
    InputForm form = InputForm::Floats;
    TeamForm team = {};
    Activation activation = Activation::DRelu;
    std::uint32_t n_tokens = 3;
    std::uint32_t at_once = 4;
    std::uint64_t n_neurons = 70;
    std::uint32_t first = 0;  // of a token's hidden values
    bool gates_apart = false;
    bool in_slices = false;
};

std::string name_of(const SeveralCase& one) {
    return "shader/several_neurons " + std::string(dtype_info(one.type).name) +
           (one.form == InputForm::Bytes ? " bytes" : "") + " " +
           std::string(to_string(one.activation)) + " of " + std::to_string(one.n_tokens) +
           " tokens, " + std::to_string(one.at_once) + " at once" +
           (one.gates_apart ? ", gates apart" : "") + (one.in_slices ? ", in slices" : "") +
           one.team.name;
}

double threshold_of(Activation activation) {
    return activation == Activation::ReluGated ? static_cast<double>(kGateThreshold) : 0.0;
}

Sum hidden_of(Activation activation, const Sum& gate, const Sum& up) {
    if (gate.value <= threshold_of(activation)) {
        return {};
    }
    const double u = activation == Activation::DRelu ? std::max(up.value, 0.0) : up.value;
    return {gate.value * u, gate.size * std::fabs(up.value) + std::fabs(gate.value) * up.size};
}

// An up that no token wants is no number: its hidden values are 0 all the same.
CheckOutcome check_several(const ShaderDevice& on, const SeveralCase& one) {
    constexpr std::uint64_t kGroup = 32;
    const std::uint64_t per_neuron = one.gates_apart ? 1 : 2;
    const std::uint64_t block = dtype_info(one.type).block_values;
    const std::uint64_t cols = block > 32 ? 3 * block : 160;
    const std::uint64_t unit = per_neuron * kGroup;
    ShaderRig rig(on);
    RigMatrix w(
        rig, one.type, per_neuron * one.n_neurons, cols, 1, unit,
        one.in_slices ? vulkan::MatrixLayout(one.type, unit, cols).bytes : ~std::uint64_t{0});
    const RigInput x(rig, one.form == InputForm::Bytes, one.n_tokens, cols, cols, 2);
    const auto stride = static_cast<std::size_t>(one.first + one.n_neurons + 3);
    const std::vector<float> before = normal_floats(stride * one.n_tokens, 5);
    const RigBuffer& h = rig.buffer_of(before);
    const auto place = [&](std::size_t t, std::uint64_t i) {
        return t * stride + one.first + static_cast<std::size_t>(i);
    };
    const auto product = [&](std::uint64_t row, std::size_t t) {
        Sum sum;
        for (std::uint64_t c = 0; c < cols; ++c) {
            sum.add(w.at(row, c) * x.at(t, c));
        }
        return sum;
    };
    const double threshold = threshold_of(one.activation);
    std::vector<Sum> gates(one.n_neurons * one.n_tokens);
    std::vector<Sum> ups(gates.size());
    std::size_t n_spoilt = 0;
    for (std::uint64_t i = 0; i < one.n_neurons; ++i) {
        bool closed = true;
        for (std::size_t t = 0; t < one.n_tokens; ++t) {
            Sum& gate = gates[t * one.n_neurons + i];
            if (one.gates_apart) {
                gate.add(static_cast<double>(before[place(t, i)]));
            } else {
                gate = product(2 * i, t);
            }
            closed = closed && gate.value < threshold - 1e-3 * gate.size;
            ups[t * one.n_neurons + i] = product(per_neuron * i + per_neuron - 1, t);
        }
        if (closed) {
            w.spoil_row(per_neuron * i + per_neuron - 1);
            ++n_spoilt;
        }
    }
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        params::SeveralNeuronsParams p{};
        p.matrix = slice.layout.params();
        p.first = one.first + static_cast<std::uint32_t>(slice.first_row / per_neuron);
        p.n_neurons = static_cast<std::uint32_t>(slice.layout.rows / per_neuron);
        p.activation = static_cast<std::uint32_t>(one.activation);
        p.gate_threshold = kGateThreshold;
        p.n_tokens = one.n_tokens;
        p.h_stride = static_cast<std::uint32_t>(stride);
        rig.dispatch(
            vulkan::several_neurons_shader(one.type, one.form),
            {.WORKGROUP = std::min(256U, 16 * one.team.size),
             .TEAM = one.team.size,
             .SUBGROUPS = one.team.subgroups,
             .GATES = one.gates_apart ? GATES_APART : GATES_BESIDE,
             .BLOCKS = static_cast<std::uint32_t>(cols / vulkan::kBlockColumns),
             .TOKENS = one.at_once},
            {.quads = slice.view, .words = slice.view, .x = x.values, .xd = x.scales, .h = h.view},
            p, {groups_for(p.n_neurons, kGroup), groups_for(one.n_tokens, one.at_once), 1},
            one.team.required_size);
    }
    rig.run();
    Measure measure(5e-6);
    measure.require(one.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    measure.require(n_spoilt > 0 || one.n_tokens > 4, "every neuron is wanted");
    const auto got = h.as<float>();
    for (std::size_t t = 0; t < one.n_tokens; ++t) {
        for (std::size_t k = 0; k < stride; ++k) {
            const std::size_t at = t * stride + k;
            if (k < one.first || k >= one.first + one.n_neurons) {
                measure.require(got[at] == before[at], "wrote beside its neurons");
                continue;
            }
            const std::size_t of = t * one.n_neurons + (k - one.first);
            const Sum& gate = gates[of];
            if (std::fabs(gate.value - threshold) > 1e-5 * gate.size) {
                measure.add(static_cast<double>(got[at]), hidden_of(one.activation, gate, ups[of]));
            }
        }
    }
    return measure.outcome();
}

}  // namespace

void add_several_neurons_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    const bool integer_dot = on.device->features().integer_dot;
    for (const DType type : matrix_types()) {
        for (const InputForm form : {InputForm::Floats, InputForm::Bytes}) {
            if (form == InputForm::Bytes && !(vulkan::is_quantized(type) && integer_dot)) {
                continue;
            }
            for (const TeamForm& team : team_forms(on)) {
                const auto add = [&](SeveralCase one) {
                    one.type = type;
                    one.form = form;
                    one.team = team;
                    checks.push_back(
                        checked(name_of(one), [on, one] { return check_several(on, one); }));
                };
                add({.n_tokens = 2, .first = 5});
                if (type != DType::F32 && type != DType::Q4_0 && type != DType::Q4_K) {
                    continue;
                }
                add({.activation = Activation::ReluGated, .n_tokens = 4, .in_slices = true});
                add({.n_tokens = 5, .at_once = 8});
                add({.n_tokens = 6, .at_once = 4});
                add({.activation = Activation::ReluGated,
                     .n_tokens = 3,
                     .first = 7,
                     .gates_apart = true});
            }
        }
    }
}

}  // namespace hearth::test
