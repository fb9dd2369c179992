// In which type quantize writes each tensor: the mixes that files are named after.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gguf/reader.h"

namespace hearth::tools {

// "Q4_0": all matrices in one type. "Q4_K_M": a mix, whose delicate tensors have more bits.
struct WeightMix {
    std::string_view name;
    DType type;  // of most weights
    bool mixed;
};

const WeightMix* find_weight_mix(std::string_view name);  // null: there is none of this name
std::string weight_mix_names();                           // "F32, F16, ... and Q6_K"

// Types that single tensors can have, whatever the mix.
bool is_weight_type(DType type);
std::string weight_type_names();

// The facts of a model that the mixes need. Numbers that the file lacks, or that make no sense,
// are 0.
struct MixModel {
    std::string arch;
    std::uint64_t n_layer = 0, n_head = 0, n_head_kv = 0, n_expert = 0;
    bool tied = false;  // the embedding is the output head, too
};
MixModel read_mix_model(const GgufFile& file, bool tied);

// Matrices that a quantised file keeps as they are: routers, convolutions and other small ones,
// norms, and what is no weight.
bool stays_as_it_is(std::string_view tensor_name);

// The type that `mix` has for each tensor, in the order of `tensors`; null: as it is in the file.
// Rows that are no whole number of blocks get the type that type_that_fits() says. The same types
// as llama.cpp's llama-quantize (b11434) chooses for Q4_K_M, Q5_K_M and Q6_K. Of mixes that are not
// mixed: the type, for all but vectors, which become kVectorType in every mix.
std::vector<std::optional<DType>> mixed_types(const WeightMix& mix, const MixModel& model,
                                              const std::vector<TensorInfo>& tensors);

}  // namespace hearth::tools
