// route.comp, sort_experts.comp, expert_down.comp and add_experts.comp, and what neurons.comp,
// activate.comp and gemm.comp do of experts.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <string>

#include "cpu/feed_forward/expert_choice.h"
#include "engine/vulkan/shader_checks.h"
#include "interfaces/activate.h"
#include "interfaces/add_experts.h"
#include "interfaces/expert_down.h"
#include "interfaces/gemm.h"
#include "interfaces/neurons.h"
#include "interfaces/route.h"
#include "interfaces/sort_experts.h"
#include "vulkan/buffers.h"
#include "vulkan/gemm_kernel.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace interfaces = vulkan::interfaces;
namespace params = vulkan::params;
using vulkan::GemmForm;
using vulkan::GpuMatrix;
using vulkan::InputForm;

// ---- Routes ------------------------------------------------------------------------------------

struct RouteCase {
    const char* name = "";
    ExpertsSpec spec;
    bool biased = false;
    bool ties = false;
    bool spoiled = false;  // a product that is no number
    bool tells = false;
    std::uint32_t n_tokens = 3;
    bool factors = false;              // of each expert's weights
    std::optional<DType> router = {};  // whose products the shader makes
    TeamForm team = {};
    bool product_bias = false;
};

CheckOutcome check_route(const ShaderDevice& on, const RouteCase& one) {
    constexpr std::uint32_t kEmbd = 96;
    const auto n = static_cast<std::size_t>(one.spec.n);
    const auto n_used = static_cast<std::size_t>(one.spec.n_used);
    std::vector<float> products = normal_floats(n * one.n_tokens, 1);
    for (std::size_t i = 0; one.ties && i < products.size(); ++i) {
        products[i] = std::round(products[i]);
    }
    if (one.spoiled) {
        products[1] = std::numeric_limits<float>::quiet_NaN();
    }
    const std::vector<float> bias = normal_floats(n, 2);
    const std::vector<float> factors = normal_floats(n, 6);
    const std::vector<float> x = normal_floats(std::size_t{kEmbd} * one.n_tokens, 3);
    const std::vector<float> shared_router = normal_floats(kEmbd, 4);
    std::vector<std::uint32_t> places(n, NOWHERE);
    for (std::size_t i = 0; i < n; i += 2) {
        places[i] = static_cast<std::uint32_t>(i / 2);
    }
    ShaderRig rig(on);
    const RigMatrix router(rig, one.router.value_or(DType::F32), n, kEmbd, 5);
    const vulkan::GpuMatrix::Slice& slice = router.matrix.slices.front();
    const vulkan::BufferView weights = one.router ? slice.view : vulkan::BufferView{};
    for (std::size_t i = 0; one.router && i < products.size(); ++i) {
        double sum = 0;
        for (std::size_t c = 0; c < kEmbd; ++c) {
            sum += router.at(i % n, c) * static_cast<double>(x[i / n * kEmbd + c]);
        }
        products[i] = static_cast<float>(sum);
    }
    const RigBuffer& in =
        one.router ? rig.room_for<float>(products.size()) : rig.buffer_of(products);
    const std::vector<float> product_bias = normal_floats(n, 6);
    for (std::size_t i = 0; one.product_bias && i < products.size(); ++i) {
        products[i] += product_bias[i % n];
    }
    const RigBuffer& done = rig.buffer_of(std::vector<std::uint32_t>(one.n_tokens));
    const RigBuffer& chosen = rig.room_for<ChosenExpert>(n_used * one.n_tokens);
    const RigBuffer& told = rig.room_for<ChosenExpert>(n_used * one.n_tokens);
    const RigBuffer& shared = rig.room_for<ChosenExpert>(one.n_tokens);
    const RigBuffer& fired = rig.room_for<std::uint32_t>(n);
    const RigBuffer& noted = rig.room_for<std::uint32_t>(4);
    const vulkan::BufferView bias_view =
        one.biased ? rig.buffer_of(bias).view : vulkan::BufferView{};
    const vulkan::BufferView factors_view =
        one.factors ? rig.buffer_of(factors).view : vulkan::BufferView{};
    const vulkan::BufferView product_bias_view =
        one.product_bias ? rig.buffer_of(product_bias).view : vulkan::BufferView{};
    const vulkan::BufferView x_view = rig.buffer_of(x).view;
    const vulkan::BufferView shared_view = rig.buffer_of(shared_router).view;
    const vulkan::BufferView places_view = rig.buffer_of(places).view;
    // A token that begins the counts, one after a token that counts, and so on.
    constexpr std::array<std::uint32_t, 4> kSteps{COUNTING_BEGIN, COUNTING_KEEP, COUNTING_DROP,
                                                  COUNTING_KEEP};
    const bool counts = one.n_tokens == 1;
    for (std::size_t step = 0; step < (counts ? kSteps.size() : 1); ++step) {
        rig.dispatch(
            one.router ? vulkan::router_shader(*one.router)
                       : vulkan::shader_of<interfaces::Route>(),
            {.WORKGROUP = 128,
             .N = static_cast<std::uint32_t>(one.spec.n),
             .USED = static_cast<std::uint32_t>(one.spec.n_used),
             .SCORES = static_cast<std::uint32_t>(one.spec.scores),
             .BIASED = one.biased,
             .NORMED = one.spec.normed,
             .GROUPS = static_cast<std::uint32_t>(one.spec.n_groups),
             .USED_GROUPS = static_cast<std::uint32_t>(one.spec.n_used_groups),
             .SHARED = one.spec.n_ff_shared > 0,
             .SHARED_GATE = one.spec.shared_gate,
             .TELL = one.tells,
             .NOTE = counts,
             .COUNT = counts,
             .TEAM = one.team.size,
             .SUBGROUPS = one.team.subgroups,
             .BLOCKS = kEmbd / vulkan::kBlockColumns,
             .FACTORS = one.factors,
             .PRODUCT_BIAS = one.product_bias},
            {.products = in.view,
             .bias = bias_view,
             .chosen = chosen.view,
             .told = told.view,
             .shared_chosen = shared.view,
             .x = x_view,
             .shared_router = shared_view,
             .places = places_view,
             .fired = fired.view,
             .step = rig.buffer_of(std::vector<std::uint32_t>{7, kSteps[step], kSteps[step]}).view,
             .noted = noted.view,
             .quads = weights,
             .words = weights,
             .done = done.view,
             .factors = factors_view,
             .product_bias = product_bias_view},
            {.matrix = slice.layout.params(), .n_embd = kEmbd, .scale = one.spec.scale},
            {one.router ? groups_for(n, 128 / one.team.size) : one.n_tokens,
             one.router ? one.n_tokens : 1, 1},
            one.router ? one.team.required_size : 0);
    }
    rig.run();
    Measure measure(one.router ? 2e-5 : 2e-6);
    for (const std::uint32_t word : done.as<std::uint32_t>()) {
        measure.require(word == 0, "is not ready for the next token");
    }
    std::vector<std::uint32_t> times(n);
    std::uint32_t here = 0;
    for (std::size_t t = 0; t < one.n_tokens; ++t) {
        std::vector<float> own(products.begin() + static_cast<std::ptrdiff_t>(t * n),
                               products.begin() + static_cast<std::ptrdiff_t>((t + 1) * n));
        for (float& product : own) {
            product = std::isnan(product) ? std::numeric_limits<float>::lowest() : product;
        }
        std::vector<ChosenExpert> wanted(n_used);
        choose_experts(one.spec, own, one.biased ? bias : std::vector<float>{}, wanted);
        for (std::size_t i = 0; i < n_used; ++i) {
            const ChosenExpert got = chosen.as<ChosenExpert>()[t * n_used + i];
            measure.require(got.expert == wanted[i].expert, "chose another expert");
            const double factor =
                one.factors
                    ? static_cast<double>(factors[static_cast<std::size_t>(wanted[i].expert)])
                    : 1.0;
            measure.add(static_cast<double>(got.weight),
                        static_cast<double>(wanted[i].weight) * factor,
                        static_cast<double>(one.spec.scale) * std::fabs(factor));
            const ChosenExpert heard = told.as<ChosenExpert>()[t * n_used + i];
            measure.require(one.tells ? heard.expert == got.expert && heard.weight == got.weight
                                      : heard.expert == -1,
                            "told the processor something else");
            ++times[static_cast<std::size_t>(wanted[i].expert)];
            here += wanted[i].expert % 2 == 0 ? 1 : 0;
        }
        double gate = 0;
        for (std::size_t c = 0; c < kEmbd; ++c) {
            gate += static_cast<double>(shared_router[c]) * static_cast<double>(x[t * kEmbd + c]);
        }
        const ChosenExpert all = shared.as<ChosenExpert>()[t];
        if (one.spec.n_ff_shared == 0) {
            measure.require(all.expert == -1, "wrote of a shared expert");
        } else {
            measure.require(all.expert == 0, "named no shared expert");
            measure.add(static_cast<double>(all.weight),
                        one.spec.shared_gate ? 1 / (1 + std::exp(-gate)) : 1.0, 1.0);
        }
    }
    for (std::size_t i = 0; counts && i < n; ++i) {
        // The latest token's bit, and two tokens that counted.
        measure.require(fired.as<std::uint32_t>()[i] == (times[i] != 0 ? 2U << 1 | 1U : 0U),
                        "counted something else");
    }
    if (counts) {
        measure.require(
            noted.as<std::uint32_t>()[0] == 2 * here && noted.as<std::uint32_t>()[3] == here,
            "noted something else");
    }
    return measure.outcome();
}

