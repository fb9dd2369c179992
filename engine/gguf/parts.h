// The names and keys of a model that comes in several files: "NAME-00001-of-00003.gguf" and its
// neighbours. The first has the metadata; each has some of the tensors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "gguf/metadata.h"

namespace hearth {

// Each is an open file.
inline constexpr std::uint32_t kMostParts = 512;

struct PartName {
    std::string stem;          // with the folder: "models/NAME"
    std::uint32_t number = 0;  // from 1
    std::uint32_t count = 0;

    std::string path_of(std::uint32_t part) const;  // from 1
};

// Empty: the name is not that of a part.
std::optional<PartName> part_name(std::string_view path);

// The keys split.no, split.count and split.tensors.count.
struct SplitKeys {
    std::uint32_t number = 1;                // of this part, from 1
    std::uint32_t count = 1;                 // 1: the file is the whole model
    std::optional<std::uint64_t> n_tensors;  // of all parts
};

// BadFile: numbers that make no sense, or more than kMostParts.
Result<SplitKeys> read_split_keys(const Metadata& metadata);

// The metadata of the whole: without the keys that are a part's alone.
Metadata without_split_keys(const Metadata& metadata);

}  // namespace hearth
