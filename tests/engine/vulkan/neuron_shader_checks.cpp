// neurons.comp, down_rows.comp, reduce.comp and activate.comp: the feed-forward block.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "engine/vulkan/shader_checks.h"
#include "gguf/encoding.h"
#include "interfaces/activate.h"
#include "interfaces/down_rows.h"
#include "interfaces/neurons.h"
#include "interfaces/reduce.h"
#include "model/model_spec.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace interfaces = vulkan::interfaces;
namespace params = vulkan::params;
using vulkan::GpuMatrix;
using vulkan::InputForm;

constexpr float kGateThreshold = 0.25F;
constexpr float kMaskThreshold = 0.5F;

double silu(double x) {
    return x / (1 + std::exp(-x));
}

double gelu(double x) {
    const double inner = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
    return 0.5 * x * (1 + std::tanh(inner));
}

// f(gate, up), and what its error scales with where those of gate and up do with their sizes.
Sum hidden_of(Activation activation, const Sum& gate, const Sum& up) {
    const double g = std::max(gate.value, 0.0);
    const double u = std::max(up.value, 0.0);
    const double product_size = gate.size * std::fabs(up.value) + std::fabs(gate.value) * up.size;
    switch (activation) {
        case Activation::SiluGated:
            return {silu(gate.value) * up.value, product_size};
        case Activation::ReluGated:
            return {gate.value > static_cast<double>(kGateThreshold) ? gate.value * up.value : 0,
                    product_size};
        case Activation::DRelu:
            return {g * u, product_size};
        case Activation::Relu:
            return {u, up.size};
        case Activation::ReluSquared:
            return {u * u, 2 * u * up.size};
        case Activation::Gelu:
            return {gelu(up.value), up.size};
        case Activation::GeluGated:
            return {gelu(gate.value) * up.value, product_size};
        case Activation::SiluClamped: {
            const double x = std::min(gate.value, 7.0);
            const double y = std::clamp(up.value, -7.0, 7.0) + 1;
            return {x / (1 + std::exp(-1.702 * x)) * y,
                    gate.size * std::fabs(y) + std::fabs(x) * up.size};
        }
    }
    return {};
}

// Too close to where a hidden value jumps to say on which side it falls.
bool at_the_jump(Activation activation, const Sum& gate) {
    return activation == Activation::ReluGated &&
           std::fabs(gate.value - static_cast<double>(kGateThreshold)) < 1e-5 * gate.size;
}

// ---- neurons -----------------------------------------------------------------------------------

struct NeuronsCase {
    DType type = DType::F32;
    InputForm form = InputForm::Floats;
    TeamForm team = {};
    Activation activation = Activation::Relu;
    bool sparse = false;
    bool mask = false;
    bool bytes_out = false;
    bool in_slices = false;
    std::uint64_t n_neurons = 37;
    std::uint64_t first = 0;  // of h
    bool counts = false;
    bool gates_apart = false;  // in h, before the ups are known
};

std::string name_of(const NeuronsCase& one) {
    return "shader/neurons " + std::string(dtype_info(one.type).name) +
           (one.form == InputForm::Bytes ? " bytes" : "") + " " +
           std::string(to_string(one.activation)) + (one.sparse ? " sparse" : "") +
           (one.mask ? " mask" : "") + (one.bytes_out ? " to bytes" : "") +
           (one.counts ? " counts" : "") + (one.gates_apart ? " with gates apart" : "") +
           one.team.name + (one.in_slices ? " in slices" : "");
}

