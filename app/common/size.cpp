#include "size.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <limits>

namespace hearth {

std::optional<std::uint64_t> parse_size(std::string_view text) {
    int shift = 0;
    if (!text.empty()) {
        switch (text.back()) {
            case 'k':
            case 'K':
                shift = 10;
                break;
            case 'm':
            case 'M':
                shift = 20;
                break;
            case 'g':
            case 'G':
                shift = 30;
                break;
            case 't':
            case 'T':
                shift = 40;
                break;
            default:
                break;
        }
    }
    if (shift != 0) {
        text.remove_suffix(1);
    }
    const std::size_t dot = text.find('.');
    const std::string_view whole_text = text.substr(0, dot);
    std::uint64_t whole = 0;
    const auto [end, error] =
        std::from_chars(whole_text.data(), whole_text.data() + whole_text.size(), whole);
    if (error != std::errc{} || end != whole_text.data() + whole_text.size() ||
        whole > std::numeric_limits<std::uint64_t>::max() >> shift) {
        return std::nullopt;
    }
    std::uint64_t bytes = whole << shift;
    if (dot != std::string_view::npos) {
        const std::string_view fraction = text.substr(dot + 1);
        if (shift == 0 || fraction.empty()) {
            return std::nullopt;
        }
        // Integers make "0.1G" the same everywhere. Six digits count: 10^6 * 2^40 fits.
        std::uint64_t numerator = 0;
        std::uint64_t denominator = 1;
        for (const char digit : fraction) {
            if (digit < '0' || digit > '9') {
                return std::nullopt;
            }
            if (denominator < 1'000'000) {
                numerator = numerator * 10 + static_cast<std::uint64_t>(digit - '0');
                denominator *= 10;
            }
        }
        const std::uint64_t part = (numerator << shift) / denominator;
        if (part > std::numeric_limits<std::uint64_t>::max() - bytes) {
            return std::nullopt;
        }
        bytes += part;
    }
    return bytes;
}

std::optional<std::string> parse_budget(std::string_view option, std::string_view text,
                                        std::optional<std::uint64_t>& bytes) {
    bytes.reset();
    if (text == "auto") {
        return std::nullopt;
    }
    const std::string what = std::string(option) + ": \"" + std::string(text) + "\" ";
    // Digits alone, or with a suffix, are a size, however many they are.
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const bool is_number =
        digits > 0 && text.size() - digits <= 1 &&
        (digits == text.size() ||
         std::string_view("kKmMgGtT").find(text[digits]) != std::string_view::npos);
    const auto size = parse_size(text);
    if (size ? *size > kMostBudget : is_number) {
        return what + "is too large; at most 1024T";
    }
    if (!size) {
        return what + "is no size like 512M, 3.5G or auto";
    }
    bytes = size;
    return std::nullopt;
}

std::string format_size(std::uint64_t bytes) {
    constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(kUnits)) {
        value /= 1024;
        ++unit;
    }
    char text[32];
    std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
    return text;
}

}  // namespace hearth
