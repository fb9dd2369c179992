// What a model asked its cache for: per token and layer a set of neurons, or of experts. Recorded
// by record_trace, made up by make_trace, replayed by cache_simulator.
//
// The file, little-endian:
//   magic    4 bytes, "HTRC"
//   version  u32, 1
//   n_layer  u32, at least 1
//   n_items  u32, neurons or experts of a layer: 1 to 65536
//   n_tokens u32
// then for each token
//   id       i32
//   for each layer: count u32, count numbers u16, ascending, below n_items
// and nothing behind that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

namespace hearth::bench {

inline constexpr std::uint32_t kMostTraceItems = 65536;

struct Trace {
    std::uint32_t n_layer = 0;
    std::uint32_t n_items = 0;
    std::vector<std::int32_t> ids;                 // of tokens
    std::vector<std::vector<std::uint16_t>> sets;  // [n_tokens, n_layer], each ascending

    std::size_t n_tokens() const { return ids.size(); }
    std::span<const std::uint16_t> demand(std::size_t token, std::size_t layer) const {
        return sets[token * n_layer + layer];
    }
};

// Distinct ids among the tokens / tokens: low where a text, or a model of random weights, repeats
// itself, so that its demand does as well.
double distinct_ratio(const Trace& trace);
// Share of a layer's items that a token asks for, in the mean.
double density(const Trace& trace);
// |both| / |either| of the sets of neighbouring tokens, in the mean.
double jaccard(const Trace& trace);
// |both| / |the earlier| of the sets of neighbouring tokens, in the mean: what a token keeps.
double kept_share(const Trace& trace);

// OutputFile's errors.
Result<void> write_trace(const std::string& path, const Trace& trace);
// BadFile: a field is not as above. InputFile's errors.
Result<Trace> read_trace(const std::string& path);

}  // namespace hearth::bench
