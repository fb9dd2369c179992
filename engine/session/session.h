// One conversation's position in the model: its past, which the session owns, and generating from
// there.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/engine.h>
#include <hearth/result.h>

#include "memory/past.h"
#include "memory/past_file.h"
#include "memory/past_shelf.h"
#include "session/answer_grammar.h"
#include "session/decoder.h"
#include "session/sampler.h"
#include "session/speculation.h"
#include "session/triggered_grammars.h"
#include "text/tokenizer.h"

namespace hearth {

class Session {
public:
    Session(const Tokenizer& tokenizer, Decoder decoder, Past past);

    int n_ctx() const { return n_ctx_; }

    // Called when a GPU is lost during a call. It must call replace() or fail. The session then
    // computes again what the past held, and the call goes on.
    using Recovery = std::function<Result<void>(const Error& lost)>;
    void set_recovery(Recovery recovery) { recovery_ = std::move(recovery); }
    // What is done between two passes: whether there is something to do, and doing it. It may call
    // replace(), and returns what people are to know of it. After an error there may be no
    // executors: nothing is computed before it has succeeded once.
    struct Upkeep {
        std::function<bool()> is_due;
        std::function<Result<std::string>(const Cancellation&)> run;
    };
    void set_upkeep(Upkeep upkeep) { upkeep_ = std::move(upkeep); }
    // Puts in another decoder of the same model, with an empty past or with the present one, see
    // Decoder::can_keep(). The session remembers the tokens, and computes those again that an empty
    // past should hold. The new decoder counts nothing until count_firing() is called.
    void replace(Decoder decoder, Past past);
    void replace(Decoder decoder) {
        decoder_ = std::move(decoder);
        decoder_.follow(follows_);
    }
    // Gives back the past's memory. Nothing is computed before replace() has brought another one.
    void drop_past();

    // See Decoder::count_firing().
    void count_firing(SelfProfile* profile) { decoder_.count_firing(profile); }

    // Continues `prompt`. Leading tokens that the past holds already are not computed again.
    // ContextFull: the prompt leaves no room for one more token. InvalidArgument: the prompt is
    // empty, sampler_words() or AnswerGrammar refuse the options. Unsupported: the grammar has too
    // many readings. continued: the last tokens of `prompt`, if the answer began with them.
    Result<GenerationResult> generate(std::span<const TokenId> prompt,
                                      const GenerationOptions& options,
                                      const PieceCallback& on_piece,
                                      const Cancellation& cancellation,
                                      std::span<const TokenId> continued = {});

    // Computes the logits of `tokens` from an empty context. Forgets what the past held.
    // ContextFull.
    Result<void> score(std::span<const TokenId> tokens, Decoder::Want want,
                       const Decoder::LogitsSink& sink, const Cancellation& cancellation);

