#include "app_controller.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPalette>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

#include "app_settings.h"
#include "support/fake_inference.h"

using namespace hearth::ui;

class AppControllerTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init();
    void cleanup();

    void sendsAndAnswers();
    void isOnDiskBeforeTheEngineStarts();
    void refusesWithoutAModel();
    void refusesBlankAndSecondMessages();
    void waitsForAModelThatLoads();
    void stopsAnAnswer();
    void stopsWhileTheModelLoads();
    void regenerates();
    void editsAQuestion();
    void editsAnAnswer();
    void leavesFailedAnswersOutOfTheNextPrompt();
    void showsTooLongAsFailed();
    void reportsDroppedMessages();
    void reportsAFullContext();
    void keepsNoticesWithTheirConversation();
    void clearsADiskNoticeOnceWritten();
    void answersInTheBackground();
    void deletesAndBringsBack();
    void deletesWhileAnswering();
    void renames();
    void keepsDrafts();
    void keepsADraftThatIsNotSent();
    void checkpointsWhileAnswering();
    void survivesAFullDisk();
    void saysNothingCanBeChanged();
    void reportsLoadFailure();
    void goesBackToTheModelBefore();
    void triesAFailedModelOnce();
    void takesPiecesOfItsOwnAnswerOnly();
    void opensFiles();
    void followsTheTheme();
    void passesSamplingOn();
    void copies();
    void closesWhileAnswering();
    void opensLongConversations();

private:
    void start(bool loadModel = true);
    void waitForAnswer() { QTRY_VERIFY(!app_->generating()); }
    QStringList texts() const {
        QStringList list;
        for (const Message& message : app_->messages()->messages()) {
            list << message.content;
        }
        return list;
    }
    Message last() const { return app_->messages()->messages().last(); }
    // Cut to the disk's size now: nothing can be added. False: room again.
    void fillDisk(bool full) {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(query.exec(QStringLiteral("PRAGMA max_page_count = %1").arg(full ? 1 : 1'000'000)));
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<FakeInference> fake_;
    std::unique_ptr<ConversationStore> store_;
    std::unique_ptr<AppSettings> settings_;
    std::unique_ptr<AppController> app_;
};

void AppControllerTest::init() {
    folder_ = std::make_unique<QTemporaryDir>();
    start();
}

void AppControllerTest::start(bool loadModel) {
    app_.reset();
    store_ = std::make_unique<ConversationStore>();
    store_->open(folder_->path());
    settings_ = std::make_unique<AppSettings>(folder_->filePath(QStringLiteral("hearth.ini")));
    fake_ = std::make_unique<FakeInference>();
    app_ = std::make_unique<AppController>(*fake_, *store_, *settings_);
    if (loadModel) {
        app_->openModelPath(QStringLiteral("/models/fake.gguf"));
        QTRY_COMPARE(app_->engine()->state(), QStringLiteral("ready"));
    }
}

void AppControllerTest::cleanup() {
    app_.reset();
    fake_.reset();
    store_.reset();
}

void AppControllerTest::sendsAndAnswers() {
    auto script = FakeInference::scriptFrom(QStringLiteral("Water that **falls**."));
    script.summary.firstTokenMs = 120;
    script.summary.tokensPerSecond = 42;
    fake_->setScripts({script});
    QSignalSpy sent(app_.get(), &AppController::sent);
    QVERIFY(app_->canSend());
    QVERIFY(app_->send(QStringLiteral("What is rain?")));
    QCOMPARE(sent.size(), 1);
    QVERIFY(app_->generating() && !app_->canSend());
    QVERIFY(app_->currentConversationId() != kNoId);
    QCOMPARE(app_->currentTitle(), QStringLiteral("What is rain?"));
    QCOMPARE(app_->generatingConversationId(), app_->currentConversationId());
    QVERIFY(last().state == MessageState::Generating);
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"What is rain?", "Water that **falls**."}));
    QVERIFY(last().state == MessageState::Complete);
    QCOMPARE(statsText(last().stats),
             QString::fromUtf8("42 tokens/s · first token 0.12 s · 6 tokens"));
    QCOMPARE(app_->conversations()->rows().value(0).preview,
             QStringLiteral("Water that **falls**."));
    QCOMPARE(app_->generatingConversationId(), kNoId);

    QVERIFY(app_->send(QStringLiteral("And snow?")));
    waitForAnswer();
    QCOMPARE(fake_->lastTurns().size(), 3);
    QCOMPARE(fake_->lastTurns().at(1).role, QStringLiteral("assistant"));
    QCOMPARE(fake_->lastTurns().at(2).content, QStringLiteral("And snow?"));
    QCOMPARE(app_->conversations()->count(), 1);

    start(false);  // the next start shows the same
    app_->selectConversation(app_->conversations()->idAt(0));
    QCOMPARE(app_->messages()->count(), 4);
    QVERIFY(last().state == MessageState::Complete);
}

