#include "support/skips.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace hearth::test {
namespace {

constexpr std::array<std::string_view, 6> kCauses = {"processor", "driver", "rights",
                                                     "system",    "shared", "sanitizer"};

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r";
    const std::size_t first = text.find_first_not_of(kSpace);
    if (first == std::string_view::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

bool matches(std::string_view pattern, std::string_view text) {
    const std::size_t star = pattern.find('*');
    if (star == std::string_view::npos) {
        return pattern == text;
    }
    if (!text.starts_with(pattern.substr(0, star))) {
        return false;
    }
    text.remove_prefix(star);
    pattern.remove_prefix(star + 1);
    for (std::size_t skipped = 0; skipped <= text.size(); ++skipped) {
        if (matches(pattern, text.substr(skipped))) {
            return true;
        }
    }
    return false;
}

// A row's name and a reason stay on their line.
std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
    return text;
}

std::vector<AllowedSkip> read_list() {
    const char* other = std::getenv("HEARTH_ALLOWED_SKIPS");
    const std::string path =
        other != nullptr ? other : HEARTH_SOURCE_DIR "/tests/allowed_skips.txt";
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::printf("%s cannot be read: no skip is allowed\n", path.c_str());
        return {};
    }
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    std::vector<std::string> odd;
    std::vector<AllowedSkip> list = parse_allowed_skips(text, odd);
    for (const std::string& line : odd) {
        std::printf("%s: \"%s\" is no entry: no skip is allowed\n", path.c_str(), line.c_str());
    }
    return odd.empty() ? list : std::vector<AllowedSkip>();
}

}  // namespace

std::vector<AllowedSkip> parse_allowed_skips(std::string_view text, std::vector<std::string>& odd) {
    std::vector<AllowedSkip> list;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const std::string_view line = trimmed(text.substr(0, end));
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        if (line.empty() || line.front() == '#') {
            continue;
        }
        const std::size_t first = line.find(" | ");
        const std::size_t second =
            first == std::string_view::npos ? first : line.find(" | ", first + 3);
        if (second == std::string_view::npos) {
            odd.emplace_back(line);
            continue;
        }
        AllowedSkip entry{std::string(trimmed(line.substr(0, first))),
                          std::string(trimmed(line.substr(first + 3, second - first - 3))),
                          std::string(trimmed(line.substr(second + 3)))};
        const bool known = std::find(kCauses.begin(), kCauses.end(), entry.cause) != kCauses.end();
        if (!known || entry.name.empty() || entry.reason.empty()) {
            odd.emplace_back(line);
            continue;
        }
        list.push_back(std::move(entry));
    }
    return list;
}

const AllowedSkip* allowed_by(std::span<const AllowedSkip> list, const Skip& skip) {
    const auto entry = std::find_if(list.begin(), list.end(), [&](const AllowedSkip& allowed) {
        return matches(allowed.name, skip.name) && matches(allowed.reason, skip.reason);
    });
    return entry == list.end() ? nullptr : &*entry;
}

int judge_skips(std::span<const Skip> skips) {
    if (skips.empty()) {
        return 0;
    }
    const char* no_skip = std::getenv("HEARTH_NO_SKIP");
    const bool none_allowed = no_skip != nullptr && std::string_view(no_skip) != "0";
    const std::vector<AllowedSkip> list = read_list();
    std::string report;
    int not_allowed = 0;
    for (const Skip& as_given : skips) {
        const Skip skip{one_line(as_given.name), one_line(as_given.reason)};
        const AllowedSkip* entry = none_allowed ? nullptr : allowed_by(list, skip);
        const std::string cause = entry == nullptr ? "NOT ALLOWED" : entry->cause;
        std::printf("SKIPPED (%s): %s: %s\n", cause.c_str(), skip.name.c_str(),
                    skip.reason.c_str());
        report += cause + '\t' + skip.name + '\t' + skip.reason + '\n';
        not_allowed += entry == nullptr ? 1 : 0;
    }
    if (not_allowed > 0) {
        std::printf(
            "FAIL: %d skipped, which %s\n", not_allowed,
            none_allowed ? "HEARTH_NO_SKIP forbids" : "tests/allowed_skips.txt does not allow");
    }
    std::fflush(stdout);
    if (const char* path = std::getenv("HEARTH_SKIP_REPORT"); path != nullptr && *path != '\0') {
        // One write, so that the lines of tests that run at the same time do not mix.
        std::FILE* file = std::fopen(path, "ab");
        const bool written =
            file != nullptr && std::fwrite(report.data(), 1, report.size(), file) == report.size();
        const bool closed = file != nullptr && std::fclose(file) == 0;
        if (!written || !closed) {
            std::printf("FAIL: %s cannot be written\n", path);
            return static_cast<int>(skips.size());
        }
    }
    return not_allowed;
}

}  // namespace hearth::test
