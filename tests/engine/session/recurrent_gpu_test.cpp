// Recurrent layers on a GPU, and on both units: a conversation that goes back answers as a fresh
// engine does, and as the processor does. Planned bytes are held.
#include <hearth/engine.h>

#include <QtTest>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::TokenId;
using hearth::test::TinyModel;

namespace {

constexpr int kCtx = 1024;
constexpr TokenId kEndOfTurn = 2;
// So many tokens open an answer behind the last message.
constexpr int kOpening = 3;

// A machine whose GPU is worth using: what is planned does not depend on how busy this one is.
constexpr hearth::MachineSpeeds kSpeeds{.ram_read_gb_per_s = 20,
                                        .cpu_gflop_per_s = 100,
                                        .gpu_read_gb_per_s = 100,
                                        .to_gpu_gb_per_s = 10,
                                        .from_gpu_gb_per_s = 10,
                                        .round_trip_us = 10,
                                        .gpu_gflop_per_s = 2000};

std::vector<TokenId> chat(int kept, int added) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < kept + added; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * 3 + (i < kept ? 0 : 91)) % 256);
    }
    tokens.push_back(kEndOfTurn);
    tokens.insert(tokens.end(), kOpening, 40);
    return tokens;
}

}  // namespace

class RecurrentGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(write("qwen35"));
        const auto with_gpu = hearth::Engine::load(options_for("0"));
        if (!with_gpu && with_gpu.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(with_gpu, with_gpu ? "" : with_gpu.error().message.c_str());
    }

    void delta_nets_go_back_data() { shares({100, 60, 30}); }
    void delta_nets_go_back() { goes_back("qwen35"); }
    void gated_convolutions_go_back_data() {
        shares(all_rows() ? std::vector{100, 60, 30} : std::vector{60});
    }
    void gated_convolutions_go_back() { goes_back("lfm2"); }
    void state_spaces_go_back_data() {
        shares(all_rows() ? std::vector{100, 60, 30} : std::vector{30});
    }
    void state_spaces_go_back() { goes_back("granitehybrid"); }
    void layers_without_neurons_go_back_data() { shares({60}); }
    void layers_without_neurons_go_back() { goes_back("nemotron_h"); }

private:
    // A row takes lavapipe 20 s.
    static bool all_rows() { return qEnvironmentVariableIntValue("HEARTH_ALL_ROWS") == 1; }
    static void shares(const std::vector<int>& all) {
        QTest::addColumn<int>("percent");
        for (const int percent : all) {
            QTest::addRow("%d %%", percent) << percent;
        }
    }
    bool write(const std::string& arch) const {
        return TinyModel({.arch = arch,
                          .n_layer = 4,
                          .n_embd = 128,
                          .n_ff = 512,
                          .n_ctx = kCtx,
                          .delta_net = {.n_key_heads = 2, .n_value_heads = 4, .dim = 64},
                          .n_left_out = arch == "qwen35" ? 1 : 0})
            .write(path_);
    }
    void goes_back(const std::string& arch) {
        QFETCH(int, percent);
        QVERIFY(write(arch));
        const auto whole = load("0");
        QVERIFY(whole);
        const std::uint64_t scratch = whole->memory().vram_scratch.actual_bytes;
        const std::uint64_t budget = scratch + (whole->memory().vram_bytes - scratch) *
                                                   static_cast<std::uint64_t>(percent) / 100;
        const auto engine = load("0", budget);
        const auto fresh = load("0", budget);
        const auto alone = load("none");
        QVERIFY(engine && fresh && alone);
        const hearth::MemoryReport memory = engine->memory();
        for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                 memory.vram_kv, memory.vram_scratch}) {
            QCOMPARE(line.actual_bytes, line.planned_bytes);
        }
        QVERIFY(engine->settings().gpu_share > 0);
        QVERIFY(engine->settings().gpu_share < 1 || percent == 100);
        const hearth::Past& past = engine->impl().session->past();
        QVERIFY(past.gpu != nullptr && past.has_states());

        const auto prompt = chat(650, 0);
        const auto first = answer(*engine, prompt);
        QVERIFY(first);
        QCOMPARE(first->token_ids, answer(*alone, prompt)->token_ids);
        const auto again = answer(*engine, prompt);
        QVERIFY(again);
        QCOMPARE(again->cached_tokens, static_cast<int>(prompt.size()) - kOpening);
        QCOMPARE(again->token_ids, first->token_ids);
        for (const int kept : {600, 520, 100, 0}) {
            const auto other = chat(kept, 60);
            const auto got = answer(*engine, other);
            const auto wanted = answer(*fresh, other);
            QVERIFY(got && wanted);
            QVERIFY(kept < 512 || got->cached_tokens >= 512);
            QCOMPARE(got->token_ids, wanted->token_ids);
        }
        QCOMPARE(answer(*engine, prompt)->token_ids, first->token_ids);
    }

    hearth::EngineOptions options_for(const std::string& gpu) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.gpu = gpu;
        options.threads = 2;
        options.speeds = kSpeeds;
        return options;
    }
    std::unique_ptr<hearth::Engine> load(
        const std::string& gpu, std::optional<std::uint64_t> vram_bytes = std::nullopt) const {
        hearth::EngineOptions options = options_for(gpu);
        options.vram_bytes = vram_bytes;
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }
    std::optional<hearth::GenerationResult> answer(hearth::Engine& engine,
                                                   const std::vector<TokenId>& prompt) const {
        hearth::GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = 8;
        auto result = engine.impl().session->generate(prompt, options, {}, {});
        return result ? std::optional(std::move(*result)) : std::nullopt;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
};

QTEST_GUILESS_MAIN(RecurrentGpuTest)
#include "recurrent_gpu_test.moc"
