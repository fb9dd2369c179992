#include "cpu/feed_forward/expert_router.h"

#include <array>
#include <cmath>
#include <string>

#include "cpu/feed_forward/expert_choice.h"
#include "gguf/finite.h"

namespace hearth {

// A driver that computes nonsense must not make anybody read behind an end.
Result<void> ExpertRouter::take(const FeedForwardTask& task) {
    const ExpertsSpec& spec = spec_.layer(task.layer).experts;
    const auto n_used = static_cast<std::size_t>(spec.n_used);
    const std::size_t n_pairs = static_cast<std::size_t>(task.n_tokens) * n_used;
    for (std::size_t i = 0; i < n_pairs; ++i) {
        const ChosenExpert one = task.chosen[i];
        const int before = i % n_used == 0 ? -1 : scratch_.chosen[i - 1].expert;
        if (one.expert <= before || one.expert >= spec.n || !std::isfinite(one.weight)) {
            return Error{ErrorCode::Internal, "the GPU chose expert " + std::to_string(one.expert) +
                                                  " of layer " + std::to_string(task.layer) +
                                                  " with the weight " + std::to_string(one.weight)};
        }
        scratch_.chosen[i] = one;
    }
    return {};
}

Result<void> ExpertRouter::choose(const FeedForwardTask& task, const CpuLayer& layer,
                                  const ActivationRows& input) {
    const ExpertsSpec& spec = spec_.layer(task.layer).experts;
    const auto n = static_cast<std::size_t>(spec.n);
    const auto n_used = static_cast<std::size_t>(spec.n_used);
    const auto n_tokens = static_cast<std::size_t>(task.n_tokens);
    const std::span products(scratch_.products, n_tokens * n);
    const std::array product{Product{&layer.tiles[Role::Router], scratch_.products, n}};
    multiply(pool_, table_, product, input);
    if (!all_finite(products)) {
        return not_finite(
            "blk." + std::to_string(spec_.layer(task.layer).feed_forward_block) + ".ffn_gate_inp",
            "product", products);
    }
    const std::span<const float> shared = layer.vectors[Role::SharedRouter];
    const std::span<const float> bias = layer.vectors[Role::RouterProductBias];
    const std::span<const float> scales = layer.vectors[Role::ExpertScale];
    pool_.run(task.n_tokens, [&](int token, int) {
        const auto t = static_cast<std::size_t>(token);
        for (std::size_t i = t * n; spec.router_scale != 1.0F && i < (t + 1) * n; ++i) {
            products[i] *= spec.router_scale;
        }
        if (!bias.empty()) {
            table_.add_vector(bias.data(), &products[t * n], spec.n);
        }
        choose_experts(spec, products.subspan(t * n, n), layer.vectors[Role::RouterBias],
                       {scratch_.chosen + t * n_used, n_used});
        for (std::size_t i = t * n_used; !scales.empty() && i < (t + 1) * n_used; ++i) {
            scratch_.chosen[i].weight *=
                scales[static_cast<std::size_t>(scratch_.chosen[i].expert)];
        }
        double sum = 0;
        const float* x = input.f32 + t * input.f32_stride;
        for (std::size_t i = 0; i < shared.size(); ++i) {
            sum += static_cast<double>(shared[i]) * static_cast<double>(x[i]);
        }
        scratch_.shared_weights[t] =
            shared.empty() ? 1.0F : static_cast<float>(1.0 / (1.0 + std::exp(-sum)));
    });
    return {};
}

}  // namespace hearth