void AppControllerTest::isOnDiskBeforeTheEngineStarts() {
    ConversationStore reader;
    reader.open(folder_->path());
    QCOMPARE(fake_->generateCalls(), 0);
    connect(app_.get(), &AppController::generatingChanged, this, [&] {
        if (fake_->generateCalls() == 1 && app_->generating()) {
            QCOMPARE(reader.conversations().size(), 1);
            QCOMPARE(reader.activePath(reader.conversations().first().id).size(), 2);
        }
    });
    QVERIFY(app_->send(QStringLiteral("q")));
    QCOMPARE(fake_->generateCalls(), 1);
    waitForAnswer();
}

void AppControllerTest::refusesWithoutAModel() {
    start(false);
    QVERIFY(!app_->canSend());
    app_->setDraft(QStringLiteral("hello"));
    QVERIFY(!app_->send(QStringLiteral("hello")));
    QCOMPARE(app_->draft(), QStringLiteral("hello"));
    QCOMPARE(app_->noticeAction(), QStringLiteral("openModel"));
    QCOMPARE(app_->conversations()->count(), 0);
}

void AppControllerTest::refusesBlankAndSecondMessages() {
    QVERIFY(!app_->send(QStringLiteral(" \n\t")));
    QVERIFY(app_->noticeText().isEmpty());
    QVERIFY(app_->send(QStringLiteral("one")));
    QVERIFY(!app_->send(QStringLiteral("two")));
    QVERIFY(!app_->regenerate(last().id));
    waitForAnswer();
    QCOMPARE(app_->messages()->count(), 2);
}

void AppControllerTest::waitsForAModelThatLoads() {
    fake_->setLoadDelayMs(50);
    app_->openModelPath(QStringLiteral("/models/other.gguf"));
    QCOMPARE(app_->engine()->state(), QStringLiteral("loading"));
    QCOMPARE(app_->engine()->modelName(), QStringLiteral("other.gguf"));
    QSignalSpy progress(app_->engine(), &EngineStatus::progressChanged);
    QVERIFY(app_->canSend());
    QVERIFY(app_->send(QStringLiteral("q")));
    QCOMPARE(fake_->generateCalls(), 0);
    QVERIFY(app_->generating());
    waitForAnswer();
    QVERIFY(progress.size() > 1);
    QCOMPARE(fake_->generateCalls(), 1);
    QCOMPARE(last().content, QStringLiteral("You said: q"));
}

