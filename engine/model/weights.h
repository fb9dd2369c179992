// A model's tensors under the names the decoder knows them by, their shapes checked.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"
#include "model/predictor_file.h"

namespace hearth {

// One row a neuron, somewhere in a tensor: row i lies `stride` bytes times i from the tensor's
// beginning, plus `offset`.
struct NeuronRows {
    const TensorInfo* tensor = nullptr;  // null: there are none
    DType type = DType::F32;
    int cols = 0;
    std::uint64_t offset = 0;
    std::uint64_t stride = 0;

    bool present() const { return tensor != nullptr; }
};

// Pointers into the file's tensor table; null where a model has none.
struct LayerTensors {
    const TensorInfo* attn_norm = nullptr;         // [n_embd]
    const TensorInfo* attn_norm_bias = nullptr;    // [n_embd], LayerNorm's
    const TensorInfo* attn_q = nullptr;            // [n_embd_q, n_embd]
    const TensorInfo* attn_k = nullptr;            // [n_embd_kv, n_embd]
    const TensorInfo* attn_v = nullptr;            // [n_embd_kv, n_embd]
    const TensorInfo* attn_q_bias = nullptr;       // [n_embd_q], optional
    const TensorInfo* attn_k_bias = nullptr;       // [n_embd_kv], optional
    const TensorInfo* attn_v_bias = nullptr;       // [n_embd_kv], optional
    const TensorInfo* attn_output = nullptr;       // [n_embd, n_embd_q]
    const TensorInfo* attn_output_bias = nullptr;  // [n_embd], optional
    const TensorInfo* ffn_norm = nullptr;          // [n_embd]; may be attn_norm itself
    const TensorInfo* ffn_norm_bias = nullptr;     // [n_embd], LayerNorm's
    NeuronRows ffn_gate;                           // [n_ff, n_embd]; none: the block has no gate
    NeuronRows ffn_up;                             // [n_ff, n_embd]
    // The down projection, in one of two forms.
    const TensorInfo* ffn_down = nullptr;       // [n_embd, n_ff], columns are neurons
    NeuronRows ffn_down_t;                      // [n_ff, n_embd], rows are neurons
    const TensorInfo* ffn_up_bias = nullptr;    // [n_ff], of ungated blocks, optional
    const TensorInfo* ffn_down_bias = nullptr;  // [n_embd], optional
    LayerPredictor predictor;                   // tensors of ModelTensors::predictor_file
    // Below them an input of gate and up, or of down, counts as zero for a token alone.
    float input_threshold = 0.0F;
    float hidden_threshold = 0.0F;
};

struct ModelTensors {
    const TensorInfo* token_embd = nullptr;        // [n_vocab, n_embd]
    const TensorInfo* position_embd = nullptr;     // [n_positions, n_embd]; null: no learned ones
    const TensorInfo* output_norm = nullptr;       // [n_embd]
    const TensorInfo* output_norm_bias = nullptr;  // [n_embd], LayerNorm's
    const TensorInfo* output = nullptr;            // [n_vocab, n_embd]; token_embd itself when tied
    const TensorInfo* rope_freqs =
        nullptr;  // [rope_dim / 2], F32, optional: divides each frequency
    std::vector<LayerTensors> layers;
    // Predictors the layers are to use; see use_predictors().
    const GgufFile* predictor_file = nullptr;  // null: none; must live as long as this
    PredictorInput predictor_input = PredictorInput::Normed;
    bool predictor_linear = false;

    // Rows of a tensor that stand for tensors of their own: q, k and v of a fused matrix.
    std::vector<std::shared_ptr<const TensorInfo>> parts;

    int predictor_width() const;  // of the widest; 0: none
};

// BadFile: a tensor is missing or has another shape than the spec asks. Unsupported: it is of a
// type nothing here computes with, or a layer holds a tensor no row knows: leaving that out would
// give fluent nonsense. The message names the tensor and both shapes. Activation predictors
// (blk.N.fc1, blk.N.fc2) are known and not needed: use_predictors() asks for them.
Result<ModelTensors> bind_tensors(const GgufFile& file, const ModelSpec& spec);

// From now on the layers that have a predictor compute only the neurons it names. `file` is where
// the predictors' tensors lie and must outlive `tensors`.
void use_predictors(const GgufFile& file, const PredictorTensors& predictors,
                    ModelTensors& tensors);

}  // namespace hearth
