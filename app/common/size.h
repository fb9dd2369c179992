// Sizes as people write them: "512M", "3.5G", "4096".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearth {

// Digits, an optional fraction, an optional suffix K M G T (either case, multiples of 1024). A
// fraction needs a suffix; its first six digits count, and parts of a byte are cut off. Empty: not
// a size, or more than 2^64 - 1.
std::optional<std::uint64_t> parse_size(std::string_view text);

// 1024T: more than any machine has.
inline constexpr std::uint64_t kMostBudget = std::uint64_t{1} << 50;

// Reads the value of an option that takes a size or "auto", which leaves `bytes` empty. Returns
// nothing, or the error in words for people: not a size, or more than kMostBudget.
std::optional<std::string> parse_budget(std::string_view option, std::string_view text,
                                        std::optional<std::uint64_t>& bytes);

// "31.2 MiB"
std::string format_size(std::uint64_t bytes);

}  // namespace hearth