void AppControllerTest::stopsAnAnswer() {
    fake_->setScripts({FakeInference::scriptFrom(QString(4000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(app_->send(QStringLiteral("q")));
    QTRY_VERIFY(last().content.size() > 20);
    app_->stop();
    waitForAnswer();
    QVERIFY(last().state == MessageState::Stopped);
    QVERIFY(last().content.size() < 4000);
    QCOMPARE(store_->message(last().id)->content, last().content);
    app_->stop();  // nothing to stop
    QVERIFY(app_->canSend());
}

void AppControllerTest::stopsWhileTheModelLoads() {
    fake_->setLoadDelayMs(100);
    app_->reloadModel();
    QVERIFY(app_->send(QStringLiteral("q")));
    app_->stop();
    QVERIFY(!app_->generating());
    QVERIFY(last().state == MessageState::Stopped);
    QTRY_COMPARE(app_->engine()->state(), QStringLiteral("ready"));
    QCOMPARE(fake_->generateCalls(), 0);
}

void AppControllerTest::regenerates() {
    fake_->setScripts({FakeInference::scriptFrom("first"), FakeInference::scriptFrom("second")});
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 first = last().id;
    QVERIFY(app_->regenerate(first));
    QCOMPARE(fake_->lastTurns().size(), 1);  // not its own old answer
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"q", "second"}));
    QCOMPARE(last().versionIndex, 1);
    QCOMPARE(last().versionCount, 2);
    app_->selectVersion(last().id, 0);
    QCOMPARE(texts(), QStringList({"q", "first"}));
    QCOMPARE(last().id, first);
    app_->selectVersion(first, 7);  // there is none
    QCOMPARE(texts(), QStringList({"q", "first"}));
    QVERIFY(!app_->regenerate(12345));
}

void AppControllerTest::editsAQuestion() {
    fake_->setScripts({FakeInference::scriptFrom("a1"), FakeInference::scriptFrom("a2"),
                       FakeInference::scriptFrom("b1")});
    QVERIFY(app_->send(QStringLiteral("q1")));
    waitForAnswer();
    QVERIFY(app_->send(QStringLiteral("q2")));
    waitForAnswer();
    const qint64 question = app_->messages()->messages().at(0).id;
    QVERIFY(!app_->edit(question, QStringLiteral("  ")));
    QVERIFY(app_->edit(question, QStringLiteral("Q1")));
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"Q1", "b1"}));
    const Message edited = app_->messages()->messages().at(0);
    QCOMPARE(edited.versionCount, 2);
    app_->selectVersion(edited.id, 0);
    QCOMPARE(texts(), QStringList({"q1", "a1", "q2", "a2"}));
}

void AppControllerTest::editsAnAnswer() {
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(app_->edit(last().id, QStringLiteral("better")));
    QVERIFY(!app_->generating());
    QCOMPARE(texts(), QStringList({"q", "better"}));
    QCOMPARE(last().versionCount, 2);
}

void AppControllerTest::leavesFailedAnswersOutOfTheNextPrompt() {
    FakeInference::Script broken;
    broken.failWith = QStringLiteral("It broke.");
    fake_->setScripts({broken, FakeInference::scriptFrom("fine")});
    QVERIFY(app_->send(QStringLiteral("q1")));
    waitForAnswer();
    QVERIFY(app_->send(QStringLiteral("q2")));
    QCOMPARE(fake_->lastTurns().size(), 2);  // both questions, no empty answer
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("fine"));
}

void AppControllerTest::showsTooLongAsFailed() {
    auto script = FakeInference::scriptFrom(QStringLiteral("partly"));
    script.failWith = QStringLiteral("This message is longer than the model can take in.");
    fake_->setScripts({script});
    QVERIFY(app_->send(QString(100'000, QLatin1Char('x'))));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Failed);
    QCOMPARE(last().errorText, script.failWith);
    QCOMPARE(last().content, QStringLiteral("partly"));
    QCOMPARE(store_->message(last().id)->errorText, script.failWith);
    QVERIFY(app_->canSend());
}

void AppControllerTest::reportsDroppedMessages() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.droppedMessages = 4;
    fake_->setScripts({script});
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(app_->noticeKind(), QStringLiteral("info"));
    QVERIFY2(app_->noticeText().startsWith(QLatin1String("The first 4 messages no longer fit")),
             qPrintable(app_->noticeText()));
    QVERIFY(app_->noticeText().contains(QLatin1String("1024")));
    app_->dismissNotice();
    QVERIFY(app_->noticeText().isEmpty());
}

void AppControllerTest::reportsAFullContext() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.finish = GenerationSummary::Finish::Length;
    fake_->setScripts({script});
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
    QVERIFY(app_->noticeText().contains(QLatin1String("context (1024 tokens) is full")));
}

void AppControllerTest::keepsNoticesWithTheirConversation() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.droppedMessages = 4;
    fake_->setScripts({script});
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 first = app_->currentConversationId();
    QVERIFY(!app_->noticeText().isEmpty());
    app_->newConversation();
    QVERIFY(app_->noticeText().isEmpty());

    // Ended out of sight: said when the conversation is looked at.
    app_->selectConversation(first);
    QVERIFY(app_->noticeText().isEmpty());
    QVERIFY(app_->send(QStringLiteral("q")));
    app_->newConversation();
    waitForAnswer();
    QVERIFY(app_->noticeText().isEmpty());
    app_->selectConversation(first);
    QVERIFY(app_->noticeText().startsWith(QLatin1String("The first 4 messages no longer fit")));

    // What is about the program stays.
    app_->notify(QStringLiteral("warning"), QStringLiteral("general"));
    app_->newConversation();
    QCOMPARE(app_->noticeText(), QStringLiteral("general"));
}

