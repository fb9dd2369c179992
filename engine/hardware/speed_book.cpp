#include "hardware/speed_book.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace hearth {
namespace {

// The share of the processors that others had between the two; 0: not known. Work of this process
// counts as others' where `own_too` is set: an answer that is being written.
double share_of_others(const std::optional<ProcessorTimes>& from,
                       const std::optional<ProcessorTimes>& to, bool own_too) {
    if (!from || !to || to->total_s <= from->total_s) {
        return 0;
    }
    const double own = own_too ? 0 : to->own_s - from->own_s;
    return (to->busy_s - from->busy_s - own) / (to->total_s - from->total_s);
}

}  // namespace

SpeedBook::Sources SpeedBook::of_this_machine() {
    return {.now_s =
                [] {
                    return std::chrono::duration<double>(
                               std::chrono::steady_clock::now().time_since_epoch())
                        .count();
                },
            .times = read_processor_times,
            .pause =
                [](double seconds) {
                    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
                }};
}

bool SpeedBook::measure_into(Entry& entry, const std::function<std::vector<double>()>& measure) {
    const auto before = sources_.times();
    sources_.pause(kLookSeconds);
    const auto begin = sources_.times();
    const std::vector<double> found = measure();
    const auto end = sources_.times();
    const bool quiet = share_of_others(before, begin, true) <= kQuietShare &&
                       share_of_others(begin, end, false) <= kQuietShare;
    // A disturbed measurement beside a quiet one says nothing more.
    if (quiet || !entry.quiet) {
        entry.best.resize(std::max(entry.best.size(), found.size()));
        for (std::size_t i = 0; i < found.size(); ++i) {
            entry.best[i] = std::max(entry.best[i], found[i]);
        }
    }
    return quiet;
}

SpeedBook::Speeds SpeedBook::get(const std::string& key,
                                 const std::function<std::vector<double>()>& measure) {
    const std::lock_guard<std::mutex> lock(mutex_);
    Entry& entry = entries_[key];
    const bool known = !entry.best.empty();
    if (known && (entry.quiet || sources_.now_s() - entry.measured_at_s < kHeldSeconds)) {
        return {entry.best, !entry.quiet};
    }
    for (int tries = 0; tries < kQuietTries; ++tries) {
        entry.quiet = measure_into(entry, measure) || entry.quiet;
    }
    entry.measured_at_s = sources_.now_s();
    const Speeds found{entry.best, !entry.quiet};
    if (std::all_of(entry.best.begin(), entry.best.end(),
                    [](double value) { return value <= 0; })) {
        entries_.erase(key);
    }
    return found;
}

}  // namespace hearth
