// joined_norm.glsl in gemv.comp and neurons.comp: the bits of norm.comp and of the plain kernels
// after it.
#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "engine/vulkan/shader_checks.h"
#include "interfaces/gemv.h"
#include "interfaces/joined_gemv.h"
#include "interfaces/joined_neurons.h"
#include "interfaces/joined_route.h"
#include "interfaces/neurons.h"
#include "interfaces/norm.h"
#include "interfaces/route.h"
#include "model/model_spec.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace interfaces = vulkan::interfaces;
namespace params = vulkan::params;

constexpr float kEpsilon = 1e-5F;
constexpr float kAddScale = 0.75F;

struct JoinedCase {
    DType type;
    TeamForm team;
    std::uint64_t columns;
    std::uint64_t rows;
    std::uint32_t adds;
    bool stores;
    std::uint32_t teams;         // of a workgroup
    std::uint32_t norm_threads;  // more than the workgroup has, or fewer
};

std::string name_of(const char* kernel, const JoinedCase& one) {
    return "shader/joined " + std::string(kernel) + " " + std::string(dtype_info(one.type).name) +
           " " + std::to_string(one.rows) + "x" + std::to_string(one.columns) + " adds " +
           std::to_string(one.adds) + (one.stores ? ", stores" : "") + ", a norm of " +
           std::to_string(one.norm_threads) + one.team.name;
}

// The stream and what norm.comp makes of it.
struct Normed {
    Normed(ShaderRig& rig, const JoinedCase& one) {
        const auto columns = static_cast<std::size_t>(one.columns);
        const std::vector<float> values = normal_floats(columns, 11);
        stream = rig.buffer_of(values).view;
        const RigBuffer& updated = rig.buffer_of(values);
        for (std::size_t i = 0; i < one.adds; ++i) {
            adds[i] = rig.buffer_of(normal_floats(columns, 12 + static_cast<unsigned>(i))).view;
        }
        weight = rig.buffer_of(normal_floats(columns, 17)).view;
        wanted_floats = &rig.room_for<float>(columns);
        wanted_bytes = &rig.room_for<std::int8_t>(columns);
        wanted_scales = &rig.room_for<float>(columns / 32);
        floats = wanted_floats->view;
        bytes = wanted_bytes->view;
        scales = wanted_scales->view;
        wanted_stream = &updated;
        stream_next = &rig.room_for<float>(columns);
        const vulkan::BufferView none;
        params::NormParams p{};
        p.columns = static_cast<std::uint32_t>(columns);
        p.epsilon = kEpsilon;
        p.add_scale = kAddScale;
        rig.dispatch(vulkan::shader_of<interfaces::Norm>(),
                     {.WORKGROUP = one.norm_threads,
                      .ADDS = one.adds,
                      .PUBLISH = false,
                      .NORM = true,
                      .LAYER_NORM = false,
                      .HAS_BIAS = false,
                      .WRITE_FLOATS = true,
                      .WRITE_BYTES = true,
                      .SUBGROUPS = true,
                      .WEIGHED = true,
                      .SCALED = false,
                      .HALVES = false},
                     {.x_in = none,
                      .x = updated.view,
                      .a = adds[0],
                      .b = adds[1],
                      .c = adds[2],
                      .weight = weight,
                      .bias = none,
                      .published = none,
                      .normed = floats,
                      .normed_bytes = bytes,
                      .normed_scales = scales,
                      .stream_scale = none},
                     p, {1, 1, 1}, one.team.required_size);
    }
    // Compares what the joined kernel left of the stream; nothing unless it stores.
    void compare_stream(Measure& measure, const JoinedCase& one) const {
        const auto left = stream_next->as<float>();
        const auto wanted = wanted_stream->as<float>();
        measure.require(one.stores ? std::equal(left.begin(), left.end(), wanted.begin())
                                   : std::all_of(left.begin(), left.end(), is_untouched),
                        "another stream");
    }
    vulkan::BufferView stream, weight, floats, bytes, scales;
    std::array<vulkan::BufferView, 3> adds;
    const RigBuffer* wanted_floats;
    const RigBuffer* wanted_bytes;
    const RigBuffer* wanted_scales;
    const RigBuffer* wanted_stream;
    const RigBuffer* stream_next;
};

