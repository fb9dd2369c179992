// Says which tokens of a vocabulary may come next, so that an answer is text of a grammar.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <hearth/result.h>

#include "grammar/automaton.h"
#include "grammar/matcher.h"
#include "grammar/token_trie.h"

namespace hearth {

// One answer at a time. Masks of states that were met before are kept, up to kMaxMaskBytes.
class GrammarConstraint {
public:
    static constexpr std::size_t kMaxMaskBytes = std::size_t{16} << 20;

    // trie must outlive it.
    GrammarConstraint(Automaton automaton, const TokenTrie& trie);
    GrammarConstraint(const GrammarConstraint&) = delete;
    GrammarConstraint& operator=(const GrammarConstraint&) = delete;

    // Begins with the empty text.
    void restart();

    struct Allowed {
        // n_vocab bits, token t is bit t % 64 of word t / 64. Valid until the next call.
        std::span<const std::uint64_t> tokens;
        bool any_text = false;  // some token with text may come
        bool may_end = false;   // the text so far is whole: tokens that end a turn may come
    };
    // Looks at all tokens of the vocabulary. Unsupported: the text so far has too many readings, or
    // they take too long to follow (see Matcher's bounds).
    Result<Allowed> allowed();

    // Takes the bytes of a token that allowed() allowed.
    void accept(std::string_view bytes);

private:
    struct Mask {
        std::vector<std::uint64_t> bits;
        bool any_text = false;
    };
    Mask mask_of(Matcher::State state);

    const Automaton automaton_;
    const TokenTrie& trie_;
    Matcher matcher_;
    Matcher::State state_ = Matcher::kDead;
    std::unordered_map<Matcher::State, Mask> masks_;
    std::vector<Matcher::State> path_;  // of a walk, by depth
};

}  // namespace hearth
