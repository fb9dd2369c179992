#include "bench/random_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/half.h"
#include "base/thread_pool.h"
#include "bench/kept_experts.h"
#include "bench/random_numbers.h"
#include "bench/random_vocab.h"
#include "gguf/blocks.h"
#include "gguf/encoding.h"
#include "gguf/rows.h"
#include "gguf/writer.h"

namespace hearth::bench {
namespace {

constexpr std::array kShapes = {
    ModelShape{"llama-3.2-1b", 2048, 16, 32, 8, 64, 8192, 128256, true, 500000.0F, 131072,
               VocabKind::ByteLevel},
    ModelShape{"llama-3.2-3b", 3072, 28, 24, 8, 128, 8192, 128256, true, 500000.0F, 131072,
               VocabKind::ByteLevel},
    ModelShape{"llama-3.1-8b", 4096, 32, 32, 8, 128, 14336, 128256, false, 500000.0F, 131072,
               VocabKind::ByteLevel},
    // No real model's: for trying things out.
    ModelShape{"small", 512, 4, 8, 4, 64, 1536, 2000, false, 10000.0F, 4096,
               VocabKind::SentencePiece},
    // Its own context is 4096; more is stated, so that long ones can be measured.
    ModelShape{"llama-2-7b", 4096, 32, 32, 32, 128, 11008, 32000, false, 10000.0F, 32768,
               VocabKind::SentencePiece},
    ModelShape{"llama-2-13b", 5120, 40, 40, 40, 128, 13824, 32000, false, 10000.0F, 32768,
               VocabKind::SentencePiece},
    ModelShape{"qwen3-4b", 2560, 36, 32, 8, 128, 9728, 151936, true, 1000000.0F, 40960,
               VocabKind::ByteLevel, "qwen3", true},
    ModelShape{"qwen3.5-4b", 2560, 32, 16, 4, 256, 9216, 248320, true, 10000000.0F, 262144,
               VocabKind::ByteLevel, "qwen35", true, 4, 16, 32, 128},
    ModelShape{"gemma4-e4b",
               2560,
               42,
               8,
               2,
               512,
               10240,
               262144,
               true,
               1000000.0F,
               131072,
               VocabKind::SentencePiece,
               "gemma4",
               true,
               0,
               0,
               0,
               0,
               {6, 512, 256, 18, 256}},
    ModelShape{.name = "mixtral-8x7b",
               .n_embd = 4096,
               .n_layer = 32,
               .n_head = 32,
               .n_head_kv = 8,
               .head_dim = 128,
               .n_ff = 14336,
               .n_vocab = 32000,
               .tied = false,
               .rope_base = 1000000.0F,
               .n_ctx = 32768,
               .vocab = VocabKind::SentencePiece,
               .experts = {8, 2, 14336}},
    ModelShape{.name = "qwen3-30b-a3b",
               .n_embd = 2048,
               .n_layer = 48,
               .n_head = 32,
               .n_head_kv = 4,
               .head_dim = 128,
               .n_ff = 6144,
               .n_vocab = 151936,
               .tied = false,
               .rope_base = 1000000.0F,
               .n_ctx = 40960,
               .vocab = VocabKind::ByteLevel,
               .arch = "qwen3moe",
               .head_norms = true,
               .experts = {128, 8, 768}},
    ModelShape{.name = "qwen3-next-80b-a3b",
               .n_embd = 2048,
               .n_layer = 48,
               .n_head = 16,
               .n_head_kv = 2,
               .head_dim = 256,
               .n_ff = 5120,
               .n_vocab = 151936,
               .tied = false,
               .rope_base = 10000000.0F,
               .n_ctx = 262144,
               .vocab = VocabKind::ByteLevel,
               .arch = "qwen3next",
               .head_norms = true,
               .delta_interval = 4,
               .n_key_heads = 16,
               .n_value_heads = 32,
               .state_dim = 128,
               .experts = {512, 10, 512, 512}},
    ModelShape{.name = "qwen3.5-35b-a3b",
               .n_embd = 2048,
               .n_layer = 40,
               .n_head = 16,
               .n_head_kv = 2,
               .head_dim = 256,
               .n_ff = 512,
               .n_vocab = 248320,
               .tied = false,
               .rope_base = 10000000.0F,
               .n_ctx = 262144,
               .vocab = VocabKind::ByteLevel,
               .arch = "qwen35moe",
               .head_norms = true,
               .delta_interval = 4,
               .n_key_heads = 16,
               .n_value_heads = 32,
               .state_dim = 128,
               .experts = {256, 8, 512, 512}},
    ModelShape{.name = "nemotron-3-nano-30b-a3b",
               .n_embd = 2688,
               .n_layer = 52,
               .n_head = 32,
               .n_head_kv = 2,
               .head_dim = 128,
               .n_ff = 1856,
               .n_vocab = 131072,
               .tied = false,
               .rope_base = 10000.0F,
               .n_ctx = 262144,
               .vocab = VocabKind::ByteLevel,
               .arch = "nemotron_h_moe",
               .experts = {128, 6, 1856, 3712},
               .blocks = {"MEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEM*EMEMEMEM*EMEMEMEME", 64, 8, 64, 128}},
    ModelShape{.name = "gemma4-26b-a4b",
               .n_embd = 2816,
               .n_layer = 30,
               .n_head = 16,
               .n_head_kv = 8,
               .head_dim = 512,
               .n_ff = 2112,
               .n_vocab = 262144,
               .tied = true,
               .rope_base = 1000000.0F,
               .n_ctx = 262144,
               .vocab = VocabKind::SentencePiece,
               .arch = "gemma4",
               .head_norms = true,
               .windows = {6, 1024, 256, 0, 0, 2},
               .experts = {128, 8, 704}},
    ModelShape{.name = "gpt-oss-20b",
               .n_embd = 2880,
               .n_layer = 24,
               .n_head = 64,
               .n_head_kv = 8,
               .head_dim = 64,
               .n_ff = 2880,
               .n_vocab = 201088,
               .tied = false,
               .rope_base = 150000.0F,
               .n_ctx = 131072,
               .vocab = VocabKind::ByteLevel,
               .arch = "gpt-oss",
               .experts = {32, 4, 2880}},
    // head_dim: of values.
    ModelShape{.name = "glm-4.7-flash",
               .n_embd = 2048,
               .n_layer = 47,
               .n_head = 20,
               .n_head_kv = 1,
               .head_dim = 256,
               .n_ff = 10240,
               .n_vocab = 154880,
               .tied = false,
               .rope_base = 1000000.0F,
               .n_ctx = 202752,
               .vocab = VocabKind::ByteLevel,
               .arch = "deepseek2",
               .experts = {.n = 64, .n_used = 4, .n_ff = 1536, .n_ff_shared = 1536, .n_leading = 1},
               .latent = {512, 768, 192, 64, 256}},
    ModelShape{.name = "smallthinker-4b-a0.6b",
               .n_embd = 1536,
               .n_layer = 32,
               .n_head = 12,
               .n_head_kv = 2,
               .head_dim = 128,
               .n_ff = 768,
               .n_vocab = 151936,
               .tied = true,
               .rope_base = 1500000.0F,
               .n_ctx = 32768,
               .vocab = VocabKind::ByteLevel,
               .arch = "smallthinker",
               .experts = {32, 4, 768}},
    ModelShape{.name = "smallthinker-21b-a3b",
               .n_embd = 2560,
               .n_layer = 52,
               .n_head = 28,
               .n_head_kv = 4,
               .head_dim = 128,
               .n_ff = 768,
               .n_vocab = 151936,
               .tied = false,
               .rope_base = 1500000.0F,
               .n_ctx = 16384,
               .vocab = VocabKind::ByteLevel,
               .arch = "smallthinker",
               .windows = {.window = 4096},
               .experts = {64, 6, 768}},
    ModelShape{.name = "llama4-scout",
               .n_embd = 5120,
               .n_layer = 48,
               .n_head = 40,
               .n_head_kv = 8,
               .head_dim = 128,
               .n_ff = 16384,
               .n_vocab = 202048,
               .tied = false,
               .rope_base = 500000.0F,
               .n_ctx = 10485760,
               .vocab = VocabKind::ByteLevel,
               .arch = "llama4",
               .experts = {.n = 16, .n_used = 1, .n_ff = 8192, .n_ff_shared = 8192, .step = 1}},
    ModelShape{.name = "llama4-maverick",
               .n_embd = 5120,
               .n_layer = 48,
               .n_head = 40,
               .n_head_kv = 8,
               .head_dim = 128,
               .n_ff = 16384,
               .n_vocab = 202048,
               .tied = false,
               .rope_base = 500000.0F,
               .n_ctx = 1048576,
               .vocab = VocabKind::ByteLevel,
               .arch = "llama4",
               .experts = {.n = 128, .n_used = 1, .n_ff = 8192, .n_ff_shared = 8192, .step = 2}},
};

constexpr int kConvTaps = 4;

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;  // one task's, about
constexpr int kPiecesAtOnce = 16;

// One random byte picks one quantised value. The scale means values up to kLargest deviations, as
// the quantiser's would, and varies from block to block, as it does there.
struct Tables {
    std::array<std::uint8_t, 256> nibbles{};
    std::array<std::int8_t, 256> bytes{};
    std::array<double, 256> normal = normal_values();
    static constexpr double kLargest = 2.5;  // deviations that the greatest quantised value means