void compare(Measure& measure, std::span<const float> got, std::span<const float> wanted) {
    for (std::size_t i = 0; i < got.size(); ++i) {
        Sum sum;
        sum.add(static_cast<double>(wanted[i]));
        measure.add(static_cast<double>(got[i]), sum);
    }
}

CheckOutcome check_joined_gemv(const ShaderDevice& on, const JoinedCase& one) {
    constexpr std::uint32_t kRows = 2;  // of a team
    const std::uint32_t threads = one.teams * one.team.size;
    ShaderRig rig(on);
    const RigMatrix w(rig, one.type, one.rows, one.columns, 1);
    const Normed normed(rig, one);
    const auto blocks = static_cast<std::uint32_t>(one.columns / vulkan::kBlockColumns);
    const RigBuffer& wanted = rig.room_for<float>(static_cast<std::size_t>(one.rows));
    const RigBuffer& y = rig.room_for<float>(static_cast<std::size_t>(one.rows));
    const vulkan::BufferView none;
    const vulkan::BufferView view = w.matrix.slices.front().view;
    const std::array<std::uint32_t, 3> groups{groups_for(one.rows, one.teams * kRows), 1, 1};
    params::GemvParams plain{};
    plain.matrix = w.matrix.slices.front().layout.params();
    rig.dispatch(vulkan::gemv_shader(one.type, vulkan::InputForm::Bytes),
                 {.WORKGROUP = threads,
                  .TEAM = one.team.size,
                  .SUBGROUPS = true,
                  .ROWS = kRows,
                  .BLOCKS = blocks,
                  .HEAD_ROWS = 0,
                  .TOKENS = 1,
                  .AHEAD = 1},
                 {.quads = view,
                  .words = view,
                  .x = normed.bytes,
                  .xd = normed.scales,
                  .y = wanted.view,
                  .bias = none},
                 plain, groups, one.team.required_size);
    params::JoinedGemvParams joined{};
    joined.matrix = plain.matrix;
    joined.epsilon = kEpsilon;
    joined.add_scale = kAddScale;
    joined.stores = one.stores ? 1 : 0;
    rig.dispatch(vulkan::joined_gemv_shader(one.type),
                 {.WORKGROUP = threads,
                  .TEAM = one.team.size,
                  .ROWS = kRows,
                  .BLOCKS = blocks,
                  .ADDS = one.adds,
                  .NORM_THREADS = one.norm_threads,
                  .AHEAD = 1},
                 {.quads = view,
                  .words = view,
                  .y = y.view,
                  .bias = none,
                  .stream = normed.stream,
                  .a = normed.adds[0],
                  .b = normed.adds[1],
                  .c = normed.adds[2],
                  .weight = normed.weight,
                  .stream_next = normed.stream_next->view},
                 joined, groups, one.team.required_size);
    rig.run();
    Measure measure(0);
    const auto got = y.as<float>();
    compare(measure, got, wanted.as<float>());
    measure.require(std::none_of(got.begin(), got.end(), is_untouched), "a product is missing");
    normed.compare_stream(measure, one);
    return measure.outcome();
}

