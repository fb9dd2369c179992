// A model whose gate and up are one tensor is the model whose gate and up are two: the same bits in
// every mode, packed to the same records, and converted to the same weights. So is one whose
// delta nets have channels and gates in one tensor.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QtTest>
#include <memory>
#include <string>
#include <vector>

#include "cpu/cpu_weights.h"
#include "cpu/flash_choice.h"
#include "model/model_hash.h"
#include "model/packed_layout.h"
#include "support/temp_dir.h"
#include "support/tensor_data.h"
#include "support/tiny_model.h"

using namespace hearth;
using test::TinyDeltaNet;
using test::TinyModel;
using test::TinyModelOptions;

namespace {

struct Files {
    explicit Files(TinyModelOptions options) {
        options.fused_gate_up = false;
        written = TinyModel(options).write(apart);
        options.fused_gate_up = true;
        options.fused_delta = true;
        written = TinyModel(options).write(fused) && written;
    }

    test::TempDir dir;
    std::string apart = dir.file("apart.gguf");
    std::string fused = dir.file("fused.gguf");
    bool written = false;
};

// Thresholds that leave out some values of each layer.
bool write_thresholds(const std::string& model, const std::string& path) {
    const auto file = GgufFile::open(model);
    return test::GgufBuilder()
        .key("general.architecture", "hearth-thresholds")
        .key("hearth.format_version", std::uint32_t{1})
        .key("hearth.model_hash", *model_hash(*file))
        .key("hearth.threshold.sparsity", 0.4F)
        .key("hearth.threshold.tokens", std::uint64_t{100})
        .array("hearth.threshold.input", std::vector<float>{0.5F, 0.4F})
        .array("hearth.threshold.hidden", std::vector<float>{0.05F, 0.04F})
        .write(path);
}

// The logits of a batch and of a single token. Empty: it failed.
std::vector<float> logits_of(const std::string& model, const std::string& mode) {
    EngineOptions options;
    options.model_path = model;
    options.gpu = "none";
    options.threads = 2;
    options.mode = mode;
    options.n_ctx = 64;
    if (mode == "predicted") {
        options.predictor_input = "normed";
    } else if (mode == "approximate") {
        options.thresholds_path = model + ".thresholds";
        if (!write_thresholds(model, options.thresholds_path)) {
            return {};
        }
    }
    auto engine = Engine::load(options);
    if (!engine) {
        qWarning("%s", engine.error().message.c_str());
        return {};
    }
    std::vector<float> all;
    for (const int count : {9, 1}) {
        std::vector<std::int32_t> tokens;
        for (int i = 0; i < count; ++i) {
            tokens.push_back(3 + (i * 37 + 11) % 256);
        }
        const auto keep = [&](int, std::span<const float> row) -> Result<void> {
            all.insert(all.end(), row.begin(), row.end());
            return {};
        };
        if (const auto done = tools::logits(**engine, tokens, true, keep); !done) {
            qWarning("%s", done.error().message.c_str());
            return {};
        }
    }
    return all;
}

}  // namespace

class FusedTensorsTest : public QObject {
    Q_OBJECT

private slots:
    void logits_data() {
        QTest::addColumn<TinyModelOptions>("options");
        QTest::addColumn<QString>("mode");
        const auto rows = [](const char* name, const TinyModelOptions& options,
                             const QStringList& modes) {
            for (const QString& mode : modes) {
                QTest::addRow("%s, %s", name, qPrintable(mode)) << options << mode;
            }
        };
        rows("llama F32", {.arch = "llama", .type = DType::F32}, {"dense"});
        rows("llama Q4_0", {.arch = "llama", .type = DType::Q4_0}, {"dense", "approximate"});
        rows("gemma Q8_0, layers of two sizes",
             {.arch = "gemma",
              .type = DType::Q8_0,
              .head_dim = 16,
              .layers = {{4, 2, 160}, {6, 3, 96}}},
             {"dense"});
        const TinyDeltaNet threes{.n_key_heads = 3, .n_value_heads = 6};
        rows("qwen3next F32", {.arch = "qwen3next", .type = DType::F32, .delta_net = threes},
             {"dense"});
        rows("qwen3next Q8_0", {.arch = "qwen3next", .type = DType::Q8_0, .delta_net = threes},
             {"dense"});
        rows("bamboo F16", {.type = DType::F16, .predictor_width = 64},
             {"dense", "exact", "predicted"});
        rows("bamboo Q5_0 by neuron", {.type = DType::Q5_0, .by_neuron = true}, {"dense", "exact"});
    }
    void logits() {
        QFETCH(TinyModelOptions, options);
        QFETCH(QString, mode);
        const Files files(options);
        QVERIFY(files.written);
        const std::vector<float> wanted = logits_of(files.apart, mode.toStdString());
        QVERIFY(!wanted.empty());
        QVERIFY(logits_of(files.fused, mode.toStdString()) == wanted);
    }

