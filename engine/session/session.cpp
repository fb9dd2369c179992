#include "session/session.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/assert.h"
#include "session/sampler_words.h"
#include "session/stop_rules.h"
#include "text/answer_marks.h"
#include "text/utf8_stream.h"

namespace hearth {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double per_second(std::size_t count, double ms) {
    return ms > 0 ? static_cast<double>(count) * 1000.0 / ms : 0.0;
}

}  // namespace

// Bytes of tokens on their way to the screen: made whole characters, checked for stop strings,
// shown.
struct Session::Answer {
    Answer(const std::vector<std::string>& stop, const PieceCallback& callback, std::string& out)
        : stop_rules(stop), on_piece(callback), text(out) {}

    void show(const std::string& piece) {
        if (!piece.empty()) {
            text += piece;
            if (on_piece) {
                on_piece(piece);
            }
        }
    }
    void push(std::string_view bytes) { show(stop_rules.push(utf8.push(bytes))); }
    void finish() {
        if (!stop_rules.stopped()) {
            show(stop_rules.push(utf8.finish()));
            show(stop_rules.finish());
        }
    }

    Utf8Stream utf8;
    StopRules stop_rules;
    const PieceCallback& on_piece;
    std::string& text;
};

// While an answer with drafts runs, the layer that foretells follows it.
class Session::Following {
public:
    Following(Session& session, bool on) : session_(session) { set(on); }
    ~Following() { set(false); }
    Following(const Following&) = delete;
    Following& operator=(const Following&) = delete;

private:
    void set(bool on) {
        session_.follows_ = on;
        session_.decoder_.follow(on);
    }

    Session& session_;
};

Session::Session(const Tokenizer& tokenizer, Decoder decoder, Past past)
    : tokenizer_(tokenizer),
      decoder_(std::move(decoder)),
      past_(std::move(past)),
      n_ctx_(past_.n_ctx()),
      grammar_(tokenizer),
      triggered_(tokenizer) {
    cached_.reserve(static_cast<std::size_t>(n_ctx_));
}

void Session::replace(Decoder decoder, Past past) {
    replace(std::move(decoder));
    past_ = std::move(past);
    n_ctx_ = past_.n_ctx();
    past_is_empty_ = true;
    shelf_.clear();  // of pasts that may lie otherwise
}

void Session::drop_past() {
    past_ = {};
    past_is_empty_ = true;
    shelf_.clear();
}

// A sink may see rows of a call twice: the first time from a GPU that was then lost.
Result<void> Session::forward(std::span<const TokenId> tokens, int position, Decoder::Want want,
                              const Decoder::LogitsSink& sink, const Cancellation& cancellation,
                              bool decodes) {
    const auto before = std::span(cached_).first(static_cast<std::size_t>(position));
    for (std::size_t first = 0; first < tokens.size();) {
        const Seen seen{before, tokens.first(first)};
        if (auto ready = get_ready(seen, cancellation); !ready) {
            return ready;
        }
        Decoder::LogitsSink shifted;
        if (sink && first > 0) {
            shifted = [&sink, first](std::size_t index, std::span<const float> row) {
                sink(first + index, row);
            };
        }
        std::size_t passed = 0;
        auto done = survive(
            [&]() -> Result<void> {
                if (first == 0) {
                    if (auto back = go_back(before, cancellation); !back) {
                        return back;
                    }
                }
                decoder_.count_activity(decodes);
                // Upkeep, or the loss of a GPU, may have brought another decoder.
                const bool drafts = want == Decoder::Want::Drafts;
                const bool one =
                    (drafts || want == Decoder::Want::EachAlone) && !decoder_.can_pass_each_alone();
                // Logits that stay are found by their place in the whole call.
                const auto how = one                   ? Decoder::Want::All
                                 : drafts && first > 0 ? Decoder::Want::EachAlone
                                                       : want;
                auto some = decoder_.forward_until(
                    tokens.subspan(first, one ? 1 : tokens.size() - first),
                    position + static_cast<int>(first), past_, how, first > 0 ? shifted : sink,
                    cancellation, upkeep_.is_due);
                if (!some) {
                    return std::move(some).error();
                }
                passed = *some;
                if (decodes) {
                    experts_ += decoder_.experts_of_token();
                }
                return {};
            },
            seen, Decoder::Want::None, cancellation);
        if (!done) {
            return done;
        }
        first += passed;
    }
    return {};
}