// rows: of gates and ups together.
CheckOutcome check_joined_neurons(const ShaderDevice& on, const JoinedCase& one, bool sparse) {
    const std::uint32_t threads = one.teams * one.team.size;
    const std::uint64_t n_neurons = one.rows / 2;
    ShaderRig rig(on);
    const RigMatrix w(rig, one.type, one.rows, one.columns, 1);
    const Normed normed(rig, one);
    const auto blocks = static_cast<std::uint32_t>(one.columns / vulkan::kBlockColumns);
    const auto width = static_cast<std::size_t>(n_neurons);
    const RigBuffer& wanted = rig.room_for<float>(width);
    const RigBuffer& h = rig.room_for<float>(width);
    const RigBuffer& noted = rig.room_for<std::uint32_t>((width + 31) / 32 * 4);
    const vulkan::BufferView step =
        rig.buffer_of(std::vector<std::uint32_t>{7, COUNTING_BEGIN, COUNTING_BEGIN}).view;
    const vulkan::BufferView none;
    const vulkan::BufferView view = w.matrix.slices.front().view;
    const std::array<std::uint32_t, 3> groups{groups_for(n_neurons, 32), 1, 1};
    params::NeuronParams plain{};
    plain.matrix = w.matrix.slices.front().layout.params();
    plain.n_neurons = static_cast<std::uint32_t>(n_neurons);
    plain.activation = static_cast<std::uint32_t>(Activation::DRelu);
    rig.dispatch(vulkan::neurons_shader(one.type, vulkan::InputForm::Bytes),
                 {.WORKGROUP = threads,
                  .TEAM = one.team.size,
                  .SUBGROUPS = true,
                  .GATES = GATES_BESIDE,
                  .SPARSE = sparse,
                  .WRITE_FLOATS = true,
                  .WRITE_BYTES = false,
                  .BLOCKS = blocks,
                  .COUNT = false,
                  .EXPERT_NEURONS = 0,
                  .EXPERT_BIASES = false,
                  .AHEAD = 1,
                  .SEVERAL = false},
                 {.quads = view,
                  .words = view,
                  .x = normed.bytes,
                  .xd = normed.scales,
                  .h = wanted.view,
                  .hq = none,
                  .hd = none,
                  .bias = none,
                  .mask = none,
                  .fired = none,
                  .step = step,
                  .noted = noted.view,
                  .chosen = none,
                  .places = none,
                  .gate_bias = none},
                 plain, groups, one.team.required_size);
    params::JoinedNeuronParams joined{};
    joined.matrix = plain.matrix;
    joined.n_neurons = plain.n_neurons;
    joined.activation = plain.activation;
    joined.epsilon = kEpsilon;
    joined.add_scale = kAddScale;
    joined.stores = one.stores ? 1 : 0;
    rig.dispatch(vulkan::joined_neurons_shader(one.type),
                 {.WORKGROUP = threads,
                  .TEAM = one.team.size,
                  .GATES = GATES_BESIDE,
                  .SPARSE = sparse,
                  .WRITE_FLOATS = true,
                  .WRITE_BYTES = false,
                  .BLOCKS = blocks,
                  .COUNT = false,
                  .ADDS = one.adds,
                  .NORM_THREADS = one.norm_threads,
                  .AHEAD = 1},
                 {.quads = view,
                  .words = view,
                  .h = h.view,
                  .hq = none,
                  .hd = none,
                  .bias = none,
                  .mask = none,
                  .fired = none,
                  .step = step,
                  .noted = noted.view,
                  .stream = normed.stream,
                  .a = normed.adds[0],
                  .b = normed.adds[1],
                  .c = normed.adds[2],
                  .weight = normed.weight,
                  .stream_next = normed.stream_next->view},
                 joined, groups, one.team.required_size);
    rig.run();
    Measure measure(0);
    const auto got = h.as<float>();
    compare(measure, got, wanted.as<float>());
    measure.require(std::any_of(got.begin(), got.end(), [](float value) { return value > 0; }),
                    "nothing fires");
    normed.compare_stream(measure, one);
    return measure.outcome();
}

