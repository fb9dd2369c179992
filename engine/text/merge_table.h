// The merges of a byte-level BPE file: which two tokens become which third, and how early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "text/merge_symbols.h"
#include "text/vocab.h"

namespace hearth {

class MergeTable {
public:
    // merges: "LEFT RIGHT" each, rank = index; texts as the vocabulary spells them. BadFile for an
    // entry that is not two texts. Entries that name or make a token the vocabulary does not have
    // never apply; of equal ones the first counts.
    static Result<MergeTable> build(const std::vector<std::string>& merges, const Vocab& vocab);

    MergeResult find(TokenId left, TokenId right) const {
        if (left < 0 || right < 0) {
            return {};
        }
        const std::uint64_t key = key_of(left, right);
        for (std::size_t i = hash_of(key) & mask_;; i = (i + 1) & mask_) {
            const Slot& slot = slots_[i];
            if (slot.key == key) {
                return slot.result;
            }
            if (slot.key == kEmpty) {
                return {};
            }
        }
    }

private:
    static constexpr std::uint64_t kEmpty = ~std::uint64_t{0};
    struct Slot {
        std::uint64_t key = kEmpty;
        MergeResult result;
    };

    static std::uint64_t key_of(TokenId left, TokenId right) {
        return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
               static_cast<std::uint32_t>(right);
    }
    std::uint64_t hash_of(std::uint64_t key) const;
    void add(std::uint64_t key, MergeResult result);

    std::vector<Slot> slots_;
    std::size_t mask_ = 0;
    std::uint64_t seed_ = 0;
};

}  // namespace hearth
