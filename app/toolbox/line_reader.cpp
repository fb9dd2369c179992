#include "toolbox/line_reader.h"

namespace hearth::toolbox {

void LineReader::push(std::string_view bytes) {
    if (is_too_long_) {
        return;
    }
    held_.erase(0, read_);
    searched_ -= read_;
    read_ = 0;
    held_ += bytes;
}

std::optional<std::string> LineReader::next() {
    if (is_too_long_) {
        return std::nullopt;
    }
    const std::size_t end = held_.find('\n', searched_);
    const std::size_t length = (end == std::string::npos ? held_.size() : end) - read_;
    if (length > most_bytes_) {
        is_too_long_ = true;
        held_.clear();
        return std::nullopt;
    }
    if (end == std::string::npos) {
        searched_ = held_.size();
        return std::nullopt;
    }
    std::string line = held_.substr(read_, length);
    if (line.ends_with('\r')) {
        line.pop_back();
    }
    read_ = searched_ = end + 1;
    return line;
}

}  // namespace hearth::toolbox