    // For measuring: computes tokens after what the past holds and leaves the logits of the last
    // one in last_logits(). Preconditions: they fit the context, and their ids are in the
    // vocabulary. What decode_one() computes is part of the units' activity(), what append() does
    // is not.
    Result<void> append(std::span<const TokenId> tokens, const Cancellation& cancellation);
    Result<void> decode_one(TokenId token, const Cancellation& cancellation);
    // Computes tokens behind what the past holds as if each was passed alone, tells the logits
    // behind each of them, and forgets the tokens. In one pass where can_draft().
    Result<void> look_ahead(std::span<const TokenId> tokens, const Decoder::LogitsSink& sink,
                            const Cancellation& cancellation);
    bool can_draft() const { return decoder_.can_pass_each_alone(); }
    // Forgets all but the first `count` tokens, if the past holds that many.
    void truncate(std::size_t count) { cached_.resize(std::min(count, cached_.size())); }
    // The logits behind the latest token, which the caller may change until the next pass. Survives
    // the loss of a GPU. Not after score(). Cancelled.
    Result<std::span<float>> last_logits(const Cancellation& cancellation);
    // Draws the next token after what the past holds, from a GPU's candidates where that gives the
    // same token, else from all logits, as a mask always wants. recent, mask: see Sampler.
    Result<TokenId> draw(Sampler& sampler, std::span<const TokenId> recent,
                         const Cancellation& cancellation, TokenMask mask = {});
    std::span<const TokenId> cached_tokens() const { return cached_; }
    void clear() { cached_.clear(); }
    // Writes what the past holds to a file, and brings it back from one, as write_past() and
    // read_past() do. Both return the number of tokens; 0: the past holds none, or cannot go on
    // where they end, or the file is of another. After an error of restore_past() the past holds
    // nothing. Between answers. saves_in_parts(): save_past() adds to the file it wrote or read
    // last, if that is of the same conversation.
    bool saves_in_parts() const { return !past_.forgets(); }
    Result<std::size_t> save_past(const std::string& path, std::string_view key,
                                  const Cancellation& cancellation = {});
    Result<std::size_t> restore_past(const std::string& path, std::string_view key);
    const Past& past() const { return past_; }
    // The RAM that copies of other conversations' pasts may take, in bytes; 0 at first. An answer
    // to another conversation than the latest one's leaves a copy of that, and begins with its own.
    void set_kept_pasts(std::uint64_t bytes) { shelf_.set_most(bytes); }
    const PastShelf& kept_pasts() const { return shelf_; }

private:
    struct Answer;
    class Following;
    // Tokens before the ones that are to be computed: of earlier calls, then of this one.
    struct Seen {
        std::span<const TokenId> before, now{};
    };
    // As Decoder::forward(), but survives the loss of a GPU. decodes: a token of an answer.
    Result<void> forward(std::span<const TokenId> tokens, int position, Decoder::Want want,
                         const Decoder::LogitsSink& sink, const Cancellation& cancellation,
                         bool decodes = false);
    Result<void> extend(std::span<const TokenId> tokens, const Cancellation& cancellation,
                        bool decodes);
    // Brings the past behind a token that was drawn, and passes drafts with it where that pays: at
    // most `drafts` of them.
    Result<void> advance(TokenId token, std::size_t drafts, const Cancellation& cancellation);
    // The drafts to pass with the token, which is not in cached_ yet.
    std::span<const TokenId> draft(TokenId token, std::size_t most);
    // Before a pass: does what is due. Then the past holds `seen`.
    Result<void> get_ready(const Seen& seen, const Cancellation& cancellation);
    // Repeats the attempt as often as a GPU is lost, with another decoder and after computing
    // `seen`.
    Result<void> survive(const std::function<Result<void>()>& attempt, const Seen& seen,
                         Decoder::Want want, const Cancellation& cancellation);
    // Makes the past that of `before`, by computing what follows the latest position it can go to.
    Result<void> go_back(std::span<const TokenId> before, const Cancellation& cancellation);
    // Makes the past's states those of cached_, where an answer ended among drafts.
    Result<void> settle(const Cancellation& cancellation);
    // Computes `seen` where the past does not hold it.
    Result<void> restore(const Seen& seen, Decoder::Want want, const Cancellation& cancellation);
    // Asks the grammar what may come next: a mask, or, where nothing may, why the answer ends. A
    // null constraint allows everything.
    struct Next {
        TokenMask mask{};
        std::optional<FinishReason> finish{};
    };
    static Result<Next> what_may_come(GrammarConstraint* constraint);
    // How many of the prompt's tokens come before what changes most: the last message's end, or the
    // last token.
    std::size_t last_border(std::span<const TokenId> prompt) const;
    // Copies the past if the prompt is of another conversation, and brings one that begins as the
    // prompt does.
    void change_conversation(std::span<const TokenId> prompt);
    // Brings the past to exactly `prompt`, its last logits computed.
    Result<void> prefill(std::span<const TokenId> prompt, GenerationResult& result,
                         const Cancellation& cancellation);

    const Tokenizer& tokenizer_;
    Decoder decoder_;
    Past past_;
    int n_ctx_;
    std::vector<TokenId> cached_;  // what the past holds, position by position
    std::size_t asked_ = 0;        // the tokens of the latest prompt
    PastShelf shelf_;
    PastFile past_file_;          // that was saved or restored last
    bool past_is_empty_ = false;  // it does not, but will before it is used
    AnswerGrammar grammar_;
    TriggeredGrammars triggered_;
    Speculation speculation_;
    bool follows_ = false;                              // an answer runs that may have drafts
    std::chrono::steady_clock::time_point pass_began_;  // the latest of an answer
    Recovery recovery_;
    Upkeep upkeep_;
    std::string notice_;     // of the latest loss, or of the upkeep
    ExpertsServed experts_;  // of the running answer
};

}  // namespace hearth
