// Binds the tensors of a file to the names that the decoder uses, and checks their shapes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/model_spec.h"
#include "model/predictor_file.h"

namespace hearth {

// One row per neuron, somewhere in a tensor. Row i begins at byte `offset + i * stride` of the
// tensor.
struct NeuronRows {
    const TensorInfo* tensor = nullptr;  // null: there are none
    DType type{};
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
    // For a single token, an input of gate and up below the first threshold counts as zero, and so
    // does an input of down below the second.
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
    // The file whose predictors the layers use; see use_predictors().
    const GgufFile* predictor_file = nullptr;  // null: none; must live as long as this
    PredictorInput predictor_input = PredictorInput::Normed;
    bool predictor_linear = false;

    // Owns tensors that are rows of a file's tensor: q, k and v of a fused matrix.
    std::vector<std::shared_ptr<const TensorInfo>> parts;

    int predictor_width() const;  // of the widest; 0: none
};

// BadFile: a tensor is missing or has another shape than the spec asks. Unsupported: a tensor has a
// type that nothing here computes with, or a layer holds a tensor that no row knows (a model that
// ignores a tensor gives fluent nonsense). The message names the tensor and both shapes. Activation
// predictors (blk.N.fc1, blk.N.fc2) are known but not bound here: use_predictors() does that.
Result<ModelTensors> bind_tensors(const GgufFile& file, const ModelSpec& spec);

// Gives each layer its predictor. The layers that have one compute only the neurons it names from
// then on. `file` holds the predictors' tensors and must outlive `tensors`.
void use_predictors(const GgufFile& file, const PredictorTensors& predictors,
                    ModelTensors& tensors);

}  // namespace hearth
