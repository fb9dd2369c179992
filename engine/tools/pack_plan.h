// Everything a packed file will hold, decided before its first byte is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hearth/result.h>
#include <hearth/tools.h>

#include "gguf/reader.h"
#include "gguf/writer.h"
#include "model/model_spec.h"
#include "model/predictor_file.h"
#include "plan/profile_file.h"
#include "tools/pack_source.h"

namespace hearth::tools {

// What the bytes of one tensor of the packed file are.
struct PackItem {
    enum class Kind {
        Copy,         // those of `source`, all
        Neurons,      // the records of `layer`
        Permutation,  // the layer's order
        Fired,        // its profile
        Reordered,    // those of `source`, a row or value a neuron of `layer`, in that order
    };
    Kind kind = Kind::Copy;
    const GgufFile* file = nullptr;  // that has `source`
    Weight source = {};              // Copy, Reordered
    std::size_t layer = 0;
};

// A file the packed one is made from, as it was when that was planned.
struct PackSourceFile {
    std::string path;
    std::uint64_t bytes = 0;
    std::int64_t changed = 0;  // in the file system's ticks; 0: not known

    friend bool operator==(const PackSourceFile&, const PackSourceFile&) = default;
};

struct PackPlan {
    ModelSpec spec;
    bool in_neuron_rows = false;  // the records' rows
    std::string model_hash;
    std::vector<PackSourceLayer> layers;
    NeuronOrder order;                         // place i of a layer holds neuron order[layer][i]
    std::optional<ActivationProfile> profile;  // in packed order
    bool by_itself = false;                    // the model made the profile of itself
    std::vector<int> predictor_layers;
    std::uint64_t gate_matrix_bytes = 0;
    std::vector<PackItem> items;  // one a tensor of `layout`, same order
    GgufLayout layout;
    std::vector<PackSourceFile> sources;
    std::string label;  // one line; the same for the same files and options only
};

// model and predictors must outlive the plan; predictors may be null: then the model's own, if it
// has any. Errors as tools::pack() has them.
Result<PackPlan> plan_pack(const GgufFile& model, const GgufFile* predictors,
                           const PackOptions& options);

// Whether the sources are what they were. ReadFailed, with the field "source".
Result<void> check_sources(const PackPlan& plan);

// Neurons by how often they fired, most often first; of equals the first in the file first.
NeuronOrder order_by_hotness(const ActivationProfile& profile);

}  // namespace hearth::tools
