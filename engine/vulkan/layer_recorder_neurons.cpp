// Neurons of a layer: their input, the predictor's scores, and what they add.
#include <algorithm>
#include <bit>

#include "interfaces/activate.h"
#include "interfaces/down_rows.h"
#include "interfaces/neurons.h"
#include "interfaces/reduce.h"
#include "interfaces/several_neurons.h"
#include "vulkan/layer_recorder.h"
#include "vulkan/shader_words.h"

namespace hearth::vulkan {
namespace {

// At most; teams and drivers may allow fewer.
constexpr std::uint32_t kNeuronThreads = 256;
constexpr std::uint32_t kSparseNeuronThreads = 512;

}  // namespace

bool LayerRecorder::leaves_out(const LayerSpec& spec) const {
    return !spec.is_mixture() && is_gated(spec.activation) && is_sparse(spec.activation) &&
           model_.mode != FeedForwardMode::Dense;
}

// More tokens leave little out that none of them wants, and matrix units take them all at once. A
// parallel layer's attention reads the block's input, too.
bool LayerRecorder::leaves_out_of_batch(const LayerSpec& spec) const {
    return n_tokens_ > 1 && n_tokens_ <= kEachAloneMost && !place_ && leaves_out(spec) &&
           !is_parallel(spec.norms);
}

class LayerRecorder::AsIfAlone {
public:
    AsIfAlone(LayerRecorder& recorder, const LayerSpec& spec)
        : each_alone_(recorder.each_alone_), before_(recorder.each_alone_) {
        each_alone_ = before_ || recorder.leaves_out_of_batch(spec);
    }
    AsIfAlone(const AsIfAlone&) = delete;
    AsIfAlone& operator=(const AsIfAlone&) = delete;
    ~AsIfAlone() { each_alone_ = before_; }

private:
    bool& each_alone_;
    const bool before_;
};

// Of what reads it: the neurons of any part and a predictor. Wanted in no form where nothing does.
LayerRecorder::Norm LayerRecorder::feed_forward_norm(const Parts& parts) const {
    const GpuLayer& weights = parts.attention();
    const GpuMatrix& fc1 = parts.own[Role::PredictorFc1];
    const bool guess = predicted(parts.own) && n_tokens_ == 1;
    // A batch is routed without rounding, and by the processor's sum where the shared expert has a
    // gate.
    const bool routes = parts.experts() != nullptr;
    const bool exact = routes && (!each_alone(n_tokens_) || parts.spec.experts.shared_gate);
    return {parts.spec.norm, weights.vectors[Role::FfnNorm], weights.vectors[Role::FfnNormBias],
            wants(&LayerRecorder::wants_floats, parts) || exact || (guess && wants_floats(fc1, 1)),
            wants(&LayerRecorder::wants_packed, parts) || (guess && wants_packed(fc1, 1))};
}

// Whether the neurons of any part want their input in that form.
bool LayerRecorder::wants(Form form, const Parts& parts) const {
    const auto of = [&](const GpuLayer& layer) {
        return (this->*form)(layer[Role::Up], n_tokens_) ||
               (this->*form)(layer[Role::Gate], n_tokens_) ||
               (this->*form)(layer[Role::SharedUp], n_tokens_) ||
               (this->*form)(layer[Role::SharedGate], n_tokens_) ||
               (this->*form)(layer[Role::ExpertLatentDown], n_tokens_) ||
               (each_alone(n_tokens_) && (this->*form)(layer[Role::Router], n_tokens_));
    };
    return of(parts.own) || (parts.uploaded != nullptr && of(*parts.uploaded));
}

// True if gates or ups of any part want their input in that form.
bool LayerRecorder::wants(Form form, const Parts& parts, Role gate, Role up) const {
    const auto of = [&](const GpuLayer& layer) {
        return (this->*form)(layer[gate], n_tokens_) || (this->*form)(layer[up], n_tokens_);
    };
    return of(parts.own) || (parts.uploaded != nullptr && of(*parts.uploaded));
}

bool LayerRecorder::predicted(const GpuLayer& layer) const {
    return layer[Role::PredictorFc1].present();
}

void LayerRecorder::begin_feed_forward(int layer, bool publish) {
    const Parts parts = parts_of(layer);
    const GpuLayer& own = parts.own;
    const AsIfAlone as_if_alone(*this, parts.spec);
    if (is_parallel(parts.spec.norms)) {
        return;  // normed and published with attention's input
    }
    if (!parts.spec.has_feed_forward()) {
        return;  // whoever norms the stream next adds attention's output to it
    }
    recorder_->barrier();
    const bool guess = predicted(own) && n_tokens_ == 1;
    if (own.n_neurons == 0 && parts.uploaded == nullptr && !guess) {
        update(publish);
        return;
    }
    if (joins(parts)) {
        norm_apart(parts, publish);
        return;
    }
    const Norm input = feed_forward_norm(parts);
    if ((joins_router(parts) || (joins_neurons(parts) && !input.floats)) &&
        can_join(input, publish)) {
        begin_joined(input);
        return;
    }
    norm(input, publish, 0, n_tokens_);
}

void LayerRecorder::predict(int index) {
    const GpuLayer& layer = model_.weights.layers[static_cast<std::size_t>(index)];
    if (!predicted(layer) || n_tokens_ > 1) {
        return;
    }
    const Buffers& b = model_.buffers;
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    recorder_->barrier();
    GpuActivations input = b.normed;
    if (model_.predictor_input == PredictorInput::Residual) {
        input = b.predictor_input;
        input.floats = stream_;
        if (wants_packed(layer[Role::PredictorFc1], 1)) {
            pack(input, n_embd, 1);
            recorder_->barrier();
        }
    }
    multiply({layer[Role::PredictorFc1],
              input,
              b.predictor_hidden.floats,
              layer[Role::PredictorFc1].rows,
              {},
              !model_.predictor_linear,
              "predictor"},
             1);
    recorder_->barrier();
    if (wants_packed(layer[Role::PredictorFc2], 1)) {
        pack(b.predictor_hidden, layer[Role::PredictorFc1].rows, 1);
        recorder_->barrier();
    }
    const std::uint64_t n_ff = layer[Role::PredictorFc2].rows;
    multiply({layer[Role::PredictorFc2], b.predictor_hidden, b.mask, n_ff, {}, false, "predictor"},
             1);
    const auto hot = static_cast<std::uint64_t>(layer.n_neurons);
    if (hot < n_ff) {
        recorder_->barrier();
        recorder_->copy(b.mask.part(hot * sizeof(float), (n_ff - hot) * sizeof(float)), b.scores);
    }
}

void LayerRecorder::token_neurons(int index) {
    const GpuLayer& layer = model_.weights.layers[static_cast<std::size_t>(index)];
    const LayerSpec& spec = model_.spec.layer(index);
    const Buffers& b = model_.buffers;
    // A model with experts counts choices and no neurons.
    const bool counts = !b.fired.empty() && !model_.spec.has_experts();
    const BufferView fired = counts ? b.fired[static_cast<std::size_t>(index)] : BufferView{};
    const bool bytes = wants_packed(layer[Role::Up], 1);
    const bool gated = is_gated(spec.activation);
    const bool sparse = gated ? is_sparse(spec.activation) && model_.mode != FeedForwardMode::Dense
                              : predicted(layer);
    const bool hidden_bytes = !layer.down_by_neuron && wants_packed(layer[Role::Down], 1);
    // 16 teams or a divisor of that: they share out 32 neurons.
    const std::uint32_t threads =
        std::min({sparse ? kSparseNeuronThreads : kNeuronThreads, 16 * teams_.size,
                  std::bit_floor(features_.invocations_max)});
    const auto shader =
        neurons_shader(layer[Role::Up].type, bytes ? InputForm::Bytes : InputForm::Floats);
    const std::uint64_t per_neuron = layer.gates() == GATES_BESIDE ? 2 : 1;
    if (layer[Role::Gate].present()) {
        // Gates go where the hidden values will be.
        gemv({layer[Role::Gate],
              b.normed,
              b.hidden.floats,
              layer[Role::Gate].rows,
              {},
              false,
              "gate_up"});
        recorder_->barrier();
    }
    for (const GpuMatrix::Slice& slice : layer[Role::Up].slices) {
        const std::uint64_t n = slice.layout.rows / per_neuron;
        if (joined_) {
            joined_neurons({index, threads, sparse, counts, hidden_bytes, fired}, slice);
            continue;
        }
        recorder_->dispatch(
            shader,
            {.WORKGROUP = threads,
             .TEAM = teams_.size,
             .SUBGROUPS = teams_.subgroups,
             .GATES = layer.gates(),
             .SPARSE = sparse,
             .WRITE_FLOATS = !hidden_bytes,
             .WRITE_BYTES = hidden_bytes,
             .BLOCKS = static_cast<std::uint32_t>(layer[Role::Up].cols / kBlockColumns),
             .COUNT = counts,
             .EXPERT_NEURONS = 0,
             .EXPERT_BIASES = false,
             .AHEAD = 1,
             .SEVERAL = false},
            {.quads = slice.view,
             .words = slice.view,
             .x = bytes ? b.normed.packed : b.normed.floats,
             .xd = b.normed.scales,
             .h = b.hidden.floats,
             .hq = b.hidden.packed,
             .hd = b.hidden.scales,
             .bias = layer.vectors[Role::UpBias],
             .mask = b.mask,
             .fired = fired,
             .step = b.step,
             .noted = b.noted[static_cast<std::size_t>(index)],
             .chosen = BufferView{},
             .places = BufferView{},
             .gate_bias = BufferView{}},
            {.matrix = slice.layout.params(),
             .first = static_cast<std::uint32_t>(slice.first_row / per_neuron),
             .n_neurons = static_cast<std::uint32_t>(n),
             .activation = static_cast<std::uint32_t>(spec.activation),
             .gate_threshold = spec.relu_threshold,
             .has_bias = word(layer.vectors[Role::UpBias].buffer != VK_NULL_HANDLE),
             .has_mask = word(predicted(layer)),
             .mask_threshold = layer.predictor_threshold,
             .first_place = 0,
             .n_places = 0},
            {.groups = {groups_of(n, 32), 1, 1},
             .label = "gate_up",
             .bytes = slice.layout.bytes,
             .subgroup_size = teams_.required_size});
    }
    if (joined_) {
        end_joined();
    }
    recorder_->barrier();
    if (layer.down_by_neuron) {
        add_down_rows(layer);
    } else {
        multiply({layer[Role::Down], b.hidden, b.down_out,
                  static_cast<std::uint64_t>(model_.spec.n_embd), layer.vectors[Role::DownBias],
                  false, "down"},
                 1);
    }
}

// Several tokens' hidden values, each as token_neurons() has them.
void LayerRecorder::several_neurons(const LayerSpec& spec, const GpuLayer& layer) {
    const Buffers& b = model_.buffers;
    const GpuMatrix& up = layer[Role::Up];
    const bool bytes = wants_packed(up, n_tokens_);
    const std::uint32_t threads =
        std::min({kNeuronThreads, 16 * teams_.size, std::bit_floor(features_.invocations_max)});
    const std::uint32_t at_once = tokens_at_once(n_tokens_);
    const std::uint64_t per_neuron = layer.gates() == GATES_BESIDE ? 2 : 1;
    if (layer[Role::Gate].present()) {
        // Gates go where the hidden values will be.
        multiply({layer[Role::Gate],
                  b.normed,
                  b.hidden.floats,
                  layer[Role::Gate].rows,
                  {},
                  false,
                  "gate_up"},
                 n_tokens_);
        recorder_->barrier();
    }
    for (const GpuMatrix::Slice& slice : up.slices) {
        const std::uint64_t n = slice.layout.rows / per_neuron;
        recorder_->dispatch(
            several_neurons_shader(up.type, bytes ? InputForm::Bytes : InputForm::Floats),
            {.WORKGROUP = threads,
             .TEAM = teams_.size,
             .SUBGROUPS = teams_.subgroups,
             .GATES = layer.gates(),
             .BLOCKS = static_cast<std::uint32_t>(up.cols / kBlockColumns),
             .TOKENS = at_once},
            {.quads = slice.view,
             .words = slice.view,
             .x = bytes ? b.normed.packed : b.normed.floats,
             .xd = b.normed.scales,
             .h = b.hidden.floats},
            {.matrix = slice.layout.params(),
             .first = static_cast<std::uint32_t>(slice.first_row / per_neuron),
             .n_neurons = static_cast<std::uint32_t>(n),
             .activation = static_cast<std::uint32_t>(spec.activation),
             .gate_threshold = spec.relu_threshold,
             .n_tokens = word(n_tokens_),
             .h_stride = word(layer.n_neurons)},
            {.groups = {groups_of(n, 32), groups_of(word(n_tokens_), at_once), 1},
             .label = "gate_up",
             .bytes = slice.layout.bytes,
             .subgroup_size = teams_.required_size});
    }
    recorder_->barrier();
}

// Takes all tokens of the pass, each as if it was alone.
void LayerRecorder::add_down_rows(const GpuLayer& layer) {
    const Buffers& b = model_.buffers;
    const GpuMatrix& matrix = layer[Role::Down];
    const auto n_embd = static_cast<std::uint32_t>(model_.spec.n_embd);
    const int chunk = down_chunk(layer.n_neurons);
    const std::uint64_t quads_of_row = matrix.slices.front().layout.row_loads();
    const auto chunks_of = [&](const GpuMatrix::Slice& slice) {
        return groups_of(slice.layout.rows, static_cast<std::uint64_t>(chunk));
    };
    std::uint32_t all_parts = 0;
    for (const GpuMatrix::Slice& slice : matrix.slices) {
        all_parts += chunks_of(slice);
    }
    // One after the other: neighbours' rows are those of other neurons.
    for (std::uint32_t token = 0; token < word(n_tokens_); ++token) {
        std::uint32_t parts = token * all_parts;
        for (const GpuMatrix::Slice& slice : matrix.slices) {
            const std::uint32_t chunks = chunks_of(slice);
            recorder_->dispatch(down_rows_shader(matrix.type),
                                {.WORKGROUP = down_rows_threads(features_)},
                                {.quads = slice.view,
                                 .words = slice.view,
                                 .h = b.hidden.floats,
                                 .partial = b.down_parts},
                                {.matrix = slice.layout.params(),
                                 .first = token * word(layer.n_neurons) +
                                          static_cast<std::uint32_t>(slice.first_row),
                                 .chunk = word(chunk),
                                 .partial_at = parts * n_embd},
                                {.groups = {groups_of(quads_of_row, kDownQuads), chunks, 1},
                                 .label = "down",
                                 .bytes = slice.layout.bytes});
            parts += chunks;
        }
    }
    recorder_->barrier();
    const BufferView& bias = layer.vectors[Role::DownBias];
    constexpr std::uint32_t kThreads = 64;
    recorder_->dispatch(
        shader_of<interfaces::Reduce>(), {.WORKGROUP = kThreads},
        {.partial = b.down_parts, .bias = bias, .y = b.down_out},
        {.columns = n_embd, .parts = all_parts, .has_bias = word(bias.buffer != VK_NULL_HANDLE)},
        {.groups = {groups_of(n_embd, kThreads), word(n_tokens_), 1}, .label = "reduce"});
}

// Gate, up and activation of all neurons.
void LayerRecorder::batch_hidden(const LayerSpec& spec, const GpuLayer& layer) {
    const Buffers& b = model_.buffers;
    const bool gated = is_gated(spec.activation);
    // Of a token: its products with gates that lie apart, then those with `neurons`.
    const std::uint64_t products = layer[Role::Gate].rows + layer[Role::Up].rows;
    if (layer[Role::Gate].present()) {
        multiply({layer[Role::Gate], b.normed, b.products, products, {}, false, "gate_up"},
                 n_tokens_);
    }
    multiply({layer[Role::Up], b.normed, b.products, products,
              gated ? BufferView{} : layer.vectors[Role::UpBias], false, "gate_up",
              layer[Role::Gate].rows},
             n_tokens_);
    recorder_->barrier();
    constexpr std::uint32_t kThreads = 256;
    const auto n_values =
        static_cast<std::uint64_t>(layer.n_neurons) * static_cast<std::uint64_t>(n_tokens_);
    recorder_->dispatch(shader_of<interfaces::Activate>(),
                        {.WORKGROUP = kThreads, .EXPERT_BIASES = false},
                        {.products = b.products,
                         .h = b.hidden.floats,
                         .chosen = BufferView{},
                         .pairs = BufferView{},
                         .tiles = BufferView{},
                         .gate_bias = BufferView{},
                         .up_bias = BufferView{}},
                        {.n_neurons = word(layer.n_neurons),
                         .n_tokens = word(n_tokens_),
                         .activation = static_cast<std::uint32_t>(spec.activation),
                         .gate_threshold = spec.relu_threshold,
                         .gates = layer.gates(),
                         .weighed = WEIGHED_NOT},
                        {.groups = {groups_of(n_values, kThreads), 1, 1}, .label = "activate"});
    recorder_->barrier();
}

void LayerRecorder::batch_neurons(const LayerSpec& spec, const GpuLayer& layer,
                                  const BufferView& out) {
    const Buffers& b = model_.buffers;
    if (each_alone(n_tokens_) && leaves_out(spec)) {
        several_neurons(spec, layer);
    } else {
        batch_hidden(spec, layer);
    }
    const auto n_embd = static_cast<std::uint64_t>(model_.spec.n_embd);
    const Product down{
        layer[Role::Down], b.hidden, out, n_embd, layer.vectors[Role::DownBias], false, "down"};
    if (layer.down_by_neuron) {
        each_alone(n_tokens_) ? add_down_rows(layer) : transposed(down, n_tokens_);
        return;
    }
    if (wants_packed(layer[Role::Down], n_tokens_)) {
        pack(b.hidden, static_cast<std::uint64_t>(layer.n_neurons),
             static_cast<std::uint64_t>(n_tokens_));
        recorder_->barrier();
    }
    multiply(down, n_tokens_);
}

void LayerRecorder::neurons(int layer) {
    const Parts parts = parts_of(layer);
    const AsIfAlone as_if_alone(*this, parts.spec);
    const bool adds_shared = parts.spec.experts.n_latent > 0;
    const auto add = [&](const GpuLayer& part, const BufferView& out) {
        if (part.n_neurons == 0) {
            return;
        }
        if (!joined_) {  // else nothing has been dispatched since the last one
            recorder_->barrier();
        }
        if (part.expert_neurons > 0) {
            each_alone(n_tokens_) ? token_experts(layer) : batch_experts(parts, part, out);
        } else if (n_tokens_ == 1) {
            token_neurons(layer);
        } else {
            batch_neurons(parts.spec, part, out);
        }
        outstanding_.push_back(out);
        if (adds_shared && part[Role::SharedUp].present()) {
            outstanding_.push_back(model_.buffers.shared_out);
        }
    };
    add(parts.own, model_.buffers.down_out);
    if (parts.uploaded != nullptr) {
        add(*parts.uploaded, model_.uploader->out());
    }
}

}  // namespace hearth::vulkan
