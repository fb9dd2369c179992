// Activation profiles as tensors and keys of a GGUF file. A profile is a side file of its own or a
// part of a packed model.
//
//   general.architecture    str      "hearth-profile" (a side file)
//   hearth.format_version   u32      1 (a side file; a packed model has hearth.packed.version)
//   hearth.model_hash       str      of the model, as model_hash() has it
//   hearth.profile.tokens   u64      tokens seen
//   hearth.profile.batches  i32 []   kProfileBatches
//   hearth.profile.groups   u64 []   one per batch size; 0 above batch 1: not looked at
//   blk.N.ffn_fired         I32      [n_batches, n_ff], one per layer
//
// Columns are neurons. A side file orders them as the model's own file does, a packed model as its
// records lie. The name `blk.N.experts_chosen` is kept free for mixtures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"
#include "plan/profile.h"

namespace hearth {

inline constexpr std::uint32_t kSideFileVersion = 1;

// Whether the file holds a profile: it is a side file, or a model with a profile inside.
bool holds_profile(const GgufFile& file);

// Checks everything against the spec and against itself: the shapes are right, no neuron fired more
// often than it was looked at, and no more groups were looked at than there were tokens for.
// BadFile names the field and the numbers; it also stands for a file that holds no profile.
// Unsupported: a newer version made the file. InvalidArgument: `model_hash` is not empty and
// another than the file's.
Result<ActivationProfile> read_profile(const GgufFile& file, const ModelSpec& spec,
                                       std::string_view model_hash = {});

// Writes a side file beside `path` and renames it. `model_hash` must be set. halve() makes counts
// fit that an I32 does not hold. WriteFailed, DiskFull, PermissionDenied.
Result<void> write_profile(const std::string& path, ActivationProfile profile);

// The parts of a profile, for files that hold more than one: the keys hearth.profile.*, the tensors
// without offsets, and the bytes of one tensor.
void add_profile_keys(Metadata& metadata, const ActivationProfile& profile);
std::vector<TensorInfo> profile_tensors(const ActivationProfile& profile);
std::vector<std::byte> profile_tensor_bytes(const LayerProfile& layer);

// Halves all counts, rounding down. The relations that read_profile() checks go on to hold.
void halve(ActivationProfile& profile);

// Adds the counts of `other`. Precondition: both have the same layers and widths. A batch size that
// only one of them looked at stays comparable, because each batch size has its own number of
// groups.
void merge(ActivationProfile& profile, const ActivationProfile& other);

// Brings the columns of layer l to the order of a file whose place i holds neuron order[l][i], and
// back. Precondition: each order is a permutation of [0, n_ff).
using NeuronOrder = std::vector<std::vector<std::int32_t>>;
void to_order(ActivationProfile& profile, const NeuronOrder& order);
void from_order(ActivationProfile& profile, const NeuronOrder& order);

}  // namespace hearth
