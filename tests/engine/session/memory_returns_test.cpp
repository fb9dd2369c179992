// Models that one process loads one after the other leave nothing behind.
#include <QtTest>
#include <memory>
#include <string>
#include <vector>

#include <hearth/engine.h>

#include "hardware/memory_info.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::test::TinyModel;

namespace {

constexpr std::uint64_t kMib = 1 << 20;

std::uint64_t held_now() {
    return hearth::rss_bytes();
}

}  // namespace

class MemoryReturnsTest : public QObject {
    Q_OBJECT

private slots:
    // With pasts of keys and values, of states, and of windows that move up.
    void three_models_in_turn() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("a sanitizer holds what was freed");
#endif
        if (held_now() == 0) {
            QSKIP("this system does not say how much memory a process has");
        }
        hearth::test::TempDir dir;
        std::vector<std::string> paths;
        for (const char* arch : {"llama", "qwen35", "gemma2"}) {
            paths.push_back(dir.file(std::string(arch) + ".gguf"));
            const TinyModel model(
                {.arch = arch, .n_layer = 4, .n_embd = 512, .n_ff = 2048, .n_ctx = 512});
            QVERIFY(model.write(paths.back()));
        }
        // The first round makes what the process keeps: threads, tables, buffers of the allocator.
        std::vector<std::uint64_t> after;
        for (int round = 0; round < 3; ++round) {
            for (const std::string& path : paths) {
                const std::uint64_t before = held_now();
                answer(path);
                QVERIFY2(loaded_ > before + 40 * kMib || round == 0,
                         qPrintable(QString::number(loaded_ - before)));
                after.push_back(held_now());
            }
        }
        for (std::size_t i = 3; i < after.size(); ++i) {
            QVERIFY2(after[i] < after[2] + 4 * kMib,
                     qPrintable(QStringLiteral("%1 MiB more after model %2")
                                    .arg((after[i] - after[2]) / kMib)
                                    .arg(i)));
        }
    }

private:
    void answer(const std::string& path) {
        hearth::EngineOptions options;
        options.model_path = path;
        options.threads = 2;
        options.gpu = "none";
        auto engine = hearth::Engine::load(options);
        QVERIFY(engine);
        hearth::GenerationOptions generation;
        generation.sampling.temperature = 0;
        generation.max_tokens = 20;
        QVERIFY((*engine)->complete(std::string(300, 'a'), generation, {}, hearth::Cancellation()));
        loaded_ = held_now();
    }

    std::uint64_t loaded_ = 0;  // while the latest model was there
};

QTEST_GUILESS_MAIN(MemoryReturnsTest)
#include "memory_returns_test.moc"
