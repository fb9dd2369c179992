#include "engine/vulkan/exact_weights.h"

#include <cmath>
#include <span>
#include <utility>

#include "engine/vulkan/split_model.h"
#include "gguf/rows.h"
#include "support/reference_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vram_part.h"

namespace hearth::test {
namespace {

constexpr int kEmbd = 256;
constexpr int kFf = 512;
constexpr SplitSizes kSizes{16, 4, 1};

std::vector<float> one_hot_rows() {
    std::vector<float> values(TinyModel::kVocab * kEmbd);
    for (std::size_t token = 0; token < TinyModel::kVocab; ++token) {
        values[token * kEmbd + token % kEmbd] = 4;
    }
    return values;
}

GgufBuilder file_of(const HeldBlock& block) {
    const TinyModelOptions options{.type = block.up,
                                   .n_layer = 1,
                                   .n_embd = kEmbd,
                                   .n_ff = kFf,
                                   .by_neuron = block.by_neuron,
                                   .output_type = DType::F32,
                                   .gate_type = block.gate,
                                   .norm_eps = 1e-12F};
    GgufBuilder file = TinyModel(options).file();
    file.without("token_embd.weight")
        .tensor_f32("token_embd.weight", {TinyModel::kVocab, kEmbd}, one_hot_rows());
    file.without("blk.0.attn_output.weight")
        .tensor("blk.0.attn_output.weight", {kEmbd, kEmbd}, DType::F32);
    file.without("blk.0.ffn_norm.weight")
        .tensor_f32("blk.0.ffn_norm.weight", {kEmbd}, std::vector<float>(kEmbd, 127.0F / 128));
    if (block.down != block.up) {
        const std::string name =
            block.by_neuron ? "blk.0.ffn_down_t.weight" : "blk.0.ffn_down.weight";
        const std::uint64_t rows = block.by_neuron ? kFf : kEmbd;
        const std::uint64_t cols = block.by_neuron ? kEmbd : kFf;
        const std::size_t size = row_bytes(block.down, cols);
        Bytes bytes(rows * size);
        std::vector<float> row(cols);
        for (std::uint64_t r = 0; r < rows; ++r) {
            for (std::uint64_t c = 0; c < cols; ++c) {
                row[c] = static_cast<float>((r * 131 + c * 37) % 201) * 1e-3F - 0.1F;
            }
            quantize_row(block.down, row, bytes.data() + r * size);
        }
        file.without(name).tensor(name, {rows, cols}, block.down, std::move(bytes));
    }
    return file;
}

}  // namespace

std::string HeldBlock::name() const {
    const auto text = [](DType type) { return std::string(dtype_info(type).name); };
    return std::string(on_gpu ? "gpu" : "processor") + "/" +
           (by_neuron ? "by neuron, " : "dense, ") +
           (gate == up && up == down ? text(up)
                                     : text(gate) + " and " + text(up) + ", down " + text(down));
}

double error_of(const HeldBlock& block, const std::shared_ptr<vulkan::Device>& device,
                std::string& problem) {
    const GgufBuilder builder = file_of(block);
    const TempDir dir;
    const std::string path = dir.file("tiny.gguf");
    const auto reference = ReferenceModel::parse(builder.bytes());
    if (!builder.write(path) || !reference) {
        problem = "the model could not be written";
        return 0;
    }
    auto file = GgufFile::open(path);
    auto spec = file ? read_model_spec(*file) : Result<ModelSpec>(file.error());
    auto tensors = spec ? bind_tensors(*file, *spec) : Result<ModelTensors>(spec.error());
    if (!tensors) {
        problem = tensors.error().message;
        return 0;
    }
    VramPart part{spec->neurons()};
    if (block.on_gpu) {
        part.hot_neurons = {kFf};
        part.attention_in_vram = {true};
        part.output_in_vram = true;
    }
    SplitModel model(*file, *spec, *tensors,
                     block.by_neuron ? FeedForwardMode::Exact : FeedForwardMode::Dense, part,
                     block.on_gpu ? device : nullptr, {}, kSizes);
    problem = model.problem;
    double squares = 0;
    double errors = 0;
    for (const std::int32_t token : {5, 77, 130, 201}) {
        if (!problem.empty()) {
            return 0;
        }
        const std::vector<double> wanted = reference->logits({token});
        const auto compare = [&](std::size_t, std::span<const float> logits) {
            for (std::size_t i = 0; i < logits.size(); ++i) {
                const double difference = static_cast<double>(logits[i]) - wanted[i];
                squares += wanted[i] * wanted[i];
                errors += std::isfinite(difference) ? difference * difference : HUGE_VAL;
            }
        };
        const Cancellation never;
        auto done = model.decoder->forward(std::span(&token, 1), 0, model.pasts.front(),
                                           Decoder::Want::Last, compare, never);
        problem = done ? "" : done.error().message;
    }
    return std::sqrt(errors / squares);
}

}  // namespace hearth::test
