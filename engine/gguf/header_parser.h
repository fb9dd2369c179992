// The header of a GGUF file as a sequence of steps; reader.cpp calls them in the file's order.
// Inside gguf/ only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "gguf/byte_cursor.h"
#include "gguf/metadata.h"
#include "gguf/printable.h"
#include "gguf/tensor_table.h"

namespace hearth {

// What no honest file comes near, so that a small broken one cannot ask for much memory or time:
// the widest vocabularies have 0.3 million tokens, the widest files some 100,000 tensors.
inline constexpr std::uint64_t kMaxMetadataKeys = std::uint64_t{1} << 16;
inline constexpr std::uint64_t kMaxTensors = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kMaxArrayItems = std::uint64_t{1} << 23;  // of all arrays together
inline constexpr std::uint64_t kMaxNameBytes = 65535;
inline constexpr std::uint64_t kMaxHeaderBytes = std::uint64_t{1} << 28;  // the largest: some 20 MB
inline constexpr int kMaxArrayDepth = 4;
inline constexpr std::uint64_t kMinAlignment = 8;
inline constexpr std::uint64_t kMaxAlignment = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kDefaultAlignment = 32;

Error bad_file(std::string field, const std::string& what);

Result<Metadata> parse_metadata(ByteCursor& cursor, std::uint64_t count);

// Offsets are still from the start of the data section; names, shapes, types and byte counts are
// checked and final.
Result<std::vector<TensorInfo>> parse_tensor_infos(ByteCursor& cursor, std::uint64_t count);

// Moves the offsets to the start of the file and checks that every tensor is aligned, lies inside
// `file_bytes` and overlaps no other.
Result<void> place_tensors(std::vector<TensorInfo>& tensors, std::uint64_t data_start,
                           std::uint64_t alignment, std::uint64_t file_bytes);

// Bytes of `shape` in `type`; an Error that says why there is no such number.
Result<std::uint64_t> tensor_bytes(const std::string& name, const std::vector<std::uint64_t>& shape,
                                   const DTypeInfo& type);

}  // namespace hearth
