// Parts of attention that few families have.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "support/reference/tensors.h"

namespace hearth::test::reference {

// Leaves the queries of heads of `dim` in q and returns the gates behind them.
Matrix part_gates(Matrix& q, std::size_t dim);
// The positions that each token's attention sees, [n_tokens][n_tokens]. q: rotated, [n_tokens,
// heads of dim]; k: [n_tokens, dim] not rotated; key_of: makes the key of a block of its mean and
// its first position.
std::vector<std::vector<bool>> chosen_positions(
    const Matrix& q, const Matrix& k, std::size_t dim, std::size_t block, std::size_t budget,
    const std::function<Matrix(Matrix, std::size_t)>& key_of);
// Latent attention as it is before anything is absorbed: a key and a value for each head of each
// token. rotate(x, width): of each token's `width` values, heads of as many as are rotated.
Matrix latent_attention(const ReferenceTensors& tensors, const TestFamily& family,
                        const std::string& p, const Matrix& normed, double eps, double growth,
                        const std::function<void(Matrix&, std::size_t)>& rotate);

}  // namespace hearth::test::reference
