// Writes the first inputs of every fuzz target: one small file for each thing a target can meet.
// The files are committed, so that a change of the generator shows; run it after such a change:
//     hearth-make-corpus tests/fuzz/corpus
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "support/gguf_builder.h"
#include "support/test_family.h"
#include "support/tiny_model.h"

namespace {

using hearth::DType;
using hearth::test::Bytes;
using hearth::test::GgufBuilder;
namespace fs = std::filesystem;

bool all_written = true;

void put(const fs::path& folder, std::string_view name, std::string_view bytes) {
    std::error_code error;
    fs::create_directories(folder, error);
    std::ofstream file(folder / name, std::ios::binary | std::ios::trunc);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    all_written = all_written && !file.fail();
}

void put(const fs::path& folder, std::string_view name, const Bytes& bytes) {
    put(folder, name, std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}

// ---- GGUF files --------------------------------------------------------------------------------

GgufBuilder every_type() {
    GgufBuilder file;
    file.key("a.u8", std::uint8_t{1})
        .key("a.i8", std::int8_t{-1})
        .key("a.u16", std::uint16_t{2})
        .key("a.i16", std::int16_t{-2})
        .key("a.u32", std::uint32_t{3})
        .key("a.i32", std::int32_t{-3})
        .key("a.u64", std::uint64_t{4})
        .key("a.i64", std::int64_t{-4})
        .key("a.f32", 0.5F)
        .key("a.f64", 0.25)
        .key("a.bool", true)
        .key("a.text", "text")
        .array("b.u8", std::vector<std::uint8_t>{1, 2, 3})
        .array("b.i64", std::vector<std::int64_t>{-1, 1})
        .array("b.f32", std::vector<float>{1, 2})
        .array("b.text", std::vector<std::string>{"x", "", "yz"})
        .array("b.none", std::vector<std::uint32_t>{});
    Bytes nested;
    hearth::test::append(nested, GgufBuilder::array_number());
    hearth::test::append(nested, std::uint64_t{1});
    const Bytes inner = GgufBuilder::array_value(std::vector<std::uint16_t>{7});
    nested.insert(nested.end(), inner.begin(), inner.end());
    file.raw_key("c.nested", GgufBuilder::array_number(), nested);
    return file;
}

// The smallest model that loads: one layer, two values wide, four tokens.
GgufBuilder model(const std::string& arch, bool tied) {
    GgufBuilder file;
    file.key("general.architecture", arch)
        .key("general.name", "Smallest")
        .key(arch + ".context_length", std::uint32_t{8})
        .key(arch + ".embedding_length", std::uint32_t{2})
        .key(arch + ".block_count", std::uint32_t{1})
        .key(arch + ".feed_forward_length", std::uint32_t{2})
        .key(arch + ".attention.head_count", std::uint32_t{1})
        .key(arch + ".attention.head_count_kv", std::uint32_t{1})
        .key(arch + ".attention.layer_norm_rms_epsilon", 1e-5F)
        .key(arch + ".rope.dimension_count", std::uint32_t{2})
        .key(arch + ".rope.freq_base", 1e4F)
        .key("tokenizer.ggml.model", "gpt2")
        .key("tokenizer.ggml.pre", "gpt-2")
        .array("tokenizer.ggml.tokens",
               std::vector<std::string>{"<|im_start|>", "<|im_end|>", "l", "ll"})
        .array("tokenizer.ggml.token_type", std::vector<std::int32_t>{3, 3, 1, 1})
        .array("tokenizer.ggml.merges", std::vector<std::string>{"l l"})
        .key("tokenizer.ggml.eos_token_id", std::uint32_t{1});
    const auto matrix = [&](const std::string& name, std::uint64_t rows) {
        file.tensor(name, {rows, 2}, DType::F32);
    };
    matrix("token_embd.weight", 4);
    file.tensor("output_norm.weight", {2}, DType::F32);
    for (const char* name :
         {"attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"}) {
        matrix("blk.0." + std::string(name) + ".weight", 2);
    }
    file.tensor("blk.0.attn_norm.weight", {2}, DType::F32);
    file.tensor("blk.0.ffn_norm.weight", {2}, DType::F32);
    if (!tied) {
        matrix("output.weight", 4);
    }
    return file;
}

GgufBuilder sentence_piece() {
    GgufBuilder file;
    file.key("tokenizer.ggml.model", "llama")
        .array("tokenizer.ggml.tokens",
               std::vector<std::string>{"<unk>", "<s>", "</s>", "<0x41>", "\xE2\x96\x81", "lo"})
        .array("tokenizer.ggml.token_type", std::vector<std::int32_t>{2, 3, 3, 6, 1, 1})
        .array("tokenizer.ggml.scores", std::vector<float>{0, 0, 0, 0, -1, -2})
        .key("tokenizer.ggml.bos_token_id", std::uint32_t{1})
        .key("tokenizer.ggml.eos_token_id", std::uint32_t{2})
        .key("tokenizer.chat_template", "{% for message in messages %}{% endfor %}");
    return file;
}

void gguf_files(const fs::path& folder) {
    put(folder, "empty", Bytes{});
    put(folder, "no-tensors", GgufBuilder().bytes());
    put(folder, "version-2", GgufBuilder().version(2).key("a", std::uint32_t{1}).bytes());
    put(folder, "version-1", GgufBuilder().version(1).bytes());
    put(folder, "powerinfer-magic", GgufBuilder().magic("PWRI").bytes());
    put(folder, "every-metadata-type", every_type().bytes());
    put(folder, "model", model("llama", true).bytes());
    put(folder, "model-bamboo", model("bamboo", false).bytes());
    put(folder, "sentence-piece", sentence_piece().bytes());
    put(folder, "alignment-8", GgufBuilder().alignment(8).tensor_f32("t", {1}, {1}).bytes());
    put(folder, "alignment-3", GgufBuilder().alignment(3).tensor_f32("t", {1}, {1}).bytes());
    put(folder, "quantised",
        GgufBuilder()
            .tensor("q4", {1, 32}, DType::Q4_0)
            .tensor("q8", {2, 32}, DType::Q8_0)
            .tensor_f16("h", {3}, {1, 2, 3})
            .bytes());
    put(folder, "no-rows", GgufBuilder().tensor("none", {0, 4}, DType::F32).bytes());
    // Searches found these two: control bytes that went into a message as they stood, and a tensor
    // without bytes whose place is behind the end of the file.
    put(folder, "control-bytes-in-architecture",
        GgufBuilder().key("general.architecture", "l\x1B[2Jma").bytes());
    Bytes unpadded = GgufBuilder().tensor("none", {0, 4}, DType::F32).header();
    unpadded.resize(85);
    put(folder, "no-rows-behind-the-end", unpadded);
    put(folder, "four-dimensions", GgufBuilder().tensor("t", {1, 2, 1, 2}, DType::F32).bytes());
    put(folder, "five-dimensions", GgufBuilder().tensor("t", {4}, DType::F32).with_rank(5).bytes());
    put(folder, "unknown-type", GgufBuilder().tensor("t", {4}, DType::F32).with_type(99).bytes());
    put(folder, "behind-the-end",
        GgufBuilder().tensor("t", {4}, DType::F32).with_offset(1024).bytes());
    put(folder, "overlap",
        GgufBuilder()
            .tensor("a", {16}, DType::F32)
            .tensor("b", {16}, DType::F32)
            .with_offset(32)
            .bytes());
    put(folder, "many-claimed-tensors", GgufBuilder().claim_tensors(1U << 20).bytes());
    put(folder, "many-claimed-keys", GgufBuilder().claim_keys(~std::uint64_t{0}).bytes());
    Bytes cut = model("llama", true).bytes();
    cut.resize(cut.size() / 2);
    put(folder, "cut-in-half", cut);
}

// ---- headers of models: see model_header_fuzz.cpp --------------------------------------------

struct LayeredModel {
    std::string arch = "llama";
    std::vector<std::uint32_t> n_head{1, 1};
    std::vector<std::uint32_t> n_head_kv{1, 1};
    std::vector<std::uint32_t> n_ff{2, 2};
    DType type = DType::F32;
    std::uint64_t n_embd = 2;  // heads are as wide
    bool by_neuron = false;
};

// Latent attention's latents, plain queries and values alike; keys have two rotated values besides.
constexpr std::uint64_t kLatent = 32;
constexpr std::uint64_t kLatentKey = 34;

// A model of as many layers, each with the sizes given for it.
GgufBuilder model(const LayeredModel& of) {
    const auto n_embd = static_cast<std::uint32_t>(of.n_embd);
    const hearth::test::TestFamily family = hearth::test::test_family(of.arch);
    const bool mean = family.layer_norm && family.norm_biases;
    const bool bias = family.biases;
    GgufBuilder file;
    file.key("general.architecture", of.arch)
        .key(of.arch + ".context_length", std::uint32_t{8})
        .key(of.arch + ".embedding_length", n_embd)
        .key(of.arch + ".block_count", static_cast<std::uint32_t>(of.n_ff.size()))
        .key(of.arch + ".attention.key_length", n_embd)
        .key(of.arch + ".attention.layer_norm_rms_epsilon", 1e-5F)
        .array(of.arch + ".feed_forward_length", of.n_ff)
        .array(of.arch + ".attention.head_count", of.n_head)
        .array(of.arch + ".attention.head_count_kv", of.n_head_kv)
        .tensor(family.name_of("token_embd.weight"), {4, of.n_embd}, of.type);
    const auto vector = [&](const std::string& name, std::uint64_t n) {
        file.tensor(family.name_of(name), {n}, DType::F32);
    };
    const auto norm = [&](const std::string& name) {
        vector(name + ".weight", of.n_embd);
        if (mean) {
            vector(name + ".bias", of.n_embd);
        }
    };
    const auto matrix = [&](const std::string& name, std::uint64_t rows, std::uint64_t cols) {
        file.tensor(family.name_of(name + ".weight"), {rows, cols}, of.type);
        if (bias) {
            vector(name + ".bias", rows);
        }
    };
    for (const auto& [key, value] : family.numbers) {
        file.key(of.arch + "." + key, value);
    }
    for (const auto& [key, value] : family.integers) {
        file.key(of.arch + "." + key, static_cast<std::uint32_t>(value));
    }
    if (family.latent_rank > 0) {
        const auto number = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
        file.without(of.arch + ".attention.key_length")
            .key(of.arch + ".attention.key_length", number(kLatentKey))
            .key(of.arch + ".attention.value_length", number(kLatent))
            .key(of.arch + ".attention.kv_lora_rank", number(kLatent))
            .key(of.arch + ".rope.dimension_count", number(kLatentKey - kLatent));
    }
    norm("output_norm");
    if (family.longrope_context > 0) {
        vector("rope_factors_long.weight", of.n_embd / 2);
        vector("rope_factors_short.weight", of.n_embd / 2);
    }
    if (family.has_positions) {
        file.tensor(family.name_of("position_embd.weight"), {10, of.n_embd}, DType::F32);
    }
    for (std::size_t i = 0; i < of.n_ff.size(); ++i) {
        const std::string layer = "blk." + std::to_string(i) + ".";
        const std::uint64_t query = of.n_head[i] * of.n_embd;
        const std::uint64_t key = of.n_head_kv[i] * of.n_embd;
        if (family.input_norms) {
            norm(layer + "attn_norm");
        }
        if (family.input_norms && !family.parallel && !family.lone_blocks) {
            norm(layer + "ffn_norm");
        }
        if (family.post_norms) {
            norm(layer + "post_attention_norm");
            norm(layer + "post_ffw_norm");
        }
        const bool alone = family.lone_blocks;
        if (!alone || of.n_ff[i] == 0) {
            if (family.latent_rank > 0) {
                matrix(layer + "attn_q", of.n_head[i] * kLatentKey, of.n_embd);
                matrix(layer + "attn_kv_a_mqa", kLatentKey, of.n_embd);
                vector(layer + "attn_kv_a_norm.weight", kLatent);
                for (const char* of_heads : {"attn_k_b.weight", "attn_v_b.weight"}) {
                    file.tensor(layer + of_heads, {of.n_head[i], kLatent, kLatent}, of.type);
                }
            } else if (family.fused_qkv) {
                matrix(layer + "attn_qkv", query + 2 * key, of.n_embd);
            } else {
                matrix(layer + "attn_q", query, of.n_embd);
                matrix(layer + "attn_k", key, of.n_embd);
                matrix(layer + "attn_v", key, of.n_embd);
            }
            if (family.head_norm) {
                norm(layer + "attn_q_norm");
                norm(layer + "attn_k_norm");
            }
            if (family.whole_norm) {
                vector(layer + "attn_q_norm.weight", query);
                vector(layer + "attn_k_norm.weight", key);
            }
            matrix(layer + "attn_output", of.n_embd,
                   family.latent_rank > 0 ? of.n_head[i] * kLatent : query);
        }
        if (alone && of.n_ff[i] == 0) {
            continue;
        }
        if (family.fused_gate_up) {
            matrix(layer + "ffn_gate_up", 2 * of.n_ff[i], of.n_embd);
        } else {
            if (family.gated) {
                matrix(layer + "ffn_gate", of.n_ff[i], of.n_embd);
            }
            matrix(layer + "ffn_up", of.n_ff[i], of.n_embd);
        }
        if (of.by_neuron) {
            matrix(layer + "ffn_down_t", of.n_ff[i], of.n_embd);
        } else {
            matrix(layer + "ffn_down", of.n_embd, of.n_ff[i]);
        }
    }
    return file;
}

// Neurons of one layer in records; a neuron row of one value takes a whole group's bytes.
GgufBuilder packed_model(std::uint32_t version = 1, std::uint32_t neuron_bytes = 64) {
    GgufBuilder file = model({.arch = "bamboo", .n_head = {1}, .n_head_kv = {1}, .n_ff = {1}});
    for (const char* name :
         {"blk.0.ffn_gate.weight", "blk.0.ffn_up.weight", "blk.0.ffn_down.weight"}) {
        file.without(name);
    }
    const auto types = [&](const char* key) { file.array(key, std::vector<std::string>{"F32"}); };
    types("hearth.packed.gate_type");
    types("hearth.packed.up_type");
    types("hearth.packed.down_type");
    file.alignment(4096)
        .key("hearth.packed.version", version)
        .key("hearth.packed.neuron_bytes", neuron_bytes)
        .key("hearth.packed.cluster_neurons", std::uint32_t{64})
        .key("hearth.model_hash", "0123456789abcdef0123456789abcdef")
        .key("hearth.activation", "drelu")
        .tensor("blk.0.ffn_neurons.weight", {64, neuron_bytes}, DType::I8)
        .tensor("blk.0.ffn_permutation", {1}, DType::I32);
    return file;
}

void model_headers(const fs::path& folder) {
    const auto header = [&](std::string_view name, const GgufBuilder& file, char kib = 8) {
        Bytes bytes = file.header();
        while (!bytes.empty() && bytes.back() == std::byte{}) {
            bytes.pop_back();
        }
        put(folder, name,
            kib + std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    };
    using Numbers = std::vector<std::uint32_t>;
    const auto with = [&](std::string_view name, const char* key, auto values) {
        GgufBuilder file = model(LayeredModel{});
        const std::string full = std::string("llama.") + key;
        file.without(full).array(full, values);
        header(name, file);
    };
    for (const hearth::test::TestFamily& family : hearth::test::test_families()) {
        if (family.arch != "bamboo") {  // below
            const std::uint32_t n_head = family.fused_qkv ? 2 : 1;
            LayeredModel of{.arch = family.arch, .n_head = {n_head, n_head}};
            if (family.lone_blocks) {  // attention, then neurons
                of.n_head_kv = {1, 0};
                of.n_ff = {0, 2};
            }
            header(family.arch, model(of));
        }
    }
    header("gemma4-experts",
           hearth::test::TinyModel({.arch = "gemma4",
                                    .n_embd = 32,
                                    .n_ff = 32,
                                    .plain_layers = true,
                                    .fused_gate_up = true,
                                    .n_experts = 2,
                                    .n_used_experts = 1})
               .file(),
           127);
    for (const char* arch : {"smallthinker", "llama4", "qwen4exp"}) {
        header(std::string(arch) + "-experts",
               hearth::test::TinyModel({.arch = arch, .n_embd = 32, .n_ff = 32}).file(), 127);
    }
    header("sizes-differ", model({.n_head = {4, 2}, .n_head_kv = {2, 1}, .n_ff = {3, 5}}));
    header("bamboo-by-neuron", model({.arch = "bamboo", .by_neuron = true}));
    header("powerinfer", model({.by_neuron = true}).magic("PWRI"));
    for (const DType type : {DType::F16, DType::BF16, DType::Q8_0, DType::Q4_0, DType::Q5_0}) {
        header("llama-" + std::string(hearth::dtype_info(type).name),
               model({.n_ff = {32, 64}, .type = type, .n_embd = 32}), 127);
    }
    with("heads-of-three-layers", "attention.head_count", Numbers{1, 1, 1});
    with("heads-of-no-layer", "attention.head_count", Numbers{});
    with("heads-none", "attention.head_count", Numbers{1, 0});
    with("heads-negative", "attention.head_count", std::vector<std::int32_t>{1, -1});
    with("heads-huge", "attention.head_count", std::vector<std::uint64_t>{1, ~std::uint64_t{0}});
    with("heads-not-shared", "attention.head_count_kv", Numbers{1, 3});
    with("heads-of-floats", "attention.head_count", std::vector<float>{1, 1});
    with("neurons-of-texts", "feed_forward_length", std::vector<std::string>{"2", "2"});
    with("neurons-huge", "feed_forward_length", Numbers{1U << 20, 1U << 20});
    header("layers-huge", model(LayeredModel{})
                              .without("llama.block_count")
                              .key("llama.block_count", ~std::uint32_t{0}));
    header("layers-4096", model(LayeredModel{})
                              .without("llama.block_count")
                              .key("llama.block_count", std::uint32_t{4096})
                              .without("llama.feed_forward_length")
                              .key("llama.feed_forward_length", std::uint32_t{1U << 20}));
    Bytes nested;
    hearth::test::append(nested, GgufBuilder::array_number());
    hearth::test::append(nested, std::uint64_t{2});
    for (int i = 0; i < 2; ++i) {
        const Bytes inner = GgufBuilder::array_value(Numbers{2});
        nested.insert(nested.end(), inner.begin(), inner.end());
    }
    header("neurons-nested",
           model(LayeredModel{})
               .without("llama.feed_forward_length")
               .raw_key("llama.feed_forward_length", GgufBuilder::array_number(), nested));
    header("unknown-tensor", model(LayeredModel{}).tensor("blk.1.odd.weight", {1}, DType::F32));
    header("unknown-type", model(LayeredModel{}).with_type(99));
    header("predictors", model({.arch = "bamboo", .n_head = {1}, .n_head_kv = {1}, .n_ff = {2}})
                             .key("hearth.predictor.input", "normed")
                             .tensor("blk.0.fc1.weight", {32, 2}, DType::F32)
                             .tensor("blk.0.fc2.weight", {2, 32}, DType::F32));
    header("packed", packed_model(), 64);
    header("packed-short", packed_model(), 4);
    header("packed-rows-in-row-form", packed_model(2, 1536), 120);
    header("packed-row-form-too-long", packed_model(2, 1472), 120);
    header("packed-other-records",
           packed_model()
               .without("hearth.packed.neuron_bytes")
               .key("hearth.packed.neuron_bytes", ~std::uint32_t{63}),
           64);
    header("packed-types-of-two-layers",
           packed_model()
               .without("hearth.packed.up_type")
               .array("hearth.packed.up_type", std::vector<std::string>{"F32", "Q4_0"}),
           64);
    header("packed-profile",
           packed_model()
               .key("hearth.profile.tokens", std::uint64_t{1})
               .array("hearth.profile.batches", std::vector<std::int32_t>{1, 2, 4, 8, 16, 32})
               .array("hearth.profile.groups", std::vector<std::uint64_t>{1, 0, 0, 0, 0, 0})
               .tensor("blk.0.ffn_fired", {6, 1}, DType::I32),
           64);
    header("thresholds", GgufBuilder()
                             .key("general.architecture", "hearth-thresholds")
                             .key("hearth.format_version", std::uint32_t{1})
                             .key("hearth.model_hash", "")
                             .key("hearth.threshold.sparsity", 0.5)
                             .key("hearth.threshold.tokens", std::uint64_t{1})
                             .array("hearth.threshold.input", std::vector<float>{0.5F})
                             .array("hearth.threshold.hidden", std::vector<float>{0.25F}));
}

// ---- tokenizers: see tokenizer_fuzz.cpp for what the bytes mean --------------------------------

std::string counted(std::string_view text) {
    return static_cast<char>(text.size()) + std::string(text);
}

void tokenizer_texts(const fs::path& folder) {
    struct Text {
        std::string_view name;
        std::string_view text;
    };
    constexpr Text kTexts[] = {
        {"words", "Hello world, hello again. It's 12 o'clock; they're late!\n\n  Indented\ttext"},
        {"special-tokens", "<|im_start|>user\nhi<|im_end|></s><|endoftext|><unk><|im_"},
        {"languages",
         "Gr\xC3\xBC\xC3\x9F"
         "e \xE4\xB8\xAD\xE6\x96\x87 \xD8\xB9\xD8\xB1 "
         "\xE0\xB8\xA0\xE0\xB8\xB2 e\xCC\x81 \xF0\x9F\x98\x80"},
        {"not-utf-8", "a\x80\xFF\xC3(\xED\xA0\x80\xF4\x90\x80\x80\xE2\x82"},
        {"numbers", "1234567 12 3.14 0x12 \xD9\xA1\xD9\xA2\xD9\xA3"},
        {"spaces", "   \r\n\r\n \xC2\xA0\xE2\x80\x83 \xE2\x96\x81 x  "},
        {"repeated", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    };
    for (const Text& text : kTexts) {
        for (int bits : {32, 32 + 8 + 16}) {
            const std::string head{static_cast<char>(bits), '\0', '\5'};
            put(folder, std::string(text.name) + "-merged" + ((bits & 16) != 0 ? "-special" : ""),
                head + std::string(text.text));
        }
        for (int bits : {0, 1, 8 + 16, 1 + 8 + 16}) {
            for (char pick : {'\0', '\7'}) {
                const bool sentence_piece = (bits & 1) != 0;
                if (sentence_piece && pick != 0) {
                    continue;
                }
                const std::string head{static_cast<char>(bits), pick, '\5'};
                put(folder,
                    std::string(text.name) + (sentence_piece ? "-pieces" : "-bytes") +
                        (pick != 0 ? "-other-words" : "") + ((bits & 16) != 0 ? "-special" : ""),
                    head + std::string(text.text));
            }
        }
    }
    const std::string tokens = "\6" + ("\1\1" + counted("lo")) + ("\1\2" + counted("\xC4\xA0w")) +
                               ("\4\3" + counted("<user>")) + ("\3\4" + counted("<|end|>")) +
                               ("\6\5" + counted("<0x41>")) + ("\2\6" + counted("<?>"));
    const std::string merges = "\3" + counted("l o") + counted("\xC4\xA0 w") + counted("lo w");
    const std::string ids = "\4\5\6\7";
    const std::string own = tokens + merges + std::string(ids.data(), ids.size());
    for (int bits : {2, 3, 6, 7, 34, 38, 66}) {
        const std::string head{static_cast<char>(bits + 16), '\1'};
        put(folder, "own-vocabulary-" + std::to_string(bits),
            head + own + std::string(1, '\0') + "\2low <user>A<|end|> wlo\xFF");
    }
}

// ---- chat templates ----------------------------------------------------------------------------

void chat_templates(const fs::path& folder) {
    const std::string known =
        "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\\n' + "
        "message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
    const std::string messages = counted("system") + counted("Be brief.<|im_end|>") + counted("Hi");
    put(folder, "chatml", "\6" + known);
    put(folder, "chatml-messages", "\7" + messages + known);
    put(folder, "no-template", "\5" + messages);
    put(folder, "no-content", "\5" + counted("user") + std::string(2, '\0'));
    put(folder, "unknown-role", "\5" + counted("tool\n") + counted("x") + counted("y"));
    put(folder, "begin-token", "\6{{ bos_token }}" + known);
    put(folder, "comments-and-dashes",
        "\6{#- a -#}{%- for m in x -%} {{- m.role ~ \"\\t\" -}} {%- endfor -%}\n");
    put(folder, "filters", "\6{{ message['content'] | trim }}{% set x = a[1:] %}");
    put(folder, "unclosed", "\6{% if a %}{{ 'b");
    put(folder, "nested", "\6" + std::string(200, '{') + std::string(200, '('));
}

// ---- grammars ----------------------------------------------------------------------------------

void grammars(const fs::path& folder) {
    const auto gbnf = [&](const std::string& name, const std::string& bytes,
                          const std::string& text) {
        put(folder, name, std::string(1, '\0') + counted(bytes) + text);
    };
    gbnf("words", "ab cd", "root ::= ([a-z]{1,4} \" \")* \"end\" # words\n");
    gbnf("numbers", "-12.5", "root ::= \"-\"? n (\".\" n)?\nn ::= [0-9]+\n");
    gbnf("nested", "((()))", "root ::= \"(\" root \")\" | \"\"\n");
    gbnf("escapes", "A\xC3\xA9", "root ::= \"\\x41\\u00e9\\U0001F600\" [^\\]\\-a-c\\n] .\n");
    gbnf("two-ends", "xxxx", "root ::= \"x\" root \"y\" | \"x\" root \"z\" | \"x\"\n");
    gbnf("left-recursion", "a", "root ::= root \"a\" | \"b\"\n");
    gbnf("repeated-nothing", "a", "root ::= (\"\"*)*{99}{99} \"a\"\n");
    gbnf("many-states", "a", "root ::= \"a\"{99999}{99999}\n");
    const auto schema = [&](const std::string& name, const std::string& text) {
        put(folder, name, "\1" + counted("{\"a\": 12, \"b\": [\"x\"]}") + text);
    };
    schema("anything", "{}");
    schema("object",
           "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"minimum\":-7,"
           "\"maximum\":"
           "300},\"b\":{\"type\":\"array\",\"items\":{\"type\":\"string\",\"maxLength\":3},"
           "\"minItems\":1}},"
           "\"required\":[\"a\"],\"additionalProperties\":{\"type\":\"null\"}}");
    schema(
        "recursive",
        "{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{\"next\":{"
        "\"anyOf\":[{\"$ref\":\"#/$defs/n\"},{\"type\":\"null\"}]}}}}}");
    schema("alternatives",
           "{\"oneOf\":[{\"const\":\"a\"},{\"enum\":[1,null]},{\"type\":\"array\",\"prefixItems\":["
           "{}],"
           "\"items\":false}]}");
    schema("together",
           "{\"allOf\":[{\"type\":[\"string\",\"null\"]},{\"minLength\":2},{\"maxLength\":3}]}");
    schema("pattern", "{\"pattern\":\"^(?:[A-Z]\\\\d{2}|x?)$\"}");
    schema("formats",
           "{\"anyOf\":[{\"format\":\"date-time\"},{\"format\":\"uuid\"},{\"format\":\"ipv4\"}]}");
    schema("itself", "{\"$ref\":\"#\"}");
    schema("itself-beside", "{\"$ref\":\"#\",\"type\":\"object\"}");
    schema("unknown", "{\"type\":\"number\",\"multipleOf\":2}");
}

// ---- tools -------------------------------------------------------------------------------------

// form: 0 to 4, as the target chooses.
void tool_texts(const fs::path& folder) {
    const auto text = [&](const std::string& name, char form, const std::string& bytes) {
        put(folder, name, std::string(1, form) + bytes);
    };
    const std::string answer = "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":";
    text("initialize", 0,
         answer +
             "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},"
             "\"serverInfo\":{\"name\":\"n\",\"version\":\"1\"}}}");
    text("tools", 0,
         answer +
             "{\"tools\":[{\"name\":\"f\",\"description\":\"d\",\"inputSchema\":{\"type\":"
             "\"object\",\"properties\":{\"a\":{\"type\":\"string\"}}}}],\"nextCursor\":\"c\"}}");
    text("outcome", 0,
         answer +
             "{\"content\":[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"resource\","
             "\"resource\":{\"uri\":\"u\"}}],\"isError\":true}}");
    text("failure", 0, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"m\"}}");
    text("request", 0, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\"}");
    text("events", 1, ": c\n\nevent: m\ndata: {}\n\ndata: a\ndata: b\r\n\r\n");
    text("page", 2,
         "<title>T</title><style>p{}</style><p>a &amp; &#233; <!-- c --><script>x</script>b<br>c");
    text("expression", 3, "max(1, -2.5e3 ^ 2) % 7 + sqrt(pi)");
    text("arguments", 4,
         "{\"s\":{\"properties\":{\"a\":{\"$ref\":\"#/$defs/d\"}},\"$defs\":{\"d\":{\"anyOf\":[{"
         "\"type\":\"integer\",\"minimum\":2},{\"enum\":[\"x\"]}]}},\"required\":[\"a\"]},"
         "\"v\":{\"a\":1}}");
}

// ---- requests to the local API -----------------------------------------------------------------

// form: 0 to 3, as the target chooses; 4 more: the template knows tools.
// An answer with calls in each of the forms that models write.
void called_tools(const fs::path& folder) {
    const auto answer = [&](const char* name, const std::string& text) {
        put(folder, name, std::string(1, '\0') + text);
    };
    const std::string object = "{\"a\": \"b\", \"n\": [1, {}]}";
    answer("objects",
           "<think>\nHm.\n</think>\n\nSee.\n<tool_call>\n{\"name\": \"f\", \"arguments\": " +
               object + "}\n</tool_call>\n");
    answer("bare", "{\"name\": \"f\", \"parameters\": " + object + "}");
    answer("parameters",
           "<tool_call>\n<function=f>\n<parameter=a>\nb\n</parameter>\n<parameter=o>\n{'x': "
           "None}\n</parameter>\n</function>\n</tool_call>");
    answer("keys", "<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>\n</tool_call>");
    answer("invokes",
           "<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">b</parameter>\n"
           "</invoke>\n</minimax:tool_call>");
    answer("seed",
           "<seed:tool_call>\n<function=f>\n<parameter=n>True</parameter>\n</function>\n"
           "</seed:tool_call>");
    answer("function", "<function=f>" + object + "</function>");
    answer("granite", "<|tool_call|>[{\"name\": \"f\", \"arguments\": " + object + "}]");
    answer("mistral",
           "[TOOL_CALLS]f[ARGS]" + object + "[TOOL_CALLS]functions.g[CALL_ID]abc[ARGS]{}");
    answer("llama", "<|python_tag|>f.call(a=\"b\")");
    answer("command",
           "<|START_ACTION|>[\n{\"tool_call_id\": \"0\", \"tool_name\": \"f\", "
           "\"parameters\": " +
               object + "}\n]<|END_ACTION|>");
    answer("apertus", "<|tools_prefix|>[{\"f\": " + object + "}]<|tools_suffix|>");
    answer("lfm",
           "<|tool_call_start|>[f(a='it's', n=[1, True, {\"b\": '\\u00e9'}])]<|tool_call_end|>");
    answer("gemma", "<|tool_call>call:f{a:<|\"|>b<|\"|>,n:[1,{c:None}]}<tool_call|>");
    answer("kimi",
           "<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0"
           "<|tool_call_argument_begin|>" +
               object + "<|tool_call_end|><|tool_calls_section_end|>");
    answer("deepseek",
           "<\uFF5Ctool\u2581calls\u2581begin\uFF5C><\uFF5Ctool\u2581call\u2581begin\uFF5C>function"
           "<\uFF5Ctool\u2581sep\uFF5C>f\n```json\n" +
               object +
               "\n```<\uFF5Ctool\u2581call\u2581end\uFF5C><\uFF5Ctool\u2581calls\u2581end\uFF5C>");
    answer("channel", "<|channel|>commentary to=functions.f<|message|>" + object + "<|call|>");
}

void api_requests(const fs::path& folder) {
    const auto request = [&](const std::string& name, char form, const std::string& answer,
                             const std::string& body) {
        put(folder, name, std::string(1, form) + counted(answer) + body);
    };
    const std::string call = "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}</tool_call>";
    const std::string tools =
        "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"parameters\":{"
        "\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#/$defs/n\"}},\"$defs\":{\"n\":{"
        "\"type\":\"integer\"}}}}}]";
    const std::string hi = "{\"messages\":[{\"role\":\"user\",\"content\":\"Hi\"}]";
    request("chat", 0, "<think>\nHm.\n</think>\n\nHi.", hi + "}");
    request("chat-tools", 4, "See.\n" + call + "\n" + call, hi + "," + tools + "}");
    request("chat-forced", 0, "{\"name\":\"f\",\"arguments\":{}}",
            hi + "," + tools + ",\"tool_choice\":\"required\"}");
    request("chat-mistral", 4, "[TOOL_CALLS]f[ARGS]{\"a\":2}", hi + "," + tools + "}");
    request("chat-tags", 4,
            "<tool_call><function=f><parameter=a>\n7\n</parameter></function></tool_call>",
            hi + "," + tools + "}");
    request("chat-keys", 4, "<tool_call>f<arg_key>a</arg_key><arg_value>7</arg_value></tool_call>",
            hi + "," + tools + "}");
    request("chat-past", 0, "",
            "{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"function\":{"
            "\"name\":\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c\","
            "\"content\":[{\"type\":\"text\",\"text\":\"7\"}]}]," +
                tools + "}");
    request("chat-settings", 0, "a",
            hi + ",\"temperature\":0.5,\"top_p\":1,\"seed\":-3,\"stop\":[\"a\"],\"logit_bias\":{"
                 "\"5\":-100},\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{"
                 "\"schema\":{}}}}");
    request("completion", 1, "<think>", "{\"prompt\":\"a\",\"max_tokens\":5,\"stop\":\"b\"}");
    request("response", 2, "a", "{\"input\":\"a\",\"instructions\":\"b\"}");
    request(
        "response-items", 6, call,
        "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"a\"}]},"
        "{\"type\":\"reasoning\",\"content\":[{\"type\":\"reasoning_text\",\"text\":\"r\"}]},"
        "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\",\"arguments\":\"{}\"},"
        "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"7\"}],\"tools\":[{"
        "\"type\":\"function\",\"name\":\"f\"}]}");
    request("message", 3, "a",
            "{\"max_tokens\":1,\"system\":\"s\",\"messages\":[{\"role\":\"user\",\"content\":"
            "\"a\"}]}");
    request("message-blocks", 7, call,
            "{\"max_tokens\":1,\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":"
            "\"thinking\",\"thinking\":\"t\"},{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"f\","
            "\"input\":{}}]},{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
            "\"tool_use_id\":\"c\",\"content\":\"7\"}]}],\"tools\":[{\"name\":\"f\","
            "\"input_schema\":{}}],\"tool_choice\":{\"type\":\"any\"}}");
    request("host", 0, "", "127.0.0.1:80");
    request("deep", 0, "", "{\"a\":" + std::string(70, '['));
}

// ---- documents ---------------------------------------------------------------------------------

void drawings(const fs::path& folder) {
    const auto svg = [&](const std::string& name, const std::string& body) {
        put(folder, name, "<svg viewBox=\"0 0 9 9\" width=\"1em\">" + body + "</svg>");
    };
    svg("shapes", "<title>A</title><g fill=\"#f00\"><rect width=\"9\"/><path d=\"M0 0\"/></g>");
    svg("references", "<use href=\"#a\"/><use xlink:href=\"b.svg#a\"/><image href=\"a.png\"/>");
    svg("paints", "<rect fill=\"url(#a)\" stroke=\"url( 'b' )\" style=\"fill:URL(#a)\"/>");
    svg("style", "<style>@import 'a';/* } */@media x{a{b:c}} .a{fill:url(#a)}</style>");
    svg("hidden-style", "<style>.a{fill:u@x;rl(a)} \\75rl(a)</style>");
    svg("left-out", "<mask><g/></mask><a:b><rect/></a:b><script>x</script><a href=\"x\"><g/></a>");
    svg("nested-style", "<style>a<rect/>b</style><svg width=\"9\"/>");
    put(folder, "declared",
        "<?xml version=\"1.0\" encoding=\"UTF-16\"?><!DOCTYPE svg><svg style=\"background:#123\" "
        "width=\"1\" height=\"2\"/>");
    put(folder, "entities", "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg>&a;</svg>");
    put(folder, "numbers", "<svg width=\"nan\" height=\"1e999\" viewBox=\"0,0 inf -1\"/>");
    put(folder, "sheet", "@a{b}c/*d*/@e;f{g:url(#h)}");
    std::string deep = "<svg>";
    for (int i = 0; i < 200; ++i) {
        deep += "<g>";
    }
    put(folder, "deep", deep);
}

void office_files(const fs::path& folder) {
    const std::string w = "<w:document xmlns:w=\"w\" xmlns:mc=\"m\"><w:body>";
    const auto docx = [&](const std::string& name, const std::string& body) {
        put(folder, name, std::string(1, '\0') + w + body + "</w:body></w:document>");
    };
    docx("docx-text", "<w:p><w:r><w:t>a &amp; b</w:t><w:tab/><w:br/></w:r></w:p>");
    docx("docx-marks",
         "<w:p><w:pPr><w:pStyle w:val=\"Heading2\"/><w:numPr/></w:pPr><w:t>x</w:t></w:p>");
    docx("docx-table",
         "<w:tbl><w:tr><w:tc><w:p><w:t>1</w:t></w:p></w:tc><w:tc/></w:tr></w:tbl><w:del/>");
    docx("docx-fallback",
         "<mc:Choice><w:t>a</w:t></mc:Choice><mc:Fallback><w:t>b</w:t></mc:Fallback>");
    const std::string o = "<o:document-content xmlns:o=\"o\" xmlns:text=\"t\" xmlns:table=\"a\">";
    const auto odt = [&](const std::string& name, const std::string& body) {
        put(folder, name, "\1" + o + body + "</o:document-content>");
    };
    odt("odt-text",
        "<text:h text:outline-level=\"3\">h</text:h><text:p>a<text:s text:c=\"9\"/></text:p>");
    odt("odt-list", "<text:list><text:list-item><text:p>a</text:p></text:list-item></text:list>");
    odt("odt-table",
        "<table:table><table:table-row><table:table-cell><text:p>1</text:p>"
        "</table:table-cell></table:table-row></table:table>");
    odt("odt-left-out", "<text:tracked-changes><text:p>a</text:p></text:tracked-changes>");
    put(folder, "manifest", "\2<m:manifest xmlns:m=\"m\"><m:encryption-data/></m:manifest>");
    put(folder, "entities", std::string(1, '\0') + "<!DOCTYPE x [<!ENTITY a \"b\">]><x>&a;</x>");
    std::string deep = "\1";
    for (int i = 0; i < 300; ++i) {
        deep += "<a>";
    }
    put(folder, "deep", deep);
    put(folder, "sixteen-bits", std::string("\0\xFF\xFE<\0a\0/\0>\0", 11));
}

void passage_texts(const fs::path& folder) {
    const auto text = [&](const std::string& name, char form, const std::string& steps,
                          const std::string& bytes) {
        put(folder, name, std::string(1, form) + counted(steps) + bytes);
    };
    text("words", 2, "", "word word. word\n\nword ");
    text("pages", 2, "\1\5\0\9", "one two three\n");
    text("no-seam", 2, "", std::string(600, 'x'));
    text("faces", 2, "\2\2", "a\xF0\x9F\x98\x80\xF0\x9F\x98\x80");
    text("sixteen-bits", 0, "",
         std::string("\xFF\xFE"
                     "a\0\n\0",
                     6));
    text("cut-character", 1, "", "a\xF0\x9F\x98");
    text("full", 6, "\1", "a b c d e f g h i j k l m n o p\r\n");
    text("control-bytes", 0, "", "a\x01z");
    text("reading", 0, "", std::string("HDR1\0\0\0\0\0\0\1a\0\0\0\0", 16));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: hearth-make-corpus FOLDER\n");
        return 2;
    }
    const fs::path folder = argv[1];
    gguf_files(folder / "gguf_reader");
    model_headers(folder / "model_header");
    tokenizer_texts(folder / "tokenizer");
    chat_templates(folder / "chat_template");
    grammars(folder / "grammar");
    api_requests(folder / "api_request");
    called_tools(folder / "call_forms");
    tool_texts(folder / "toolbox");
    office_files(folder / "office_xml");
    passage_texts(folder / "passages");
    drawings(folder / "svg_source");
    if (!all_written) {
        std::fprintf(stderr, "not every file could be written\n");
        return 1;
    }
    return 0;
}
