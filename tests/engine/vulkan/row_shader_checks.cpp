// norm.comp, norm_apart.comp, norm_join.comp, quantize.comp and layer_input.comp: rows of
// activations.
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <string>

#include "engine/vulkan/shader_checks.h"
#include "interfaces/layer_input.h"
#include "interfaces/norm.h"
#include "interfaces/norm_apart.h"
#include "interfaces/norm_join.h"
#include "interfaces/quantize.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

namespace interfaces = vulkan::interfaces;
namespace params = vulkan::params;

struct NormCase {
    std::uint32_t columns = 32;
    std::uint32_t n_tokens = 1;
    std::uint32_t n_adds = 0;
    bool from_input = false;  // x is what the processor left
    bool publish = false;
    bool norm = true;
    bool layer_norm = false;
    bool bias = false;
    bool floats = true;
    bool bytes = false;
    float add_scale = 1;
    bool weighed = true;    // else what is normed stays as it is
    bool in_place = false;  // of floats: x itself becomes the normed one
    float stream_scale = 1;
    bool halves = false;  // in the place of bytes
    TeamForm team = {};
};

std::string name_of(const NormCase& one) {
    return "shader/norm " + std::to_string(one.n_tokens) + "x" + std::to_string(one.columns) +
           " adds " + std::to_string(one.n_adds) + (one.from_input ? " to the input" : "") +
           (one.publish ? ", publishes" : "") + (one.norm ? "" : ", no norm") +
           (one.layer_norm ? ", layer norm" : "") + (one.bias ? ", bias" : "") +
           (one.norm && one.floats ? ", floats" : "") +
           (!one.bytes   ? ""
            : one.halves ? ", halves"
                         : ", bytes") +
           (one.add_scale != 1 ? ", scaled" : "") + (one.weighed ? "" : ", not weighed") +
           (one.in_place ? ", in place" : "") + (one.stream_scale != 1 ? ", times a scale" : "") +
           one.team.name;
}

