#include "cpu/feed_forward/block_activity.h"

#include <cstdint>

#include "gguf/convert_neuron_row.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

std::uint64_t matrix_bytes(const PackedMatrix& matrix) {
    return !matrix.present() ? 0
                             : row_bytes(matrix.type, static_cast<std::uint64_t>(matrix.cols)) *
                                   static_cast<std::uint64_t>(matrix.rows);
}

// kept: how many inputs were kept of so many.
double column_matrix_bytes(const ColumnMatrix& matrix, std::uint64_t kept, std::uint64_t of) {
    if (!matrix.present()) {
        return 0.0;
    }
    const int width = kernels::input_column_width(matrix.rows);
    const auto n_blocks = static_cast<std::uint64_t>(matrix.cols / kBlockValues);
    const auto lines = static_cast<double>(
        n_blocks * kBlockValues * kernels::column_bytes(encoding_of(matrix.type).codes, width));
    return static_cast<double>(n_blocks * 2 * static_cast<std::uint64_t>(width)) +
           (of == 0 ? lines : lines * static_cast<double>(kept) / static_cast<double>(of));
}

// The experts whose rows the matrix has: one, where experts are in slots.
double experts_of(const PackedMatrix& matrix, Role role, const ModelSpec& spec,
                  const ExpertsSpec& experts) {
    const int width = experts.n_latent > 0 ? experts.n_latent : spec.n_embd;
    return static_cast<double>(matrix.rows) /
           static_cast<double>(role == Role::Down ? width : experts.n_ff);
}

// Those of this unit that a token reads, in the mean; if none was seen, as if all experts were
// chosen alike.
double experts_of_token(const LayerActivity& seen, const ExpertsSpec& experts,
                        const CpuLayer& weights) {
    return seen.passed > 0
               ? static_cast<double>(seen.experts) / static_cast<double>(seen.passed)
               : experts.used_share() * static_cast<double>(weights.n_neurons / experts.n_ff);
}

}  // namespace

void BlockActivity::set_up(std::span<const CpuLayer> layers) {
    layers_.assign(layers.size(), {});
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const CpuLayer& layer = layers[i];
        layers_[i].path = layer.by_input()  ? FeedForwardMode::Thresholded
                          : !layer.sparse   ? FeedForwardMode::Dense
                          : layer.predicted ? FeedForwardMode::Predicted
                                            : FeedForwardMode::Exact;
    }
}

void BlockActivity::add(const FeedForwardTask& task, const LayerActivity& token) {
    if (!task.counts) {
        return;
    }
    LayerActivity& seen = layers_[static_cast<std::size_t>(task.layer)];
    for (auto count :
         {&LayerActivity::passed, &LayerActivity::computed, &LayerActivity::down_rows,
          &LayerActivity::tokens, &LayerActivity::neurons, &LayerActivity::examined,
          &LayerActivity::opened, &LayerActivity::fired, &LayerActivity::inputs,
          &LayerActivity::inputs_kept, &LayerActivity::experts, &LayerActivity::experts_read}) {
        seen.*count += token.*count;
    }
}

void BlockActivity::add_time(int layer, std::chrono::steady_clock::duration time) {
    LayerActivity& seen = layers_[static_cast<std::size_t>(layer)];
    seen.blocks += 1;
    seen.block_ns += static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
}

void BlockActivity::set_path(int layer, FeedForwardMode path) {
    layers_[static_cast<std::size_t>(layer)].path = path;
}

void BlockActivity::reset() {
    for (LayerActivity& layer : layers_) {
        layer = {.path = layer.path};
    }
}

double decode_bytes(const LayerActivity& seen, const ModelSpec& spec, const ExpertsSpec& experts,
                    const CpuLayer& weights) {
    // Rows in slots are further apart than they are long.
    const auto row_of = [&](Role role) {
        const CpuRows& rows = weights.rows[role];
        return rows.present() ? neuron_row_bytes(rows.type, spec.n_embd) : 0;
    };
    const auto all = static_cast<std::uint64_t>(weights.n_neurons);
    const auto per_token = [&](std::uint64_t count, std::uint64_t tokens, std::uint64_t bytes) {
        return tokens == 0 ? static_cast<double>(all * bytes)
                           : static_cast<double>(count * bytes) / static_cast<double>(tokens);
    };
    double whole = 0;
    for (const RoleRow& row : layer_roles()) {
        const auto bytes = static_cast<double>(matrix_bytes(weights.tiles[row.role]));
        if (row.part == Part::Neurons) {
            whole += !experts.present() || bytes == 0
                         ? bytes
                         : bytes / experts_of(weights.tiles[row.role], row.role, spec, experts) *
                               experts_of_token(seen, experts, weights);
        } else if (row.part == Part::Predictor || row.part == Part::FirstNeuron ||
                   row.part == Part::EachNeuron) {
            whole += bytes;
        }
    }
    return whole + column_matrix_bytes(weights.columns[Role::Gate], seen.inputs_kept, seen.inputs) +
           column_matrix_bytes(weights.columns[Role::Up], seen.inputs_kept, seen.inputs) +
           column_matrix_bytes(weights.columns[Role::Down], seen.fired, seen.neurons) +
           per_token(seen.examined, seen.tokens, row_of(Role::Gate)) +
           per_token(is_gated(spec.activation()) ? seen.opened : seen.examined, seen.tokens,
                     row_of(Role::Up)) +
           per_token(seen.down_rows, seen.passed, row_of(Role::Down));
}

}  // namespace hearth
