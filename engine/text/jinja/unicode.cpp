#include "text/jinja/unicode.h"

#include <algorithm>
#include <span>

#include "text/utf8.h"

namespace hearth::jinja {
namespace {

struct ClassRange {
    std::uint32_t first, last;
};
// Every step-th character from first to last maps to itself plus delta.
struct CaseRun {
    std::uint32_t first, last, step;
    std::int32_t delta;
};
struct CaseSpecial {
    std::uint32_t code;
    const char* text;
};

#include "text/jinja/unicode_tables.inc"

bool within(std::span<const ClassRange> ranges, std::uint32_t code) {
    const auto range =
        std::lower_bound(ranges.begin(), ranges.end(), code,
                         [](const ClassRange& r, std::uint32_t c) { return r.last < c; });
    return range != ranges.end() && range->first <= code;
}

const CaseSpecial* special(std::span<const CaseSpecial> rows, std::uint32_t code) {
    const auto row =
        std::lower_bound(rows.begin(), rows.end(), code,
                         [](const CaseSpecial& r, std::uint32_t c) { return r.code < c; });
    return row != rows.end() && row->code == code ? &*row : nullptr;
}

// Runs are sorted by their first character and may interleave, so the nearest few are looked at.
std::uint32_t mapped(std::span<const CaseRun> runs, std::uint32_t code) {
    auto run = std::upper_bound(runs.begin(), runs.end(), code,
                                [](std::uint32_t c, const CaseRun& r) { return c < r.first; });
    constexpr int kNear = 8;
    for (int i = 0; i < kNear && run != runs.begin(); ++i) {
        --run;
        if (code <= run->last && (code - run->first) % run->step == 0) {
            return static_cast<std::uint32_t>(static_cast<std::int32_t>(code) + run->delta);
        }
    }
    return code;
}

std::uint32_t simple_case(std::uint32_t code, Case to) {
    if (code < 0x80) {
        const bool upper = code >= 'A' && code <= 'Z';
        const bool lower = code >= 'a' && code <= 'z';
        return upper && to == Case::Lower   ? code + 32
               : lower && to != Case::Lower ? code - 32
                                            : code;
    }
    switch (to) {
        case Case::Upper:
            return mapped(kUpper, code);
        case Case::Lower:
            return mapped(kLower, code);
        case Case::Title:
            return mapped(kTitle, code);
    }
    return code;
}

}  // namespace

UnicodeCharacter character_at(std::string_view text, std::size_t at) {
    const Utf8Step step = utf8_step(text, at);
    if (step.kind != Utf8Step::Kind::Valid) {
        return {kNoCharacter, 1};
    }
    const auto byte = [&](std::size_t i) {
        return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at + i]));
    };
    switch (step.bytes) {
        case 1:
            return {byte(0), 1};
        case 2:
            return {(byte(0) & 0x1F) << 6 | (byte(1) & 0x3F), 2};
        case 3:
            return {(byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
        default:
            return {(byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
                        (byte(3) & 0x3F),
                    4};
    }
}

UnicodeCharacter character_before(std::string_view text, std::size_t end) {
    for (std::size_t bytes = 1; bytes <= 4 && bytes <= end; ++bytes) {
        if ((static_cast<unsigned char>(text[end - bytes]) & 0xC0) != 0x80) {
            const UnicodeCharacter found = character_at(text.substr(0, end), end - bytes);
            if (found.bytes == bytes) {
                return found;
            }
            break;
        }
    }
    return {kNoCharacter, 1};
}

std::size_t count_characters(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < text.size(); ++count) {
        at += static_cast<unsigned char>(text[at]) < 0x80 ? 1 : character_at(text, at).bytes;
    }
    return count;
}

bool is_space(std::uint32_t code) {
    return (code >= 0x09 && code <= 0x0D) || (code >= 0x1C && code <= 0x20) || code == 0x85 ||
           code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
           code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

bool is_alpha(std::uint32_t code) {
    return within(kAlpha, code);
}
bool is_printable(std::uint32_t code) {
    return within(kPrintable, code);
}
bool is_digit(std::uint32_t code) {
    return within(kDigit, code);
}
bool is_decimal(std::uint32_t code) {
    return within(kDecimal, code);
}
bool is_numeric(std::uint32_t code) {
    return within(kNumeric, code);
}

bool is_upper(std::uint32_t code) {
    return simple_case(code, Case::Lower) != code && simple_case(code, Case::Title) == code;
}
bool is_lower(std::uint32_t code) {
    return simple_case(code, Case::Upper) != code || special(kUpperSpecial, code) != nullptr;
}
bool is_cased(std::uint32_t code) {
    return is_upper(code) || is_lower(code) || simple_case(code, Case::Lower) != code;
}
bool is_in_case(std::string_view text, bool upper) {
    bool has_case = false;
    for (std::size_t at = 0; at < text.size();) {
        const UnicodeCharacter c = character_at(text, at);
        if (is_cased(c.code)) {
            if (upper ? !is_upper(c.code) : !is_lower(c.code)) {
                return false;
            }
            has_case = true;
        }
        at += c.bytes;
    }
    return has_case;
}
bool is_word(std::uint32_t code) {
    return code == '_' || is_alpha(code) || is_numeric(code);
}

void append_in_case(std::string& out, std::uint32_t code, Case to) {
    const std::span<const CaseSpecial> rows = to == Case::Upper ? std::span(kUpperSpecial)
                                              : to == Case::Title
                                                  ? std::span<const CaseSpecial>(kTitleSpecial)
                                                  : std::span<const CaseSpecial>(kLowerSpecial);
    if (const CaseSpecial* row = special(rows, code); row != nullptr) {
        out += row->text;
        return;
    }
    append_utf8(out, simple_case(code, to));
}

}  // namespace hearth::jinja
