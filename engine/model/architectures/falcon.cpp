// Falcon: attention and feed-forward both read the layer's input, and q, k and v are one matrix.
#include <array>
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

void read_norms(Keys& keys, int index, LayerSpec& layer) {
    const TensorInfo* attention = keys.tensor(Role::AttnNorm, index).tensor;
    const TensorInfo* block = keys.tensor(Role::FfnNorm, index).tensor;
    layer.norms = attention == block ? Norms::ParallelOne : Norms::ParallelTwo;
}

Result<ModelSpec> read_falcon(Keys& keys, std::optional<Activation> stated) {
    const bool relu = is_relu_falcon(keys.file());
    auto spec = read_decoder(keys,
                             {.norm = NormKind::Layer,
                              .activation = relu ? Activation::Relu : Activation::Gelu,
                              .rope = RopePairing::Halves,
                              .of_layer = read_norms},
                             stated);
    check_row_order(keys);
    return spec;
}

// The block's norm has the name that others give to attention's. Attention's is the second of two.
constexpr std::array kNames{
    TensorName{"attn_norm_2.weight", {Role::AttnNorm}},
    TensorName{"attn_norm.weight", {Role::AttnNorm}},
    TensorName{
        .name = "attn_norm_2.bias", .roles = {Role::AttnNormBias}, .where = "attn_norm_2.weight"},
    TensorName{"attn_norm.bias", {Role::AttnNormBias}},
    TensorName{"attn_norm.weight", {Role::FfnNorm}},
    TensorName{"attn_norm.bias", {Role::FfnNormBias}},
};

}  // namespace

extern constinit const Architecture kFalcon{.name = "falcon", .read = read_falcon, .names = kNames};

}  // namespace hearth
