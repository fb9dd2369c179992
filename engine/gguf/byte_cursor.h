// Walks over untrusted bytes. Nothing is read past the end, nothing claimed is believed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

namespace hearth {

static_assert(std::endian::native == std::endian::little,
              "GGUF files are read as they lie: a big-endian machine needs swaps here");

// Every take_ returns false, moves nothing and leaves `out` alone if too few bytes are left.
class ByteCursor {
public:
    explicit ByteCursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::uint64_t position() const { return position_; }
    std::uint64_t left() const { return bytes_.size() - position_; }
    std::uint64_t size() const { return bytes_.size(); }

    template <class T>
    requires std::is_arithmetic_v<T>
    bool take(T& out) {
        if (left() < sizeof(T)) {
            return false;
        }
        std::memcpy(&out, bytes_.data() + position_, sizeof(T));
        position_ += sizeof(T);
        return true;
    }

    bool take_string(std::uint64_t length, std::string& out) {
        if (left() < length) {
            return false;
        }
        out.assign(reinterpret_cast<const char*>(bytes_.data() + position_),
                   static_cast<std::size_t>(length));
        position_ += length;
        return true;
    }

private:
    std::span<const std::byte> bytes_;
    std::uint64_t position_ = 0;
};

}  // namespace hearth
