#include <QtTest>
#include <string>
#include <vector>

#include <hearth/tools.h>

#include "gguf/dtype.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

using namespace hearth;
using test::GgufBuilder;

namespace {

constexpr std::uint64_t kEmbd = 32;
constexpr std::uint64_t kFf = 64;
constexpr std::uint64_t kVocab = 10;

// One layer that this build can run, of `ffn_type` in its feed-forward block.
GgufBuilder runnable(DType ffn_type = DType::Q4_0) {
    GgufBuilder builder;
    builder.key("general.architecture", "bamboo")
        .key("bamboo.block_count", std::uint32_t{1})
        .key("bamboo.embedding_length", std::uint32_t{kEmbd})
        .key("bamboo.feed_forward_length", std::uint32_t{kFf})
        .key("bamboo.attention.head_count", std::uint32_t{4})
        .key("bamboo.attention.head_count_kv", std::uint32_t{2})
        .key("bamboo.context_length", std::uint32_t{128})
        .key("bamboo.attention.layer_norm_rms_epsilon", 1e-5F)
        .key("tokenizer.ggml.model", "gpt2")
        .key("tokenizer.ggml.pre", "gpt-2")
        .key("tokenizer.chat_template", "{{ messages }}")
        .array("tokenizer.ggml.tokens", std::vector<std::string>(kVocab, "t"))
        .tensor("token_embd.weight", {kVocab, kEmbd}, DType::F16)
        .tensor("output_norm.weight", {kEmbd}, DType::F32)
        .tensor("blk.0.attn_norm.weight", {kEmbd}, DType::F32)
        .tensor("blk.0.attn_q.weight", {kEmbd, kEmbd}, DType::F16)
        .tensor("blk.0.attn_k.weight", {16, kEmbd}, DType::F16)
        .tensor("blk.0.attn_v.weight", {16, kEmbd}, DType::F16)
        .tensor("blk.0.attn_output.weight", {kEmbd, kEmbd}, DType::F16)
        .tensor("blk.0.ffn_norm.weight", {kEmbd}, DType::F32)
        .tensor("blk.0.ffn_gate.weight", {kFf, kEmbd}, ffn_type)
        .tensor("blk.0.ffn_up.weight", {kFf, kEmbd}, ffn_type)
        .tensor("blk.0.ffn_down.weight", {kEmbd, kFf}, ffn_type);
    return builder;
}

constexpr std::uint64_t kParams =
    kVocab * kEmbd + 3 * kEmbd + 2 * kEmbd * kEmbd + 2 * 16 * kEmbd + 3 * kFf * kEmbd;

tools::FileReport inspected(const GgufBuilder& builder) {
    const test::TempDir dir;
    if (!builder.write(dir.file("m.gguf"))) {
        return {};
    }
    auto report = tools::inspect(dir.file("m.gguf"));
    return report ? *std::move(report) : tools::FileReport{};
}

const tools::InspectedValue* find(const tools::FileReport& report, std::string_view key) {
    for (const auto& [name, value] : report.metadata) {
        if (name == key) {
            return &value;
        }
    }
    return nullptr;
}

}  // namespace

class InspectTest : public QObject {
    Q_OBJECT

private slots:
    void a_model_that_runs() {
        const auto report = inspected(runnable());
        QCOMPARE(QString::fromStdString(report.reason), QString());
        QVERIFY(report.supported);
        QVERIFY(report.container == "GGUF");
        QCOMPARE(report.format_version, 3U);
        QVERIFY(report.arch == "bamboo");
        QVERIFY(report.activation == "drelu");
        QCOMPARE(report.params, kParams);
        QVERIFY(report.n_layer == 1U);
        QVERIFY(report.n_embd == kEmbd);
        QVERIFY(report.n_head == 4U);
        QVERIFY(report.n_head_kv == 2U);
        QVERIFY(report.head_dim == 8U);
        QVERIFY(report.n_ff == kFf);
        QVERIFY(report.n_vocab == kVocab);
        QVERIFY(report.n_ctx == 128U);
        QVERIFY(!report.expert_count);
        QVERIFY(report.tokenizer_model == "gpt2");
        QVERIFY(report.tokenizer_pre == "gpt-2");
        QVERIFY(report.chat_template);
        QVERIFY(report.predictor_layers.empty());
        QVERIFY(!report.sparse_threshold);
    }

