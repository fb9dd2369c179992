// Makes of an opened model what answers: a plan for this machine, executors with their weights, a
// session.
#pragma once

#include <optional>
#include <string>

#include <hearth/result.h>

#include "compute/executor.h"
#include "engine_impl.h"

namespace hearth {

// Uses the GPU that impl.options ask for, if any can be used; what goes wrong with one that nobody
// named is no error: the processor does everything then, and impl.settings.gpu_note says why. A
// driver that has less memory to give than it said gets a smaller part. Replaces what was assembled
// before, but keeps the session and what it knows of its tokens. Errors as Engine::load().
Result<void> assemble(Engine::Impl& impl, LoadMonitor& monitor);

// Between answers, where no mode was named: each layer takes the path that is faster at what was
// counted so far.
void choose_paths(Engine::Impl& impl);
// From now on each layer keeps to the mode, named or not: for what must come out the same every
// time.
void fix_paths(Engine::Impl& impl);

// The GPU stopped answering: opens it once more, the next time goes on without. Fails where RAM has
// no room for what the GPU held.
Result<void> recover(Engine::Impl& impl, const Error& lost);

}  // namespace hearth
