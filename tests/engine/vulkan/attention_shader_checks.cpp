// attention_decode.comp, rope_store.comp and head_norm.comp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "base/half.h"
#include "engine/vulkan/attention_cases.h"
#include "engine/vulkan/shader_checks.h"
#include "interfaces/attention_decode.h"
#include "interfaces/head_norm.h"
#include "interfaces/rope_store.h"
#include "vulkan/shader_catalog.h"

namespace hearth::test {
namespace {

using vulkan::DecodeForm;

namespace interfaces = vulkan::interfaces;
namespace params = vulkan::params;

// What each head's queries and keys are before and after rotation, in double.
struct Token {
    std::vector<float> q, k, v;               // [n_tokens, heads, dim]
    std::vector<float> angles;                // [n_tokens, n_pairs, 2]
    std::array<std::vector<float>, 2> norms;  // weights of those of q and of k
    std::vector<Sum> rotated_q, rotated_k;    // after the norms, if heads are normed
};

std::vector<Sum> rotated(const AttentionCase& one, const std::vector<float>& x,
                         std::uint32_t n_head, const std::vector<float>& angles) {
    const std::size_t dim = one.heads.dim;
    std::vector<Sum> out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const std::size_t at = i % dim;
        const std::size_t token = i / (dim * n_head);
        if (one.pairing == Pairing::None || at >= 2 * std::size_t{one.n_pairs}) {
            out[i].add(static_cast<double>(x[i]));
            continue;
        }
        const bool neighbours = one.pairing == Pairing::Neighbours;
        const std::size_t pair = neighbours ? at / 2 : at % one.n_pairs;
        const bool second = neighbours ? at % 2 == 1 : at >= one.n_pairs;
        const std::size_t distance = neighbours ? 1 : one.n_pairs;
        const std::size_t angle = 2 * (token * one.n_pairs + pair);
        const auto cosine = static_cast<double>(angles[angle]);
        const auto sine = static_cast<double>(angles[angle + 1]);
        const auto a = static_cast<double>(x[second ? i - distance : i]);
        const auto b = static_cast<double>(x[second ? i : i + distance]);
        out[i].add(second ? a * sine : a * cosine);
        out[i].add(second ? b * cosine : -b * sine);
    }
    return out;
}

// Heads as long as their weight, each normed by itself.
std::vector<float> normed_heads(const std::vector<float>& heads, const std::vector<float>& weight) {
    std::vector<float> out;
    for (std::size_t at = 0; at < heads.size(); at += weight.size()) {
        double squares = 0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
            squares += static_cast<double>(heads[at + i]) * static_cast<double>(heads[at + i]);
        }
        const double factor = 1 / std::sqrt(squares / static_cast<double>(weight.size()) +
                                            static_cast<double>(kNormEpsilon));
        for (std::size_t i = 0; i < weight.size(); ++i) {
            out.push_back(static_cast<float>(static_cast<double>(heads[at + i]) * factor *
                                             static_cast<double>(weight[i])));
        }
    }
    return out;
}

Token random_token(const AttentionCase& one) {
    const Heads& heads = one.heads;
    Token token;
    token.q = normal_floats(std::size_t{one.n_tokens} * heads.n_head * heads.dim, 1);
    token.k = normal_floats(std::size_t{one.n_tokens} * heads.n_head_kv * heads.dim, 2);
    token.v = normal_floats(token.k.size(), 3);
    for (std::uint32_t t = 0; t < one.n_tokens; ++t) {
        for (std::uint32_t i = 0; i < one.n_pairs; ++i) {
            const double angle = (one.position + t + 0.3) / std::pow(50.0, i / 7.0);
            token.angles.push_back(static_cast<float>(std::cos(angle)));
            token.angles.push_back(static_cast<float>(std::sin(angle)));
        }
    }
    if (token.angles.empty()) {
        token.angles.resize(2);
    }
    token.norms = {normal_floats(heads.dim, 6), normal_floats(heads.dim, 7)};
    token.rotated_q =
        rotated(one, one.norms_heads ? normed_heads(token.q, token.norms[0]) : token.q,
                heads.n_head, token.angles);
    token.rotated_k =
        rotated(one, one.norms_heads ? normed_heads(token.k, token.norms[1]) : token.k,
                heads.n_head_kv, token.angles);
    return token;
}

