// The words of one text that were encoded before: natural text repeats most of its words.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "text/string_index.h"
#include "text/tokenizer.h"

namespace hearth {

// Keeps views of the words and places in the list of tokens they became: both outlive it, and what
// the list has stays as it is. A slot a word may lie in, so a later word takes an earlier one's.
class WordCache {
public:
    // text_bytes: short texts have no table, which would cost more than it saves.
    explicit WordCache(std::size_t text_bytes) {
        if (text_bytes >= kLeastText) {
            slots_.resize(kSlots);
        }
    }

    // True if `word` is known; its tokens are appended to the list they stand in.
    bool append(std::string_view word, std::vector<TokenId>& tokens) {
        if (slots_.empty() || word.size() > kMostBytes) {
            return false;
        }
        const Slot& slot = slots_[slot_of(word)];
        if (slot.word != word) {
            return false;
        }
        for (std::uint32_t i = 0; i < slot.count; ++i) {
            const TokenId token = tokens[slot.first + i];
            tokens.push_back(token);
        }
        return true;
    }

    // tokens[first...] are those of `word`, which is not empty.
    void remember(std::string_view word, std::size_t first, const std::vector<TokenId>& tokens) {
        if (!slots_.empty() && word.size() <= kMostBytes) {
            slots_[slot_of(word)] = {word, first,
                                     static_cast<std::uint32_t>(tokens.size() - first)};
        }
    }

private:
    static constexpr std::size_t kSlots = 8192;
    static constexpr std::size_t kLeastText = 2048;
    static constexpr std::size_t kMostBytes = 48;
    struct Slot {
        std::string_view word;  // empty: free
        std::size_t first = 0;
        std::uint32_t count = 0;
    };

    std::size_t slot_of(std::string_view word) const {
        return hash_bytes(word, seed_) & (kSlots - 1);
    }

    std::vector<Slot> slots_;
    std::uint64_t seed_ = hash_seed();
};

}  // namespace hearth