std::vector<RouteCase> route_cases() {
    const auto of = [](int n, int n_used, RouterScores scores) {
        ExpertsSpec spec;
        spec.n = n;
        spec.n_used = n_used;
        spec.n_ff = 32;
        spec.scores = scores;
        return spec;
    };
    ExpertsSpec qwen3 = of(128, 8, RouterScores::Softmax);
    qwen3.normed = true;
    ExpertsSpec qwen2 = of(60, 4, RouterScores::Softmax);
    qwen2.n_ff_shared = 64;
    qwen2.shared_gate = true;
    ExpertsSpec glm4 = of(160, 8, RouterScores::Sigmoid);
    glm4.normed = true;
    glm4.scale = 2.5F;
    glm4.n_ff_shared = 32;
    ExpertsSpec groups = of(64, 6, RouterScores::Sigmoid);
    groups.n_groups = 8;
    groups.n_used_groups = 3;
    ExpertsSpec single = groups;  // a group an expert
    single.n = 12;
    single.n_groups = 12;
    single.n_used_groups = 7;
    ExpertsSpec best_groups = of(160, 6, RouterScores::Softmax);
    best_groups.n_groups = 8;
    best_groups.n_used_groups = 3;
    best_groups.scale = 16;
    RouteCase factors{"softmax, factors of experts", qwen3};
    factors.factors = true;
    RouteCase one_factors{"factors, one token", qwen3, false, false, false, true, 1};
    one_factors.factors = true;
    RouteCase gpt_oss{"softmax of the chosen, products with a bias",
                      of(32, 4, RouterScores::SoftmaxOfChosen)};
    gpt_oss.product_bias = true;
    RouteCase one_token = gpt_oss;
    one_token.name = "softmax of the chosen, products with a bias, one token";
    one_token.n_tokens = 1;
    return {
        factors,
        one_factors,
        gpt_oss,
        one_token,
        {"softmax", qwen3},
        {"softmax, one token", qwen3, false, false, false, true, 1},
        {"softmax, not normed, shared with a gate", qwen2, false, false, false, true},
        {"sigmoid, biased, scaled, shared", glm4, true},
        {"sigmoid, one token", glm4, true, false, false, false, 1},
        {"softmax of the chosen", of(32, 4, RouterScores::SoftmaxOfChosen)},
        {"groups", groups, true, false, false, true},
        {"groups of one", single},
        {"groups of a softmax", best_groups},
        {"more experts than threads", of(512, 10, RouterScores::Softmax)},
        {"two experts of two", of(2, 2, RouterScores::Softmax)},
        {"ties", of(128, 8, RouterScores::Sigmoid), false, true},
        {"no number", of(16, 4, RouterScores::SoftmaxOfChosen), false, false, true},
        {"no number, softmax", of(16, 4, RouterScores::Softmax), false, false, true},
    };
}