// The cache after the tokens were stored: their rows are nearest halves, all others as before.
void measure_cache(Measure& measure, const AttentionCase& one, const Token& token,
                   const std::vector<std::uint16_t>& keys_before,
                   const std::vector<std::uint16_t>& values_before,
                   std::span<const std::uint16_t> keys, std::span<const std::uint16_t> values) {
    const std::size_t dim = one.heads.dim;
    const std::size_t first = std::size_t{one.past_at} * 2;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const std::size_t at = i < first ? 0 : i - first;
        const std::size_t row = at / dim % one.n_ctx;
        if (i < first || row < one.position || row >= one.position + one.n_tokens || !one.stores) {
            measure.require(keys[i] == keys_before[i] && values[i] == values_before[i],
                            "changed another token's row");
            continue;
        }
        const std::size_t head = at / dim / one.n_ctx;
        const std::size_t from =
            ((row - one.position) * one.heads.n_head_kv + head) * dim + at % dim;
        measure.require(values[i] == float_to_half(token.v[from]),
                        "a value is not as it was given");
        // Half a step of a half is 2^-11 of it; what is more is the rotation's own error.
        const Sum& key = token.rotated_k[from];
        const double off = std::fabs(static_cast<double>(half_to_float(keys[i])) - key.value) -
                           std::max(std::fabs(key.value) * 0x1p-11, 0x1p-25);
        measure.add(std::max(off, 0.0), 0, key.size);
    }
}

// The same of a past in bytes: the token's row is nearest bytes.
void measure_bytes(Measure& measure, const AttentionCase& one, const Token& token,
                   const std::vector<Sum>& exact, const std::vector<std::uint16_t>& before,
                   std::span<const std::uint16_t> after) {
    const std::size_t dim = one.heads.dim;
    const BytesPlaces places(one);
    const std::vector<double> numbers = numbers_of(one, after);
    const auto row_of = [&](std::size_t half) {
        return half >= places.scales     ? (half - places.scales) / places.row_scales % one.n_ctx
               : half < places.codes / 2 ? one.n_ctx
                                         : (half - places.codes / 2) * 2 / dim % one.n_ctx;
    };
    for (std::size_t i = 0; i < after.size(); ++i) {
        measure.require((one.stores && row_of(i) == one.position) || after[i] == before[i],
                        "changed another token's row");
    }
    if (!one.stores) {
        return;
    }
    measure.require(token.k.size() == exact.size(), "one token");
    std::size_t count = 0;
    for (std::size_t from = 0; from < exact.size(); from += count) {
        count = std::min<std::size_t>(32, dim - from % dim);
        const std::size_t at = (from / dim * one.n_ctx + one.position) * dim + from % dim;
        double largest = 0;
        for (std::size_t i = 0; i < count; ++i) {
            largest = std::max(largest, std::fabs(exact[from + i].value));
        }
        for (std::size_t i = 0; i < count; ++i) {
            // Half a step, and the rounding of a step to a half at the largest code.
            const double allowed = largest / 127 * (0.5 + 127 * 0x1p-11);
            const double off = std::fabs(numbers[at + i] - exact[from + i].value) - allowed;
            measure.add(std::max(off, 0.0), 0, exact[from + i].size);
        }
    }
}

// ---- a token -----------------------------------------------------------------------------------

