// Passes a text through a decoder as an answer does: token by token, or with drafts of which some
// are wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "session/decoder.h"
#include "text/tokenizer.h"

namespace hearth::test {

class PassesOfDrafts {
public:
    using Tokens = std::span<const TokenId>;
    using Rows = std::vector<std::vector<float>>;

    explicit PassesOfDrafts(Decoder& decoder) : decoder_(decoder) {}

    // Passes tokens [first, end) at their positions. Goes back as a session does.
    bool pass(Past& past, Tokens text, int first, int end, Decoder::Want want,
              Rows* rows = nullptr) {
        past.forget_after(first);
        const int from = past.latest(first);
        const auto part = [&](int begin, int last) {
            return text.subspan(static_cast<std::size_t>(begin),
                                static_cast<std::size_t>(last - begin));
        };
        if (from < first &&
            !decoder_.forward(part(from, first), from, past, Decoder::Want::None, {}, {})) {
            return false;
        }
        return decoder_
            .forward(part(first, end), first, past, want,
                     [&](std::size_t, std::span<const float> row) {
                         if (rows != nullptr) {
                             rows->emplace_back(row.begin(), row.end());
                         }
                     },
                     {})
            .has_value();
    }

    // The logits behind each token from `first` on, which the past comes to.
    Rows one_by_one(Past& past, Tokens text, int first) {
        Rows rows;
        bool done = true;
        for (int i = first; done && i < static_cast<int>(text.size()); ++i) {
            done = pass(past, text, i, i + 1, Decoder::Want::All, &rows);
        }
        return done ? rows : Rows{};
    }

    // The same by passes of 2 to 8 tokens, of which one to all are right; the last of all is wrong.
    Rows with_drafts(Past& past, Tokens text, int first) {
        Rows rows;
        bool done = true;
        int at = first;
        for (int round = 0; done && at < static_cast<int>(text.size()); ++round) {
            const int count = 2 + round * 5 % 7;
            const int left = static_cast<int>(text.size()) - at;
            int right = std::min(1 + round * 3 % count, left);
            right = right == left ? std::min(right, kEachAloneMost - 1) : right;
            std::vector<TokenId> tried(text.begin(), text.begin() + at + right);
            const int end = at + std::max(count, right == left ? right + 1 : right);
            while (static_cast<int>(tried.size()) < end) {
                tried.push_back(7 + round);
            }
            const std::size_t known = rows.size();
            done = pass(past, tried, at, end, Decoder::Want::EachAlone, &rows);
            rows.resize(std::min(rows.size(), known + static_cast<std::size_t>(right)));
            at += right;
        }
        return done ? rows : Rows{};
    }

private:
    Decoder& decoder_;
};

}  // namespace hearth::test
