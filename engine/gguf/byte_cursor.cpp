#include "gguf/byte_cursor.h"

#include <algorithm>

namespace hearth {

bool ByteCursor::take_string(std::uint64_t length, std::string& out) {
    if (left() < length) {
        return false;
    }
    if (window_.size() - at_ >= length) {
        out.assign(reinterpret_cast<const char*>(window_.data() + at_),
                   static_cast<std::size_t>(length));
        at_ += static_cast<std::size_t>(length);
        return true;
    }
    if (!may_read(length)) {
        return false;
    }
    out.clear();
    while (out.size() < length) {
        if (at_ == window_.size() && !refill(1)) {
            return false;
        }
        const auto part = window_.subspan(at_, static_cast<std::size_t>(std::min<std::uint64_t>(
                                                   window_.size() - at_, length - out.size())));
        out.append(reinterpret_cast<const char*>(part.data()), part.size());
        at_ += part.size();
    }
    return true;
}

std::span<const std::byte> ByteCursor::peek(std::size_t most) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(most, left()));
    if (window_.size() - at_ < count && !refill(count)) {
        return {};
    }
    return window_.subspan(at_, count);
}

bool ByteCursor::may_read(std::uint64_t bytes) {
    const std::uint64_t read = position();
    if (read <= most_bytes_ && bytes <= most_bytes_ - read) {
        return true;
    }
    failure_ = Error{.code = ErrorCode::BadFile,
                     .message = "header: is longer than " + std::to_string(most_bytes_) +
                                " bytes, more than a header can be",
                     .path = {},
                     .field = "header"};
    return false;
}

bool ByteCursor::refill(std::size_t bytes) {
    if (file_ == nullptr || failure_ || left() < bytes) {
        return false;
    }
    if (!may_read(bytes)) {
        return false;
    }
    const std::uint64_t start = position();
    piece_.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>({kPieceBytes, left(), most_bytes_ - start})));
    window_ = {};
    window_start_ = start;
    at_ = 0;
    if (auto read = file_->read_at(start, piece_); !read) {
        failure_ = std::move(read).error();
        return false;
    }
    window_ = piece_;
    return true;
}

}  // namespace hearth
