#include "cpu/cpu_streams.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

namespace hearth {
namespace {

float sigmoid(float x) {
    return 1.0F / (1.0F + std::exp(-x));
}

}  // namespace

void CpuStreams::set_up(const ModelSpec& spec, const Scratch& scratch) {
    scratch_ = scratch;
    n_streams_ = spec.n_streams;
    n_embd_ = spec.n_embd;
    rank_ = spec.stream_rank;
}

template <class Body>
void CpuStreams::for_each_token(int n_tokens, Body&& body) const {
    const int group = kernels::group_width(n_tokens);  // whose quantised values lie together
    pool_.run((n_tokens + group - 1) / group, [&](int index, int) {
        for (int t = index * group; t < std::min(n_tokens, (index + 1) * group); ++t) {
            body(static_cast<std::size_t>(t));
        }
    });
}

void CpuStreams::spread(float* x, int n_tokens) const {
    for_each_token(n_tokens, [&](std::size_t t) {
        float* first = x + t * residual();
        for (int stream = 1; stream < n_streams_; ++stream) {
            std::memcpy(first + static_cast<std::size_t>(stream) * width(), first,
                        width() * sizeof(float));
        }
    });
}

const float* CpuStreams::mix(const CpuLayer& weights, const Mix& of, const float* x, float eps,
                             int n_tokens) {
    const auto rank = static_cast<std::size_t>(rank_);
    const auto n_streams = static_cast<std::size_t>(n_streams_);
    const float share = 1.0F / static_cast<float>(n_streams_);
    const float* norm = weights.vectors[of.norm].data();
    const PackedMatrix& down = weights.tiles[of.down];
    const PackedMatrix& up = weights.tiles[of.up];
    const PackedMatrix* const inject = of.inject ? &weights.tiles[*of.inject] : nullptr;
    const bool quantize =
        takes_quantized(down.type) || (inject != nullptr && takes_quantized(inject->type));
    const ActivationRows normed{scratch_.normed, residual(), scratch_.quantized,
                                n_streams_ * n_embd_, n_tokens};
    const ActivationRows low{scratch_.low, rank, scratch_.quantized_low, rank_, n_tokens};
    for_each_token(n_tokens, [&](std::size_t t) {
        float* own = scratch_.normed + t * residual();
        for (std::size_t at = 0; at < residual(); at += width()) {
            table_.rms_norm(x + t * residual() + at, norm + at, eps, own + at, n_embd_);
        }
        if (quantize) {
            quantize_into(table_, normed, static_cast<int>(t), 0, normed.cols / kBlockValues, own);
        }
    });
    const std::array products{Product{&down, scratch_.low, rank},
                              Product{inject, scratch_.weights, n_streams}};
    multiply(pool_, table_, std::span(products).first(inject != nullptr ? 2 : 1), normed);
    for_each_token(n_tokens, [&](std::size_t t) {
        float* own = scratch_.low + t * rank;
        for (std::size_t i = 0; i < rank; ++i) {
            const float value = own[i] * share;
            own[i] = value * sigmoid(value);
        }
        if (takes_quantized(up.type)) {
            quantize_into(table_, low, static_cast<int>(t), 0, rank_ / kBlockValues, own);
        }
        for (std::size_t i = 0; i < n_streams && inject != nullptr; ++i) {
            float& weight = scratch_.weights[t * n_streams + i];
            weight = 2.0F * sigmoid(weight * share);
        }
    });
    const std::array gates{Product{&up, scratch_.gates, residual()}};
    multiply(pool_, table_, gates, low);
    for_each_token(n_tokens, [&](std::size_t t) {
        float* gated = scratch_.gates + t * residual();
        table_.sigmoid_mul(gated, scratch_.normed + t * residual(), gated, n_streams_ * n_embd_);
        float* sum = scratch_.mixed + t * width();
        std::copy_n(gated, width(), sum);
        for (std::size_t at = width(); at < residual(); at += width()) {
            table_.add_vector(gated + at, sum, n_embd_);
        }
        for (std::size_t i = 0; i < width(); ++i) {
            sum[i] *= share;
        }
    });
    return scratch_.mixed;
}

void CpuStreams::add(const float* block, float* x, int n_tokens) const {
    const auto n_streams = static_cast<std::size_t>(n_streams_);
    for_each_token(n_tokens, [&](std::size_t t) {
        const float* from = block + t * width();
        for (std::size_t stream = 0; stream < n_streams; ++stream) {
            const float weight = scratch_.weights[t * n_streams + stream];
            float* to = x + t * residual() + stream * width();
            for (std::size_t i = 0; i < width(); ++i) {
                to[i] += weight * from[i];
            }
        }
    });
}

}  // namespace hearth
