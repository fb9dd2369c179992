#include "cpu/cpu_layout.h"

#include <algorithm>
#include <numeric>

#include "base/aligned_buffer.h"
#include "base/assert.h"
#include "cpu/convert_input_columns.h"
#include "cpu/feed_forward/neuron_chunks.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/encoding.h"
#include "gguf/float_rows.h"

namespace hearth {
namespace {

// To whole cache lines.
std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
           AlignedBuffer::kAlignment;
}

// The bytes of a weight that is held whole.
std::uint64_t whole_bytes(Role role, const Weight& weight) {
    if (weight.turned) {
        return aligned(
            packed_bytes(kFloatRows, weight.n_parts * weight.cols, weight.rows / weight.n_parts));
    }
    return aligned(row_of(role).is_vector() ? weight.values() * sizeof(float)
                                            : packed_bytes(weight.type, weight.rows, weight.cols));
}

// The bytes of a matrix of so many neurons.
std::uint64_t form_bytes(Role role, const Weight& of, CpuForm form, std::uint64_t n_neurons) {
    const auto cols = static_cast<int>(of.cols);
    switch (form) {
        case CpuForm::Floats:
            return aligned(n_neurons * sizeof(float));
        case CpuForm::Rows:
            return neuron_row_bytes(of.type, cols) * n_neurons;
        case CpuForm::Columns:
            return input_column_bytes(of.type, static_cast<int>(of.rows), cols);
        case CpuForm::Turned:
        case CpuForm::Tiles:
            break;
    }
    if (role == Role::PredictorFc1) {
        return whole_bytes(role, of);
    }
    if (of.n_experts > 1) {
        const RowChoice rows = rows_of_experts(of, role, {n_neurons});
        return aligned(packed_bytes(of.type, rows.count, of.cols));
    }
    return is_by_neuron(role, of) ? aligned(packed_bytes(of.type, n_neurons, of.cols))
                                  : aligned(packed_bytes(of.type, of.rows, n_neurons));
}

struct BlockTask {
    int layer = 0;
    const LayerSpec& spec;
    const LayerTensors& tensors;
    FeedForwardMode mode{};
    bool gpu_predicts = false;  // the GPU has the predictor
    RoleSet streamed;
};

class LayoutMaker {
public:
    LayoutMaker(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                const Placement& placement)
        : spec_(spec), tensors_(tensors), mode_(mode), placement_(placement) {}

    CpuLayout run() {
        layout_.segment_bytes.resize(tensors_.layers.size() + 1);
        add_part(Part::Embedding, kNoLayer, tensors_.weights);
        bool any_attention = false;
        for (std::size_t i = 0; i < tensors_.layers.size(); ++i) {
            const LayerTensors& layer = tensors_.layers[i];
            const auto index = static_cast<int>(i);
            const bool attention = !placement_.attention_in_vram(index);
            any_attention = any_attention || attention;
            if (attention) {
                add_part(Part::Attention, index, layer.weights);
            }
            HeldBlock& block = layout_.blocks.emplace_back();
            block.neurons = own_neurons(index);
            if (block.neurons.count == 0) {
                continue;
            }
            if (!attention || !layer[Role::FfnNorm].same_as(layer[Role::AttnNorm])) {
                add_part(Part::BlockInput, index, layer.weights);
            }
            if (block.neurons.first == 0) {
                add_part(Part::FirstNeuron, index, layer.weights);
            }
            add_part(Part::EachNeuron, index, layer.weights);
            add_block({index, spec_.layers[i], layer, mode_, placement_.predictor_in_vram(index),
                       placement_.streamed(index)},
                      placement_.n_slots(index), block);
            if (const auto uses = placement_.expected_uses(index); !uses.empty()) {
                const auto width = static_cast<std::uint64_t>(block.slot_neurons);
                block.expected_uses = uses.subspan(block.neurons.first / width);
            }
        }
        layout_.has_output = !placement_.output_in_vram();
        if (layout_.has_output) {
            ByRole<Weight> output = tensors_.weights;
            if (output[Role::Output].same_as(output[Role::TokenEmbd])) {
                output[Role::Output] = {};
            }
            add_part(Part::Output, kNoLayer, output);
        }
        if (any_attention) {
            add_part(Part::Rope, kNoLayer, tensors_.weights);
        }
        for (std::uint64_t& bytes : layout_.segment_bytes) {
            bytes = aligned(bytes);
        }
        return std::move(layout_);
    }

