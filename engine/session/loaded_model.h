// What stands behind hearth::Engine. The door (api/) fills it, the tools look into it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <hearth/engine.h>

#include "base/environment.h"
#include "base/thread_pool.h"
#include "compute/executor.h"
#include "compute/foretelling.h"
#include "gguf/reader.h"
#include "memory/ledger.h"
#include "plan/vram_moves.h"
#include "session/budget_control.h"
#include "session/chat_prompter.h"
#include "session/layer_paths.h"
#include "session/open_gpu.h"
#include "session/ram_budget.h"
#include "session/session.h"
#include "text/tokenizer.h"

namespace hearth {

// Members are made in this order and destroyed in the opposite one.
struct LoadedModel {
    EngineOptions options;
    Environment environment;
    FeedForwardMode mode = FeedForwardMode::Exact;  // that was asked for; Exact: or nothing was
    GgufFile file;
    std::unique_ptr<GgufFile> predictor_file;  // null: predictors lie in `file`, or there are none
    ModelSpec spec;
    ModelTensors tensors;
    ModelInfo info;
    EngineSettings settings;
    LoadTimings timings;
    std::shared_ptr<const PlanBasis> basis;  // of the plan
    Plan plan;
    std::unique_ptr<Ledger> ledger;
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<ChatPrompter> chat;  // null: the file has no template
    bool said_fallback = false;          // an answer told why the template is not used
    Error no_template;                   // then: why
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<OpenGpu> gpu;  // null: none is used
    GpuSpeeds gpu_speeds;          // of it
    // Null: loading it again failed, or was cancelled. Then there is no GPU's either, and the
    // session's upkeep tries again before anything is computed.
    std::unique_ptr<Executor> executor;
    bool foretells = false;                    // the plan has room for the layer that does
    std::unique_ptr<Foretelling> foretelling;  // null: it is left out; computes with the executor
    RamBudget ram_budget;                      // of the executor
    BudgetControl budgets{ram_budget};
    std::unique_ptr<Executor> gpu_executor;  // null as gpu is
    int n_loads = 0;                         // how often weights were loaded
    bool keeps_executors = false;            // somebody observes them
    bool gpu_failed = false;                 // the latest error was its own
    int losses = 0;                          // how often the GPU stopped answering
    bool without_gpu = false;                // too often
    std::string lost_note;
    std::unique_ptr<LayerPaths> paths;  // null: a mode was asked for, and layers keep to it
    std::unique_ptr<Session> session;
    std::unique_ptr<SelfProfile> self_profile;  // null: nothing is counted
    // Knows which experts of a mixture are chosen, or which neurons fire. Null: nothing of the
    // model rests, or no GPU takes part.
    std::unique_ptr<VramMoves> vram_moves;

    // See Executor::observe(). The executor stays until this is called with null: a budget that
    // needs another one waits. Precondition: there is one.
    void observe(FeedForwardObserver* observer) {
        keeps_executors = observer != nullptr;
        executor->observe(observer);
    }
    // Between answers, where no mode was named: each layer takes the path that is faster at what
    // was counted so far.
    void choose_paths() {
        if (paths != nullptr && executor != nullptr) {
            paths->choose();
        }
    }
    // From now on each layer keeps to the mode, named or not: for what must come out the same every
    // time.
    void fix_paths() {
        if (paths != nullptr && executor != nullptr) {
            paths->fix();
        }
    }
};

}  // namespace hearth