CheckOutcome check_norm(const ShaderDevice& on, const NormCase& one) {
    const std::uint32_t threads =
        vulkan::norm_threads(on.device->features(), static_cast<int>(one.columns));
    constexpr float kEpsilon = 1e-5F;
    const std::size_t columns = one.columns;
    const std::size_t count = columns * one.n_tokens;
    ShaderRig rig(on);
    std::vector<std::vector<float>> inputs;
    for (unsigned i = 0; i < 5; ++i) {  // the input, x and what is added
        inputs.push_back(normal_floats(count, 1 + i));
    }
    for (float& value : inputs[one.from_input ? 0 : 1]) {
        value += 3;  // a mean worth taking away
    }
    const std::vector<float> weight = normal_floats(columns, 7);
    const std::vector<float> bias = normal_floats(columns, 8);
    const RigBuffer& input = rig.buffer_of(inputs[0]);
    const RigBuffer& x = rig.buffer_of(inputs[1]);
    std::array<vulkan::BufferView, 3> adds;
    for (std::size_t i = 0; i < one.n_adds; ++i) {
        adds[i] = rig.buffer_of(inputs[2 + i]).view;
    }
    const RigBuffer& published = rig.room_for<float>(count);
    const RigBuffer& normed = rig.room_for<float>(count);
    const RigBuffer& bytes = rig.room_for<std::int8_t>(one.halves ? 2 * count : count);
    const RigBuffer& scales = rig.room_for<float>(count / 32);
    const RigBuffer& stream_scale = rig.buffer_of(std::vector<float>{one.stream_scale});
    params::NormParams p{};
    p.columns = one.columns;
    p.epsilon = kEpsilon;
    p.x_from = one.from_input ? 1 : 0;
    p.add_scale = one.add_scale;
    rig.dispatch(
        vulkan::shader_of<interfaces::Norm>(),
        {.WORKGROUP = threads,
         .ADDS = one.n_adds,
         .PUBLISH = one.publish,
         .NORM = one.norm,
         .LAYER_NORM = one.layer_norm,
         .HAS_BIAS = one.bias,
         .WRITE_FLOATS = one.floats,
         .WRITE_BYTES = one.bytes,
         .SUBGROUPS = one.team.subgroups,
         .WEIGHED = one.weighed,
         .SCALED = one.stream_scale != 1,
         .HALVES = one.halves},
        {.x_in = input.view,
         .x = x.view,
         .a = adds[0],
         .b = adds[1],
         .c = adds[2],
         .weight = one.norm && one.weighed ? rig.buffer_of(weight).view : vulkan::BufferView{},
         .bias = one.bias ? rig.buffer_of(bias).view : vulkan::BufferView{},
         .published = published.view,
         .normed = one.in_place ? x.view : normed.view,
         .normed_bytes = bytes.view,
         .normed_scales = scales.view,
         .stream_scale = stream_scale.view},
        p, {one.n_tokens, 1, 1});
    rig.run();

    Measure measure(2e-6);
    std::vector<double> wanted(count);
    std::vector<double> sizes(count);
    for (std::size_t t = 0; t < one.n_tokens; ++t) {
        std::vector<Sum> row(columns);
        Sum mean;
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t at = t * columns + c;
            row[c].add(static_cast<double>(inputs[one.from_input ? 0 : 1][at]));
            for (std::size_t i = 0; i < one.n_adds; ++i) {
                row[c].add(static_cast<double>(one.add_scale) *
                           static_cast<double>(inputs[2 + i][at]));
            }
            row[c].value *= static_cast<double>(one.stream_scale);
            if (!one.in_place) {
                measure.add(static_cast<double>(x.as<float>()[at]), row[c]);
            }
            if (one.publish) {
                measure.add(static_cast<double>(published.as<float>()[at]), row[c]);
            }
            mean.add(row[c].value / static_cast<double>(columns));
        }
        double squares = 0;
        for (Sum& value : row) {
            if (one.layer_norm && one.weighed) {
                value.add(-mean.value);
            }
            squares += value.value * value.value;
        }
        const double scale =
            1 / std::sqrt(squares / static_cast<double>(columns) + static_cast<double>(kEpsilon));
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t at = t * columns + c;
            const double factor = one.weighed ? scale * static_cast<double>(weight[c]) : 1;
            wanted[at] = row[c].value * factor;
            sizes[at] = row[c].size * std::fabs(factor);
            if (one.bias) {
                wanted[at] += static_cast<double>(bias[c]);
                sizes[at] += std::fabs(static_cast<double>(bias[c]));
            }
            if (one.norm && one.floats) {
                const RigBuffer& out = one.in_place ? x : normed;
                measure.add(static_cast<double>(out.as<float>()[at]), wanted[at], sizes[at]);
            }
        }
    }
    if (one.halves) {
        measure.add_halves(bytes.as<std::uint16_t>(), columns, wanted, sizes);
    } else if (one.bytes) {
        measure.add_bytes(bytes.as<std::int8_t>(), scales.as<float>(), wanted, sizes);
    }
    const auto unwanted = [&](const RigBuffer& buffer, bool asked, const char* what) {
        const auto floats = buffer.as<float>();
        measure.require(asked || std::all_of(floats.begin(), floats.end(), is_untouched), what);
    };
    unwanted(published, one.publish, "published what nobody asked for");
    unwanted(normed, one.norm && one.floats && !one.in_place, "wrote floats nobody asked for");
    unwanted(scales, one.norm && one.bytes && !one.halves, "wrote bytes nobody asked for");
    return measure.outcome();
}

// Norms of a dense block beside experts.
struct ApartCase {
    std::uint32_t columns = 32;
    std::uint32_t n_tokens = 1;
    // norm_apart.comp: published; norm_join.comp: the processor has a part of the sum.
    bool with_processor = false;
    bool beside_floats = true;
    bool beside_bytes = false;
    bool experts_floats = true;
    bool experts_bytes = false;
    bool halves = false;  // in the place of bytes
    TeamForm team = {};
};

