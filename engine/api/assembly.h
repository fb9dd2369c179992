// Makes of an opened model what answers: a plan for this machine, executors with their weights, a
// session.
#pragma once

#include <optional>

#include <hearth/result.h>

#include "session/loaded_model.h"

namespace hearth {

// Uses the GPU that impl.options ask for, if any can be used; what goes wrong with one that nobody
// named is no error: the processor does everything then, and impl.settings.gpu_note says why. A
// driver that has less memory to give than it said gets a smaller part. Replaces what was assembled
// before, but keeps the session and what it knows of its tokens. Budgets are those that were set
// last, or else the options'. Errors as Engine::load().
Result<void> assemble(LoadedModel& impl, LoadMonitor& monitor);

// The GPU stopped answering: opens it once more, the next time goes on without. Fails where RAM has
// no room for what the GPU held.
Result<void> recover(LoadedModel& impl, const Error& lost);

// Gives up both units' weights and the past. The next answer loads them, and computes the past
// again.
void give_up_weights(LoadedModel& impl);

struct BudgetOutcome {
    std::optional<Error> refused{};  // why the budgets of before hold; what they need is loaded
};
// Loads for the budgets that wait in impl.budgets, if loading is what they need, and loads what
// could not be loaded before. An error, also Cancelled, leaves nothing loaded; the next call tries
// again.
Result<BudgetOutcome> carry_out_budget(LoadedModel& impl, LoadMonitor& monitor);

}  // namespace hearth
