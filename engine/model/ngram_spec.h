// A table of rows that are chosen by the latest tokens (n-gram embeddings): plain data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hearth {

// The latest two tokens choose n_heads_each rows, and so do the latest three, and so on up to
// `size` of them. A token that ends a text, and what is before it, counts as that token itself.
struct NgramSpec {
    static constexpr int kMostSize = 8;
    static constexpr int kMostHeads = 64;
    static constexpr std::int32_t kNoToken = -1;  // before the first one

    int size = 0;  // tokens; 0: the model has no such table
    int n_heads_each = 0;
    int width = 0;  // values of a row
    std::int32_t end_token = 0;
    std::uint64_t n_rows = 0;                  // of the table in the file
    std::vector<std::uint64_t> multipliers{};  // [size]
    // Rows [offsets[h], offsets[h] + counts[h]) are a head's, [n_heads()]. All are in the table.
    std::vector<std::uint64_t> offsets{};
    std::vector<std::uint64_t> counts{};

    bool present() const { return size > 0; }
    int n_heads() const { return (size - 1) * n_heads_each; }
    int n_values() const { return n_heads() * width; }  // of a token
};

// The rows of a token, [n_heads()]. latest: [size], the token and those before it, the latest
// first; kNoToken where there is none.
void ngram_rows(const NgramSpec& spec, std::span<const std::int32_t> latest,
                std::span<std::uint64_t> rows);

// The layer that reads the table keeps the latest inputs of a convolution whose taps are `step`
// tokens apart, [n_before(), width], and the latest step - 1 tokens.
struct NgramConvSpec {
    int kernel = 0;  // taps; 0: the layer does not read the table
    int step = 0;    // NgramSpec::size
    int width = 0;   // channels

    bool present() const { return kernel > 0; }
    int n_before() const { return (kernel - 1) * step; }
    std::uint64_t state_floats() const {
        return present()
                   ? static_cast<std::uint64_t>(n_before()) * static_cast<std::uint64_t>(width) +
                         static_cast<std::uint64_t>(step - 1)
                   : 0;
    }

    bool operator==(const NgramConvSpec&) const = default;
};

}  // namespace hearth