// After this the past has no states of tokens that others are about to replace.
Result<void> Session::go_back(std::span<const TokenId> before, const Cancellation& cancellation) {
    const auto position = static_cast<int>(before.size());
    past_.forget_after(position);
    const int from = past_.latest(position);
    if (from == position) {
        return {};
    }
    decoder_.count_activity(false);
    return decoder_.forward(before.subspan(static_cast<std::size_t>(from)), from, past_,
                            Decoder::Want::None, {}, cancellation);
}

Result<void> Session::get_ready(const Seen& seen, const Cancellation& cancellation) {
    if (upkeep_.is_due && upkeep_.is_due()) {
        if (cancellation.requested()) {
            return Error{ErrorCode::Cancelled, "cancelled"};
        }
        auto done = upkeep_.run(cancellation);
        if (!done) {
            return std::move(done).error();
        }
        if (!done->empty()) {
            notice_ = std::move(*done);
        }
    }
    if (!past_is_empty_) {
        return {};
    }
    return survive([] { return Result<void>(); }, seen, Decoder::Want::None, cancellation);
}

Result<void> Session::survive(const std::function<Result<void>()>& attempt, const Seen& seen,
                              Decoder::Want want, const Cancellation& cancellation) {
    for (;;) {
        auto done = restore(seen, want, cancellation);
        if (done) {
            done = attempt();
        }
        if (!done && done.error().code == ErrorCode::DeviceLost && recovery_) {
            notice_ = done.error().message;
            if (auto recovered = recovery_(done.error()); !recovered) {
                return recovered;
            }
            continue;
        }
        if (past_is_empty_) {
            cached_.clear();  // given up half way: the new past does not hold them
            past_is_empty_ = false;
        }
        return done;
    }
}

Result<void> Session::settle(const Cancellation& cancellation) {
    if (!past_.is_ahead()) {
        return {};
    }
    if (auto ready = get_ready({cached_}, cancellation); !ready) {
        return ready;
    }
    return survive([this] { return decoder_.settle(past_, static_cast<int>(cached_.size())); },
                   {cached_}, Decoder::Want::None, cancellation);
}

Result<void> Session::restore(const Seen& seen, Decoder::Want want,
                              const Cancellation& cancellation) {
    if (!past_is_empty_) {
        return {};
    }
    decoder_.count_activity(false);
    auto done = decoder_.forward(seen.before, 0, past_,
                                 seen.now.empty() ? want : Decoder::Want::None, {}, cancellation);
    if (done) {
        done = decoder_.forward(seen.now, static_cast<int>(seen.before.size()), past_, want, {},
                                cancellation);
    }
    past_is_empty_ = !done;
    return done;
}

Result<std::size_t> Session::save_past(const std::string& path, std::string_view key,
                                       const Cancellation& cancellation) {
    if (auto done = settle(cancellation); !done) {
        return std::move(done).error();
    }
    const auto end = static_cast<int>(cached_.size());
    if (past_is_empty_ || end == 0 || past_.latest(end) != end) {
        return std::size_t{0};
    }
    auto done = write_past(path, key, cached_, past_, past_file_, cancellation);
    return done ? Result<std::size_t>(cached_.size()) : std::move(done).error();
}

Result<std::size_t> Session::restore_past(const std::string& path, std::string_view key) {
    if (past_is_empty_) {
        return std::size_t{0};
    }
    auto tokens = read_past(path, key, tokenizer_.n_vocab(), past_, past_file_);
    if (!tokens) {
        cached_.clear();
        return std::move(tokens).error();
    }
    if (!tokens->empty()) {
        cached_.assign(tokens->begin(), tokens->end());
    }
    return tokens->size();
}

Result<std::span<float>> Session::last_logits(const Cancellation& cancellation) {
    HEARTH_ASSERT(!cached_.empty());
    std::span<float> logits = speculation_.logits();
    if (!logits.empty()) {
        return logits;
    }
    bool drafted = speculation_.has_row() && !past_is_empty_;
    const auto fetch = [&]() -> Result<void> {
        const bool stayed = std::exchange(drafted, false);
        if (!stayed) {  // a decoder that came for a lost GPU passes only what was accepted
            speculation_.drop();
        }
        auto fetched = stayed ? decoder_.logits_of(speculation_.row()) : decoder_.last_logits();
        if (!fetched) {
            return std::move(fetched).error();
        }
        logits = *fetched;
        return {};
    };
    if (auto done = survive(fetch, {cached_}, Decoder::Want::Last, cancellation); !done) {
        return std::move(done).error();
    }
    return logits;
}

