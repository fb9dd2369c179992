// Neurons that come to a layer of the processor in the place of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "cpu/cpu_layout.h"
#include "cpu/cpu_weights.h"
#include "memory/row_source.h"

namespace hearth {

// Reads the rows of the neurons that layer.number() names now, and writes them over those of the
// neurons that were there, in the forms in which the layer's matrices lie. Only matrices of the
// home Ram. places: neurons of the layer, each once. base: of the layer's segment. Returns the
// bytes that were read. ReadFailed; BadFile: Inf or NaN. Precondition: rows of all of the block's
// matrices are neurons.
Result<std::uint64_t> read_neurons(const CpuLayout& layout, int index, const CpuLayer& layer,
                                   std::span<const int> places, FileRows& file, ThreadPool& pool,
                                   std::span<std::vector<std::byte>> staging, std::byte* base);

}  // namespace hearth
