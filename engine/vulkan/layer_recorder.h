// Records the dispatches of a layer, for a single token or for a batch. Attention and neurons are
// in files of their own: layer_recorder_attention.cpp, layer_recorder_neurons.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "model/predictor_file.h"
#include "vulkan/buffers.h"
#include "vulkan/gpu_weights.h"
#include "vulkan/past_arena.h"
#include "vulkan/recorded_commands.h"
#include "vulkan/shader_catalog.h"
#include "vulkan/teams.h"
#include "vulkan/weight_uploader.h"

namespace hearth::vulkan {

namespace params {
struct AttentionParams;
}

// Records one pass. Keeps the list of sums that must still be added to the residual stream; see
// norm().
class LayerRecorder {
public:
    struct Model {
        const ModelSpec& spec;
        const GpuWeights& weights;
        const Buffers& buffers;
        const PastArena& pasts;
        const WeightUploader* uploader;  // null: nothing is ever uploaded
        FeedForwardMode mode;
        PredictorInput predictor_input;
        bool predictor_linear;
        int n_ctx;
    };
    LayerRecorder(const Device& device, const Model& model);

    // Says where a slice of an uploaded matrix will be. It is called before the slice is multiplied
    // with, and may call go_on().
    using Place = std::function<BufferView(const GpuMatrix& matrix, std::size_t slice)>;

    struct Tokens {
        int count = 1;
        bool each_alone = false;  // PassTask::each_alone
    };
    // Begins a pass; nothing is outstanding. place: given for a pass whose weights are uploaded,
    // which computes all layers.
    void begin(Recorder& recorder, Tokens tokens, Place place = nullptr);
    // True if passes with each_alone are possible: of layers of heads, recurrent ones, and experts
    // and neurons without predictors, whose kernels take several tokens as they take one.
    bool can_pass_each_alone() const;
    // Continues in another recording.
    void go_on(Recorder& recorder) { recorder_ = &recorder; }

    // Takes the layer's state past `count` of the tokens that the latest pass with each_alone left,
    // from the first-th on. It may follow only a barrier, and read_step() of that token's position.
    void take_ahead(int layer, int first, int count);

    // Fetches the step's position and angles from the processor.
    void read_step();
    // Takes the residual stream from input(), where the processor left it.
    void take_input() { from_input_ = true; }
    // leave: queries, keys and values go where the processor reads them. publish: so does the
    // input of a parallel layer's neurons.
    void attention_in(int layer, bool leave, bool publish);
    void attend(int layer);
    // Also norms the residual stream for the layer's neurons, or brings x up to date if there are
    // none here, and computes the predictor's scores for one token: of all neurons of the layer,
    // those of the processor's where the processor reads them. Chooses the experts of a mixture
    // that has some here. from_cpu: the processor left the heads' output. publish: the processor
    // reads the neurons' input, and what was chosen.
    void attention_out(int layer, bool from_cpu, bool publish);
    void neurons(int layer);
    // Says that all parts of the block's sum are there: the processor's in partial() if from_cpu.
    void sum(int layer, bool from_cpu);
    // Brings x up to date for the next layer, and publishes it for the processor if asked.
    void update(bool publish);
    // Computes the logits of tokens [first, first + count) where the processor reads them.
    void output(int first, int count);
    // Computes the logits of tokens [first, first + count), which stay in VRAM, and picks the
    // candidates of each. It brings x up to date where these are all tokens. Precondition: count is
    // 1, or the pass has each_alone.
    void picked_output(int first, int count);

private:
    // The parts of a layer that the GPU holds and that are uploaded for the pass.
    struct Parts {
        const LayerSpec& spec;
        const GpuLayer& own;
        const GpuLayer* uploaded = nullptr;  // null: nothing
        const GpuLayer& attention() const { return own.attention ? own : *uploaded; }
        // With the router, and all else that experts share. Null: the GPU computes none of the
        // layer's experts.
        const GpuLayer* experts() const {
            return own.expert_neurons > 0                                ? &own
                   : uploaded != nullptr && uploaded->expert_neurons > 0 ? uploaded
                                                                         : nullptr;
        }
    };
    Parts parts_of(int layer) const;
    using Form = bool (LayerRecorder::*)(const GpuMatrix&,
                                         int) const;  // wants_packed, wants_floats
    bool wants(Form form, const Parts& parts) const;
    bool wants(Form form, const Parts& parts, Role gate, Role up) const;