Result<TokenId> Session::draw(Sampler& sampler, std::span<const TokenId> recent,
                              const Cancellation& cancellation, TokenMask mask) {
    // The tokens that a mask allows may all lie outside the candidates.
    if (mask.empty()) {
        const auto best =
            speculation_.has_row() ? speculation_.candidates() : decoder_.candidates();
        if (const auto token = sampler.sample_among(best, Executor::kCandidates, recent)) {
            return *token;
        }
    }
    auto logits = last_logits(cancellation);
    if (!logits) {
        return std::move(logits).error();
    }
    // A model may have more rows than tokens (padding): those are no words.
    return sampler.sample(logits->first(static_cast<std::size_t>(sampler.n_vocab())), recent, mask);
}

Result<Session::Next> Session::what_may_come(GrammarConstraint* constraint) {
    if (constraint == nullptr) {
        return Next{};
    }
    auto allowed = constraint->allowed();
    if (!allowed) {
        return std::move(allowed).error();
    }
    if (!allowed->any_text) {
        return Next{{}, allowed->may_end ? FinishReason::Stop : FinishReason::Grammar};
    }
    return Next{allowed->tokens, std::nullopt};
}

// A prompt ends with the end of the last message and a few tokens that open the answer. The next
// prompt often differs from there on, because it has the answer without its reasoning.
std::size_t Session::last_border(std::span<const TokenId> prompt) const {
    constexpr std::size_t kMostOpening = 64;
    const std::size_t least = prompt.size() - std::min(prompt.size(), kMostOpening);
    for (std::size_t i = prompt.size() - 1; i > least; --i) {
        if (tokenizer_.is_end_of_turn(prompt[i - 1])) {
            return i;
        }
    }
    return prompt.size() - 1;
}

// A copy that cannot be made or read is one that is not there: its tokens are computed.
void Session::change_conversation(std::span<const TokenId> prompt) {
    constexpr std::size_t kWorthIt = 256;  // tokens that a copy spares
    constexpr std::size_t kOpening = 64;   // behind the last message, which a next prompt may lack
    if (shelf_.most() == 0 || past_is_empty_) {
        return;
    }
    const auto alike = static_cast<std::size_t>(
        std::mismatch(cached_.begin(), cached_.end(), prompt.begin(), prompt.end()).first -
        cached_.begin());
    const auto text = prompt.first(prompt.size() - 1);
    shelf_.best_for(text);  // counts as used: it must not make room
    // A conversation that goes on has all of its latest prompt, and often not all of the answer.
    if (alike + kOpening < asked_ && cached_.size() - alike >= kWorthIt) {
        const auto end = static_cast<std::size_t>(past_.latest(static_cast<int>(cached_.size())));
        if (end >= alike + kWorthIt) {
            [[maybe_unused]] const auto kept = shelf_.keep(std::span(cached_).first(end), past_);
        }
    }
    const auto here =
        static_cast<std::size_t>(past_.latest(static_cast<int>(std::min(alike, text.size()))));
    const PastShelf::Found found = shelf_.best_for(text);
    if (found.tokens >= here + kWorthIt) {
        auto tokens = shelf_.take(found, past_);
        if (tokens) {
            cached_ = std::move(*tokens);
        } else {
            cached_.clear();
        }
    }
}

Result<void> Session::prefill(std::span<const TokenId> prompt, GenerationResult& result,
                              const Cancellation& cancellation) {
    const auto start = Clock::now();
    if (auto done = settle(cancellation); !done) {
        return done;
    }
    change_conversation(prompt);
    asked_ = prompt.size();
    const auto [mine, theirs] =
        std::mismatch(cached_.begin(), cached_.end(), prompt.begin(), prompt.end());
    // The last token is computed even if the past holds it: its logits are what comes next.
    const std::size_t known =
        std::min(static_cast<std::size_t>(mine - cached_.begin()), prompt.size() - 1);
    const auto kept =
        past_is_empty_ ? known : static_cast<std::size_t>(past_.latest(static_cast<int>(known)));
    cached_.resize(kept);
    result.prompt_tokens = static_cast<int>(prompt.size());
    result.cached_tokens = static_cast<int>(kept);
    // Answering again, and the next prompt, go back to the border.
    if (const std::size_t border = last_border(prompt); past_.forgets() && border > kept) {
        const auto before = prompt.subspan(kept, border - kept);
        if (auto done =
                forward(before, static_cast<int>(kept), Decoder::Want::None, {}, cancellation);
            !done) {
            return done;
        }
        cached_.insert(cached_.end(), before.begin(), before.end());
        if (auto done = survive([this] { return past_.keep(); }, {cached_}, Decoder::Want::None,
                                cancellation);
            !done) {
            return done;
        }
    }
    const std::size_t first = cached_.size();
    if (auto done = forward(prompt.subspan(first), static_cast<int>(first), Decoder::Want::Last, {},
                            cancellation);
        !done) {
        return done;
    }
    cached_.assign(prompt.begin(), prompt.end());
    result.prefill_ms = ms_since(start);
    result.prefill_per_s = per_second(prompt.size() - kept, result.prefill_ms);
    return {};
}

