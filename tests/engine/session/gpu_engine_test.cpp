// The whole engine with a GPU: lavapipe, where nothing else is. Its text is the processor's at
// every budget, its ledgers are exact, and a conversation survives the loss of the device.
#include <hearth/engine.h>

#include <QtTest>

#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "support/vulkan_faults.h"

using hearth::test::VulkanFault;
using hearth::test::VulkanFaultKind;

namespace {

constexpr int kTokens = 12;
const char* const kPrompt = "The quick brown fox";
const char* const kOtherPrompt = "A slow grey badger";

struct Answer {
    std::vector<std::int32_t> tokens;
    std::string notice;
};

}  // namespace

class GpuEngineTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(hearth::test::TinyModel({.arch = "llama",
                                         .n_layer = 4,
                                         .n_embd = 128,
                                         .n_head = 4,
                                         .n_head_kv = 2,
                                         .n_ff = 1024,
                                         .n_ctx = 128})
                    .write(path_));
        const auto engine = load("none");
        QVERIFY(engine);
        expected_ = answer(*engine).tokens;
        QCOMPARE(expected_.size(), std::size_t{kTokens});
        expected_of_other_ = answer(*engine, kOtherPrompt).tokens;
        QVERIFY(expected_of_other_.size() > 6);
        QCOMPARE(engine->settings().gpu, std::string("none"));
        if (!load("0")) {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
    }

    void text_is_the_same_at_every_budget_data() {
        QTest::addColumn<int>("percent");
        for (const int percent : {100, 75, 50, 25}) {
            QTest::addRow("%d %%", percent) << percent;
        }
    }
    void text_is_the_same_at_every_budget() {
        QFETCH(int, percent);
        const auto whole = load("0");
        QVERIFY(whole);
        const std::uint64_t most = whole->memory().vram_bytes;
        // What activations take is there whatever the GPU gets: the rest is shared.
        const std::uint64_t scratch = whole->memory().vram_scratch.actual_bytes;
        const std::uint64_t budget =
            scratch + (most - scratch) * static_cast<std::uint64_t>(percent) / 100;
        const auto engine = load("0", budget);
        QVERIFY(engine);
        const hearth::MemoryReport memory = engine->memory();
        for (const auto& line : {memory.weights, memory.kv, memory.scratch, memory.vram_weights,
                                 memory.vram_kv, memory.vram_scratch}) {
            QCOMPARE(line.actual_bytes, line.planned_bytes);
        }
        QVERIFY(memory.vram_bytes > scratch);
        QVERIFY(memory.vram_bytes <= budget);
        // No silent fallback: both have their share.
        QVERIFY(engine->settings().gpu_share > 0);
        QVERIFY(engine->settings().gpu_share < 1 || percent == 100);
        QCOMPARE(answer(*engine).tokens, expected_);
    }

    void a_lost_device_is_opened_again_and_then_left_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("number");
        QTest::newRow("while the prompt is computed")
            << static_cast<int>(VulkanFaultKind::LostAtSubmit) << 1;
        QTest::newRow("in the middle of the answer")
            << static_cast<int>(VulkanFaultKind::LostAtSubmit) << 7;
        QTest::newRow("while it works") << static_cast<int>(VulkanFaultKind::LostAtWait) << 9;
    }
    void a_lost_device_is_opened_again_and_then_left() {
        QFETCH(int, kind);
        QFETCH(int, number);
        const auto engine = load("0");
        QVERIFY(engine);
        const std::string gpu = engine->settings().gpu;
        for (const bool again : {false, true}) {
            const VulkanFault fault(static_cast<VulkanFaultKind>(kind), number);
            const Answer seen = answer(*engine, again ? kOtherPrompt : kPrompt);
            QVERIFY2(!seen.notice.empty(), "the device was not lost");
            QCOMPARE(seen.tokens, again ? expected_of_other_ : expected_);
            QCOMPARE(engine->settings().gpu, again ? std::string("none") : gpu);
            QVERIFY(!engine->settings().gpu_note.empty());
        }
        QCOMPARE(answer(*engine).tokens, expected_);
    }

    void without_a_driver_the_processor_answers() {
        qputenv("VK_DRIVER_FILES", "/nowhere");
        qputenv("VK_ICD_FILENAMES", "/nowhere");
        const auto engine = load("auto");
        qunsetenv("VK_DRIVER_FILES");
        qunsetenv("VK_ICD_FILENAMES");
        QVERIFY(engine);
        QCOMPARE(engine->settings().gpu, std::string("none"));
        QCOMPARE(answer(*engine).tokens, expected_);
    }

    void a_gpu_that_is_not_there_is_an_error() {
        hearth::EngineOptions options = options_for("77");
        const auto engine = hearth::Engine::load(options);
        QVERIFY(!engine);
        QVERIFY(engine.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(engine.error().field, std::string("gpu"));
    }

private:
    hearth::EngineOptions options_for(const std::string& gpu) const {
        hearth::EngineOptions options;
        options.model_path = path_;
        options.threads = 2;
        options.gpu = gpu;
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
    static Answer answer(hearth::Engine& engine, const std::string& prompt = kPrompt) {
        hearth::GenerationOptions options;
        options.sampling.temperature = 0;
        options.max_tokens = kTokens;
        const hearth::Cancellation go_on;
        const auto result = engine.complete(prompt, options, {}, go_on);
        if (!result) {
            qWarning("%s", result.error().message.c_str());
            return {};
        }
        return {result->token_ids, result->notice};
    }

    hearth::test::TempDir dir_;
    const std::string path_ = dir_.file("tiny.gguf");
    std::vector<std::int32_t> expected_, expected_of_other_;
};

QTEST_GUILESS_MAIN(GpuEngineTest)
#include "gpu_engine_test.moc"