    struct Norm {
        NormSpec spec;
        BufferView weight, bias;  // empty weight: no norm
        bool floats = false;
        bool packed = false;
    };
    Norm feed_forward_norm(const Parts& parts) const;
    void norm(const Norm& norm, bool publish, int first, int count);
    // Rows whose first sum the others are added to, and which are normed then.
    struct Sums {
        std::vector<BufferView> parts;
        int columns;
    };
    void norm_in_place(const Sums& sums, const NormSpec& spec, const BufferView& weight);
    // The outstanding sums are a block's output.
    void norm_output(const LayerSpec& spec, const BufferView& weight);
    void add_layer_input(int layer, const Parts& parts);
    // y[t] = matrix * in[t] (+ bias)
    struct Product {
        const GpuMatrix& matrix;
        const GpuActivations& in;
        BufferView out;
        std::uint64_t out_stride;  // floats between tokens
        BufferView bias{};
        bool relu = false;
        std::string_view label;
        std::uint64_t out_at = 0;  // of the first row, in floats
        // A batch multiplies floats, without rounding to halves.
        bool exact = false;
        // GROUPED_*: the batch is sorted by expert, and a token has so many experts.
        std::uint32_t grouped = 0;
        const ExpertsSpec* experts = nullptr;
        std::uint64_t expert_rows = 0;  // of one expert in the matrix
        // A matrix for each head says the place of the first head's input in a token's row, the way
        // from one head's to the next one's, and the length of a row. In floats, multiples of 4.
        // Heads' outputs lie side by side. `in` is read as floats.
        struct Inputs {
            std::uint64_t rows = 0;  // of a head's matrix; 0: it is no heads'
            std::uint64_t at = 0, apart = 0, stride = 0;
        };
        Inputs heads{};
    };
    // A norm that the products of a token make for themselves (joined_norm.glsl): a dispatch and a
    // barrier less. While there is one, products of Buffers::normed do so.
    struct JoinedNorm {
        float eps;
        BufferView weight;
        std::array<BufferView, 3> adds;
        std::uint32_t n_adds;
        float add_scale;
        BufferView from, to;  // the stream, before and after it
        bool stores;          // the next dispatch leaves the stream; else it is as before, or there
    };
    // Says if norm() would do the same to their input; all of them read bytes.
    bool can_join(const Norm& norm, bool publish) const;
    static bool routes_at_once(const GpuMatrix& router);
    void begin_joined(const Norm& norm);
    void end_joined();
    bool joins_heads(const LayerSpec& spec) const;
    bool joins_neurons(const Parts& parts) const;
    bool joins_router(const Parts& parts) const;
    void joined_gemv(const Product& product);
    struct JoinedNeurons {
        int layer;
        std::uint32_t threads;
        bool sparse, counts, hidden_bytes;
        BufferView fired;
    };
    void joined_route(int layer);
    void joined_neurons(const JoinedNeurons& neurons, const GpuMatrix::Slice& slice);
    void multiply(const Product& product, int n_tokens);
    void transposed(const Product& product, int n_tokens);
    void gemv(const Product& product, int n_tokens = 1);
    void gemm(const Product& product, int n_tokens, bool transposed);
    struct Heads {
        const BufferView& q;
        const BufferView& k;
        const BufferView& v;
    };
    void norm_heads(const LayerSpec& spec, const GpuLayer& weights, const Heads& heads);
    void fetch_attended(const LayerSpec& spec, const GpuMatrix& output);
    void begin_feed_forward(int layer, bool publish);
    void predict(int layer);
    void output_head(int first, int count, const BufferView& out, int stride);
    // In layer_recorder_recurrence.cpp.
    void part_gates(const LayerSpec& spec, const BufferView& q);
    void delta_net(int layer);
    void gated_conv(int layer);
    void state_space(int layer);
    // The pass leaves there what the layer's state takes: of drafts in a place of the layer's own.
    StateInputs state_inputs(int layer) const;
    const StateInputs& state_inputs_ahead(int layer) const {
        return model_.buffers.ahead[static_cast<std::size_t>(layer)];
    }
    // Runs the tokens through the states. takes: and leaves these past them.
    void pass_states(int layer, const StateInputs& from, int n_tokens, bool takes);
    void pass_gated_conv(int layer, const BufferView& inputs, int n_tokens, bool takes);
    void gate_heads(const LayerSpec& spec, const GpuLayer& weights);
    // In layer_recorder_latent.cpp.
    // leave: queries, keys and values go where the processor reads them, and no past gains a key.
    void latent_queries(int layer, bool leave);
    void leave_latents(int layer, const GpuLayer& weights);
    void norm_low_queries(const LayerSpec& spec, const GpuLayer& weights);
    void store_latents(int layer, const GpuLayer& weights);
    void latent_attention(int layer);
    void latent_values(const LayerSpec& spec, const GpuLayer& weights);
    // Whether a token's attention norms its heads itself: a dispatch and a barrier less.
    bool attention_norms_heads(const LayerSpec& spec) const;
    void decode_attention(int layer);
    void store_heads(int layer, bool rotates);
    bool stores_each_alone(const LayerSpec& spec) const;
    void batch_attention(int layer);
    // In layer_recorder_experts.cpp.
    void route(int layer, bool tell);
    // For a router that reads the stream that the layer begins with. publish: the processor has
    // experts of the layer.
    void route_early(int layer, bool publish);
    // These are for a layer with a dense block beside its experts, some of which are here. They
    // norm the stream for both and for the router, and make the block's output of what both add.
    void norm_apart(const Parts& parts, bool publish);
    void norm_join(const Parts& parts);
    static bool joins(const Parts& parts) {
        return parts.spec.experts.norms_apart && parts.experts() != nullptr;
    }
    // The experts of a layer read it. The shared one reads Buffers::normed.
    const GpuActivations& experts_input(const LayerSpec& spec) const {
        return spec.experts.has_own_input() ? model_.buffers.experts_in : model_.buffers.normed;
    }
    // The shared expert leaves there what it adds. out: of the block.
    const BufferView& shared_output(const LayerSpec& spec, const BufferView& out) const {
        return spec.experts.has_own_input() ? model_.buffers.shared_out : out;
    }
    // They make the input of latent experts, and the token's values of these experts' sum.
    void make_latent(int layer);
    void end_latent(const LayerSpec& spec, const GpuMatrix& matrix, const BufferView& out);
    struct ExpertNeurons {
        const GpuActivations& in;
        const GpuMatrix& gate;
        const GpuMatrix& up;
        std::uint32_t gates;       // GATES_*
        const BufferView& chosen;  // and where these experts are:
        const BufferView& places;
        int n_ff;    // neurons of one expert
        int n_used;  // experts of a token
        bool hidden_bytes;
        BufferView gate_bias{}, up_bias{};  // of all the layer's experts; empty: none
    };
    struct Activated {
        int n_neurons;        // of a row
        int n_rows;           // at most
        std::uint32_t gates;  // GATES_*
        const BufferView& chosen;
        std::uint32_t weighed;              // WEIGHED_*
        BufferView gate_bias{}, up_bias{};  // of all the layer's experts; empty: none
    };
    void token_hidden(const LayerSpec& spec, const ExpertNeurons& neurons);
    void activate(const LayerSpec& spec, const Activated& block);
    void token_experts(int layer);
    void batch_shared(const LayerSpec& spec, const GpuLayer& layer, const BufferView& out);
    void batch_experts(const Parts& parts, const GpuLayer& layer, const BufferView& out);
    std::uint32_t expert_tile(const GpuLayer& layer) const;
    void token_neurons(int index);
    void batch_hidden(const LayerSpec& spec, const GpuLayer& layer);
    void batch_neurons(const LayerSpec& spec, const GpuLayer& layer, const BufferView& out);
    void several_neurons(const LayerSpec& spec, const GpuLayer& layer);
    void add_down_rows(const GpuLayer& layer);
    void pack(const GpuActivations& a, std::uint64_t columns, std::uint64_t rows);
    params::AttentionParams attention_params(int layer) const;