// ---- Experts -----------------------------------------------------------------------------------

constexpr int kExperts = 5;
constexpr std::uint32_t kUsed = 3;
constexpr std::uint32_t kNeurons = 64;  // of an expert

// Three experts are here, in an order of their own.
const std::vector<std::uint32_t> kPlaces{1, NOWHERE, 2, NOWHERE, 0};

std::vector<ChosenExpert> choices(std::uint32_t n_tokens) {
    std::mt19937 random(6);
    std::vector<ChosenExpert> all;
    for (std::uint32_t t = 0; t < n_tokens; ++t) {
        std::vector<int> experts(kExperts);
        std::iota(experts.begin(), experts.end(), 0);
        std::shuffle(experts.begin(), experts.end(), random);
        std::sort(experts.begin(), experts.begin() + kUsed);
        for (std::uint32_t i = 0; i < kUsed; ++i) {
            all.push_back({experts[i], 0.25F * static_cast<float>(i + 1)});
        }
    }
    return all;
}

std::uint32_t place_of(const ChosenExpert& one) {
    return kPlaces[static_cast<std::size_t>(one.expert)];
}

struct ExpertsCase {
    DType type{};
    bool bytes = false;
    bool in_slices = false;
    TeamForm team = {};
    bool biased = false;
    bool gates_apart = false;
    std::uint32_t n_tokens = 1;
};