CheckOutcome check_neurons(const ShaderDevice& on, const NeuronsCase& one) {
    constexpr std::uint32_t kGroup = 32;  // neurons of a workgroup, shared out over its teams
    const std::uint32_t threads = std::min(256U, 16 * one.team.size);
    const bool gated = is_gated(one.activation);
    const bool beside = gated && !one.gates_apart;
    const std::uint64_t per_neuron = beside ? 2 : 1;
    const std::uint64_t block = dtype_info(one.type).block_values;
    const std::uint64_t cols = block > 32 ? 3 * block : 160;
    const std::uint64_t rows = per_neuron * one.n_neurons;
    const std::uint64_t unit = per_neuron * kGroup;
    ShaderRig rig(on);
    const RigMatrix w(
        rig, one.type, rows, cols, 1, unit,
        one.in_slices ? vulkan::MatrixLayout(one.type, unit, cols).bytes : ~std::uint64_t{0});
    const RigInput x(rig, one.form == InputForm::Bytes, 1, cols, cols, 2);
    const auto end = static_cast<std::size_t>(one.first + one.n_neurons);
    const auto whole = (end + kGroup - 1) / kGroup * kGroup;
    const std::vector<float> bias = normal_floats(end, 3);
    std::vector<float> mask(end);
    std::mt19937 random(4);
    for (float& one_mask : mask) {  // some exactly at the threshold
        one_mask = static_cast<float>(std::uniform_int_distribution(0, 2)(random)) / 2;
    }
    const vulkan::BufferView none;
    const vulkan::BufferView bias_view = gated ? none : rig.buffer_of(bias).view;
    const vulkan::BufferView mask_view = one.mask ? rig.buffer_of(mask).view : none;
    const std::vector<float> gates = normal_floats(end, 5);
    const RigBuffer& h = one.gates_apart ? rig.buffer_of(gates) : rig.room_for<float>(end);
    const RigBuffer& hq = rig.room_for<std::int8_t>(whole);
    const RigBuffer& hd = rig.room_for<float>(whole / kGroup);
    // A token that begins the counts, one that comes after one that counts, and so on; then one
    // that only notes.
    constexpr std::array<std::uint32_t, 4> kSteps{COUNTING_BEGIN, COUNTING_KEEP, COUNTING_DROP,
                                                  COUNTING_KEEP};
    const RigBuffer& fired = rig.room_for<std::uint32_t>(end);
    const RigBuffer& noted = rig.room_for<std::uint32_t>(whole / kGroup * 4);
    const std::uint32_t gates_at = one.gates_apart ? GATES_APART
                                   : beside        ? GATES_BESIDE
                                                   : GATES_NONE;
    for (std::size_t step = 0; step < (one.counts ? kSteps.size() : 1); ++step) {
        const vulkan::BufferView step_view =
            rig.buffer_of(std::vector<std::uint32_t>{77, kSteps[step], kSteps[step]}).view;
        for (const GpuMatrix::Slice& slice : w.matrix.slices) {
            params::NeuronParams p{};
            p.matrix = slice.layout.params();
            p.first = static_cast<std::uint32_t>(one.first + slice.first_row / per_neuron);
            p.n_neurons = static_cast<std::uint32_t>(slice.layout.rows / per_neuron);
            p.activation = static_cast<std::uint32_t>(one.activation);
            p.gate_threshold = kGateThreshold;
            p.has_bias = gated ? 0 : 1;
            p.has_mask = one.mask ? 1 : 0;
            p.mask_threshold = kMaskThreshold;
            rig.dispatch(vulkan::neurons_shader(one.type, one.form),
                         {.WORKGROUP = threads,
                          .TEAM = one.team.size,
                          .SUBGROUPS = one.team.subgroups,
                          .GATES = gates_at,
                          .SPARSE = one.sparse,
                          .WRITE_FLOATS = !one.bytes_out,
                          .WRITE_BYTES = one.bytes_out,
                          .BLOCKS = static_cast<std::uint32_t>(cols / vulkan::kBlockColumns),
                          .COUNT = one.counts,
                          .EXPERT_NEURONS = 0,
                          .EXPERT_BIASES = false,
                          .AHEAD = 1,
                          .SEVERAL = false},
                         {.quads = slice.view,
                          .words = slice.view,
                          .x = x.values,
                          .xd = x.scales,
                          .h = h.view,
                          .hq = hq.view,
                          .hd = hd.view,
                          .bias = bias_view,
                          .mask = mask_view,
                          .fired = fired.view,
                          .step = step_view,
                          .noted = noted.view,
                          .chosen = none,
                          .places = none,
                          .gate_bias = none},
                         p, {groups_for(p.n_neurons, kGroup), 1, 1}, one.team.required_size);
        }
    }
    rig.run();
    Measure measure(5e-6);
    measure.require(one.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    const auto counters = fired.as<std::uint32_t>();
    measure.require(
        std::all_of(counters.begin(), counters.begin() + static_cast<std::ptrdiff_t>(one.first),
                    [](std::uint32_t word) { return word == ~0U; }),
        "counted before its first neuron");
    // Workgroups note what their neurons did: of the latest token, and twice that of those before.
    const auto words = noted.as<std::uint32_t>();
    for (std::size_t begin = one.first; one.counts && begin < end; begin += kGroup) {
        const std::size_t group = begin / kGroup;
        std::uint32_t examined = 0;
        std::uint32_t firing = 0;
        for (std::size_t at = begin; at < std::min(end, begin + kGroup); ++at) {
            examined += one.mask && mask[at] < kMaskThreshold ? 0U : 1U;
            firing += counters[at] & 1U;
        }
        const std::uint32_t latest = words[4 * group + 3];
        const std::uint32_t opened = latest >> 8 & 0xFF;
        measure.require((latest & 0xFF) == examined && latest >> 16 == firing,
                        "noted other neurons than it computed");
        measure.require(
            opened >= firing && (one.sparse && gated ? opened <= examined : opened == examined),
            "noted as open what is not");
        for (std::size_t k = 0; k < 3; ++k) {
            measure.require(words[4 * group + k] == 2 * (latest >> (8 * k) & 0xFF),
                            "added what does not count, or not what does");
        }
    }
    std::vector<double> wanted(whole, 0.0);
    std::vector<double> sizes(whole, 0.0);
    for (std::uint64_t i = 0; i < one.n_neurons; ++i) {
        const auto at = static_cast<std::size_t>(one.first + i);
        Sum gate;
        Sum up;
        for (std::uint64_t c = 0; c < cols; ++c) {
            if (beside) {
                gate.add(w.at(2 * i, c) * x.at(0, c));
            }
            up.add(w.at(per_neuron * i + per_neuron - 1, c) * x.at(0, c));
        }
        if (one.gates_apart) {
            gate.add(static_cast<double>(gates[at]));
        }
        if (!gated) {
            up.add(static_cast<double>(bias[at]));
        }
        const bool masked = one.mask && mask[at] < kMaskThreshold;
        // Of size 0: nothing but 0 will do.
        const Sum hidden = masked ? Sum{} : hidden_of(one.activation, gate, up);
        wanted[at] = hidden.value;
        sizes[at] = hidden.size;
        // Of activations that are 0 below 0, apart from where rounding decides.
        const auto closed = [](const Sum& sum) { return sum.value < -1e-3 * sum.size; };
        const std::uint32_t word = fired.as<std::uint32_t>()[at];
        if (!one.counts) {
            measure.require(word == ~0U, "counted where nobody asked for it");
        } else if (hidden.value > 1e-3 * hidden.size) {
            measure.require(word == (2U << 1 | 1U), "did not count");
        } else if (masked || closed(up) || (gated && closed(gate))) {
            measure.require(word == 0, "counted what does not fire");
        }
        if (one.bytes_out) {
            continue;
        }
        if (!at_the_jump(one.activation, gate)) {
            measure.add(static_cast<double>(h.as<float>()[at]), hidden);
        }
    }
    const auto floats = h.as<float>();
    if (one.bytes_out) {
        measure.require(one.gates_apart
                            ? std::equal(floats.begin(), floats.end(), gates.begin(), gates.end())
                            : std::all_of(floats.begin(), floats.end(), is_untouched),
                        "wrote floats nobody asked for");
        const auto from = static_cast<std::size_t>(one.first);
        measure.add_bytes(hq.as<std::int8_t>().subspan(from), hd.as<float>().subspan(from / kGroup),
                          std::span(wanted).subspan(from), std::span(sizes).subspan(from));
    } else {
        const auto scales = hd.as<float>();
        measure.require(std::all_of(scales.begin(), scales.end(), is_untouched),
                        "wrote bytes nobody asked for");
        const auto before = floats.first(static_cast<std::size_t>(one.first));
        measure.require(one.gates_apart ? std::equal(before.begin(), before.end(), gates.begin())
                                        : std::all_of(before.begin(), before.end(), is_untouched),
                        "wrote before its first neuron");
    }
    return measure.outcome();
}

void add_neurons(const ShaderDevice& on, DType type, InputForm form,
                 std::vector<KernelCheck>& checks) {
    std::vector<NeuronsCase> cases;
    const CodeKind codes = encoding_of(type).codes;
    for (const TeamForm& team : team_forms(on)) {
        using enum Activation;
        const auto add = [&](NeuronsCase one) {
            one.type = type;
            one.form = form;
            one.team = team;
            cases.push_back(one);
        };
        add({.activation = ReluGated, .sparse = true, .first = 5});
        add({.activation = SiluGated, .bytes_out = true, .n_neurons = 64, .first = 32});
        add({.activation = Gelu, .in_slices = true, .n_neurons = 101});
        if (codes != CodeKind::F32 && codes != CodeKind::Bits4) {
            continue;
        }
        add({.activation = SiluGated, .bytes_out = true, .n_neurons = 64, .gates_apart = true});
        add({.activation = ReluGated, .in_slices = true, .n_neurons = 70, .gates_apart = true});
        add({.activation = DRelu, .sparse = true, .mask = true, .first = 5, .gates_apart = true});
        add({.activation = SiluGated});
        add({.activation = ReluGated, .in_slices = true, .n_neurons = 70});
        add({.activation = ReluGated, .sparse = true, .in_slices = true, .n_neurons = 70});
        add({.activation = DRelu});
        add({.activation = DRelu, .sparse = true, .mask = true});
        add({.activation = DRelu, .mask = true});
        add({.activation = DRelu, .sparse = true, .bytes_out = true, .n_neurons = 96});
        add({.activation = Relu});
        add({.activation = Relu, .sparse = true, .mask = true, .first = 3});
        add({.activation = ReluSquared,
             .sparse = true,
             .mask = true,
             .in_slices = true,
             .n_neurons = 70});
        add({.activation = Gelu, .bytes_out = true});
        add({.activation = GeluGated, .bytes_out = true, .n_neurons = 96});
        add({.activation = GeluGated, .in_slices = true, .n_neurons = 70, .gates_apart = true});
        add({.activation = SiluClamped, .bytes_out = true, .n_neurons = 64});
        add({.activation = SiluClamped, .in_slices = true, .n_neurons = 70, .gates_apart = true});
        add({.activation = DRelu, .sparse = true, .mask = true, .first = 5, .counts = true});
        add({.activation = Relu,
             .bytes_out = true,
             .in_slices = true,
             .n_neurons = 70,
             .counts = true});
    }
    for (const NeuronsCase& one : cases) {
        checks.push_back(checked(name_of(one), [on, one] { return check_neurons(on, one); }));
    }
}

// ---- down_rows and reduce ----------------------------------------------------------------------

struct DownCase {
    DType type;
    std::uint64_t n_neurons;
    std::uint64_t cols;
    std::uint32_t chunk;
    double firing;         // share
    std::uint32_t shares;  // of a chunk
    bool in_slices = false;
    std::uint32_t n_tokens = 1;
};

// Chunks of rows, summed, then the chunks: what the engine does for one token, or for a few.
CheckOutcome check_down_rows(const ShaderDevice& on, const DownCase& one) {
    constexpr std::uint32_t kThreads = vulkan::kDownQuads;
    constexpr std::uint64_t kUnit = 32;
    ShaderRig rig(on);
    RigMatrix w(rig, one.type, one.n_neurons, one.cols, 1, kUnit,
                one.in_slices ? 2 * vulkan::MatrixLayout(one.type, kUnit, one.cols).bytes
                              : ~std::uint64_t{0});
    const auto n_neurons = static_cast<std::size_t>(one.n_neurons);
    std::vector<float> hidden = normal_floats(n_neurons * one.n_tokens, 2);
    std::mt19937 random(3);
    std::vector<bool> wanted(n_neurons);
    for (std::size_t i = 0; i < hidden.size(); ++i) {
        if (std::uniform_real_distribution(0.0, 1.0)(random) >= one.firing) {
            hidden[i] = 0;
        } else {
            wanted[i % n_neurons] = true;
        }
    }
    for (std::size_t i = 0; i < n_neurons; ++i) {
        if (!wanted[i]) {
            w.spoil_row(i);  // is not read
        }
    }
    const std::vector<float> bias = normal_floats(static_cast<std::size_t>(one.cols), 4);
    const RigBuffer& h = rig.buffer_of(hidden);
    const RigBuffer& b = rig.buffer_of(bias);
    const auto cols = static_cast<std::uint32_t>(one.cols);
    std::uint32_t parts = 0;
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        parts += groups_for(slice.layout.rows, one.chunk);
    }
    const RigBuffer& partial = rig.room_for<float>(std::size_t{parts} * cols * one.n_tokens);
    const RigBuffer& y = rig.room_for<float>(std::size_t{cols} * one.n_tokens);
    std::uint32_t part = 0;
    for (std::uint32_t i = 0; i < one.n_tokens * w.matrix.slices.size(); ++i) {
        const GpuMatrix::Slice& slice = w.matrix.slices[i % w.matrix.slices.size()];
        const std::size_t token = i / w.matrix.slices.size();
        params::DownRowsParams p{};
        p.matrix = slice.layout.params();
        p.first = static_cast<std::uint32_t>(token * n_neurons + slice.first_row);
        p.chunk = one.chunk;
        p.partial_at = part * cols;
        const std::uint32_t chunks = groups_for(slice.layout.rows, one.chunk);
        rig.dispatch(
            vulkan::down_rows_shader(one.type), {.WORKGROUP = one.shares * kThreads},
            {.quads = slice.view, .words = slice.view, .h = h.view, .partial = partial.view}, p,
            {groups_for(slice.layout.row_loads(), kThreads), chunks, 1});
        part += chunks;
    }
    params::ReduceParams p{};
    p.columns = cols;
    p.parts = parts;
    p.has_bias = 1;
    rig.dispatch(vulkan::shader_of<interfaces::Reduce>(), {.WORKGROUP = kThreads},
                 {.partial = partial.view, .bias = b.view, .y = y.view}, p,
                 {groups_for(cols, kThreads), one.n_tokens, 1});
    rig.run();
    Measure measure(2e-6);
    measure.require(one.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    for (std::size_t at = 0; at < bias.size() * one.n_tokens; ++at) {
        const std::size_t c = at % bias.size();
        Sum sum;
        sum.add(static_cast<double>(bias[c]));
        for (std::size_t i = 0; i < n_neurons; ++i) {
            const float value = hidden[at / bias.size() * n_neurons + i];
            if (value != 0) {
                sum.add(static_cast<double>(value) * w.at(i, c));
            }
        }
        measure.add(static_cast<double>(y.as<float>()[at]), sum);
    }
    return measure.outcome();
}

void add_down_rows(const ShaderDevice& on, DType type, std::vector<KernelCheck>& checks) {
    const std::uint64_t block = std::max(32U, dtype_info(type).block_values);
    for (const DownCase& one :
         {DownCase{type, 1, block, 32, 1.0, 4}, DownCase{type, 32, 2 * block, 32, 0.0, 4},
          DownCase{type, 37, 3 * block, 32, 0.5, 1}, DownCase{type, 300, 65 * block, 96, 0.1, 4},
          DownCase{type, 1500, 3 * block, 1024, 1.0, 4}, DownCase{type, 1500, block, 1024, 0.5, 1},
          DownCase{type, 200, 5 * block, 32, 0.4, 4, true},
          DownCase{type, 200, 5 * block, 32, 0.2, 4, true, 3},
          DownCase{type, 192, 2 * block, 32, 0.5, 4, false, 3}}) {
        checks.push_back(checked(
            "shader/down_rows " + std::string(dtype_info(type).name) + " " +
                std::to_string(one.n_neurons) + "x" + std::to_string(one.cols) + " chunks of " +
                std::to_string(one.chunk) + " in " + std::to_string(one.shares) + " shares, " +
                std::to_string(static_cast<int>(100 * one.firing)) + " % firing" +
                (one.in_slices ? " in slices" : "") +
                (one.n_tokens > 1 ? " of several tokens" : ""),
            [on, one] { return check_down_rows(on, one); }));
    }
}

// ---- activate ----------------------------------------------------------------------------------

CheckOutcome check_activate(const ShaderDevice& on, Activation activation, std::uint32_t gates) {
    constexpr std::uint32_t kNeurons = 37;
    constexpr std::uint32_t kTokens = 9;
    constexpr std::uint32_t kThreads = 256;
    const bool gated = gates != GATES_NONE;
    ShaderRig rig(on);
    std::vector<float> products =
        normal_floats(std::size_t{kNeurons} * kTokens * (gated ? 2 : 1), 1);
    // Where neuron i of all tokens has its gate and its up.
    const auto gate_at = [&](std::size_t i) {
        return gates == GATES_APART ? i / kNeurons * kNeurons + i : 2 * i;
    };
    const auto up_at = [&](std::size_t i) {
        return gates == GATES_APART ? gate_at(i) + kNeurons : gated ? 2 * i + 1 : i;
    };
    // Where exp and tanh saturate, and the threshold itself: a gate there is closed.
    for (std::size_t i = 0; i < 16; ++i) {
        products[gate_at(i)] *= 30;
        products[up_at(i + 8)] *= 10;  // SiluClamped bounds these, too
    }
    products[gate_at(16)] = kGateThreshold;
    const RigBuffer& in = rig.buffer_of(products);
    const RigBuffer& h = rig.room_for<float>(std::size_t{kNeurons} * kTokens);
    params::ActivateParams p{};
    p.n_neurons = kNeurons;
    p.n_tokens = kTokens;
    p.activation = static_cast<std::uint32_t>(activation);
    p.gate_threshold = kGateThreshold;
    p.gates = gates;
    rig.dispatch(vulkan::shader_of<interfaces::Activate>(),
                 {.WORKGROUP = kThreads, .EXPERT_BIASES = false},
                 {.products = in.view,
                  .h = h.view,
                  .chosen = vulkan::BufferView{},
                  .pairs = vulkan::BufferView{},
                  .tiles = vulkan::BufferView{},
                  .gate_bias = vulkan::BufferView{},
                  .up_bias = vulkan::BufferView{}},
                 p, {groups_for(kNeurons * kTokens, kThreads), 1, 1});
    rig.run();
    Measure measure(5e-6);
    for (std::size_t i = 0; i < std::size_t{kNeurons} * kTokens; ++i) {
        Sum gate;
        Sum up;
        if (gated) {
            gate.add(static_cast<double>(products[gate_at(i)]));
        }
        up.add(static_cast<double>(products[up_at(i)]));
        measure.add(static_cast<double>(h.as<float>()[i]), hidden_of(activation, gate, up));
    }
    return measure.outcome();
}

}  // namespace

void add_neuron_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    for (const DType type : matrix_types()) {
        add_neurons(on, type, InputForm::Floats, checks);
        if (vulkan::is_quantized(type) && on.device->features().integer_dot) {
            add_neurons(on, type, InputForm::Bytes, checks);
        }
        add_down_rows(on, type, checks);
    }
    using enum Activation;
    for (const Activation activation :
         {SiluGated, ReluGated, DRelu, Relu, ReluSquared, Gelu, GeluGated, SiluClamped}) {
        const auto add = [&](const char* how, std::uint32_t gates) {
            checks.push_back(checked("shader/activate " + std::string(to_string(activation)) + how,
                                     [=] { return check_activate(on, activation, gates); }));
        };
        add("", is_gated(activation) ? GATES_BESIDE : GATES_NONE);
        if (is_gated(activation)) {
            add(" with gates apart", GATES_APART);
        }
    }
}

}  // namespace hearth::test