// rows: experts.
CheckOutcome check_joined_router(const ShaderDevice& on, const JoinedCase& one) {
    constexpr std::uint32_t kUsed = 5;
    const std::uint32_t threads = one.teams * one.team.size;
    const auto n = static_cast<std::uint32_t>(one.rows);
    const auto columns = static_cast<std::size_t>(one.columns);
    ShaderRig rig(on);
    const RigMatrix w(rig, one.type, one.rows, one.columns, 1);
    const Normed normed(rig, one);
    const auto blocks = static_cast<std::uint32_t>(one.columns / vulkan::kBlockColumns);
    const vulkan::BufferView none;
    const vulkan::BufferView view = w.matrix.slices.front().view;
    const vulkan::BufferView shared = rig.buffer_of(normal_floats(columns, 21)).view;
    const vulkan::BufferView places = rig.buffer_of(std::vector<std::uint32_t>(n, NOWHERE)).view;
    const vulkan::BufferView step =
        rig.buffer_of(std::vector<std::uint32_t>{7, COUNTING_BEGIN, COUNTING_BEGIN}).view;
    const vulkan::BufferView products = rig.room_for<float>(n).view;
    const vulkan::BufferView noted = rig.room_for<std::uint32_t>(4).view;
    const vulkan::BufferView done = rig.buffer_of(std::vector<std::uint32_t>{0}).view;
    const std::array<std::uint32_t, 3> groups{groups_for(one.rows, one.teams), 1, 1};
    struct Chosen {
        const RigBuffer& experts;
        const RigBuffer& shared;
    };
    const auto room = [&rig] {
        return Chosen{rig.room_for<std::uint32_t>(2 * kUsed), rig.room_for<std::uint32_t>(2)};
    };
    const Chosen wanted = room();
    const Chosen got = room();
    params::RouteParams plain{};
    plain.matrix = w.matrix.slices.front().layout.params();
    plain.n_embd = static_cast<std::uint32_t>(columns);
    plain.scale = 1.5F;
    rig.dispatch(vulkan::router_shader(one.type),
                 {.WORKGROUP = threads,
                  .N = n,
                  .USED = kUsed,
                  .SCORES = ROUTER_SOFTMAX,
                  .BIASED = false,
                  .NORMED = true,
                  .GROUPS = 1,
                  .USED_GROUPS = 1,
                  .SHARED = true,
                  .SHARED_GATE = true,
                  .TELL = false,
                  .NOTE = true,
                  .COUNT = false,
                  .TEAM = one.team.size,
                  .SUBGROUPS = true,
                  .BLOCKS = blocks,
                  .FACTORS = false,
                  .PRODUCT_BIAS = false},
                 {.products = products,
                  .bias = none,
                  .chosen = wanted.experts.view,
                  .told = none,
                  .shared_chosen = wanted.shared.view,
                  .x = normed.floats,
                  .shared_router = shared,
                  .places = places,
                  .fired = none,
                  .step = step,
                  .noted = noted,
                  .quads = view,
                  .words = view,
                  .done = done,
                  .factors = none,
                  .product_bias = none},
                 plain, groups, one.team.required_size);
    const RigBuffer& floats = rig.room_for<float>(columns);
    const RigBuffer& bytes = rig.room_for<std::uint32_t>(columns / 4);
    const RigBuffer& scales = rig.room_for<float>(columns / 32);
    params::JoinedRouteParams joined{};
    joined.matrix = plain.matrix;
    joined.scale = plain.scale;
    joined.epsilon = kEpsilon;
    joined.add_scale = kAddScale;
    joined.stores = one.stores ? 1 : 0;
    rig.dispatch(vulkan::joined_router_shader(one.type),
                 {.WORKGROUP = threads,
                  .N = n,
                  .USED = kUsed,
                  .SCORES = ROUTER_SOFTMAX,
                  .BIASED = false,
                  .NORMED = true,
                  .GROUPS = 1,
                  .USED_GROUPS = 1,
                  .SHARED = true,
                  .SHARED_GATE = true,
                  .COUNT = false,
                  .TEAM = one.team.size,
                  .BLOCKS = blocks,
                  .FACTORS = false,
                  .PRODUCT_BIAS = false,
                  .ADDS = one.adds,
                  .NORM_THREADS = one.norm_threads},
                 {.products = products,
                  .bias = none,
                  .chosen = got.experts.view,
                  .shared_chosen = got.shared.view,
                  .shared_router = shared,
                  .places = places,
                  .fired = none,
                  .step = step,
                  .noted = noted,
                  .quads = view,
                  .words = view,
                  .done = done,
                  .factors = none,
                  .product_bias = none,
                  .stream = normed.stream,
                  .a = normed.adds[0],
                  .b = normed.adds[1],
                  .c = normed.adds[2],
                  .weight = normed.weight,
                  .stream_next = normed.stream_next->view,
                  .normed = floats.view,
                  .normed_bytes = bytes.view,
                  .normed_scales = scales.view},
                 joined, groups, one.team.required_size);
    rig.run();
    Measure measure(0);
    const auto same = [](const RigBuffer& a, const RigBuffer& b) {
        const auto words = a.as<std::uint32_t>();
        return std::equal(words.begin(), words.end(), b.as<std::uint32_t>().begin());
    };
    measure.require(same(got.experts, wanted.experts), "other experts");
    measure.require(same(got.shared, wanted.shared), "another weight of the shared expert");
    compare(measure, floats.as<float>(), normed.wanted_floats->as<float>());
    compare(measure, scales.as<float>(), normed.wanted_scales->as<float>());
    measure.require(same(bytes, *normed.wanted_bytes), "other bytes");
    normed.compare_stream(measure, one);
    return measure.outcome();
}

}  // namespace

