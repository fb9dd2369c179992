// A model's tensors as numbers, and products with them in double precision.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gguf/reader.h"
#include "support/gguf_builder.h"
#include "support/test_family.h"

namespace hearth::test::reference {

using Matrix = std::vector<double>;  // [tokens, columns], row-major

inline std::size_t size(int n) {
    return static_cast<std::size_t>(n);
}

// Tensors are named as llama's are. A missing or odd one aborts. Types: F32 F16 BF16 Q8_0 Q4_0 Q5_0
// Q6_K from the formats' description; others as the engine decodes them.
class ReferenceTensors {
public:
    // memory: the whole file; empty: read from where it was opened.
    ReferenceTensors(const GgufFile& file, const Bytes& memory, const TestFamily& family,
                     int threads);

    // Null: there is no such.
    const TensorInfo* find(const std::string& name) const;
    const TensorInfo& tensor(const std::string& name) const;
    std::vector<double> row(const std::string& name, std::size_t index) const;

    // y[t, r] = sum over c of w[r, c] * x[t, c], and the bias where there is one.
    Matrix multiply(const std::string& name, const Matrix& x) const;
    // y[r] = sum over c of w[first + r, c] * x[c] for r < count: of one token.
    Matrix multiply_some(const std::string& name, std::size_t first, std::size_t count,
                         const double* x) const;
    // y[t, c] = sum over r of x[t, r] * w[r, c]: by neuron.
    Matrix multiply_transposed(const std::string& name, const Matrix& x) const;
    // The norm of each n_embd values of x, and the bias where there is one.
    Matrix norm(const std::string& name, const Matrix& x, std::size_t n_embd, double eps,
                const char* ending = ".weight") const;

    static void add(Matrix& y, const Matrix& x);

private:
    void add_bias(const std::string& name, Matrix& y) const;
    template <class Body>
    void share(std::size_t rows, const Body& body) const;

    const GgufFile& file_;
    const Bytes& memory_;
    const TestFamily& family_;
    int threads_;
};

}  // namespace hearth::test::reference