    void records_data() {
        QTest::addColumn<bool>("by_neuron");
        QTest::addColumn<std::uint32_t>("format");
        for (const std::uint32_t format : {1U, 2U}) {
            QTest::addRow("format %u", format) << false << format;
            QTest::addRow("by neuron, format %u", format) << true << format;
        }
    }
    void records() {
        QFETCH(bool, by_neuron);
        QFETCH(std::uint32_t, format);
        const Files files({.type = DType::Q4_0, .by_neuron = by_neuron});
        QVERIFY(files.written);
        const auto packed = [&](const std::string& model) {
            const std::string output = model + ".packed";
            const auto report =
                tools::pack(model, {.output_path = output, .format = format}, {}, {});
            if (!report) {
                qWarning("%s", report.error().message.c_str());
            }
            return output;
        };
        const auto apart = GgufFile::open(packed(files.apart));
        const auto fused = GgufFile::open(packed(files.fused));
        QVERIFY(apart && fused);
        QCOMPARE(fused->tensors().entries().size(), apart->tensors().entries().size());
        for (const TensorInfo& tensor : apart->tensors().entries()) {
            const TensorInfo* same = fused->tensors().find(tensor.name);
            QVERIFY2(same, tensor.name.c_str());
            QCOMPARE(same->shape, tensor.shape);
            QVERIFY2(
                test::tensor_data(*fused, tensor.name) == test::tensor_data(*apart, tensor.name),
                tensor.name.c_str());
        }
        const std::vector<float> wanted = logits_of(files.fused + ".packed", "exact");
        QVERIFY(!wanted.empty());
        QVERIFY(logits_of(files.apart + ".packed", "exact") == wanted);
    }

    // RAM and disk: by the same budgets the same parts leave RAM.
    void what_leaves_ram_data() {
        QTest::addColumn<TinyModelOptions>("options");
        QTest::addColumn<int>("mode");
        QTest::newRow("llama Q4_0") << TinyModelOptions{.arch = "llama",
                                                        .type = DType::Q4_0,
                                                        .n_layer = 12,
                                                        .n_embd = 256,
                                                        .n_ff = 1024}
                                    << static_cast<int>(FeedForwardMode::Dense);
        QTest::newRow("bamboo Q8_0 by neuron")
            << TinyModelOptions{.type = DType::Q8_0, .n_layer = 4, .n_ff = 2048, .by_neuron = true}
            << static_cast<int>(FeedForwardMode::Exact);
    }
    void what_leaves_ram() {
        QFETCH(TinyModelOptions, options);
        QFETCH(int, mode);
        const Files files(options);
        QVERIFY(files.written);
        std::vector<std::string> chosen;  // of each file
        int fitting = 0;
        int cached = 0;
        for (const std::string& path : {files.apart, files.fused}) {
            const auto file = GgufFile::open(path);
            const auto spec = read_model_spec(*file);
            const auto tensors = bind_tensors(*file, *spec);
            QVERIFY(tensors);
            const auto of = static_cast<FeedForwardMode>(mode);
            const std::uint64_t all = CpuWeights::bytes_for(*spec, *tensors, of);
            std::string choices = std::to_string(all);
            for (std::uint64_t percent = 5; percent < 100; percent += 5) {
                const auto choice = stream_to_fit(*spec, *tensors, of, {}, all * percent / 100);
                choices += " " + std::to_string(choice ? choice->weights_bytes : 0);
                choices += " " + std::to_string(choice ? choice->streamed_bytes : 0);
                for (int i = 0; choice && i < spec->n_layer(); ++i) {
                    choices += " " + std::to_string(choice->placement.n_slots(i));
                    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
                        choices += choice->placement.streamed(i).has(role) ? "+" : "-";
                    }
                    cached += choice->placement.n_slots(i) > 0 ? 1 : 0;
                }
                fitting += choice ? 1 : 0;
            }
            chosen.push_back(choices);
        }
        QVERIFY(fitting > 10);
        QCOMPARE(cached > 0, options.by_neuron);
        QCOMPARE(chosen[1], chosen[0]);
    }

    void converted() {
        const Files files({.arch = "llama", .type = DType::F32});
        QVERIFY(files.written);
        for (const std::string& model : {files.apart, files.fused}) {
            const auto report = tools::quantize(
                model, {.type = "Q8_0", .embedding_type = {}, .output_path = model + ".q8"}, {},
                {});
            QVERIFY2(report, report ? "" : report.error().message.c_str());
        }
        const std::vector<float> wanted = logits_of(files.apart + ".q8", "dense");
        QVERIFY(!wanted.empty());
        QVERIFY(logits_of(files.fused + ".q8", "dense") == wanted);
    }
};

QTEST_GUILESS_MAIN(FusedTensorsTest)
#include "fused_tensors_test.moc"
