// A model of some hundred megabytes takes its file's size, its KV cache and little more, at the
// worst moment of loading and answering too: a second copy of the weights would show.
#include <QtTest>

#include "cli_process.h"
#include "support/gguf_builder.h"

using hearth::DType;
using hearth::test::CliResult;
using hearth::test::GgufBuilder;
using hearth::test::run_cli;

namespace {

constexpr std::uint32_t kEmbd = 2048;
constexpr std::uint32_t kFf = 8192;
constexpr std::uint32_t kHeads = 16;
constexpr std::uint32_t kVocab = 32000;
constexpr qint64 kAllowance = 150'000'000;

// Weights are zeros: what they are does not matter here.
GgufBuilder make_model(DType type, std::uint32_t n_layer) {
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

}  // namespace

class MemoryTest : public QObject {
    Q_OBJECT

private slots:
    void peak_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<std::uint32_t>("n_layer");
        QTest::newRow("Q4_0") << static_cast<int>(DType::Q4_0) << std::uint32_t{8};
        QTest::newRow("Q8_0") << static_cast<int>(DType::Q8_0) << std::uint32_t{4};
    }
    void peak() {
        QFETCH(int, type);
        QFETCH(std::uint32_t, n_layer);
        const QTemporaryDir dir;
        const QString model = dir.filePath("model.gguf");
        QVERIFY(make_model(static_cast<DType>(type), n_layer).write(model.toStdString()));
        const qint64 file_bytes = QFileInfo(model).size();
        QVERIFY(file_bytes > 2 * kAllowance);  // else a second copy would pass

        const CliResult result =
            run_cli({"bench", "-m", model, "-p", "512", "-n", "4", "-r", "1", "-t", "2", "--json"});
        QVERIFY2(result.status == 0, result.text());
        const QJsonObject memory = result.json()["memory"].toObject();
        if (memory["rss_peak_bytes"].isNull()) {
            QSKIP("this system does not say how much memory a process held");
        }
        const qint64 peak = memory["rss_peak_bytes"].toInteger();
        const qint64 kv_bytes = memory["kv_bytes"].toInteger();
        // The weights are really there, so the figure means something.
        QVERIFY2(peak > file_bytes, qPrintable(QString::number(peak)));
        QVERIFY2(peak <= file_bytes + kv_bytes + kAllowance,
                 qPrintable(QString("held %1 bytes, file %2, KV cache %3")
                                .arg(peak)
                                .arg(file_bytes)
                                .arg(kv_bytes)));
    }
};

QTEST_GUILESS_MAIN(MemoryTest)
#include "memory_test.moc"
