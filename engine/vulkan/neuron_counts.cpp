#include "vulkan/neuron_counts.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/assert.h"
#include "gguf/rows.h"
#include "include/params.h"

namespace hearth::vulkan {

NeuronCounts::NeuronCounts(const Model& model, Fetch fetch)
    : model_(model), fetch_(std::move(fetch)), layers_(model.weights.layers.size()) {}

std::uint32_t NeuronCounts::Tokens::fate_of_latest() {
    const bool counts = std::exchange(latest, false);
    return count == 0 ? COUNTING_BEGIN : counts ? COUNTING_KEEP : COUNTING_DROP;
}

std::array<std::uint32_t, 2> NeuronCounts::begin_token() {
    return {firing_.fate_of_latest(), activity_.fate_of_latest()};
}

void NeuronCounts::count_token() {
    HEARTH_ASSERT(!model_.buffers.fired.empty() && !firing_.latest);
    firing_.add_latest();
}

// Of the tokens that were counted, in the order of the GPU's places, a mixture's in that of the
// file.
Result<std::vector<std::uint32_t>> NeuronCounts::fired(std::size_t layer) {
    const GpuLayer& held = model_.weights.layers[layer];
    const bool counted = held.expert_neurons > 0 || !model_.spec.has_experts();
    if (held.n_neurons == 0 || !counted) {
        return std::vector<std::uint32_t>{};
    }
    // The unit of a router counts choices of all experts.
    const auto n = static_cast<std::size_t>(
        held.expert_neurons > 0 ? model_.spec.layers[layer].experts.n : held.n_neurons);
    if (auto got = fetch_(model_.buffers.fired[layer].part(0, n * sizeof(std::uint32_t))); !got) {
        return std::move(got).error();
    }
    const auto* words = model_.buffers.scores.as<const std::uint32_t>();
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < n; ++i) {
        counts.push_back((words[i] >> 1) + (firing_.latest ? words[i] & 1 : 0));
        if (counts.back() > firing_.count) {
            return Error{ErrorCode::Internal, "the GPU says that a neuron of layer " +
                                                  std::to_string(layer) + " fired " +
                                                  std::to_string(counts.back()) + " times in " +
                                                  std::to_string(firing_.count) + " tokens"};
        }
    }
    return counts;
}

// What was read is left on the GPU: the next token begins there at 0.
Result<void> NeuronCounts::collect_firing(const Placement& placement, SelfProfile& profile) {
    if (firing_.count == 0) {
        return {};
    }
    std::vector<std::vector<std::uint32_t>> counts;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
        auto of_layer = fired(l);
        if (!of_layer) {
            return std::move(of_layer).error();
        }
        counts.push_back(std::move(*of_layer));
    }
    for (std::size_t l = 0; l < counts.size(); ++l) {
        const bool by_number = model_.weights.layers[l].expert_neurons > 0;
        const std::span<const int> order =
            by_number ? std::span<const int>{} : placement.order(static_cast<int>(l));
        const std::span<std::uint32_t> sums = profile.fired(static_cast<int>(l));
        for (std::size_t i = 0; i < counts[l].size(); ++i) {
            sums[order.empty() ? i : static_cast<std::size_t>(order[i])] += counts[l][i];
        }
    }
    firing_ = {};
    return {};
}

FeedForwardMode NeuronCounts::path_of(const GpuLayer& layer) const {
    if (!is_sparse(model_.spec.activation()) || model_.mode == FeedForwardMode::Dense) {
        return FeedForwardMode::Dense;
    }
    return layer[Role::PredictorFc1].present() ? FeedForwardMode::Predicted
                                               : FeedForwardMode::Exact;
}

void NeuronCounts::reset_activity() {
    activity_ = {};
    std::fill(layers_.begin(), layers_.end(), LayerActivity{});
}

Result<std::span<const LayerActivity>> NeuronCounts::activity() {
    for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
        if (auto read = read_activity(layer); !read) {
            return std::move(read).error();
        }
    }
    return std::span<const LayerActivity>(layers_);
}

Result<void> NeuronCounts::read_activity(std::size_t layer) {
    const GpuLayer& held = model_.weights.layers[layer];
    const auto n = static_cast<std::uint64_t>(held.n_neurons);
    LayerActivity& seen = layers_[layer];
    seen = {.path = path_of(held)};
    const std::uint64_t n_tokens = activity_.count;
    if (n == 0 || n_tokens == 0) {
        return {};
    }
    if (held.expert_neurons > 0) {
        return read_choices(layer);
    }
    const std::uint64_t n_groups = (n + kBlockColumns - 1) / kBlockColumns;
    if (auto got =
            fetch_(model_.buffers.noted[layer].part(0, n_groups * 4 * sizeof(std::uint32_t)));
        !got) {
        return got;
    }
    const auto* words = model_.buffers.scores.as<const std::uint32_t>();
    std::array<std::uint64_t, 3> sums{};
    for (std::uint64_t group = 0; group < n_groups; ++group) {
        const std::uint32_t latest = activity_.latest ? words[4 * group + 3] : 0;
        for (std::size_t k = 0; k < sums.size(); ++k) {
            sums[k] += words[4 * group + k] + (latest >> (8 * k) & 0xFF);
        }
    }
    const auto [examined, opened, fired] = sums;
    if (examined > n * n_tokens || opened > examined || fired > opened) {
        return Error{ErrorCode::Internal,
                     "the GPU says that of " + std::to_string(n) + " neurons of layer " +
                         std::to_string(layer) + " it computed " + std::to_string(examined) +
                         " gates, " + std::to_string(opened) + " open, " + std::to_string(fired) +
                         " firing, in " + std::to_string(n_tokens) + " tokens"};
    }
    seen.passed = n_tokens;
    seen.down_rows = held.down_by_neuron ? fired : 0;
    if (seen.path == FeedForwardMode::Dense) {
        seen.computed = n * n_tokens;
        return {};
    }
    seen.tokens = n_tokens;
    seen.neurons = n * n_tokens;
    seen.examined = examined;
    // Without a gate, a neuron is open where up is.
    seen.opened = is_gated(model_.spec.activation()) ? opened : fired;
    seen.fired = fired;
    seen.computed = seen.opened;
    return {};
}

// How many of the experts that tokens chose were here.
Result<void> NeuronCounts::read_choices(std::size_t layer) {
    if (auto got = fetch_(model_.buffers.noted[layer].part(0, 4 * sizeof(std::uint32_t))); !got) {
        return got;
    }
    const auto* words = model_.buffers.scores.as<const std::uint32_t>();
    const ExpertsSpec& spec = model_.spec.layers[layer].experts;
    const std::uint64_t here = words[0] + (activity_.latest ? std::uint64_t{words[3]} : 0);
    if (here > activity_.count * static_cast<std::uint64_t>(spec.n_used)) {
        return Error{ErrorCode::Internal, "the GPU says that it had " + std::to_string(here) +
                                              " experts of layer " + std::to_string(layer) +
                                              " in " + std::to_string(activity_.count) + " tokens"};
    }
    layers_[layer].passed = activity_.count;
    layers_[layer].computed = here * static_cast<std::uint64_t>(spec.n_ff);
    return {};
}

}  // namespace hearth::vulkan
