#include "large_model.h"

#include <string>
#include <vector>

namespace hearth::test {
namespace {

constexpr std::uint32_t kEmbd = 2048;
constexpr std::uint32_t kFf = 8192;
constexpr std::uint32_t kHeads = 16;
constexpr std::uint32_t kVocab = 32000;

}  // namespace

GgufBuilder large_model(DType type, std::uint32_t n_layer) {
    GgufBuilder builder;
    builder.key("general.architecture", "llama")
        .key("llama.context_length", std::uint32_t{2048})
        .key("llama.embedding_length", kEmbd)
        .key("llama.block_count", n_layer)
        .key("llama.feed_forward_length", kFf)
        .key("llama.attention.head_count", kHeads)
        .key("llama.attention.head_count_kv", kHeads)
        .key("llama.attention.layer_norm_rms_epsilon", 1e-5F)
        .key("llama.rope.dimension_count", kEmbd / kHeads)
        .key("tokenizer.ggml.model", "gpt2")
        .key("tokenizer.ggml.pre", "gpt-2")
        .array("tokenizer.ggml.merges", std::vector<std::string>{})
        .key("tokenizer.ggml.eos_token_id", std::uint32_t{2});
    std::vector<std::string> tokens;
    for (std::uint32_t i = 0; i < kVocab; ++i) {
        tokens.push_back("token" + std::to_string(i));
    }
    builder.array("tokenizer.ggml.tokens", tokens);
    builder.array("tokenizer.ggml.token_type", std::vector<std::int32_t>(kVocab, 1));

    const std::vector<float> ones(kEmbd, 1.0F);
    builder.tensor("token_embd.weight", {kVocab, kEmbd}, type);
    for (std::uint32_t layer = 0; layer < n_layer; ++layer) {
        const std::string prefix = "blk." + std::to_string(layer) + ".";
        builder.tensor_f32(prefix + "attn_norm.weight", {kEmbd}, ones);
        for (const char* name : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
            builder.tensor(prefix + name + ".weight", {kEmbd, kEmbd}, type);
        }
        builder.tensor_f32(prefix + "ffn_norm.weight", {kEmbd}, ones);
        builder.tensor(prefix + "ffn_gate.weight", {kFf, kEmbd}, type);
        builder.tensor(prefix + "ffn_up.weight", {kFf, kEmbd}, type);
        builder.tensor(prefix + "ffn_down.weight", {kEmbd, kFf}, type);
    }
    builder.tensor_f32("output_norm.weight", {kEmbd}, ones);
    return builder;
}

}  // namespace hearth::test
