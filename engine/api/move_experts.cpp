#include "api/move_experts.h"

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
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 20;

std::uint64_t bytes_of_expert(const LayerTensors& layer) {
    std::uint64_t bytes = 0;
    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
        const Weight& weight = layer[role];
        bytes += weight.present() ? weight.expert_rows() * weight.row_size() : 0;
    }
    return bytes;
}

// Both units and the plan have the experts at their new places, or nothing is loaded.
Result<void> exchange_all(LoadedModel& impl, std::span<const ExpertExchange> pairs) {
    for (const ExpertExchange& two : pairs) {
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

Result<void> note_choices(LoadedModel& impl) {
    if (impl.expert_moves == nullptr || impl.self_profile == nullptr ||
        impl.gpu_executor == nullptr) {
        return {};
    }
    if (auto collected = impl.gpu_executor->collect_firing(*impl.self_profile); !collected) {
        return collected;
    }
    const SelfProfile::Counts news = impl.self_profile->take_news();
    impl.expert_moves->add(news.fired, news.tokens, impl.plan.placement);
    return {};
}

Result<int> move_experts(LoadedModel& impl, const Cancellation& cancellation) {
    if (impl.expert_moves == nullptr || impl.executor == nullptr || impl.gpu_executor == nullptr ||
        impl.self_profile == nullptr || impl.keeps_executors || impl.budgets.waits()) {
        return 0;
    }
    if (auto noted = note_choices(impl); !noted) {
        return std::move(noted).error();
    }
    std::uint64_t largest = 1;
    for (const LayerTensors& layer : impl.tensors.layers) {
        largest = std::max(largest, bytes_of_expert(layer));
    }
    const std::vector<ExpertExchange> wanted = impl.expert_moves->wanted(
        impl.plan.placement, static_cast<std::size_t>(kMostBytes / largest));
    const auto step = static_cast<std::size_t>(std::max<std::uint64_t>(kStepBytes / largest, 1));
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
    return static_cast<int>(moved);
}

}  // namespace hearth
