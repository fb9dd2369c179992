#include "text/jinja/string_operations.h"

#include <algorithm>
#include <string>
#include <utility>

#include "text/jinja/operators.h"
#include "text/jinja/printing.h"

namespace hearth::jinja {
namespace {

Value part(Heap& heap, const String& text, std::size_t begin, std::size_t end) {
    StringBuilder out(heap);
    out.append(text.text, begin, end);
    return out.value(text.is_safe);
}

bool is_in(std::string_view text, const UnicodeCharacter& c, std::size_t at,
           const MarkedText* set) {
    if (set == nullptr) {
        return is_space(c.code);
    }
    return set->bytes().find(text.substr(at, c.bytes)) != std::string_view::npos;
}

// Appends each character as `change` writes it; what is no character stays.
template <typename Change>
Value changed(Heap& heap, const String& text, const Change& change) {
    StringBuilder out(heap);
    const std::string_view bytes = text.text.bytes();
    std::string piece;
    std::size_t begin = 0;  // of the piece; it is all of one kind
    for (std::size_t at = 0; at < bytes.size() && !heap.failed();) {
        const UnicodeCharacter c = character_at(bytes, at);
        if (text.text.is_markup(at) != text.text.is_markup(begin)) {
            out.append(std::exchange(piece, {}), text.text.is_markup(begin));
            begin = at;
        }
        if (c.code == kNoCharacter) {
            piece += bytes[at];
        } else {
            change(piece, c.code, at);
        }
        at += c.bytes;
    }
    if (!bytes.empty()) {
        out.append(piece, text.text.is_markup(begin));
    }
    return out.value(text.is_safe);
}

// A sigma that ends a word has a form of its own.
void lower(std::string& out, std::uint32_t code, std::string_view bytes, std::size_t at) {
    constexpr std::uint32_t kSigma = 0x3A3;
    constexpr std::uint32_t kFinalSigma = 0x3C2;
    if (code == kSigma && at > 0 && is_cased(character_before(bytes, at).code) &&
        (at + 2 >= bytes.size() || !is_cased(character_at(bytes, at + 2).code))) {
        append_in_case(out, kFinalSigma, Case::Lower);
        return;
    }
    append_in_case(out, code, Case::Lower);
}

}  // namespace

Value strip(Heap& heap, const String& text, const MarkedText* set, Side side) {
    const std::string_view bytes = text.text.bytes();
    std::size_t begin = 0;
    std::size_t end = bytes.size();
    heap.look_at(set == nullptr ? 0 : set->size());
    while (side != Side::Right && begin < end) {
        const UnicodeCharacter c = character_at(bytes, begin);
        if (!is_in(bytes, c, begin, set)) {
            break;
        }
        begin += c.bytes;
    }
    while (side != Side::Left && begin < end) {
        const UnicodeCharacter c = character_before(bytes, end);
        if (!is_in(bytes, c, end - c.bytes, set)) {
            break;
        }
        end -= c.bytes;
    }
    return part(heap, text, begin, end);
}

std::vector<Value> split(Heap& heap, const String& text, const MarkedText* separator,
                         std::int64_t most, bool from_right) {
    const std::string_view bytes = text.text.bytes();
    std::vector<Value> out;
    heap.look_at(bytes.size());
    if (separator != nullptr && separator->empty()) {
        heap.fail("a string cannot be split at an empty one");
        return out;
    }
    auto left = static_cast<std::uint64_t>(most);  // -1: as good as endless
    if (separator != nullptr) {
        const std::string_view cut = separator->bytes();
        if (!from_right) {
            std::size_t begin = 0;
            for (std::size_t at = bytes.find(cut);
                 at != std::string_view::npos && left > 0 && !heap.failed();
                 at = bytes.find(cut, begin), --left) {
                out.push_back(part(heap, text, begin, at));
                begin = at + cut.size();
            }
            out.push_back(part(heap, text, begin, bytes.size()));
            return out;
        }
        std::size_t end = bytes.size();
        while (left > 0 && end >= cut.size() && !heap.failed()) {
            const std::size_t at = bytes.rfind(cut, end - cut.size());
            if (at == std::string_view::npos) {
                break;
            }
            out.push_back(part(heap, text, at + cut.size(), end));
            end = at;
            --left;
        }
        out.push_back(part(heap, text, 0, end));
        std::reverse(out.begin(), out.end());
        return out;
    }
    // At runs of whitespace; none at the ends.
    std::size_t begin = 0;
    std::size_t end = bytes.size();
    const auto skip_front = [&](bool spaces) {
        std::size_t at = begin;
        while (at < end) {
            const UnicodeCharacter c = character_at(bytes, at);
            if (is_space(c.code) != spaces) {
                break;
            }
            at += c.bytes;
        }
        return at;
    };
    const auto skip_back = [&](bool spaces) {
        std::size_t at = end;
        while (at > begin) {
            const UnicodeCharacter c = character_before(bytes.substr(0, at), at);
            if (is_space(c.code) != spaces) {
                break;
            }
            at -= c.bytes;
        }
        return at;
    };
    begin = skip_front(true);
    end = skip_back(true);
    while (begin < end && !heap.failed()) {
        if (left == 0) {
            // The rest keeps its blanks, also those at its far end.
            out.push_back(from_right ? part(heap, text, 0, end)
                                     : part(heap, text, begin, bytes.size()));
            break;
        }
        --left;
        if (from_right) {
            const std::size_t word = skip_back(false);
            out.push_back(part(heap, text, word, end));
            end = word;
            end = skip_back(true);
        } else {
            const std::size_t word = skip_front(false);
            out.push_back(part(heap, text, begin, word));
            begin = word;
            begin = skip_front(true);
        }
    }
    if (from_right) {
        std::reverse(out.begin(), out.end());
    }
    return out;
}

std::vector<Value> split_lines(Heap& heap, const String& text, bool keep_ends) {
    const std::string_view bytes = text.text.bytes();
    std::vector<Value> out;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < bytes.size() && !heap.failed();) {
        const UnicodeCharacter c = character_at(bytes, at);
        std::size_t after = at + c.bytes;
        const bool ends = (c.code >= 0x0A && c.code <= 0x0D) ||
                          (c.code >= 0x1C && c.code <= 0x1E) || c.code == 0x85 ||
                          c.code == 0x2028 || c.code == 0x2029;
        if (ends) {
            if (c.code == '\r' && after < bytes.size() && bytes[after] == '\n') {
                ++after;
            }
            out.push_back(part(heap, text, begin, keep_ends ? after : at));
            begin = after;
        }
        at = after;
    }
    if (begin < bytes.size()) {
        out.push_back(part(heap, text, begin, bytes.size()));
    }
    return out;
}