void AppControllerTest::clearsADiskNoticeOnceWritten() {
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = app_->currentConversationId();
    const QString big(200'000, QLatin1Char('y'));
    fillDisk(true);
    QVERIFY(!app_->send(big));
    QVERIFY(app_->noticeText().contains(QLatin1String("disk is full")));
    app_->setDraft(QStringLiteral("small"));  // fits all the same
    app_->flush();
    QVERIFY(app_->noticeText().contains(QLatin1String("disk is full")));
    fillDisk(false);
    app_->renameConversation(id, QStringLiteral("Rain"));
    QVERIFY2(app_->noticeText().isEmpty(), qPrintable(app_->noticeText()));

    fillDisk(true);
    app_->setDraft(big);
    app_->flush();
    QVERIFY(app_->noticeText().contains(QLatin1String("not saved yet")));
    fillDisk(false);
    app_->flush();
    QVERIFY2(app_->noticeText().isEmpty(), qPrintable(app_->noticeText()));

    app_->notifyAboutDisk(QStringLiteral("error"), QStringLiteral("full"));
    QVERIFY(app_->send(QStringLiteral("q")));
    QVERIFY(app_->noticeText().isEmpty());
    waitForAnswer();

    // As long as an answer is not on disk, another write says nothing.
    fake_->setScripts({FakeInference::scriptFrom(big)});
    QVERIFY(app_->send(QStringLiteral("more")));
    fillDisk(true);
    QTRY_VERIFY_WITH_TIMEOUT(!app_->generating(), 60'000);
    app_->renameConversation(id, QStringLiteral("Snow"));
    QVERIFY(!app_->noticeText().isEmpty());
    fillDisk(false);
    QTRY_COMPARE(app_->noticeText(), QStringLiteral("All answers are saved now."));
}

void AppControllerTest::answersInTheBackground() {
    fake_->setScripts({FakeInference::scriptFrom(QString(400, QLatin1Char('x')))});
    QVERIFY(app_->send(QStringLiteral("first")));
    waitForAnswer();
    const qint64 first = app_->currentConversationId();
    app_->newConversation();
    fake_->pauseAfter(5);
    QVERIFY(app_->send(QStringLiteral("second")));
    const qint64 second = app_->currentConversationId();
    QTRY_COMPARE(last().content.size(), 20);
    app_->selectConversation(first);
    QCOMPARE(app_->messages()->count(), 2);
    QCOMPARE(app_->generatingConversationId(), second);
    QVERIFY(!app_->canSend());
    QSignalSpy shown(app_.get(), &AppController::replyShown);
    fake_->pauseAfter(8);
    QTRY_COMPARE(shown.size(), 3);
    app_->selectConversation(second);
    QCOMPARE(last().content.size(), 32);  // what came meanwhile is there
    QVERIFY(last().state == MessageState::Generating);
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(last().content.size(), 400);
    QVERIFY(last().state == MessageState::Complete);
    app_->selectConversation(first);
    QCOMPARE(texts().value(0), QStringLiteral("first"));
}

void AppControllerTest::deletesAndBringsBack() {
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = app_->currentConversationId();
    QSignalSpy undo(app_.get(), &AppController::undoChanged);
    app_->deleteConversation(id);
    QCOMPARE(app_->currentConversationId(), kNoId);
    QCOMPARE(app_->messages()->count(), 0);
    QCOMPARE(app_->conversations()->count(), 0);
    QVERIFY(app_->canUndoDelete());
    QCOMPARE(app_->undoText(), QString::fromUtf8("“q” was deleted."));
    app_->undoDelete();
    QVERIFY(!app_->canUndoDelete());
    QCOMPARE(undo.size(), 2);
    QCOMPARE(app_->currentConversationId(), id);
    QCOMPARE(texts(), QStringList({"q", "You said: q"}));
    app_->undoDelete();  // nothing to undo

    app_->deleteConversation(id);
    app_->dismissUndo();
    QVERIFY(!app_->canUndoDelete());
    start(false);
    QCOMPARE(app_->conversations()->count(), 0);
}

void AppControllerTest::deletesWhileAnswering() {
    fake_->setScripts({FakeInference::scriptFrom(QString(4000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(app_->send(QStringLiteral("q")));
    QTRY_VERIFY(last().content.size() > 20);
    const qint64 id = app_->currentConversationId();
    app_->deleteConversation(id);
    waitForAnswer();
    QCOMPARE(app_->conversations()->count(), 0);
    app_->undoDelete();
    QVERIFY(last().state == MessageState::Stopped);
    QVERIFY(last().content.size() > 20);
}

void AppControllerTest::renames() {
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = app_->currentConversationId();
    QSignalSpy title(app_.get(), &AppController::currentTitleChanged);
    app_->renameConversation(id, QStringLiteral("  My\n rain "));
    QCOMPARE(app_->currentTitle(), QStringLiteral("My rain"));
    QVERIFY(title.size() >= 1);
    app_->renameConversation(id, QStringLiteral("   "));
    QCOMPARE(app_->currentTitle(), QStringLiteral("My rain"));
    app_->renameConversation(id, QString(5000, QLatin1Char('x')));
    QCOMPARE(app_->currentTitle().size(), 200);
}

void AppControllerTest::keepsDrafts() {
    app_->setDraft(QStringLiteral("for a new one"));
    app_->newConversation();
    QCOMPARE(app_->draft(), QStringLiteral("for a new one"));
    QVERIFY(app_->send(QStringLiteral("for a new one")));
    QCOMPARE(app_->draft(), QString());
    waitForAnswer();
    app_->setDraft(QStringLiteral("reply"));
    const qint64 id = app_->currentConversationId();
    app_->newConversation();
    QCOMPARE(app_->draft(), QString());
    app_->setDraft(QStringLiteral("fresh"));
    app_->selectConversation(id);
    QCOMPARE(app_->draft(), QStringLiteral("reply"));
    start();  // the end of the program writes it
    QCOMPARE(app_->draft(), QStringLiteral("fresh"));
    app_->setDraft(QStringLiteral("fresher"));
    QTRY_COMPARE(store_->draft(kNoId), QStringLiteral("fresher"));  // also by itself
}

void AppControllerTest::keepsADraftThatIsNotSent() {
    app_->setDraft(QStringLiteral("half a thought"));
    QVERIFY(app_->send(QStringLiteral("a suggestion clicked")));
    QCOMPARE(app_->draft(), QStringLiteral("half a thought"));
    waitForAnswer();
    app_->flush();
    QCOMPARE(store_->draft(app_->currentConversationId()), QStringLiteral("half a thought"));
    QCOMPARE(store_->draft(kNoId), QString());
}

void AppControllerTest::checkpointsWhileAnswering() {
    fake_->setScripts({FakeInference::scriptFrom(QString(8000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(app_->send(QStringLiteral("q")));
    QTRY_VERIFY(!store_->message(last().id)->content.isEmpty());
    QVERIFY(app_->generating());
    const qsizetype before = store_->message(last().id)->content.size();
    QTRY_VERIFY(store_->message(last().id)->content.size() > before);
    QVERIFY(app_->generating());
}

void AppControllerTest::survivesAFullDisk() {
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    fillDisk(true);
    const QString big(200'000, QLatin1Char('y'));
    app_->setDraft(big);
    QVERIFY(!app_->send(big));
    QCOMPARE(app_->draft(), big);
    QCOMPARE(app_->noticeKind(), QStringLiteral("error"));
    QVERIFY(app_->noticeText().contains(QLatin1String("disk is full")));
    QVERIFY(app_->noticeText().contains(QLatin1String("still in the input field")));
    QCOMPARE(app_->messages()->count(), 2);

    // The disk fills while an answer is written: it goes on, and is saved when there is room.
    fillDisk(false);
    fake_->setScripts({FakeInference::scriptFrom(big)});
    QVERIFY(app_->send(QStringLiteral("more")));
    fillDisk(true);
    QTRY_VERIFY_WITH_TIMEOUT(!app_->generating(), 60'000);
    QCOMPARE(last().content, big);
    QVERIFY(app_->noticeText().contains(QLatin1String("not saved yet")));
    app_->newConversation();
    app_->selectConversation(app_->conversations()->idAt(0));
    QCOMPARE(last().content, big);  // not lost by looking elsewhere
    fillDisk(false);
    QTRY_COMPARE(store_->message(last().id)->content, big);
    QVERIFY(store_->message(last().id)->state == MessageState::Complete);
}

void AppControllerTest::saysNothingCanBeChanged() {
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    ConversationStore second;
    second.open(folder_->path());
    FakeInference fake;
    AppController reader(fake, second, *settings_);
    reader.openModelPath(QStringLiteral("/models/fake.gguf"));
    QTRY_COMPARE(reader.engine()->state(), QStringLiteral("ready"));
    QVERIFY(reader.readOnly() && !reader.canSend());
    reader.selectConversation(reader.conversations()->idAt(0));
    QCOMPARE(reader.messages()->count(), 2);
    QVERIFY(!reader.send(QStringLiteral("x")));
    QVERIFY(!reader.noticeText().isEmpty());
    reader.deleteConversation(reader.currentConversationId());
    reader.renameConversation(reader.currentConversationId(), QStringLiteral("x"));
    QCOMPARE(reader.conversations()->rows().value(0).title, QStringLiteral("q"));
    QVERIFY(!reader.regenerate(reader.messages()->messages().last().id));
}

void AppControllerTest::reportsLoadFailure() {
    start(false);
    fake_->setLoadDelayMs(20);
    fake_->setLoadError(QStringLiteral("“x” is not a whole GGUF model."));
    app_->openModelPath(QStringLiteral("/models/x.gguf"));
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(app_->engine()->state(), QStringLiteral("failed"));
    QCOMPARE(app_->engine()->errorText(), QStringLiteral("“x” is not a whole GGUF model."));
    QCOMPARE(app_->noticeKind(), QStringLiteral("error"));
    QCOMPARE(app_->noticeAction(), QStringLiteral("openModel"));
    QVERIFY(last().state == MessageState::Failed);
    QCOMPARE(texts().value(0), QStringLiteral("q"));  // the message stays
    QCOMPARE(settings_->lastModelPath(), QStringLiteral("/models/fake.gguf"));
    fake_->setLoadError({});
    app_->reloadModel();
    QTRY_COMPARE(app_->engine()->state(), QStringLiteral("ready"));
    QVERIFY(app_->noticeText().isEmpty());
    QVERIFY(app_->regenerate(last().id));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
}

void AppControllerTest::goesBackToTheModelBefore() {
    fake_->setLoadError(QStringLiteral("no"));
    connect(app_.get(), &AppController::noticeChanged, this, [this] { fake_->setLoadError({}); });
    app_->openModelPath(QStringLiteral("/models/broken.gguf"));
    QTRY_COMPARE(app_->noticeText(), QStringLiteral("no"));
    QTRY_COMPARE(app_->engine()->state(), QStringLiteral("ready"));
    QCOMPARE(app_->engine()->path(), QStringLiteral("/models/fake.gguf"));
    QCOMPARE(app_->noticeText(), QStringLiteral("no"));
}

// The model before the one that failed is that one: there is nothing to go back to.
void AppControllerTest::triesAFailedModelOnce() {
    QSignalSpy failed(fake_.get(), &InferenceService::loadFailed);
    fake_->setLoadError(QStringLiteral("no"));
    app_->reloadModel();
    QTRY_COMPARE(app_->engine()->state(), QStringLiteral("failed"));
    QCOMPARE(failed.size(), 1);
}

void AppControllerTest::takesPiecesOfItsOwnAnswerOnly() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("12345678"))});
    fake_->pauseAfter(1);
    QVERIFY(app_->send(QStringLiteral("q")));
    QTRY_COMPARE(last().content, QStringLiteral("1234"));
    emit fake_->pieces(999, QStringLiteral("of an answer that was stopped"));
    emit fake_->failed(999, QStringLiteral("likewise"));
    QVERIFY(last().state == MessageState::Generating);
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("12345678"));
}

void AppControllerTest::opensFiles() {
    app_->openModelFile(QUrl(QStringLiteral("https://x.example/a.gguf")));
    QCOMPARE(app_->noticeKind(), QStringLiteral("error"));
    QCOMPARE(fake_->lastLoad().path, QStringLiteral("/models/fake.gguf"));
    const QString path = folder_->filePath(QString::fromUtf8("mödel 1.gguf"));
    app_->openModelFile(QUrl::fromLocalFile(path));
    QCOMPARE(fake_->lastLoad().path, path);
    QTRY_COMPARE(app_->engine()->state(), QStringLiteral("ready"));
    QCOMPARE(settings_->lastModelPath(), path);
    QVERIFY(app_->noticeText().isEmpty());
    QCOMPARE(app_->engine()->detail(),
             QString::fromUtf8("Q4_0 · 36 MB · context 1024 · none · 2 threads"));
}

void AppControllerTest::followsTheTheme() {
    QCOMPARE(app_->themeMode(), QStringLiteral("system"));
    const QPalette before = QGuiApplication::palette();
    QPalette dark = before;
    dark.setColor(QPalette::Window, Qt::black);
    dark.setColor(QPalette::WindowText, Qt::white);
    QPalette light = before;
    light.setColor(QPalette::Window, Qt::white);
    light.setColor(QPalette::WindowText, Qt::black);
    QGuiApplication::setPalette(light);
    QTRY_VERIFY(!app_->dark());
    QSignalSpy changed(app_.get(), &AppController::darkChanged);
    QGuiApplication::setPalette(dark);
    QTRY_VERIFY(app_->dark());
    QVERIFY(changed.size() >= 1);
    app_->setThemeMode(QStringLiteral("light"));
    QVERIFY(!app_->dark());
    start(false);
    QCOMPARE(app_->themeMode(), QStringLiteral("light"));
    app_->setThemeMode(QStringLiteral("dark"));
    QGuiApplication::setPalette(light);
    QVERIFY(app_->dark());
    QGuiApplication::setPalette(before);
}

void AppControllerTest::passesSamplingOn() {
    QVERIFY(app_->send(QStringLiteral("q")));
    QCOMPARE(fake_->lastSettings().temperature, 0.8);
    QCOMPARE(fake_->lastSettings().topK, 40);
    QCOMPARE(fake_->lastSettings().topP, 0.95);
    QCOMPARE(fake_->lastSettings().minP, 0.05);
    QCOMPARE(fake_->lastSettings().seed, 0U);
    waitForAnswer();
}

void AppControllerTest::copies() {
    app_->copyText(QStringLiteral("int x;"));
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("int x;"));
}

void AppControllerTest::closesWhileAnswering() {
    fake_->setScripts({FakeInference::scriptFrom(QString(4000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(app_->send(QStringLiteral("q")));
    QTRY_VERIFY(last().content.size() > 20);
    const qsizetype shown = last().content.size();
    const qint64 id = last().id;
    app_->close();
    QCOMPARE(store_->message(id)->content.size(), shown);
    QVERIFY(store_->message(id)->state == MessageState::Stopped);
}

void AppControllerTest::opensLongConversations() {
    QVERIFY(app_->send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = app_->currentConversationId();
    QSqlDatabase database = QSqlDatabase::database(store_->connectionName());
    QSqlQuery query(database);
    QVERIFY(query.exec(
        QStringLiteral(
            "INSERT INTO messages (conversation_id, parent_id, role, content, state,"
            " created_at) WITH RECURSIVE n(i) AS (SELECT %1 UNION ALL SELECT i + 1 FROM n"
            " LIMIT 10000) SELECT %2, i, 'user', 'text', 'complete', 0 FROM n")
            .arg(last().id)
            .arg(id)));
    query.clear();
    app_->newConversation();
    QVERIFY(store_->selectVersion(store_->activePath(id).first().id, 0));
    QElapsedTimer timer;
    timer.start();
    app_->selectConversation(id);
    qInfo() << "10,000 messages opened in" << timer.elapsed() << "ms";
    QCOMPARE(app_->messages()->count(), 10'002);
}

QTEST_MAIN(AppControllerTest)
#include "app_controller_test.moc"