std::string name_of(const char* what, const ExpertsCase& one) {
    return std::string("shader/") + what + " " + std::string(dtype_info(one.type).name) +
           (one.bytes ? " bytes" : "") + (one.in_slices ? " in slices" : "") +
           (one.biased ? " biased" : "") + (one.gates_apart ? " with gates apart" : "") +
           (one.n_tokens > 1 ? " of several tokens" : "") + one.team.name;
}

std::uint64_t cols_for(DType type) {
    const std::uint64_t block = dtype_info(type).block_values;
    return block > 32 ? block : 96;
}

// The binding that holds one expert's rows, or any.
std::uint64_t range_for(const ExpertsCase& one, std::uint64_t rows) {
    return one.in_slices ? vulkan::MatrixLayout(one.type, rows, cols_for(one.type)).bytes
                         : ~std::uint64_t{0};
}

double silu(double x) {
    return x / (1 + std::exp(-x));
}

// Experts with biases have the clamped function.
Sum hidden_of(const ExpertsCase& one, const Sum& gate, const Sum& up, double weight) {
    const double x = one.biased ? std::min(gate.value, 7.0) : gate.value;
    const double y = one.biased ? std::clamp(up.value, -7.0, 7.0) + 1 : up.value;
    return {weight * (one.biased ? silu(1.702 * x) / 1.702 : silu(x)) * y,
            weight * (gate.size * std::abs(y) + std::abs(x) * up.size +
                      gate.size * up.size * (one.biased ? 0 : 0.1))};
}

// [the layer's experts, n]
std::vector<float> biases(std::size_t n, unsigned seed) {
    return normal_floats(kExperts * n, seed);
}

// A token's hidden values, or several tokens'.
CheckOutcome check_hidden(const ShaderDevice& on, const ExpertsCase& one) {
    ShaderRig rig(on);
    const std::uint64_t cols = cols_for(one.type);
    const std::uint64_t per_neuron = one.gates_apart ? 1 : 2;
    const RigMatrix w(rig, one.type, 3 * per_neuron * kNeurons, cols, 1, per_neuron * kNeurons,
                      range_for(one, per_neuron * kNeurons));
    const RigInput x(rig, one.bytes, one.n_tokens, cols, cols, 2);
    const std::vector<ChosenExpert> chosen = choices(one.n_tokens);
    const std::vector<float> gates = normal_floats(chosen.size() * kNeurons, 7);
    const RigBuffer& h = one.gates_apart ? rig.buffer_of(gates) : rig.room_for<float>(gates.size());
    const std::vector<float> gate_bias = biases(kNeurons, 8);
    const std::vector<float> up_bias = biases(kNeurons, 9);
    const vulkan::BufferView none;
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        params::NeuronParams p{};
        p.matrix = slice.layout.params();
        p.n_neurons = kNeurons;
        p.activation = one.biased ? ACTIVATION_SILU_CLAMPED : ACTIVATION_SILU_GATED;
        p.first_place = static_cast<std::uint32_t>(slice.first_row / (per_neuron * kNeurons));
        p.n_places = static_cast<std::uint32_t>(slice.layout.rows / (per_neuron * kNeurons));
        rig.dispatch(
            vulkan::neurons_shader(one.type, one.bytes ? InputForm::Bytes : InputForm::Floats),
            {.WORKGROUP = std::min(256U, 16 * one.team.size),
             .TEAM = one.team.size,
             .SUBGROUPS = one.team.subgroups,
             .GATES = one.gates_apart ? GATES_APART : GATES_BESIDE,
             .SPARSE = false,
             .WRITE_FLOATS = true,
             .WRITE_BYTES = false,
             .BLOCKS = static_cast<std::uint32_t>(cols / vulkan::kBlockColumns),
             .COUNT = false,
             .EXPERT_NEURONS = kNeurons,
             .EXPERT_BIASES = one.biased,
             .AHEAD = 1,
             .SEVERAL = one.n_tokens > 1},
            {.quads = slice.view,
             .words = slice.view,
             .x = x.values,
             .xd = x.scales,
             .h = h.view,
             .hq = none,
             .hd = none,
             .bias = one.biased ? rig.buffer_of(up_bias).view : none,
             .mask = none,
             .fired = none,
             .step = none,
             .noted = none,
             .chosen = rig.buffer_of(chosen).view,
             .places = rig.buffer_of(kPlaces).view,
             .gate_bias = one.biased ? rig.buffer_of(gate_bias).view : none},
            p, {kNeurons / 32, kUsed, one.n_tokens}, one.team.required_size);
    }
    rig.run();
    Measure measure(5e-6);
    measure.require(one.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    for (std::size_t j = 0; j < chosen.size(); ++j) {
        const std::uint32_t place = place_of(chosen[j]);
        const std::size_t token = j / kUsed;
        for (std::size_t i = 0; i < kNeurons; ++i) {
            const float got = h.as<float>()[j * kNeurons + i];
            if (place == NOWHERE) {
                measure.require(
                    one.gates_apart ? got == gates[j * kNeurons + i] : is_untouched(got),
                    "computed an expert that is elsewhere");
                continue;
            }
            Sum gate;
            Sum up;
            if (one.gates_apart) {
                gate.add(static_cast<double>(gates[j * kNeurons + i]));
            }
            for (std::uint64_t c = 0; c < cols; ++c) {
                const std::uint64_t row = (place * kNeurons + i) * per_neuron;
                if (!one.gates_apart) {
                    gate.add(w.at(row, c) * x.at(token, c));
                }
                up.add(w.at(row + per_neuron - 1, c) * x.at(token, c));
            }
            if (one.biased) {
                const auto at = static_cast<std::size_t>(chosen[j].expert) * kNeurons + i;
                gate.add(static_cast<double>(gate_bias[at]));
                up.add(static_cast<double>(up_bias[at]));
            }
            measure.add(static_cast<double>(got),
                        hidden_of(one, gate, up, static_cast<double>(chosen[j].weight)));
        }
    }
    return measure.outcome();
}

