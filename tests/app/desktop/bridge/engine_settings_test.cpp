// Every engine setting, changed as the window changes it, read back from the engine that runs: its
// EngineSettings and its MemoryReport, never the settings file. On the starter model.
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "bridge/local_inference.h"
#include "settings/app_settings.h"
#include "store/conversation_store.h"
#include "system/app_paths.h"
#include "window/app_controller.h"

using namespace hearth::ui;

class EngineSettingsTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup();

    void showsInTheEngine_data();
    void showsInTheEngine();
    void usesTheGraphicsCard();
    void keepsAProfileOrNot_data();
    void keepsAProfileOrNot();
    void goesBackToWhatRuns_data();
    void goesBackToWhatRuns();
    void lowersTheBudgetOfARunningChat();
    void givesMemoryBackBetweenAnswers();
    void tellsTheModelWhatTheSettingsSay();

private:
    static constexpr int kWaitMs = 60'000;
    ActiveModel& model() { return *app_->model(); }
    EngineReport report() { return model().report(); }
    void set(const char* key, const QString& text) {
        QCOMPARE(settings_->set(key, text, model().path()), QString());
    }
    bool waitForAnswer() {
        return QTest::qWaitFor([this] { return !app_->replies()->generating(); }, kWaitMs);
    }
    QString lastAnswer() { return app_->chats()->messages()->messages().last().content; }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<ConversationStore> store_;
    std::unique_ptr<LocalInference> inference_;
    std::unique_ptr<AppController> app_;
};

void EngineSettingsTest::init() {
    const QString starter = starterModel(QStringLiteral(HEARTH_BINARY_DIR "/bin"));
    QVERIFY2(!starter.isEmpty(), "no starter model");
    folder_ = std::make_unique<QTemporaryDir>();
    settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("hearth.ini")));
    QCOMPARE(settings_->set("engine/gpu", QStringLiteral("none")), QString());
    QCOMPARE(settings_->set("sampling/seed", QStringLiteral("7")), QString());
    store_ = std::make_unique<ConversationStore>();
    store_->openInMemory();
    inference_ = std::make_unique<LocalInference>(folder_->path());
    inference_->setProgram(QStringLiteral(HEARTH_PROGRAM));
    app_ = std::make_unique<AppController>(*inference_, *store_, *settings_);
    app_->engineChange()->setRestMs(0);
    model().openPath(starter);
    QTRY_COMPARE_WITH_TIMEOUT(report().modelPath, starter, kWaitMs);
}

void EngineSettingsTest::cleanup() {
    app_.reset();
    inference_.reset();
    store_.reset();
    settings_.reset();
    folder_.reset();
}

void EngineSettingsTest::showsInTheEngine_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("shown");
    const auto row = [](const char* key, const char* text, const char* shown) {
        QTest::addRow("%s=%s", key, text)
            << QString::fromLatin1(key) << QString::fromLatin1(text) << QString::fromLatin1(shown);
    };
    row("engine/threads", "1", "1");
    row("engine/threads", "3", "3");
    row("engine/ctx", "300", "300");
    row("engine/mode", "dense", "dense named");
    row("engine/mode", "exact", "exact named");
    row("engine/ram", "700M", "734003200");
    row("engine/ram", "48M", "50331648");
    row("engine/activation", "silu", "dense named");  // its neurons never rest: nothing to choose
}

void EngineSettingsTest::showsInTheEngine() {
    QFETCH(const QString, key);
    QFETCH(const QString, text);
    QFETCH(const QString, shown);
    const auto now = [&] {
        const EngineReport runs = report();
        return key == QLatin1String("engine/threads") ? QString::number(runs.threads)
               : key == QLatin1String("engine/ctx")   ? QString::number(runs.contextTokens)
               : key == QLatin1String("engine/ram")
                   ? QString::number(runs.ramBudget)
                   : runs.mode +
                         (runs.modeChosen ? QStringLiteral(" chosen") : QStringLiteral(" named"));
    };
    const QString before = now();
    QVERIFY(before != shown);
    set(key.toLatin1().constData(), text);
    QTRY_COMPARE_WITH_TIMEOUT(now(), shown, kWaitMs);
    QVERIFY(report().ramUsed > 0 && report().ramUsed <= report().ramBudget);
    // And back to what it was, which is what holds without it.
    settings_->reset(key.toLatin1().constData(), model().path());
    if (key != QLatin1String("engine/ram")) {  // what is free changes from moment to moment
        QTRY_COMPARE_WITH_TIMEOUT(now(), before, kWaitMs);
    } else {
        QTRY_VERIFY_WITH_TIMEOUT(report().ramBudget > quint64{734003200}, kWaitMs);
    }
    QVERIFY(app_->engineChange()->refusal().isEmpty());
}

