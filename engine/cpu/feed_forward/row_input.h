// A block's input of one token, in the order in which row kernels read it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

class RowInput {
public:
    // cpu/kernels/neuron_rows.h says what each holds; cols: neuron_row_cols(n_embd).
    struct Scratch {
        std::int8_t* q = nullptr;  // [cols]
        float* f32 = nullptr;      // [cols]
        float* d = nullptr;        // [cols / 32]
        float* offset = nullptr;   // [cols / 32]
    };
    template <class Take>
    static void lay_out(const ModelSpec& spec, Scratch& scratch, Take&& take) {
        const auto cols = static_cast<std::uint64_t>(kernels::neuron_row_cols(spec.n_embd));
        take(scratch.q, cols);
        take(scratch.f32, cols * sizeof(float));
        take(scratch.d, cols / kBlockValues * sizeof(float));
        take(scratch.offset, cols / kBlockValues * sizeof(float));
    }

    RowInput(const kernels::KernelTable& table, int n_embd, const Scratch& scratch)
        : table_(table), n_embd_(n_embd), scratch_(scratch) {}

    // Takes over both forms of one token's input.
    void set(const ActivationRows& input) const;
    void set_zero() const;
    const float* f32() const { return scratch_.f32; }  // [n_embd]

    // y[i] = row first + index[i] of `part` times the input, for i < n. Any thread.
    void multiply(const CpuRows& part, int first, const std::uint16_t* index, int n,
                  float* y) const {
        kernels_for(table_, part.type)
            .row_dot({part.row(first), part.bytes, kernels::neuron_row_cols(n_embd_), index, n,
                      scratch_.f32, scratch_.q, scratch_.d, scratch_.offset, y});
    }

private:
    const kernels::KernelTable& table_;
    int n_embd_;
    Scratch scratch_;
};

}  // namespace hearth
