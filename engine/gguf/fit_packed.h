// Chooses the numbers of packed blocks, in the time that a test has: scales by the extremes alone,
// patterns by their distance. Files that are worth having need importance and a search of scales.
#pragma once

#include <cstddef>
#include <span>

#include "gguf/blocks.h"
#include "gguf/encoding.h"

namespace hearth {

// Writes a block. values: finite. encoding: of CodeKind::Packed.
void fit_packed(const Encoding& encoding, std::span<const float, kSuperBlockValues> values,
                std::byte* block);

}  // namespace hearth
