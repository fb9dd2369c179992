// Layers that read other layers' keys and values, and tokens with inputs for single layers, on a
// GPU and on both units: planned bytes are held, and answers are the processor's. RAM for half of
// the file changes no logit.
#include <hearth/engine.h>

#include <QtTest>
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/loaded_model.h"
#include "support/damaged_file.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::TokenId;
using hearth::test::TinyModel;

namespace {

// A machine whose GPU is worth using: what is planned does not depend on how busy this one is.
constexpr hearth::MachineSpeeds kSpeeds{.ram_read_gb_per_s = 20,
                                        .cpu_gflop_per_s = 100,
                                        .gpu_read_gb_per_s = 100,
                                        .to_gpu_gb_per_s = 10,
                                        .from_gpu_gb_per_s = 10,
                                        .round_trip_us = 10,
                                        .gpu_gflop_per_s = 2000};

std::vector<TokenId> prompt() {
    std::vector<TokenId> tokens;
    for (int i = 0; i < 90; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * 3) % 256);
    }
    return tokens;
}

}  // namespace

class SharedPastGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(TinyModel({.arch = "gemma4",
                           .n_layer = 8,
                           .n_embd = 128,
                           .n_ff = 512,
                           .n_ctx = 256,
                           .head_dim = 128,
                           .window_head_dim = 64})
                    .write(path_));
        const auto with_gpu = hearth::Engine::load(options_for("0"));
        if (!with_gpu && with_gpu.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(with_gpu, with_gpu ? "" : with_gpu.error().message.c_str());
    }

    void answers_as_the_processor_data() {
        QTest::addColumn<int>("percent");
        QTest::addColumn<bool>("half_of_ram");
        for (const int percent : {100, 90, 80, 60, 30}) {
            QTest::addRow("%d %%", percent) << percent << false;
        }
        for (const int percent : {80, 0}) {
            QTest::addRow("%d %%, half of the file in RAM", percent) << percent << true;
        }
    }
    void answers_as_the_processor() {
        QFETCH(int, percent);
        QFETCH(bool, half_of_ram);
        const auto whole = load("0");
        const auto alone = load("none");
        QVERIFY(whole && alone);
        hearth::EngineOptions options = options_for(percent > 0 ? "0" : "none");
        const std::uint64_t scratch = whole->memory().vram_scratch.actual_bytes;
        if (percent > 0) {
            options.vram_bytes = scratch + (whole->memory().vram_bytes - scratch) *
                                               static_cast<std::uint64_t>(percent) / 100;
        }
        if (half_of_ram) {
            const hearth::MemoryReport held = (percent > 0 ? whole : alone)->memory();
            options.ram_bytes = std::filesystem::file_size(path_) / 2 + held.kv.actual_bytes +
                                held.scratch.actual_bytes;
        }
        const auto engine = loaded(options);
        QVERIFY(engine);
        const hearth::MemoryReport memory = engine->memory();
        for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                 memory.vram_kv, memory.vram_scratch}) {
            QCOMPARE(line.actual_bytes, line.planned_bytes);
        }
        QVERIFY(percent == 0 || engine->settings().gpu_share > 0);
        QVERIFY(percent != 0 || memory.weights.actual_bytes < alone->memory().weights.actual_bytes);
        const auto wanted = answer(*alone);
        const auto got = answer(*engine);
        QVERIFY(wanted && got);
        QCOMPARE(got->token_ids, wanted->token_ids);
    }

    // A number that is none, of what is held and of what is read for a token: the error names it.
    void names_damage_data() {
        QTest::addColumn<std::string>("gpu");
        QTest::addRow("processor") << std::string("none");
        QTest::addRow("GPU") << std::string("0");
    }
    void names_damage() {
        QFETCH(std::string, gpu);
        hearth::EngineOptions options = options_for(gpu);
        const std::string path = dir_.file("damaged.gguf");
        options.model_path = path;
        const auto damage = [&](const char* tensor, std::uint64_t at) {
            return QFile::copy(QString::fromStdString(path_), QString::fromStdString(path)) &&
                   hearth::test::overwrite_tensor(path, tensor, at, hearth::test::kNanBits, 4);
        };
        const auto names = [](const hearth::Error& error, const char* what) {
            return QString::fromStdString(error.message).contains(what);
        };
        QVERIFY(damage("blk.3.layer_output_scale.weight", 0));
        const auto refused = hearth::Engine::load(options);
        QVERIFY(!refused);
        QVERIFY2(names(refused.error(), "blk.3.layer_output_scale.weight"),
                 refused.error().message.c_str());
        QVERIFY(QFile::remove(QString::fromStdString(path)));
        // The row is a token's of the prompt.
        const auto token = static_cast<std::uint64_t>(prompt()[5]);
        QVERIFY(damage("per_layer_token_embd.weight", token * 8 * 32 * sizeof(float) + 4));
        const auto engine = loaded(options);
        QVERIFY(engine);
        const auto result = engine->impl().session->generate(prompt(), {}, {}, {});
        QVERIFY(!result);
        QVERIFY2(names(result.error(), "per_layer_token_embd.weight"),
                 result.error().message.c_str());
        QVERIFY(QFile::remove(QString::fromStdString(path)));
    }

private:
    hearth::EngineOptions options_for(const std::string& gpu) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.gpu = gpu;
        options.threads = 2;
        options.speeds = kSpeeds;
        return options;
    }
    std::unique_ptr<hearth::Engine> load(const std::string& gpu) const {
        return loaded(options_for(gpu));
    }
    static std::unique_ptr<hearth::Engine> loaded(const hearth::EngineOptions& options) {
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }
    static std::optional<hearth::GenerationResult> answer(hearth::Engine& engine) {
        hearth::GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = 8;
        auto result = engine.impl().session->generate(prompt(), options, {}, {});
        return result ? std::optional(std::move(*result)) : std::nullopt;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
};

QTEST_GUILESS_MAIN(SharedPastGpuTest)
#include "shared_past_gpu_test.moc"
