// A model's tensors under the names the decoder knows them by, their shapes checked.
#pragma once

#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"

namespace hearth {

// Pointers into the file's tensor table; null where a model has none.
struct LayerTensors {
    const TensorInfo* attn_norm = nullptr;    // [n_embd]
    const TensorInfo* attn_q = nullptr;       // [n_embd_q, n_embd]
    const TensorInfo* attn_k = nullptr;       // [n_embd_kv, n_embd]
    const TensorInfo* attn_v = nullptr;       // [n_embd_kv, n_embd]
    const TensorInfo* attn_q_bias = nullptr;  // [n_embd_q], optional
    const TensorInfo* attn_k_bias = nullptr;  // [n_embd_kv], optional
    const TensorInfo* attn_v_bias = nullptr;  // [n_embd_kv], optional
    const TensorInfo* attn_output = nullptr;  // [n_embd, n_embd_q]
    const TensorInfo* ffn_norm = nullptr;     // [n_embd]
    const TensorInfo* ffn_gate = nullptr;     // [n_ff, n_embd], rows are neurons
    const TensorInfo* ffn_up = nullptr;       // [n_ff, n_embd], rows are neurons
    const TensorInfo* ffn_down = nullptr;     // [n_embd, n_ff], columns are neurons
};

struct ModelTensors {
    const TensorInfo* token_embd = nullptr;   // [n_vocab, n_embd]
    const TensorInfo* output_norm = nullptr;  // [n_embd]
    const TensorInfo* output = nullptr;       // [n_vocab, n_embd]; token_embd itself when tied
    const TensorInfo* rope_freqs =
        nullptr;  // [rope_dim / 2], F32, optional: divides each frequency
    std::vector<LayerTensors> layers;
};

// BadFile: a tensor is missing or has another shape than the spec asks. Unsupported: it is of a
// type nothing here computes with, or a layer holds a tensor no row knows: leaving that out would
// give fluent nonsense. The message names the tensor and both shapes. Activation predictors
// (blk.N.fc1, blk.N.fc2) are known and not needed.
Result<ModelTensors> bind_tensors(const GgufFile& file, const ModelSpec& spec);

}  // namespace hearth
