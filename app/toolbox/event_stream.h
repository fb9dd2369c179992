// The data of server-sent events ("text/event-stream"), as streamable HTTP answers with them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "toolbox/line_reader.h"

namespace hearth::toolbox {

class EventStream {
public:
    // most_bytes: of one event's data.
    explicit EventStream(std::size_t most_bytes) : most_bytes_(most_bytes), lines_(most_bytes) {}

    void push(std::string_view bytes) { lines_.push(bytes); }
    // The data of the next whole event; empty: more must come first.
    std::optional<std::string> next();
    // An event passed the limit; nothing follows.
    bool is_too_long() const { return is_too_long_ || lines_.is_too_long(); }

private:
    std::size_t most_bytes_;
    LineReader lines_;
    std::string data_;
    bool has_data_ = false;
    bool is_too_long_ = false;
};

}  // namespace hearth::toolbox
