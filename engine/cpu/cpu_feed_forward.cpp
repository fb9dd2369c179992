#include "cpu/cpu_feed_forward.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "cpu/weight_streams.h"

namespace hearth {

void CpuFeedForward::set_up(const ModelSpec& spec, const ModelTensors& tensors,
                            const CpuWeights& weights, const Scratch& scratch) {
    spec_ = spec;
    activity_.set_up(weights.layers());
    const NeuronPredictor::Form predictors{tensors.predictor_input, tensors.predictor_linear};
    batch_.reset();
    token_.reset();
    cached_token_.reset();
    column_batch_.reset();
    column_token_.reset();
    experts_.reset();
    routed_.reset();
    guess_.reset();
    if (scratch.experts) {
        guess_.emplace(table_, pool_, spec_, weights, scratch.guess);
        experts_.emplace(table_, pool_, spec_, scratch.n_batch, fired_, *guess_, *scratch.experts);
    }
    if (scratch.batch) {
        batch_.emplace(table_, pool_, spec_, *scratch.batch);
    }
    if (scratch.routed) {
        routed_.emplace(table_, pool_, spec_, scratch.n_batch, *batch_, *scratch.routed);
    }
    if (scratch.token) {
        const TokenPath::Scratch& token = *scratch.token;
        token_.emplace(table_, pool_, spec_, predictors, fired_, token);
        if (weights.streams() != nullptr && weights.streams()->cold() != nullptr) {
            cached_token_.emplace(table_, pool_, spec_, predictors, fired_,
                                  CachedTokenPath::Scratch{.names = token.names,
                                                           .gate = token.hidden,
                                                           .up = token.up,
                                                           .sums = token.sums,
                                                           .input = token.input});
        }
    }
    if (scratch.column_batch) {
        column_batch_.emplace(table_, pool_, spec_, *scratch.column_batch);
        column_token_.emplace(table_, pool_, spec_, *scratch.column_token);
    }
}

void CpuFeedForward::begin_pass(int n_tokens) {
    experts_of_token_ = {};
    if (guess_) {
        guess_->begin_pass(n_tokens == 1);
    }
}

void CpuFeedForward::end_pass() {
    if (guess_) {
        guess_->end_pass();
    }
}

Result<void> CpuFeedForward::run(const FeedForwardTask& task, const CpuLayer& layer,
                                 const ActivationRows& input, FeedForwardObserver* observer) {
    if (task.n_tokens > 1 || observer != nullptr) {
        auto batch = all_neurons(task, layer, input, observer);
        return batch ? Result<void>{} : std::move(batch).error();
    }
    const auto start = std::chrono::steady_clock::now();
    auto token = one_token(task, layer, input);
    activity_.add_time(task.layer, std::chrono::steady_clock::now() - start);
    if (!token) {
        return std::move(token).error();
    }
    activity_.add(task, *token);
    experts_of_token_.chosen += token->experts;
    experts_of_token_.read += token->experts_read;
    return {};
}

Result<LayerActivity> CpuFeedForward::all_neurons(const FeedForwardTask& task,
                                                  const CpuLayer& layer,
                                                  const ActivationRows& input,
                                                  FeedForwardObserver* observer) {
    if (spec_.layer(task.layer).is_mixture()) {
        HEARTH_ASSERT(observer == nullptr);
        return experts_->run(task, layer, input);
    }
    if (spec_.layer(task.layer).is_routed()) {
        HEARTH_ASSERT(observer == nullptr);
        return routed_->run(task, layer, input);
    }
    if (layer.by_input()) {
        column_batch_->run(task, layer, input, observer);
        return LayerActivity{};
    }
    return batch_->run(task, layer, input, observer);
}

Result<LayerActivity> CpuFeedForward::one_token(const FeedForwardTask& asked, const CpuLayer& layer,
                                                const ActivationRows& input) {
    FeedForwardTask task = asked;
    if (spec_.layer(task.layer).is_routed()) {
        if (!layer.sparse) {
            return routed_->run(task, layer, input);
        }
        auto routed = routed_->of_token(task, layer, input);
        if (!routed) {
            return std::move(routed).error();
        }
        task = *routed;
    }
    if (spec_.layer(task.layer).is_mixture()) {
        return experts_->run(task, layer, input);
    }
    if (layer.by_input()) {
        return column_token_->run(task, layer, input);
    }
    if (layer.cold != nullptr) {
        return cached_token_->run(task, layer, input);
    }
    if (layer.sparse) {
        return token_->run(task, layer, input);
    }
    return batch_->run(task, layer, input, nullptr);
}

int CpuFeedForward::least_slots(int n_neurons) {
    return std::min(n_neurons, NeuronChunks::of(n_neurons).step);
}

void CpuFeedForward::set_path(int layer, CpuLayer& weights, FeedForwardMode path) {
    token_->lay_up(weights, path);
    activity_.set_path(layer, path);
}

PathSpeeds CpuFeedForward::measure_paths(const CpuWeights& weights) {
    return token_ ? token_->measure_up(weights) : PathSpeeds{};
}

}  // namespace hearth