CheckOutcome check_decode(const ShaderDevice& on, const AttentionCase& one, DecodeForm form) {
    const bool by_teams = form != DecodeForm::Alone;
    const Heads& heads = one.heads;
    const Token token = random_token(one);
    const std::uint32_t n_rows = one.position + (one.stores ? 0 : 1);
    const auto cache = one.bytes ? random_bytes : random_cache;
    const auto keys_before = cache(one, n_rows, 4);
    const auto values_before = cache(one, n_rows, 5);
    const std::size_t count = token.q.size();
    ShaderRig rig(on);
    const RigBuffer& step = rig.buffer_of(step_of(one));
    const RigBuffer& angles = rig.buffer_of(token.angles);
    const RigBuffer& q = rig.buffer_of(token.q);
    const RigBuffer& k = rig.buffer_of(token.k);
    const RigBuffer& v = rig.buffer_of(token.v);
    const RigBuffer& keys = rig.buffer_of(keys_before);
    const RigBuffer& values = rig.buffer_of(values_before);
    const RigBuffer& parts =
        rig.room_for<float>(std::size_t{heads.n_head} * one.n_parts * (heads.dim + 2));
    const RigBuffer& done = rig.buffer_of(std::vector<std::uint32_t>(heads.n_head, 0));
    const RigBuffer& floats = rig.room_for<float>(count);
    const RigBuffer& bytes = rig.room_for<std::int8_t>(count);
    const RigBuffer& scales = rig.room_for<float>(count / 32);
    const std::uint32_t tile =
        by_teams
            ? vulkan::attention_team_tile(on.teams, static_cast<int>(heads.dim), one.bytes)
            : vulkan::attention_tile(static_cast<int>(heads.dim), static_cast<int>(one.group()),
                                     on.device->features().shared_bytes_max);
    const RigBuffer& q_norm = rig.buffer_of(token.norms[0]);
    const RigBuffer& k_norm = rig.buffer_of(token.norms[1]);
    const RigBuffer& sinks = rig.buffer_of(sinks_of(one));
    for (int run = 0; run < 2; ++run) {  // the second finds what the first left of `done`
        rig.dispatch(vulkan::attention_decode_shader(form),
                     {.WORKGROUP = vulkan::attention_threads(static_cast<int>(heads.dim)),
                      .HEAD_DIM = heads.dim,
                      .GROUP = one.group(),
                      .PARTS = one.n_parts,
                      .WRITE_FLOATS = !one.to_bytes,
                      .WRITE_BYTES = one.to_bytes,
                      .TILE = tile,
                      .TEAM = on.teams.size,
                      .CAPPED = one.soft_cap > 0,
                      .WINDOWED = one.window > 0,
                      .BYTES = one.bytes,
                      .TEMPERED = one.temperature > 0,
                      .STORES = one.stores,
                      .SHARERS = one.sharers,
                      .NORMS = one.norms_heads,
                      .SINKS = one.sinks,
                      .SEVERAL = false},
                     {.step = step.view,
                      .angles = angles.view,
                      .q = q.view,
                      .k = k.view,
                      .v = v.view,
                      .keys = keys.view,
                      .values = values.view,
                      .parts = parts.view,
                      .done = done.view,
                      .attended = floats.view,
                      .attended_bytes = bytes.view,
                      .attended_scales = scales.view,
                      .q_norm = q_norm.view,
                      .k_norm = k_norm.view,
                      .sinks = sinks.view,
                      .key_quads = keys.view,
                      .value_quads = values.view},
                     params_of(one), {one.n_parts * one.sharers, heads.n_head_kv, 1},
                     by_teams ? on.teams.required_size : 0);
    }
    rig.run();
    Measure measure(5e-6);
    const auto keys_after = keys.as<const std::uint16_t>();
    const auto values_after = values.as<const std::uint16_t>();
    if (one.bytes) {
        std::vector<Sum> value(token.v.size());
        for (std::size_t i = 0; i < value.size(); ++i) {
            value[i].add(static_cast<double>(token.v[i]));
        }
        measure_bytes(measure, one, token, token.rotated_k, keys_before, keys_after);
        measure_bytes(measure, one, token, value, values_before, values_after);
    } else {
        measure_cache(measure, one, token, keys_before, values_before, keys_after, values_after);
    }
    const std::vector<double> key_numbers = numbers_of(one, keys_after);
    const std::vector<double> value_numbers = numbers_of(one, values_after);
    std::vector<double> wanted;
    std::vector<double> sizes;
    for (std::uint32_t head = 0; head < heads.n_head; ++head) {
        const auto query =
            std::span(token.rotated_q).subspan(std::size_t{head} * heads.dim, heads.dim);
        for (const Sum& sum :
             attended(one, query, head, one.position + 1, key_numbers, value_numbers)) {
            wanted.push_back(sum.value);
            sizes.push_back(sum.size);
        }
    }
    if (one.to_bytes) {
        measure.add_bytes(bytes.as<std::int8_t>(), scales.as<float>(), wanted, sizes);
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            measure.add(static_cast<double>(floats.as<float>()[i]), wanted[i], sizes[i]);
        }
    }
    const auto left = done.as<std::uint32_t>();
    measure.require(std::all_of(left.begin(), left.end(), [](std::uint32_t n) { return n == 0; }),
                    "the count of parts is not 0 afterwards");
    return measure.outcome();
}

