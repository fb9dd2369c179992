// The engine behind the window. Needs the starter model for all but the failures.
#include "bridge/local_inference.h"

#include <QFileInfo>
#include <QMutex>
#include <QTemporaryDir>
#include <QThread>
#include <QtTest>
#include <atomic>

#include "app/desktop/endless_model.h"
#include "support/tiny_model.h"
#include "system/app_paths.h"

using namespace hearth::ui;

Q_DECLARE_METATYPE(hearth::ui::GenerationSettings)

// Whoever holds it keeps the engine's thread from its next task.
QMutex& engineGate() {
    static QMutex mutex;
    return mutex;
}

// Tasks that the engine's thread took up, also the one that waits at the gate.
std::atomic<int> engineTasks = 0;

// Qt calls it before every event of every thread.
bool waitAtTheGate(void** /*data*/) {
    if (QThread::currentThread()->objectName() == QLatin1String("engine")) {
        ++engineTasks;
        const QMutexLocker passes(&engineGate());
    }
    return false;  // the event is still to be handled
}

class LocalInferenceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void failsWithASentence_data();
    void failsWithASentence();
    void loadsAndAnswers();
    void answersTheSameForTheSameSeed();
    void cancels();
    void failsOnAMessageThatIsTooLong();
    void refusesToAnswerWithoutAModel();
    void letsALaterLoadWin();
    void stopsTheAnswerForAnotherModel();
    void aBudgetStoppedByAnotherModelIsNotRefused();
    void keepsWhatItCounted();
    void keepsWhatItCountedBetweenAnswers();
    void remembersAChatOverAnEnd();
    void keepsAChatBehindEachAnswer();
    void forgetsAChat();
    void remembersNothingIfToldSo();
    void passesSamplingOn_data();
    void passesSamplingOn();
    void passesTheContextOn();
    void tellsTheModelOfTools();
    void aResultOfAToolStaysData_data();
    void aResultOfAToolStaysData();
    void endsWhileLoading();
    void endsWhileAnswering();
    void unloads();
    void unloadingEndsALoad();
    void passesSeedAndPenaltyOn();
    void refusesABudgetWithoutAModel();

private:
    // Skips the test when there is no model.
    bool noModel() const { return model_.isEmpty(); }
    bool load(LocalInference& inference) const {
        QSignalSpy loaded(&inference, &InferenceService::loaded);
        inference.loadModel({model_, 2, 0});
        return loaded.wait(60'000);
    }
    static QList<ChatTurn> question() {
        return {{QStringLiteral("user"), QStringLiteral("What is rain?")}};
    }
    QString model_;
};

#define NEED_MODEL()                                              \
    do {                                                          \
        if (noModel()) {                                          \
            if (qEnvironmentVariableIntValue("HEARTH_NO_SKIP")) { \
                QFAIL("no starter model");                        \
            }                                                     \
            QSKIP("no starter model");                            \
        }                                                         \
    } while (false)

void LocalInferenceTest::initTestCase() {
    QInternal::registerCallback(QInternal::EventNotifyCallback, waitAtTheGate);
    model_ = starterModel(QStringLiteral(HEARTH_BINARY_DIR "/bin"));
    const QString shared =
        QStringLiteral(HEARTH_SHARED_DIR "/starter-model/hearth-starter-f16.gguf");
    if (model_.isEmpty() && QFileInfo::exists(shared)) {
        model_ = shared;
    }
}

void LocalInferenceTest::failsWithASentence_data() {
    QTest::addColumn<QByteArray>("content");  // null: no file; "/": a folder
    QTest::addColumn<QString>("words");
    QTest::addRow("missing") << QByteArray() << "There is no file";
    QTest::addRow("folder") << QByteArray("/") << "is a folder";
    QTest::addRow("empty") << QByteArray("") << "not a whole GGUF model";
    QTest::addRow("text") << QByteArray("hello, I am no model") << "not a whole GGUF model";
    QTest::addRow("zeros") << QByteArray(1 << 20, '\0') << "not a whole GGUF model";
    QTest::addRow("cut off") << QByteArray("GGUF\3\0\0\0\5\0\0\0\0\0\0\0", 16)
                             << "not a whole GGUF model";
}

