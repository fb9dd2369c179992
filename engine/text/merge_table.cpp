#include "text/merge_table.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

#include "text/quoted.h"
#include "text/string_index.h"

namespace hearth {
namespace {

Error not_a_merge(std::size_t index, std::string_view merge) {
    return Error{.code = ErrorCode::BadFile,
                 .message = "tokenizer.ggml.merges: merge[" + std::to_string(index) + "] is " +
                            in_quotes(merge) + ", wanted two tokens with a space between",
                 .path = {},
                 .field = "tokenizer.ggml.merges"};
}

}  // namespace

std::uint64_t MergeTable::hash_of(std::uint64_t key) const {
    // Half of hash_mix(): the table is asked twice for every byte of a text, and the seed in front
    // keeps collisions from being made on purpose.
    std::uint64_t x = key ^ seed_;
    x ^= x >> 33;
    x *= 0xFF51AFD7ED558CCDU;
    return x ^ x >> 29;
}

void MergeTable::add(std::uint64_t key, MergeResult result) {
    std::size_t i = hash_of(key) & mask_;
    while (slots_[i].key != kEmpty && slots_[i].key != key) {
        i = (i + 1) & mask_;
    }
    if (slots_[i].key == kEmpty) {
        slots_[i] = {key, result};
    }
}

Result<MergeTable> MergeTable::build(const std::vector<std::string>& merges, const Vocab& vocab) {
    const auto text_of = [&](TokenId id) { return vocab.texts[id]; };
    StringIndex index;
    index.reset(static_cast<std::size_t>(vocab.size()));
    // Normal tokens first: a user-defined token of the same spelling is another thing.
    for (const bool user_defined : {false, true}) {
        for (TokenId id = 0; id < vocab.size(); ++id) {
            const TokenType type = vocab.type(id);
            if (!vocab.is_special(id) && type != TokenType::Byte &&
                (type == TokenType::UserDefined) == user_defined && !text_of(id).empty()) {
                index.add(id, text_of);
            }
        }
    }

    MergeTable table;
    table.slots_.assign(std::bit_ceil(merges.size() * 2 + 1), Slot{});
    table.mask_ = table.slots_.size() - 1;
    table.seed_ = hash_seed();
    // In batches of merges: left, right and joined text of each.
    constexpr std::size_t kMerges = StringIndex::kBatch / 3;
    std::array<std::string_view, StringIndex::kBatch> texts;
    std::array<TokenId, StringIndex::kBatch> ids{};
    std::array<std::string, kMerges> joined;
    for (std::size_t first = 0; first < merges.size(); first += kMerges) {
        const std::size_t count = std::min(kMerges, merges.size() - first);
        for (std::size_t i = 0; i < count; ++i) {
            const std::string_view merge = merges[first + i];
            // From the second byte on: no text is empty.
            const std::size_t space = merge.find(' ', 1);
            if (space == std::string_view::npos || space + 1 == merge.size()) {
                return not_a_merge(first + i, merge);
            }
            texts[3 * i] = merge.substr(0, space);
            texts[3 * i + 1] = merge.substr(space + 1);
            joined[i].assign(texts[3 * i]);
            joined[i] += texts[3 * i + 1];
            texts[3 * i + 2] = joined[i];
        }
        index.find_batch(std::span(texts).first(3 * count), std::span(ids).first(3 * count),
                         text_of);
        for (std::size_t i = 0; i < count; ++i) {
            const TokenId merged = ids[3 * i + 2];
            if (ids[3 * i] >= 0 && ids[3 * i + 1] >= 0 && merged >= 0) {
                table.add(key_of(ids[3 * i], ids[3 * i + 1]),
                          {static_cast<std::uint32_t>(first + i), merged});
            }
        }
    }
    return table;
}

}  // namespace hearth
