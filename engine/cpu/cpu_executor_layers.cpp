// What layers have beside attention and neurons: the inputs that a token has for each of them, and
// the scale of what they leave.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "base/first_error.h"
#include "cpu/cpu_executor.h"
#include "gguf/finite.h"
#include "gguf/rows.h"

namespace hearth {

// inputs = (norm(projection of the embedding / sqrt(n_embd)) + row * sqrt(n_embd_layer)) / sqrt(2).
// The projection reads the scaled embedding. Its product is normed layer by layer.
Result<void> CpuExecutor::embed_for_layers() {
    const auto weights = weights_.lease(Part::Embedding);
    if (!weights) {
        return weights.error();
    }
    const int n_tokens = task_.n_tokens();
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const auto n_inputs = static_cast<std::size_t>(spec_.n_layer_inputs());
    const PackedMatrix& matrix = (*weights)->tiles[Role::LayerInputProj];
    const ActivationRows input{scratch_.x, n_embd, scratch_.quantized_input, spec_.n_embd,
                               n_tokens};
    if (takes_quantized(matrix.type)) {
        for_each_token(n_tokens, [&](int t) {
            quantize_into(table_, input, t, 0, spec_.n_embd / kBlockValues,
                          scratch_.x + static_cast<std::size_t>(t) * n_embd);
        });
    }
    const std::array product{Product{&matrix, scratch_.layer_inputs, n_inputs}};
    multiply(pool_, table_, product, input);
    const std::span<const float> norm = (*weights)->vectors[Role::LayerInputNorm];
    for (int t = 0; t < n_tokens && n_tokens > 1; ++t) {  // all of a batch's before the first
        const auto token = static_cast<std::uint64_t>(task_.tokens[static_cast<std::size_t>(t)]);
        file_->will_read(layer_table_.in_file() + token * layer_table_.stride, layer_table_.stride);
    }
    FirstError failure;
    pool_.run(n_tokens, [&](int t, int worker) {
        if (failure.failed()) {
            return;
        }
        const auto index = static_cast<std::size_t>(t);
        auto added =
            add_table_row(task_.tokens[index],
                          scratch_.table_rows + 2 * n_inputs * static_cast<std::size_t>(worker),
                          scratch_.layer_inputs + index * n_inputs, norm);
        if (!added) {
            failure.set(std::move(added).error());
        }
    });
    if (failure.failed()) {
        return failure.error();
    }
    if (task_.shared.layer_inputs != nullptr) {
        copy(scratch_.layer_inputs, task_.shared.layer_inputs, spec_.n_layer_inputs());
    }
    return {};
}

// inputs: of a token, the projection of its embedding. room: a row as the file has it, and another
// one in floats.
Result<void> CpuExecutor::add_table_row(std::int32_t token, float* room, float* inputs,
                                        std::span<const float> weight) const {
    const auto n_inputs = static_cast<std::size_t>(spec_.n_layer_inputs());
    const std::span<std::byte> raw(reinterpret_cast<std::byte*>(room), layer_table_.row_size());
    const std::span<float> row(room + n_inputs, n_inputs);
    const auto place = static_cast<std::uint64_t>(token);
    if (auto read = file_->read_at(layer_table_.in_file() + place * layer_table_.stride, raw);
        !read) {
        return read;
    }
    if (!rows_are_finite(layer_table_.type, raw.data(), 1, raw.size(), n_inputs)) {
        return rows_not_finite(layer_table_.tensor->name, layer_table_.type, raw.data(), 1,
                               raw.size(), n_inputs, place);
    }
    dequantize_row(layer_table_.type, raw.data(), row);
    const float of_projection = 1.0F / std::sqrt(static_cast<float>(spec_.n_embd));
    const float of_row = std::sqrt(static_cast<float>(spec_.n_embd_layer));
    const float of_sum = 1.0F / std::sqrt(2.0F);
    for (std::size_t i = 0; i < n_inputs; ++i) {
        inputs[i] *= of_projection;
    }
    for (int layer = 0; layer < spec_.n_layer(); ++layer) {
        float* own = inputs + static_cast<std::size_t>(layer) * weight.size();
        table_.rms_norm(own, weight.data(), spec_.output_norm.eps, own, spec_.n_embd_layer);
    }
    for (std::size_t i = 0; i < n_inputs; ++i) {
        inputs[i] = (inputs[i] + row[i] * of_row) * of_sum;
    }
    return {};
}

// x += norm(project(gelu(gate x) * inputs of the layer))
Result<void> CpuExecutor::add_layer_input(int index) {
    const auto weights = weights_.lease(Part::Attention, index);
    if (!weights) {
        return weights.error();
    }
    const CpuLayer& layer = **weights;
    const int n_tokens = task_.n_tokens();
    const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
    const auto width = static_cast<std::size_t>(spec_.n_embd_layer);
    const auto n_inputs = static_cast<std::size_t>(spec_.n_layer_inputs());
    const PackedMatrix& gate = layer.tiles[Role::LayerGate];
    const PackedMatrix& projection = layer.tiles[Role::LayerProj];
    const ActivationRows x{scratch_.x, n_embd, scratch_.quantized_input, spec_.n_embd, n_tokens};
    if (takes_quantized(gate.type)) {
        for_each_token(n_tokens, [&](int t) {
            quantize_into(table_, x, t, 0, spec_.n_embd / kBlockValues,
                          scratch_.x + static_cast<std::size_t>(t) * n_embd);
        });
    }
    const std::array gates{Product{&gate, scratch_.layer_gates, width}};
    multiply(pool_, table_, gates, x);
    const ActivationRows gated{scratch_.layer_gates, width, scratch_.quantized_input,
                               spec_.n_embd_layer, n_tokens};
    for_each_token(n_tokens, [&](int t) {
        const auto token = static_cast<std::size_t>(t);
        float* values = scratch_.layer_gates + token * width;
        table_.gelu_mul(
            values,
            scratch_.layer_inputs + token * n_inputs + static_cast<std::size_t>(index) * width,
            values, spec_.n_embd_layer);
        if (takes_quantized(projection.type)) {
            quantize_into(table_, gated, t, 0, spec_.n_embd_layer / kBlockValues, values);
        }
    });
    const std::array sums{Product{&projection, scratch_.block, n_embd}};
    multiply(pool_, table_, sums, gated);
    const std::span<const float> norm = layer.vectors[Role::LayerPostNorm];
    for_each_token(n_tokens, [&](int t) {
        float* row = scratch_.block + static_cast<std::size_t>(t) * n_embd;
        table_.rms_norm(row, norm.data(), spec_.layer(index).norm.eps, row, spec_.n_embd);
    });
    add(scratch_.block, scratch_.x);
    return {};
}

Result<void> CpuExecutor::finish_layer(int index) {
    if (spec_.n_embd_layer > 0) {
        if (auto added = add_layer_input(index); !added) {
            return added;
        }
    }
    if (const auto scale = weights_.vector(index, Role::LayerScale); !scale.empty()) {
        const auto n_embd = static_cast<std::size_t>(spec_.n_embd);
        for_each_token(task_.n_tokens(), [&](int t) {
            float* row = scratch_.x + static_cast<std::size_t>(t) * n_embd;
            for (std::size_t i = 0; i < n_embd; ++i) {
                row[i] *= scale.front();
            }
        });
    }
    return {};
}

}  // namespace hearth
