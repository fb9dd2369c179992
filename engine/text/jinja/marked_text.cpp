#include "text/jinja/marked_text.h"

#include <algorithm>

namespace hearth::jinja {

std::size_t MarkedText::run_of(std::size_t at) const {
    const auto run = std::upper_bound(runs_.begin(), runs_.end(), at,
                                      [](std::size_t left, const Run& r) { return left < r.end; });
    return static_cast<std::size_t>(run - runs_.begin());
}

bool MarkedText::has_data() const {
    return std::any_of(runs_.begin(), runs_.end(), [](const Run& run) { return !run.markup; });
}

void MarkedText::append(std::string_view bytes, bool markup) {
    if (bytes.empty()) {
        return;
    }
    bytes_ += bytes;
    if (!runs_.empty() && runs_.back().markup == markup) {
        runs_.back().end = bytes_.size();
    } else {
        runs_.push_back({bytes_.size(), markup});
    }
}

void MarkedText::append(const MarkedText& text, std::size_t begin, std::size_t end) {
    if (begin == end) {
        return;
    }
    for (std::size_t run = text.run_of(begin); begin < end; ++run) {
        const std::size_t stop = std::min(end, text.runs_[run].end);
        append(text.bytes().substr(begin, stop - begin), text.runs_[run].markup);
        begin = stop;
    }
}

std::vector<TextSegment> MarkedText::segments() const {
    std::vector<TextSegment> out;
    std::size_t begin = 0;
    for (const Run& run : runs_) {
        out.push_back({bytes_.substr(begin, run.end - begin), run.markup});
        begin = run.end;
    }
    return out;
}

}  // namespace hearth::jinja
