// A conversation's past comes back from a file where a GPU holds it, or a part of it.
#include <QtTest>

#include "engine/session/saved_past.h"
#include "session/loaded_model.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::test::TinyModel;

class SavedPastGpuTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const std::string path = dir_.file("first.gguf");
        QVERIFY(TinyModel({.arch = "llama"}).write(path));
        hearth::EngineOptions options = hearth::test::small_engine(path);
        options.gpu = "0";
        const auto engine = hearth::Engine::load(options);
        if (!engine && engine.error().field == "gpu") {
            QVERIFY(!qEnvironmentVariableIsSet("HEARTH_NO_SKIP"));
            QSKIP("there is no GPU, nor lavapipe");
        }
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
    }

    void goes_on_as_before_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("kv");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("percent");  // of VRAM
        const auto row = [](const char* arch, const char* kv, int tokens, int percent) {
            QTest::addRow("%s %s %d %d %%", arch, kv, tokens, percent)
                << arch << kv << tokens << percent;
        };
        row("llama", "f16", 60, 100);
        row("llama", "q8_0", 61, 100);
        row("llama", "f16", 60, 60);
        row("gemma2", "f16", 1000, 100);  // a window that has moved
        row("qwen35", "f16", 60, 100);    // states
    }
    void goes_on_as_before() {
        QFETCH(QString, arch);
        QFETCH(QString, kv);
        QFETCH(int, tokens);
        QFETCH(int, percent);
        const std::string path = dir_.file("model.gguf");
        QVERIFY(TinyModel({.arch = arch.toStdString(),
                           .n_layer = 4,
                           .n_ctx = 1800,
                           .n_left_out = arch == "qwen35" ? 1 : 0})
                    .write(path));
        const auto load = [&](std::uint64_t vram) {
            hearth::EngineOptions options = hearth::test::small_engine(path);
            options.gpu = "0";
            options.speeds = hearth::test::kFastGpu;
            options.n_ctx = 1800;
            options.kv = kv.toStdString();
            if (vram > 0) {
                options.vram_bytes = vram;
            }
            return hearth::test::load_or_say(options);
        };
        std::uint64_t vram = 0;
        if (percent < 100) {
            const auto whole = load(0);
            QVERIFY(whole);
            vram = whole->memory().vram_bytes * static_cast<std::uint64_t>(percent) / 100;
        }
        const auto writer = load(vram);
        const auto reader = load(vram);
        QVERIFY(writer && reader);
        QVERIFY(writer->impl().session->past().gpu != nullptr);
        const std::string why =
            hearth::test::check_saved_past(*writer, *reader, dir_.file("past"), tokens);
        QVERIFY2(why.empty(), why.c_str());
    }

private:
    hearth::test::TempDir dir_;
};

QTEST_GUILESS_MAIN(SavedPastGpuTest)
#include "saved_past_gpu_test.moc"