CheckOutcome check_down(const ShaderDevice& on, const ExpertsCase& one) {
    constexpr std::uint32_t kRows = 40;
    ShaderRig rig(on);
    const std::uint64_t cols = cols_for(one.type);
    const RigMatrix w(rig, one.type, 3 * kRows, cols, 1, kRows, range_for(one, kRows));
    const std::vector<ChosenExpert> chosen = choices(one.n_tokens);
    const RigInput x(rig, one.bytes, chosen.size(), cols, cols, 2);
    const std::vector<float> before = normal_floats(std::size_t{kRows} * one.n_tokens, 3);
    const RigBuffer& y = rig.buffer_of(before);
    const std::vector<float> bias = biases(kRows, 4);
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        rig.dispatch(
            vulkan::expert_down_shader(one.type, one.bytes ? InputForm::Bytes : InputForm::Floats),
            {.WORKGROUP = 128,
             .TEAM = one.team.size,
             .SUBGROUPS = one.team.subgroups,
             .BLOCKS = static_cast<std::uint32_t>(cols / vulkan::kBlockColumns),
             .USED = kUsed,
             .BIASED = one.biased,
             .SEVERAL = one.n_tokens > 1},
            {.quads = slice.view,
             .words = slice.view,
             .x = x.values,
             .xd = x.scales,
             .y = y.view,
             .chosen = rig.buffer_of(chosen).view,
             .places = rig.buffer_of(kPlaces).view,
             .bias = one.biased ? rig.buffer_of(bias).view : vulkan::BufferView{}},
            {.matrix = slice.layout.params(),
             .n_rows = kRows,
             .first_place = static_cast<std::uint32_t>(slice.first_row / kRows),
             .n_places = static_cast<std::uint32_t>(slice.layout.rows / kRows),
             .add = 1},
            {groups_for(kRows, 128 / one.team.size), one.n_tokens, 1}, one.team.required_size);
    }
    rig.run();
    Measure measure(2e-6);
    measure.require(one.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    for (std::size_t at = 0; at < before.size(); ++at) {
        const std::size_t r = at % kRows;
        const std::size_t first = at / kRows * kUsed;
        Sum sum;
        sum.add(static_cast<double>(before[at]));
        for (std::size_t j = first; j < first + kUsed; ++j) {
            const std::uint32_t place = place_of(chosen[j]);
            for (std::uint64_t c = 0; place != NOWHERE && c < cols; ++c) {
                sum.add(w.at(place * kRows + r, c) * x.at(j, c));
            }
            if (one.biased && place != NOWHERE) {
                const auto from = static_cast<std::size_t>(chosen[j].expert) * kRows + r;
                sum.add(static_cast<double>(chosen[j].weight) * static_cast<double>(bias[from]));
            }
        }
        measure.add(static_cast<double>(y.as<float>()[at]), sum);
    }
    return measure.outcome();
}

