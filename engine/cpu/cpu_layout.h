// The place and the form of each of the processor's weights: one list, computed once from a
// placement. The bytes that a load takes, its reads, those of passes, and the views that kernels
// get all follow from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "memory/row_choice.h"
#include "model/weights.h"
#include "plan/plan.h"
#include "plan/steps.h"

namespace hearth {

// Tiles are the fastest way to compute all of a matrix, rows the only one to compute single
// neurons, columns the only one to compute from single inputs.
enum class CpuForm : std::uint8_t {
    Floats,   // of a vector
    Tiles,    // kernels/kernels.h
    Rows,     // kernels/neuron_rows.h
    Columns,  // convert_input_columns.h
    Turned,   // F32 in tiles, of a weight that is turned (model/weights.h)
};

// A weight, or the part of one that belongs to the processor's neurons of a layer.
struct HeldWeight {
    int layer = kNoLayer;
    Role role{};
    Weight source;
    CpuForm form{};
    Home home = Home::Ram;
    // The beginning: with the home Ram, in its layer's segment; with Stream, in the memory that
    // streamed parts share; with Slots, in the slot of a neuron.
    std::uint64_t at = 0;
    std::uint64_t bytes = 0;  // of its room there; of Slots: of one neuron's or expert's
};

// The neurons that the processor has of a layer.
struct HeldBlock {
    RowChoice neurons;             // count 0: none
    bool sparse = false;           // single tokens compute single neurons
    bool predicted = false;        // those that a predictor names
    bool two_layouts = false;      // up has room for its tiles where it lies in rows
    std::uint64_t slot_bytes = 0;  // of what comes and goes together; 0: nothing lies in slots
    int slot_neurons = 1;          // of it: a neuron, or all of an expert
    int n_slots = 0;
    int least_slots = 0;  // that a token needs at once
    // LayerPlacement::expected_uses of what may lie in slots; empty: not known.
    std::span<const std::uint8_t> expected_uses;
};

struct CpuLayout {
    // In the order of loading, which is about that of files: read-ahead only looks forward. Those
    // of a layer's block follow one another.
    std::vector<HeldWeight> weights;
    // The block's matrices of the layers with slots as a batch reads them, which needs all neurons:
    // what is not in RAM streams, in the forms in which batches are computed fastest, and each byte
    // of the file once. By layer.
    std::vector<HeldWeight> for_batches;
    std::vector<HeldBlock> blocks;  // [n_layer]
    bool has_output = false;        // the processor has the output head
    // Bytes of the home Ram: [n_layer], then of the model's own weights. Whole cache lines.
    std::vector<std::uint64_t> segment_bytes;

    std::size_t segment_of(int layer) const {
        return layer == kNoLayer ? blocks.size() : static_cast<std::size_t>(layer);
    }
    std::uint64_t ram_bytes() const;

    // The matrices of a layer's block that batches see at other places than tokens.
    std::span<const HeldWeight> for_batches_of(int layer) const;
};

// The placement must outlive the layout. Down projections stored by output are cut at blocks of
// their type, as LayerPlacement says.
CpuLayout lay_out(const ModelSpec& spec, const ModelTensors& tensors, FeedForwardMode mode,
                  const Placement& placement);

// The roles that lie in the slots of a layer whose neurons, or experts, are cached. None: they
// cannot be, since single neurons are not computed by themselves.
std::vector<Role> roles_in_slots(const LayerSpec& spec, const LayerTensors& layer,
                                 FeedForwardMode mode);

// The neurons of a layer's n_neurons that must find room at once where they are cached.
int least_cached(const LayerSpec& spec, int n_neurons);

// True if the weight is a part of its layer's block, or predictor, for the block's neurons.
bool is_of_neurons(const HeldWeight& held);

// The rows that the experts of these neurons, whole ones, have of a mixture's matrix.
RowChoice rows_of_experts(const Weight& weight, Role role, const RowChoice& neurons);

// True if a weight's rows are neurons, not outputs.
bool is_by_neuron(Role role, const Weight& weight);

}  // namespace hearth