    // n_slots: how many of the block's neurons RAM has room for; 0: it has all.
    void add_block(const BlockTask& task, int n_slots, HeldBlock& block) {
        const auto has_rows = [&](Role role) {
            const Weight& weight = task.tensors[role];
            return !weight.present() || encoding_of(weight.type).has(Layout::NeuronRow);
        };
        const bool mixture = task.spec.is_mixture();
        const bool by_input = task.mode == FeedForwardMode::Thresholded;
        HEARTH_ASSERT(!mixture || !by_input);
        const bool gated = is_gated(task.spec.activation);
        const bool cached = n_slots > 0;
        block.slot_neurons = mixture ? task.spec.experts.n_ff : 1;
        block.sparse = !mixture && !by_input && is_sparse(task.spec.activation) &&
                       task.mode != FeedForwardMode::Dense && has_rows(Role::Up) &&
                       has_rows(Role::Gate);
        block.predicted =
            block.sparse && task.mode == FeedForwardMode::Predicted && task.tensors.has_predictor();
        block.two_layouts = block.sparse && gated && !block.predicted &&
                            !task.streamed.has(Role::Up) && !cached && !task.spec.is_routed();
        const std::size_t first = layout_.weights.size();
        streamed_bytes_ = 0;
        if (task.tensors[Role::UpBias].present() && !by_input) {
            add(task, Role::UpBias, CpuForm::Floats, n_slots, block);
        }
        const auto place = [&](Role role, bool in_rows) {
            add(task, role,
                by_input  ? CpuForm::Columns
                : in_rows ? CpuForm::Rows
                          : CpuForm::Tiles,
                n_slots, block);
        };
        // So the gate lies in tiles unless a predictor chooses its rows.
        place(Role::Gate, block.predicted);
        place(Role::Up, gated ? block.sparse : block.predicted);
        place(Role::Down, task.tensors[Role::Down].by_neuron);
        if (block.predicted && !task.gpu_predicts) {
            place(Role::PredictorFc1, false);
            place(Role::PredictorFc2, false);
        }
        if (block.slot_bytes > 0) {
            block.n_slots = static_cast<int>(std::min<std::uint64_t>(
                                static_cast<std::uint64_t>(n_slots), block.neurons.count)) /
                            block.slot_neurons;
            block.least_slots =
                least_cached(task.spec, static_cast<int>(block.neurons.count)) / block.slot_neurons;
            if (!mixture) {
                add_for_batches(task, first, block);
            }
        }
    }

    // A block by itself has one layer.
    CpuLayout take_block(const BlockTask& task, int n_slots, HeldBlock& block) {
        layout_.segment_bytes.resize(2);
        add_block(task, n_slots, block);
        return std::move(layout_);
    }

private:
    RowChoice own_neurons(int layer) const {
        const auto n_ff = static_cast<std::uint64_t>(spec_.layer(layer).n_ff);
        const auto hot = static_cast<std::uint64_t>(placement_.hot(layer));
        const std::span<const int> order = placement_.order(layer);
        const LayerSpec& of = spec_.layer(layer);
        const auto run = static_cast<std::uint64_t>(of.is_mixture() ? of.experts.n_ff : 1);
        HEARTH_ASSERT(hot <= n_ff && hot % run == 0 &&
                      (order.empty() || order.size() * run == n_ff));
        return {n_ff - hot, hot, order, run};
    }

    std::uint64_t& segment(int layer) {
        return layer == kNoLayer ? layout_.segment_bytes.back()
                                 : layout_.segment_bytes[static_cast<std::size_t>(layer)];
    }

    Home home_of_whole(int layer, Role role) const {
        const bool streams = layer == kNoLayer
                                 ? role == Role::Output && placement_.output == Home::Stream
                                 : placement_.streamed(layer).has(role);
        return streams ? Home::Stream : Home::Ram;
    }

    // A part's weights that are held whole.
    void add_part(Part part, int layer, const ByRole<Weight>& weights) {
        std::uint64_t streamed = 0;
        for (const RoleRow& row : layer == kNoLayer ? model_roles() : layer_roles()) {
            const Weight& weight = weights[row.role];
            if (row.part != part || !weight.present()) {
                continue;
            }
            const Home home = home_of_whole(layer, row.role);
            std::uint64_t& end = home == Home::Stream ? streamed : segment(layer);
            const std::uint64_t bytes = whole_bytes(row.role, weight);
            const CpuForm form = row.is_vector() ? CpuForm::Floats
                                 : weight.turned ? CpuForm::Turned
                                                 : CpuForm::Tiles;
            layout_.weights.push_back({layer, row.role, weight, form, home, end, bytes});
            end += bytes;
        }
    }

