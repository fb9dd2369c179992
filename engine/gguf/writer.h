// Writes a GGUF version 3 file: metadata and tensor infos first, then tensor data as it comes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "gguf/container.h"
#include "gguf/metadata.h"
#include "gguf/tensor_table.h"

namespace hearth {

// A file's header and where its tensors will be, before any of their data is there.
struct GgufLayout {
    std::vector<std::byte> header;  // up to where the first tensor's data begins
    TensorTable tensors;            // offsets from the start of the file
    std::uint64_t file_bytes = 0;
};

// Offsets and byte counts of `tensors` are computed from shape and type; what the caller put there
// is ignored. A metadata key general.alignment (U32, a power of two) sets the alignment, else 32.
// InvalidArgument: duplicate name, cols not a multiple of the block, what the reader would refuse.
Result<GgufLayout> lay_out_gguf(const Metadata& metadata, std::vector<TensorInfo> tensors,
                                Container container = Container::Gguf);

// Move-only. Data goes to PATH.partial (its name unique to this process); finish() checks that
// every tensor came whole, flushes to the disk and renames. Destroyed before that, the partial file
// is removed and what stood at PATH still stands.
class GgufWriter {
public:
    // As lay_out_gguf() has it. WriteFailed, PermissionDenied, DiskFull: also when the disk says
    // beforehand that it has too little room. NotAFile if PATH is a folder or a device.
    static Result<GgufWriter> create(const std::string& path, const Metadata& metadata,
                                     std::vector<TensorInfo> tensors,
                                     Container container = Container::Gguf);
    ~GgufWriter();
    GgufWriter(GgufWriter&&) noexcept;
    GgufWriter& operator=(GgufWriter&&) noexcept;

    // Appends to the data of tensors, in the order given to create(); a call may bring part of a
    // tensor but not cross into the next. Padding is written by itself. InvalidArgument: more than
    // the tensor takes. After an error the writer takes nothing more.
    Result<void> write(std::span<const std::byte> data);
    Result<void> finish();  // InvalidArgument: a tensor is not whole

    std::uint64_t file_bytes() const;  // of the finished file

private:
    struct Impl;
    explicit GgufWriter(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace hearth