void LocalInferenceTest::failsWithASentence() {
    QFETCH(QByteArray, content);
    QFETCH(QString, words);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("a.gguf"));
    if (content == "/") {
        QVERIFY(QDir().mkpath(file));
    } else if (!content.isNull()) {
        QFile out(file);
        QVERIFY(out.open(QIODevice::WriteOnly));
        out.write(content);
    }
    LocalInference inference;
    QSignalSpy failed(&inference, &InferenceService::loadFailed);
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 0, 0});
    QVERIFY(failed.wait(60'000));
    QVERIFY2(failed.first().first().toString().contains(words),
             qPrintable(failed.first().first().toString()));
    QCOMPARE(loaded.size(), 0);
}

void LocalInferenceTest::loadsAndAnswers() {
    NEED_MODEL();
    LocalInference inference;
    QSignalSpy progress(&inference, &InferenceService::loadProgress);
    ModelSummary model;
    connect(&inference, &InferenceService::loaded, this, [&](const ModelSummary& m) { model = m; });
    QVERIFY(load(inference));
    QCOMPARE(model.path, model_);
    QVERIFY(!model.name.isEmpty() && !model.type.isEmpty() && !model.isa.isEmpty());
    QVERIFY(!model.architecture.isEmpty() && model.parameters > 0 && model.layers > 0);
    QCOMPARE(model.fileBytes, QFileInfo(model_).size());
    QCOMPARE(model.contextTokens, 1024);
    QCOMPARE(model.threads, 2);
    QVERIFY(!progress.isEmpty());

    QString text;
    QList<qint64> moments;
    QElapsedTimer clock;
    clock.start();
    GenerationSummary summary;
    bool ended = false;
    connect(&inference, &InferenceService::pieces, this, [&](quint64 id, const QString& piece) {
        QCOMPARE(id, 7U);
        QVERIFY(!ended && !piece.isEmpty());
        QCOMPARE(QThread::currentThread(), thread());
        text += piece;
        moments << clock.elapsed();
    });
    connect(&inference, &InferenceService::finished, this,
            [&](quint64 id, const GenerationSummary& s) {
                QCOMPARE(id, 7U);
                summary = s;
                ended = true;
            });
    GenerationSettings settings;
    settings.seed = 5;
    settings.maxTokens = 40;
    inference.generate(7, question(), settings);
    QTRY_VERIFY_WITH_TIMEOUT(ended, 60'000);
    QVERIFY(!text.isEmpty());
    QVERIFY(summary.tokenCount > 0 && summary.tokenCount <= 40);
    QVERIFY(summary.firstTokenMs > 0);
    QVERIFY(summary.promptTokens > 0);
    QVERIFY(summary.finish != GenerationSummary::Finish::Cancelled);
    // Gathered: as many signals as there were intervals, not as there were tokens.
    QVERIFY(moments.size() <= clock.elapsed() / InferenceService::kPiecesIntervalMs + 2);
}

void LocalInferenceTest::answersTheSameForTheSameSeed() {
    NEED_MODEL();
    LocalInference inference;
    QVERIFY(load(inference));
    QStringList texts;
    for (quint64 id = 1; id <= 2; ++id) {
        QString text;
        const auto connection = connect(&inference, &InferenceService::pieces, this,
                                        [&](quint64, const QString& piece) { text += piece; });
        QSignalSpy finished(&inference, &InferenceService::finished);
        GenerationSettings settings;
        settings.seed = 11;
        settings.maxTokens = 20;
        inference.generate(id, question(), settings);
        QVERIFY(finished.wait(60'000));
        disconnect(connection);
        texts << text;
    }
    QCOMPARE(texts[0], texts[1]);
}

void LocalInferenceTest::cancels() {
    NEED_MODEL();
    LocalInference inference;
    QVERIFY(load(inference));
    inference.cancel();  // nothing runs
    GenerationSummary summary;
    connect(&inference, &InferenceService::finished, this,
            [&](quint64, const GenerationSummary& s) { summary = s; });
    QSignalSpy finished(&inference, &InferenceService::finished);
    inference.generate(1, question(), {});
    inference.cancel();  // before the engine's thread has begun
    QVERIFY(finished.wait(60'000));
    QVERIFY(summary.finish == GenerationSummary::Finish::Cancelled);
    GenerationSettings few;
    few.maxTokens = 3;
    inference.generate(2, question(), few);  // that stop was not meant for this one
    QVERIFY(finished.wait(60'000));
    QVERIFY(summary.finish != GenerationSummary::Finish::Cancelled);
}

void LocalInferenceTest::failsOnAMessageThatIsTooLong() {
    NEED_MODEL();
    LocalInference inference;
    QVERIFY(load(inference));
    QSignalSpy failed(&inference, &InferenceService::failed);
    inference.generate(3, {{QStringLiteral("user"), QStringLiteral("word ").repeated(20'000)}}, {});
    QVERIFY(failed.wait(60'000));
    QCOMPARE(failed.first().at(0).toULongLong(), 3U);
    QVERIFY2(failed.first().at(1).toString().contains(QLatin1String("longer than the model")),
             qPrintable(failed.first().at(1).toString()));
    QSignalSpy finished(&inference, &InferenceService::finished);
    GenerationSettings few;
    few.maxTokens = 3;
    inference.generate(4, question(), few);  // the engine is still of use
    QVERIFY(finished.wait(60'000));
}

void LocalInferenceTest::refusesToAnswerWithoutAModel() {
    LocalInference inference;
    QSignalSpy failed(&inference, &InferenceService::failed);
    inference.generate(1, question(), {});
    QVERIFY(failed.wait(60'000));
}

void LocalInferenceTest::letsALaterLoadWin() {
    NEED_MODEL();
    LocalInference inference;
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    QSignalSpy failed(&inference, &InferenceService::loadFailed);
    inference.loadModel({QStringLiteral("/nowhere/a.gguf"), 0, 0});
    inference.loadModel({model_, 0, 0});
    QVERIFY(loaded.wait(60'000));
    QCOMPARE(loaded.size(), 1);
    QCOMPARE(failed.size(), 0);
}

// Opening a model does not wait for the end of an answer.
void LocalInferenceTest::stopsTheAnswerForAnotherModel() {
    const QTemporaryDir folder;
    const QString file = test::endlessModel(folder.path(), question().first().content);
    QVERIFY(!file.isEmpty());
    LocalInference inference;
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    QList<GenerationSummary> ends;
    connect(&inference, &InferenceService::finished, this,
            [&](quint64, const GenerationSummary& s) { ends << s; });
    GenerationSettings best;
    best.temperature = 0;
    inference.generate(1, question(), best);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    QCOMPARE(ends.size(), 1);
    QVERIFY(ends.first().finish == GenerationSummary::Finish::Cancelled);
}

// A memory limit whose weights are not loaded yet when another model is opened stays wanted.
void LocalInferenceTest::aBudgetStoppedByAnotherModelIsNotRefused() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    hearth::test::TinyModelOptions options{.arch = "llama"};
    options.type = hearth::DType::Q8_0;
    options.n_layer = 12;
    options.n_embd = 256;
    options.n_ff = 1024;
    options.n_ctx = 64;
    QVERIFY(hearth::test::TinyModel(options).write(file.toStdString()));
    LoadOptions load{.path = file, .threads = 1, .contextTokens = 64};
    load.gpu = QStringLiteral("none");
    load.heedsMemoryPressure = false;
    LocalInference inference;
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    QSignalSpy set(&inference, &InferenceService::budgetSet);
    QSignalSpy refused(&inference, &InferenceService::budgetRefused);
    QList<EngineReport> reports;
    connect(&inference, &InferenceService::reported, this,
            [&](const EngineReport& report) { reports << report; });
    inference.loadModel(load);
    QVERIFY(loaded.wait(60'000));
    QTRY_COMPARE(reports.size(), 1);
    {
        const QMutexLocker held(&engineGate());
        const int before = engineTasks;
        inference.setBudget({.id = 1, .ramBytes = reports.first().ramPlanned / 4 * 3});
        QVERIFY(set.wait(60'000));
        // The budget's task stands in the queue before that of the load.
        QTRY_VERIFY_WITH_TIMEOUT(engineTasks > before, 60'000);
        inference.loadModel(load);
    }
    QVERIFY(loaded.wait(60'000));
    QVERIFY(reports.size() >= 2);
    QVERIFY(reports.at(1).budgetWaits);  // it was stopped, not carried out
    QCOMPARE(refused.size(), 0);
}

// A sparse model counts which of its neurons fire, and the next load places them by that.
void LocalInferenceTest::keepsWhatItCounted() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    const auto profiles = [&] {
        return QDir(folder.filePath(QStringLiteral("profiles")))
            .entryList({QStringLiteral("*.gguf")}, QDir::Files)
            .size();
    };
    LocalInference inference(folder.path());
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    QSignalSpy finished(&inference, &InferenceService::finished);
    GenerationSettings few;
    few.maxTokens = 8;
    inference.generate(1, question(), few);
    QVERIFY(finished.wait(60'000));
    QCOMPARE(profiles(), 0);  // some tokens are not worth writing it
    inference.unloadModel();
    QSignalSpy failed(&inference, &InferenceService::failed);
    inference.generate(2, question(), few);  // refused once the model is gone
    QVERIFY(failed.wait(60'000));
    QCOMPARE(profiles(), 1);
}

// A program that is killed loses what was counted since: a thousand tokens are worth writing.
void LocalInferenceTest::keepsWhatItCountedBetweenAnswers() {
    const QTemporaryDir folder;
    const QString file = test::endlessModel(folder.path(), question().first().content);
    QVERIFY(!file.isEmpty());
    LocalInference inference(folder.path());
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    GenerationSettings best;
    best.temperature = 0;
    best.maxTokens = 1100;
    GenerationSummary summary;
    connect(&inference, &InferenceService::finished, this,
            [&](quint64, const GenerationSummary& s) { summary = s; });
    QSignalSpy finished(&inference, &InferenceService::finished);
    inference.generate(1, question(), best);
    QVERIFY(finished.wait(60'000));
    QCOMPARE(summary.tokenCount, 1100);
    QVERIFY(summary.finish == GenerationSummary::Finish::Length);
    best.maxTokens = 1;
    inference.generate(2, question(), best);  // begins once the engine has been idle
    QVERIFY(finished.wait(60'000));
    QCOMPARE(QDir(folder.filePath(QStringLiteral("profiles")))
                 .entryList({QStringLiteral("*.gguf")}, QDir::Files)
                 .size(),
             1);
}

namespace {

// A window that has a model, in a folder that it keeps its pasts in.
class Remembering {
public:
    Remembering(const QString& folder, const QString& file, bool keeps = true, int restMs = 1)
        : inference(folder), pasts_(folder + QStringLiteral("/pasts")) {
        inference.setRest(restMs, 0);
        QSignalSpy loaded(&inference, &InferenceService::loaded);
        LoadOptions options{file, 1, 0};
        options.keepsPasts = keeps;
        inference.loadModel(options);
        works = loaded.wait(60'000);
    }
    // The tokens of the prompt that were known; -1: there was no answer.
    int ask(const QString& conversation, const QList<ChatTurn>& turns) {
        GenerationSettings few;
        few.temperature = 0;
        few.maxTokens = 4;
        few.conversation = conversation;
        int known = -1;
        const auto note = QObject::connect(
            &inference, &InferenceService::finished, &inference,
            [&](quint64, const GenerationSummary& summary) { known = summary.cachedTokens; });
        QSignalSpy finished(&inference, &InferenceService::finished);
        inference.generate(++id_, turns, few);
        finished.wait(60'000);
        QObject::disconnect(note);
        return known;
    }
    QStringList files() const {
        return QDir(pasts_).entryList({QStringLiteral("*.past")}, QDir::Files);
    }

    LocalInference inference;
    bool works = false;

private:
    QString pasts_;
    quint64 id_ = 0;
};

}  // namespace

// As after a program that was killed: the file is written while nobody asks.
void LocalInferenceTest::remembersAChatOverAnEnd() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    const QList<ChatTurn> other = {{QStringLiteral("user"), QStringLiteral("zyx wvu tsr")}};
    int known = 0;
    {
        Remembering first(folder.path(), file);
        QVERIFY(first.works);
        QCOMPARE(first.ask(QStringLiteral("7"), question()), 0);
        QTRY_COMPARE(first.files(), QStringList{QStringLiteral("7.past")});
        known = first.ask(QStringLiteral("7"), question());
        QVERIFY(known > 4);
        QVERIFY(first.ask(QStringLiteral("8"), other) < known);
        QTRY_COMPARE(first.files().size(), 2);
        // The chat of before comes back when it is opened again.
        QCOMPARE(first.ask(QStringLiteral("7"), question()), known);
    }
    Remembering second(folder.path(), file);
    QVERIFY(second.works);
    QCOMPARE(second.ask(QStringLiteral("7"), question()), known);
    // A damaged file costs nothing but time, once.
    QFile damaged(folder.filePath(QStringLiteral("pasts/8.past")));
    QVERIFY(damaged.open(QIODevice::ReadWrite) && damaged.resize(damaged.size() / 2));
    damaged.close();
    QVERIFY(second.ask(QStringLiteral("8"), other) >= 0);
    QTRY_COMPARE(second.files().size(), 2);
    QCOMPARE(second.ask(QStringLiteral("7"), question()), known);
}

// Nobody rests: what an answer left is there before the next one begins, and as much is known of
// it as without an end. A model with states writes all of them, so it waits for a rest.
void LocalInferenceTest::keepsAChatBehindEachAnswer() {
    constexpr int kNever = 3'600'000;
    const QString chat = QStringLiteral("7");
    QList<ChatTurn> longer = question();
    longer << ChatTurn{QStringLiteral("assistant"), QStringLiteral("abc")}
           << ChatTurn{QStringLiteral("user"), QStringLiteral("and then?")};
    for (const char* arch : {"llama", "qwen35"}) {
        const bool inParts = arch == std::string("llama");
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
        QVERIFY(hearth::test::TinyModel({.arch = arch, .n_layer = 4, .n_left_out = inParts ? 0 : 1})
                    .write(file.toStdString()));
        int known = 0;
        {
            Remembering first(folder.path(), file, true, kNever);
            QVERIFY(first.works);
            QCOMPARE(first.ask(chat, question()), 0);
            QVERIFY(first.ask(chat, longer) > 4);
            QCOMPARE(first.files().size(), inParts ? 1 : 0);
            known = first.ask(chat, longer);
        }
        Remembering second(folder.path(), file, true, kNever);
        QVERIFY(second.works);
        QCOMPARE(second.ask(chat, longer), inParts ? known : 0);
    }
}

void LocalInferenceTest::forgetsAChat() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    Remembering window(folder.path(), file);
    QVERIFY(window.works);
    QCOMPARE(window.ask(QStringLiteral("7"), question()), 0);
    QTRY_COMPARE(window.files().size(), 1);
    window.inference.forget(QStringLiteral("7"));
    QTRY_VERIFY(window.files().isEmpty());
    // Names that are no plain words name no file, and neither does a chat without a name.
    for (const QString& name : {QStringLiteral("../7"), QStringLiteral("a/b"), QString()}) {
        QVERIFY(window.ask(name, question()) >= 0);
        window.inference.forget(name);
    }
    QVERIFY(window.ask(QStringLiteral("9"), question()) >= 0);
    QTRY_COMPARE(window.files(), QStringList{QStringLiteral("9.past")});
}

void LocalInferenceTest::remembersNothingIfToldSo() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    {
        Remembering window(folder.path(), file);
        QVERIFY(window.works && window.ask(QStringLiteral("7"), question()) == 0);
        QTRY_COMPARE(window.files().size(), 1);
    }
    Remembering window(folder.path(), file, false);
    QVERIFY(window.works);
    QVERIFY(window.files().isEmpty());
    QCOMPARE(window.ask(QStringLiteral("7"), question()), 0);
    QTest::qWait(20);  // the rest begins after 1 ms; the next answer waits for what it does
    QVERIFY(window.ask(QStringLiteral("8"), question()) > 4);
    QVERIFY(window.files().isEmpty());
}

void LocalInferenceTest::passesSamplingOn_data() {
    QTest::addColumn<GenerationSettings>("settings");
    // Each of these leaves the best token only, however hot the rest is.
    GenerationSettings hot;
    hot.temperature = 3;
    hot.topK = 0;
    hot.topP = 1;
    hot.minP = 0;
    GenerationSettings one = hot;
    one.topK = 1;
    QTest::newRow("top k") << one;
    one = hot;
    one.topP = 1e-6;
    QTest::newRow("top p") << one;
    one = hot;
    one.minP = 1;
    QTest::newRow("min p") << one;
    one = hot;
    one.temperature = 0;
    QTest::newRow("temperature") << one;
}

void LocalInferenceTest::passesSamplingOn() {
    QFETCH(GenerationSettings, settings);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    LocalInference inference;
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    QString text;
    connect(&inference, &InferenceService::pieces, this,
            [&](quint64, const QString& piece) { text += piece; });
    QSignalSpy finished(&inference, &InferenceService::finished);
    QStringList texts;
    settings.maxTokens = 24;
    for (quint64 seed = 1; seed <= 3; ++seed) {
        settings.seed = seed;
        text.clear();
        inference.generate(seed, question(), settings);
        QVERIFY(finished.wait(60'000));
        texts << text;
    }
    QCOMPARE(texts[1], texts[0]);
    QCOMPARE(texts[2], texts[0]);
}

void LocalInferenceTest::passesTheContextOn() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    LocalInference inference;
    ModelSummary model;
    connect(&inference, &InferenceService::loaded, this, [&](const ModelSummary& m) { model = m; });
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 1, 96});
    QVERIFY(loaded.wait(60'000));
    QCOMPARE(model.contextTokens, 96);
    GenerationSummary summary;
    connect(&inference, &InferenceService::finished, this,
            [&](quint64, const GenerationSummary& s) { summary = s; });
    QSignalSpy finished(&inference, &InferenceService::finished);
    QList<ChatTurn> turns;
    for (int i = 0; i < 6; ++i) {
        turns << ChatTurn{i % 2 == 0 ? QStringLiteral("user") : QStringLiteral("assistant"),
                          QStringLiteral("some words here")};
    }
    turns += question();
    GenerationSettings few;
    few.maxTokens = 2;
    inference.generate(1, turns, few);
    QVERIFY(finished.wait(60'000));
    QVERIFY2(summary.droppedMessages >= 2, qPrintable(QString::number(summary.droppedMessages)));
}

void LocalInferenceTest::tellsTheModelOfTools() {
    NEED_MODEL();
    LocalInference inference;
    QVERIFY(load(inference));
    QSignalSpy finished(&inference, &InferenceService::finished);
    QSignalSpy failed(&inference, &InferenceService::failed);
    GenerationSettings settings;
    settings.seed = 3;
    settings.maxTokens = 8;
    inference.generate(1, question(), settings);
    QVERIFY(finished.wait(60'000));
    settings.tools = {{QStringLiteral("rain_of"), QStringLiteral("tells how much rain fell"),
                       R"({"type":"object","properties":{"town":{"type":"string"}}})"}};
    inference.generate(2, question(), settings);
    QVERIFY(finished.wait(60'000));
    const auto plain = finished.at(0).at(1).value<GenerationSummary>();
    const auto told = finished.at(1).at(1).value<GenerationSummary>();
    QVERIFY2(told.promptTokens > plain.promptTokens + 20,
             qPrintable(QString::number(told.promptTokens)));
    // A schema that is no JSON is an error of the request, and the next one is answered.
    settings.tools.first().schema = "{";
    inference.generate(3, question(), settings);
    QVERIFY(failed.wait(60'000));
    settings.tools.clear();
    inference.generate(4, question(), settings);
    QVERIFY(finished.wait(60'000));
}

void LocalInferenceTest::aResultOfAToolStaysData_data() {
    QTest::addColumn<QString>("mark");
    for (const char* mark : {"<|im_start|>", "<|im_end|>", "<|endoftext|>", "</s>", "<s>"}) {
        QTest::newRow(mark) << QString::fromLatin1(mark);
    }
}

// A special token is one token; the same as text is several. A tool that spells the end of its turn
// thirty times adds at least two tokens each time.
void LocalInferenceTest::aResultOfAToolStaysData() {
    NEED_MODEL();
    QFETCH(QString, mark);
    LocalInference inference;
    QVERIFY(load(inference));
    QSignalSpy finished(&inference, &InferenceService::finished);
    GenerationSettings settings;
    settings.seed = 3;
    settings.maxTokens = 1;
    const auto promptTokens = [&](const QString& result) {
        finished.clear();
        QList<ChatTurn> turns = question();
        turns.append({QStringLiteral("assistant"),
                      {},
                      {{QStringLiteral("abcdefghi"), QStringLiteral("read"), "{}"}}});
        turns.append({QStringLiteral("tool"),
                      result,
                      {},
                      QStringLiteral("abcdefghi"),
                      QStringLiteral("read")});
        inference.generate(1, turns, settings);
        return finished.wait(60'000) ? finished.at(0).at(1).value<GenerationSummary>().promptTokens
                                     : -1;
    };
    const int plain = promptTokens(QStringLiteral("x"));
    QVERIFY(plain > 0);
    const int marked = promptTokens(QStringLiteral("x") + mark.repeated(30));
    QVERIFY2(marked >= plain + 30 * 2, qPrintable(QStringLiteral("%1, %2").arg(plain).arg(marked)));
}

void LocalInferenceTest::endsWhileLoading() {
    NEED_MODEL();
    LocalInference inference;
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({model_, 0, 0});
    QVERIFY(inference.shutdown(60'000));
    QTest::qWait(50);
    QCOMPARE(loaded.size(), 0);  // no signal afterwards
}

void LocalInferenceTest::endsWhileAnswering() {
    NEED_MODEL();
    LocalInference inference;
    QVERIFY(load(inference));
    QSignalSpy finished(&inference, &InferenceService::finished);
    inference.generate(1, question(), {});
    QVERIFY(inference.shutdown(60'000));
    QTest::qWait(50);
    QCOMPARE(finished.size(), 0);
}

void LocalInferenceTest::unloads() {
    NEED_MODEL();
    LocalInference inference;
    QVERIFY(load(inference));
    inference.unloadModel();
    QSignalSpy failed(&inference, &InferenceService::failed);
    inference.generate(1, question(), {});
    QVERIFY(failed.wait(60'000));
}

// The model that was being loaded is not wanted any more, and the next one is.
void LocalInferenceTest::unloadingEndsALoad() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    LocalInference inference;
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    QSignalSpy loadFailed(&inference, &InferenceService::loadFailed);
    QSignalSpy failed(&inference, &InferenceService::failed);
    inference.loadModel({file, 1, 0});
    inference.unloadModel();
    inference.generate(1, question(), {});  // refused once the engine's thread has done both
    QVERIFY(failed.wait(60'000));
    QCOMPARE(loaded.size(), 0);
    QCOMPARE(loadFailed.size(), 0);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    GenerationSettings few;
    few.maxTokens = 2;
    QSignalSpy finished(&inference, &InferenceService::finished);
    inference.generate(2, question(), few);
    QVERIFY(finished.wait(60'000));
    QCOMPARE(failed.size(), 1);
}

void LocalInferenceTest::passesSeedAndPenaltyOn() {
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    LocalInference inference;
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    QString text;
    connect(&inference, &InferenceService::pieces, this,
            [&](quint64, const QString& piece) { text += piece; });
    GenerationSummary summary;
    connect(&inference, &InferenceService::finished, this,
            [&](quint64, const GenerationSummary& s) { summary = s; });
    quint64 id = 0;
    const auto answer = [&](double temperature, double penalty, quint64 seed) {
        QSignalSpy finished(&inference, &InferenceService::finished);
        GenerationSettings settings;
        settings.temperature = temperature;
        settings.topK = 0;
        settings.topP = 1;
        settings.minP = 0;
        settings.repeatPenalty = penalty;
        settings.seed = seed;
        settings.maxTokens = 24;
        text.clear();
        inference.generate(++id, question(), settings);
        return finished.wait(60'000) ? text : QStringLiteral("no answer");
    };
    const QString hot = answer(3, 1, 1);
    QCOMPARE(summary.cachedTokens, 0);
    QVERIFY(summary.promptTokens > 0 && summary.firstTokenMs > 0);
    QVERIFY(answer(3, 1, 2) != hot);
    QVERIFY(summary.cachedTokens > 0 && summary.cachedTokens <= summary.promptTokens);
    QCOMPARE(answer(3, 1, 1), hot);
    const QString best = answer(0, 1, 1);
    QVERIFY2(answer(0, 100, 1) != best, qPrintable(best));
    QCOMPARE(answer(0, 1, 1), best);
}

// The setting is told that it was not carried out, by its own number.
void LocalInferenceTest::refusesABudgetWithoutAModel() {
    LocalInference inference;
    QSignalSpy refused(&inference, &InferenceService::budgetRefused);
    QSignalSpy set(&inference, &InferenceService::budgetSet);
    inference.setBudget({.id = 7, .ramBytes = quint64{1} << 30});
    QVERIFY(refused.wait(60'000));
    QCOMPARE(refused.first().first().toULongLong(), 7U);
    const QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("tiny.gguf"));
    QVERIFY(hearth::test::TinyModel().write(file.toStdString()));
    QSignalSpy loaded(&inference, &InferenceService::loaded);
    inference.loadModel({file, 1, 0});
    QVERIFY(loaded.wait(60'000));
    quint64 ramBudget = 0;
    connect(&inference, &InferenceService::reported, this,
            [&](const EngineReport& report) { ramBudget = report.ramBudget; });
    inference.setBudget({.id = 8, .ramBytes = quint64{300} << 20});
    QVERIFY(set.wait(60'000));
    QCOMPARE(set.first().first().toULongLong(), 8U);
    QTRY_COMPARE_WITH_TIMEOUT(ramBudget, quint64{300} << 20, 60'000);
    QCOMPARE(refused.size(), 1);
}

QTEST_GUILESS_MAIN(LocalInferenceTest)
#include "local_inference_test.moc"
