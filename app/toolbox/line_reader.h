// Lines out of bytes that come in pieces of any size. Any thread, one at a time.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace hearth::toolbox {

class LineReader {
public:
    // most_bytes: of a line, its end left out.
    explicit LineReader(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    // Ignored once a line was too long.
    void push(std::string_view bytes);
    // The next whole line without its end ("\n" or "\r\n"); empty: more must come first.
    std::optional<std::string> next();
    // A line passed the limit. There is no way to go on, since its end is unknown.
    bool is_too_long() const { return is_too_long_; }

private:
    std::size_t most_bytes_;
    std::string held_;
    std::size_t read_ = 0;      // of held_, already given out
    std::size_t searched_ = 0;  // of held_, without a line's end behind read_
    bool is_too_long_ = false;
};

}  // namespace hearth::toolbox