Value replace(Heap& heap, const String& text, const MarkedText& from, const MarkedText& to,
              std::int64_t most) {
    StringBuilder out(heap);
    const std::string_view bytes = text.text.bytes();
    auto left = static_cast<std::uint64_t>(most);
    heap.look_at(bytes.size());
    std::size_t begin = 0;
    if (from.empty()) {  // before each character and at the end
        while (left > 0 && !heap.failed()) {
            out.append(to);
            --left;
            if (begin == bytes.size()) {
                return out.value(text.is_safe);
            }
            const std::size_t next = begin + character_at(bytes, begin).bytes;
            out.append(text.text, begin, next);
            begin = next;
        }
    } else {
        for (std::size_t at = bytes.find(from.bytes());
             at != std::string_view::npos && left > 0 && !heap.failed();
             at = bytes.find(from.bytes(), begin), --left) {
            out.append(text.text, begin, at);
            out.append(to);
            begin = at + from.size();
        }
    }
    out.append(text.text, begin, bytes.size());
    return out.value(text.is_safe);
}

Value in_case(Heap& heap, const String& text, Case to) {
    return changed(heap, text, [&](std::string& out, std::uint32_t code, std::size_t at) {
        if (to == Case::Lower) {
            lower(out, code, text.text.bytes(), at);
        } else {
            append_in_case(out, code, to);
        }
    });
}

