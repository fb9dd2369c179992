#include "toolbox/event_stream.h"

#include <utility>

namespace hearth::toolbox {

std::optional<std::string> EventStream::next() {
    while (!is_too_long_) {
        const auto line = lines_.next();
        if (!line) {
            return std::nullopt;
        }
        if (line->empty()) {
            if (std::exchange(has_data_, false)) {
                return std::exchange(data_, {});
            }
        } else if (line->starts_with("data:")) {
            const std::size_t begin = line->starts_with("data: ") ? 6 : 5;
            if (std::exchange(has_data_, true)) {
                data_ += '\n';
            }
            data_.append(*line, begin, std::string::npos);
            is_too_long_ = data_.size() > most_bytes_;
        }
    }
    data_.clear();
    return std::nullopt;
}

}  // namespace hearth::toolbox