CheckOutcome check_decode_alone(const ShaderDevice& on, const AttentionCase& one) {
    return check_decode(on, one, DecodeForm::Alone);
}
CheckOutcome check_decode_teams(const ShaderDevice& on, const AttentionCase& one) {
    return check_decode(on, one, one.bytes ? DecodeForm::Bytes : DecodeForm::Teams);
}
CheckOutcome check_decode_rows(const ShaderDevice& on, const AttentionCase& one) {
    return check_decode(on, one, DecodeForm::Rows);
}

// ---- a batch -----------------------------------------------------------------------------------

CheckOutcome check_rope_store(const ShaderDevice& on, const AttentionCase& one) {
    constexpr std::uint32_t kThreads = 64;
    const Heads& heads = one.heads;
    const Token token = random_token(one);
    const auto keys_before = random_cache(one, one.position, 4);
    const auto values_before = random_cache(one, one.position, 5);
    ShaderRig rig(on);
    const RigBuffer& step = rig.buffer_of(step_of(one));
    const RigBuffer& angles = rig.buffer_of(token.angles);
    const RigBuffer& q = rig.buffer_of(token.q);
    const RigBuffer& k = rig.buffer_of(token.k);
    const RigBuffer& v = rig.buffer_of(token.v);
    const RigBuffer& keys = rig.buffer_of(keys_before);
    const RigBuffer& values = rig.buffer_of(values_before);
    const std::uint32_t pairs = heads.n_head * heads.dim / 2 + heads.n_head_kv * heads.dim;
    rig.dispatch(vulkan::shader_of<interfaces::RopeStore>(),
                 {.WORKGROUP = kThreads,
                  .HEAD_DIM = heads.dim,
                  .BYTES = false,
                  .STORES = one.stores,
                  .ROTATES = true,
                  .NORMS = false,
                  .TEAM = on.teams.size},
                 {.step = step.view,
                  .angles = angles.view,
                  .q = q.view,
                  .k = k.view,
                  .v = v.view,
                  .keys = keys.view,
                  .values = values.view,
                  .k_norm = vulkan::BufferView{}},
                 params_of(one), {groups_for(pairs, kThreads), one.n_tokens, 1});
    rig.run();
    Measure measure(1e-6);
    measure_cache(measure, one, token, keys_before, values_before, keys.as<const std::uint16_t>(),
                  values.as<const std::uint16_t>());
    for (std::size_t i = 0; i < token.q.size(); ++i) {
        measure.add(static_cast<double>(q.as<float>()[i]), token.rotated_q[i]);
    }
    return measure.outcome();
}

CheckOutcome check_head_norm(const ShaderDevice& on, const AttentionCase& one) {
    constexpr std::uint32_t kThreads = 64;
    constexpr float kEpsilon = 1e-3F;
    const Heads& heads = one.heads;
    const Token token = random_token(one);
    const std::array weights{normal_floats(heads.dim, 6), normal_floats(heads.dim, 7)};
    ShaderRig rig(on);
    const RigBuffer& q = rig.buffer_of(token.q);
    const RigBuffer& k = rig.buffer_of(token.k);
    const RigBuffer& q_norm = rig.buffer_of(weights[0]);
    const RigBuffer& k_norm = rig.buffer_of(weights[1]);
    const RigBuffer& v = rig.buffer_of(token.v);
    const std::uint32_t n_key_heads = one.stores ? heads.n_head_kv : 0;
    const std::uint32_t n_value_heads = one.norms_v && !one.v_from_k ? n_key_heads : 0;
    rig.dispatch(
        vulkan::shader_of<interfaces::HeadNorm>(),
        {.WORKGROUP = kThreads,
         .HEAD_DIM = heads.dim,
         .NORM_V = one.norms_v,
         .V_FROM_K = one.v_from_k},
        {.q = q.view, .k = k.view, .q_norm = q_norm.view, .k_norm = k_norm.view, .v = v.view},
        {.n_head = heads.n_head, .n_head_kv = heads.n_head_kv, .epsilon = kEpsilon},
        {heads.n_head + n_key_heads + n_value_heads, one.n_tokens, 1});
    rig.run();
    Measure measure(2e-6);
    const auto compare = [&](const std::vector<float>& before, const RigBuffer& after,
                             const std::vector<float>& weight, bool normed) {
        for (std::size_t at = 0; at < before.size(); at += heads.dim) {
            double squares = 0;
            for (std::size_t i = 0; i < heads.dim; ++i) {
                squares +=
                    static_cast<double>(before[at + i]) * static_cast<double>(before[at + i]);
            }
            const double scale =
                normed ? 1 / std::sqrt(squares / heads.dim + static_cast<double>(kEpsilon)) : 1;
            for (std::size_t i = 0; i < heads.dim; ++i) {
                const double wanted =
                    static_cast<double>(before[at + i]) * scale * static_cast<double>(weight[i]);
                measure.add(static_cast<double>(after.as<float>()[at + i]), wanted,
                            std::fabs(wanted));
            }
        }
    };
    const std::vector<float> ones(heads.dim, 1);
    compare(token.q, q, weights[0], true);
    compare(token.k, k, one.stores ? weights[1] : ones, one.stores);
    compare(one.v_from_k ? token.k : token.v, v, ones, one.norms_v && one.stores);
    return measure.outcome();
}

}  // namespace

