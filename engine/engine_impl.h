// What stands behind hearth::Engine; for engine.cpp and tools/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <hearth/engine.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "gguf/reader.h"
#include "memory/ledger.h"
#include "session/session.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace hearth {

// An answer as it was generated: its text tokenised anew may give other tokens, and then the turn
// after would find nothing of it in the cache.
struct RememberedAnswer {
    std::string text;
    std::vector<TokenId> tokens;
};

// Members are made in this order and destroyed in the opposite one.
struct Engine::Impl {
    GgufFile file;
    ModelSpec spec;
    ModelTensors tensors;
    ModelInfo info;
    EngineSettings settings;
    LoadTimings timings;
    Plan plan;
    std::unique_ptr<Ledger> ledger;
    std::unique_ptr<Tokenizer> tokenizer;
    std::unique_ptr<ChatTemplate> chat_template;  // null: the file has none that runs here
    Error no_template;                            // then: why
    std::unique_ptr<ThreadPool> pool;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<Session> session;

    std::vector<RememberedAnswer> answers;  // latest last, bounded
    std::size_t first_kept_message = 0;     // how chat() cut the conversation last, and
    std::string first_kept_content;         // the message it began with
};

}  // namespace hearth
