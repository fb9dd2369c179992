#include "session/budget_control.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace hearth {
namespace {

// Loading takes seconds: a larger budget must give at least this part more than there is.
constexpr std::uint64_t kWorthPart = 16;

bool is_more(std::uint64_t bytes, std::uint64_t than) {
    return bytes > than + than / kWorthPart;
}

// True if a plan gains so much on the loaded one that loading pays, where both fit.
bool is_worth_loading(const Plan& plan, const LoadedPlan& now) {
    if (is_more(plan.vram.weights, now.plan.vram.weights)) {
        return true;
    }
    return now.plan.reads_flash() && (!plan.reads_flash() || is_more(plan.ram.total(), now.held));
}

}  // namespace

Result<void> BudgetControl::set(const BudgetChange& change) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(loaded_.has_value());
    Budgets target = wanted_;
    if (change.ram_bytes) {
        target.ram_bytes = change.ram_bytes;
    }
    if (change.vram_bytes) {
        target.vram_bytes = change.vram_bytes;
    }
    const auto load = needs_load(target);
    if (!load) {
        return load.error();
    }
    wanted_ = target;
    if (*load || loading_) {
        waits_ = true;
        // Until then as much as can be spared, or what there was before it was.
        return loading_ ? Result<void>() : ram_.set(std::max(ram_of(target), least()));
    }
    return spare();
}

// The wanted budget holds from now on with the loaded weights.
Result<void> BudgetControl::spare() {
    waits_ = false;
    loaded_->budgets = wanted_;
    return ram_.set(ram_of(wanted_));
}

std::optional<Budgets> BudgetControl::budgets() const {
    const std::lock_guard lock(mutex_);
    return loaded_ ? std::optional(wanted_) : std::nullopt;
}

std::uint64_t BudgetControl::ram_bytes() const {
    const std::lock_guard lock(mutex_);
    return ram_of(wanted_);
}

Budgets BudgetControl::in_force() const {
    const std::lock_guard lock(mutex_);
    return loaded_->budgets;
}

void BudgetControl::show(LoadedPlan loaded) {
    const std::lock_guard lock(mutex_);
    if (!loaded_) {
        wanted_ = loaded.budgets;
    }
    loaded_ = std::move(loaded);
    waits_ = wanted_ != loaded_->budgets;  // set meanwhile
    // It fits, whatever RamBudget was told of what was there before.
    const auto fits = ram_.set(ram_of(loaded_->budgets));
    HEARTH_ASSERT(fits.has_value());
}

void BudgetControl::moved(std::shared_ptr<const PlanBasis> basis, const Placement& placement) {
    const std::lock_guard lock(mutex_);
    loaded_->basis = std::move(basis);
    loaded_->plan.placement = placement;
}

void BudgetControl::no_gpu() {
    const std::lock_guard lock(mutex_);
    loaded_->may_open_gpu = false;
}

// True if the loaded weights must make way for others. OverBudget.
Result<bool> BudgetControl::needs_load(const Budgets& target) const {
    const LoadedPlan& now = *loaded_;
    const bool same_vram = target.vram_bytes == now.budgets.vram_bytes;
    const std::uint64_t ram = ram_of(target);
    const bool fits = ram >= least();
    if (same_vram && fits && ram <= now.held) {
        return false;
    }
    Budget budget = now.basis->budget;
    budget.ram_bytes = target.ram_bytes;
    budget.vram_bytes = target.vram_bytes;
    const auto planned = plan_on(*now.basis, budget);
    if (!planned) {
        return planned.error();
    }
    if (!fits || (target.vram_bytes && now.plan.vram.total() > *target.vram_bytes)) {
        return true;
    }
    if (!same_vram && now.may_open_gpu && target.vram_bytes.value_or(1) > 0) {
        return true;
    }
    return is_worth_loading(planned->plan, now);
}

bool BudgetControl::wants_gpu() const {
    const std::lock_guard lock(mutex_);
    return loaded_->may_open_gpu && wanted_.vram_bytes != loaded_->budgets.vram_bytes &&
           wanted_.vram_bytes.value_or(1) > 0;
}

Result<std::optional<Budgets>> BudgetControl::begin(bool always) {
    const std::lock_guard lock(mutex_);
    HEARTH_ASSERT(!loading_);
    waits_ = false;
    auto load = always ? Result<bool>(true) : needs_load(wanted_);
    if (!load) {
        wanted_ = loaded_->budgets;
        if (auto spared = spare(); !spared) {
            return std::move(spared).error();
        }
        return std::move(load).error();
    }
    if (!*load) {
        if (auto spared = spare(); !spared) {
            return std::move(spared).error();
        }
        return std::optional<Budgets>();
    }
    loading_ = wanted_;
    return std::optional(wanted_);
}

void BudgetControl::end(bool good) {
    const std::lock_guard lock(mutex_);
    if (!good && wanted_ == loading_) {
        wanted_ = loaded_->budgets;
        waits_ = false;
    }
    loading_.reset();
}

}  // namespace hearth
