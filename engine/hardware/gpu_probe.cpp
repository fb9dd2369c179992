#include "hardware/gpu_probe.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace hearth {
namespace {

constexpr std::string_view kFirstLine = "hearth gpus 3\n";
constexpr std::string_view kLastLine = "end";
constexpr std::size_t kReasonBytes = 300;
constexpr std::size_t kDevices = 64;
constexpr double kSpeedMost = 1e9;  // of anything measured here

std::string hex_of(const std::array<std::uint8_t, 16>& uuid) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : uuid) {
        text += kDigits[byte >> 4];
        text += kDigits[byte & 0xF];
    }
    return text;
}

bool parse_hex(std::string_view text, std::array<std::uint8_t, 16>& uuid) {
    if (text.size() != 2 * uuid.size()) {
        return false;
    }
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        const char* begin = text.data() + 2 * i;
        const auto [end, error] = std::from_chars(begin, begin + 2, uuid[i], 16);
        if (error != std::errc{} || end != begin + 2) {
            return false;
        }
    }
    return true;
}

// The reason may quote a driver.
std::string one_line(std::string_view text) {
    std::string line(text.substr(0, kReasonBytes));
    std::replace_if(
        line.begin(), line.end(),
        [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
    return line;
}

// With a point, whatever the locale.
void append_number(std::string& text, double value) {
    std::array<char, 32> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(),
                      std::clamp(value, 0.0, kSpeedMost), std::chars_format::fixed, 3);
    text.append(" ").append(digits.data(), end);
}

// Cuts the next word off `line`; empty at its end.
std::string_view next_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

bool parse_speed(std::string_view word, double& value) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() && value >= 0 &&
           value <= kSpeedMost;
}

bool parse_timeouts(std::string_view word, int& timeouts) {
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), timeouts);
    return error == std::errc{} && end == word.data() + word.size() && timeouts > 0 &&
           timeouts <= kTrialStarts;
}

bool parse_verdict(std::string_view line, GpuProbe& probe) {
    const std::string_view verdict = next_word(line);
    if (verdict == "failed" || verdict == "late") {
        if (verdict == "late" && !parse_timeouts(next_word(line), probe.timeouts)) {
            return false;
        }
        probe.verdict = GpuVerdict::Failed;
        probe.reason = one_line(line);
        return !probe.reason.empty();
    }
    probe.verdict = GpuVerdict::Ok;
    GpuSpeeds& speeds = probe.speeds;
    for (double* speed : {&speeds.read_gb_per_s, &speeds.to_gpu_gb_per_s, &speeds.from_gpu_gb_per_s,
                          &speeds.round_trip_us, &speeds.gflop_per_s, &speeds.step_us}) {
        if (!parse_speed(next_word(line), *speed)) {
            return false;
        }
    }
    return verdict == "ok" && line.empty();
}

}  // namespace

bool is_of(const GpuProbe& probe, const GpuInfo& gpu, std::string_view without) {
    return probe.uuid == gpu.uuid && probe.without == without;
}

std::string format_gpu_probes(const std::vector<GpuProbe>& probes, std::string_view version) {
    std::string text(kFirstLine);
    for (const GpuProbe& probe : probes) {
        if (probe.verdict == GpuVerdict::Unprobed) {
            continue;
        }
        text.append(version).append(" ").append(hex_of(probe.uuid)).append(" ");
        text += probe.without.empty() ? "-" : probe.without;
        if (probe.verdict == GpuVerdict::Failed) {
            text +=
                probe.timeouts > 0 ? " late " + std::to_string(probe.timeouts) + " " : " failed ";
            text += one_line(probe.reason);
        } else {
            text += " ok";
            for (const double speed : {probe.speeds.read_gb_per_s, probe.speeds.to_gpu_gb_per_s,
                                       probe.speeds.from_gpu_gb_per_s, probe.speeds.round_trip_us,
                                       probe.speeds.gflop_per_s, probe.speeds.step_us}) {
                append_number(text, std::isfinite(speed) ? speed : 0);
            }
        }
        text += "\n";
    }
    return text.append(kLastLine) + "\n";
}

std::optional<std::vector<GpuProbe>> parse_gpu_probes(std::string_view text,
                                                      std::string_view version) {
    const std::size_t begin = text.rfind(kFirstLine);
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    text.remove_prefix(begin + kFirstLine.size());
    std::vector<GpuProbe> probes;
    while (true) {
        const std::size_t length = text.find('\n');
        if (length == std::string_view::npos || probes.size() > kDevices) {
            return std::nullopt;
        }
        std::string_view line = text.substr(0, length);
        text.remove_prefix(length + 1);
        if (line == kLastLine) {
            return probes;
        }
        const bool of_this_version = next_word(line) == version;
        GpuProbe probe;
        const bool has_uuid = parse_hex(next_word(line), probe.uuid);
        probe.without = next_word(line);
        if (!has_uuid || probe.without.empty() || !parse_verdict(line, probe)) {
            return std::nullopt;
        }
        if (probe.without == "-") {
            probe.without.clear();
        }
        if (of_this_version) {
            probes.push_back(std::move(probe));
        }
    }
}

}  // namespace hearth
