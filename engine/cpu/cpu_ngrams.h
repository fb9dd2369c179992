// Adds the rows of a table that the latest tokens choose to a layer. The table stays in the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/input_file.h"
#include "base/thread_pool.h"
#include "cpu/cpu_streams.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "memory/past.h"
#include "model/model_spec.h"
#include "model/weights.h"

namespace hearth {

// A token's rows, one behind the other, are e. For each stream s of the residual:
//   gate_s = sigmoid(sign(d) sqrt(|d|)),  d = norm(key_s e) . norm(s) / sqrt(n_embd)
//   s += v_s + silu(convolution of norm(v_s)),  v_s = gate_s * (value e)
// Taps of the convolution are as many tokens apart as an n-gram has. Its latest inputs and the
// latest tokens are part of the layer's state (NgramConvSpec).
//
// Belongs to the engine's thread. Everything is done when a call returns. Allocates in set_up()
// only.
class CpuNgrams {
public:
    struct Scratch {
        std::uint64_t* rows = nullptr;   // [n_batch, n_heads] of the table
        float* values = nullptr;         // [n_batch, n_values] of these
        float* value = nullptr;          // [n_batch, n_embd]
        float* taps = nullptr;           // [kernel, n_residual]
        std::byte* raw = nullptr;        // [n_threads] rows as the file has them
        std::byte* quantized = nullptr;  // n_batch tokens of n_values
        // The streams' own, which are mixed later.
        float* inputs = nullptr;  // [n_batch, n_residual] of the convolution
        float* gated = nullptr;   // likewise
    };
    // Calls take(pointer, bytes) for every buffer. None where there is no table.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                        Take&& take);

    CpuNgrams(const kernels::KernelTable& table, ThreadPool& pool) : table_(table), pool_(pool) {}

    // file: outlives this. rows: of the table. streams: whose memory is shared.
    void set_up(const ModelSpec& spec, const CpuWeights& weights, const InputFile& file,
                const Weight& rows, const Scratch& scratch, const CpuStreams::Scratch& streams);

    // Of a pass.
    struct Task {
        std::span<const std::int32_t> tokens;
        float* x;  // [n_tokens, n_residual], the residual stream
        Past& past;
    };
    // Finds the pass's rows and says to the system that they will be read. Nothing where there is
    // no table.
    void choose(const Task& task);
    // Adds them, and takes the state past the pass. ReadFailed; BadFile: a value is no number.
    // Precondition: choose() of this pass.
    Result<void> add(const Task& task, const CpuLayer& weights);

private:
    float* history(const Task& task) const;  // [n_before, n_residual]
    float* latest(const Task& task) const;   // [step - 1] tokens, plus one; 0: none
    Result<void> read(int n_tokens);
    Result<void> read_row(std::uint64_t row, std::byte* raw, std::span<float> values) const;
    void gate(const Task& task, const CpuLayer& weights, std::size_t token);
    void convolve(const Task& task, std::size_t token);
    void keep(const Task& task);

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    NgramSpec spec_;
    NgramConvSpec conv_;
    int layer_ = -1;          // that reads the table
    std::size_t before_ = 0;  // floats of the layer's state before its part
    int n_streams_ = 1;
    int n_embd_ = 0;
    float eps_ = 0;
    const InputFile* file_ = nullptr;
    Weight rows_;
    Scratch scratch_;
};

template <class Take>
void CpuNgrams::lay_out(const ModelSpec& spec, int n_batch, int n_threads, Scratch& scratch,
                        Take&& take) {
    const NgramSpec& of = spec.ngram;
    if (!of.present()) {
        return;
    }
    const auto batch = static_cast<std::uint64_t>(n_batch);
    const auto floats = [](int n) { return static_cast<std::uint64_t>(n) * sizeof(float); };
    take(scratch.rows, batch * static_cast<std::uint64_t>(of.n_heads()) * sizeof(std::uint64_t));
    take(scratch.values, batch * floats(of.n_values()));
    take(scratch.value, batch * floats(spec.n_embd));
    take(scratch.taps,
         floats(spec.most([](const LayerSpec& layer) { return layer.ngram.kernel; })) *
             static_cast<std::uint64_t>(spec.n_residual()));
    take(scratch.raw, static_cast<std::uint64_t>(n_threads) * floats(of.width));
    take(scratch.quantized, quantized_bytes(of.n_values(), n_batch));
}

}  // namespace hearth
