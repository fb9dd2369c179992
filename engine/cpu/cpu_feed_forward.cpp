#include "cpu/cpu_feed_forward.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>

#include "base/assert.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/up_layout.h"
#include "cpu/weight_streams.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

std::uint64_t matrix_bytes(const PackedMatrix& matrix) {
    return !matrix.present() ? 0
                             : row_bytes(matrix.type, static_cast<std::uint64_t>(matrix.cols)) *
                                   static_cast<std::uint64_t>(matrix.rows);
}

}  // namespace

void CpuFeedForward::set_up(const ModelSpec& spec, const ModelTensors& tensors,
                            const CpuWeights& weights, const Scratch& scratch) {
    spec_ = spec;
    predictor_input_ = tensors.predictor_input;
    predictor_linear_ = tensors.predictor_linear;
    scratch_ = scratch;
    if (weights.streams() != nullptr && weights.streams()->cold() != nullptr) {
        const auto n_ff = static_cast<std::size_t>(spec.n_ff_max());
        cold_ = {std::vector<std::uint16_t>(n_ff), std::vector<std::uint8_t>(n_ff),
                 std::vector<std::uint16_t>(n_ff), std::vector<std::uint16_t>(n_ff)};
    }
    activity_.assign(weights.layers().size(), {});
    for (std::size_t i = 0; i < weights.layers().size(); ++i) {
        const CpuLayer& layer = weights.layers()[i];
        activity_[i].path = layer.by_input()  ? FeedForwardMode::Thresholded
                            : !layer.sparse   ? FeedForwardMode::Dense
                            : layer.predicted ? FeedForwardMode::Predicted
                                              : FeedForwardMode::Exact;
    }
}

void CpuFeedForward::reset_activity() {
    for (LayerActivity& layer : activity_) {
        layer = {.path = layer.path};
    }
}

Result<void> CpuFeedForward::run(const FeedForwardTask& task, const CpuLayer& layer,
                                 const ActivationRows& input, FeedForwardObserver* observer) {
    if (task.n_tokens > 1 || observer != nullptr) {
        batch(task, layer, input, observer);
        return {};
    }
    Result<void> status;
    const auto start = std::chrono::steady_clock::now();
    if (layer.by_input()) {
        one_token_from_inputs(task, layer, input);
    } else if (layer.cold != nullptr) {
        status = one_token_cold(task, layer, input);
    } else if (layer.sparse) {
        one_token(task, layer, input);
    } else {
        const std::uint64_t down_rows = batch(task, layer, input, nullptr);
        note(task, {.passed = 1,
                    .computed = static_cast<std::uint64_t>(layer.n_neurons),
                    .down_rows = down_rows});
    }
    LayerActivity& seen = activity_[static_cast<std::size_t>(task.layer)];
    seen.blocks += 1;
    seen.block_ns +=
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::steady_clock::now() - start)
                                       .count());
    return status;
}

void CpuFeedForward::set_path(int layer, CpuLayer& weights, FeedForwardMode path) {
    HEARTH_ASSERT(path == FeedForwardMode::Exact || path == FeedForwardMode::Dense);
    const std::uint64_t room = tile_bytes(spec_);
    if (path == FeedForwardMode::Exact) {
        lay_up_in_rows(weights, spec_.n_embd, pool_, scratch_.tile, room);
    } else {
        lay_up_in_tiles(weights, spec_.n_embd, pool_, scratch_.tile, room);
    }
    activity_[static_cast<std::size_t>(layer)].path = path;
}

void CpuFeedForward::note(const FeedForwardTask& task, const LayerActivity& token) {
    if (!task.counts) {
        return;
    }
    LayerActivity& seen = activity_[static_cast<std::size_t>(task.layer)];
    for (auto count : {&LayerActivity::passed, &LayerActivity::computed, &LayerActivity::down_rows,
                       &LayerActivity::tokens, &LayerActivity::neurons, &LayerActivity::examined,
                       &LayerActivity::opened, &LayerActivity::fired, &LayerActivity::inputs,
                       &LayerActivity::inputs_kept}) {
        seen.*count += token.*count;
    }
}

double CpuFeedForward::decode_bytes(int layer, const CpuLayer& weights) const {
    const LayerActivity& seen = activity_[static_cast<std::size_t>(layer)];
    // Rows in slots are further apart than they are long.
    const auto row_of = [&](Role role) {
        const CpuRows& rows = weights.rows[role];
        return rows.present() ? neuron_row_bytes(rows.type, spec_.n_embd) : 0;
    };
    const auto all = static_cast<std::uint64_t>(weights.n_neurons);
    const auto per_token = [&](std::uint64_t count, std::uint64_t tokens, std::uint64_t bytes) {
        return tokens == 0 ? static_cast<double>(all * bytes)
                           : static_cast<double>(count * bytes) / static_cast<double>(tokens);
    };
    const auto columns = [&](const ColumnMatrix& matrix, std::uint64_t kept, std::uint64_t of) {
        if (!matrix.present()) {
            return 0.0;
        }
        const int width = kernels::input_column_width(matrix.rows);
        const auto n_blocks = static_cast<std::uint64_t>(matrix.cols / kBlockValues);
        const auto lines = static_cast<double>(
            n_blocks * kBlockValues * kernels::column_bytes(encoding_of(matrix.type).codes, width));
        return static_cast<double>(n_blocks * 2 * static_cast<std::uint64_t>(width)) +
               (of == 0 ? lines : lines * static_cast<double>(kept) / static_cast<double>(of));
    };
    std::uint64_t whole = 0;
    for (const RoleRow& row : layer_roles()) {
        if (row.part == Part::Neurons || row.part == Part::Predictor) {
            whole += matrix_bytes(weights.tiles[row.role]);
        }
    }
    return static_cast<double>(whole) +
           columns(weights.columns[Role::Gate], seen.inputs_kept, seen.inputs) +
           columns(weights.columns[Role::Up], seen.inputs_kept, seen.inputs) +
           columns(weights.columns[Role::Down], seen.fired, seen.neurons) +
           per_token(seen.examined, seen.tokens, row_of(Role::Gate)) +
           per_token(is_gated(spec_.activation()) ? seen.opened : seen.examined, seen.tokens,
                     row_of(Role::Up)) +
           per_token(seen.down_rows, seen.passed, row_of(Role::Down));
}

}  // namespace hearth