std::string name_of(const char* shader, const ApartCase& one) {
    return std::string("shader/") + shader + " " + std::to_string(one.n_tokens) + "x" +
           std::to_string(one.columns) + (one.with_processor ? ", with the processor" : "") +
           (one.beside_floats ? ", floats" : "") + (one.beside_bytes ? ", bytes" : "") +
           (one.experts_floats ? ", experts' floats" : "") +
           (one.experts_bytes ? ", experts' bytes" : "") + (one.halves ? ", halves" : "") +
           one.team.name;
}

constexpr float kApartEpsilon = 1e-3F;

// A row of that norm is multiplied by it.
double norm_of(std::span<const Sum> row) {
    double squares = 0;
    for (const Sum& value : row) {
        squares += value.value * value.value;
    }
    return 1 / std::sqrt(squares / static_cast<double>(row.size()) +
                         static_cast<double>(kApartEpsilon));
}

CheckOutcome check_norm_apart(const ShaderDevice& on, const ApartCase& one) {
    constexpr float kAddScale = 0.6F;
    constexpr float kRouterScale = 0.2F;
    const std::size_t columns = one.columns;
    const std::size_t count = columns * one.n_tokens;
    ShaderRig rig(on);
    const std::vector<float> before = normal_floats(count, 1);
    const std::vector<float> more = normal_floats(count, 2);
    std::array<std::vector<float>, 3> weights;  // of the router, of the block, of the experts
    for (unsigned i = 0; i < 3; ++i) {
        weights[i] = normal_floats(columns, 3 + i);
    }
    const RigBuffer& x = rig.buffer_of(before);
    const RigBuffer& published = rig.room_for<float>(count);
    const RigBuffer& router_in = rig.room_for<float>(count);
    const RigBuffer& beside_in = rig.room_for<float>(count);
    const RigBuffer& beside_bytes = rig.room_for<std::int8_t>(one.halves ? 2 * count : count);
    const RigBuffer& beside_scales = rig.room_for<float>(count / 32);
    const RigBuffer& experts_in = rig.room_for<float>(count);
    const RigBuffer& experts_bytes = rig.room_for<std::int8_t>(one.halves ? 2 * count : count);
    const RigBuffer& experts_scales = rig.room_for<float>(count / 32);
    rig.dispatch(
        vulkan::shader_of<interfaces::NormApart>(),
        {.WORKGROUP = vulkan::norm_threads(on.device->features(), static_cast<int>(one.columns)),
         .PUBLISH = one.with_processor,
         .BESIDE_FLOATS = one.beside_floats,
         .BESIDE_BYTES = one.beside_bytes,
         .EXPERTS_FLOATS = one.experts_floats,
         .EXPERTS_BYTES = one.experts_bytes,
         .SUBGROUPS = one.team.subgroups,
         .HALVES = one.halves},
        {.x = x.view,
         .a = rig.buffer_of(more).view,
         .published = published.view,
         .router_weight = rig.buffer_of(weights[0]).view,
         .beside_weight = rig.buffer_of(weights[1]).view,
         .experts_weight = rig.buffer_of(weights[2]).view,
         .router_in = router_in.view,
         .beside_in = beside_in.view,
         .beside_bytes = beside_bytes.view,
         .beside_scales = beside_scales.view,
         .experts_in = experts_in.view,
         .experts_bytes = experts_bytes.view,
         .experts_scales = experts_scales.view},
        {.columns = one.columns,
         .epsilon = kApartEpsilon,
         .add_scale = kAddScale,
         .router_scale = kRouterScale},
        {one.n_tokens, 1, 1});
    rig.run();
    Measure measure(2e-6);
    std::array<std::vector<double>, 3> wanted;
    std::array<std::vector<double>, 3> sizes;
    for (std::size_t t = 0; t < one.n_tokens; ++t) {
        std::vector<Sum> row(columns);
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t at = t * columns + c;
            row[c].add(static_cast<double>(before[at]));
            row[c].add(static_cast<double>(kAddScale) * static_cast<double>(more[at]));
            measure.add(static_cast<double>(x.as<float>()[at]), row[c]);
            if (one.with_processor) {
                measure.add(static_cast<double>(published.as<float>()[at]), row[c]);
            }
        }
        const double scale = norm_of(row);
        for (std::size_t c = 0; c < columns; ++c) {
            for (std::size_t i = 0; i < 3; ++i) {
                const double factor = scale * static_cast<double>(weights[i][c]) *
                                      (i == 0 ? static_cast<double>(kRouterScale) : 1.0);
                wanted[i].push_back(row[c].value * factor);
                sizes[i].push_back(row[c].size * std::fabs(factor));
            }
        }
    }
    const auto check = [&](std::size_t i, const RigBuffer& floats, bool has_floats,
                           const RigBuffer& bytes, const RigBuffer& scales, bool has_bytes) {
        const auto seen = floats.as<float>();
        for (std::size_t at = 0; at < count && has_floats; ++at) {
            measure.add(static_cast<double>(seen[at]), wanted[i][at], sizes[i][at]);
        }
        measure.require(has_floats || std::all_of(seen.begin(), seen.end(), is_untouched),
                        "wrote floats nobody asked for");
        const auto of_bytes = scales.as<float>();
        if (has_bytes && one.halves) {
            measure.add_halves(bytes.as<std::uint16_t>(), columns, wanted[i], sizes[i]);
        } else if (has_bytes) {
            measure.add_bytes(bytes.as<std::int8_t>(), of_bytes, wanted[i], sizes[i]);
        }
        measure.require((has_bytes && !one.halves) ||
                            std::all_of(of_bytes.begin(), of_bytes.end(), is_untouched),
                        "wrote bytes nobody asked for");
    };
    check(0, router_in, true, router_in, rig.room_for<float>(1), false);
    check(1, beside_in, one.beside_floats, beside_bytes, beside_scales, one.beside_bytes);
    check(2, experts_in, one.experts_floats, experts_bytes, experts_scales, one.experts_bytes);
    const auto sent = published.as<float>();
    measure.require(one.with_processor || std::all_of(sent.begin(), sent.end(), is_untouched),
                    "published what nobody asked for");
    return measure.outcome();
}