// A batch: sorted, multiplied with gates and ups, activated, multiplied with down, and added.
CheckOutcome check_batch(const ShaderDevice& on, const ExpertsCase& one, GemmForm form,
                         const vulkan::CooperativeTiles& tiles) {
    // So many that an expert's tokens are more than a tile.
    constexpr std::uint32_t kTokens = 300;
    constexpr std::uint32_t kPairs = kTokens * kUsed;
    const bool cooperative = is_cooperative(form);
    vulkan::ShaderFeatures features = on.device->features();
    features.khr_cooperative_matrix = {tiles};
    const vulkan::GemmKernel kernel = gemm_kernel(features, one.type, form, false);
    ShaderRig rig(on);
    const std::uint64_t cols = cols_for(one.type);
    constexpr std::uint32_t kRows = kNeurons;  // of an expert
    const RigMatrix w(rig, one.type, 3 * kRows, cols, 1, kRows, range_for(one, kRows));
    const std::uint64_t x_stride = cooperative ? kTokens : cols;
    const RigInput x(rig, one.bytes, kTokens, cols, x_stride, 2, cooperative);
    const std::vector<ChosenExpert> chosen = choices(kTokens);
    const ExpertsSpec spec{.n = kExperts, .n_used = kUsed, .n_ff = kRows};
    const RigBuffer& pairs = rig.room_for<std::uint32_t>(kPairs);
    const RigBuffer& rows = rig.room_for<std::uint32_t>(kPairs);
    const auto n_tiles =
        static_cast<std::uint32_t>(vulkan::expert_tiles(spec, kTokens, kernel.tile));
    const RigBuffer& tile_table = rig.room_for<std::uint32_t>((1 + n_tiles) * 4);
    const RigBuffer& products = rig.room_for<float>(std::size_t{kPairs} * kRows);
    const std::vector<float> before = normal_floats(std::size_t{kTokens} * kRows, 3);
    const RigBuffer& sum = rig.buffer_of(before);
    const RigBuffer& hidden = rig.room_for<float>(std::size_t{kPairs} * kRows);
    const vulkan::BufferView chosen_view = rig.buffer_of(chosen).view;
    const std::vector<float> up_bias = biases(kRows, 4);
    const std::vector<float> down_bias = biases(kRows, 5);
    const vulkan::BufferView none;
    rig.dispatch(vulkan::shader_of<interfaces::SortExperts>(),
                 {.WORKGROUP = 256, .TILE = kernel.tile},
                 {.chosen = chosen_view,
                  .places = rig.buffer_of(kPlaces).view,
                  .pairs = pairs.view,
                  .rows = rows.view,
                  .tiles = tile_table.view},
                 {.n_pairs = kPairs, .n_places = 3}, {1, 1, 1});
    interfaces::Gemm::Constants constants = kernel.constants;
    constants.GROUPED = GROUPED_GATHER;
    constants.HALVES = cooperative;
    for (const GpuMatrix::Slice& slice : w.matrix.slices) {
        params::GemmParams p{};
        p.matrix = slice.layout.params();
        p.n_tokens = kTokens;
        p.x_stride = static_cast<std::uint32_t>(x_stride);
        p.y_stride = kRows;
        p.first_place = static_cast<std::uint32_t>(slice.first_row / kRows);
        p.n_places = static_cast<std::uint32_t>(slice.layout.rows / kRows);
        p.place_rows = kRows;
        p.used = kUsed;
        rig.dispatch(kernel.shader, constants,
                     {.quads = slice.view,
                      .words = slice.view,
                      .x = x.values,
                      .xd = x.scales,
                      .y = products.view,
                      .bias = vulkan::BufferView{},
                      .pairs = pairs.view,
                      .tiles = tile_table.view,
                      .x_halves = cooperative ? x.values : none},
                     p, {groups_for(kRows, kernel.tile), n_tiles, 1}, kernel.subgroup_size);
    }
    params::ActivateParams p{};
    p.n_neurons = kRows;
    p.n_tokens = kPairs;
    p.activation = ACTIVATION_NONE;
    p.gates = GATES_NONE;
    p.weighed = WEIGHED_BY_PAIR;
    rig.dispatch(vulkan::shader_of<interfaces::Activate>(),
                 {.WORKGROUP = 256, .EXPERT_BIASES = one.biased},
                 {.products = products.view,
                  .h = hidden.view,
                  .chosen = chosen_view,
                  .pairs = pairs.view,
                  .tiles = tile_table.view,
                  .gate_bias = none,
                  .up_bias = one.biased ? rig.buffer_of(up_bias).view : none},
                 p, {groups_for(std::uint64_t{kPairs} * kRows, 256), 1, 1});
    rig.dispatch(vulkan::shader_of<interfaces::AddExperts>(),
                 {.WORKGROUP = 256, .BIASED = one.biased},
                 {.outputs = hidden.view,
                  .rows = rows.view,
                  .y = sum.view,
                  .chosen = chosen_view,
                  .bias = one.biased ? rig.buffer_of(down_bias).view : none},
                 {.columns = kRows, .n_tokens = kTokens, .used = kUsed, .add = 1},
                 {groups_for(std::uint64_t{kTokens} * kRows / 4, 256), 1, 1});
    rig.run();
    Measure measure(cooperative ? 1e-3 : 2e-6);
    measure.require(one.in_slices == (w.matrix.slices.size() > 1), "not cut as wanted");
    std::uint32_t n_here = 0;
    for (std::uint32_t t = 0; t < kTokens; ++t) {
        for (std::uint32_t r = 0; r < kRows; ++r) {
            Sum all;
            all.add(static_cast<double>(before[std::size_t{t} * kRows + r]));
            for (std::uint32_t j = 0; j < kUsed; ++j) {
                const ChosenExpert& pair = chosen[std::size_t{t} * kUsed + j];
                const std::uint32_t place = place_of(pair);
                n_here += r == 0 && place != NOWHERE ? 1 : 0;
                for (std::uint64_t c = 0; place != NOWHERE && c < cols; ++c) {
                    all.add(static_cast<double>(pair.weight) *
                            w.at(std::uint64_t{place} * kRows + r, c) * x.at(t, c));
                }
                for (const std::vector<float>* bias : {&up_bias, &down_bias}) {
                    if (one.biased && place != NOWHERE) {
                        const auto at = static_cast<std::size_t>(pair.expert) * kRows + r;
                        all.add(static_cast<double>(pair.weight) *
                                static_cast<double>((*bias)[at]));
                    }
                }
            }
            measure.add(static_cast<double>(sum.as<float>()[std::size_t{t} * kRows + r]), all);
        }
    }
    measure.require(tile_table.as<std::uint32_t>()[1] == n_here,
                    "counts other rows than there are");
    const auto floats = products.as<float>();
    measure.require(std::all_of(floats.begin() + static_cast<std::ptrdiff_t>(n_here * kRows),
                                floats.end(), is_untouched),
                    "multiplied experts that are elsewhere");
    return measure.outcome();
}

