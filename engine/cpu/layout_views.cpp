#include "cpu/layout_views.h"

#include "gguf/convert_neuron_row.h"
#include "gguf/float_rows.h"

namespace hearth {
namespace {

// n_neurons: of its block; of a weight that is held whole, any.
void set_view(const HeldWeight& held, int n_neurons, std::byte* place, CpuLayer& layer) {
    const Weight& source = held.source;
    const auto rows = static_cast<int>(source.rows);
    const auto cols = static_cast<int>(source.cols);
    switch (held.form) {
        case CpuForm::Floats: {
            const auto count = held.role == Role::UpBias
                                   ? static_cast<std::size_t>(n_neurons)
                                   : static_cast<std::size_t>(source.values());
            layer.vectors[held.role] = {reinterpret_cast<const float*>(place), count};
            return;
        }
        case CpuForm::Columns:
            layer.columns[held.role] = {source.type, rows, cols, place};
            return;
        case CpuForm::Rows:
            layer.rows[held.role] = {source.type, place, neuron_row_bytes(source.type, cols)};
            return;
        case CpuForm::Turned: {
            const auto parts = static_cast<int>(source.n_parts);
            layer.tiles[held.role] = {kFloatRows, parts * cols, rows / parts, place};
            return;
        }
        case CpuForm::Tiles:
            break;
    }
    PackedMatrix& tiles = layer.tiles[held.role];
    const Part part = row_of(held.role).part;
    if (held.role == Role::PredictorFc1 || (part != Part::Neurons && part != Part::Predictor)) {
        tiles = {source.type, rows, cols, place};
    } else if (source.n_experts > 1) {
        const auto count = static_cast<std::uint64_t>(n_neurons);
        const RowChoice held_rows = rows_of_experts(source, held.role, {count});
        tiles = {source.type, static_cast<int>(held_rows.count), cols, place};
    } else if (is_by_neuron(held.role, source)) {
        tiles = {source.type, n_neurons, cols, place};
    } else {
        tiles = {source.type, rows, n_neurons, place};
    }
}

void set_block(const HeldBlock& block, const LayerTensors& tensors, CpuLayer& layer) {
    layer.n_neurons = static_cast<int>(block.neurons.count);
    layer.first = static_cast<int>(block.neurons.first);
    if (!block.neurons.order.empty()) {
        layer.numbers = block.neurons.chosen_runs();
    }
    layer.sparse = block.sparse;
    layer.predicted = block.predicted;
    layer.predictor_threshold = tensors.predictor_threshold;
    layer.input_threshold = tensors.input_threshold;
    layer.hidden_threshold = tensors.hidden_threshold;
}

}  // namespace

LayoutViews views_of(const CpuLayout& layout, const ModelTensors& tensors, const Segments& ram,
                     std::byte* slot, std::byte* batch_slot) {
    LayoutViews views;
    views.layers.resize(layout.blocks.size() + 1);
    for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
        if (layout.blocks[i].neurons.count > 0) {
            set_block(layout.blocks[i], tensors.layers[i], views.layers[i]);
        }
    }
    const auto of = [](std::vector<CpuLayer>& layers, int layer) -> CpuLayer& {
        return layer == kNoLayer ? layers.back() : layers[static_cast<std::size_t>(layer)];
    };
    for (const HeldWeight& held : layout.weights) {
        CpuLayer& layer = of(views.layers, held.layer);
        if (held.home == Home::Slots) {
            continue;
        }
        std::byte* const place =
            (held.home == Home::Stream ? slot : ram.data(layout.segment_of(held.layer))) + held.at;
        set_view(held, layer.n_neurons, place, layer);
        if (held.role == Role::Up &&
            layout.blocks[static_cast<std::size_t>(held.layer)].two_layouts) {
            layer.two_layouts = true;
            layer.up_place = place;
        }
    }
    ByRole<PackedMatrix>& model = views.layers.back().tiles;
    if (layout.has_output && tensors[Role::Output].same_as(tensors[Role::TokenEmbd])) {
        model[Role::Output] = model[Role::TokenEmbd];
    }
    for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
        const LayerTensors& from = tensors.layers[i];
        CpuLayer& layer = views.layers[i];
        if (layer.has_attention() && from[Role::FfnNorm].same_as(from[Role::AttnNorm])) {
            layer.vectors[Role::FfnNorm] = layer.vectors[Role::AttnNorm];
            layer.vectors[Role::FfnNormBias] = layer.vectors[Role::AttnNormBias];
        }
    }
    if (!layout.for_batches.empty()) {
        views.batch.assign(views.layers.begin(), views.layers.end() - 1);
    }
    for (const HeldWeight& held : layout.for_batches) {
        CpuLayer& layer = of(views.batch, held.layer);
        layer.tiles[held.role] = {};
        layer.rows[held.role] = {};
        set_view(held, layer.n_neurons, batch_slot + held.at, layer);
    }
    return views;
}

}  // namespace hearth
