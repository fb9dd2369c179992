// Pasts that move on a GPU, and on both units: logits are those of a past that holds all, and a
// conversation that goes back answers as a fresh engine does. Planned bytes are held.
#include <hearth/engine.h>

#include <QtTest>
#include <algorithm>
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

constexpr int kCtx = 1800;
constexpr int kKept = hearth::kept_of_window(9);  // the tiny models' window
constexpr int kRoom = hearth::room_of_kept(kKept);
constexpr int kHoldsAll = kRoom + kKept;  // the longest context whose past does not move
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

std::vector<TokenId> words(int kept, int added) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < kept + added; ++i) {
        tokens.push_back(3 + (i * i * 7 + i * 3 + (i < kept ? 0 : 91)) % 256);
    }
    return tokens;
}

std::vector<TokenId> chat(int kept, int added) {
    std::vector<TokenId> tokens = words(kept, added);
    tokens.push_back(kEndOfTurn);
    tokens.insert(tokens.end(), kOpening, 40);
    return tokens;
}

}  // namespace

class MovingPastGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        write("gemma2");
        const auto with_gpu = load(kCtx, "0");
        if (!with_gpu && with_gpu.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(with_gpu, with_gpu ? "" : with_gpu.error().message.c_str());
    }

    void logits_are_those_of_a_past_that_holds_all_data() { kinds(); }
    void logits_are_those_of_a_past_that_holds_all() {
        QFETCH(QString, arch);
        QFETCH(QString, kv);
        kv_ = kv.toStdString();
        write(arch.toStdString());
        const auto moving = load(kCtx, "0");
        const auto all = load(kHoldsAll, "0");
        QVERIFY(moving && all);
        QCOMPARE((*moving)->settings().gpu_share, 1.0);
        QVERIFY((*moving)->impl().session->past().forgets());
        QVERIFY(!(*all)->impl().session->past().forgets());
        const hearth::MemoryReport memory = (*moving)->memory();
        QCOMPARE(memory.vram_kv.actual_bytes, memory.vram_kv.planned_bytes);
        QVERIFY(memory.vram_kv.actual_bytes <
                (*all)->memory().vram_kv.actual_bytes * kCtx / kHoldsAll);
        const std::vector<TokenId> tokens = words(kHoldsAll - 3, 3);
        for (std::size_t first = 0; first < tokens.size();) {
            const std::size_t n = first + 3 < tokens.size()
                                      ? std::min<std::size_t>(500, tokens.size() - 3 - first)
                                      : 1;
            const auto some = std::span(tokens).subspan(first, n);
            for (const auto& engine : {&*moving, &*all}) {
                QVERIFY((*engine)->impl().session->append(some, {}));
            }
            const auto got = (*moving)->impl().session->last_logits({});
            const auto wanted = (*all)->impl().session->last_logits({});
            QVERIFY(got && wanted);
            QVERIFY2(std::equal(got->begin(), got->end(), wanted->begin()),
                     qPrintable(QString::number(first)));
            first += n;
        }
    }

    void goes_back_data() {
        QTest::addColumn<QString>("kv");
        QTest::addColumn<int>("percent");
        QTest::addRow("f16 100 %%") << "f16" << 100;
        QTest::addRow("q8_0 60 %%") << "q8_0" << 60;
    }
    void goes_back() {
        QFETCH(QString, kv);
        QFETCH(int, percent);
        kv_ = kv.toStdString();
        write("gemma2");
        const auto whole = load(kCtx, "0");
        QVERIFY(whole);
        const hearth::MemoryReport of_whole = (*whole)->memory();
        const std::uint64_t scratch = of_whole.vram_scratch.actual_bytes;
        const std::uint64_t budget =
            scratch + (of_whole.vram_bytes - scratch) * static_cast<std::uint64_t>(percent) / 100;
        const auto engine = load(kCtx, "0", budget);
        const auto fresh = load(kCtx, "0", budget);
        QVERIFY(engine && fresh);
        const hearth::MemoryReport memory = (*engine)->memory();
        for (const auto& line : {memory.kv, memory.vram_kv}) {
            QCOMPARE(line.actual_bytes, line.planned_bytes);
        }
        QVERIFY((*engine)->settings().gpu_share > 0);
        QVERIFY((*engine)->settings().gpu_share < 1 || percent == 100);
        const auto prompt = chat(1100, 0);
        const auto first = answer(**engine, prompt);
        QVERIFY(first);
        const auto again = answer(**engine, prompt);
        QVERIFY(again);
        QVERIFY(again->cached_tokens >= static_cast<int>(prompt.size()) - kOpening);
        QCOMPARE(again->token_ids, first->token_ids);
        for (const int kept : {1000, 200}) {
            const auto other = chat(kept, 60);
            const auto got = answer(**engine, other);
            const auto wanted = answer(**fresh, other);
            QVERIFY(got && wanted);
            QCOMPARE(got->token_ids, wanted->token_ids);
        }
        QCOMPARE(answer(**engine, prompt)->token_ids, first->token_ids);

        // An answer so long that the message before it is no longer held.
        const auto asked = chat(kRoom - 160, 0);
        QVERIFY(answer(**engine, asked, 200));
        const auto repeated = answer(**engine, asked);
        QVERIFY(repeated);
        QCOMPARE(repeated->cached_tokens, static_cast<int>(asked.size()) - kOpening);
        QCOMPARE(repeated->token_ids, answer(**fresh, asked)->token_ids);
    }

private:
    static void kinds() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("kv");
        QTest::addRow("gemma2 f16") << "gemma2"
                                    << "f16";
        QTest::addRow("gemma4 q8_0") << "gemma4"
                                     << "q8_0";
    }
    void write(const std::string& arch) const {
        QVERIFY(TinyModel({.arch = arch, .n_layer = arch == "gemma4" ? 6 : 2, .n_ctx = kCtx})
                    .write(path_));
    }
    hearth::Result<std::unique_ptr<hearth::Engine>> load(
        int n_ctx, const std::string& gpu,
        std::optional<std::uint64_t> vram_bytes = std::nullopt) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.gpu = gpu;
        options.threads = 2;
        options.speeds = kSpeeds;
        options.n_ctx = n_ctx;
        options.kv = kv_;
        options.vram_bytes = vram_bytes;
        return hearth::Engine::load(options);
    }
    std::optional<hearth::GenerationResult> answer(hearth::Engine& engine,
                                                   const std::vector<TokenId>& prompt,
                                                   int n_tokens = 8) const {
        hearth::GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = n_tokens;
        auto result = engine.impl().session->generate(prompt, options, {}, {});
        return result ? std::optional(std::move(*result)) : std::nullopt;
    }

    hearth::test::TempDir dir_;
    std::string path_ = dir_.file("tiny.gguf");
    std::string kv_;
};

QTEST_GUILESS_MAIN(MovingPastGpuTest)
#include "moving_past_gpu_test.moc"
