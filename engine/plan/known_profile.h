// Finds the activation profile that a plan goes by.
#pragma once

#include <optional>
#include <string>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"
#include "plan/profile.h"

namespace hearth {

enum class ProfileSource {
    None,      // there is none: every neuron counts as firing for every token
    Given,     // the file that was named
    InModel,   // the model's file holds it
    OfItself,  // the model made it while it was used (self_profile.h)
};

struct KnownProfile {
    ProfileSource source = ProfileSource::None;
    std::optional<ActivationProfile> profile;  // in the order of the model file's neurons

    const ActivationProfile* get() const { return profile ? &*profile : nullptr; }
};

// Looks for a profile in this order: the file at `path`, or a packed model there (empty: none is
// named); the model's own file; the cache folder, where a model keeps the profile it made of itself
// (empty: no folder). A profile in the cache that is broken or of another model counts as none. The
// other two must be right: NotFound, BadFile, Unsupported; InvalidArgument: `path` is of another
// model.
Result<KnownProfile> find_profile(const GgufFile& model, const ModelSpec& spec,
                                  const std::string& path, const std::string& cache_folder);

// What a plan says of it, as one sentence without its end. Models whose neurons never rest need no
// profile.
std::string profile_text(const KnownProfile& known);

}  // namespace hearth
