// Ends an answer at a stop string, even one that arrives in pieces.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth {

class StopRules {
public:
    // Empty strings are ignored.
    explicit StopRules(std::vector<std::string> stop_strings);

    // Takes text and returns what can be shown: everything except a tail that may yet become a stop
    // string. Once stopped() is true, it drops everything from the stop string on, and later calls
    // return nothing.
    std::string push(std::string_view text);
    // Call it when no more text comes. Returns what was held back.
    std::string finish();

    bool stopped() const { return !stopped_by_.empty(); }
    // The stop string that was found; empty: none was.
    const std::string& stopped_by() const { return stopped_by_; }

private:
    std::vector<std::string> stop_strings_;
    std::string held_;
    std::string stopped_by_;
};

}  // namespace hearth