    // True if gates decide which neurons of the block are computed.
    bool leaves_out(const LayerSpec& spec) const;
    // True if the block of a batch of so few tokens leaves out the neurons that fire for none of
    // them. It is computed as if each token was alone.
    bool leaves_out_of_batch(const LayerSpec& spec) const;
    // While it lives, and where that is so.
    class AsIfAlone;
    // True if so many tokens are computed by the kernels of a single one.
    bool each_alone(int n_tokens) const { return n_tokens == 1 || each_alone_; }
    bool wants_packed(const GpuMatrix& matrix, int n_tokens) const;
    bool packs_halves(int n_tokens) const;
    bool wants_floats(const GpuMatrix& matrix, int n_tokens) const;
    bool predicted(const GpuLayer& layer) const;

    ShaderFeatures features_;
    Model model_;
    Teams teams_;
    Recorder* recorder_ = nullptr;
    Place place_;
    int n_tokens_ = 0;
    bool each_alone_ = false;
    bool from_input_ = false;
    BufferView stream_;                    // where the residual stream is
    std::vector<BufferView> outstanding_;  // to be added to it, in this order, each times
    float add_scale_ = 1.0F;
    BufferView stream_scale_;  // it is multiplied by that then; empty: it is not
    std::optional<JoinedNorm> joined_;
};

}  // namespace hearth::vulkan