Value capitalized(Heap& heap, const String& text) {
    return changed(heap, text, [&](std::string& out, std::uint32_t code, std::size_t at) {
        if (at == 0) {
            append_in_case(out, code, Case::Title);
        } else {
            lower(out, code, text.text.bytes(), at);
        }
    });
}

Value titled(Heap& heap, const String& text) {
    bool in_word = false;
    return changed(heap, text, [&](std::string& out, std::uint32_t code, std::size_t at) {
        if (in_word) {
            lower(out, code, text.text.bytes(), at);
        } else {
            append_in_case(out, code, Case::Title);
        }
        in_word = is_cased(code);
    });
}

Value titled_by_filter(Heap& heap, const String& text) {
    bool in_word = false;
    std::size_t rest = 0;  // where the part of the word that is lowered begins
    return changed(heap, text, [&](std::string& out, std::uint32_t code, std::size_t at) {
        if (in_word) {
            lower(out, code, text.text.bytes().substr(rest), at - rest);
        } else {
            append_in_case(out, code, Case::Upper);
            rest = at + character_at(text.text.bytes(), at).bytes;
        }
        constexpr std::string_view kBorders = "-({[<";
        in_word = !is_space(code) && (code >= 0x80 || kBorders.find(static_cast<char>(code)) ==
                                                          std::string_view::npos);
    });
}

Value swapped_case(Heap& heap, const String& text) {
    return changed(heap, text, [&](std::string& out, std::uint32_t code, std::size_t at) {
        if (is_upper(code)) {
            lower(out, code, text.text.bytes(), at);
        } else {
            append_in_case(out, code, Case::Upper);
        }
    });
}

Value joined(Heap& heap, const MarkedText& separator, const std::vector<Value>& items,
             bool strings_only) {
    StringBuilder out(heap);
    for (std::size_t i = 0; i < items.size() && !heap.failed(); ++i) {
        if (i > 0) {
            out.append(separator);
        }
        if (strings_only && !items[i].is(ValueKind::String)) {
            heap.fail("item " + std::to_string(i) + " to join is " +
                      std::string(type_name(items[i])) + ", not a string");
        }
        print(out, items[i]);
    }
    return out.value();
}

Value justified(Heap& heap, const String& text, std::int64_t width, const MarkedText& fill,
                Side text_side) {
    if (count_characters(fill.bytes()) != 1) {
        heap.fail("a field is filled with one character");
        return {};
    }
    const auto used = static_cast<std::int64_t>(text.n_chars);
    const std::int64_t missing = std::max<std::int64_t>(width - used, 0);
    std::int64_t before = text_side == Side::Right ? missing : 0;
    if (text_side == Side::Both) {  // the odd one goes where Python puts it
        before = missing / 2 + (missing & width & 1);
    }
    StringBuilder out(heap);
    for (std::int64_t i = 0; i < before && !heap.failed(); ++i) {
        out.append(fill);
    }
    out.append(text.text);
    for (std::int64_t i = before; i < missing && !heap.failed(); ++i) {
        out.append(fill);
    }
    return out.value(text.is_safe);
}

Value indented(Heap& heap, const MarkedText& text, const MarkedText& indent, bool first, bool blank,
               bool is_safe) {
    StringBuilder lines(heap);
    lines.append(text);
    // As the filter does, so that a text that ends in a newline keeps it.
    lines.append("\n", true);
    String whole;
    whole.text = lines.take();
    const std::vector<Value> pieces = split_lines(heap, whole, false);
    StringBuilder out(heap);
    if (first) {
        out.append(indent);
    }
    for (std::size_t i = 0; i < pieces.size() && !heap.failed(); ++i) {
        const MarkedText& line = pieces[i].string->text;
        if (i > 0) {
            out.append("\n", true);
            if (blank || !line.empty()) {
                out.append(indent);
            }
        }
        out.append(line);
    }
    return out.value(is_safe);
}

}  // namespace hearth::jinja
