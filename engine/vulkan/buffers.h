// What a pass reads and writes besides weights and the past: activations, and the memory that both
// sides see.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <hearth/result.h>

#include "model/model_spec.h"
#include "plan/plan.h"
#include "vulkan/arena.h"

namespace hearth::vulkan {

// The number of parts into which the past of a token is cut: so many that a few key heads still
// fill a GPU. Over bytes a workgroup holds more registers, so that fewer run at once: on an H100
// 48 parts of eight heads decode 1.2 times as fast as 64.
int attention_parts(int n_head_kv, bool past_in_bytes);

// The same of latent attention, for a pass of so many tokens: all heads of a token read one key.
int latent_parts(int n_tokens);

// The number of neurons whose down rows one workgroup adds up, and the number of such chunks.
int down_chunk(int n_neurons);
constexpr int down_chunks(int n_neurons, int chunk) {
    return (n_neurons + chunk - 1) / chunk;
}

// The most chunks that any number of a layer's neurons gives.
int down_chunks_max(int n_ff);

// The hidden values of a token in a layer's block: of a mixture, those of all its experts, or of
// the shared one, whichever are more.
int block_width(const LayerSpec& layer);

// Floats from one row of Buffers::last_logits to the next.
int logits_stride(const ModelSpec& spec);

// The most tiles of `tile` tokens that a batch's experts make.
std::uint64_t expert_tiles(const ExpertsSpec& experts, std::uint64_t n_batch, std::uint64_t tile);

// A float vector per token, and the same as matrices take it: signed bytes and their scales, or
// halves, which matrix units multiply a batch with and which lie as their panels take them:
// [width / 32, rows, 32].
struct GpuActivations {
    BufferView floats;
    BufferView packed;
    BufferView scales;  // of bytes
};

// A pass leaves this for the states of a recurrent layer, of so many tokens.
struct StateInputs {
    BufferView inputs;       // [n, n_embd_q]
    BufferView mixed;        // [n, conv_width], of layers whose heads have states
    BufferView beta, decay;  // [n, n_embd_kv], likewise; Mamba's beta is its step
};

struct Buffers {
    // The bytes that create() takes, exactly, whichever part of a model the GPU gets.
    // predictor_width: that of the widest predictor; 0: there is none. counts: whether firings are
    // counted. matrix_units: of the device.
    static std::uint64_t scratch_bytes(const ModelSpec& spec, int n_batch, int predictor_width,
                                       bool counts, bool matrix_units);
    static std::uint64_t host_bytes(const ModelSpec& spec, int n_batch);

    static Result<Buffers> create(const std::shared_ptr<Device>& device, const ModelSpec& spec,
                                  int n_batch, int predictor_width, bool counts);

    // In the GPU's memory.
    BufferView x;              // [n_batch, n_embd] the residual stream
    BufferView x_of_token;     // [n_embd] likewise, after a joined norm that read x
    GpuActivations normed;     // [n_batch, n_embd]
    BufferView q, k, v;        // [n_batch, n_embd_q | n_embd_kv]
    GpuActivations attended;   // [n_batch, n_embd_q or n_attended]
    BufferView gates;          // [n_batch, n_gate] of what heads give
    BufferView queries_gates;  // [n_batch, n_rows_q] of gated attention
    // Latent attention's. Its q is [n_batch, n_head, rank], and so is there what heads attend to.
    GpuActivations low_queries;  // [n_batch, q_rank]
    GpuActivations queries;      // [n_batch, n_rows_q], floats alone
    GpuActivations latents;      // q again, as the input of a product
    BufferView mixed;            // [n_batch, conv_width] of delta nets
    // [n_layer] of [kEachAloneMost] tokens, of recurrent layers: drafts, which states take later.
    // Empty where a batch has fewer.
    std::vector<StateInputs> ahead;
    BufferView attention_out;         // [n_batch, n_embd]
    GpuActivations layer_gates;       // [n_batch, n_embd_layer]
    BufferView products;              // [n_batch, 2 or 1 times the block's width], gate and up
    GpuActivations hidden;            // [n_batch, the block's width]; block_width()
    BufferView down_out;              // [n_batch, n_embd]
    BufferView down_parts;            // [kEachAloneMost, chunks, n_embd]
    BufferView attention_parts;       // of each of kEachAloneMost tokens
    BufferView attention_done;        // [kEachAloneMost, n_head], zeros between runs
    GpuActivations predictor_hidden;  // [width]
    GpuActivations predictor_input;   // [n_embd], where predictors read the residual stream
    BufferView mask;                  // [n_ff] scores
    // [n_layer] of [n_ff] words, neurons.comp, or [experts], route.comp; empty: not counted
    std::vector<BufferView> fired;
    // [n_layer] of [n_ff / 32] fours of words, neurons.comp, or of one four, route.comp
    std::vector<BufferView> noted;
    // Mixtures need these: route.comp, sort_experts.comp.
    BufferView router_products;  // [n_batch, n_experts]
    BufferView router_done;      // [kEachAloneMost] words, 0 between runs
    BufferView chosen;           // [n_batch, n_used]
    BufferView shared_chosen;    // [n_batch]
    BufferView shared_place;     // the place of the shared expert, 0
    BufferView pairs;            // [n_batch, n_used], for a batch
    BufferView rows;             // [n_batch, n_used], likewise
    BufferView tiles;            // [1 + expert_tiles()], likewise
    BufferView expert_out;       // [n_batch, n_used, n_embd], likewise
    // Mixtures whose experts read something else than the shared one (has_own_input()) need these,
    // [n_batch, the experts' width]: what they read, and of latent experts the sum of what they
    // give.
    GpuActivations experts_in;
    GpuActivations latent_sum;
    // [n_batch, n_embd], norm_apart.comp, or the stream that a layer begins with; bytes of
    // [kEachAloneMost] tokens
    GpuActivations router_in;
    BufferView shared_out;  // [n_batch, n_embd]; else the shared expert's is in down_out
    BufferView step;        // STEP of interface.h, then angles
    // [n_layer] of [n_batch, rope_dim / 2] cosines and sines, in step; of layers that rotate alike
    // the same.
    std::vector<BufferView> angles;
    // [kEachAloneMost, logits_stride()] of a pass's last token, or of all with each_alone
    BufferView last_logits;
    BufferView candidate_groups;  // of each row of last_logits, candidate_groups.comp

    // In the machine's memory.
    BufferView host_step;
    std::vector<BufferView> host_angles;  // of host_step, one for each of ModelSpec::ropes()
    BufferView input;                     // [n_batch, n_embd]
    BufferView partial;                   // [n_batch, n_embd]
    BufferView layer_inputs;              // [n_batch, n_layer_inputs]
    BufferView published;                 // [n_batch, n_embd]
    BufferView logits;                    // [kLogitRows, n_vocab], what was asked for
    BufferView told;                      // [n_batch, n_used], what route.comp tells the processor
    BufferView routed;                    // [n_batch, n_embd], SharedMemory::routed
    BufferView candidates;                // [kCandidates + 1] of each row of last_logits
    // [n_ff], those of the cold neurons in front, where predictors are in VRAM. Between passes also
    // what is fetched of fired and noted.
    BufferView scores;

    std::uint64_t scratch_held_bytes() const { return scratch_.bytes(); }

private:
    Arena scratch_;
    Arena written_by_host_;
    Arena read_by_host_;
};

}  // namespace hearth::vulkan
