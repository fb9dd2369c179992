// Falcon: attention and feed-forward both read the layer's input, and q, k and v are one matrix.
#include <string>

#include "gguf/printable.h"
#include "model/architectures/architectures.h"
#include "model/architectures/decoder_only.h"

namespace hearth {
namespace {

// Falcon's dense files store the down projection by neuron as well. Only a predictor tells
// PowerInfer's ReluFalcon apart from them.
bool is_relu_falcon(const GgufFile& file) {
    return file.container() == Container::Pwri ||
           file.tensors().find("blk.0.fc1.weight") != nullptr;
}

// In which order the fused matrix's rows stand: "jploski" is q, then k, then v.
void check_row_order(Keys& keys) {
    if (!keys.has("tensor_data_layout") ||
        keys.file().tensors().find("blk.0.attn_qkv.weight") == nullptr) {
        return;
    }
    const std::string key = keys.key("tensor_data_layout");
    auto layout = keys.file().metadata().string(key);
    if (!layout) {
        keys.fail(layout.error().code, key, layout.error().message);
    } else if (*layout != "jploski") {
        keys.unsupported("tensor_data_layout",
                         "the layout \"" + printable(*layout) + "\" is not supported");
    }
}

}  // namespace

Result<ModelSpec> read_falcon(Keys& keys, std::optional<Activation> stated) {
    const bool relu = is_relu_falcon(keys.file());
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Layer,
                              .activation = relu ? Activation::Relu : Activation::Gelu,
                              .rope = RopePairing::Halves},
                             stated);
    check_row_order(keys);
    for (int i = 0; spec && i < spec->n_layer(); ++i) {
        const std::string second = "blk." + std::to_string(i) + ".attn_norm_2.weight";
        const bool two = keys.file().tensors().find(second) != nullptr;
        spec->layers[static_cast<std::size_t>(i)].norms =
            two ? Norms::ParallelTwo : Norms::ParallelOne;
    }
    return spec;
}

}  // namespace hearth
