// The layer of a file that foretells the token behind the next one (multi-token prediction,
// Gloeckle et al. 2024; as DeepSeek-V3 and Qwen3-Next have it). It stands behind the last layer of
// the model, and answers need it for drafts alone.
//
// With the token at position p and the stream h that the model leaves at p - 1, after its output
// norm, it is
//   x = join [token_norm(embedding of the token); stream_norm(h)]
//   y = norm(layer(x)),  a layer of full attention with a past of its own
// and the model's own head makes of y the logits of the token at p + 1. y takes the place of h
// where a token that was foretold is taken further.
#pragma once

#include <optional>
#include <string>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"
#include "model/weights.h"

namespace hearth {

// A model of this one layer, without embeddings and a head. The roles below hold what it has beside
// a layer's own.
struct ForetellingModel {
    static constexpr Role kJoin = Role::LayerInputProj;       // [n_embd, 2 * n_embd]
    static constexpr Role kTokenNorm = Role::LayerInputNorm;  // [n_embd]
    static constexpr Role kStreamNorm = Role::HeadMixNorm;    // [n_embd]
    static constexpr Role kNorm = Role::OutputNorm;           // [n_embd]

    ModelSpec spec;
    ModelTensors tensors;
};

struct FoundForetelling {
    std::optional<ForetellingModel> model{};  // none: the file has no such layer, or see `why_not`
    std::string why_not{};  // the file has such a layer, and it is left out; else empty
};

// Reads the first such layer of a model that read_model_spec() has read from the file, which must
// outlive the result. A fault of the layer is no error: the model answers without it.
FoundForetelling find_foretelling(const GgufFile& file, const ModelSpec& spec);

}  // namespace hearth
