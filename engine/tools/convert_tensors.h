// Carries tensors from one file to another in another type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "base/thread_pool.h"
#include "gguf/reader.h"
#include "gguf/writer.h"

namespace hearth::tools {

// Of one thread's share between two looks at the cancellation: some milliseconds of work. A
// multiple of every block, so that a tensor can be cut anywhere between two shares.
inline constexpr std::uint64_t kShareValues = 64 * std::uint64_t{1024};

// Holds a share for each thread, whatever the size of tensors and rows. The bytes are the same for
// any number of threads.
class TensorConverter {
public:
    // n_threads: at least 1. total_values: of all tensors, for progress, which may be empty and is
    // called on the caller's thread. All references outlive the converter.
    TensorConverter(const GgufFile& file, GgufWriter& writer, int n_threads,
                    std::uint64_t total_values, const std::function<void(double)>& progress,
                    const Cancellation& cancellation);

    // Writes the tensor as rows of `target`. A tensor that has the type is copied byte for byte.
    // importance: [n_matrices, cols] of the tensor's matrices, see quantize_row_searched(); empty:
    // all alike. BadFile, if a value is Inf or NaN, with the tensor and the row. Cancelled; the
    // errors of reading and writing. Precondition: rows are whole blocks of the target.
    Result<void> convert(const TensorInfo& tensor, DType target, std::span<const float> importance);

private:
    std::span<const std::byte> converted(const TensorInfo& tensor, DType target, std::uint64_t at,
                                         std::uint64_t count, std::span<const float> importance);
    Error not_finite_at(const TensorInfo& tensor, std::uint64_t at, std::uint64_t count) const;

    const GgufFile& file_;
    GgufWriter& writer_;
    const std::uint64_t total_values_;
    const std::function<void(double)>& progress_;
    const Cancellation& cancellation_;
    ThreadPool pool_;
    std::vector<float> floats_;       // a share a thread
    std::vector<float> importances_;  // likewise, of the same values
    std::vector<std::byte> input_;
    std::vector<std::byte> output_;
    std::uint64_t done_values_ = 0;
};

}  // namespace hearth::tools
