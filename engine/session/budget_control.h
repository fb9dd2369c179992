// The budgets of a model that is loaded: any thread sets them, and the engine's carries out what
// needs loading.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "session/machine_plan.h"
#include "session/ram_budget.h"

namespace hearth {

struct Budgets {
    std::optional<std::uint64_t> ram_bytes{}, vram_bytes{};  // empty: what there is to spare
    bool operator==(const Budgets&) const = default;
};

// The loaded plan, and the basis of it.
struct LoadedPlan {
    std::shared_ptr<const PlanBasis> basis;
    Plan plan;
    Budgets budgets;                // that it was planned for, or spares for
    std::uint64_t held = 0;         // of RAM, by the ledger
    std::uint64_t most_spared = 0;  // of that, see Executor::most_spared_ram()
    bool may_open_gpu = false;      // none is open, and one might be
};

// A change that the cache of neurons can make up for is carried out by RamBudget. Any other one
// waits until the engine's thread asks for it, between two passes or two answers.
class BudgetControl {
public:
    // ram: outlives this.
    explicit BudgetControl(RamBudget& ram) : ram_(ram) {}

    // Any thread. As Engine::set_budget().
    Result<void> set(const BudgetChange& change);
    // Any thread. What was set last, or loaded for; nothing before the first show(). And of RAM the
    // bytes that it means, or meant when it was loaded.
    std::optional<Budgets> budgets() const;
    std::uint64_t ram_bytes() const;
    // Any thread. Something waits to be carried out.
    bool waits() const { return waits_; }

    // What follows is the engine's thread's.

    // This is loaded now, whether begin() asked for it or not.
    void show(LoadedPlan loaded);
    // The loaded weights have another placement now, of the same bytes.
    void moved(std::shared_ptr<const PlanBasis> basis, const Placement& placement);
    // More VRAM waits to be used, and no GPU is open. no_gpu(): none could be opened.
    bool wants_gpu() const;
    void no_gpu();
    // The budgets to load for; empty: sparing, or nothing, is enough. From here to end() nothing is
    // spared. always: nothing is loaded. OverBudget: what was set does not fit any more; what is
    // loaded stays, and so do its budgets.
    Result<std::optional<Budgets>> begin(bool always);
    // False: what begin() asked for could not be loaded, and the budgets before hold again, unless
    // others were set meanwhile.
    void end(bool good);
    // The budgets of what is loaded, or was last.
    Budgets in_force() const;

private:
    std::uint64_t ram_of(const Budgets& budgets) const {
        return budgets.ram_bytes.value_or(loaded_->plan.ram_budget_bytes);
    }
    Result<bool> needs_load(const Budgets& target) const;
    Result<void> spare();
    // With which what is loaded can be computed.
    std::uint64_t least() const { return loaded_->held - loaded_->most_spared; }

    RamBudget& ram_;
    mutable std::mutex mutex_;  // of what follows; taken before RamBudget's
    std::optional<LoadedPlan> loaded_;
    Budgets wanted_;
    std::optional<Budgets> loading_;
    std::atomic<bool> waits_ = false;  // written under the mutex
};

}  // namespace hearth
