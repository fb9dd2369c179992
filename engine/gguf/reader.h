// Reads the header of a GGUF file: versions 2 and 3, little-endian, and PowerInfer's twin of it
// (magic PWRI, otherwise the same bytes). Format: GGUF specification.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hearth/result.h>

#include "base/input_file.h"
#include "gguf/container.h"
#include "gguf/metadata.h"
#include "gguf/parts.h"
#include "gguf/tensor_table.h"

namespace hearth {

class ByteCursor;

// Move-only. Once open, every size, count and offset it reports has been checked against the file:
// each tensor's bytes lie inside it, are aligned, and overlap no other's. A dimension may be 0:
// such a tensor has no bytes. Const use from any thread.
class GgufFile {
public:
    // NotFound NotAFile PermissionDenied; ReadFailed, also for a file that is cut short meanwhile;
    // Unsupported for version 1, big-endian files and tensor types no specification names; BadFile
    // with the field and both numbers, e.g. "blk.3.ffn_up.weight: ends at byte 912, file has 800".
    // Never allocates what a file merely claims. A file without tensors (a vocabulary) is fine.
    //
    // A part of a model ("NAME-00002-of-00003.gguf") opens the whole: metadata are the first
    // part's, offsets are those in file(), where each part has its place. NotFound names a part
    // that is missing; BadFile one that is not of this model.
    static Result<GgufFile> open(const std::string& path);
    // The header of bytes in memory (tests, fuzzing); the bytes must outlive the file. tensor
    // checks as above against bytes.size().
    static Result<GgufFile> parse(std::span<const std::byte> bytes, const std::string& path);

    Container container() const { return container_; }
    std::uint32_t version() const { return version_; }
    std::uint64_t alignment() const { return alignment_; }
    const Metadata& metadata() const { return metadata_; }
    const TensorTable& tensors() const { return tensors_; }
    const std::string& path() const { return path_; }
    std::uint64_t file_bytes() const { return file_bytes_; }  // of all parts

    // The tensor's bytes. Preconditions: made by parse(); `tensor` is one of tensors().
    std::span<const std::byte> data(const TensorInfo& tensor) const;
    // Bytes [offset, offset + out.size()) of the tensor, however the file was opened. ReadFailed.
    // Preconditions: `tensor` is one of tensors(), the range lies inside it. Any thread.
    Result<void> read(const TensorInfo& tensor, std::uint64_t offset,
                      std::span<std::byte> out) const;
    // After open(): what the tensors' bytes are read from.
    const InputFile& file() const { return file_; }

private:
    static Result<GgufFile> read_header(ByteCursor& cursor, const std::string& path);
    static Result<GgufFile> open_one(const std::string& path);
    static Result<GgufFile> join(const std::string& path, const SplitKeys& keys);

    InputFile file_;
    std::span<const std::byte> bytes_;
    std::uint64_t file_bytes_ = 0;
    std::string path_;
    Container container_ = Container::Gguf;
    std::uint32_t version_ = 0;
    std::uint64_t alignment_ = 32;
    Metadata metadata_;
    TensorTable tensors_;
};

}  // namespace hearth