    Tables() {
        for (std::size_t i = 0; i < normal.size(); ++i) {
            const double share = normal[i] / kLargest;
            nibbles[i] = static_cast<std::uint8_t>(std::clamp(std::lround(8 + 8 * share), 0L, 15L));
            bytes[i] = static_cast<std::int8_t>(std::clamp(std::lround(127 * share), -127L, 127L));
        }
    }
};

// 3/4 to 5/4 of `scale`.
std::uint16_t varied(double scale, std::uint64_t random) {
    const double share = 0.75 + static_cast<double>(random >> 40) * 0x1p-25;
    return float_to_half(static_cast<float>(scale * share));
}

template <class Block>
void put(const Block& block, std::byte* out) {
    std::memcpy(out, &block, sizeof block);
}

// Types without a short way: pieces of the quantiser's, each used many times.
void fill_with_pieces(DType type, const Tables& tables, double deviation, std::uint64_t n_values,
                      Random& random, std::byte* out) {
    constexpr std::size_t kPieces = 64;
    const std::uint64_t piece_bytes = row_bytes(type, kSuperBlockValues);
    std::vector<std::byte> pieces(kPieces * piece_bytes);
    std::array<float, kSuperBlockValues> values;
    for (std::size_t i = 0; i < kPieces; ++i) {
        for (float& value : values) {
            value = static_cast<float>(tables.normal[random.next() & 0xFFU] * deviation);
        }
        quantize_row(type, values, &pieces[i * piece_bytes]);
    }
    for (std::uint64_t i = 0; i < n_values; i += kSuperBlockValues) {
        const std::uint64_t left = std::min<std::uint64_t>(n_values - i, kSuperBlockValues);
        const std::uint64_t bytes = row_bytes(type, left);
        std::memcpy(out, &pieces[random.next() % kPieces * piece_bytes], bytes);
        out += bytes;
    }
}

// out: `n_values` values of a matrix with rows of `cols`; n_values a multiple of 32.
void fill(DType type, const Tables& tables, std::uint64_t cols, std::uint64_t n_values,
          std::uint64_t seed, std::byte* out) {
    Random random(seed);
    const double deviation = 1.0 / std::sqrt(static_cast<double>(cols));
    if (type == DType::F16) {
        std::array<std::uint16_t, 256> halves{};
        for (std::size_t i = 0; i < halves.size(); ++i) {
            halves[i] = float_to_half(static_cast<float>(tables.normal[i] * deviation));
        }
        for (std::uint64_t i = 0; i < n_values; i += 8) {
            std::uint64_t bits = random.next();
            for (int k = 0; k < 8; ++k, bits >>= 8) {
                std::memcpy(out, &halves[bits & 0xFFU], sizeof(std::uint16_t));
                out += sizeof(std::uint16_t);
            }
        }
        return;
    }
    if (type != DType::Q4_0 && type != DType::Q8_0) {
        return fill_with_pieces(type, tables, deviation, n_values, random, out);
    }
    const double scale = deviation * Tables::kLargest / (type == DType::Q4_0 ? 8 : 127);
    for (std::uint64_t i = 0; i < n_values; i += kBlockValues) {
        const std::uint16_t d = varied(scale, random.next());
        if (type == DType::Q4_0) {
            BlockQ4_0 block{d, {}};
            for (std::size_t k = 0; k < kBlockValues / 2; k += 4) {
                std::uint64_t bits = random.next();
                for (std::size_t j = 0; j < 4; ++j, bits >>= 16) {
                    block.qs[k + j] = static_cast<std::uint8_t>(
                        tables.nibbles[bits & 0xFFU] | tables.nibbles[bits >> 8 & 0xFFU] << 4);
                }
            }
            put(block, out);
            out += sizeof block;
        } else {
            BlockQ8_0 block{d, {}};
            for (std::size_t k = 0; k < kBlockValues; k += 8) {
                std::uint64_t bits = random.next();
                for (std::size_t j = 0; j < 8; ++j, bits >>= 8) {
                    block.qs[k + j] = tables.bytes[bits & 0xFFU];
                }
            }
            put(block, out);
            out += sizeof block;
        }
    }
}

std::vector<TensorInfo> tensors_of(const ModelShape& shape, DType main, DType finer) {
    const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
    const std::uint64_t n_embd = size(shape.n_embd);
    const std::uint64_t n_ff = size(shape.n_ff);
    std::vector<TensorInfo> tensors;
    const auto matrix = [&](std::string name, std::uint64_t rows, std::uint64_t cols, DType type) {
        tensors.push_back({std::move(name), {rows, cols}, type});
    };
    const auto vector = [&](std::string name, std::uint64_t n) {
        tensors.push_back({std::move(name), {n}, DType::F32});
    };
    const auto norm = [&](std::string name) { vector(std::move(name), n_embd); };
    const bool has_delta_nets = shape.delta_interval > 0;
    const auto delta_net = [&](const std::string& prefix) {
        const std::uint64_t heads = size(shape.n_value_heads);
        const std::uint64_t values = heads * size(shape.state_dim);
        const std::uint64_t channels = 2 * size(shape.n_key_heads) * size(shape.state_dim) + values;
        matrix(prefix + "attn_qkv.weight", channels, n_embd, main);
        matrix(prefix + "attn_gate.weight", values, n_embd, main);
        tensors.push_back({prefix + "ssm_conv1d.weight", {channels, kConvTaps}, DType::F32});
        vector(prefix + "ssm_dt.bias", heads);
        vector(prefix + "ssm_a", heads);
        if (shape.arch == "qwen3next") {
            matrix(prefix + "ssm_ba.weight", 2 * heads, n_embd, main);
        } else {
            matrix(prefix + "ssm_beta.weight", heads, n_embd, main);
            matrix(prefix + "ssm_alpha.weight", heads, n_embd, main);
        }
        vector(prefix + "ssm_norm.weight", size(shape.state_dim));
        matrix(prefix + "ssm_out.weight", n_embd, values, main);
    };
    const auto attention = [&](const std::string& prefix, int layer) {
        const std::uint64_t head_dim = size(shape.head_dim_of(layer));
        const std::uint64_t n_q = size(shape.n_head) * head_dim;
        const std::uint64_t n_kv = size(shape.n_head_kv_of(layer)) * head_dim;
        const bool own_past = layer < shape.n_blocks() - shape.windows.n_shared_pasts;
        const DType plain = shape.has_biases() ? finer : main;
        matrix(prefix + "attn_q.weight", has_delta_nets ? 2 * n_q : n_q, n_embd, plain);
        if (own_past) {
            matrix(prefix + "attn_k.weight", n_kv, n_embd, plain);
        }
        if (own_past && !shape.keys_are_values(layer)) {
            matrix(prefix + "attn_v.weight", n_kv, n_embd, finer);
        }
        matrix(prefix + "attn_output.weight", n_embd, n_q, plain);
        if (shape.has_biases()) {
            vector(prefix + "attn_q.bias", n_q);
            vector(prefix + "attn_k.bias", n_kv);
            vector(prefix + "attn_v.bias", n_kv);
            vector(prefix + "attn_output.bias", n_embd);
            vector(prefix + "attn_sinks.weight", size(shape.n_head));
        }
        if (shape.head_norms) {
            vector(prefix + "attn_q_norm.weight", head_dim);
        }
        if (shape.head_norms && own_past) {
            vector(prefix + "attn_k_norm.weight", head_dim);
        }
    };
    const auto mamba = [&](const std::string& prefix) {
        const ModelShape::Blocks& blocks = shape.blocks;
        const std::uint64_t heads = size(blocks.n_heads);
        const std::uint64_t groups = size(blocks.n_groups);
        const std::uint64_t values = heads * size(blocks.head_dim);
        const std::uint64_t channels = values + 2 * groups * size(blocks.n_states);
        matrix(prefix + "ssm_in.weight", values + channels + heads, n_embd, main);
        matrix(prefix + "ssm_conv1d.weight", channels, kConvTaps, DType::F32);
        vector(prefix + "ssm_conv1d.bias", channels);
        vector(prefix + "ssm_dt.bias", heads);
        matrix(prefix + "ssm_a", heads, 1, DType::F32);
        matrix(prefix + "ssm_d", heads, 1, DType::F32);
        matrix(prefix + "ssm_norm.weight", groups, values / groups, DType::F32);
        matrix(prefix + "ssm_out.weight", n_embd, values, main);
    };
    const ModelShape::Latent& latent = shape.latent;
    const bool has_latents = latent.rank > 0;
    const auto latent_attention = [&](const std::string& prefix) {
        const std::uint64_t n_head = size(shape.n_head);
        const std::uint64_t rank = size(latent.rank);
        const std::uint64_t q_rank = size(latent.q_rank);
        const std::uint64_t values = size(latent.value_dim);
        const std::uint64_t plain = size(latent.plain_dim);
        // Quantisers take another type where rows are no whole blocks.
        const bool whole = plain % dtype_info(main).block_values == 0;
        matrix(prefix + "attn_q_a.weight", q_rank, n_embd, main);
        vector(prefix + "attn_q_a_norm.weight", q_rank);
        matrix(prefix + "attn_q_b.weight", n_head * (plain + size(latent.rotated_dim)), q_rank,
               main);
        matrix(prefix + "attn_kv_a_mqa.weight", rank + size(latent.rotated_dim), n_embd, main);
        vector(prefix + "attn_kv_a_norm.weight", rank);
        tensors.push_back(
            {prefix + "attn_k_b.weight", {n_head, rank, plain}, whole ? main : DType::Q8_0});
        tensors.push_back({prefix + "attn_v_b.weight", {n_head, values, rank}, finer});
        matrix(prefix + "attn_output.weight", n_embd, n_head * values, main);
    };
    const bool has_windows = shape.windows.interval > 0;
    const std::uint64_t n_layer_input = size(shape.windows.n_layer_input);
    const auto layer_input = [&](const std::string& prefix) {
        norm(prefix + "post_attention_norm.weight");
        norm(prefix + "post_ffw_norm.weight");
        if (n_layer_input > 0) {
            matrix(prefix + "inp_gate.weight", n_layer_input, n_embd, main);
            matrix(prefix + "proj.weight", n_embd, n_layer_input, main);
            norm(prefix + "post_norm.weight");
        }
        vector(prefix + "layer_output_scale.weight", 1);
    };
    const auto mixture = [&](const std::string& prefix, int layer) {
        const ModelShape::Experts& experts = shape.experts;
        const std::uint64_t n = size(experts.n);
        const std::uint64_t width = size(experts.n_ff);
        const DType down = layer % 2 == 0 && !shape.has_biases() ? finer : main;
        matrix(prefix + "ffn_gate_inp.weight", n, n_embd, DType::F32);
        if (shape.has_biases()) {
            vector(prefix + "ffn_gate_inp.bias", n);
            matrix(prefix + "ffn_gate_exps.bias", n, width, DType::F32);
            matrix(prefix + "ffn_up_exps.bias", n, width, DType::F32);
            matrix(prefix + "ffn_down_exps.bias", n, n_embd, DType::F32);
        }
        if (!shape.blocks.kinds.empty()) {
            const std::uint64_t shared = size(experts.n_ff_shared);
            vector(prefix + "exp_probs_b.bias", n);
            tensors.push_back({prefix + "ffn_up_exps.weight", {n, width, n_embd}, main});
            tensors.push_back({prefix + "ffn_down_exps.weight", {n, n_embd, width}, down});
            matrix(prefix + "ffn_up_shexp.weight", shared, n_embd, main);
            matrix(prefix + "ffn_down_shexp.weight", n_embd, shared, down);
            return;
        }
        if (shape.has_dense_beside()) {
            const auto fitting = [&](std::uint64_t cols) {
                return cols % dtype_info(down).block_values == 0 ? down
                       : layer % 2 == 0                          ? DType::Q8_0
                                                                 : DType::Q5_0;
            };
            vector(prefix + "ffn_gate_inp.scale", n_embd);
            tensors.push_back({prefix + "ffn_gate_up_exps.weight", {n, 2 * width, n_embd}, main});
            tensors.push_back(
                {prefix + "ffn_down_exps.weight", {n, n_embd, width}, fitting(width)});
            vector(prefix + "ffn_down_exps.scale", n);
            norm(prefix + "pre_ffw_norm_2.weight");
            norm(prefix + "post_ffw_norm_1.weight");
            norm(prefix + "post_ffw_norm_2.weight");
            matrix(prefix + "ffn_gate.weight", n_ff, n_embd, main);
            matrix(prefix + "ffn_up.weight", n_ff, n_embd, main);
            matrix(prefix + "ffn_down.weight", n_embd, n_ff, fitting(n_ff));
            return;
        }
        tensors.push_back({prefix + "ffn_gate_exps.weight", {n, width, n_embd}, main});
        tensors.push_back({prefix + "ffn_up_exps.weight", {n, width, n_embd}, main});
        tensors.push_back({prefix + "ffn_down_exps.weight", {n, n_embd, width}, down});
        if (has_latents) {
            vector(prefix + "exp_probs_b.bias", n);
        }
        if (const std::uint64_t shared = size(experts.n_ff_shared); shared > 0) {
            if (!has_latents && experts.step == 0) {
                vector(prefix + "ffn_gate_inp_shexp.weight", n_embd);
            }
            matrix(prefix + "ffn_gate_shexp.weight", shared, n_embd, main);
            matrix(prefix + "ffn_up_shexp.weight", shared, n_embd, main);
            matrix(prefix + "ffn_down_shexp.weight", n_embd, shared, down);
        }
    };
    matrix("token_embd.weight", size(shape.n_vocab), n_embd,
           shape.tied || shape.has_biases() ? finer : main);
    if (n_layer_input > 0) {
        const std::uint64_t n_inputs = n_layer_input * size(shape.n_layer);
        matrix("per_layer_token_embd.weight", size(shape.n_vocab), n_inputs, main);
        matrix("per_layer_model_proj.weight", n_inputs, n_embd, DType::F16);
        vector("per_layer_proj_norm.weight", n_layer_input);
    }
    if (has_windows) {
        vector("rope_freqs.weight", size(shape.head_dim / 2));
    }
    for (int i = 0; i < shape.n_blocks(); ++i) {
        const std::string prefix = "blk." + std::to_string(i) + ".";
        norm(prefix + "attn_norm.weight");
        if (!shape.blocks.kinds.empty()) {
            switch (shape.kind(i)) {
                case 'M':
                    mamba(prefix);
                    break;
                case '*':
                    attention(prefix, i);
                    break;
                default:
                    mixture(prefix, i);
            }
            continue;
        }
        if (shape.is_delta_net(i)) {
            delta_net(prefix);
        } else if (has_latents) {
            latent_attention(prefix);
        } else {
            attention(prefix, i);
        }
        if (has_windows) {
            layer_input(prefix);
        }
        norm(prefix + (has_delta_nets || shape.has_biases() ? "post_attention_norm.weight"
                                                            : "ffn_norm.weight"));
        if (shape.is_mixture(i)) {
            mixture(prefix, i);
            continue;
        }
        matrix(prefix + "ffn_gate.weight", n_ff, n_embd, main);
        matrix(prefix + "ffn_up.weight", n_ff, n_embd, main);
        matrix(prefix + "ffn_down.weight", n_embd, n_ff, i % 2 == 0 ? finer : main);
        if (i == shape.n_layer) {
            matrix(prefix + "nextn.eh_proj.weight", n_embd, 2 * n_embd, main);
            norm(prefix + "nextn.enorm.weight");
            norm(prefix + "nextn.hnorm.weight");
            norm(prefix + "nextn.shared_head_norm.weight");
        }
    }
    norm("output_norm.weight");
    if (!shape.tied) {
        matrix("output.weight", size(shape.n_vocab), n_embd, finer);
    }
    return tensors;
}

// A router's rows of half of the experts, in floats from row `first` on.
void make_lesser(float factor, std::uint64_t seed, std::uint64_t n_experts, std::uint64_t first,
                 std::span<std::byte> rows, std::uint64_t row_bytes) {
    std::vector<std::uint64_t> experts(n_experts);
    std::iota(experts.begin(), experts.end(), std::uint64_t{0});
    Random random(seed);
    for (std::uint64_t i = n_experts; i > 1; --i) {
        std::swap(experts[i - 1], experts[random.next() % i]);
    }
    for (std::uint64_t i = 0; i < n_experts / 2; ++i) {
        const std::uint64_t expert = experts[i];
        if (expert < first || (expert - first) * row_bytes >= rows.size()) {
            continue;
        }
        std::byte* row = rows.data() + (expert - first) * row_bytes;
        for (std::uint64_t at = 0; at < row_bytes; at += sizeof(float)) {
            float value = 0;
            std::memcpy(&value, row + at, sizeof value);
            value *= factor;
            std::memcpy(row + at, &value, sizeof value);
        }
    }
}

Result<void> write_matrix(GgufWriter& writer, ThreadPool& pool, const Tables& tables,
                          const TensorInfo& tensor, std::uint64_t seed, float lesser,
                          const KeptExperts* kept, std::vector<std::byte>& buffer) {
    const std::uint64_t cols = tensor.cols();
    const std::uint64_t one_row = row_bytes(tensor.type, cols);
    const std::uint64_t rows_a_piece = std::max<std::uint64_t>(1, kPieceBytes / one_row);
    const std::uint64_t n_pieces = (tensor.rows() + rows_a_piece - 1) / rows_a_piece;
    for (std::uint64_t first = 0; first < n_pieces; first += kPiecesAtOnce) {
        const std::uint64_t last = std::min<std::uint64_t>(n_pieces, first + kPiecesAtOnce);
        const std::uint64_t begin_row = first * rows_a_piece;
        const std::uint64_t end_row = std::min(tensor.rows(), last * rows_a_piece);
        buffer.resize((end_row - begin_row) * one_row);
        pool.run(static_cast<int>(last - first), [&](int task, int /*worker*/) {
            const std::uint64_t piece = first + static_cast<std::uint64_t>(task);
            const std::uint64_t row = piece * rows_a_piece;
            const std::uint64_t rows = std::min(rows_a_piece, end_row - row);
            // Seeded by place, so that the number of threads changes nothing.
            const std::uint64_t mixed = seed_of(seed, piece);
            const std::span<std::byte> bytes(&buffer[(row - begin_row) * one_row], rows * one_row);
            fill(tensor.type, tables, cols, rows * cols, mixed, bytes.data());
            if (kept != nullptr) {
                kept->plant(tensor, row, bytes);
            }
        });
        if (lesser != 1.0F && tensor.name.ends_with("ffn_gate_inp.weight")) {
            make_lesser(lesser, seed, tensor.rows(), begin_row, buffer, one_row);
        }
        if (auto written = writer.write(buffer); !written) {
            return written;
        }
    }
    return {};
}

Result<void> write_norm(GgufWriter& writer, const Tables& tables, const TensorInfo& tensor,
                        std::uint64_t seed, const KeptExperts* kept) {
    Random random(seed);
    std::vector<float> values(tensor.values());
    // A state fades. A router whose input is divided by the root of its width decides nonetheless.
    const bool biased =
        tensor.name.ends_with("_exps.bias") || tensor.name.ends_with("_inp.bias") ||
        (tensor.name.find(".attn_") != std::string::npos && tensor.name.ends_with(".bias"));
    const float mean = tensor.name.ends_with("ssm_a") ? -1.0F
                       : biased                       ? 0.0F
                       : tensor.name.ends_with("ffn_gate_inp.scale")
                           ? std::sqrt(static_cast<float>(values.size()))
                           : 1.0F;
    for (float& value : values) {
        value = mean + 0.1F * static_cast<float>(tables.normal[random.next() & 0xFFU]);
    }
    if (kept != nullptr) {
        kept->plant(tensor, values);
    }
    return writer.write(std::as_bytes(std::span<const float>(values)));
}

// Vectors that files cut into rows.
bool is_like_a_vector(std::string_view name) {
    return name.ends_with("ssm_conv1d.weight") || name.ends_with("ssm_a") ||
           name.ends_with("ssm_d") || name.ends_with("ssm_norm.weight") ||
           name.ends_with("_exps.bias");
}

Error invalid(std::string message, std::string field) {
    return Error{ErrorCode::InvalidArgument, std::move(message), {}, std::move(field)};
}

}  // namespace

std::span<const ModelShape> model_shapes() {
    return kShapes;
}

const ModelShape* find_shape(std::string_view name) {
    const auto* found = std::find_if(kShapes.begin(), kShapes.end(),
                                     [&](const ModelShape& s) { return s.name == name; });
    return found == kShapes.end() ? nullptr : found;
}

void add_chat_template(Metadata& metadata) {
    metadata.add(
        "tokenizer.chat_template",
        {MetadataType::String, std::string("{% for message in messages %}{{ '<|im_start|>' + "
                                           "message['role'] + '\n' + message['content'] + "
                                           "'<|im_end|>' + '\n' }}{% endfor %}"
                                           "{% if add_generation_prompt %}"
                                           "{{ '<|im_start|>assistant\n' }}{% endif %}")});
}

Metadata model_metadata(const ModelShape& shape, const std::string& arch, int file_type) {
    Metadata metadata;
    if (shape.chat_template) {
        add_chat_template(metadata);
    }
    const auto text = [&](const char* key, std::string value) {
        metadata.add(key, {MetadataType::String, std::move(value)});
    };
    const auto number = [&](const std::string& key, int value) {
        metadata.add(key, {MetadataType::U32, static_cast<std::uint64_t>(value)});
    };
    const auto real = [&](const std::string& key, float value) {
        metadata.add(key, {MetadataType::F32, static_cast<double>(value)});
    };
    text("general.architecture", arch);
    text("general.name", "Random " + std::string(shape.name));
    number("general.file_type", file_type);
    number("general.quantization_version", 2);
    number(arch + ".vocab_size", shape.n_vocab);
    number(arch + ".context_length", shape.n_ctx);
    number(arch + ".embedding_length", shape.n_embd);
    number(arch + ".block_count", shape.n_blocks());
    if (shape.foretells) {
        number(arch + ".nextn_predict_layers", 1);
    }
    const ModelShape::Latent& latent = shape.latent;
    const ModelShape::Blocks& blocks = shape.blocks;
    // A number, or one a block: 0 in blocks of other kinds.
    const auto of_blocks = [&](const std::string& key, char kind, int value) {
        if (blocks.kinds.empty()) {
            return number(key, value);
        }
        MetadataArray values;
        values.element = MetadataType::I32;
        for (int i = 0; i < shape.n_layer; ++i) {
            values.signed_values.push_back(shape.kind(i) == kind ? value : 0);
        }
        metadata.add(key, {MetadataType::Array, std::move(values)});
    };
    of_blocks(arch + ".feed_forward_length", 'E', shape.n_ff);
    number(arch + ".rope.dimension_count", latent.rank > 0            ? latent.rotated_dim
                                           : shape.delta_interval > 0 ? shape.head_dim / 4
                                                                      : shape.head_dim);
    real(arch + ".rope.freq_base", shape.rope_base);
    number(arch + ".attention.head_count", shape.n_head);
    if (shape.windows.n_head_kv_of_all > 0) {
        MetadataArray heads;
        heads.element = MetadataType::U32;
        for (int i = 0; i < shape.n_layer; ++i) {
            heads.unsigned_values.push_back(static_cast<std::uint64_t>(shape.n_head_kv_of(i)));
        }
        metadata.add(arch + ".attention.head_count_kv", {MetadataType::Array, std::move(heads)});
    } else {
        of_blocks(arch + ".attention.head_count_kv", '*', latent.rank > 0 ? 1 : shape.n_head_kv);
    }
    number(arch + ".attention.key_length",
           latent.rank > 0 ? latent.rank + latent.rotated_dim : shape.head_dim);
    number(arch + ".attention.value_length", latent.rank > 0 ? latent.rank : shape.head_dim);
    if (latent.rank > 0) {
        number(arch + ".attention.kv_lora_rank", latent.rank);
        number(arch + ".attention.q_lora_rank", latent.q_rank);
        number(arch + ".attention.key_length_mla", latent.plain_dim + latent.rotated_dim);
        number(arch + ".attention.value_length_mla", latent.value_dim);
    }
    real(arch + ".attention.layer_norm_rms_epsilon", 1e-5F);
    if (shape.delta_interval > 0) {
        number(arch + ".full_attention_interval", shape.delta_interval);
        number(arch + ".ssm.conv_kernel", kConvTaps);
        number(arch + ".ssm.state_size", shape.state_dim);
        number(arch + ".ssm.group_count", shape.n_key_heads);
        number(arch + ".ssm.time_step_rank", shape.n_value_heads);
        number(arch + ".ssm.inner_size", shape.n_value_heads * shape.state_dim);
        MetadataArray sections;
        sections.element = MetadataType::I32;
        sections.signed_values = {11, 11, 10, 0};
        metadata.add(arch + ".rope.dimension_sections", {MetadataType::Array, std::move(sections)});
    }
    if (!blocks.kinds.empty()) {
        number(arch + ".ssm.conv_kernel", kConvTaps);
        number(arch + ".ssm.state_size", blocks.n_states);
        number(arch + ".ssm.group_count", blocks.n_groups);
        number(arch + ".ssm.time_step_rank", blocks.n_heads);
        number(arch + ".ssm.inner_size", blocks.n_heads * blocks.head_dim);
        real(arch + ".attention.layer_norm_epsilon", 1e-5F);
        real(arch + ".expert_weights_scale", 2.5F);
        metadata.add(arch + ".expert_weights_norm", {MetadataType::Bool, true});
    }
    if (const ModelShape::Experts& experts = shape.experts; experts.n > 0) {
        number(arch + ".expert_count", experts.n);
        number(arch + ".expert_used_count", experts.n_used);
        number(arch + ".expert_feed_forward_length", experts.n_ff);
        if (latent.rank > 0) {
            constexpr int kSigmoid = 2;
            number(arch + ".expert_gating_func", kSigmoid);
            number(arch + ".leading_dense_block_count", experts.n_leading);
            number(arch + ".expert_shared_count", experts.n_ff_shared / experts.n_ff);
        } else if (experts.step > 0) {
            number(arch + ".interleave_moe_layer_step", experts.step);
        } else if (experts.n_ff_shared > 0) {
            number(arch + ".expert_shared_feed_forward_length", experts.n_ff_shared);
        }
    }
    if (shape.windows.interval == 0 && shape.windows.window > 0) {
        number(arch + ".attention.sliding_window", shape.windows.window);
    }
    if (arch == "smallthinker") {  // the kind without windows has sigmoids
        number(arch + ".expert_gating_func", shape.windows.window > 0 ? 1 : 2);
    }
    if (shape.has_biases()) {
        number(arch + ".attention.sliding_window", 128);
    }
    if (const ModelShape::Windows& windows = shape.windows; windows.interval > 0) {
        number(arch + ".attention.sliding_window", windows.window);
        number(arch + ".attention.key_length_swa", windows.head_dim);
        number(arch + ".attention.value_length_swa", windows.head_dim);
        number(arch + ".rope.dimension_count_swa", windows.head_dim);
        real(arch + ".rope.freq_base_swa", 10000.0F);
        number(arch + ".attention.shared_kv_layers", windows.n_shared_pasts);
        number(arch + ".embedding_length_per_layer_input", windows.n_layer_input);
        real(arch + ".final_logit_softcapping", 30.0F);
        MetadataArray pattern;
        pattern.element = MetadataType::Bool;
        for (int i = 0; i < shape.n_layer; ++i) {
            pattern.unsigned_values.push_back(shape.sees_window(i) ? 1 : 0);
        }
        metadata.add(arch + ".attention.sliding_window_pattern",
                     {MetadataType::Array, std::move(pattern)});
    }
    add_vocab(metadata, shape.vocab, shape.n_vocab);
    return metadata;
}

namespace {

Result<void> check_shape(const ModelShape& shape, DType type, DType finer) {
    if (!is_computable(type) || !is_computable(finer)) {
        return invalid("matrices are written in types that the engine computes with", "type");
    }
    const std::uint32_t block = std::max<std::uint32_t>(
        kBlockValues, std::max(dtype_info(type).block_values, dtype_info(finer).block_values));
    const auto fits = [](int cols, std::uint32_t unit) {
        return cols > 0 && static_cast<std::uint32_t>(cols) % unit == 0;
    };
    const std::uint32_t of_neurons = shape.has_dense_beside() ? kBlockValues : block;
    for (const auto& [cols, unit] :
         {std::pair{shape.n_embd, block}, std::pair{shape.n_head * shape.head_dim, block},
          std::pair{shape.n_ff, of_neurons}}) {
        if (!fits(cols, unit)) {
            return invalid("rows of " + std::to_string(cols) + " values are no multiple of " +
                               std::to_string(unit),
                           "shape");
        }
    }
    if (shape.n_vocab < least_vocab(shape.vocab)) {
        return invalid("a vocabulary of this kind has at least " +
                           std::to_string(least_vocab(shape.vocab)) + " tokens",
                       "shape");
    }
    return {};
}

}  // namespace

Result<std::uint64_t> write_model_header(const std::string& path, const ModelShape& shape,
                                         DType type, DType finer) {
    if (auto fits = check_shape(shape, type, finer); !fits) {
        return std::move(fits).error();
    }
    const auto layout =
        lay_out_gguf(model_metadata(shape, std::string(shape.arch), encoding_of(type).file_type),
                     tensors_of(shape, type, finer));
    if (!layout) {
        return layout.error();
    }
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(layout->header.data()),
               static_cast<std::streamsize>(layout->header.size()));
    file.close();
    std::error_code failed;
    std::filesystem::resize_file(path, layout->file_bytes, failed);
    if (!file || failed) {
        return Error{ErrorCode::WriteFailed, "the header could not be written", path, {}};
    }
    return layout->file_bytes;
}

