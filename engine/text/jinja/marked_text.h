// A string that knows where each of its bytes came from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/text_segment.h"

namespace hearth::jinja {

// Markup is what the template wrote; data is what came from a message. Bytes are UTF-8 or what a
// user pasted. Every operation on strings keeps the mark of each byte.
class MarkedText {
public:
    MarkedText() = default;
    MarkedText(std::string_view bytes, bool markup) { append(bytes, markup); }

    std::string_view bytes() const { return bytes_; }
    std::size_t size() const { return bytes_.size(); }
    bool empty() const { return bytes_.empty(); }
    // Precondition: at < size().
    bool is_markup(std::size_t at) const { return runs_[run_of(at)].markup; }
    // True if it is all of one kind, or empty.
    bool is_uniform() const { return runs_.size() < 2; }
    // False also for the empty text.
    bool has_data() const;

    void append(std::string_view bytes, bool markup);
    void append(const MarkedText& text) { append(text, 0, text.size()); }
    // The bytes [begin, end) of text. Precondition: begin <= end <= text.size().
    void append(const MarkedText& text, std::size_t begin, std::size_t end);

    // Runs of one kind, in order; neighbours differ.
    std::vector<TextSegment> segments() const;

private:
    struct Run {
        std::size_t end;  // one past its last byte
        bool markup;
    };
    std::size_t run_of(std::size_t at) const;

    std::string bytes_;
    std::vector<Run> runs_;  // by end; neighbours differ
};

}  // namespace hearth::jinja
