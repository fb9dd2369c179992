#include "engine/vulkan/attention_cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/half.h"

namespace hearth::test {

namespace params = vulkan::params;

std::string name_of(const char* shader, const AttentionCase& one) {
    const Heads& heads = one.heads;
    const char* const pairing = one.pairing == Pairing::None     ? ", no rope"
                                : one.pairing == Pairing::Halves ? ""
                                                                 : ", rope of neighbours";
    return std::string("shader/") + shader + " " + std::to_string(heads.n_head) + "/" +
           std::to_string(heads.n_head_kv) + " heads of " + std::to_string(heads.dim) + " at " +
           std::to_string(one.position) +
           (one.n_tokens > 1 ? ", " + std::to_string(one.n_tokens) + " tokens" : "") + pairing +
           (one.to_bytes ? ", to bytes" : "") +
           (one.n_parts < 64 ? ", " + std::to_string(one.n_parts) + " parts" : "") +
           (one.past_at > 0 ? ", the second past" : "") + (one.soft_cap > 0 ? ", soft cap" : "") +
           (one.window > 0 ? ", window of " + std::to_string(one.window) : "") +
           (one.bytes ? ", past in bytes" : "") + (one.temperature > 0 ? ", temperature" : "") +
           (one.stores ? "" : ", another's past") + (one.norms_v ? ", v" : "") +
           (one.v_from_k ? ", v from k" : "") +
           (one.sharers > 1 ? ", shared by " + std::to_string(one.sharers) : "") +
           (one.norms_heads ? ", normed heads" : "") +
           (!one.sinks       ? ""
            : one.window > 0 ? ", sinks beside a window"
                             : ", sinks");
}

std::vector<std::uint32_t> step_of(const AttentionCase& one) {
    static_assert(STEP_PAST_AT == 3);
    constexpr std::uint32_t kElsewhere = 1U << 30;
    const std::uint32_t codes = one.heads.n_head_kv * one.n_ctx * one.heads.dim / 4;
    return {one.position, 0, 0, kElsewhere, kElsewhere, one.past_at, one.past_at + codes};
}

params::AttentionParams params_of(const AttentionCase& one) {
    params::AttentionParams p{};
    p.n_head = one.heads.n_head;
    p.n_head_kv = one.heads.n_head_kv;
    p.n_rows = one.n_ctx;
    p.n_tokens = one.n_tokens;
    p.scale = 1 / std::sqrt(static_cast<float>(one.heads.dim));
    p.rope_pairs = one.pairing == Pairing::None ? 0 : one.n_pairs;
    p.rope_neighbours = one.pairing == Pairing::Neighbours ? 1 : 0;
    p.layer = 1;
    p.epsilon = kNormEpsilon;
    p.soft_cap = one.soft_cap;
    p.window = one.window;
    p.temperature = one.temperature;
    p.temperature_length = kTemperatureLength;
    return p;
}

std::vector<std::uint16_t> random_cache(const AttentionCase& one, std::uint32_t n_rows,
                                        unsigned seed) {
    const std::size_t dim = one.heads.dim;
    const std::size_t first = std::size_t{one.past_at} * 2;
    const std::size_t count = std::size_t{one.heads.n_head_kv} * one.n_ctx * dim;
    std::vector<std::uint16_t> halves(first + count, 0xFFFF);
    const std::vector<float> random = normal_floats(count, seed);
    for (std::size_t i = 0; i < count; ++i) {
        if (i / dim % one.n_ctx < n_rows) {
            halves[first + i] = float_to_half(random[i]);
        }
    }
    return halves;
}

std::vector<std::uint16_t> random_bytes(const AttentionCase& one, std::uint32_t n_rows,
                                        unsigned seed) {
    const BytesPlaces places(one);
    std::vector<std::uint16_t> halves(places.halves, 0xFFFF);
    const std::vector<float> random = normal_floats(places.code_count, seed);
    auto* const codes = reinterpret_cast<std::int8_t*>(halves.data());
    for (std::size_t i = 0; i < places.code_count; ++i) {
        codes[places.codes + i] =
            static_cast<std::int8_t>(std::clamp(std::lround(random[i] * 40), -127L, 127L));
    }
    const std::size_t n_scales = (one.heads.dim + 31) / 32;
    for (std::size_t row = 0; row < std::size_t{one.heads.n_head_kv} * one.n_ctx; ++row) {
        for (std::size_t b = 0; b < n_scales && row % one.n_ctx < n_rows; ++b) {
            halves[places.scales + row * places.row_scales + b] =
                float_to_half(0.01F + 0.001F * static_cast<float>((7 * row + 3 * b) % 20));
        }
    }
    return halves;
}

std::vector<double> numbers_of(const AttentionCase& one, std::span<const std::uint16_t> cache) {
    const std::size_t dim = one.heads.dim;
    std::vector<double> numbers(std::size_t{one.heads.n_head_kv} * one.n_ctx * dim);
    const BytesPlaces places(one);
    const auto* const codes = reinterpret_cast<const std::int8_t*>(cache.data());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        numbers[i] =
            one.bytes ? codes[places.codes + i] *
                            static_cast<double>(half_to_float(
                                cache[places.scales + i / dim * places.row_scales + i % dim / 32]))
                      : static_cast<double>(half_to_float(cache[std::size_t{one.past_at} * 2 + i]));
    }
    return numbers;
}

