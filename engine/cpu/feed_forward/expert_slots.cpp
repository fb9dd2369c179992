#include "cpu/feed_forward/expert_slots.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "base/first_error.h"

namespace hearth {

ExpertSlots::ExpertSlots(ThreadPool& pool, std::size_t n_experts)
    : pool_(pool), names_(n_experts), slots_(n_experts), read_(n_experts), left_(n_experts) {}

// A token's experts are one group of the cache: it needs all of them at once.
void ExpertSlots::begin(const CpuLayer& layer, int number, int n, int n_tokens) {
    HEARTH_ASSERT(layer.cold != nullptr && static_cast<std::size_t>(n) <= names_.size());
    cold_ = layer.cold;
    index_ = cold_->index_of(number);
    n_ = n;
    step_ = n_tokens == 1 ? n : std::clamp(cache().n_slots(index_) / 2, 1, kGroup);
    n_steps_ = (n + step_ - 1) / step_;
    cache().begin(index_, n_steps_, NeuronCache::Reads::HeldStay);
    for (int i = 0; i < n_steps_; ++i) {
        const auto at = static_cast<std::size_t>(first(i));
        const auto count = static_cast<std::size_t>(end(i) - first(i));
        cache().want(i,
                     {0, std::span(names_).subspan(at, count), std::span(slots_).subspan(at, count),
                      std::span(read_).subspan(at, count), std::span(left_).subspan(at, count)});
    }
}

PackedMatrix ExpertSlots::in_slot(const PackedMatrix& tiles, int expert) const {
    const auto at = static_cast<std::size_t>(expert);
    PackedMatrix matrix = tiles;
    if (matrix.present()) {
        matrix.data = cache().place(index_, slots_[at], read_[at]) +
                      (matrix.data - cache().layer(index_).base);
    }
    return matrix;
}

bool ExpertSlots::is_pinned(int step) {
    return !cold_->without().overlap && cache().is_pinned(step);
}

Result<void> ExpertSlots::read(int step) {
    if (cold_->without().overlap) {
        if (auto all = cache().await(step); !all) {
            return all;
        }
    }
    return arrange_arriving(step);
}

Result<void> ExpertSlots::arrange_arriving(int step) {
    Result<void> status;
    while (status) {
        const std::span<const std::uint16_t> some = cache().await_more(step);
        if (some.empty()) {
            break;
        }
        status = arrange(some, first(step));
    }
    const Result<void> read = cache().await(step);  // also after an error: they write to the slots
    return status ? read : status;
}

// some: counted from expert `first` on.
Result<void> ExpertSlots::arrange(std::span<const std::uint16_t> some, int first) {
    const auto expert_of = [&](std::size_t i) { return static_cast<std::size_t>(first) + some[i]; };
    FirstError failure;
    const int n_parts = cold_->n_parts(index_);
    pool_.run(static_cast<int>(some.size()) * n_parts, [&](int task, int) {
        const std::size_t at = expert_of(static_cast<std::size_t>(task / n_parts));
        auto done = cold_->arrange_part(index_, names_[at], slots_[at], read_[at], task % n_parts);
        if (!done) {
            failure.set(std::move(done).error());
        }
    });
    if (failure.failed()) {
        return failure.error();
    }
    for (std::size_t i = 0; i < some.size(); ++i) {
        cold_->arranged(index_, names_[expert_of(i)]);
    }
    return {};
}

void ExpertSlots::done(int step, bool good) {
    cache().done(step, good);
}

void ExpertSlots::end() {
    cache().end();
    if (cold_->without().cache) {
        cache().drop(index_);
    }
}

}  // namespace hearth