Result<GenerationResult> Session::generate(std::span<const TokenId> prompt,
                                           const GenerationOptions& options,
                                           const PieceCallback& on_piece,
                                           const Cancellation& cancellation,
                                           std::span<const TokenId> continued) {
    const auto start = Clock::now();
    const auto room = static_cast<std::size_t>(n_ctx());
    if (prompt.empty()) {
        return Error{ErrorCode::InvalidArgument, "the prompt is empty", {}, "prompt"};
    }
    if (prompt.size() >= room) {
        return Error{ErrorCode::ContextFull,
                     "the prompt has " + std::to_string(prompt.size()) +
                         " tokens, the context holds " + std::to_string(room) +
                         " and needs room for the answer",
                     {},
                     "prompt"};
    }
    GenerationResult result;
    experts_ = {};
    notice_.clear();
    auto words = sampler_words(options.sampling, tokenizer_);
    if (!words) {
        return std::move(words).error();
    }
    auto constraint = grammar_.for_answer(options);
    if (!constraint) {
        return std::move(constraint).error();
    }
    Sampler sampler(options.sampling, tokenizer_.n_vocab(), std::move(*words));
    result.seed = sampler.seed();
    const Following following(*this, options.drafts);
    if (auto done = prefill(prompt, result, cancellation); !done) {
        if (done.error().code == ErrorCode::Cancelled) {
            result.finish = FinishReason::Cancelled;
            return result;
        }
        return std::move(done).error();
    }

    Answer answer(options.stop, on_piece, result.text);
    AnswerMarks marks(tokenizer_, !options.tools.empty() && *constraint == nullptr);
    std::string bytes;
    triggered_.begin(options, prompt.first(prompt.size() - continued.size()));
    for (const TokenId token : continued) {
        bytes.clear();
        marks.push(token, bytes);
        triggered_.push(token, bytes);
    }
    bytes.clear();  // the caller has that text
    result.finish = FinishReason::Length;
    Clock::time_point first_token;
    speculation_.begin();
    while (options.max_tokens < 0 ||
           result.token_ids.size() < static_cast<std::size_t>(options.max_tokens)) {
        if (cancellation.requested()) {
            result.finish = FinishReason::Cancelled;
            break;
        }
        auto next = what_may_come(*constraint);
        if (!next) {
            return std::move(next).error();
        }
        if (next->finish) {
            result.finish = *next->finish;
            break;
        }
        const TokenMask mask = *constraint != nullptr ? next->mask : triggered_.mask();
        auto token = draw(sampler, cached_, cancellation, mask);
        if (!token) {
            if (token.error().code == ErrorCode::Cancelled) {
                result.finish = FinishReason::Cancelled;
                break;
            }
            return std::move(token).error();
        }
        if (result.token_ids.empty()) {
            first_token = Clock::now();
            result.ttft_ms = ms_since(start);
        }
        if (tokenizer_.is_end_of_turn(*token)) {
            result.finish = FinishReason::Stop;
            break;
        }
        result.token_ids.push_back(*token);
        bytes.clear();
        marks.push(*token, bytes);
        triggered_.push(*token, bytes);
        answer.push(bytes);
        if (answer.stop_rules.stopped()) {
            result.finish = FinishReason::Stop;
            result.stop_string = answer.stop_rules.stopped_by();
            break;
        }
        if (*constraint != nullptr) {
            (*constraint)->accept(bytes);
            // A text that is whole and cannot go on ends here: nothing more is computed.
            auto more = what_may_come(*constraint);
            if (!more) {
                return std::move(more).error();
            }
            if (more->finish) {
                result.finish = *more->finish;
                break;
            }
        }
        if (cached_.size() == room) {
            break;
        }
        // The last token asked for need not be computed: nothing is drawn from its logits.
        if (options.max_tokens >= 0 &&
            result.token_ids.size() == static_cast<std::size_t>(options.max_tokens)) {
            break;
        }
        const std::size_t wanted =
            options.max_tokens < 0
                ? room
                : static_cast<std::size_t>(options.max_tokens) - result.token_ids.size();
        const std::size_t drafts = options.drafts ? std::min(wanted, room - cached_.size()) - 1 : 0;
        if (auto done = advance(*token, drafts, cancellation); !done) {
            if (done.error().code == ErrorCode::Cancelled) {
                result.finish = FinishReason::Cancelled;
                break;
            }
            return std::move(done).error();
        }
    }
    answer.finish();
    speculation_.drop();
    result.drafted_tokens = speculation_.n_drafted();
    result.right_drafts = speculation_.n_right();
    result.guessed_tokens = speculation_.n_guessed();
    result.right_guesses = speculation_.n_right_guesses();
    result.experts = experts_;
    result.notice = notice_;
    if (result.finish == FinishReason::Grammar) {
        result.notice += (notice_.empty() ? "" : "; ");
        result.notice +=
            "the answer ends early: no token of this vocabulary goes on with the grammar";
    }
    if (result.token_ids.size() > 1) {
        result.decode_per_s = per_second(result.token_ids.size() - 1, ms_since(first_token));
    }
    return result;
}

