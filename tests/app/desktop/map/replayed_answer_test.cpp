// A sparse model and a mixture, each larger than its budget of memory, answer on the processor, and
// the map shows each counter of the engine: nothing is lost between the engine and the page.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QRegularExpression>
#include <QtTest>
#include <functional>
#include <memory>

#include "app/desktop/app_fixture.h"
#include "bridge/engine_map.h"
#include "map/layer_rows.h"
#include "support/tiny_model.h"
#include "system/size_words.h"

using namespace hearth::ui;
using hearth::test::TinyModel;
using hearth::test::TinyModelOptions;

class ReplayedAnswerTest : public QObject, AppFixture {
    Q_OBJECT

    static std::unique_ptr<hearth::Engine> load(const QString& path, const std::string& mode,
                                                std::uint64_t ram = 0) {
        hearth::EngineOptions options;
        options.model_path = path.toStdString();
        options.threads = 2;
        options.gpu = "none";
        options.mode = mode;
        options.heeds_memory_pressure = false;
        if (ram > 0) {
            options.ram_bytes = ram;
        }
        auto engine = hearth::Engine::load(options);
        if (!engine) {
            qWarning("%s", engine.error().message.c_str());
            return nullptr;
        }
        return std::move(*engine);
    }

    // Compares what the page says with the engine's own reports of the same moment. Reads of the
    // disk go on between two tokens: it is a moment into which none fell.
    void compare(hearth::Engine& engine, bool answering) {
        auto taken = mapOf(engine);
        auto map = engine.map();
        hearth::FlashReport flash = engine.flash();
        for (std::uint64_t before = ~std::uint64_t{0}; before != flash.read_bytes;) {
            before = engine.flash().read_bytes;
            taken = mapOf(engine);
            map = engine.map();
            flash = engine.flash();
        }
        const auto statistics = engine.decode_statistics();
        QVERIFY(taken && map && statistics);
        MapReport report = *taken;
        report.answering = answering;
        fake_->setMap(report);
        const hearth::MemoryReport memory = engine.memory();
        QCOMPARE(report.tokens, quint64{statistics->tokens});
        QCOMPARE(report.readBytes, quint64{flash.read_bytes});
        QCOMPARE(report.ramUsed, quint64{memory.used_bytes()});
        QCOMPARE(report.ramBudget, quint64{memory.ram_budget_bytes});
        QCOMPARE(report.layers.size(), qsizetype{engine.model().n_layer});
        quint64 hits = 0;
        quint64 misses = 0;
        for (qsizetype i = 0; i < report.layers.size(); ++i) {
            const MappedLayer& shown = report.layers.at(i);
            const hearth::LayerMap& layer = map->layers[static_cast<std::size_t>(i)];
            const hearth::LayerStatistics& counted =
                statistics->layers[static_cast<std::size_t>(i)];
            QCOMPARE(shown.card, quint64{layer.vram_bytes});
            QCOMPARE(shown.memory, quint64{layer.ram_bytes});
            QCOMPARE(shown.disk, quint64{layer.flash_bytes});
            QCOMPARE(shown.tokens, quint64{counted.tokens});
            QCOMPARE(shown.fired, counted.fired);
            QCOMPARE(shown.dense, counted.path == "dense");
            QCOMPARE(shown.neurons, layer.neurons);
            QCOMPARE(shown.experts, layer.experts);
            QCOMPARE(shown.expertsOfToken, layer.experts_per_token);
            QVERIFY(shown.chosen ==
                    (ExpertShares{layer.served.vram, layer.served.ram, layer.served.disk}));
            QCOMPARE(shown.hits, quint64{layer.hits});
            QCOMPARE(shown.misses, quint64{layer.misses});
            QCOMPARE(shown.readBytes, quint64{layer.read_bytes});
            hits += shown.hits;
            misses += shown.misses;
        }
        QCOMPARE(hits, quint64{flash.neuron_hits});
        QCOMPARE(misses, quint64{flash.neuron_misses});
        // The page.
        QStringList lines = app_->map()->lines();
        const QString shown_memory =
            QStringLiteral("The engine holds %1 of at most %2 memory")
                .arg(sizeWords(memory.used_bytes()), sizeWords(memory.ram_budget_bytes));
        QVERIFY2(lines.value(1).startsWith(shown_memory), qPrintable(lines.join('\n')));
        QCOMPARE(lines.value(1).endsWith("a new budget holds from the next token on"),
                 memory.budget_waits);
        if (hits + misses > 0) {
            static const QRegularExpression kShare("already in memory: ([0-9.]+) %");
            const double share =
                100.0 * static_cast<double>(hits) / static_cast<double>(hits + misses);
            const double shown = kShare.match(lines.join('\n')).captured(1).toDouble();
            QVERIFY2(shown > 0 && qAbs(shown - share) <= (share < 10 ? 0.051 : 0.51),
                     qPrintable(lines.join('\n')));
        }
        QVERIFY2(lines.last().startsWith(QStringLiteral("Read from the disk: ") +
                                         sizeWords(flash.read_bytes)),
                 qPrintable(lines.join('\n')));
        LayerRows rows;
        rows.setSize({1110, 100});
        rows.setMap(app_->map());
        for (int i = 0; i < app_->map()->layerCount(); ++i) {
            const hearth::LayerMap& layer = map->layers[static_cast<std::size_t>(i)];
            app_->map()->select(i);
            const QString words = app_->map()->selectedText();
            const auto all = layer.vram_bytes + layer.ram_bytes + layer.flash_bytes;
            QVERIFY2(words.contains(QStringLiteral("Its weights, %1, lie").arg(sizeWords(all))),
                     qPrintable(words));
            QCOMPARE(words.contains(QStringLiteral("Read from the disk so far: ") +
                                    sizeWords(layer.read_bytes)),
                     layer.read_bytes > 0);
            QVERIFY(words.contains(layer.experts > 0
                                       ? QStringLiteral("%1 of its %2 experts")
                                             .arg(layer.experts_per_token)
                                             .arg(layer.experts)
                                       : QStringLiteral("%1 neurons").arg(layer.neurons)));
            const double width = rows.columnWidth(0);
            for (const LayerRows::Bar& bar : rows.rows().at(i)) {
                if (bar.x >= rows.columnX(1)) {
                    break;
                }
                const auto part = static_cast<double>(
                    bar.fill == LayerRows::Fill::Memory ? layer.ram_bytes : layer.flash_bytes);
                QVERIFY(qAbs(bar.width - width * part / static_cast<double>(all)) <= 1);
            }
        }
    }

private slots:
    void init() { begin(); }
    void cleanup() { end(); }

