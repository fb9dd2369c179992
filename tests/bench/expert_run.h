// Decodes with a mixture, token by token as an answer is, and notes which experts its tokens
// choose, how long they take and what its cache of experts does.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "bench/cache_report.h"
#include "bench/trace.h"
#include "compute/executor.h"
#include "session/loaded_model.h"

namespace hearth::bench {

struct ExpertRunOptions {
    std::vector<TokenId> text{};     // empty: greedy text
    std::optional<TokenId> first{};  // token of greedy text; empty: the begin token, else 0
    int n_before = 0;    // decoded first, to warm the cache: neither measured nor part of the trace
    int n_tokens = 128;  // then; of a text at most as many as it has
    // Traces are noted. A GPU may hold experts where they are not.
    bool records = true;
};

struct ExpertRun {
    std::vector<TokenId> tokens;  // that were decoded, those before included
    Trace before, trace;          // without options.records: no tokens
    CacheReport report;
    FlashReads disk;  // at the end
    // The share of the measured time in which at least one read was in flight.
    double disk_busy = 0;
};

// Begins with an empty context, and clears it where it is full. InvalidArgument: the model is no
// mixture; a token is not in its vocabulary; a trace is asked for, and a GPU holds a layer. Else
// the session's errors.
Result<ExpertRun> run_experts(LoadedModel& model, const ExpertRunOptions& options);

}  // namespace hearth::bench