Result<std::uint64_t> write_random_model(const std::string& path, const ModelShape& shape,
                                         DType type, DType finer, std::uint64_t seed, int threads) {
    if (auto fits = check_shape(shape, type, finer); !fits) {
        return std::move(fits).error();
    }
    try {
        std::optional<KeptExperts> kept;
        if (shape.foretells && shape.experts.kept.empty()) {
            return invalid("a layer foretells planted text", "foretells");
        }
        if (!shape.experts.kept.empty()) {
            auto planted =
                KeptExperts::create(shape, shape.has_biases() ? finer : type, finer, seed);
            if (!planted) {
                return std::move(planted).error();
            }
            kept = *std::move(planted);
        }
        const KeptExperts* planted = kept ? &*kept : nullptr;
        const std::vector<TensorInfo> tensors = tensors_of(shape, type, finer);
        const int file_type = encoding_of(type).file_type;
        auto writer = GgufWriter::create(
            path, model_metadata(shape, std::string(shape.arch), file_type), tensors);
        if (!writer) {
            return std::move(writer).error();
        }
        ThreadPool pool(std::max(1, threads));
        const Tables tables;
        std::vector<std::byte> buffer;
        Random seeds(seed);
        for (const TensorInfo& tensor : tensors) {
            const std::uint64_t tensor_seed = seeds.next();
            const bool is_vector = tensor.shape.size() == 1 || is_like_a_vector(tensor.name);
            auto written = is_vector ? write_norm(*writer, tables, tensor, tensor_seed, planted)
                                     : write_matrix(*writer, pool, tables, tensor, tensor_seed,
                                                    shape.experts.lesser, planted, buffer);
            if (!written) {
                return std::move(written).error();
            }
        }
        if (auto finished = writer->finish(); !finished) {
            return std::move(finished).error();
        }
        return writer->file_bytes();
    } catch (const std::bad_alloc&) {
        return Error{ErrorCode::OutOfMemory, "too little memory to make a model", path, {}};
    }
}

}  // namespace hearth::bench
