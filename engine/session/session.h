// One conversation's position in the model: what the KV cache holds, and generating from there.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/engine.h>
#include <hearth/result.h>

#include "memory/kv_cache.h"
#include "session/decoder.h"
#include "session/sampler.h"
#include "text/tokenizer.h"

namespace hearth {

class Session {
public:
    Session(const Tokenizer& tokenizer, Decoder decoder, KvCache cache);

    int n_ctx() const { return cache_.n_ctx(); }

    // Continues `prompt`. Tokens it shares from the start with what the cache holds are not
    // computed again. ContextFull: the prompt leaves no room for one more token. InvalidArgument:
    // an empty prompt.
    Result<GenerationResult> generate(std::span<const TokenId> prompt,
                                      const GenerationOptions& options,
                                      const PieceCallback& on_piece,
                                      const Cancellation& cancellation);

    // Logits of `tokens` from an empty context; forgets what the cache held. ContextFull.
    Result<void> score(std::span<const TokenId> tokens, Decoder::Want want,
                       const Decoder::LogitsSink& sink, const Cancellation& cancellation);

    // For measuring: tokens after what the cache holds, the last one's logits left in
    // last_logits(). Preconditions: they fit the context, ids inside the vocabulary.
    Result<void> append(std::span<const TokenId> tokens, const Cancellation& cancellation);
    Result<void> decode_one(TokenId token, const Cancellation& cancellation);
    // Forgets all but the first `count` tokens, if the cache holds that many.
    void truncate(std::size_t count) { cached_.resize(std::min(count, cached_.size())); }
    std::span<float> last_logits() { return decoder_.last_logits(); }
    std::span<const TokenId> cached_tokens() const { return cached_; }
    void clear() { cached_.clear(); }
    const KvCache& cache() const { return cache_; }

private:
    struct Answer;
    // Brings the cache to exactly `prompt`, its last logits computed.
    Result<void> prefill(std::span<const TokenId> prompt, GenerationResult& result,
                         const Cancellation& cancellation);

    const Tokenizer& tokenizer_;
    Decoder decoder_;
    KvCache cache_;
    std::vector<TokenId> cached_;  // what the cache holds, position by position
};

}  // namespace hearth
