// Several streams between blocks, and the table of n-grams that adds to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "support/reference/tensors.h"

namespace hearth::test::reference {

// The mix of several streams of `width` values that a block reads; `name` with "_norm" and so on
// are the tensors. shares: what each stream takes of the block's output, [n_tokens, n_streams];
// null: there is no such.
Matrix mix_streams(const ReferenceTensors& tensors, const std::string& name, const Matrix& x,
                   std::size_t width, double eps, Matrix* shares);

// The keys of a table that n-grams choose rows of.
struct NgramKeys {
    std::size_t size, heads;
    std::uint64_t end;
    std::vector<std::uint64_t> multipliers, offsets, counts;
};
NgramKeys ngram_keys(const GgufFile& file, const std::string& arch);
// The table's part of the streams, of all tokens.
Matrix ngrams(const ReferenceTensors& tensors, const NgramKeys& keys, const std::string& p,
              const Matrix& x, const std::vector<std::int32_t>& tokens, std::size_t n_embd,
              double eps);

}  // namespace hearth::test::reference
