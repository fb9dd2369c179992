// Files that are well-formed GGUF and no model: the exact sentence for each, before anything large
// is allocated. What breaks the format itself is in engine/gguf/broken_file.
#include <QtTest>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <hearth/engine.h>
#include <hearth/tools.h>

#include "gguf/convert_neuron_row.h"
#include "support/damaged_file.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::GgufBuilder;
using test::TinyModel;
using test::TinyModelOptions;

namespace {

using Change = std::function<void(GgufBuilder&)>;

// Another value, of any type, for a key that is there.
template <class T>
Change set(const char* key, T value) {
    return [key, value](GgufBuilder& file) { file.without(key).key(key, value); };
}

template <class T>
Change add(const char* key, T value) {
    return [key, value](GgufBuilder& file) { file.key(key, value); };
}

Change drop(const char* name) {
    return [name](GgufBuilder& file) { file.without(name); };
}

Change both(const Change& first, const Change& second) {
    return [first, second](GgufBuilder& file) {
        first(file);
        second(file);
    };
}

// Another shape or type, and zeros, for a tensor that is there.
Change reshape(const char* name, std::vector<std::uint64_t> shape, DType type = DType::F32) {
    return [=](GgufBuilder& file) { file.without(name).tensor(name, shape, type); };
}

}  // namespace

class BrokenModelTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(TinyModel().write(path_));
        QVERIFY(load());  // or no row below says anything
    }

    void refused_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("message");
        QTest::addColumn<QString>("field");
        QTest::addColumn<int>("code");
        const auto row = [](const char* name, const Change& change, const char* message,
                            const char* field, ErrorCode code = ErrorCode::BadFile) {
            QTest::newRow(name) << change << QString(message) << QString(field)
                                << static_cast<int>(code);
        };
        constexpr auto kUnsupported = ErrorCode::Unsupported;
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
        constexpr float kInfinity = std::numeric_limits<float>::infinity();

        // 1. Keys that every model has.
        for (const char* key :
             {"general.architecture", "bamboo.block_count", "bamboo.embedding_length",
              "bamboo.feed_forward_length", "bamboo.attention.head_count", "bamboo.context_length",
              "bamboo.attention.layer_norm_rms_epsilon", "tokenizer.ggml.model",
              "tokenizer.ggml.tokens"}) {
            row(qPrintable(QString("without ") + key), drop(key),
                qPrintable(QString(key) + ": the file does not have this metadata key"), key);
        }

        // 2. Keys of another type.
        row("architecture is a number", set("general.architecture", 1U),
            "general.architecture: wanted a str, found u32", "general.architecture");
        row("layers are a text", set("bamboo.block_count", "two"),
            "bamboo.block_count: wanted an integer, found str", "bamboo.block_count");
        row("layers are a fraction", set("bamboo.block_count", 2.0F),
            "bamboo.block_count: wanted an integer, found f32", "bamboo.block_count");
        row("layers are a bool", set("bamboo.block_count", true),
            "bamboo.block_count: wanted an integer, found bool", "bamboo.block_count");
        row(
            "heads of three layers",
            [](GgufBuilder& file) {
                file.without("bamboo.attention.head_count")
                    .array<std::uint32_t>("bamboo.attention.head_count", {4, 4, 4});
            },
            "bamboo.attention.head_count: has 3 integers, the model has 2 layers",
            "bamboo.attention.head_count");
        row("epsilon is a text", set("bamboo.attention.layer_norm_rms_epsilon", "1e-5"),
            "bamboo.attention.layer_norm_rms_epsilon: wanted a number, found str",
            "bamboo.attention.layer_norm_rms_epsilon");
        row("tokenizer is a number", set("tokenizer.ggml.model", 2U),
            "tokenizer.ggml.model: wanted a str, found u32", "tokenizer.ggml.model");

        // 3. Numbers no model has.
        row("no layers", set("bamboo.block_count", 0U),
            "bamboo.block_count: wanted a number from 1 to 4096, found 0", "bamboo.block_count");
        row("fewer than no layers", set("bamboo.block_count", -1),
            "bamboo.block_count: wanted a number from 1 to 4096, found -1", "bamboo.block_count");
        row("2^64 - 1 layers", set("bamboo.block_count", ~std::uint64_t{0}),
            "bamboo.block_count: wanted a number from 1 to 4096, found 18446744073709551615",
            "bamboo.block_count");
        row("no width", set("bamboo.embedding_length", 0U),
            "bamboo.embedding_length: wanted a number from 1 to 1048576, found 0",
            "bamboo.embedding_length");
        row("2^31 wide", set("bamboo.embedding_length", 1U << 31),
            "bamboo.embedding_length: wanted a number from 1 to 1048576, found 2147483648",
            "bamboo.embedding_length");
        row("no neurons", set("bamboo.feed_forward_length", 0U),
            "bamboo.feed_forward_length: wanted a number from 1 to 1048576, found 0",
            "bamboo.feed_forward_length");
        row("no context", set("bamboo.context_length", 0U),
            "bamboo.context_length: wanted a number from 1 to 134217728, found 0",
            "bamboo.context_length");
        row("a context of 2^40", set("bamboo.context_length", std::uint64_t{1} << 40),
            "bamboo.context_length: wanted a number from 1 to 134217728, found 1099511627776",
            "bamboo.context_length");

        // 4. Numbers that are none.
        row("epsilon NaN", set("bamboo.attention.layer_norm_rms_epsilon", kNan),
            "bamboo.attention.layer_norm_rms_epsilon: wanted a finite number, found NaN",
            "bamboo.attention.layer_norm_rms_epsilon");
        row("epsilon 0", set("bamboo.attention.layer_norm_rms_epsilon", 0.0F),
            "bamboo.attention.layer_norm_rms_epsilon: is 0.000000, must be positive",
            "bamboo.attention.layer_norm_rms_epsilon");
        row("epsilon below zero", set("bamboo.attention.layer_norm_rms_epsilon", -1.0F),
            "bamboo.attention.layer_norm_rms_epsilon: is -1.000000, must be positive",
            "bamboo.attention.layer_norm_rms_epsilon");
        row("epsilon too small for a float", set("bamboo.attention.layer_norm_rms_epsilon", 1e-60),
            "bamboo.attention.layer_norm_rms_epsilon: is 0.000000, must be positive",
            "bamboo.attention.layer_norm_rms_epsilon");
        row("epsilon too large for a float", set("bamboo.attention.layer_norm_rms_epsilon", 1e60),
            "bamboo.attention.layer_norm_rms_epsilon: is inf, must be positive",
            "bamboo.attention.layer_norm_rms_epsilon");
        row("RoPE base infinite", set("bamboo.rope.freq_base", kInfinity),
            "bamboo.rope.freq_base: wanted a finite number, found infinity",
            "bamboo.rope.freq_base");
        row("RoPE factor 0",
            both(add("bamboo.rope.scaling.type", "linear"),
                 add("bamboo.rope.scaling.factor", 0.0F)),
            "bamboo.rope.scaling.factor: is 0.000000, must be positive",
            "bamboo.rope.scaling.factor");
        row("RoPE factor missing", add("bamboo.rope.scaling.type", "linear"),
            "bamboo.rope.scaling.factor: the file does not have this metadata key",
            "bamboo.rope.scaling.factor");

        // 5. Heads that do not fit.
        row("no heads", set("bamboo.attention.head_count", 0U),
            "bamboo.attention.head_count: wanted a number from 1 to 4096, found 0",
            "bamboo.attention.head_count");
        row("a million heads", set("bamboo.attention.head_count", 1000000U),
            "bamboo.attention.head_count: wanted a number from 1 to 4096, found 1000000",
            "bamboo.attention.head_count");
        row("no key heads", set("bamboo.attention.head_count_kv", 0U),
            "bamboo.attention.head_count_kv: wanted a number from 1 to 4096, found 0",
            "bamboo.attention.head_count_kv");
        row("more key heads than heads", set("bamboo.attention.head_count_kv", 8U),
            "bamboo.attention.head_count: 4 heads do not share 8 key/value heads evenly",
            "bamboo.attention.head_count_kv");
        row("heads that do not share evenly", set("bamboo.attention.head_count_kv", 3U),
            "bamboo.attention.head_count: 4 heads do not share 3 key/value heads evenly",
            "bamboo.attention.head_count_kv");
        row("heads that do not divide the width", set("bamboo.attention.head_count", 6U),
            "bamboo.embedding_length: 64 is not a multiple of 6 heads", "bamboo.embedding_length");
        row("heads of odd width",
            both(add("bamboo.attention.key_length", 15U), drop("bamboo.rope.dimension_count")),
            "bamboo.rope.dimension_count: rotating 15 of 15 head dimensions is not possible",
            "bamboo.rope.dimension_count");
        row("wide heads", add("bamboo.attention.key_length", 1025U),
            "bamboo.attention.key_length: wanted a number from 2 to 1024, found 1025",
            "bamboo.attention.key_length");
        row("heads too wide together",
            both(set("bamboo.attention.head_count", 4096U),
                 add("bamboo.attention.key_length", 1024U)),
            "bamboo.attention.key_length: 4096 heads of 1024 are too wide",
            "bamboo.attention.key_length");
        row("other value heads", add("bamboo.attention.value_length", 32U),
            "bamboo.attention.value_length: value heads of 32 beside key heads of 16 are not "
            "supported",
            "bamboo.attention.value_length", kUnsupported);
        row("more rotated than there is", set("bamboo.rope.dimension_count", 18U),
            "bamboo.rope.dimension_count: rotating 18 of 16 head dimensions is not possible",
            "bamboo.rope.dimension_count");
        row("an odd number rotated", set("bamboo.rope.dimension_count", 15U),
            "bamboo.rope.dimension_count: rotating 15 of 16 head dimensions is not possible",
            "bamboo.rope.dimension_count");

        // 6. What this version cannot run.
        const std::string runs =
            "\" is not one this version can run (it runs " + test::test_family_names() + ")";
        row("another architecture", set("general.architecture", "mamba"),
            ("the architecture \"mamba" + runs).c_str(), "general.architecture", kUnsupported);
        row("an architecture to confuse a terminal", set("general.architecture", "\x1B[2J\n"),
            ("the architecture \"\\x1B[2J\\x0A" + runs).c_str(), "general.architecture",
            kUnsupported);
        row("an activation nobody knows", add("hearth.activation", "swish"),
            "hearth.activation: \"swish\" is no activation this version knows", "hearth.activation",
            kUnsupported);
        row("experts", add("bamboo.expert_count", 8U),
            "a mixture of 8 experts of the architecture \"bamboo\" is not something this version "
            "can "
            "run",
            "bamboo.expert_count", kUnsupported);
        row("RoPE scaling", add("bamboo.rope.scaling.type", "dynamic"),
            "bamboo.rope.scaling.type: RoPE scaling \"dynamic\" is not supported",
            "bamboo.rope.scaling.type", kUnsupported);

        // 7. Tensors that are missing, or nobody knows.
        for (const char* name :
             {"token_embd.weight", "output_norm.weight", "blk.0.attn_norm.weight",
              "blk.1.ffn_down.weight", "blk.1.attn_k.weight"}) {
            row(qPrintable(QString("without ") + name), drop(name),
                qPrintable(QString(name) + ": the file has no such tensor"), name);
        }
        row("more layers than tensors", set("bamboo.block_count", 3U),
            "blk.2.attn_norm.weight: the file has no such tensor", "blk.2.attn_norm.weight");
        row("fewer layers than tensors", set("bamboo.block_count", 1U),
            "blk.1.attn_norm.weight: is a tensor this version does not know what to do with",
            "blk.1.attn_norm.weight", kUnsupported);
        row(
            "a tensor of another architecture",
            [](GgufBuilder& file) { file.tensor("blk.0.attn_sinks.weight", {4}, DType::F32); },
            "blk.0.attn_sinks.weight: is a tensor this version does not know what to do with",
            "blk.0.attn_sinks.weight", kUnsupported);
        row(
            "one bias of three",
            [](GgufBuilder& file) { file.tensor("blk.0.attn_q.bias", {64}, DType::F32); },
            "blk.0.attn_k.bias: the file has no such tensor", "blk.0.attn_k.bias");

        // 8. Tensors of another shape than the keys say.
        row("embedding of one dimension", reshape("token_embd.weight", {64}),
            "token_embd.weight: is not a table of one row a token", "token_embd.weight");
        row("embedding without rows", reshape("token_embd.weight", {0, 64}),
            "token_embd.weight: is not a table of one row a token", "token_embd.weight");
        row("embedding of another width", reshape("token_embd.weight", {259, 32}),
            "token_embd.weight: has shape [259, 32], must have [259, 64]", "token_embd.weight");
        row("head of another vocabulary", reshape("output.weight", {260, 64}),
            "output.weight: has shape [260, 64], must have [259, 64]", "output.weight");
        row("a matrix turned round", reshape("blk.0.ffn_down.weight", {96, 64}),
            "blk.0.ffn_down.weight: has shape [96, 64], must have [64, 96]",
            "blk.0.ffn_down.weight");
        row("a norm with two dimensions", reshape("output_norm.weight", {1, 64}),
            "output_norm.weight: has shape [1, 64], must have [64]", "output_norm.weight");
        row("keys for one head only", reshape("blk.1.attn_k.weight", {16, 64}),
            "blk.1.attn_k.weight: has shape [16, 64], must have [32, 64]", "blk.1.attn_k.weight");
        row(
            "RoPE factors for other heads",
            [](GgufBuilder& file) { file.tensor("rope_freqs.weight", {16}, DType::F32); },
            "rope_freqs.weight: has shape [16], must have [8]", "rope_freqs.weight");

        // 9. Tensors of a type nothing computes with.
        row("Q8_1 weights", reshape("blk.0.attn_q.weight", {64, 64}, DType::Q8_1),
            "blk.0.attn_q.weight: is of type Q8_1, which this version cannot compute with",
            "blk.0.attn_q.weight", kUnsupported);
        row("integers for weights", reshape("blk.1.ffn_up.weight", {96, 64}, DType::I32),
            "blk.1.ffn_up.weight: is of type I32, which this version cannot compute with",
            "blk.1.ffn_up.weight", kUnsupported);

        // 10. Tokenizers that are none, or another's.
        row("another tokenizer", set("tokenizer.ggml.model", "bert"),
            "tokenizer.ggml.model: this version has no tokenizer of the kind 'bert' (it has "
            "'gpt2', 'llama' and 'gemma4')",
            "tokenizer.ggml.model", kUnsupported);
        row(
            "no words",
            [](GgufBuilder& file) {
                file.without("tokenizer.ggml.tokens")
                    .array("tokenizer.ggml.tokens", std::vector<std::string>{});
            },
            "tokenizer.ggml.tokens: the vocabulary is empty", "tokenizer.ggml.tokens");
        row(
            "words are numbers",
            [](GgufBuilder& file) {
                file.without("tokenizer.ggml.tokens")
                    .array<std::int32_t>("tokenizer.ggml.tokens", {1, 2});
            },
            "tokenizer.ggml.tokens: wanted an array of str, found array of i32",
            "tokenizer.ggml.tokens");
        row(
            "types for other words",
            [](GgufBuilder& file) {
                file.without("tokenizer.ggml.token_type")
                    .array<std::int32_t>("tokenizer.ggml.token_type", {1, 1});
            },
            "tokenizer.ggml.token_type: 2 types for 259 tokens", "tokenizer.ggml.token_type");
        row("an end outside the vocabulary", set("tokenizer.ggml.eos_token_id", 259U),
            "tokenizer.ggml.eos_token_id: wanted a number from 0 to 258, found 259",
            "tokenizer.ggml.eos_token_id");
        row("fewer rows than words",
            both(reshape("token_embd.weight", {200, 64}), reshape("output.weight", {200, 64})),
            "tokenizer.ggml.tokens: has 259 tokens, token_embd.weight has rows for 200",
            "tokenizer.ggml.tokens");
    }
    void refused() {
        QFETCH(Change, change);
        QFETCH(QString, message);
        QFETCH(QString, field);
        QFETCH(int, code);
        GgufBuilder file = TinyModel().file();
        change(file);
        QVERIFY(file.write(path_));
        const auto engine = load();
        QVERIFY(!engine);
        QCOMPARE(QString::fromStdString(engine.error().message), message);
        QCOMPARE(QString::fromStdString(engine.error().field), field);
        QCOMPARE(static_cast<int>(engine.error().code), code);
        QCOMPARE(engine.error().path, path_);
    }

    // One value or one block's scale is enough, wherever it lies.
    void weights_that_are_no_numbers_data() {
        QTest::addColumn<TinyModelOptions>("options");
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<int>("at");
        QTest::addColumn<unsigned>("bits");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<QString>("message");
        const auto row = [](const TinyModelOptions& options, const char* tensor, int at,
                            std::uint32_t bits, int bytes, const char* message) {
            QTest::addRow("%s", message)
                << options << QString(tensor) << at << bits << bytes << QString(message);
        };
        row({}, "blk.1.ffn_norm.weight", 17 * 4, test::kNanBits, 4, "value 17 is NaN");
        row({}, "blk.0.attn_norm.weight", 0, test::kMinusInfBits, 4, "value 0 is -Inf");
        row({}, "output_norm.weight", 63 * 4, test::kInfBits, 4, "value 63 is Inf");
        row({.arch = "opt", .n_head_kv = 4}, "blk.1.ffn_up.bias", 95 * 4, test::kNanBits, 4,
            "value 95 is NaN");
        row({.arch = "opt", .n_head_kv = 4}, "blk.0.attn_q.bias", 4, test::kInfBits, 4,
            "value 1 is Inf");
        row({.rope_factors = true}, "rope_freqs.weight", 4, test::kNanBits, 4, "value 1 is NaN");
        row({}, "blk.1.ffn_down.weight", (5 * 96 + 7) * 4, test::kNanBits, 4,
            "value 7 of row 5 is NaN");
        row({.type = DType::F16}, "blk.0.attn_k.weight", (31 * 64 + 63) * 2, test::kHalfInfBits, 2,
            "value 63 of row 31 is Inf");
        row({.type = DType::BF16}, "token_embd.weight", (200 * 64 + 1) * 2, test::kBfloatNanBits, 2,
            "value 1 of row 200 is NaN");
        row({.type = DType::Q4_0}, "blk.1.ffn_up.weight", (95 * 2 + 1) * 18, test::kHalfInfBits, 2,
            "the scale of row 95, block 1 is Inf");
        row({.type = DType::Q5_0}, "blk.0.ffn_gate.weight", 22, test::kHalfNanBits, 2,
            "the scale of row 0, block 1 is NaN");
        row({.type = DType::Q8_0, .by_neuron = true}, "blk.0.ffn_down_t.weight", (40 * 2) * 34,
            test::kHalfNanBits, 2, "the scale of row 40, block 0 is NaN");
        row({.type = DType::Q6_K, .n_embd = 256, .n_ff = 256}, "output.weight", 210 + 208,
            test::kHalfInfBits, 2, "the scale of row 1, block 0 is Inf");
        row({.type = DType::Q4_K, .n_embd = 256, .n_ff = 256}, "blk.0.attn_q.weight", 144 + 2,
            test::kHalfInfBits, 2, "the scale of row 1, block 0 is Inf");  // the minima's
        row({.type = DType::IQ2_XXS, .n_embd = 256, .n_ff = 256}, "blk.0.attn_v.weight", 66,
            test::kHalfNanBits, 2, "the scale of row 1, block 0 is NaN");
        row({.type = DType::Q2_K, .n_embd = 256, .n_ff = 256}, "blk.1.ffn_down.weight", 7 * 84 + 82,
            test::kHalfInfBits, 2, "the scale of row 7, block 0 is Inf");  // the minima's
        row({.type = DType::IQ1_M, .n_embd = 256, .n_ff = 256}, "token_embd.weight", 9 * 56 + 53,
            0xF000F0, 3, "the scale of row 9, block 0 is NaN");
        row({.type = DType::MXFP4}, "blk.1.ffn_up.weight", (95 * 2 + 1) * 17, 255, 1,
            "the scale of row 95, block 1 is NaN");
    }
    void weights_that_are_no_numbers() {
        QFETCH(TinyModelOptions, options);
        QFETCH(QString, tensor);
        QFETCH(int, at);
        QFETCH(unsigned, bits);
        QFETCH(int, bytes);
        QFETCH(QString, message);
        QVERIFY(TinyModel(options).write(path_));
        QVERIFY(load());
        const std::string name = tensor.toStdString();
        QVERIFY(test::overwrite_tensor(path_, name, static_cast<std::uint64_t>(at), bits, bytes));
        const auto engine = load();
        QVERIFY(!engine);
        QCOMPARE(QString::fromStdString(engine.error().message), tensor + ": " + message);
        QVERIFY(engine.error().code == ErrorCode::BadFile);
        QCOMPARE(engine.error().field, name);
        QCOMPARE(engine.error().path, path_);
    }

    // What is read of records, rows of side files and inputs is checked as well; of rows in row
    // form also what pads them, since kernels multiply it with zeros.
    void no_numbers_in_packed_files_data() {
        QTest::addColumn<std::uint32_t>("format");
        QTest::addColumn<DType>("type");
        QTest::addColumn<std::uint64_t>("at");  // in the record
        QTest::addColumn<unsigned>("bits");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, std::uint32_t format, DType type, std::uint64_t at,
                            unsigned bits, const char* message) {
            QTest::newRow(name) << format << type << at << bits << message;
        };
        // Rows of 64 values. As a neuron row Q4_0 has 64 bytes of codes for 128, then four scales.
        const std::uint64_t up = neuron_row_bytes(DType::Q4_0, 64);
        row("1: up", 1, DType::Q4_0, 2 * 18 + 18, test::kHalfNanBits,
            "the scale of row 3, block 1 is NaN");
        row("2: gate", 2, DType::Q4_0, 64, test::kHalfInfBits,
            "the scale of row 3, block 0 is Inf");
        row("2: up", 2, DType::Q4_0, up + 64 + 2, test::kHalfNanBits,
            "the scale of row 3, block 1 is NaN");
        row("2: down, Q8_0", 2, DType::Q4_0, 2 * up + 128 + 2, test::kHalfNanBits,
            "the scale of row 3, block 1 is NaN");
        row("2: padding", 2, DType::Q4_0, up + 64 + 6, test::kHalfNanBits,
            "the scale of row 3, block 3 is NaN");
        row("2: a half", 2, DType::F16, 256 + 63 * 2, test::kHalfInfBits,
            "value 63 of row 3 is Inf");
        row("2: a half of padding", 2, DType::F16, 256 + 100 * 2, test::kHalfInfBits,
            "value 100 of row 3 is Inf");
    }
    void no_numbers_in_packed_files() {
        QFETCH(std::uint32_t, format);
        QFETCH(DType, type);
        QFETCH(std::uint64_t, at);
        QFETCH(unsigned, bits);
        QFETCH(QString, message);
        QVERIFY(TinyModel({.type = type}).write(path_));
        tools::PackOptions options;
        options.output_path = dir_.file("packed.gguf");
        options.format = format;
        const Cancellation never;
        QVERIFY(tools::pack(path_, options, {}, never));
        const auto packed = GgufFile::open(options.output_path);
        QVERIFY(packed);
        const std::uint64_t record =
            packed->tensors().find("blk.0.ffn_neurons.weight")->shape.back();
        QVERIFY(test::overwrite_tensor(options.output_path, "blk.0.ffn_neurons.weight",
                                       3 * record + at, bits, 2));
        EngineOptions engine_options;
        engine_options.model_path = options.output_path;
        const auto engine = Engine::load(engine_options);
        QVERIFY(!engine);
        QCOMPARE(QString::fromStdString(engine.error().message),
                 "blk.0.ffn_neurons.weight: " + message);
    }

    // Weights that are numbers may still compute none: whoever asks for logits hears of it.
    void logits_that_are_no_numbers_data() {
        QTest::addColumn<QString>("asks");
        for (const char* asks :
             {"greedy", "drawn", "logits", "all logits", "perplexity", "token by token", "bench"}) {
            QTest::newRow(asks) << QString(asks);
        }
    }
    void logits_that_are_no_numbers() {
        QFETCH(QString, asks);
        QVERIFY(TinyModel().write(path_));
        for (int i = 0; i < 64; ++i) {  // 3.4e38, the largest there is
            QVERIFY(test::overwrite_tensor(path_, "output.weight",
                                           static_cast<std::uint64_t>((5 * 64 + i) * 4), 0x7F7FFFFF,
                                           4));
        }
        const auto engine = load();
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        const Cancellation never;
        std::optional<Error> error;
        if (asks == "greedy" || asks == "drawn") {
            GenerationOptions options;
            options.sampling.temperature = asks == "drawn" ? 0.8F : 0.0F;
            options.max_tokens = 4;
            if (auto answer = (*engine)->complete("Hello", options, {}, never); !answer) {
                error = answer.error();
            }
        } else if (asks.endsWith("logits")) {
            const auto row = [](int, std::span<const float>) { return Result<void>{}; };
            if (auto done = tools::logits(**engine, std::vector<std::int32_t>{9, 8, 7},
                                          asks == "all logits", row);
                !done) {
                error = done.error();
            }
        } else if (asks == "bench") {
            if (auto report = tools::bench(
                    **engine, {.prefill_tokens = 4, .decode_tokens = 2, .repetitions = 1}, never);
                !report) {
                error = report.error();
            }
        } else if (auto report = tools::perplexity(**engine, "Hello, hello", 8, {}, never,
                                                   asks == "token by token");
                   !report) {
            error = report.error();
        }
        QVERIFY(error);
        const QString message = QString::fromStdString(error->message);
        QVERIFY2(message.startsWith("logits: token 5 is "), qPrintable(message));
        QVERIFY(error->code == ErrorCode::BadFile);
        QCOMPARE(error->field, std::string("logits"));
        QCOMPARE(error->path, path_);
    }

private:
    Result<std::unique_ptr<Engine>> load() const {
        EngineOptions options;
        options.model_path = path_;
        options.threads = 1;
        return Engine::load(options);
    }

    test::TempDir dir_;
    std::string path_ = dir_.file("model.gguf");
};

QTEST_GUILESS_MAIN(BrokenModelTest)
#include "broken_model_test.moc"