    // Heads for keys and values are those for queries where the file says nothing of them, and not
    // where each layer has its own number.
    void heads_that_the_file_says_nothing_of() {
        GgufBuilder silent = runnable();
        silent.without("bamboo.attention.head_count_kv");
        QVERIFY(inspected(silent).n_head_kv == 4U);
        silent.array("bamboo.attention.head_count_kv", std::vector<std::uint32_t>{2});
        QVERIFY(!inspected(silent).n_head_kv);
    }

    void types_with_most_bytes_first() {
        const auto report = inspected(runnable());
        QCOMPARE(report.types.size(), std::size_t{3});
        QVERIFY(report.types[0].type == "F16");
        QCOMPARE(report.types[0].tensors, std::uint64_t{5});
        QVERIFY(report.types[1].type == "Q4_0");
        QCOMPARE(report.types[1].bytes, std::uint64_t{3 * kFf * kEmbd / 32 * 18});
        QVERIFY(report.types[2].type == "F32");
    }

    void tensors_as_they_lie() {
        const GgufBuilder builder = runnable();
        const auto report = inspected(builder);
        QCOMPARE(report.tensors.size(), std::size_t{11});
        QVERIFY(report.tensors[0].name == "token_embd.weight");
        QCOMPARE(report.tensors[0].shape, (std::vector<std::uint64_t>{kVocab, kEmbd}));
        QCOMPARE(report.tensors[0].offset, std::uint64_t{builder.header().size()});
        QCOMPARE(report.tensors[0].bytes, kVocab * kEmbd * 2);
        QCOMPARE(report.file_bytes, std::uint64_t{builder.bytes().size()});
    }

    void an_output_head_that_repeats_the_embedding_counts_once() {
        GgufBuilder tied = runnable();
        tied.tensor("output.weight", {kVocab, kEmbd}, DType::F16);
        QCOMPARE(inspected(tied).params, kParams);
        GgufBuilder untied = runnable();
        test::Bytes other(kVocab * kEmbd * 2);
        other.back() = std::byte{1};
        untied.tensor("output.weight", {kVocab, kEmbd}, DType::F16, other);
        QCOMPARE(inspected(untied).params, kParams + kVocab * kEmbd);
    }

    void types_nothing_here_computes_are_listed_and_refused() {
        GgufBuilder builder = runnable();
        builder.tensor("blk.0.extra.weight", {2, 512}, DType::Q4_K);
        const auto report = inspected(builder);
        QVERIFY(!report.supported);
        QVERIFY(!report.reason.empty());
        QVERIFY(report.tensors.back().type == "Q4_K");
        QCOMPARE(report.tensors.back().bytes, std::uint64_t{2 * 2 * 144});
        QCOMPARE(report.params, kParams + 1024);
    }

    void why_not_data() {
        QTest::addColumn<QString>("reason");
        QTest::addColumn<QString>("wanted");
        const auto add = [](const char* name, const GgufBuilder& builder, const char* wanted) {
            const auto report = inspected(builder);
            QTest::newRow(name) << (report.supported ? QString("supported")
                                                     : QString::fromStdString(report.reason))
                                << QString(wanted);
        };
        GgufBuilder vocabulary;
        vocabulary.key("general.architecture", "llama")
            .array("tokenizer.ggml.tokens", {"a", "b", "c"});
        add("vocabulary", vocabulary, "holds a vocabulary and no weights");
        GgufBuilder k = runnable(DType::F32);
        k.with_type(static_cast<std::uint32_t>(DType::I32));
        add("type", k,
            "blk.0.ffn_down.weight: is of type I32, which this version cannot compute with");
        GgufBuilder nameless;
        nameless.tensor("w", {1}, DType::F32);
        add("no architecture", nameless,
            "general.architecture: the file does not have this metadata key");
    }
    void why_not() {
        QFETCH(QString, reason);
        QFETCH(QString, wanted);
        QCOMPARE(reason, wanted);
    }

