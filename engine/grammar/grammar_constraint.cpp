#include "grammar/grammar_constraint.h"

#include <utility>

namespace hearth {
namespace {

Error too_complex() {
    return {ErrorCode::Unsupported,
            "the grammar is ambiguous beyond what can be followed: the text so far has more than " +
                std::to_string(Matcher::kMaxReadings) + " readings, or takes more than " +
                std::to_string(Matcher::kMaxWork) + " steps",
            {},
            "grammar"};
}

}  // namespace

GrammarConstraint::GrammarConstraint(Automaton automaton, const TokenTrie& trie)
    : automaton_(std::move(automaton)),
      trie_(trie),
      matcher_(automaton_),
      path_(trie.max_depth() + 1) {
    restart();
}

void GrammarConstraint::restart() {
    if (matcher_.overflowed()) {
        matcher_ = Matcher(automaton_);
        masks_.clear();
    }
    matcher_.begin_work();
    state_ = matcher_.start();
}

Result<GrammarConstraint::Allowed> GrammarConstraint::allowed() {
    if (matcher_.overflowed()) {
        return too_complex();
    }
    bool did_forget = false;
    state_ = matcher_.tidy(state_, did_forget);
    if (did_forget) {
        masks_.clear();
    }
    auto known = masks_.find(state_);
    if (known == masks_.end()) {
        matcher_.begin_work();
        Mask mask = mask_of(state_);
        if (matcher_.overflowed()) {
            return too_complex();
        }
        if ((masks_.size() + 1) * mask.bits.size() * sizeof(mask.bits[0]) > kMaxMaskBytes) {
            masks_.clear();
        }
        known = masks_.emplace(state_, std::move(mask)).first;
    }
    return Allowed{known->second.bits, known->second.any_text, matcher_.may_end(state_)};
}

GrammarConstraint::Mask GrammarConstraint::mask_of(Matcher::State state) {
    Mask mask;
    mask.bits.resize((static_cast<std::size_t>(trie_.n_vocab()) + 63) / 64);
    const auto allow = [&](TokenId token) {
        mask.bits[static_cast<std::size_t>(token) / 64] |= std::uint64_t{1} << (token % 64);
    };
    if (matcher_.may_end(state)) {
        for (const TokenId token : trie_.ends_of_turn()) {
            allow(token);
        }
    }
    path_[0] = state;
    for (std::size_t node = 0; node < trie_.size();) {
        const std::size_t depth = trie_.depth(node);
        const Matcher::State next = matcher_.step(path_[depth - 1], trie_.byte(node));
        if (next == Matcher::kDead) {
            node = trie_.behind(node);
            continue;
        }
        path_[depth] = next;
        for (const TokenId token : trie_.tokens(node)) {
            allow(token);
            mask.any_text = true;
        }
        ++node;
    }
    return mask;
}

void GrammarConstraint::accept(std::string_view bytes) {
    matcher_.begin_work();
    for (const char byte : bytes) {
        state_ = matcher_.step(state_, static_cast<std::uint8_t>(byte));
    }
}

}  // namespace hearth
