#include "hardware/memory_pressure.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#if defined(__linux__)
#include "hardware/linux_system.h"
#endif

namespace hearth {
namespace {

// Percent of the time. Between the two nothing changes.
constexpr double kSomeTooMuch = 10, kFullTooMuch = 5;
constexpr double kQuiet = 1;
constexpr double kFullSevere = 20;

constexpr int kFall = 2, kSevereFall = 4;  // steps at once
// The average over ten seconds has fallen to 37 % ten seconds after all waiting ended.
constexpr std::uint64_t kFallEveryMs = 10'000;
constexpr double kFading = 0.5;
constexpr std::uint64_t kRiseAfterMs = 60'000;
constexpr std::uint64_t kUnseenMs = 60'000;  // nobody knows whether a longer gap was quiet
constexpr std::uint64_t kLongestRetryMs = 24 * 3'600'000;

Error not_known(std::string why) {
    return Error{
        ErrorCode::Unsupported, "how long programs wait for memory is not known: " + why, {}, {}};
}

bool skip(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) {
        return false;
    }
    text.remove_prefix(word.size());
    return true;
}

// "12.34", a percentage with two decimals, as the kernel writes it.
std::optional<double> percentage(std::string_view& text) {
    unsigned whole = 0, hundredths = 0;
    const auto number = [&](unsigned& value, std::size_t digits) {
        const char* const end = text.data() + std::min(digits, text.size());
        const auto [stop, error] = std::from_chars(text.data(), end, value);
        const auto count = static_cast<std::size_t>(stop - text.data());
        text.remove_prefix(count);
        return error == std::errc{} ? count : 0;
    };
    if (number(whole, 3) == 0 || !skip(text, ".") || number(hundredths, 2) != 2) {
        return std::nullopt;
    }
    const double value = whole + hundredths / 100.0;
    return value <= 100 ? std::optional(value) : std::nullopt;
}

// The line "some avg10=... avg60=... ..." of the text.
bool read_line(std::string_view text, std::string_view name, double& avg10, double& avg60) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (!skip(line, name)) {
            continue;
        }
        std::optional<double> first, second;
        if (!skip(line, " avg10=") || !(first = percentage(line)) || !skip(line, " avg60=") ||
            !(second = percentage(line)) || !line.starts_with(' ')) {
            return false;
        }
        avg10 = *first;
        avg60 = *second;
        return true;
    }
    return false;
}

}  // namespace

Result<MemoryPressure> parse_memory_pressure(std::string_view text) {
    MemoryPressure out;
    if (!read_line(text, "some", out.some_10s, out.some_60s) ||
        !read_line(text, "full", out.full_10s, out.full_60s)) {
        return not_known(text.empty() ? "this system does not say it"
                                      : "the system says it in a form that is new");
    }
    return out;
}

#if defined(__linux__)

Result<MemoryPressure> read_memory_pressure() {
    return linux_system::read_memory_pressure("");
}

#else

Result<MemoryPressure> read_memory_pressure() {
    return not_known("this system does not say it");
}

#endif

double BudgetAdvice::share() const {
    static_assert(kLeast * kSteps == kLeastLevel);
    return static_cast<double>(level_) / kSteps;
}

double BudgetAdvice::add(std::uint64_t now_ms, const MemoryPressure& pressure) {
    const std::uint64_t now = std::max(now_ms_, now_ms);
    const bool gap = !begun_ || now - now_ms_ > kUnseenMs;
    begun_ = true;
    now_ms_ = now;
    const bool quiet = pressure.some_10s < kQuiet;
    if (gap || !quiet || pressure.some_60s >= kQuiet) {
        quiet_since_ms_ = now_ms_;
    }
    if (quiet) {
        in_episode_ = false;
    }
    if (pressure.some_10s >= kSomeTooMuch || pressure.full_10s >= kFullTooMuch) {
        lower(pressure);
    } else {
        raise();
    }
    return share();
}

void BudgetAdvice::lower(const MemoryPressure& pressure) {
    if (in_episode_ &&
        (now_ms_ - lowered_ms_ < kFallEveryMs || pressure.some_10s < lowered_at_some_ * kFading)) {
        return;  // what the latest step brought is still to be seen
    }
    if (!in_episode_) {
        in_episode_ = true;
        ceiling_ = std::max(level_ - 1, kLeastLevel);
        if (retrying_) {
            retry_ms_ = std::min(2 * retry_ms_, kLongestRetryMs);
        }
        retrying_ = false;
    }
    level_ =
        std::max(level_ - (pressure.full_10s >= kFullSevere ? kSevereFall : kFall), kLeastLevel);
    lowered_ms_ = now_ms_;
    lowered_at_some_ = pressure.some_10s;
}

void BudgetAdvice::raise() {
    const std::uint64_t quiet_ms = now_ms_ - quiet_since_ms_;
    if (level_ < ceiling_) {
        if (quiet_ms >= kRiseAfterMs) {
            ++level_;
            quiet_since_ms_ = now_ms_;
        }
    } else if (level_ < kSteps && quiet_ms >= retry_ms_) {
        if (retrying_) {  // the try before held: there is less load than there was
            retry_ms_ = std::max(retry_ms_ / 2, kFirstRetryMs);
        }
        retrying_ = true;
        level_ = ++ceiling_;
        quiet_since_ms_ = now_ms_;
    }
}

}  // namespace hearth
