#include "gguf/parts.h"

#include <algorithm>
#include <cstdio>
#include <limits>

namespace hearth {
namespace {

constexpr std::string_view kPrefix = "split.";
constexpr std::string_view kNumber = "split.no";
constexpr std::string_view kCount = "split.count";
constexpr std::string_view kTensors = "split.tensors.count";
constexpr std::size_t kDigits = 5;

std::optional<std::uint32_t> number_of(std::string_view digits) {
    std::uint32_t number = 0;
    for (const char c : digits) {
        if (c < '0' || c > '9') {
            return std::nullopt;
        }
        number = number * 10 + static_cast<std::uint32_t>(c - '0');
    }
    return number;
}

}  // namespace

std::optional<PartName> part_name(std::string_view path) {
    constexpr std::string_view kEnd = ".gguf";
    constexpr std::string_view kOf = "-of-";
    constexpr std::size_t kTail = 1 + kDigits + kOf.size() + kDigits + kEnd.size();
    if (path.size() <= kTail || !path.ends_with(kEnd)) {
        return std::nullopt;
    }
    const std::string_view tail = path.substr(path.size() - kTail);
    const auto number = number_of(tail.substr(1, kDigits));
    const auto count = number_of(tail.substr(1 + kDigits + kOf.size(), kDigits));
    if (tail[0] != '-' || tail.substr(1 + kDigits, kOf.size()) != kOf || !number || !count ||
        *number == 0 || *number > *count) {
        return std::nullopt;
    }
    return PartName{std::string(path.substr(0, path.size() - kTail)), *number, *count};
}

std::string PartName::path_of(std::uint32_t part) const {
    char tail[32];
    std::snprintf(tail, sizeof tail, "-%05u-of-%05u.gguf", part, count);
    return stem + tail;
}

Result<SplitKeys> read_split_keys(const Metadata& metadata) {
    SplitKeys keys;
    if (!metadata.contains(kCount)) {
        return keys;
    }
    const auto count = metadata.integer(kCount, 0, kMostParts);
    if (!count) {
        return count.error();
    }
    keys.count = static_cast<std::uint32_t>(std::max<std::int64_t>(*count, 1));
    if (metadata.contains(kNumber) || keys.count > 1) {
        const auto number = metadata.integer(kNumber, 0, keys.count - 1);
        if (!number) {
            return number.error();
        }
        keys.number = static_cast<std::uint32_t>(*number) + 1;
    }
    if (metadata.contains(kTensors)) {
        const auto tensors =
            metadata.integer(kTensors, 0, std::numeric_limits<std::int32_t>::max());
        if (!tensors) {
            return tensors.error();
        }
        keys.n_tensors = static_cast<std::uint64_t>(*tensors);
    }
    return keys;
}

Metadata without_split_keys(const Metadata& metadata) {
    Metadata whole;
    for (const auto& [key, value] : metadata.entries()) {
        if (!key.starts_with(kPrefix)) {
            whole.add(key, value);
        }
    }
    return whole;
}

}  // namespace hearth
