// The merging both kinds of BPE do: of all neighbours that may become one symbol, the pair of the
// lowest rank does, the leftmost of equal ones; until none may.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "text/tokenizer.h"

namespace hearth {

// Bytes [begin, end) of the text and the token they are, -1 if none.
struct Symbol {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    TokenId id = -1;
};

struct MergeResult {
    static constexpr std::uint32_t kNever = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t rank = kNever;
    TokenId id = -1;
};

// Memory that is used again from word to word; one per call of tokenize().
struct MergeScratch {
    struct Candidate {
        MergeResult result;
        std::uint32_t left = 0;  // index of the left symbol
        // Ends of both symbols when this was found: if either has grown since, it is stale.
        std::uint32_t left_end = 0;
        std::uint32_t right_end = 0;
    };
    std::vector<MergeResult> results;
    std::vector<Candidate> heap;
    std::vector<std::uint32_t> previous;
    std::vector<std::uint32_t> next;
};

// Up to this many symbols a plain search for the best pair is faster than a heap (measured: five
// times on English prose).
inline constexpr std::size_t kShortWord = 48;

// O(n²), no allocation once the scratch has grown. Rule: MergeResult(const Symbol&, const Symbol&).
template <class Rule>
void merge_symbols_short(std::vector<Symbol>& symbols, const Rule& rule, MergeScratch& scratch) {
    std::vector<MergeResult>& results = scratch.results;  // [i]: of symbols i and i + 1
    results.clear();
    for (std::size_t i = 0; i + 1 < symbols.size(); ++i) {
        results.push_back(rule(symbols[i], symbols[i + 1]));
    }
    while (!results.empty()) {
        const auto best = std::min_element(
            results.begin(), results.end(),
            [](const MergeResult& a, const MergeResult& b) { return a.rank < b.rank; });
        if (best->rank == MergeResult::kNever) {
            return;
        }
        const auto i = static_cast<std::size_t>(best - results.begin());
        symbols[i].end = symbols[i + 1].end;
        symbols[i].id = best->id;
        symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        results.erase(best);
        if (i > 0) {
            results[i - 1] = rule(symbols[i - 1], symbols[i]);
        }
        if (i < results.size()) {
            results[i] = rule(symbols[i], symbols[i + 1]);
        }
    }
}

// O(n log n).
template <class Rule>
void merge_symbols_long(std::vector<Symbol>& symbols, const Rule& rule, MergeScratch& scratch) {
    using Candidate = MergeScratch::Candidate;
    constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
    const auto count = static_cast<std::uint32_t>(symbols.size());
    std::vector<std::uint32_t>& previous = scratch.previous;
    std::vector<std::uint32_t>& next = scratch.next;
    std::vector<Candidate>& heap = scratch.heap;
    previous.resize(count);
    next.resize(count);
    heap.clear();
    for (std::uint32_t i = 0; i < count; ++i) {
        previous[i] = i == 0 ? kNone : i - 1;
        next[i] = i + 1 == count ? kNone : i + 1;
    }
    const auto later = [](const Candidate& a, const Candidate& b) {
        return a.result.rank != b.result.rank ? a.result.rank > b.result.rank : a.left > b.left;
    };
    const auto consider = [&](std::uint32_t left) {
        const std::uint32_t right = next[left];
        if (right == kNone) {
            return;
        }
        const MergeResult result = rule(symbols[left], symbols[right]);
        if (result.rank != MergeResult::kNever) {
            heap.push_back({result, left, symbols[left].end, symbols[right].end});
            std::push_heap(heap.begin(), heap.end(), later);
        }
    };
    for (std::uint32_t i = 0; i < count; ++i) {
        consider(i);
    }
    while (!heap.empty()) {
        const Candidate best = heap.front();
        std::pop_heap(heap.begin(), heap.end(), later);
        heap.pop_back();
        Symbol& left = symbols[best.left];
        const std::uint32_t right = next[best.left];
        // A symbol that was taken in by its left neighbour has no bytes left.
        if (left.begin == left.end || left.end != best.left_end || right == kNone ||
            symbols[right].end != best.right_end) {
            continue;
        }
        left.end = best.right_end;
        left.id = best.result.id;
        symbols[right].begin = symbols[right].end;
        next[best.left] = next[right];
        if (next[right] != kNone) {
            previous[next[right]] = best.left;
        }
        if (previous[best.left] != kNone) {
            consider(previous[best.left]);
        }
        consider(best.left);
    }
    std::erase_if(symbols, [](const Symbol& symbol) { return symbol.begin == symbol.end; });
}

// Precondition: the symbols lie side by side, none is empty, fewer than 2^32 - 1.
template <class Rule>
void merge_symbols(std::vector<Symbol>& symbols, const Rule& rule, MergeScratch& scratch) {
    if (symbols.size() <= kShortWord) {
        merge_symbols_short(symbols, rule, scratch);
    } else {
        merge_symbols_long(symbols, rule, scratch);
    }
}

}  // namespace hearth
