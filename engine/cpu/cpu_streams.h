// Several residual streams: the mix of them that a block reads, and what it adds to each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/thread_pool.h"
#include "cpu/cpu_weights.h"
#include "cpu/kernels/kernels.h"
#include "cpu/matrix.h"
#include "model/model_spec.h"

namespace hearth {

// As ModelSpec::n_streams says. Belongs to the engine's thread. Everything is done when a call
// returns. Allocates nothing.
class CpuStreams {
public:
    struct Scratch {
        float* normed = nullptr;             // [n_batch, n_residual]
        float* gates = nullptr;              // likewise
        float* low = nullptr;                // [n_batch, stream_rank]
        float* weights = nullptr;            // [n_batch, n_streams] of what the running block adds
        float* mixed = nullptr;              // [n_batch, n_embd]
        std::byte* quantized = nullptr;      // n_batch tokens of n_residual
        std::byte* quantized_low = nullptr;  // n_batch tokens of stream_rank
    };
    // Calls take(pointer, bytes) for every buffer. None where there is one stream.
    template <class Take>
    static void lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take);

    CpuStreams(const kernels::KernelTable& table, ThreadPool& pool) : table_(table), pool_(pool) {}

    void set_up(const ModelSpec& spec, const Scratch& scratch);

    // The roles of a mix. No inject: nothing is added afterwards.
    struct Mix {
        Role norm, down, up;
        std::optional<Role> inject;
    };
    static constexpr Mix kAttention{Role::AttnMixNorm, Role::AttnMixDown, Role::AttnMixUp,
                                    Role::AttnMixInject};
    static constexpr Mix kFeedForward{Role::FfnMixNorm, Role::FfnMixDown, Role::FfnMixUp,
                                      Role::FfnMixInject};
    static constexpr Mix kHead{Role::HeadMixNorm, Role::HeadMixDown, Role::HeadMixUp, {}};

    // Every token begins with n_streams copies of its first n_embd values of x, [n_tokens,
    // n_residual].
    void spread(float* x, int n_tokens) const;
    // The mix of x, [n_tokens, n_embd]. It stays until the next call. weights: what holds the
    // roles.
    const float* mix(const CpuLayer& weights, const Mix& of, const float* x, float eps,
                     int n_tokens);
    // Adds a block's output, [n_tokens, n_embd], to x with the weights of the latest mix() that had
    // an inject.
    void add(const float* block, float* x, int n_tokens) const;

private:
    template <class Body>
    void for_each_token(int n_tokens, Body&& body) const;
    std::size_t width() const { return static_cast<std::size_t>(n_embd_); }
    std::size_t residual() const { return static_cast<std::size_t>(n_streams_) * width(); }

    const kernels::KernelTable& table_;
    ThreadPool& pool_;
    Scratch scratch_;
    int n_streams_ = 1;
    int n_embd_ = 0;
    int rank_ = 0;
};

template <class Take>
void CpuStreams::lay_out(const ModelSpec& spec, int n_batch, Scratch& scratch, Take&& take) {
    if (!spec.mixes_streams()) {
        return;
    }
    const auto floats = [&](int n) {
        return static_cast<std::uint64_t>(n_batch) * static_cast<std::uint64_t>(n) * sizeof(float);
    };
    take(scratch.normed, floats(spec.n_residual()));
    take(scratch.gates, floats(spec.n_residual()));
    take(scratch.low, floats(spec.stream_rank));
    take(scratch.weights, floats(spec.n_streams));
    take(scratch.mixed, floats(spec.n_embd));
    take(scratch.quantized, quantized_bytes(spec.n_residual(), n_batch));
    take(scratch.quantized_low, quantized_bytes(spec.stream_rank, n_batch));
}

}  // namespace hearth
