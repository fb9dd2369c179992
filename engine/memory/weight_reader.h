// Reads rows of a model file while several threads lay out the rows they got.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include <hearth/result.h>

#include "base/input_file.h"

namespace hearth {

// Asks the disk for bytes ahead of the threads. A thread reads 256 KiB at a time and packs in
// between; without asking ahead the disk would be idle meanwhile. Any thread may call it.
class WeightReader {
public:
    explicit WeightReader(const InputFile& file) : file_(file) {}

    // Reads out.size() bytes. ReadFailed.
    Result<void> read(std::uint64_t offset, std::span<std::byte> out);

private:
    void ask_ahead(std::uint64_t end);

    const InputFile& file_;
    std::atomic<std::uint64_t> asked_{0};
    std::atomic<std::uint64_t> ask_until_{0};
};

}  // namespace hearth
