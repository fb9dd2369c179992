#include "status/active_model.h"

#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class ActiveModelTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void reportsLoadFailure();
    void goesBackToTheModelBefore();
    void goesBackTwice();
    void triesAFailedModelOnce();
    void aChosenModelIsNoChangeOfSettings();
    void reloadsTheLastOne();
    void opensFiles();
    void saysThatATokenizerIsAGuess();
    void offersTheReasoningOfItsTemplate();
    void sumsTheExpertsOfItsAnswers();
};

void ActiveModelTest::reportsLoadFailure() {
    start(false);
    fake_->setLoadDelayMs(20);
    fake_->setLoadError(QStringLiteral("“x” is not a whole GGUF model."));
    model().openPath(QStringLiteral("/models/x.gguf"));
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(model().state(), QStringLiteral("failed"));
    QCOMPARE(model().errorText(), QStringLiteral("“x” is not a whole GGUF model."));
    QCOMPARE(notices().kind(), QStringLiteral("error"));
    QCOMPARE(notices().action(), QStringLiteral("openModel"));
    QVERIFY(last().state == MessageState::Failed);
    QCOMPARE(texts().value(0), QStringLiteral("q"));  // the message stays
    QCOMPARE(settings_->lastModelPath(), QStringLiteral("/models/fake.gguf"));
    fake_->setLoadError({});
    model().reload();
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QVERIFY(notices().text().isEmpty());
    QVERIFY(replies().regenerate(last().id));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
}

// Answers of one model add up, and another model begins anew.
void ActiveModelTest::sumsTheExpertsOfItsAnswers() {
    start();
    FakeInference::Script script = FakeInference::scriptFrom(QStringLiteral("Yes."));
    script.summary.experts = {.card = 5, .memory = 2, .disk = 1};
    fake_->setScripts({script});
    for (const quint64 answers : {1, 2}) {
        const QSignalSpy told(&model(), &ActiveModel::expertsChanged);
        QVERIFY(replies().send(QStringLiteral("q")));
        waitForAnswer();
        QCOMPARE(told.count(), 1);
        const ExpertShares wanted{5 * answers, 2 * answers, answers};
        QVERIFY(model().experts() == wanted);
        QCOMPARE(last().stats.experts,
                 QStringLiteral("63 % graphics card, 25 % memory, 13 % disk"));
    }
    script.summary.experts = {};  // a model without experts
    fake_->setScripts({script});
    const QSignalSpy told(&model(), &ActiveModel::expertsChanged);
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(told.count(), 0);
    QCOMPARE(last().stats.experts, QString());
    model().openPath(QStringLiteral("/models/other.gguf"));
    QTRY_VERIFY(model().experts() == ExpertShares());
    QCOMPARE(told.count(), 1);
}

// A choice counts for the model that was open, and for what its template knows.
void ActiveModelTest::offersTheReasoningOfItsTemplate() {
    const auto offered = [this] {
        QStringList values;
        for (const QVariant& choice : model().reasoningChoices()) {
            values << choice.toMap().value(QStringLiteral("value")).toString();
        }
        return values.join(QLatin1Char(' '));
    };
    const auto open = [this](const char* path) {
        model().openPath(QString::fromLatin1(path));
        QVERIFY(model().reasoningChoices().isEmpty());  // while it loads
        QTRY_COMPARE(model().report().modelPath, QString::fromLatin1(path));
    };
    open("/models/plain.gguf");
    QCOMPARE(offered(), QString());
    fake_->setTemplate(true, false, {});
    open("/models/switch.gguf");
    QCOMPARE(offered(), QStringLiteral("auto off on"));
    QCOMPARE(model().reasoning(), QStringLiteral("auto"));
    const QSignalSpy told(&model(), &ActiveModel::reasoningChanged);
    model().chooseReasoning(QStringLiteral("off"));
    QCOMPARE(told.count(), 1);
    QCOMPARE(model().reasoning(), QStringLiteral("off"));
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(fake_->lastSettings().reasoning, QStringLiteral("off"));
    fake_->setTemplate(false, true, {});
    open("/models/effort.gguf");
    QCOMPARE(offered(), QStringLiteral("auto low medium high"));
    QCOMPARE(model().reasoning(), QStringLiteral("auto"));
    QCOMPARE(settings_->set("chat/reasoning", QStringLiteral("off")), QString());
    QCOMPARE(model().reasoning(), QStringLiteral("auto"));  // its template has no "off"
    model().chooseReasoning(QStringLiteral("high"));
    QCOMPARE(model().reasoning(), QStringLiteral("high"));
    fake_->setTemplate(true, true, {});
    open("/models/switch.gguf");
    QCOMPARE(offered(), QStringLiteral("auto off on low medium high"));
    QCOMPARE(model().reasoning(), QStringLiteral("off"));
}

