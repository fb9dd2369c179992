#include "session/ram_budget.h"

#include <algorithm>
#include <string>

namespace hearth {

void RamBudget::attach(Executor* executor, std::uint64_t held) {
    const std::lock_guard executing(executing_);
    executor_ = executor;
    spared_ = 0;
    {
        const std::lock_guard lock(mutex_);
        held_ = held;
        most_spared_ = executor == nullptr ? 0 : executor->most_spared_ram();
    }
    carry_out();
}

Result<void> RamBudget::set(std::uint64_t bytes) {
    {
        const std::lock_guard lock(mutex_);
        if (const std::uint64_t least = held_ - most_spared_; bytes < least) {
            return Error{ErrorCode::OverBudget,
                         "a budget of " + std::to_string(bytes) +
                             " bytes is too small: with what it was loaded for, the model needs " +
                             std::to_string(least),
                         {},
                         "ram"};
        }
        bytes_ = bytes;
    }
    changed_ = true;
    carry_out_if_idle();
    return {};
}

std::optional<std::uint64_t> RamBudget::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

// Precondition, as for carry_out(): executing_ is held.
void RamBudget::look() {
    if (!pressure_.read || executor_ == nullptr || executor_->most_spared_ram() == 0) {
        return;
    }
    const std::uint64_t now = pressure_.now_ms();
    if (now < look_ms_) {
        return;
    }
    look_ms_ = now + kLookEveryMs;
    const auto pressure = pressure_.read();
    if (!pressure) {
        pressure_.read = {};
        return;
    }
    const double before = advice_.share();
    if (advice_.add(now, *pressure) != before) {
        changed_ = true;
    }
}

void RamBudget::carry_out() {
    changed_ = false;  // before bytes_ is read: what is set from here on is seen next time
    std::uint64_t spared = 0;
    {
        const std::lock_guard lock(mutex_);
        const std::uint64_t most = bytes_.value_or(held_);
        const auto advised =
            static_cast<std::uint64_t>((1 - advice_.share()) * static_cast<double>(most_spared_));
        spared = std::min(std::max(held_ - std::min(held_, most), advised), most_spared_);
    }
    if (executor_ != nullptr) {
        executor_->set_spared_ram(spared);
        spared_ = spared;
    }
}

// Whoever holds executing_ meanwhile looks again when it lets go.
void RamBudget::carry_out_if_idle() {
    while (changed_) {
        const std::unique_lock executing(executing_, std::try_to_lock);
        if (!executing.owns_lock()) {
            return;
        }
        carry_out();
    }
}

RamBudget::Passes::Passes(RamBudget* budget) : budget_(budget) {
    if (budget_ != nullptr) {
        budget_->executing_.lock();
    }
}

RamBudget::Passes::~Passes() {
    if (budget_ != nullptr) {
        budget_->executing_.unlock();
        budget_->carry_out_if_idle();
    }
}

void RamBudget::Passes::next() {
    if (budget_ == nullptr) {
        return;
    }
    budget_->look();
    if (budget_->changed_) {
        budget_->carry_out();
    }
}

}  // namespace hearth