std::vector<float> sinks_of(const AttentionCase& one) {
    std::vector<float> sinks = normal_floats(one.heads.n_head, 8);
    for (float& sink : sinks) {
        sink += 2;
    }
    return sinks;
}

std::vector<Sum> attended(const AttentionCase& one, std::span<const Sum> q, std::uint32_t head,
                          std::uint32_t n_rows, std::span<const double> keys,
                          std::span<const double> values) {
    const std::uint32_t head_kv = head / (one.heads.n_head / one.heads.n_head_kv);
    const auto at = [&](std::uint32_t row, std::uint32_t c) {
        return (std::size_t{head_kv} * one.n_ctx + row) * one.heads.dim + c;
    };
    std::vector<double> scores(n_rows);
    const double heat = 1 + static_cast<double>(one.temperature) *
                                std::log(1.0 + (n_rows - 1) / kTemperatureLength);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        for (std::uint32_t c = 0; c < one.heads.dim; ++c) {
            scores[row] += q[c].value * keys[at(row, c)];
        }
        scores[row] *= heat / std::sqrt(static_cast<double>(one.heads.dim));
        if (one.soft_cap > 0) {
            const auto cap = static_cast<double>(one.soft_cap);
            scores[row] = cap * std::tanh(scores[row] / cap);
        }
        if (one.window > 0 && row + one.window < n_rows) {
            scores[row] = -std::numeric_limits<double>::infinity();
        }
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double total = one.sinks ? std::exp(static_cast<double>(sinks_of(one)[head]) - most) : 0.0;
    for (double& score : scores) {
        score = std::exp(score - most);
        total += score;
    }
    std::vector<Sum> out(one.heads.dim);
    for (std::uint32_t row = 0; row < n_rows; ++row) {
        for (std::uint32_t c = 0; c < one.heads.dim; ++c) {
            out[c].add(scores[row] / total * values[at(row, c)]);
        }
    }
    return out;
}

void add_cases(const ShaderDevice& on, const char* shader, AttentionCheck check,
               const std::vector<AttentionCase>& cases, std::vector<KernelCheck>& checks) {
    for (AttentionCase one : cases) {
        // Every second one lies behind a past of the same size.
        if (checks.size() % 2 == 1) {
            one.past_at = one.heads.n_head_kv * one.n_ctx * one.heads.dim / 2;
        }
        checks.push_back(
            checked(name_of(shader, one), [on, one, check] { return check(on, one); }));
    }
}

}  // namespace hearth::test