void add_attention_checks(const ShaderDevice& on, std::vector<KernelCheck>& checks) {
    constexpr std::uint32_t kCtx = 230;
    std::vector<AttentionCase> decode;
    for (const std::uint32_t dim : {32U, 64U, 128U}) {
        for (const std::uint32_t position : {0U, 63U, 64U, 200U, kCtx - 1}) {
            decode.push_back({{2, 2, dim}, kCtx, position, 1, Pairing::Halves, dim / 2});
            decode.push_back(
                {{8, 2, dim}, kCtx, position, 1, Pairing::Neighbours, dim / 2 - 4, true, 3});
        }
    }
    decode.push_back({{3, 3, 80}, kCtx, 100, 1, Pairing::Halves, 16});
    decode.push_back({{4, 2, 96}, kCtx, 100, 1, Pairing::Halves, 48});
    decode.push_back({{4, 1, 256}, kCtx, 130, 1, Pairing::Halves, 128, true, 8});
    decode.push_back({{16, 1, 64}, kCtx, 70, 1, Pairing::None, 0, false, 8});
    decode.push_back({{8, 2, 32}, kCtx, 70, 1, Pairing::None, 0, false, 8});
    // Windows that begin within a tile and with one, of one part and of several.
    for (const std::uint32_t window : {1U, 16U, 63U, 150U, 500U}) {
        decode.push_back({.heads = {8, 2, 64},
                          .n_ctx = kCtx,
                          .position = 200,
                          .n_tokens = 1,
                          .n_pairs = 32,
                          .window = window});
        decode.push_back({.heads = {2, 2, 128},
                          .n_ctx = kCtx,
                          .position = 150,
                          .n_tokens = 1,
                          .n_pairs = 64,
                          .n_parts = 3,
                          .soft_cap = window > 63 ? 50.0F : 0.3F,
                          .window = window});
    }
    for (const std::uint32_t position : {0U, 40U, kCtx - 1}) {
        for (const auto& [n_head, n_head_kv] : {std::pair{8U, 1U}, {4U, 1U}, {2U, 2U}}) {
            decode.push_back({.heads = {n_head, n_head_kv, 512},
                              .n_ctx = kCtx,
                              .position = position,
                              .n_tokens = 1,
                              .n_pairs = 256,
                              .to_bytes = position == 40,
                              .n_parts = 8});
        }
        decode.push_back({.heads = {8, 2, 64},
                          .n_ctx = kCtx,
                          .position = position,
                          .n_tokens = 1,
                          .n_pairs = 32,
                          .window = position == 40 ? 9U : 0U,
                          .temperature = 0.5F,
                          .stores = position == 40});
        for (const std::uint32_t dim : {128U, 256U, 512U}) {
            decode.push_back({.heads = {4, 2, dim},
                              .n_ctx = kCtx,
                              .position = position,
                              .n_tokens = 1,
                              .n_pairs = dim / 2,
                              .n_parts = 8,
                              .window = position == 40 ? 9U : 0U,
                              .stores = false});
        }
    }
    // The sinks of one part and of several, with few positions and many.
    const auto add_sinks = [](AttentionCase one, std::vector<AttentionCase>& to) {
        one.sinks = true;
        to.push_back(one);
    };
    for (const std::uint32_t position : {0U, 3U, 200U}) {
        for (const std::uint32_t window : {0U, 9U, 100U}) {
            add_sinks({.heads = {8, 2, 64},
                       .n_ctx = kCtx,
                       .position = position,
                       .n_tokens = 1,
                       .n_pairs = 32,
                       .to_bytes = window == 0,
                       .n_parts = window == 0 ? 64U : 5U,
                       .window = window},
                      decode);
        }
    }
    add_sinks({{3, 3, 80}, kCtx, 150, 1, Pairing::Halves, 40}, decode);
    // A head a workgroup, and half of a group.
    for (std::size_t i = 0, n = decode.size(); i < n; ++i) {
        const std::uint32_t group = decode[i].group();
        if (group > 1 && decode[i].position > 0) {
            decode.push_back(decode[i]);
            decode.back().sharers = i % 2 == 1 && group % 4 == 0 ? group / 2 : group;
        }
    }
    add_cases(on, "attention_decode", check_decode_alone, decode, checks);
    std::erase_if(decode, [&](const AttentionCase& one) {
        return !vulkan::attention_by_teams(on.teams, static_cast<int>(one.heads.dim),
                                           static_cast<int>(one.group()));
    });
    for (std::size_t i = 0, n = decode.size(); i < n; i += 3) {
        decode.push_back(decode[i]);
        decode.back().norms_heads = true;
    }
    add_cases(on, "attention_decode_teams", check_decode_teams, decode, checks);
    std::vector<AttentionCase> rows = decode;
    std::erase_if(rows, [&](const AttentionCase& one) {
        return !vulkan::attention_by_rows(on.device->features(), on.teams,
                                          static_cast<int>(one.heads.dim));
    });
    add_cases(on, "attention_decode_rows", check_decode_rows, rows, checks);
    for (AttentionCase& one : decode) {
        one.bytes = true;
    }
    add_cases(on, "attention_decode_bytes", check_decode_teams, decode, checks);

    std::vector<AttentionCase> stores;
    for (const std::uint32_t dim : {32U, 64U, 128U}) {
        stores.push_back({{2, 2, dim}, kCtx, 0, 3, Pairing::Halves, dim / 2});
        stores.push_back({{8, 2, dim}, kCtx, 63, 5, Pairing::Neighbours, dim / 2 - 4});
    }
    stores.push_back({{3, 1, 80}, kCtx, 200, 30, Pairing::Halves, 16});
    stores.push_back({{4, 4, 64}, kCtx, 5, 2, Pairing::None});
    stores.push_back({{4, 1, 512}, kCtx, 5, 7, Pairing::Halves, 256});
    stores.push_back({.heads = {3, 1, 80},
                      .n_ctx = kCtx,
                      .position = 5,
                      .n_tokens = 7,
                      .n_pairs = 16,
                      .stores = false});
    add_cases(on, "rope_store", check_rope_store, stores, checks);

    std::vector<AttentionCase> normed;
    for (const std::uint32_t dim : {16U, 64U, 80U, 128U, 256U}) {
        normed.push_back({{4, 2, dim}, kCtx, 0, 1});
        normed.push_back({{3, 1, dim}, kCtx, 0, 7});
        const auto with_values = [&](bool keeps, bool norms, bool from_k) {
            normed.push_back({.heads = {4, 2, dim},
                              .n_ctx = kCtx,
                              .position = 0,
                              .n_tokens = 3,
                              .stores = keeps,
                              .norms_v = norms,
                              .v_from_k = from_k});
        };
        with_values(true, true, false);
        with_values(true, true, true);
        with_values(true, false, true);
    }
    normed.push_back({.heads = {4, 2, 64},
                      .n_ctx = kCtx,
                      .position = 0,
                      .n_tokens = 3,
                      .stores = false,
                      .norms_v = true});
    add_cases(on, "head_norm", check_head_norm, normed, checks);
}

}  // namespace hearth::test
