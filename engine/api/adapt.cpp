#include "api/adapt.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "api/assembly.h"

namespace hearth {
namespace {

// Bytes that a unit reads in one call, and before it is asked whether something better is to be
// done.
struct Rate {
    std::uint64_t most_bytes, step_bytes;
};
constexpr Rate kExperts{std::uint64_t{1} << 30, std::uint64_t{64} << 20};
// Rows of a few KiB here and there: a disk reads fewer bytes of these in the same time.
constexpr Rate kNeurons{std::uint64_t{64} << 20, std::uint64_t{4} << 20};

std::uint64_t bytes_of_expert(const LayerTensors& layer) {
    std::uint64_t bytes = 0;
    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
        const Weight& weight = layer[role];
        bytes += weight.present() ? weight.expert_rows() * weight.row_size() : 0;
    }
    return bytes;
}

// With what a predictor has of it, on both places.
std::uint64_t bytes_of_neuron(const LayerTensors& layer) {
    std::uint64_t bytes = 0;
    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
        bytes += layer[role].present() ? layer[role].stride : 0;
    }
    return bytes + 2 * layer[Role::PredictorFc2].row_size();
}

// The bytes of one of those that change places, at most.
std::uint64_t largest_bytes(const LoadedModel& impl) {
    std::uint64_t largest = 1;
    for (std::size_t l = 0; l < impl.tensors.layers.size(); ++l) {
        const LayerTensors& layer = impl.tensors.layers[l];
        largest = std::max(largest, impl.spec.layers[l].is_mixture() ? bytes_of_expert(layer)
                                                                     : bytes_of_neuron(layer));
    }
    return largest;
}

// Both units and the plan have them at their new places, or nothing is loaded.
Result<void> exchange_all(LoadedModel& impl, std::span<const PlaceExchange> pairs) {
    for (const PlaceExchange& two : pairs) {
        exchange(impl.plan.placement, two);
    }
    const PlanSlice slice{impl.file, impl.spec, impl.tensors, impl.plan, *impl.ledger};
    for (Executor* unit : {impl.executor.get(), impl.gpu_executor.get()}) {
        if (auto done = unit->exchange(slice, pairs); !done) {
            give_up_weights(impl);
            return done;
        }
    }
    return {};
}

}  // namespace

Result<void> note_uses(LoadedModel& impl) {
    if (impl.vram_moves == nullptr || impl.self_profile == nullptr ||
        impl.gpu_executor == nullptr) {
        return {};
    }
    if (auto collected = impl.gpu_executor->collect_firing(*impl.self_profile); !collected) {
        return collected;
    }
    const SelfProfile::Counts news = impl.self_profile->take_news();
    impl.vram_moves->add(news.fired, news.tokens, impl.plan.placement);
    return {};
}

Result<Adapted> adapt(LoadedModel& impl, const Cancellation& cancellation) {
    Adapted adapted;
    if (impl.vram_moves == nullptr || impl.executor == nullptr || impl.gpu_executor == nullptr ||
        impl.self_profile == nullptr || impl.keeps_executors || impl.budgets.waits()) {
        return adapted;
    }
    if (auto noted = note_uses(impl); !noted) {
        return std::move(noted).error();
    }
    const VramMoves::Hits hits = impl.vram_moves->take_hits();
    adapted.uses = hits.uses;
    adapted.uses_in_vram = hits.in_vram;
    const bool experts = impl.spec.has_experts();
    const Rate rate = experts ? kExperts : kNeurons;
    const std::uint64_t largest = largest_bytes(impl);
    const std::vector<PlaceExchange> wanted = impl.vram_moves->wanted(
        impl.plan.placement, static_cast<std::size_t>(rate.most_bytes / largest));
    const auto step =
        static_cast<std::size_t>(std::max<std::uint64_t>(rate.step_bytes / largest, 1));
    std::size_t moved = 0;
    while (moved < wanted.size() && !cancellation.requested()) {
        const std::size_t count = std::min(step, wanted.size() - moved);
        if (auto done = exchange_all(impl, std::span(wanted).subspan(moved, count)); !done) {
            return std::move(done).error();
        }
        moved += count;
    }
    if (moved > 0) {
        PlanBasis basis = *impl.basis;
        basis.costs.loaded = std::make_shared<const Placement>(impl.plan.placement);
        impl.basis = std::make_shared<const PlanBasis>(std::move(basis));
        impl.budgets.moved(impl.basis, impl.plan.placement);
    }
    (experts ? adapted.experts : adapted.neurons) = static_cast<int>(moved);
    return adapted;
}

}  // namespace hearth