// Once for a model, however often it is loaded, until another one is chosen.
void ActiveModelTest::saysThatATokenizerIsAGuess() {
    ModelSummary guessed;
    guessed.tokenizerFallback = QStringLiteral("llama-bpe");
    fake_->setModel(guessed);
    model().openPath(QStringLiteral("/models/guessed.gguf"));
    QTRY_COMPARE(notices().kind(), QStringLiteral("warning"));
    QVERIFY(notices().text().contains(QStringLiteral("“llama-bpe”")));
    notices().dismiss();
    model().loadChanged();
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QCOMPARE(notices().text(), QString());
    model().openPath(QStringLiteral("/models/guessed.gguf"));
    QTRY_VERIFY(notices().text().contains(QStringLiteral("“llama-bpe”")));
    fake_->setModel({});
    model().openPath(QStringLiteral("/models/known.gguf"));
    QTRY_COMPARE(model().path(), QStringLiteral("/models/known.gguf"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QCOMPARE(notices().text(), QString());
}

void ActiveModelTest::goesBackToTheModelBefore() {
    fake_->setLoadError(QStringLiteral("no"));
    connect(&notices(), &Notices::changed, this, [this] { fake_->setLoadError({}); });
    model().openPath(QStringLiteral("/models/broken.gguf"));
    QTRY_COMPARE(notices().text(), QStringLiteral("no"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QCOMPARE(model().path(), QStringLiteral("/models/fake.gguf"));
    QCOMPARE(notices().text(), QStringLiteral("no"));
}

// After a second failure it is again the model that worked last, and that is another one by then.
void ActiveModelTest::goesBackTwice() {
    connect(&model(), &EngineStatus::changed, this, [this] {
        if (model().state() == QLatin1String("failed")) {
            fake_->setLoadError({});
        }
    });
    for (const char* good : {"/models/fake.gguf", "/models/other.gguf"}) {
        model().openPath(QString::fromLatin1(good));
        QTRY_COMPARE(model().state(), QStringLiteral("ready"));
        for (const char* broken : {"/models/broken.gguf", "/models/damaged.gguf"}) {
            fake_->setLoadError(QStringLiteral("no"));
            model().openPath(QString::fromLatin1(broken));
            QTRY_COMPARE(fake_->lastLoad().path, QString::fromLatin1(good));
            QTRY_COMPARE(model().state(), QStringLiteral("ready"));
            QCOMPARE(model().path(), QString::fromLatin1(good));
            QCOMPARE(model().errorText(), QString());
        }
    }
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
}

// The model before the one that failed is that one: there is nothing to go back to.
void ActiveModelTest::triesAFailedModelOnce() {
    QSignalSpy failed(fake_.get(), &InferenceService::loadFailed);
    fake_->setLoadError(QStringLiteral("no"));
    model().reload();
    QTRY_COMPARE(model().state(), QStringLiteral("failed"));
    QCOMPARE(failed.size(), 1);
}

// The model is loaded anew for a setting when the user opens another one, which fails: the setting
// is not what failed.
void ActiveModelTest::aChosenModelIsNoChangeOfSettings() {
    app_->engineChange()->setRestMs(0);
    fake_->setLoadDelayMs(20'000);  // it does not end before the next one
    QCOMPARE(settings_->set("engine/threads", QStringLiteral("3")), QString());
    QTRY_COMPARE(fake_->loadCalls(), 2);
    fake_->setLoadDelayMs(0);
    fake_->setLoadError(QStringLiteral("Broken."));
    connect(&notices(), &Notices::changed, this, [this] { fake_->setLoadError({}); });
    model().openPath(QStringLiteral("/models/broken.gguf"));
    QTRY_COMPARE(notices().text(), QStringLiteral("Broken."));
    QCOMPARE(notices().action(), QStringLiteral("openModel"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QCOMPARE(model().path(), QStringLiteral("/models/fake.gguf"));
    QCOMPARE(settings_->text("engine/threads"), QStringLiteral("3"));
    QCOMPARE(fake_->lastLoad().threads, 3);
    QCOMPARE(app_->engineChange()->refusal(), QString());
}

void ActiveModelTest::reloadsTheLastOne() {
    start(false);
    model().reload();
    QCOMPARE(fake_->lastLoad().path, QStringLiteral("/models/fake.gguf"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    model().openPath(QStringLiteral("/models/other.gguf"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    model().reload();
    QCOMPARE(fake_->lastLoad().path, QStringLiteral("/models/other.gguf"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QCOMPARE(settings_->text("model/recent"),
             QStringLiteral("/models/other.gguf\n/models/fake.gguf"));
}

void ActiveModelTest::opensFiles() {
    model().openFile(QUrl(QStringLiteral("https://x.example/a.gguf")));
    QCOMPARE(notices().kind(), QStringLiteral("error"));
    QCOMPARE(fake_->lastLoad().path, QStringLiteral("/models/fake.gguf"));
    const QString path = folder_->filePath(QString::fromUtf8("mödel 1.gguf"));
    model().openFile(QUrl::fromLocalFile(path));
    QCOMPARE(fake_->lastLoad().path, path);
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QCOMPARE(settings_->lastModelPath(), path);
    QVERIFY(notices().text().isEmpty());
    QCOMPARE(model().detail(), QString::fromUtf8("Q4_0 · 36 MB · context 1024 · none · 2 threads"));
}

QTEST_MAIN(ActiveModelTest)
#include "active_model_test.moc"
