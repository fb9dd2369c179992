// Feed-forward blocks, dense and of experts.
#pragma once

#include <string>

#include "support/reference/tensors.h"

namespace hearth::test::reference {

double sigmoid(double x);
// By the names of hearth.activation.
double activated(const std::string& kind, double threshold, double gate, double up);

// A gated block whose matrices' names end in `ending`.
Matrix dense_block(const ReferenceTensors& tensors, const TestFamily& family, const std::string& p,
                   const std::string& ending, const Matrix& normed);
// A mixture, token by token. routed: what the router reads, before its matrix.
Matrix mixture(const ReferenceTensors& tensors, const TestFamily& family, const std::string& p,
               const Matrix& routed, const Matrix& normed);

}  // namespace hearth::test::reference
