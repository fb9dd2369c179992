#include "support/test_family.h"

#include <algorithm>

namespace hearth::test {

std::span<const TestFamily> test_families() {
    static const std::vector<TestFamily> kFamilies{
        {.arch = "llama"},
        {.arch = "bamboo", .dense = "drelu", .sparse = "drelu"},
        {.arch = "falcon",
         .dense = "gelu",
         .sparse = "relu",
         .gated = false,
         .dense_by_neuron = true,
         .layer_norm = true,
         .parallel = true,
         .fused_qkv = true,
         .halves = true,
         .keys = {{"tensor_data_layout", "jploski"}}},
        {.arch = "opt",
         .dense = "relu",
         .sparse = "relu",
         .gated = false,
         .layer_norm = true,
         .biases = true,
         .rotates = false,
         .has_positions = true},
        {.arch = "qwen2", .qkv_bias = true, .halves = true},
        {.arch = "qwen3", .head_norm = true, .halves = true},
        {.arch = "qwen2vl", .qkv_bias = true, .halves = true, .sections = {16, 24, 24, 0}},
        {.arch = "qwen3vl", .head_norm = true, .halves = true, .sections = {24, 20, 20, 0}},
        {.arch = "qwen35",
         .head_norm = true,
         .rotated_share = 0.5,
         .gated_heads = true,
         .delta_nets = true,
         .halves = true,
         .sections = {11, 11, 10, 0},
         .names = {{"ffn_norm", "post_attention_norm"}}},
        {.arch = "lfm2",
         .head_norm = true,
         .gated_convs = true,
         .halves = true,
         .names = {{"output_norm", "token_embd_norm"}}},
        {.arch = "gemma", .dense = "geglu", .scaled_embedding = true, .tied = true, .halves = true},
        {.arch = "gemma2",
         .dense = "geglu",
         .post_norms = true,
         .scaled_embedding = true,
         .tied = true,
         .soft_cap = 2,
         .logit_soft_cap = 3,
         .window = 9,
         .window_pattern = 2,
         .halves = true,
         .numbers = {{"attn_logit_softcapping", 2}, {"final_logit_softcapping", 3}},
         .integers = {{"attention.sliding_window", 9}}},
        {.arch = "gemma3",
         .dense = "geglu",
         .post_norms = true,
         .head_norm = true,
         .scaled_embedding = true,
         .window = 9,
         .window_pattern = 2,
         .window_rope_base = 500,
         .halves = true,
         .numbers = {{"rope.freq_base_swa", 500}},
         .integers = {{"attention.sliding_window", 9}, {"attention.sliding_window_pattern", 2}}},
        {.arch = "gemma4",
         .dense = "geglu",
         .post_norms = true,
         .head_norm = true,
         .scaled_embedding = true,
         .tied = true,
         .logit_soft_cap = 3,
         .window = 9,
         .window_pattern = 2,
         .window_rope_base = 500,
         .score_scale = 1,
         .window_head_dim = 32,
         .others_head_dim = 64,
         .others_n_head_kv = 1,
         .others_keys_are_values = true,
         .value_norm = true,
         .layer_scale = true,
         .n_embd_layer = 32,
         .n_shared = 2,
         .halves = true,
         .numbers = {{"rope.freq_base_swa", 500}, {"final_logit_softcapping", 3}},
         .integers = {{"attention.sliding_window", 9},
                      {"attention.key_length_swa", 32},
                      {"attention.value_length_swa", 32},
                      {"attention.value_length", 64},
                      {"rope.dimension_count_swa", 32},
                      {"embedding_length_per_layer_input", 32}}},
        {.arch = "mistral3",
         .temperature = 0.5,
         .temperature_length = 16,
         .numbers = {{"attention.temperature_scale", 0.5F}},
         .integers = {{"rope.scaling.original_context_length", 16}}},
        {.arch = "phi3",
         .fused_qkv = true,
         .fused_gate_up = true,
         .longrope_context = 32,
         .rope_magnitude = 1.25,
         .halves = true,
         .numbers = {{"rope.scaling.attn_factor", 1.25F}},
         .integers = {{"rope.scaling.original_context_length", 32}},
         .names = {{"ffn_gate_up", "ffn_up"}}},
        {.arch = "smollm3", .unrotated_every = 4},
        {.arch = "granite",
         .score_scale = 0.5,
         .residual_scale = 0.25,
         .embedding_scale = 6,
         .logit_scale = 0.5,
         .numbers = {{"attention.scale", 0.5F},
                     {"residual_scale", 0.25F},
                     {"embedding_scale", 6},
                     {"logit_scale", 2}}},
        {.arch = "granitehybrid",
         .score_scale = 0.5,
         .residual_scale = 0.25,
         .embedding_scale = 6,
         .logit_scale = 0.5,
         .mambas = true,
         .rotates = false,
         .numbers = {{"attention.scale", 0.5F},
                     {"residual_scale", 0.25F},
                     {"embedding_scale", 6},
                     {"logit_scale", 2}},
         .truths = {{"rope.scaling.finetuned", false}}},
        {.arch = "glm4",
         .post_norms = true,
         .qkv_bias = true,
         .fused_gate_up = true,
         .rotated_share = 0.5,
         .names = {{"ffn_gate_up", "ffn_up"}}},
        {.arch = "olmo2",
         .input_norms = false,
         .post_norms = true,
         .whole_norm = true,
         .halves = true},
        {.arch = "cohere2",
         .layer_norm = true,
         .norm_biases = false,
         .parallel = true,
         .tied = true,
         .window = 9,
         .window_pattern = 2,
         .window_rotates_alone = true,
         .logit_scale = 0.25,
         .numbers = {{"logit_scale", 0.25F}},
         .integers = {{"attention.sliding_window", 9}, {"attention.sliding_window_pattern", 2}}},
        {.arch = "seed_oss",
         .qkv_bias = true,
         .halves = true,
         .names = {{"ffn_norm", "post_attention_norm"}}},
        {.arch = "stablelm", .layer_norm = true, .rotated_share = 0.25, .halves = true},
        {.arch = "starcoder2",
         .dense = "gelu",
         .gated = false,
         .layer_norm = true,
         .biases = true,
         .halves = true},
        {.arch = "nemotron",
         .dense = "relu2",
         .sparse = "relu2",
         .gated = false,
         .layer_norm = true,
         .rotated_share = 0.5,
         .halves = true},
        {.arch = "nemotron_h",
         .dense = "relu2",
         .sparse = "relu2",
         .gated = false,
         .mambas = true,
         .lone_blocks = true,
         .rotates = false,
         .numbers = {{"attention.layer_norm_epsilon", 1e-5F}},
         .names = {{"ffn_norm", "attn_norm"}}},
    };
    return kFamilies;
}

bool has_test_family(std::string_view arch) {
    return std::any_of(test_families().begin(), test_families().end(),
                       [&](const TestFamily& family) { return family.arch == arch; });
}

TestFamily test_family(std::string_view arch) {
    for (const TestFamily& family : test_families()) {
        if (family.arch == arch) {
            return family;
        }
    }
    return {.arch = std::string(arch)};
}

std::string test_family_names() {
    const std::span<const TestFamily> all = test_families();
    std::string names = all.front().arch;
    for (const TestFamily& family : all.subspan(1)) {
        names += (&family == &all.back() ? " and " : ", ") + family.arch;
    }
    return names;
}

std::string TestFamily::name_of(const std::string& usual) const {
    const std::size_t begin = usual.starts_with("blk.") ? usual.find('.', 4) + 1 : 0;
    const std::size_t end = usual.rfind('.');
    for (const auto& [from, to] : names) {
        if (usual.compare(begin, end - begin, from) == 0) {
            return usual.substr(0, begin) + to + usual.substr(end);
        }
    }
    return usual;
}

}  // namespace hearth::test
