// Sizes as people write them: "512M", "3.5G", "4096".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth {

// Digits, perhaps a fraction, perhaps one of K M G T (either case, multiples of 1024). A fraction
// needs a suffix; its first six digits count, and what is left below a byte is cut off. Empty: not
// a size, or more than 2^64 - 1.
std::optional<std::uint64_t> parse_size(std::string_view text);

// More than any machine has: 1024T.
inline constexpr std::uint64_t kMostBudget = std::uint64_t{1} << 50;

// The value of an option that takes a size or "auto", which leaves `bytes` empty. Returns what is
// wrong, for people, or nothing: not a size, or more than kMostBudget.
std::optional<std::string> parse_budget(std::string_view option, std::string_view text,
                                        std::optional<std::uint64_t>& bytes);

// "31.2 MiB"
std::string format_size(std::uint64_t bytes);

}  // namespace hearth