    void an_unknown_architecture_still_says_what_it_can() {
        GgufBuilder builder;
        builder.key("general.architecture", "mystery")
            .key("mystery.block_count", std::uint32_t{7})
            .key("mystery.expert_count", std::uint32_t{8})
            .key("mystery.expert_used_count", std::uint32_t{2})
            .array<std::int32_t>("mystery.attention.head_count", {1, 2})
            .tensor("w", {3, 5}, DType::F32);
        const auto report = inspected(builder);
        QVERIFY(!report.supported);
        QVERIFY(report.reason.find("the architecture \"mystery\"") != std::string::npos);
        QVERIFY(report.n_layer == 7U);
        QVERIFY(report.expert_count == 8U);
        QVERIFY(report.expert_used == 2U);
        QVERIFY(!report.n_head);  // one number a layer is not one number
        QVERIFY(report.heads_of_layers && report.heads_of_layers->least == 1U);
        QCOMPARE(report.heads_of_layers->most, std::uint64_t{2});
        QVERIFY(!report.heads_kv_of_layers && !report.ff_of_layers);
        QVERIFY(!report.n_embd);
        QCOMPARE(report.params, std::uint64_t{15});
    }

    void predictors_and_threshold() {
        GgufBuilder builder = runnable();
        builder.magic("PWRI")
            .key("powerinfer.sparse_threshold", 0.25F)
            .tensor("blk.10.fc1.weight", {16, kEmbd}, DType::F16)
            .tensor("blk.10.fc2.weight", {kFf, 16}, DType::F16)
            .tensor("blk.2.fc1.weight", {16, kEmbd}, DType::F16)
            .tensor("blk..fc1.weight", {16, kEmbd}, DType::F16)
            .tensor("blk.2x.fc1.weight", {16, kEmbd}, DType::F16);
        const auto report = inspected(builder);
        QVERIFY(report.container == "PWRI");
        QCOMPARE(report.predictor_layers, (std::vector<int>{2, 10}));
        QVERIFY(report.sparse_threshold == 0.25);
        QCOMPARE(report.params, kParams + 4 * 16 * kEmbd + kFf * 16);
    }

    void metadata_values() {
        GgufBuilder builder;
        builder.key("u", std::uint8_t{200})
            .key("i", std::int8_t{-3})
            .key("f", 0.5F)
            .key("b", true)
            .key("s", "text")
            .array<std::int32_t>("sixteen", std::vector<std::int32_t>(16, -1))
            .array<std::int32_t>("seventeen", std::vector<std::int32_t>(17, -1))
            .array<bool>("bools", {true, false})
            .raw_key("nested", GgufBuilder::array_number(), [] {
                test::Bytes bytes;
                test::append(bytes, GgufBuilder::array_number());
                test::append(bytes, std::uint64_t{1});
                const auto inner = GgufBuilder::array_value(std::vector<float>{1.5F});
                bytes.insert(bytes.end(), inner.begin(), inner.end());
                return bytes;
            }());
        const auto report = inspected(builder);
        QCOMPARE(report.metadata.size(), std::size_t{9});
        QVERIFY(std::get<std::uint64_t>(*find(report, "u")) == 200);
        QVERIFY(std::get<std::int64_t>(*find(report, "i")) == -3);
        QVERIFY(std::get<double>(*find(report, "f")) == 0.5);
        QVERIFY(std::get<bool>(*find(report, "b")));
        QVERIFY(std::get<std::string>(*find(report, "s")) == "text");
        const auto array = [&](const char* key) {
            return std::get<std::shared_ptr<tools::ArrayValue>>(*find(report, key));
        };
        QCOMPARE(array("sixteen")->count, std::uint64_t{16});
        QCOMPARE(array("sixteen")->values.size(), std::size_t{16});
        QVERIFY(array("sixteen")->type == "i32");
        QVERIFY(std::get<std::int64_t>(array("sixteen")->values[15]) == -1);
        QCOMPARE(array("seventeen")->count, std::uint64_t{17});
        QVERIFY(array("seventeen")->values.empty());
        QVERIFY(std::get<bool>(array("bools")->values[0]));
        const auto inner = std::get<std::shared_ptr<tools::ArrayValue>>(array("nested")->values[0]);
        QVERIFY(std::get<double>(inner->values[0]) == 1.5);
    }

    void what_is_no_model() {
        const test::TempDir dir;
        QVERIFY(tools::inspect(dir.file("none")).error().code == ErrorCode::NotFound);
        QVERIFY(test::write_file(dir.file("zeros"), test::Bytes(4096)));
        const auto report = tools::inspect(dir.file("zeros"));
        QVERIFY(!report);
        QVERIFY(report.error().code == ErrorCode::BadFile);
        QCOMPARE(QString::fromStdString(report.error().message),
                 QString::fromStdString(dir.file("zeros")) +
                     " is not a GGUF model file (it starts with 00 00 00 00)");
    }
};

QTEST_APPLESS_MAIN(InspectTest)
#include "inspect_test.moc"
