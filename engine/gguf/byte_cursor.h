// Walks over untrusted bytes. Nothing is read past the end, nothing claimed is believed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include <hearth/result.h>

#include "base/input_file.h"

namespace hearth {

static_assert(std::endian::native == std::endian::little,
              "GGUF files are read as they lie: a big-endian machine needs swaps here");

// The bytes lie in memory, or in a file that is read piece by piece, once, from its start. Every
// take_ returns false, moves nothing and leaves `out` alone if too few bytes are left; it also
// returns false, and `out` holds anything, once failure() says why the file could not be read.
class ByteCursor {
public:
    // A piece of a file: a handful of them hold the header of most models.
    static constexpr std::size_t kPieceBytes = std::size_t{128} * 1024;

    explicit ByteCursor(std::span<const std::byte> bytes) : window_(bytes), size_(bytes.size()) {}
    // Of a file at most the first `most_bytes` are read; going on behind them is a failure().
    // `file` must outlive the cursor.
    ByteCursor(const InputFile& file, std::uint64_t most_bytes)
        : file_(&file), size_(file.size_bytes()), most_bytes_(most_bytes) {}
    ByteCursor(const ByteCursor&) = delete;
    ByteCursor& operator=(const ByteCursor&) = delete;

    std::uint64_t position() const { return window_start_ + at_; }
    std::uint64_t left() const { return size_ - position(); }
    std::uint64_t size() const { return size_; }
    const std::optional<Error>& failure() const { return failure_; }

    template <class T>
    requires std::is_arithmetic_v<T>
    bool take(T& out) {
        if (window_.size() - at_ < sizeof(T) && !refill(sizeof(T))) {
            return false;
        }
        std::memcpy(&out, window_.data() + at_, sizeof(T));
        at_ += sizeof(T);
        return true;
    }

    // Memory follows the bytes that are there, not the length that was claimed.
    bool take_string(std::uint64_t length, std::string& out);

    // The next `most` bytes, or what is left of them, without taking them; empty upon failure().
    // most <= kPieceBytes.
    std::span<const std::byte> peek(std::size_t most);

private:
    // Makes the window begin here and hold at least `bytes` <= kPieceBytes, if so many are left.
    bool refill(std::size_t bytes);
    // False, with a failure(), if `bytes` more of the file are more than may be read.
    bool may_read(std::uint64_t bytes);

    const InputFile* file_ = nullptr;
    std::vector<std::byte> piece_;
    std::span<const std::byte> window_;
    std::uint64_t window_start_ = 0;
    std::size_t at_ = 0;  // in the window
    std::uint64_t size_ = 0;
    std::uint64_t most_bytes_ = 0;
    std::optional<Error> failure_;
};

}  // namespace hearth
