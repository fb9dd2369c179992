#include "text/compose.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/utf8.h"

namespace hearth {
namespace {

// Lead byte of U+0300, the first character that composes with one before it. All below it is in
// form C already.
constexpr std::uint8_t kFirstLead = 0xCC;

std::uint8_t byte_at(std::string_view text, std::size_t at) {
    return static_cast<std::uint8_t>(text[at]);
}

int combining_class(utf8proc_int32_t character) {
    return utf8proc_get_property(character)->combining_class;
}

// Marks in a row stand by their class, and else as they were. The library does this too, in the
// square of a row's length: a text of marks alone would take hours.
void order_marks(std::vector<utf8proc_int32_t>& characters) {
    const auto is_mark = [](utf8proc_int32_t c) { return combining_class(c) != 0; };
    auto at = characters.begin();
    while (true) {
        const auto begin = std::find_if(at, characters.end(), is_mark);
        if (begin == characters.end()) {
            return;
        }
        at = std::find_if_not(begin, characters.end(), is_mark);
        if (at - begin > 1) {
            std::stable_sort(begin, at, [](utf8proc_int32_t a, utf8proc_int32_t b) {
                return combining_class(a) < combining_class(b);
            });
        }
    }
}

void append_composed(std::vector<utf8proc_int32_t>& characters, std::string& out) {
    order_marks(characters);
    const auto count = utf8proc_normalize_utf32(
        characters.data(), static_cast<utf8proc_ssize_t>(characters.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE));
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
        append_utf8(out, static_cast<std::uint32_t>(characters[static_cast<std::size_t>(i)]));
    }
    characters.clear();
}

void append_decomposed(std::string_view character, std::vector<utf8proc_int32_t>& characters) {
    utf8proc_int32_t code_point = 0;
    utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(character.data()),
                     static_cast<utf8proc_ssize_t>(character.size()), &code_point);
    // No canonical decomposition has more than four characters.
    std::array<utf8proc_int32_t, 8> parts{};
    int boundary = 0;
    const auto count = utf8proc_decompose_char(
        code_point, parts.data(), static_cast<utf8proc_ssize_t>(parts.size()),
        static_cast<utf8proc_option_t>(UTF8PROC_COMPOSE | UTF8PROC_STABLE), &boundary);
    for (utf8proc_ssize_t i = 0; i < count; ++i) {
        characters.push_back(parts[static_cast<std::size_t>(i)]);
    }
}

}  // namespace

bool may_need_composing(std::string_view text) {
    return std::any_of(text.begin(), text.end(),
                       [](char c) { return static_cast<std::uint8_t>(c) >= kFirstLead; });
}

std::string compose(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    std::vector<utf8proc_int32_t> characters;
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = utf8_step(text, at);
        const std::string_view bytes = text.substr(at, step.bytes);
        at += step.bytes;
        if (step.kind != Utf8Step::Kind::Valid) {
            append_composed(characters, out);
            out += bytes;
            continue;
        }
        // ASCII begins anew: it may have marks behind it, and never joins what is before it.
        if (step.bytes == 1) {
            append_composed(characters, out);
            if (at == text.size() || byte_at(text, at) < kFirstLead) {
                out += bytes;
                continue;
            }
        }
        append_decomposed(bytes, characters);
    }
    append_composed(characters, out);
    return out;
}

}  // namespace hearth
