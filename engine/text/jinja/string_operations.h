// Operations on strings, by character and with each byte's mark kept.
#pragma once

#include <cstdint>
#include <vector>

#include "text/jinja/heap.h"
#include "text/jinja/unicode.h"
#include "text/jinja/value.h"

namespace hearth::jinja {

enum class Side { Left, Right, Both };

// Drops the characters of `set` at the ends; null: whitespace.
Value strip(Heap& heap, const String& text, const MarkedText* set, Side side);
// At most `most` cuts from the left, or from the right; -1: all. Null: at whitespace.
std::vector<Value> split(Heap& heap, const String& text, const MarkedText* separator,
                         std::int64_t most, bool from_right);
std::vector<Value> split_lines(Heap& heap, const String& text, bool keep_ends);
Value replace(Heap& heap, const String& text, const MarkedText& from, const MarkedText& to,
              std::int64_t most);
Value in_case(Heap& heap, const String& text, Case to);
Value capitalized(Heap& heap, const String& text);
// The first letter of each word: of str.title() words are runs of letters, of the filter they
// follow blanks and brackets.
Value titled(Heap& heap, const String& text);
Value titled_by_filter(Heap& heap, const String& text);
Value swapped_case(Heap& heap, const String& text);
Value joined(Heap& heap, const MarkedText& separator, const std::vector<Value>& items,
             bool strings_only);
// In a field of `width` characters.
Value justified(Heap& heap, const String& text, std::int64_t width, const MarkedText& fill,
                Side text_side);
Value indented(Heap& heap, const MarkedText& text, const MarkedText& indent, bool first, bool blank,
               bool is_safe);

}  // namespace hearth::jinja
