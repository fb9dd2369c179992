#include "cpu/block_layout.h"

#include <algorithm>

#include "base/assert.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"

namespace hearth {
std::uint64_t aligned(std::uint64_t bytes) {
    return (bytes + AlignedBuffer::kAlignment - 1) / AlignedBuffer::kAlignment *
           AlignedBuffer::kAlignment;
}

std::uint64_t held_bytes(Role role, const Weight& weight) {
    return aligned(row_of(role).is_vector() ? weight.values() * sizeof(float)
                                            : packed_bytes(weight.type, weight.rows, weight.cols));
}

namespace {

std::uint64_t tiles_bytes(DType type, std::uint64_t rows, std::uint64_t cols) {
    return aligned(packed_bytes(type, rows, cols));
}

bool is_by_neuron(Role role, const Weight& weight) {
    return row_of(role).rows == Dim::Ff || weight.by_neuron;
}

// Of the neurons of `own`.
std::uint64_t form_bytes(const BlockLayout::Matrix& matrix, BlockLayout::Form form,
                         const RowChoice& own) {
    const Weight& of = matrix.source;
    const auto cols = static_cast<int>(of.cols);
    switch (form) {
        case BlockLayout::Form::Rows:
            return neuron_row_bytes(of.type, cols) * own.count;
        case BlockLayout::Form::Columns:
            return input_column_bytes(of.type, static_cast<int>(of.rows), cols);
        case BlockLayout::Form::Tiles:
            break;
    }
    if (matrix.role == Role::PredictorFc1) {
        return held_bytes(matrix.role, of);
    }
    return is_by_neuron(matrix.role, of) ? tiles_bytes(of.type, own.count, of.cols)
                                         : tiles_bytes(of.type, of.rows, own.count);
}

// Whether its rows are read neuron by neuron, to be put into tiles or rows.
bool is_read_by_neuron(const BlockLayout::Matrix& matrix) {
    return row_of(matrix.role).part == Part::Neurons && matrix.form != BlockLayout::Form::Columns &&
           is_by_neuron(matrix.role, matrix.source);
}

WeightJob::OfNeurons of_neurons(const BlockLayout::Matrix& matrix) {
    return {matrix.source, matrix.form == BlockLayout::Form::Rows, matrix.at};
}

// The columns of the neurons of a down projection that is stored by output.
WeightJob columns_of(const Weight& down, const RowChoice& neurons, std::uint64_t at) {
    const std::uint64_t first = neurons.in_file(0);
    const std::uint64_t block = dtype_info(down.type).block_values;
    HEARTH_ASSERT(first % block == 0 && neurons.count % block == 0);
    for (std::uint64_t i = 1; i < neurons.count && !neurons.order.empty(); ++i) {
        HEARTH_ASSERT(neurons.in_file(i) == first + i);
    }
    return WeightJob::tiles(down, {down.rows}, first, neurons.count, at);
}

}  // namespace

BlockLayout lay_out(const LayerSpec& spec, const LayerTensors& layer, FeedForwardMode mode,
                    const RowChoice& neurons, bool gpu_predicts, const FlashPart::Roles& streamed,
                    bool cached) {
    using Form = BlockLayout::Form;
    using Where = BlockLayout::Where;
    const auto has_rows = [&](Role role) {
        return !layer[role].present() || encoding_of(layer[role].type).has(Layout::NeuronRow);
    };
    const bool by_input = mode == FeedForwardMode::Thresholded;
    const bool gated = is_gated(spec.activation);
    BlockLayout block;
    block.neurons = neurons;
    block.sparse = !by_input && is_sparse(spec.activation) && mode != FeedForwardMode::Dense &&
                   has_rows(Role::Up) && has_rows(Role::Gate);
    block.predicted = block.sparse && mode == FeedForwardMode::Predicted && layer.has_predictor();
    const auto is_streamed = [&](Role role) { return streamed[static_cast<std::size_t>(role)]; };
    block.two_layouts =
        block.sparse && gated && !block.predicted && !is_streamed(Role::Up) && !cached;
    if (layer[Role::UpBias].present() && !by_input) {
        block.bytes = aligned(neurons.count * sizeof(float));
    }
    const auto place = [&](Role role, bool in_rows) {
        if (!layer[role].present()) {
            return;
        }
        const Form form = by_input ? Form::Columns : in_rows ? Form::Rows : Form::Tiles;
        // The records of cached neurons are read one by one, so not for the sake of all gates.
        const bool apart = role == Role::Gate && cached && layer.gate_matrix.present();
        const Weight& source = apart && !in_rows ? layer.gate_matrix : layer[role];
        if (cached && form == Form::Rows) {
            block.matrices.push_back({role, source, form, block.slot_bytes, Where::Cached});
            block.slot_bytes += neuron_row_bytes(source.type, static_cast<int>(source.cols));
            return;
        }
        std::uint64_t& bytes = is_streamed(role) ? block.streamed_bytes : block.bytes;
        block.matrices.push_back(
            {role, source, form, bytes, is_streamed(role) ? Where::Streamed : Where::Resident});
        const BlockLayout::Matrix& matrix = block.matrices.back();
        std::uint64_t room = form_bytes(matrix, form, neurons);
        if (block.two_layouts && role == Role::Up) {
            room = std::max(room, form_bytes(matrix, Form::Tiles, neurons));
        }
        bytes += room;
    };
    place(Role::Gate, block.predicted);
    place(Role::Up, gated ? block.sparse : block.predicted);
    place(Role::Down, layer[Role::Down].by_neuron);
    if (block.predicted && !gpu_predicts) {
        place(Role::PredictorFc1, false);
        place(Role::PredictorFc2, false);
    }
    return block;
}

BlockLayout lay_out_for_batch(const BlockLayout& block, const LayerTensors& layer) {
    using Form = BlockLayout::Form;
    using Where = BlockLayout::Where;
    BlockLayout batch = block;
    batch.streamed_bytes = 0;
    for (BlockLayout::Matrix& matrix : batch.matrices) {
        if (matrix.where == Where::Resident) {
            continue;
        }
        if (matrix.where == Where::Cached && matrix.role != Role::Down) {
            matrix.form = Form::Tiles;
        }
        if (matrix.role == Role::Gate) {
            matrix.source = layer[Role::Gate];  // the records come for up and down
        }
        matrix.where = Where::Streamed;
        matrix.at = batch.streamed_bytes;
        batch.streamed_bytes += form_bytes(matrix, matrix.form, batch.neurons);
    }
    return batch;
}

bool can_be_cached(const LayerSpec& spec, const LayerTensors& layer, FeedForwardMode mode) {
    return layer[Role::Down].present() && layer[Role::Down].by_neuron &&
           lay_out(spec, layer, mode, {}, false).sparse;
}

std::vector<WeightJob> jobs_of(const BlockLayout& block, bool predictors,
                               BlockLayout::Where where) {
    HEARTH_ASSERT(where != BlockLayout::Where::Cached);
    std::vector<WeightJob> jobs;
    std::vector<const TensorInfo*> done;
    for (const BlockLayout::Matrix& matrix : block.matrices) {
        const Weight& source = matrix.source;
        if ((row_of(matrix.role).part == Part::Predictor) != predictors || matrix.where != where) {
            continue;
        }
        if (matrix.form == BlockLayout::Form::Columns) {
            jobs.push_back(WeightJob::columns(source, matrix.at));
        } else if (matrix.role == Role::PredictorFc1) {
            jobs.push_back(WeightJob::tiles(source, {source.rows}, 0, source.cols, matrix.at));
        } else if (matrix.role == Role::PredictorFc2) {
            jobs.push_back(WeightJob::tiles(source, block.neurons, 0, source.cols, matrix.at));
        } else if (!is_read_by_neuron(matrix)) {
            jobs.push_back(columns_of(source, block.neurons, matrix.at));
        } else if (!source.in_records()) {
            jobs.push_back(WeightJob::neurons({of_neurons(matrix)}, block.neurons));
        } else if (std::find(done.begin(), done.end(), source.tensor) == done.end()) {
            // Matrices of the same records come with the first of them.
            done.push_back(source.tensor);
            std::vector<WeightJob::OfNeurons> together;
            for (const BlockLayout::Matrix& other : block.matrices) {
                if (other.source.tensor == source.tensor && is_read_by_neuron(other) &&
                    other.where == where) {
                    together.push_back(of_neurons(other));
                }
            }
            jobs.push_back(WeightJob::neurons(std::move(together), block.neurons));
        }
    }
    return jobs;
}

void set_views(const BlockLayout& block, const LayerTensors& tensors, std::byte* base,
               std::byte* slot, CpuLayer& layer) {
    layer.sparse = block.sparse;
    layer.predicted = block.predicted;
    layer.predictor_threshold = tensors.predictor_threshold;
    layer.input_threshold = tensors.input_threshold;
    layer.hidden_threshold = tensors.hidden_threshold;
    for (const BlockLayout::Matrix& matrix : block.matrices) {
        const Weight& source = matrix.source;
        const auto rows = static_cast<int>(source.rows);
        const auto cols = static_cast<int>(source.cols);
        const auto neurons = static_cast<int>(block.neurons.count);
        if (matrix.where == BlockLayout::Where::Cached) {
            continue;
        }
        std::byte* place = (matrix.where == BlockLayout::Where::Streamed ? slot : base) + matrix.at;
        switch (matrix.form) {
            case BlockLayout::Form::Columns:
                layer.columns[matrix.role] = {source.type, rows, cols, place};
                break;
            case BlockLayout::Form::Rows:
                layer.rows[matrix.role] = {source.type, place, neuron_row_bytes(source.type, cols)};
                break;
            case BlockLayout::Form::Tiles: {
                const bool all_rows = matrix.role == Role::PredictorFc1;
                layer.tiles[matrix.role] = all_rows ? PackedMatrix{source.type, rows, cols, place}
                                           : is_by_neuron(matrix.role, source)
                                               ? PackedMatrix{source.type, neurons, cols, place}
                                               : PackedMatrix{source.type, rows, neurons, place};
                break;
            }
        }
        if (block.two_layouts && matrix.role == Role::Up) {
            layer.two_layouts = true;
            layer.up_place = place;
        }
    }
}

}  // namespace hearth