// The hidden values of a batch's experts that have biases, from products with gates and ups.
CheckOutcome check_activate(const ShaderDevice& on, std::uint32_t gates) {
    constexpr std::uint32_t kTokens = 20;
    constexpr std::uint32_t kPairs = kTokens * kUsed;
    constexpr std::uint32_t kRows = kPairs - 7;  // the other pairs are elsewhere
    ShaderRig rig(on);
    const std::vector<float> products = normal_floats(std::size_t{kRows} * 2 * kNeurons, 1);
    const std::vector<ChosenExpert> chosen = choices(kTokens);
    std::vector<std::uint32_t> pairs(kPairs);
    std::iota(pairs.begin(), pairs.end(), 0U);
    std::shuffle(pairs.begin(), pairs.end(), std::mt19937(2));
    const std::vector<float> gate_bias = biases(kNeurons, 8);
    const std::vector<float> up_bias = biases(kNeurons, 9);
    const RigBuffer& h = rig.room_for<float>(std::size_t{kPairs} * kNeurons);
    params::ActivateParams p{};
    p.n_neurons = kNeurons;
    p.n_tokens = kPairs;
    p.activation = ACTIVATION_SILU_CLAMPED;
    p.gates = gates;
    p.weighed = WEIGHED_BY_PAIR;
    rig.dispatch(vulkan::shader_of<interfaces::Activate>(),
                 {.WORKGROUP = 256, .EXPERT_BIASES = true},
                 {.products = rig.buffer_of(products).view,
                  .h = h.view,
                  .chosen = rig.buffer_of(chosen).view,
                  .pairs = rig.buffer_of(pairs).view,
                  .tiles = rig.buffer_of(std::vector<std::uint32_t>{1, kRows, 0, 0}).view,
                  .gate_bias = rig.buffer_of(gate_bias).view,
                  .up_bias = rig.buffer_of(up_bias).view},
                 p, {groups_for(std::uint64_t{kPairs} * kNeurons, 256), 1, 1});
    rig.run();
    Measure measure(5e-6);
    for (std::size_t row = 0; row < kPairs; ++row) {
        const ChosenExpert& pair = chosen[pairs[row]];
        for (std::size_t i = 0; i < kNeurons; ++i) {
            const float got = h.as<float>()[row * kNeurons + i];
            if (row >= kRows) {
                measure.require(is_untouched(got), "computed a row that is not there");
                continue;
            }
            const std::size_t first = row * 2 * kNeurons;
            const bool apart = gates == GATES_APART;
            const auto at = static_cast<std::size_t>(pair.expert) * kNeurons + i;
            Sum gate;
            gate.add(static_cast<double>(products[first + (apart ? i : 2 * i)]));
            gate.add(static_cast<double>(gate_bias[at]));
            Sum up;
            up.add(static_cast<double>(products[first + (apart ? kNeurons + i : 2 * i + 1)]));
            up.add(static_cast<double>(up_bias[at]));
            measure.add(static_cast<double>(got),
                        hidden_of({.biased = true}, gate, up, static_cast<double>(pair.weight)));
        }
    }
    return measure.outcome();
}

}  // namespace