CheckOutcome check_norm_join(const ShaderDevice& on, const ApartCase& one) {
    const std::size_t columns = one.columns;
    const std::size_t count = columns * one.n_tokens;
    ShaderRig rig(on);
    const std::vector<float> experts = normal_floats(count, 1);
    const std::vector<float> partial = normal_floats(count, 2);
    const std::vector<float> beside = normal_floats(count, 3);
    std::array<std::vector<float>, 3> weights;  // of the experts, of the block, of their sum
    for (unsigned i = 0; i < 3; ++i) {
        weights[i] = normal_floats(columns, 4 + i);
    }
    const RigBuffer& y = rig.buffer_of(experts);
    rig.dispatch(
        vulkan::shader_of<interfaces::NormJoin>(),
        {.WORKGROUP = vulkan::norm_threads(on.device->features(), static_cast<int>(one.columns)),
         .PARTIAL = one.with_processor,
         .SUBGROUPS = one.team.subgroups},
        {.y = y.view,
         .partial = rig.buffer_of(partial).view,
         .beside = rig.buffer_of(beside).view,
         .experts_weight = rig.buffer_of(weights[0]).view,
         .beside_weight = rig.buffer_of(weights[1]).view,
         .weight = rig.buffer_of(weights[2]).view},
        {.columns = one.columns, .epsilon = kApartEpsilon}, {one.n_tokens, 1, 1});
    rig.run();
    Measure measure(3e-6);
    for (std::size_t t = 0; t < one.n_tokens; ++t) {
        std::vector<Sum> of_experts(columns);
        std::vector<Sum> of_block(columns);
        for (std::size_t c = 0; c < columns; ++c) {
            const std::size_t at = t * columns + c;
            of_experts[c].add(static_cast<double>(experts[at]));
            if (one.with_processor) {
                of_experts[c].add(static_cast<double>(partial[at]));
            }
            of_block[c].add(static_cast<double>(beside[at]));
        }
        const double scale = norm_of(of_experts);
        const double block_scale = norm_of(of_block);
        std::vector<Sum> joined(columns);
        for (std::size_t c = 0; c < columns; ++c) {
            joined[c].add(of_experts[c].value * scale * static_cast<double>(weights[0][c]));
            joined[c].add(of_block[c].value * block_scale * static_cast<double>(weights[1][c]));
        }
        const double joined_scale = norm_of(joined);
        for (std::size_t c = 0; c < columns; ++c) {
            const double factor = joined_scale * static_cast<double>(weights[2][c]);
            measure.add(static_cast<double>(y.as<float>()[t * columns + c]),
                        joined[c].value * factor, joined[c].size * std::fabs(factor));
        }
    }
    return measure.outcome();
}

