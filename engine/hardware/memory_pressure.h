// How long programs wait for memory, as the system counts it (PSI), and what follows for a budget
// of RAM.
#pragma once

#include <cstdint>
#include <string_view>

#include <hearth/result.h>

namespace hearth {

// Percent of the time, averaged over the last 10 and 60 seconds, in which some program waited for
// memory, and in which all that had work did.
struct MemoryPressure {
    double some_10s = 0, some_60s = 0;
    double full_10s = 0, full_60s = 0;
};

// The worse of the system's and of this process's cgroup, figure by figure. Unsupported: not known,
// since this system does not say it (another than Linux, or one without PSI), or says what nobody
// understands.
Result<MemoryPressure> read_memory_pressure();

// The text of one of Linux's files, "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\nfull ...".
// Unsupported: anything else.
Result<MemoryPressure> parse_memory_pressure(std::string_view text);

// What share of a budget of RAM to use, from samples of the pressure. It falls at the first sample
// under pressure, and again while that does not fade; it rises step by step, a quiet minute each.
//
// Under a constant load it settles: it stays below the share at which pressure began, and tries
// that again only after five quiet minutes, after ten if the try failed, and so on.
//
// Pure: time comes with the samples, from a clock that does not jump. Some seconds between two
// samples are enough.
class BudgetAdvice {
public:
    static constexpr double kLeast = 0.4;  // the least share it advises

    // Returns share(). A sample that is older than the latest counts as taken with that one.
    double add(std::uint64_t now_ms, const MemoryPressure& pressure);
    double share() const;

private:
    static constexpr int kSteps = 20;  // of a whole budget
    static constexpr int kLeastLevel = 8;
    static constexpr std::uint64_t kFirstRetryMs = 5 * 60'000;

    void lower(const MemoryPressure& pressure);
    void raise();

    int level_ = kSteps;          // of kSteps
    int ceiling_ = kSteps;        // the most that has not been found too much
    bool in_episode_ = false;     // of pressure, until the first quiet sample
    bool retrying_ = false;       // level_ was once found too much
    double lowered_at_some_ = 0;  // the pressure that the latest lowering answered
    bool begun_ = false;
    std::uint64_t now_ms_ = 0;
    std::uint64_t lowered_ms_ = 0;
    std::uint64_t quiet_since_ms_ = 0;  // or since the latest change
    std::uint64_t retry_ms_ = kFirstRetryMs;
};

}  // namespace hearth
