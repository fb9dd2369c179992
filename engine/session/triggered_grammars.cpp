#include "session/triggered_grammars.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "grammar/automaton.h"
#include "grammar/json_schema.h"
#include "text/answer_marks.h"

namespace hearth {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kThink = "<think>";
constexpr std::string_view kEndThink = "</think>";

bool is_same(const TriggeredGrammar& a, const TriggeredGrammar& b) {
    return a.opening == b.opening && a.place == b.place && a.ends_answer == b.ends_answer &&
           a.grammar == b.grammar;
}

// True if the prompt ends with a mark that opens reasoning, and blanks.
bool opens_reasoning(std::span<const TokenId> prompt, const Tokenizer& tokenizer) {
    constexpr std::size_t kEnough = 24;  // tokens, where the mark is words
    std::string end = tokenizer.detokenize(prompt.last(std::min(prompt.size(), kEnough)));
    end.erase(end.find_last_not_of(kBlanks) + 1);
    const auto openings = reasoning_openings();
    return std::any_of(openings.begin(), openings.end(),
                       [&](std::string_view opening) { return end.ends_with(opening); });
}

}  // namespace

void TriggeredGrammars::begin(const GenerationOptions& options, std::span<const TokenId> prompt) {
    held_ = nullptr;
    const bool holds = options.grammar.empty() && options.json_schema.empty();
    const auto& wanted = holds ? options.triggered : std::vector<TriggeredGrammar>();
    const bool is_known =
        std::equal(wanted.begin(), wanted.end(), known_.begin(), known_.end(), is_same) &&
        options.triggered_schemas == known_schemas_;
    if (!is_known) {
        known_ = wanted;
        known_schemas_ = options.triggered_schemas;
        schemas_.reset();
        made_.clear();
        made_.resize(known_.size());
        longest_ = 0;
        for (const TriggeredGrammar& one : known_) {
            longest_ = std::max(longest_, one.opening.size());
        }
    }
    shown_.clear();
    spelled_.clear();
    is_beginning_ = true;
    part_ = Part::Beginning;
    if (!known_.empty() && opens_reasoning(prompt, *tokenizer_)) {
        part_ = Part::Thought;
    }
}

void TriggeredGrammars::push(TokenId token, std::string_view shown) {
    if (known_.empty()) {
        return;
    }
    std::string spelled;
    tokenizer_->append_piece(token, true, spelled);
    const bool is_held = held_ != nullptr;
    if (is_held) {
        held_->accept(spelled);
    }
    if (follow_reasoning(shown)) {
        spelled_.clear();
        is_beginning_ = true;
        spelled = shown_;
    }
    spelled_ += spelled;
    if (!is_held) {
        look_for_openings(spelled.size());
    }
    const std::size_t most = longest_ + kBlanks.size();
    if (spelled_.size() > 2 * most) {
        spelled_.erase(0, spelled_.size() - most);
        is_beginning_ = false;
    }
}

// True: this ended reasoning, and shown_ is what came behind it.
bool TriggeredGrammars::follow_reasoning(std::string_view shown) {
    if (part_ == Part::Answer) {
        return false;
    }
    shown_ += shown;
    if (part_ == Part::Beginning) {
        shown_.erase(0, std::min(shown_.find_first_not_of(kBlanks), shown_.size()));
        if (shown_.starts_with(kThink)) {
            part_ = Part::Thought;
        } else if (!kThink.starts_with(shown_)) {
            part_ = Part::Answer;
        }
    }
    if (part_ != Part::Thought) {
        return false;
    }
    if (const std::size_t end = shown_.find(kEndThink); end != std::string::npos) {
        part_ = Part::Answer;
        shown_.erase(0, end + kEndThink.size());
        return true;
    }
    if (shown_.size() > kEndThink.size()) {
        shown_.erase(0, shown_.size() - kEndThink.size());
    }
    return false;
}

// at: where the opening begins in spelled_.
bool TriggeredGrammars::may_open(const TriggeredGrammar& one, std::size_t at) const {
    switch (one.place) {
        case TriggeredGrammar::Place::Answer:
            return part_ != Part::Thought;
        case TriggeredGrammar::Place::Beginning:
            return part_ != Part::Thought && is_beginning_ &&
                   std::min(spelled_.find_first_not_of(kBlanks), at) == at;
        case TriggeredGrammar::Place::AlsoThought:
            return true;
    }
    return false;
}

// n_new: bytes at the end of spelled_ that an opening must reach into.
void TriggeredGrammars::look_for_openings(std::size_t n_new) {
    for (std::size_t i = 0; i < known_.size(); ++i) {
        const std::string& opening = known_[i].opening;
        const std::size_t before = spelled_.size() - n_new;
        const std::size_t from = before - std::min(before, opening.size() - 1);
        const std::size_t at = opening.empty() ? std::string::npos : spelled_.find(opening, from);
        if (at == std::string::npos || !may_open(known_[i], at)) {
            continue;
        }
        GrammarConstraint* const constraint = made(i);
        if (constraint == nullptr) {
            continue;
        }
        // The token may have brought more than the opening.
        constraint->restart();
        constraint->accept(std::string_view(spelled_).substr(at + opening.size()));
        const auto allowed = constraint->allowed();
        if (allowed && (allowed->any_text || allowed->may_end)) {
            held_ = constraint;
            ends_answer_ = known_[i].ends_answer;
            return;
        }
    }
}

std::span<const std::uint64_t> TriggeredGrammars::mask() {
    if (held_ == nullptr) {
        return {};
    }
    const auto allowed = held_->allowed();
    if (!allowed || (!allowed->any_text && !(allowed->may_end && ends_answer_))) {
        held_ = nullptr;
        return {};
    }
    return allowed->tokens;
}

GrammarConstraint* TriggeredGrammars::made(std::size_t index) {
    if (!made_[index]) {
        made_[index].emplace();
        auto grammar = parse_gbnf(known_[index].grammar, schemas());
        auto automaton = grammar ? Automaton::compile(*grammar, "grammar")
                                 : Result<Automaton>(std::move(grammar).error());
        if (automaton) {
            if (trie_ == nullptr) {
                trie_ = std::make_unique<TokenTrie>(*tokenizer_, call_tokens(*tokenizer_));
            }
            made_[index]->constraint =
                std::make_unique<GrammarConstraint>(std::move(*automaton), *trie_);
        }
    }
    return made_[index]->constraint.get();
}

const std::vector<NamedGrammar>& TriggeredGrammars::schemas() {
    if (!schemas_) {
        schemas_.emplace();
        for (const std::string& schema : known_schemas_) {
            auto grammar = parse_json_schema(schema);
            if (!grammar) {
                grammar = parse_json_schema(R"({"type":"object"})");
            }
            HEARTH_ASSERT(grammar.has_value());
            schemas_->push_back(
                {"schema-" + std::to_string(schemas_->size()), std::move(*grammar)});
        }
    }
    return *schemas_;
}

}  // namespace hearth