void add_joined_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    if (!on.device->features().integer_dot) {
        return;
    }
    for (const DType type : matrix_types()) {
        // The input is made alike whatever it is multiplied with.
        if (vulkan::is_quantized(type) && type != DType::Q4_0 && type != DType::Q8_0 &&
            type != DType::Q6_K && type != DType::IQ2_XXS) {
            continue;
        }
        if (!vulkan::is_quantized(type)) {
            for (const TeamForm& team : team_forms(on)) {
                const JoinedCase one{type, team, 5 * 256, 37, 2, true, 8, 16 * team.size};
                if (team.subgroups) {
                    checks.push_back(checked(name_of("router", one),
                                             [on, one] { return check_joined_router(on, one); }));
                }
            }
            continue;
        }
        const std::uint64_t block = std::max(32U, dtype_info(type).block_values);
        for (const TeamForm& team : team_forms(on)) {
            if (!team.subgroups) {
                continue;
            }
            const std::uint32_t size = team.size;
            for (const JoinedCase& one :
                 {JoinedCase{type, team, block, 9, 0, false, 8, 64},
                  JoinedCase{type, team, 3 * 256, 70, 1, true, 8, 8 * size},
                  JoinedCase{type, team, 5 * 256, 40, 3, true, 8, 16 * size}}) {
                checks.push_back(checked(name_of("gemv", one),
                                         [on, one] { return check_joined_gemv(on, one); }));
            }
            // Sums in another order often round to the same scale: more sums.
            for (std::uint32_t k = 1; type == DType::Q4_0 && k <= 5; ++k) {
                const JoinedCase one{type,  team, 32 * (8 * k + 3), 5, k % 4,
                                     false, 4,    16 * team.size};
                checks.push_back(checked(name_of("gemv", one),
                                         [on, one] { return check_joined_gemv(on, one); }));
            }
            const JoinedCase sparse{type, team, 3 * 256, 134, 2, true, 8, 16 * size};
            checks.push_back(checked(name_of("sparse neurons", sparse), [on, sparse] {
                return check_joined_neurons(on, sparse, true);
            }));
            const JoinedCase dense{type, team, 256, 134, 0, false, 8, 64};
            checks.push_back(checked(name_of("neurons", dense), [on, dense] {
                return check_joined_neurons(on, dense, false);
            }));
        }
    }
}

}  // namespace hearth::test