void add_expert_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    for (const RouteCase& one : route_cases()) {
        checks.push_back(checked(std::string("shader/route ") + one.name,
                                 [on, one] { return check_route(on, one); }));
    }
    for (const DType type : {DType::F32, DType::F16, DType::BF16}) {
        for (const TeamForm& team : team_forms(on)) {
            for (RouteCase one : route_cases()) {
                // Products that the shader makes are no ties and never spoiled. Some cases stay of
                // several tokens.
                if (one.n_tokens == 1 || (type == DType::F32 && !one.ties && !one.spoiled)) {
                    one.n_tokens = one.tells && one.n_tokens > 1 ? one.n_tokens : 1;
                    one.router = type;
                    one.team = team;
                    checks.push_back(checked("shader/router " + std::string(dtype_info(type).name) +
                                                 " " + one.name + team.name,
                                             [on, one] { return check_route(on, one); }));
                }
            }
        }
    }
    for (const std::uint32_t gates : {GATES_BESIDE, GATES_APART}) {
        checks.push_back(checked(std::string("shader/expert_activate") +
                                     (gates == GATES_APART ? " with gates apart" : ""),
                                 [on, gates] { return check_activate(on, gates); }));
    }
    const vulkan::ShaderFeatures& features = on.device->features();
    // A type for each way to hold codes or scales: gemv and gemm are checked with all types.
    for (const DType type : {DType::F32, DType::F16, DType::Q8_0, DType::Q4_0, DType::Q4_K,
                             DType::Q6_K, DType::Q2_K, DType::MXFP4}) {
        for (const TeamForm& team : team_forms(on)) {
            for (const bool bytes : {false, true}) {
                if (bytes && !(vulkan::is_quantized(type) && features.integer_dot)) {
                    continue;
                }
                for (const bool in_slices : {false, true}) {
                    if (in_slices && type != DType::Q4_0) {
                        continue;
                    }
                    const ExpertsCase one{type, bytes, in_slices, team};
                    checks.push_back(checked(name_of("expert_hidden", one),
                                             [on, one] { return check_hidden(on, one); }));
                    checks.push_back(checked(name_of("expert_down", one),
                                             [on, one] { return check_down(on, one); }));
                    ExpertsCase several = one;
                    several.n_tokens = 3;
                    checks.push_back(checked(name_of("expert_hidden", several),
                                             [on, several] { return check_hidden(on, several); }));
                    checks.push_back(checked(name_of("expert_down", several),
                                             [on, several] { return check_down(on, several); }));
                    if (type != DType::Q4_0 && type != DType::MXFP4) {
                        continue;
                    }
                    for (const bool apart : {false, true}) {
                        const ExpertsCase biased{type, bytes, in_slices, team, true, apart};
                        checks.push_back(checked(name_of("expert_hidden", biased), [on, biased] {
                            return check_hidden(on, biased);
                        }));
                    }
                    const ExpertsCase biased{type, bytes, in_slices, team, true};
                    checks.push_back(checked(name_of("expert_down", biased),
                                             [on, biased] { return check_down(on, biased); }));
                }
            }
        }
        const auto add_batch = [&](GemmForm form, const vulkan::CooperativeTiles& tiles,
                                   const std::string& suffix) {
            for (const bool in_slices : {false, true}) {
                if (in_slices && type != DType::Q4_0) {
                    continue;
                }
                const ExpertsCase one{.type = type,
                                      .bytes = form == GemmForm::Bytes,
                                      .in_slices = in_slices,
                                      .biased = type == DType::MXFP4};
                checks.push_back(
                    checked(name_of("expert_batch", one) + suffix,
                            [on, one, form, tiles] { return check_batch(on, one, form, tiles); }));
            }
        };
        add_batch(GemmForm::Floats, {}, "");
        if (vulkan::is_quantized(type) && features.integer_dot) {
            add_batch(GemmForm::Bytes, {}, "");
        }
        if (features.nv_cooperative_matrix) {
            add_batch(GemmForm::CooperativeNv, {}, " cooperative nv");
        }
        for (std::size_t i = 0; i < features.khr_cooperative_matrix.size(); ++i) {
            add_batch(GemmForm::CooperativeKhr, features.khr_cooperative_matrix[i],
                      " cooperative khr " + std::to_string(i));
        }
    }
}

}  // namespace hearth::test
