// Layers that carry a state from token to token, each as its paper's recurrence has it.
#pragma once

#include <cstddef>
#include <string>

#include "support/reference/tensors.h"

namespace hearth::test::reference {

// A gated delta net, token by token.
Matrix delta_net(const ReferenceTensors& tensors, const TestFamily& family, const std::string& p,
                 const Matrix& normed, std::size_t n_key, std::size_t dim, double eps);
// A gated short convolution: c * conv(b * x), and the matrices around it.
Matrix gated_conv(const ReferenceTensors& tensors, const std::string& p, const Matrix& normed);
// A layer of Mamba-2, token by token. groups: of B and C. [z | x | B | C | dt] is its input.
Matrix mamba(const ReferenceTensors& tensors, const std::string& p, const Matrix& normed,
             std::size_t groups, std::size_t n_state, double eps);

}  // namespace hearth::test::reference
