#include "session/prompt_lookup.h"

#include <algorithm>

namespace hearth {

TextDraft look_up_draft(std::span<const std::int32_t> text, std::size_t most) {
    if (text.size() <= TextDraft::kShortest || most == 0) {
        return {};
    }
    std::size_t best = TextDraft::kShortest - 1;
    std::size_t behind = 0;
    for (std::size_t end = text.size() - 1; end > best && best < TextDraft::kLongest; --end) {
        std::size_t n = 0;
        while (n < std::min(end, TextDraft::kLongest) &&
               text[end - 1 - n] == text[text.size() - 1 - n]) {
            ++n;
        }
        if (n > best) {
            best = n;
            behind = end;
        }
    }
    if (behind == 0) {
        return {};
    }
    return {text.subspan(behind, std::min(most, text.size() - behind)), best};
}

}  // namespace hearth