// As the CPU's: the extreme of 32 values is 127 or -127, zeros have the scale 0.
CheckOutcome check_quantize(const ShaderDevice& on, std::uint32_t n_rows, std::uint32_t columns,
                            bool halves) {
    constexpr std::uint32_t kThreads = 64;
    ShaderRig rig(on);
    std::vector<float> values = normal_floats(std::size_t{n_rows} * columns, 1);
    std::fill_n(values.begin(), 32, 0.0F);
    const RigBuffer& x = rig.buffer_of(values);
    const RigBuffer& bytes = rig.room_for<std::int8_t>(values.size() * (halves ? 2 : 1));
    const RigBuffer& scales = rig.room_for<float>(values.size() / 32);
    params::QuantizeParams p{};
    p.columns = columns;
    p.n_rows = n_rows;
    rig.dispatch(
        vulkan::shader_of<interfaces::Quantize>(), {.WORKGROUP = kThreads, .HALVES = halves},
        {.x = x.view, .bytes = bytes.view, .scales = scales.view}, p,
        {groups_for(std::uint64_t{n_rows} * columns / (halves ? QUANTIZE_HALVES : 32), kThreads), 1,
         1});
    rig.run();
    Measure measure(1e-6);
    const std::vector<double> wanted(values.begin(), values.end());
    if (halves) {
        measure.add_halves(bytes.as<std::uint16_t>(), columns, wanted, wanted);
        measure.require(is_untouched(scales.as<float>()[0]), "halves have a scale");
        return measure.outcome();
    }
    measure.add_bytes(bytes.as<std::int8_t>(), scales.as<float>(), wanted, wanted);
    measure.require(scales.as<float>()[0] == 0, "zeros have a scale");
    const auto q = bytes.as<std::int8_t>();
    for (std::size_t block = 1; block < values.size() / 32; ++block) {
        int most = 0;
        for (const std::int8_t one : q.subspan(32 * block, 32)) {
            most = std::max(most, std::abs(int{one}));
        }
        measure.require(most == 127, "a block's extreme is not 127");
    }
    return measure.outcome();
}

// The inputs of the second of three layers.
CheckOutcome check_layer_input(const ShaderDevice& on, std::uint32_t n_tokens,
                               std::uint32_t width) {
    constexpr std::uint32_t kThreads = 64;
    constexpr std::uint32_t kLayers = 3;
    ShaderRig rig(on);
    const std::vector<float> before = normal_floats(std::size_t{n_tokens} * width, 1);
    const std::vector<float> values = normal_floats(before.size() * kLayers, 2);
    const RigBuffer& gates = rig.buffer_of(before);
    const RigBuffer& inputs = rig.buffer_of(values);
    rig.dispatch(vulkan::shader_of<interfaces::LayerInput>(), {.WORKGROUP = kThreads},
                 {.gates = gates.view, .inputs = inputs.view},
                 {.width = width, .stride = kLayers * width, .first = width, .n_tokens = n_tokens},
                 {groups_for(before.size(), kThreads), 1, 1});
    rig.run();
    Measure measure(5e-6);
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto x = static_cast<double>(before[i]);
        const auto input =
            static_cast<double>(values[i / width * kLayers * width + width + i % width]);
        const double gelu =
            0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
        measure.add(static_cast<double>(gates.as<float>()[i]), gelu * input, std::fabs(x * input));
    }
    return measure.outcome();
}

}  // namespace

