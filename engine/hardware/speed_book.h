// Speeds that were measured, so that what is asked twice is answered alike. A measurement that
// other work disturbed is too low, so the best of several counts, and one of a quiet moment is kept
// for good.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hardware/system_load.h"

namespace hearth {

class SpeedBook {
public:
    // For tests: a clock, the processors' times, and a pause of so many seconds.
    struct Sources {
        std::function<double()> now_s;
        std::function<std::optional<ProcessorTimes>()> times;
        std::function<void(double seconds)> pause;
    };
    static Sources of_this_machine();

    explicit SpeedBook(Sources sources = of_this_machine()) : sources_(std::move(sources)) {}

    // Other work that takes less than this share of the processors does not count as such.
    static constexpr double kQuietShare = 0.15;
    static constexpr double kLookSeconds = 0.1;  // at what others do, before a measurement
    static constexpr int kQuietTries = 2;        // of which the best counts
    static constexpr double kHeldSeconds = 10;   // what was measured while others worked

    struct Speeds {
        std::vector<double> values;  // the best of each; as `measure` gave them
        bool busy = false;           // no measurement found the machine quiet
    };
    // Returns the speeds of this key, or else calls `measure`. Any thread; measurements run one
    // after another. Zeros, which say that nothing could be measured, are not kept.
    Speeds get(const std::string& key, const std::function<std::vector<double>()>& measure);

private:
    struct Entry {
        std::vector<double> best;
        bool quiet = false;
        double measured_at_s = 0;
    };
    bool measure_into(Entry& entry, const std::function<std::vector<double>()>& measure);

    Sources sources_;
    std::mutex mutex_;
    std::map<std::string, Entry> entries_;
};

}  // namespace hearth
