// Properties and cases of characters as Python's strings have them, by Unicode 14.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hearth::jinja {

// One character, or one byte that begins none.
struct UnicodeCharacter {
    std::uint32_t code = 0;  // of such a byte: kNoCharacter
    std::size_t bytes = 0;
};
inline constexpr std::uint32_t kNoCharacter = 0xFFFFFFFF;

// Precondition: at < text.size().
UnicodeCharacter character_at(std::string_view text, std::size_t at);
// Precondition: 0 < end <= text.size(). The character that ends at `end`.
UnicodeCharacter character_before(std::string_view text, std::size_t end);
std::size_t count_characters(std::string_view text);

bool is_space(std::uint32_t code);  // str.isspace
bool is_alpha(std::uint32_t code);
bool is_printable(std::uint32_t code);
bool is_digit(std::uint32_t code);
bool is_decimal(std::uint32_t code);
bool is_numeric(std::uint32_t code);
bool is_upper(std::uint32_t code);
bool is_lower(std::uint32_t code);
bool is_cased(std::uint32_t code);
// str.isupper or str.islower: there is a letter of that case and none of the other.
bool is_in_case(std::string_view text, bool upper);
// A letter, digit or underscore, as the pattern \w has it.
bool is_word(std::uint32_t code);

enum class Case { Upper, Lower, Title };
// Appends the character in that case: one to three characters.
void append_in_case(std::string& out, std::uint32_t code, Case to);

}  // namespace hearth::jinja