    // A weight of the block's neurons. Rows lie in the slots of a cache, if there is one.
    void add(const BlockTask& task, Role role, CpuForm form, int n_slots, HeldBlock& block) {
        if (!task.tensors[role].present()) {
            return;
        }
        const bool cached = n_slots > 0;
        // The records of cached neurons are read one by one, so not for the sake of all gates.
        const bool apart = role == Role::Gate && cached && task.tensors.gate_matrix.present() &&
                           form != CpuForm::Rows;
        HeldWeight held{task.layer, role, apart ? task.tensors.gate_matrix : task.tensors[role],
                        form};
        if (cached && (form == CpuForm::Rows || task.spec.is_mixture())) {
            held.home = Home::Slots;
            held.at = block.slot_bytes;
            held.bytes =
                form_bytes(role, held.source, form, static_cast<std::uint64_t>(block.slot_neurons));
            block.slot_bytes += held.bytes;
            layout_.weights.push_back(held);
            return;
        }
        held.home = task.streamed.has(role) ? Home::Stream : Home::Ram;
        std::uint64_t& end = held.home == Home::Stream ? streamed_bytes_ : segment(task.layer);
        held.at = end;
        held.bytes = form_bytes(role, held.source, form, block.neurons.count);
        if (block.two_layouts && role == Role::Up) {
            held.bytes = std::max(
                held.bytes, form_bytes(role, held.source, CpuForm::Tiles, block.neurons.count));
        }
        end += held.bytes;
        layout_.weights.push_back(held);
    }

    // first: of the block's weights.
    void add_for_batches(const BlockTask& task, std::size_t first, const HeldBlock& block) {
        std::uint64_t end = 0;
        for (std::size_t i = first; i < layout_.weights.size(); ++i) {
            HeldWeight held = layout_.weights[i];
            if (held.home == Home::Ram) {
                continue;
            }
            if (held.home == Home::Slots && held.role != Role::Down) {
                held.form = CpuForm::Tiles;
            }
            if (held.role == Role::Gate) {
                held.source = task.tensors[Role::Gate];  // the records come for up and down
            }
            held.home = Home::Stream;
            held.at = end;
            held.bytes = form_bytes(held.role, held.source, held.form, block.neurons.count);
            end += held.bytes;
            layout_.for_batches.push_back(held);
        }
    }

    const ModelSpec& spec_;
    const ModelTensors& tensors_;
    const FeedForwardMode mode_;
    const Placement& placement_;
    CpuLayout layout_;
    std::uint64_t streamed_bytes_ = 0;  // of the block
};

}  // namespace

std::span<const HeldWeight> CpuLayout::for_batches_of(int layer) const {
    const auto is_before = [](const HeldWeight& held, int index) { return held.layer < index; };
    const auto first = std::lower_bound(for_batches.begin(), for_batches.end(), layer, is_before);
    return {first, std::lower_bound(first, for_batches.end(), layer + 1, is_before)};
}

std::uint64_t CpuLayout::ram_bytes() const {
    return std::accumulate(segment_bytes.begin(), segment_bytes.end(), std::uint64_t{0});
}

CpuLayout lay_out(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                  const Placement& placement) {
    return LayoutMaker(spec, tensors, mode, placement).run();
}

std::vector<Role> roles_in_slots(const LayerSpec& spec, const LayerTensors& layer,
                                 FeedForwardMode mode) {
    if (!layer[Role::Down].present() || (!layer[Role::Down].by_neuron && !spec.is_mixture())) {
        return {};
    }
    const ModelSpec no_model;
    const ModelTensors no_tensors;
    const Placement no_placement;
    LayoutMaker maker(no_model, no_tensors, mode, no_placement);
    HeldBlock block;
    const CpuLayout layout = maker.take_block({0, spec, layer, mode, false, {}}, 1, block);
    std::vector<Role> roles;
    for (const HeldWeight& held : layout.weights) {
        if ((block.sparse || spec.is_mixture()) && held.home == Home::Slots) {
            roles.push_back(held.role);
        }
    }
    return roles;
}

int least_cached(const LayerSpec& spec, int n_neurons) {
    const int least = spec.is_mixture() ? spec.experts.n_used * spec.experts.n_ff
                                        : NeuronChunks::of(n_neurons).step;
    return std::min(n_neurons, least);
}

bool is_of_neurons(const HeldWeight& held) {
    const Part part = row_of(held.role).part;
    return part == Part::Neurons || part == Part::Predictor;
}

RowChoice rows_of_experts(const Weight& weight, Role role, const RowChoice& neurons) {
    // Down has a row an output, gate and up have a row a neuron.
    const std::uint64_t n_ff = role == Role::Down ? weight.cols : weight.expert_rows();
    HEARTH_ASSERT(neurons.first % n_ff == 0 && neurons.count % n_ff == 0);
    return {neurons.count / n_ff * weight.expert_rows(),
            neurons.first / n_ff * weight.expert_rows(), neurons.order, weight.expert_rows(),
            weight.expert_step};
}

bool is_by_neuron(Role role, const Weight& weight) {
    return row_of(role).rows == Dim::Ff || weight.by_neuron;
}

}  // namespace hearth
