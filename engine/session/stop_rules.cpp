#include "session/stop_rules.h"

#include <algorithm>
#include <utility>

namespace hearth {

StopRules::StopRules(std::vector<std::string> stop_strings)
    : stop_strings_(std::move(stop_strings)) {
    std::erase_if(stop_strings_, [](const std::string& stop) { return stop.empty(); });
}

std::string StopRules::push(std::string_view text) {
    if (stopped()) {
        return {};
    }
    held_ += text;
    std::size_t first_stop = std::string::npos;
    std::string found;
    std::size_t longest_start = 0;  // of the tail that begins some stop string
    for (const std::string& stop : stop_strings_) {
        if (const std::size_t at = held_.find(stop); at < first_stop) {
            first_stop = at;
            found = stop;
        }
        for (std::size_t n = std::min(stop.size() - 1, held_.size()); n > longest_start; --n) {
            if (held_.ends_with(std::string_view(stop).substr(0, n))) {
                longest_start = n;
            }
        }
    }
    if (first_stop != std::string::npos) {
        stopped_by_ = std::move(found);
        return std::exchange(held_, {}).substr(0, first_stop);
    }
    std::string shown = held_.substr(0, held_.size() - longest_start);
    held_.erase(0, shown.size());
    return shown;
}

std::string StopRules::finish() {
    return std::exchange(held_, {});
}

}  // namespace hearth
