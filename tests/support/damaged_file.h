// Damages a model file that is otherwise right.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "gguf/reader.h"

namespace hearth::test {

// Overwrites `n` bytes of a tensor from byte `at` of it on with the lowest bytes of `bits`. False
// if there is no such tensor, or it could not be written.
inline bool overwrite_tensor(const std::string& path, const std::string& tensor, std::uint64_t at,
                             std::uint32_t bits, int n) {
    std::uint64_t offset = 0;
    {
        const auto file = GgufFile::open(path);
        const TensorInfo* found = file ? file->tensors().find(tensor) : nullptr;
        if (found == nullptr || at + static_cast<std::uint64_t>(n) > found->bytes) {
            return false;
        }
        offset = found->offset + at;
    }
    std::fstream out(path, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(offset));
    for (int i = 0; i < n; ++i) {
        out.put(static_cast<char>(bits >> (8 * i) & 0xFF));
    }
    out.flush();
    return out.good();
}

inline constexpr std::uint32_t kNanBits = 0x7FC00000;
inline constexpr std::uint32_t kInfBits = 0x7F800000;
inline constexpr std::uint32_t kMinusInfBits = 0xFF800000;
inline constexpr std::uint32_t kHalfNanBits = 0x7E00;
inline constexpr std::uint32_t kHalfInfBits = 0x7C00;
inline constexpr std::uint32_t kBfloatNanBits = 0x7FC0;

}  // namespace hearth::test