void add_row_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    std::vector<NormCase> cases;
    for (std::uint32_t n_adds = 0; n_adds <= 3; ++n_adds) {
        cases.push_back({.columns = 96, .n_tokens = 3, .n_adds = n_adds});
        cases.push_back({.columns = 1056,
                         .n_tokens = 2,
                         .n_adds = n_adds,
                         .from_input = true,
                         .publish = true,
                         .layer_norm = true,
                         .bias = true,
                         .bytes = true});
    }
    cases.push_back({.columns = 32, .n_tokens = 1, .n_adds = 1, .floats = false, .bytes = true});
    cases.push_back({.columns = 4096, .n_tokens = 1, .n_adds = 2, .bytes = true});
    cases.push_back({.columns = 96,
                     .n_tokens = 5,
                     .n_adds = 2,
                     .publish = true,
                     .norm = false,
                     .floats = false});
    cases.push_back({.columns = 160, .n_tokens = 2, .n_adds = 0, .layer_norm = true});
    cases.push_back({.columns = 96, .n_tokens = 3, .n_adds = 3, .bytes = true, .add_scale = 0.22F});
    cases.push_back({.columns = 96,
                     .n_tokens = 3,
                     .n_adds = 1,
                     .layer_norm = true,
                     .bytes = true,
                     .weighed = false});
    for (std::uint32_t n_adds = 0; n_adds <= 2; ++n_adds) {
        cases.push_back({.columns = 96,
                         .n_tokens = 3,
                         .n_adds = n_adds,
                         .publish = n_adds == 1,
                         .bytes = true,
                         .stream_scale = 0.6F});
        cases.push_back({.columns = 1056, .n_tokens = 3, .n_adds = n_adds, .in_place = true});
    }
    cases.push_back({.columns = 1056,
                     .n_tokens = 3,
                     .n_adds = 1,
                     .floats = false,
                     .bytes = true,
                     .halves = true});
    for (NormCase one : cases) {
        for (const TeamForm& team : team_forms(on)) {
            one.team = team;
            checks.push_back(checked(name_of(one), [on, one] { return check_norm(on, one); }));
        }
    }
    for (ApartCase one : {ApartCase{.columns = 96, .n_tokens = 3, .experts_bytes = true},
                          ApartCase{.columns = 2816,
                          .with_processor = true,
                          .beside_floats = false,
                          .beside_bytes = true,
                          .experts_floats = false,
                          .experts_bytes = true},
                          ApartCase{.columns = 4224,  // more than a workgroup has threads for
                                    .n_tokens = 2,
                          .with_processor = true,
                          .beside_bytes = true,
                          .experts_floats = true},
                          ApartCase{.columns = 96,
                          .n_tokens = 3,
                          .beside_bytes = true,
                          .experts_floats = false,
                          .experts_bytes = true,
                          .halves = true}}) {
        for (const TeamForm& team : team_forms(on)) {
            one.team = team;
            checks.push_back(checked(name_of("norm_apart", one),
                                     [on, one] { return check_norm_apart(on, one); }));
            checks.push_back(
                checked(name_of("norm_join", one), [on, one] { return check_norm_join(on, one); }));
        }
    }
    // As many values of four as a small workgroup has threads, by subgroups alone.
    for (const TeamForm& team : team_forms(on)) {
        if (team.subgroups) {
            const NormCase one{
                .columns = 256, .n_tokens = 2, .n_adds = 1, .bytes = true, .team = team};
            checks.push_back(checked(name_of(one), [on, one] { return check_norm(on, one); }));
        }
    }
    for (const auto& [rows, columns] :
         {std::pair{1U, 32U}, std::pair{3U, 96U}, std::pair{7U, 1056U}}) {
        checks.push_back(
            checked("shader/quantize " + std::to_string(rows) + "x" + std::to_string(columns),
                    [on, n = rows, c = columns] { return check_quantize(on, n, c, false); }));
        checks.push_back(checked(
            "shader/quantize halves " + std::to_string(rows) + "x" + std::to_string(columns),
            [on, n = rows, c = columns] { return check_quantize(on, n, c, true); }));
        checks.push_back(
            checked("shader/layer_input " + std::to_string(rows) + "x" + std::to_string(columns),
                    [on, n = rows, c = columns] { return check_layer_input(on, n, c); }));
    }
}

}  // namespace hearth::test