Result<void> Session::append(std::span<const TokenId> tokens, const Cancellation& cancellation) {
    return extend(tokens, cancellation, false);
}

Result<void> Session::advance(TokenId token, std::size_t drafts, const Cancellation& cancellation) {
    if (speculation_.accept(token)) {
        cached_.push_back(token);
        return {};
    }
    // The draws from a pass count as it does: those from all logits take longer than those from a
    // GPU's candidates.
    const auto now = Clock::now();
    speculation_.spent(std::chrono::duration<double, std::milli>(now - pass_began_).count());
    pass_began_ = now;
    std::vector<TokenId> tokens{token};
    const std::span<const TokenId> behind = draft(token, drafts);
    tokens.insert(tokens.end(), behind.begin(), behind.end());
    std::vector<std::vector<float>> rows(behind.empty() ? 0 : tokens.size());
    std::vector<std::vector<Candidate>> best(rows.size());
    const auto keep = [&](std::size_t index, std::span<const float> row) {
        rows[index].assign(row.begin(), row.end());
        best[index].clear();
        if (row.empty()) {
            const std::span<const Candidate> picked = decoder_.candidates_of(index);
            best[index].assign(picked.begin(), picked.end());
        }
    };
    auto done = rows.empty() ? decode_one(token, cancellation)
                             : forward(tokens, static_cast<int>(cached_.size()),
                                       Decoder::Want::Drafts, keep, cancellation, true);
    if (!done) {
        speculation_.drop();
        return done;
    }
    if (!rows.empty()) {
        cached_.push_back(token);
    }
    speculation_.passed(std::move(rows), std::move(best));
    return {};
}

Result<void> Session::look_ahead(std::span<const TokenId> tokens, const Decoder::LogitsSink& sink,
                                 const Cancellation& cancellation) {
    return forward(tokens, static_cast<int>(cached_.size()), Decoder::Want::EachAlone, sink,
                   cancellation, true);
}

std::span<const TokenId> Session::draft(TokenId token, std::size_t most) {
    if (most == 0 || !can_draft()) {
        return speculation_.draft({}, 0);
    }
    Speculation::Guess guess;
    if (Foretelling* const layer = decoder_.foretelling()) {
        guess = [this, layer](std::size_t n) -> Speculation::Guesses {
            const auto start = Clock::now();
            const auto tokens = layer->guess(cached_, n);
            return {tokens, ms_since(start)};
        };
    }
    cached_.push_back(token);
    const std::span<const TokenId> found = speculation_.draft(cached_, most, guess);
    cached_.pop_back();
    return found;
}

Result<void> Session::decode_one(TokenId token, const Cancellation& cancellation) {
    return extend({&token, 1}, cancellation, true);
}

Result<void> Session::extend(std::span<const TokenId> tokens, const Cancellation& cancellation,
                             bool decodes) {
    HEARTH_ASSERT(tokens.size() <= static_cast<std::size_t>(n_ctx()) - cached_.size());
    speculation_.drop();  // an answer that broke off may have left drafts
    auto done = forward(tokens, static_cast<int>(cached_.size()), Decoder::Want::Last, {},
                        cancellation, decodes);
    if (done) {
        cached_.insert(cached_.end(), tokens.begin(), tokens.end());
    }
    return done;
}

Result<void> Session::score(std::span<const TokenId> tokens, Decoder::Want want,
                            const Decoder::LogitsSink& sink, const Cancellation& cancellation) {
    if (tokens.size() > static_cast<std::size_t>(n_ctx())) {
        return Error{ErrorCode::ContextFull,
                     std::to_string(tokens.size()) + " tokens do not fit a context of " +
                         std::to_string(n_ctx()),
                     {},
                     "tokens"};
    }
    cached_.clear();
    return forward(tokens, 0, want, sink, cancellation);
}

}  // namespace hearth