    void shows_what_was_counted_data() {
        QTest::addColumn<QString>("arch");
        QTest::addColumn<QString>("mode");
        QTest::newRow("sparse") << "bamboo"
                                << "exact";
        QTest::newRow("mixture") << "qwen3moe"
                                 << "";
    }

    void shows_what_was_counted() {
        QFETCH(const QString, arch);
        QFETCH(const QString, mode);
        QString path = folder_->filePath(arch + ".gguf");
        TinyModelOptions options{.arch = arch.toStdString(),
                                 .type = hearth::DType::F16,
                                 .n_layer = 6,
                                 .n_embd = 256,
                                 .n_ff = arch == "bamboo" ? 2048 : 256};
        QVERIFY(TinyModel(options).write(path.toStdString()));
        if (arch == "bamboo") {
            hearth::tools::PackOptions pack;
            pack.output_path = folder_->filePath("packed.gguf").toStdString();
            pack.format = 2;
            QVERIFY(hearth::tools::pack(path.toStdString(), pack, {}, {}));
            path = QString::fromStdString(pack.output_path);
        }
        const auto whole = load(path, mode.toStdString());
        QVERIFY(whole);
        const std::uint64_t bytes = whole->memory().ledger_bytes();
        const auto engine = load(path, mode.toStdString(), bytes - bytes / 3);
        QVERIFY(engine && engine->flash().caches_neurons);

        model().openPath(path);
        QTRY_COMPARE(model().state(), QStringLiteral("ready"));
        app_->map()->setShown(true);
        hearth::GenerationOptions generation;
        generation.sampling.temperature = 0;
        const auto replay = [&](const char* prompt, int tokens) {
            generation.max_tokens = tokens;
            int passed = 0;
            const auto done =
                engine->complete(prompt, generation,
                                 [&](std::string_view) {
                                     if (++passed % 7 == 1) {  // during an answer as well
                                         compare(*engine, true);
                                     }
                                 },
                                 {});
            QVERIFY(done && passed > 0);
            QVERIFY(engine->flash().neuron_hits > 0 && engine->flash().neuron_misses > 0);
            compare(*engine, false);
        };
        replay("The quick brown fox", 25);
        const quint64 tokens = app_->map()->report()->tokens;
        replay("jumps over the lazy dog", 12);
        QVERIFY(app_->map()->report()->tokens > tokens);
        QVERIFY(app_->map()->lines().last().contains("a second in the last answer"));

        // A budget that moves while the page is shown, and what is loaded anew for it.
        const quint64 disk = app_->map()->report()->layers.at(1).disk;
        QVERIFY(engine->set_budget({.ram_bytes = bytes - bytes / 2}));
        for (const bool carried : {false, true}) {
            if (carried) {
                QVERIFY(engine->carry_out_budget());
            }
            compare(*engine, false);
        }
        QVERIFY(app_->map()->report()->layers.at(1).disk > disk);
    }
};

QTEST_MAIN(ReplayedAnswerTest)
#include "replayed_answer_test.moc"
