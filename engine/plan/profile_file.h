// Activation profiles as tensors and keys of a GGUF file: alone in a side file, or inside a packed
// model.
//
//   general.architecture    str      "hearth-profile" (a side file)
//   hearth.format_version   u32      1 (a side file; a packed model has hearth.packed.version)
//   hearth.model_hash       str      of the model, as model_hash() has it
//   hearth.profile.tokens   u64      tokens seen
//   hearth.profile.batches  i32 []   kProfileBatches
//   hearth.profile.groups   u64 []   one a batch; above batch 1 it may be 0: not looked at
//   blk.N.ffn_fired         I32      [n_batches, n_ff], one a layer
//
// Columns are neurons: in a side file as the model's own file orders them, in a packed model as its
// records lie. `blk.N.experts_chosen` is kept free for mixtures.
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

// Whether the file holds one: a side file made for nothing else, or a model with a profile inside.
bool holds_profile(const GgufFile& file);

// Everything is checked against the spec and against itself: shapes, that nothing fired more often
// than it was looked at, that no more groups were looked at than there were tokens for. BadFile
// names the field and the numbers; also for a file that holds no profile. Unsupported: made by a
// newer version. InvalidArgument: `model_hash` is not empty and another than the file's.
Result<ActivationProfile> read_profile(const GgufFile& file, const ModelSpec& spec,
                                       std::string_view model_hash = {});

// Writes a side file: beside `path` and renamed. `model_hash` must be set. Counts that an I32 does
// not hold are made to fit by halve(). WriteFailed, DiskFull, PermissionDenied.
Result<void> write_profile(const std::string& path, ActivationProfile profile);

// The parts of it, for files that hold more: the keys hearth.profile.*; the tensors, without
// offsets; one tensor's bytes.
void add_profile_keys(Metadata& metadata, const ActivationProfile& profile);
std::vector<TensorInfo> profile_tensors(const ActivationProfile& profile);
std::vector<std::byte> profile_tensor_bytes(const LayerProfile& layer);

// Half of all counts, rounded down. What holds between the numbers goes on to hold.
void halve(ActivationProfile& profile);

// Adds the counts of `other`. Precondition: same layers and widths. Group counts of a batch that
// only one of them looked at stay comparable, since each batch has its own number of groups.
void merge(ActivationProfile& profile, const ActivationProfile& other);

// Columns of layer l to the order of a file whose place i holds neuron order[l][i], and back.
// Precondition: each order is a permutation of [0, n_ff).
using NeuronOrder = std::vector<std::vector<std::int32_t>>;
void to_order(ActivationProfile& profile, const NeuronOrder& order);
void from_order(ActivationProfile& profile, const NeuronOrder& order);

}  // namespace hearth
