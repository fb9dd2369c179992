// Makes of an opened model what answers: a plan for this machine, executors with their weights, a
// session.
#pragma once

#include <hearth/result.h>

#include "session/loaded_model.h"

namespace hearth {

// Uses the GPU that impl.options ask for, if any can be used; what goes wrong with one that nobody
// named is no error: the processor does everything then, and impl.settings.gpu_note says why. A
// driver that has less memory to give than it said gets a smaller part. Replaces what was assembled
// before, but keeps the session and what it knows of its tokens. Errors as Engine::load().
Result<void> assemble(LoadedModel& impl, LoadMonitor& monitor);

// The GPU stopped answering: opens it once more, the next time goes on without. Fails where RAM has
// no room for what the GPU held.
Result<void> recover(LoadedModel& impl, const Error& lost);

}  // namespace hearth