void EngineSettingsTest::usesTheGraphicsCard() {
    set("engine/gpu", QStringLiteral("0"));
    QTRY_VERIFY_WITH_TIMEOUT(!report().gpu.isEmpty() || !app_->engineChange()->refusal().isEmpty(),
                             kWaitMs);
    if (report().gpu.isEmpty()) {
        QSKIP("there is no GPU, nor lavapipe");
    }
    set("engine/vram", QStringLiteral("40M"));
    QTRY_COMPARE_WITH_TIMEOUT(report().vramBudget, quint64{40} << 20, kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(!report().budgetWaits && report().vramUsed <= report().vramBudget,
                             kWaitMs);
    const quint64 used = report().vramUsed;
    QVERIFY(used > 0);
    // Less than was used: a part of the model leaves the card.
    const quint64 less = (used - (quint64{1} << 20)) >> 20;
    set("engine/vram", QStringLiteral("%1M").arg(less));
    QTRY_COMPARE_WITH_TIMEOUT(report().vramBudget, less << 20, kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(!report().budgetWaits && report().vramUsed < used, kWaitMs);
    set("engine/gpu", QStringLiteral("none"));
    QTRY_VERIFY_WITH_TIMEOUT(report().gpu.isEmpty() && report().vramUsed == 0, kWaitMs);
}

void EngineSettingsTest::keepsAProfileOrNot_data() {
    QTest::addColumn<QString>("keeps");
    QTest::newRow("kept") << "true";
    QTest::newRow("not") << "false";
}

void EngineSettingsTest::keepsAProfileOrNot() {
    QFETCH(const QString, keeps);
    QSignalSpy reported(&model(), &ActiveModel::reportChanged);
    set("engine/mode", QStringLiteral("exact"));
    set("engine/keep-profile", keeps);
    QTRY_COMPARE_WITH_TIMEOUT(report().mode, QStringLiteral("exact"), kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(model().running().keepsProfile == (keeps == "true"), kWaitMs);
    QVERIFY(app_->replies()->send(QStringLiteral("What is rain?")));
    QVERIFY(waitForAnswer());
    inference_->unloadModel();  // which saves it
    QVERIFY(inference_->shutdown(kWaitMs));
    QCOMPARE(QDir(folder_->filePath(QStringLiteral("profiles"))).exists(),
             keeps == QLatin1String("true"));
}

void EngineSettingsTest::goesBackToWhatRuns_data() {
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("words");
    QTest::newRow("too little RAM") << "engine/ram"
                                    << "16M"
                                    << "too little memory";
    QTest::newRow("no such card") << "engine/gpu"
                                  << "Warp 9000"
                                  << "Warp 9000";
    QTest::newRow("no predictors") << "engine/mode"
                                   << "predicted"
                                   << "predict";
    QTest::newRow("no thresholds") << "engine/thresholds"
                                   << "/nowhere/t.gguf"
                                   << "";
}

void EngineSettingsTest::goesBackToWhatRuns() {
    QFETCH(const QString, key);
    QFETCH(const QString, text);
    QFETCH(const QString, words);
    const EngineReport before = report();
    if (words.isEmpty()) {
        set("engine/mode", QStringLiteral("approximate"));
    }
    set(key.toLatin1().constData(), text);
    QTRY_VERIFY_WITH_TIMEOUT(!app_->engineChange()->refusal().isEmpty(), kWaitMs);
    QTRY_COMPARE_WITH_TIMEOUT(model().state(), QStringLiteral("ready"), kWaitMs);
    const QString said = app_->engineChange()->refusal();
    QVERIFY2(said.contains(words) && said.endsWith(QLatin1Char('.')), qPrintable(said));
    QVERIFY2(!said.contains(QLatin1String("made a mistake")), qPrintable(said));
    QVERIFY(!settings_->isSet(key.toLatin1().constData(), model().path()));
    QVERIFY(app_->replies()->send(QStringLiteral("What is rain?")));
    QVERIFY(waitForAnswer());
    QVERIFY(!lastAnswer().isEmpty());
    QCOMPARE(report().mode, before.mode);
    QCOMPARE(report().gpu, before.gpu);
}

// While an answer is written: less memory is held before its end, and the answer is the one it
// would have been.
void EngineSettingsTest::lowersTheBudgetOfARunningChat() {
    set("engine/mode", QStringLiteral("exact"));
    QTRY_COMPARE_WITH_TIMEOUT(report().mode, QStringLiteral("exact"), kWaitMs);
    QTRY_COMPARE_WITH_TIMEOUT(model().state(), QStringLiteral("ready"), kWaitMs);
    const QString question = QStringLiteral("Tell me a long story.");
    QVERIFY(app_->replies()->send(question));
    QVERIFY(waitForAnswer());
    const QString whole = lastAnswer();
    QVERIFY(whole.size() > 40);
    const quint64 before = report().ramUsed;

    app_->chats()->newConversation();
    quint64 during = 0;
    connect(&model(), &ActiveModel::reportChanged, this, [&] {
        if (app_->replies()->generating() && report().ramBudget == quint64{48} << 20 &&
            !report().budgetWaits) {
            during = report().ramUsed;
        }
    });
    bool lowered = false;
    connect(inference_.get(), &InferenceService::pieces, this, [&] {
        if (!std::exchange(lowered, true)) {
            set("engine/ram", QStringLiteral("48M"));
        }
    });
    QVERIFY(app_->replies()->send(question));
    QVERIFY(waitForAnswer());
    QTRY_COMPARE_WITH_TIMEOUT(report().ramBudget, quint64{48} << 20, kWaitMs);
    QTRY_VERIFY_WITH_TIMEOUT(!report().budgetWaits, kWaitMs);
    QVERIFY2(report().ramUsed <= quint64{48} << 20, qPrintable(QString::number(report().ramUsed)));
    QVERIFY(report().ramUsed < before && report().diskPerToken > 0);
    QCOMPARE(lastAnswer(), whole);
    QVERIFY2(during > 0 && during < before, "the budget did not show before the answer's end");
    QVERIFY(app_->engineChange()->refusal().isEmpty());
    QVERIFY(app_->replies()->send(QStringLiteral("And then?")));  // the chat goes on
    QVERIFY(waitForAnswer());
    QVERIFY(!lastAnswer().isEmpty());
}

// Nobody asks anything: the memory is free at once.
void EngineSettingsTest::givesMemoryBackBetweenAnswers() {
    const quint64 before = report().ramUsed;
    set("engine/ram", QStringLiteral("48M"));
    QTRY_VERIFY_WITH_TIMEOUT(
        report().ramBudget == quint64{48} << 20 && report().ramUsed <= quint64{48} << 20, kWaitMs);
    QVERIFY(report().ramUsed < before);
    set("engine/ram", QStringLiteral("700M"));  // and taken again
    QTRY_VERIFY_WITH_TIMEOUT(report().ramUsed >= before && report().diskPerToken == 0, kWaitMs);
}

// The system prompt and the sampling reach the engine: read back from what it computed.
void EngineSettingsTest::tellsTheModelWhatTheSettingsSay() {
    QList<GenerationSummary> ends;
    connect(inference_.get(), &InferenceService::finished, this,
            [&](quint64, const GenerationSummary& summary) { ends << summary; });
    const auto ask = [&] {
        app_->chats()->newConversation();
        QVERIFY(app_->replies()->send(QStringLiteral("What is rain?")));
        QVERIFY(waitForAnswer());
    };
    ask();
    const QString first = lastAnswer();
    ask();
    QCOMPARE(lastAnswer(), first);  // the seed
    set("sampling/max-tokens", QStringLiteral("4"));
    ask();
    QCOMPARE(ends.last().tokenCount, 4);
    QVERIFY(first.startsWith(lastAnswer()));
    settings_->reset("sampling/max-tokens", model().path());
    set("chat/system", QStringLiteral("You are a pirate who speaks of nothing but the sea."));
    ask();
    QVERIFY(ends.last().promptTokens > ends.first().promptTokens + 8);
    settings_->reset("chat/system", model().path());
    set("sampling/preset", QStringLiteral("own"));
    set("sampling/temp", QStringLiteral("0"));
    set("sampling/seed", QStringLiteral("8"));
    ask();
    const QString likeliest = lastAnswer();
    set("sampling/seed", QStringLiteral("9"));
    ask();
    QCOMPARE(lastAnswer(), likeliest);
}

QTEST_MAIN(EngineSettingsTest)
#include "engine_settings_test.moc"
