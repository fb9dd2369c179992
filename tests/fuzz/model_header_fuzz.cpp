// Any header in front of zeros, as a model: layers, roles, packed records and what lies beside
// them. The first byte is how many KiB of zeros follow the header, so that inputs stay small
// whatever the tensors claim.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "gguf/encoding.h"
#include "gguf/reader.h"
#include "gguf/rows.h"
#include "model/foretelling.h"
#include "model/packed_layout.h"
#include "model/predictor_file.h"
#include "model/stored_rows.h"
#include "model/threshold_file.h"
#include "model/weights.h"
#include "plan/known_profile.h"

namespace {

using namespace hearth;

void check_error(const Error& error) {
    FUZZ_CHECK(fuzz::is_fit_message(error.message));
    FUZZ_CHECK(error.code == ErrorCode::BadFile || error.code == ErrorCode::Unsupported);
}

// A row of any type that is computed with can be taken apart.
void check_types(const GgufFile& file) {
    std::vector<float> row;
    for (const TensorInfo& tensor : file.tensors().entries()) {
        if (!is_computable(tensor.type)) {
            FUZZ_CHECK(find_encoding(tensor.type) == nullptr);
        } else if (tensor.bytes > 0) {
            row.resize(dtype_info(tensor.type).block_values);
            dequantize_row(tensor.type, file.data(tensor).data(), row);
        }
    }
}

void check_layer(const ModelSpec& spec, const LayerSpec& layer) {
    FUZZ_CHECK(layer.n_ff > 0 && layer.attention.n_head > 0 && layer.attention.n_head_kv > 0);
    FUZZ_CHECK(layer.attention.n_head % layer.attention.n_head_kv == 0);
    FUZZ_CHECK(layer.attention.head_dim > 0 && layer.attention.head_dim % 2 == 0);
    FUZZ_CHECK(layer.attention.rope.dim >= 0 &&
               layer.attention.rope.dim <= layer.attention.head_dim);
    FUZZ_CHECK(layer.activation == spec.activation());
}

// Every row that a role is said to have lies inside its tensor.
void check_weights(const ByRole<Weight>& weights) {
    for (const Weight& weight : weights.all) {
        if (!weight.present()) {
            continue;
        }
        FUZZ_CHECK(is_computable(weight.type));
        FUZZ_CHECK(weight.rows > 0 && weight.cols > 0);
        const std::uint64_t size = stored_row_bytes(weight);
        const std::uint64_t bytes = weight.tensor->bytes;
        FUZZ_CHECK(weight.offset <= bytes && size <= bytes - weight.offset);
        FUZZ_CHECK(weight.rows == 1 ||
                   weight.stride <= (bytes - weight.offset - size) / (weight.rows - 1));
    }
}

void check_model(const GgufFile& file, const ModelSpec& spec) {
    FUZZ_CHECK(spec.n_embd > 0 && spec.n_vocab > 0 && spec.n_layer() > 0);
    for (const LayerSpec& layer : spec.layers) {
        check_layer(spec, layer);
    }
    const auto layout =
        is_packed(file) ? read_packed_layout(file, spec) : Result<PackedLayout>(PackedLayout{});
    if (!layout) {
        check_error(layout.error());
    } else if (const auto order = read_neuron_order(file, *layout); !order) {
        check_error(order.error());
    }
    for (const TensorInfo& tensor : file.tensors().entries()) {
        for (const TensorContent& content :
             contents_of(tensor, is_packed(file) && layout ? &*layout : nullptr)) {
            FUZZ_CHECK(content.bytes <= tensor.bytes);
        }
    }
    auto tensors = bind_tensors(file, spec);
    if (!tensors) {
        check_error(tensors.error());
        return;
    }
    FUZZ_CHECK(tensors->layers.size() == spec.layers.size());
    if (const auto predictors = bind_predictors(file, spec, {}); !predictors) {
        // The user can say what the file leaves open.
        const bool is_open = predictors.error().code == ErrorCode::InvalidArgument &&
                             predictors.error().field == "hearth.predictor.input";
        if (!is_open) {
            check_error(predictors.error());
        }
    } else {
        use_predictors(file, *predictors, *tensors);
    }
    check_weights(tensors->weights);
    for (const LayerTensors& layer : tensors->layers) {
        check_weights(layer.weights);
    }
    const FoundForetelling foretelling = find_foretelling(file, spec);
    FUZZ_CHECK(foretelling.why_not.empty() || fuzz::is_fit_message(foretelling.why_not));
    if (foretelling.model) {
        FUZZ_CHECK(foretelling.why_not.empty() && foretelling.model->spec.n_layer() == 1);
        check_layer(foretelling.model->spec, foretelling.model->spec.layer(0));
        check_weights(foretelling.model->tensors.weights);
        check_weights(foretelling.model->tensors.layers.front().weights);
    }
    if (const auto profile = find_profile(file, spec, {}, {}); !profile) {
        check_error(profile.error());
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::size_t header = size == 0 ? 0 : size - 1;
    std::vector<std::byte> bytes(header + (size == 0 ? 0 : std::size_t{data[0]} << 10));
    if (header > 0) {
        std::memcpy(bytes.data(), data + 1, header);
    }
    const auto file = GgufFile::parse(bytes, "input.gguf");
    if (!file) {
        check_error(file.error());
        return 0;
    }
    check_types(*file);
    const auto spec = read_model_spec(*file);
    if (!spec) {
        check_error(spec.error());
    } else {
        check_model(*file, *spec);
    }
    if (const auto thresholds = read_thresholds(*file, spec ? spec->n_layer() : 1, {});
        !thresholds) {
        check_error(thresholds.error());
    }
    return 0;
}
