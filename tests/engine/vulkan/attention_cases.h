// The cases of attention's checks, and what every kernel of it shall give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/vulkan/shader_rig.h"
#include "include/params.h"

namespace hearth::test {

struct Heads {
    std::uint32_t n_head;
    std::uint32_t n_head_kv;
    std::uint32_t dim;
};

enum class Pairing { None, Halves, Neighbours };

struct AttentionCase {
    Heads heads;
    std::uint32_t n_ctx;
    std::uint32_t position;  // of the first token
    std::uint32_t n_tokens;
    Pairing pairing = Pairing::Halves;
    std::uint32_t n_pairs = 0;
    bool to_bytes = false;
    std::uint32_t n_parts = 64;  // at most
    std::uint32_t past_at = 0;   // words into keys and values; before them lies another past
    float soft_cap = 0;          // 0: none
    std::uint32_t window = 0;    // positions; 0: all
    bool bytes = false;          // the past is held in bytes
    float temperature = 0;       // of scores; it grows every 16 positions
    bool stores = true;          // false: the past has the token's own row
    bool norms_v = false;        // head_norm: likewise
    bool v_from_k = false;
    std::uint32_t sharers = 1;  // of a token: workgroups that read one key head
    bool norms_heads = false;   // of a token: q and k come before their norms
    bool sinks = false;

    std::uint32_t group() const { return heads.n_head / heads.n_head_kv / sharers; }
};

inline constexpr float kNormEpsilon = 1e-3F;
inline constexpr std::uint32_t kTemperatureLength = 16;

std::string name_of(const char* shader, const AttentionCase& one);

// The shader finds the past of layer 1.
std::vector<std::uint32_t> step_of(const AttentionCase& one);
vulkan::params::AttentionParams params_of(const AttentionCase& one);

// Keys or values [n_head_kv, n_ctx, dim] as halves, behind those of another past, which are not
// numbers. Nor are rows from `n_rows` on.
std::vector<std::uint16_t> random_cache(const AttentionCase& one, std::uint32_t n_rows,
                                        unsigned seed);

// Places in a past of bytes: its codes in bytes, its scales in halves.
struct BytesPlaces {
    explicit BytesPlaces(const AttentionCase& one)
        : codes(std::size_t{one.past_at} * 4),
          code_count(std::size_t{one.heads.n_head_kv} * one.n_ctx * one.heads.dim),
          scales((codes + code_count) / 2),
          row_scales((one.heads.dim + 63) / 64 * 2),
          halves(scales + std::size_t{one.heads.n_head_kv} * one.n_ctx * row_scales) {}
    std::size_t codes, code_count, scales, row_scales;
    std::size_t halves;  // in all
};

// As random_cache(), in bytes. A scale that is no number makes a row none.
std::vector<std::uint16_t> random_bytes(const AttentionCase& one, std::uint32_t n_rows,
                                        unsigned seed);
// Keys or values as numbers [n_head_kv, n_ctx, dim].
std::vector<double> numbers_of(const AttentionCase& one, std::span<const std::uint16_t> cache);

// [n_head]; each counts as much as some positions.
std::vector<float> sinks_of(const AttentionCase& one);
// softmax(q k) v of one query over rows up to n_rows - 1, those of a window before it.
std::vector<Sum> attended(const AttentionCase& one, std::span<const Sum> q, std::uint32_t head,
                          std::uint32_t n_rows, std::span<const double> keys,
                          std::span<const double> values);

using AttentionCheck = CheckOutcome (*)(const ShaderDevice&, const AttentionCase&);
void add_cases(const ShaderDevice& on, const char* shader, AttentionCheck check,
               const std::vector<AttentionCase>& cases, std::vector<KernelCheck>& checks);

}  // namespace hearth::test
