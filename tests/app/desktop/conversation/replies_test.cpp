#include "conversation/replies.h"

#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;

class RepliesTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() { begin(); }
    void cleanup() { end(); }

    void sendsAndAnswers();
    void isOnDiskBeforeTheEngineStarts();
    void refusesWithoutAModel();
    void refusesBlankAndSecondMessages();
    void waitsForAModelThatLoads();
    void waitsForAModelAgain();
    void stopsAnAnswer();
    void stopsWhileTheModelLoads();
    void namesTheModelOfEachAnswer();
    void continuesAStoppedAnswer();
    void continuesWhatTheLimitCut();
    void continuesAfterAKill();
    void keepsTheTextWhereContinuingFails();
    void keepsTheTextOfOneThatWaits();
    void continuesOnlyTheLastAnswer();
    void marksWhereTheModelReads();
    void regenerates();
    void editsAQuestion();
    void editsAnAnswer();
    void leavesFailedAnswersOutOfTheNextPrompt();
    void showsTooLongAsFailed();
    void answersInTheBackground();
    void queuesBehindAnotherAnswer();
    void answersEachWithItsOwnPrompt();
    void stopsOnlyWhatIsShown();
    void leavesTheQueue();
    void keepsTheQueueOverTheEnd_data();
    void keepsTheQueueOverTheEnd();
    void failsTheQueueWithTheModel();
    void theQueueWaitsForTheModelToo();
    void showsAnAnswerThatNobodyWritesAsCutOff();
    void takesPiecesOfItsOwnAnswerOnly();
    void passesSamplingOn();
    void passesTheModelsSamplingOn();
    void beginsWithTheSystemPrompt();
    void namesTheConversation();
    void saysThatTheSettingsEndIt();
    void saysWhatHappenedMeanwhile();
    void closesWhileAnswering();

private:
    // A new chat with an answer that ended at the limit of tokens.
    void fakeCut() {
        chats().newConversation();
        FakeInference::Script cut = FakeInference::scriptFrom(QStringLiteral("A long"));
        cut.summary.finish = GenerationSummary::Finish::Length;
        fake_->setScripts({cut});
        QVERIFY(replies().send(QStringLiteral("tell")));
        waitForAnswer();
    }
};

void RepliesTest::sendsAndAnswers() {
    auto script = FakeInference::scriptFrom(QStringLiteral("Water that **falls**."));
    script.summary.firstTokenMs = 120;
    script.summary.tokensPerSecond = 42;
    fake_->setScripts({script});
    QSignalSpy sent(&replies(), &Replies::sent);
    QVERIFY(replies().canSend());
    QVERIFY(replies().send(QStringLiteral("What is rain?")));
    QCOMPARE(sent.size(), 1);
    QVERIFY(replies().generating() && !replies().canSend());
    QVERIFY(chats().currentId() != kNoId);
    QCOMPARE(chats().currentTitle(), QStringLiteral("What is rain?"));
    QCOMPARE(replies().conversationId(), chats().currentId());
    QVERIFY(last().state == MessageState::Generating);
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"What is rain?", "Water that **falls**."}));
    QVERIFY(last().state == MessageState::Complete);
    QCOMPARE(statsText(last().stats),
             QString::fromUtf8("42 tokens/s · first token 0.12 s · 6 tokens"));
    QCOMPARE(chats().conversations()->rows().value(0).preview,
             QStringLiteral("Water that **falls**."));
    QCOMPARE(replies().conversationId(), kNoId);

    QVERIFY(replies().send(QStringLiteral("And snow?")));
    waitForAnswer();
    QCOMPARE(fake_->lastTurns().size(), 3);
    QCOMPARE(fake_->lastTurns().at(1).role, QStringLiteral("assistant"));
    QCOMPARE(fake_->lastTurns().at(2).content, QStringLiteral("And snow?"));
    QCOMPARE(chats().conversations()->count(), 1);

    start(false);  // the next start shows the same
    chats().select(chats().conversations()->idAt(0));
    QCOMPARE(chats().messages()->count(), 4);
    QVERIFY(last().state == MessageState::Complete);
}

void RepliesTest::isOnDiskBeforeTheEngineStarts() {
    ConversationStore reader;
    reader.open(folder_->path());
    QCOMPARE(fake_->generateCalls(), 0);
    connect(&replies(), &Replies::generatingChanged, this, [&] {
        if (fake_->generateCalls() == 1 && replies().generating()) {
            QCOMPARE(reader.conversations().size(), 1);
            QCOMPARE(reader.activePath(reader.conversations().first().id).size(), 2);
        }
    });
    QVERIFY(replies().send(QStringLiteral("q")));
    QCOMPARE(fake_->generateCalls(), 1);
    waitForAnswer();
}

void RepliesTest::refusesWithoutAModel() {
    start(false);
    QVERIFY(!replies().canSend());
    chats().setDraft(QStringLiteral("hello"));
    QVERIFY(!replies().send(QStringLiteral("hello")));
    QCOMPARE(chats().draft(), QStringLiteral("hello"));
    QCOMPARE(notices().action(), QStringLiteral("openModel"));
    QCOMPARE(chats().conversations()->count(), 0);
}

void RepliesTest::refusesBlankAndSecondMessages() {
    QVERIFY(!replies().send(QStringLiteral(" \n\t")));
    QVERIFY(notices().text().isEmpty());
    QVERIFY(replies().send(QStringLiteral("one")));
    QVERIFY(!replies().send(QStringLiteral("two")));
    QVERIFY(!replies().regenerate(last().id));
    waitForAnswer();
    QCOMPARE(chats().messages()->count(), 2);
}

void RepliesTest::waitsForAModelThatLoads() {
    fake_->setLoadDelayMs(50);
    model().openPath(QStringLiteral("/models/other.gguf"));
    QCOMPARE(model().state(), QStringLiteral("loading"));
    QCOMPARE(model().modelName(), QStringLiteral("other.gguf"));
    QSignalSpy progress(&model(), &EngineStatus::progressChanged);
    QVERIFY(replies().canSend());
    QVERIFY(replies().send(QStringLiteral("q")));
    QCOMPARE(fake_->generateCalls(), 0);
    QVERIFY(replies().generating());
    waitForAnswer();
    QVERIFY(progress.size() > 1);
    QCOMPARE(fake_->generateCalls(), 1);
    QCOMPARE(last().content, QStringLiteral("You said: q"));
}

// As the first time: the model is another one, and an answer was written before.
void RepliesTest::waitsForAModelAgain() {
    for (int round = 0; round < 2; ++round) {
        QVERIFY(replies().send(QStringLiteral("one")));
        waitForAnswer();
        fake_->setLoadDelayMs(50);
        model().openPath(QStringLiteral("/models/%1.gguf").arg(round));
        QVERIFY(replies().send(QStringLiteral("two")));
        QCOMPARE(fake_->generateCalls(), 2 * round + 1);
        waitForAnswer();
        QCOMPARE(fake_->generateCalls(), 2 * round + 2);
        QCOMPARE(last().content, QStringLiteral("You said: two"));
        QVERIFY(last().state == MessageState::Complete);
    }
}

void RepliesTest::stopsAnAnswer() {
    fake_->setScripts({FakeInference::scriptFrom(QString(4000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    QTRY_VERIFY(last().content.size() > 20);
    replies().stop();
    waitForAnswer();
    QVERIFY(last().state == MessageState::Stopped);
    QVERIFY(last().content.size() < 4000);
    QCOMPARE(store_->message(last().id)->content, last().content);
    replies().stop();  // nothing to stop
    QVERIFY(replies().canSend());
}

void RepliesTest::stopsWhileTheModelLoads() {
    fake_->setLoadDelayMs(100);
    model().reload();
    QVERIFY(replies().send(QStringLiteral("q")));
    replies().stop();
    QVERIFY(!replies().generating());
    QVERIFY(last().state == MessageState::Stopped);
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QCOMPARE(fake_->generateCalls(), 0);
}

// One may take another model within a chat: the answers before it keep their names.
void RepliesTest::namesTheModelOfEachAnswer() {
    const auto useModel = [&](const char* name) {
        ModelSummary summary;
        summary.name = QString::fromLatin1(name);
        summary.contextTokens = 1024;
        fake_->setModel(summary);
        model().openPath(QStringLiteral("/models/%1.gguf").arg(QLatin1String(name)));
        QTRY_VERIFY(model().isReady() && model().modelName() == QLatin1String(name));
    };
    const auto line = [&](int row) {
        return chats()
            .messages()
            ->data(chats().messages()->index(row), MessageListModel::StatsRole)
            .toString();
    };
    useModel("Alpha");
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("One answer"))});
    QVERIFY(replies().send(QStringLiteral("one")));
    waitForAnswer();
    useModel("Beta");
    QVERIFY(replies().send(QStringLiteral("two")));
    QTRY_VERIFY(fake_->generateCalls() == 2);
    // A kill from now on leaves the name.
    QCOMPARE(store_->message(last().id)->stats.model, QStringLiteral("Beta"));
    waitForAnswer();
    QCOMPARE(line(1), QString::fromUtf8("Alpha · 3 tokens"));
    QCOMPARE(line(3), QString::fromUtf8("Beta · 3 tokens"));
    QVERIFY(line(0).isEmpty());
    start(false);
    chats().select(chats().conversations()->idAt(0));
    QCOMPARE(line(1), QString::fromUtf8("Alpha · 3 tokens"));
    QCOMPARE(line(3), QString::fromUtf8("Beta · 3 tokens"));
}

void RepliesTest::continuesAStoppedAnswer() {
    FakeInference::Script first = FakeInference::scriptFrom(QStringLiteral("One two three four"));
    FakeInference::Script second = FakeInference::scriptFrom(QStringLiteral(" and five."));
    second.summary.firstTokenMs = 70;
    fake_->setScripts({first, second});
    fake_->pauseAfter(2);
    QVERIFY(replies().send(QStringLiteral("count")));
    QTRY_COMPARE(last().content, QStringLiteral("One two "));
    replies().stop();
    waitForAnswer();
    QVERIFY(last().state == MessageState::Stopped);
    const auto role = [&](MessageListModel::MessageRole wanted) {
        return chats().messages()->data(chats().messages()->index(1), wanted);
    };
    QVERIFY(role(MessageListModel::ContinuableRole).toBool());
    const qint64 id = last().id;
    fake_->pauseAfter(1);
    QVERIFY(replies().continueAnswer(id));
    QVERIFY(replies().generating() && last().state == MessageState::Generating);
    QVERIFY(!role(MessageListModel::ContinuableRole).toBool());
    QTRY_COMPARE(last().content, QStringLiteral("One two  and"));
    QVERIFY(fake_->lastSettings().continuesLast);
    QCOMPARE(fake_->lastTurns().size(), 2);
    QCOMPARE(fake_->lastTurns().last().role, QStringLiteral("assistant"));
    QCOMPARE(fake_->lastTurns().last().content, QStringLiteral("One two "));
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"count", "One two  and five."}));
    QCOMPARE(last().id, id);
    QVERIFY(last().state == MessageState::Complete);
    QCOMPARE(last().versionCount, 1);
    QCOMPARE(last().stats.tokenCount, 2 + 3);
    QCOMPARE(last().stats.firstTokenMs, 70.0);
    QVERIFY(!replies().continueAnswer(last().id + 50));
    QCOMPARE(store_->message(id)->content, QStringLiteral("One two  and five."));
    // The next question is no continuation.
    QVERIFY(replies().send(QStringLiteral("more")));
    waitForAnswer();
    QVERIFY(!fake_->lastSettings().continuesLast);
    QCOMPARE(fake_->lastTurns().size(), 3);
}

void RepliesTest::continuesWhatTheLimitCut() {
    FakeInference::Script cut = FakeInference::scriptFrom(QStringLiteral("A long"));
    cut.summary.finish = GenerationSummary::Finish::Length;
    fake_->setScripts({cut, FakeInference::scriptFrom(QStringLiteral(" story"))});
    QVERIFY(replies().send(QStringLiteral("tell")));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete && last().stats.isCut);
    start();
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral(" story"))});
    chats().select(chats().conversations()->idAt(0));
    QVERIFY(last().stats.isCut);
    QVERIFY(replies().continueAnswer(last().id));
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("A long story"));
    QVERIFY(!last().stats.isCut);
    QVERIFY(!chats()
                 .messages()
                 ->data(chats().messages()->index(1), MessageListModel::ContinuableRole)
                 .toBool());
}

void RepliesTest::continuesAfterAKill() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("One two three four"))});
    fake_->pauseAfter(2);
    QVERIFY(replies().send(QStringLiteral("count")));
    QTRY_COMPARE(last().content, QStringLiteral("One two "));
    QVERIFY(store_->checkpointReply(last().id, last().content));
    const qint64 id = last().id;
    app_->blockSignals(true);
    // The program is gone without a word: what a second reader finds is what the next start has.
    {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(
            query.exec(QStringLiteral("UPDATE messages SET state = 'interrupted'"
                                      " WHERE state = 'generating'")));
    }
    auto other = std::make_unique<ConversationStore>();
    other->open(folder_->path());
    QVERIFY(other->message(id)->state == MessageState::Interrupted);
    QCOMPARE(other->message(id)->content, QStringLiteral("One two "));
    other.reset();
    replies().close();
    start();
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("three"))});
    chats().select(chats().conversations()->idAt(0));
    QVERIFY(replies().continueAnswer(id));
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("One two three"));
}

void RepliesTest::keepsTheTextWhereContinuingFails() {
    FakeInference::Script cut = FakeInference::scriptFrom(QStringLiteral("A long"));
    cut.summary.finish = GenerationSummary::Finish::Length;
    FakeInference::Script broken;
    broken.failWith = QStringLiteral("It broke.");
    fake_->setScripts({cut, broken, FakeInference::scriptFrom(QStringLiteral(" story"))});
    QVERIFY(replies().send(QStringLiteral("tell")));
    waitForAnswer();
    QVERIFY(replies().continueAnswer(last().id));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Failed);
    QCOMPARE(last().errorText, QStringLiteral("It broke."));
    QCOMPARE(last().content, QStringLiteral("A long"));
    QCOMPARE(last().stats.tokenCount, 2);
    QCOMPARE(store_->message(last().id)->content, QStringLiteral("A long"));
    QVERIFY(replies().continueAnswer(last().id));
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("A long story"));
    QVERIFY(last().state == MessageState::Complete && last().errorText.isEmpty());
    // A disk that refuses leaves it as it is.
    fakeCut();
    const Message before = last();
    const auto refuse = [this](const char* yes) {  // a full disk still has room in its pages
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(query.exec(QStringLiteral("PRAGMA query_only = ") + QLatin1String(yes)));
    };
    refuse("ON");
    QVERIFY(!replies().continueAnswer(before.id));
    refuse("OFF");
    QVERIFY(!replies().generating());
    QCOMPARE(last().content, before.content);
}

// Another chat is answered first: stopped meanwhile, or never begun, it is as it was.
void RepliesTest::keepsTheTextOfOneThatWaits() {
    fakeCut();
    const qint64 cut = last().id;
    const qint64 conversation = chats().currentId();
    chats().newConversation();
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("busy here"))});
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("other")));
    chats().select(conversation);
    QVERIFY(replies().continueAnswer(cut));
    QVERIFY(last().state == MessageState::Waiting);
    QCOMPARE(last().content, QStringLiteral("A long"));
    replies().stop();
    QVERIFY(last().state == MessageState::Stopped);
    QCOMPARE(store_->message(cut)->content, QStringLiteral("A long"));
    QCOMPARE(store_->message(cut)->stats.tokenCount, 2);
    QVERIFY(replies().continueAnswer(cut));
    replies().close();
    QCOMPARE(store_->message(cut)->content, QStringLiteral("A long"));
    QVERIFY(store_->message(cut)->state == MessageState::Interrupted);
}

void RepliesTest::continuesOnlyTheLastAnswer() {
    fakeCut();
    const qint64 first = last().id;
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("b"))});
    QVERIFY(replies().send(QStringLiteral("more")));
    waitForAnswer();
    QVERIFY(!replies().continueAnswer(first));
    QVERIFY(!replies().continueAnswer(chats().messages()->messages().at(2).id));
    QCOMPARE(store_->message(first)->content, QStringLiteral("A long"));
    QVERIFY(store_->message(first)->state == MessageState::Complete);
}

void RepliesTest::marksWhereTheModelReads() {
    FakeInference::Script whole = FakeInference::scriptFrom(QStringLiteral("a"));
    FakeInference::Script dropped = FakeInference::scriptFrom(QStringLiteral("b"));
    dropped.summary.droppedMessages = 2;
    fake_->setScripts({whole, whole, dropped, whole});
    const auto marked = [&] {
        QList<int> rows;
        for (int row = 0; row < chats().messages()->count(); ++row) {
            if (chats()
                    .messages()
                    ->data(chats().messages()->index(row), MessageListModel::ReadsFromHereRole)
                    .toBool()) {
                rows << row;
            }
        }
        return rows;
    };
    for (const char* question : {"one", "two", "three"}) {
        QVERIFY(marked().isEmpty());
        QVERIFY(replies().send(QString::fromLatin1(question)));
        waitForAnswer();
    }
    QCOMPARE(marked(), QList<int>({2}));
    start();
    chats().select(chats().conversations()->idAt(0));
    QTRY_COMPARE(chats().messages()->count(), 6);
    QCOMPARE(marked(), QList<int>({2}));
    fake_->setScripts({whole});
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("four")));
    QCOMPARE(marked(), QList<int>({2}));  // not known yet of the one that begins
    fake_->pauseAfter(-1);
    waitForAnswer();
    QVERIFY(marked().isEmpty());
}

void RepliesTest::regenerates() {
    fake_->setScripts({FakeInference::scriptFrom("first"), FakeInference::scriptFrom("second")});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 first = last().id;
    QVERIFY(replies().regenerate(first));
    QCOMPARE(fake_->lastTurns().size(), 1);  // not its own old answer
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"q", "second"}));
    QCOMPARE(last().versionIndex, 1);
    QCOMPARE(last().versionCount, 2);
    chats().selectVersion(last().id, 0);
    QCOMPARE(texts(), QStringList({"q", "first"}));
    QCOMPARE(last().id, first);
    chats().selectVersion(first, 7);  // there is none
    QCOMPARE(texts(), QStringList({"q", "first"}));
    QVERIFY(!replies().regenerate(12345));
}

void RepliesTest::editsAQuestion() {
    fake_->setScripts({FakeInference::scriptFrom("a1"), FakeInference::scriptFrom("a2"),
                       FakeInference::scriptFrom("b1")});
    QVERIFY(replies().send(QStringLiteral("q1")));
    waitForAnswer();
    QVERIFY(replies().send(QStringLiteral("q2")));
    waitForAnswer();
    const qint64 question = chats().messages()->messages().at(0).id;
    QVERIFY(!replies().edit(question, QStringLiteral("  ")));
    QVERIFY(replies().edit(question, QStringLiteral("Q1")));
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"Q1", "b1"}));
    const Message edited = chats().messages()->messages().at(0);
    QCOMPARE(edited.versionCount, 2);
    chats().selectVersion(edited.id, 0);
    QCOMPARE(texts(), QStringList({"q1", "a1", "q2", "a2"}));
}

void RepliesTest::editsAnAnswer() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(replies().edit(last().id, QStringLiteral("better")));
    QVERIFY(!replies().generating());
    QCOMPARE(texts(), QStringList({"q", "better"}));
    QCOMPARE(last().versionCount, 2);
}

void RepliesTest::leavesFailedAnswersOutOfTheNextPrompt() {
    FakeInference::Script broken;
    broken.failWith = QStringLiteral("It broke.");
    fake_->setScripts({broken, FakeInference::scriptFrom("fine")});
    QVERIFY(replies().send(QStringLiteral("q1")));
    waitForAnswer();
    QVERIFY(replies().send(QStringLiteral("q2")));
    QCOMPARE(fake_->lastTurns().size(), 2);  // both questions, no empty answer
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("fine"));
}

void RepliesTest::showsTooLongAsFailed() {
    auto script = FakeInference::scriptFrom(QStringLiteral("partly"));
    script.failWith = QStringLiteral("This message is longer than the model can take in.");
    fake_->setScripts({script});
    QVERIFY(replies().send(QString(100'000, QLatin1Char('x'))));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Failed);
    QCOMPARE(last().errorText, script.failWith);
    QCOMPARE(last().content, QStringLiteral("partly"));
    QCOMPARE(store_->message(last().id)->errorText, script.failWith);
    QVERIFY(replies().canSend());
}

void RepliesTest::answersInTheBackground() {
    fake_->setScripts({FakeInference::scriptFrom(QString(400, QLatin1Char('x')))});
    QVERIFY(replies().send(QStringLiteral("first")));
    waitForAnswer();
    const qint64 first = chats().currentId();
    chats().newConversation();
    fake_->pauseAfter(5);
    QVERIFY(replies().send(QStringLiteral("second")));
    const qint64 second = chats().currentId();
    QTRY_COMPARE(last().content.size(), 20);
    chats().select(first);
    QCOMPARE(chats().messages()->count(), 2);
    QCOMPARE(replies().conversationId(), second);
    QVERIFY(!replies().answeringHere() && replies().canSend());
    QSignalSpy shown(&replies(), &Replies::replyShown);
    fake_->pauseAfter(8);
    QTRY_COMPARE(shown.size(), 3);
    chats().select(second);
    QCOMPARE(last().content.size(), 32);  // what came meanwhile is there
    QVERIFY(last().state == MessageState::Generating);
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(last().content.size(), 400);
    QVERIFY(last().state == MessageState::Complete);
    chats().select(first);
    QCOMPARE(texts().value(0), QStringLiteral("first"));
}

void RepliesTest::queuesBehindAnotherAnswer() {
    const auto activity = [this](qint64 id) {
        auto* list = chats().conversations();
        return list->data(list->index(list->indexOf(id)), ConversationListModel::ActivityRole)
            .toString();
    };
    fake_->pauseAfter(0);
    QList<qint64> ids;
    for (const char* text : {"one", "two", "three"}) {
        chats().newConversation();
        QVERIFY(replies().canSend());
        QVERIFY(replies().send(QString::fromLatin1(text)));
        QVERIFY(replies().answeringHere());
        QVERIFY(!replies().send(QStringLiteral("one at a time")));
        ids << chats().currentId();
    }
    QCOMPARE(fake_->generateCalls(), 1);
    QVERIFY(last().state == MessageState::Waiting);
    QCOMPARE(texts(), QStringList({"three", ""}));
    QCOMPARE(store_->activePath(ids.at(2)).size(), 2);  // on disk at once
    QCOMPARE(QStringList({activity(ids.at(0)), activity(ids.at(1)), activity(ids.at(2))}),
             QStringList({"answering", "waiting", "waiting"}));

    QList<qint64> order;
    connect(&replies(), &Replies::replyEnded, this,
            [&](qint64 message) { order << store_->conversationOf(message); });
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(order, ids);
    QCOMPARE(texts(), QStringList({"three", "You said: three"}));
    QVERIFY(last().state == MessageState::Complete);
    QCOMPARE(activity(ids.at(1)), QString());
    chats().select(ids.at(1));
    QCOMPARE(texts(), QStringList({"two", "You said: two"}));
}

// Whatever chat is looked at when its turn comes.
void RepliesTest::answersEachWithItsOwnPrompt() {
    QStringList first;
    connect(&replies(), &Replies::replyShown, this, [&] {
        const ChatTurn turn = fake_->lastTurns().first();
        const QString all = turn.role + QLatin1Char(' ') + turn.content;
        if (first.isEmpty() || first.last() != all) {
            first << all;
        }
    });
    fake_->pauseAfter(0);
    for (const char* prompt : {"One.", "Two.", ""}) {
        QCOMPARE(settings_->set("chat/system", QString::fromLatin1(prompt)), QString());
        chats().newConversation();
        QVERIFY(replies().send(QStringLiteral("q")));
    }
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(first, QStringList({"system One.", "system Two.", "user q"}));
}

void RepliesTest::stopsOnlyWhatIsShown() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("a long answer"))});
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("one")));
    const qint64 first = chats().currentId();
    QTRY_COMPARE(last().content.size(), 4);
    chats().newConversation();
    replies().stop();
    fake_->pauseAfter(-1);
    waitForAnswer();
    chats().select(first);
    QVERIFY(last().state == MessageState::Complete);
    QCOMPARE(last().content, QStringLiteral("a long answer"));
}

void RepliesTest::leavesTheQueue() {
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("one")));
    QList<qint64> ids;
    for (const char* text : {"two", "three"}) {
        chats().newConversation();
        QVERIFY(replies().send(QString::fromLatin1(text)));
        ids << chats().currentId();
    }
    replies().stop();
    QVERIFY(last().state == MessageState::Stopped);
    QVERIFY(store_->message(last().id)->state == MessageState::Stopped);
    QVERIFY(!replies().answeringHere() && replies().generating());
    chats().remove(ids.at(0));  // a deleted one does not wait either
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(fake_->generateCalls(), 1);
    chats().undoDelete();
    QVERIFY(last().state == MessageState::Stopped);
    QVERIFY(replies().regenerate(last().id));
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("You said: two"));
}

void RepliesTest::keepsTheQueueOverTheEnd_data() {
    QTest::addColumn<bool>("killed");
    QTest::addRow("closed") << false;
    QTest::addRow("killed") << true;
}

// As a question without an answer.
void RepliesTest::keepsTheQueueOverTheEnd() {
    QFETCH(bool, killed);
    fake_->pauseAfter(0);
    QVERIFY(replies().send(QStringLiteral("one")));
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("two")));
    const qint64 waiting = last().id;
    if (killed) {
        store_->close();  // what is written at the end does not arrive
    }
    app_.reset();
    start();
    QVERIFY(store_->message(waiting)->state == MessageState::Interrupted);
    chats().select(store_->conversationOf(waiting));
    QCOMPARE(texts(), QStringList({"two", ""}));
    QVERIFY(replies().regenerate(waiting));
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("You said: two"));
}

void RepliesTest::failsTheQueueWithTheModel() {
    start(false);
    fake_->setLoadDelayMs(50);
    fake_->setLoadError(QStringLiteral("The file is broken."));
    model().openPath(QStringLiteral("/models/broken.gguf"));
    QVERIFY(replies().send(QStringLiteral("one")));
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("two")));
    QVERIFY(last().state == MessageState::Waiting);
    const qint64 second = chats().currentId();
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("three")));
    waitForAnswer();
    for (const qint64 id : {chats().currentId(), second}) {
        chats().select(id);
        QVERIFY(last().state == MessageState::Failed);
        QVERIFY(!last().errorText.isEmpty());
        QVERIFY(store_->message(last().id)->state == MessageState::Failed);
        QVERIFY(!replies().answeringHere());
    }
    // A model that does open answers them.
    fake_->setLoadError({});
    model().openPath(QStringLiteral("/models/whole.gguf"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QVERIFY(replies().regenerate(last().id));
    waitForAnswer();
    QCOMPARE(texts(), QStringList({"two", "You said: two"}));
}

// The first of two is stopped while the model loads: the second waits on, and is answered.
void RepliesTest::theQueueWaitsForTheModelToo() {
    fake_->setLoadDelayMs(100);
    model().openPath(QStringLiteral("/models/other.gguf"));
    QVERIFY(replies().send(QStringLiteral("one")));
    const qint64 first = chats().currentId();
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("two")));
    const qint64 second = chats().currentId();
    chats().select(first);
    replies().stop();
    QVERIFY(last().state == MessageState::Stopped);
    QCOMPARE(model().state(), QStringLiteral("loading"));
    QVERIFY(replies().generating());
    QCOMPARE(replies().conversationId(), second);
    waitForAnswer();
    chats().select(second);
    QCOMPARE(texts(), QStringList({"two", "You said: two"}));
    QVERIFY(last().state == MessageState::Complete);
    QCOMPARE(fake_->generateCalls(), 1);
}

// A start that finds the disk full cannot mark it.
void RepliesTest::showsAnAnswerThatNobodyWritesAsCutOff() {
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    const qint64 id = chats().currentId();
    QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
    QVERIFY(
        query.exec(QStringLiteral("UPDATE messages SET state = 'generating'"
                                  " WHERE role = 'assistant'")));
    query.clear();
    chats().newConversation();
    chats().select(id);
    QVERIFY(last().state == MessageState::Interrupted);
    QCOMPARE(last().content, QStringLiteral("You said: q"));
    QVERIFY(replies().regenerate(last().id));
    waitForAnswer();
    QVERIFY(last().state == MessageState::Complete);
}

void RepliesTest::takesPiecesOfItsOwnAnswerOnly() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("12345678"))});
    fake_->pauseAfter(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    QTRY_COMPARE(last().content, QStringLiteral("1234"));
    emit fake_->pieces(999, QStringLiteral("of an answer that was stopped"));
    emit fake_->failed(999, QStringLiteral("likewise"));
    QVERIFY(last().state == MessageState::Generating);
    fake_->pauseAfter(-1);
    waitForAnswer();
    QCOMPARE(last().content, QStringLiteral("12345678"));
}

void RepliesTest::passesSamplingOn() {
    QVERIFY(replies().send(QStringLiteral("q")));
    QCOMPARE(fake_->lastSettings().temperature, 0.8);
    QCOMPARE(fake_->lastSettings().topK, 40);
    QCOMPARE(fake_->lastSettings().topP, 0.95);
    QCOMPARE(fake_->lastSettings().minP, 0.05);
    QCOMPARE(fake_->lastSettings().seed, 0U);
    waitForAnswer();
}

void RepliesTest::passesTheModelsSamplingOn() {
    const QString path = model().path();
    for (const auto& [key, text] : {std::pair{"sampling/preset", "own"},
                                    {"sampling/temp", "0.3"},
                                    {"sampling/top-k", "7"},
                                    {"sampling/max-tokens", "64"}}) {
        QCOMPARE(settings_->set(key, QString::fromLatin1(text), path), QString());
    }
    QVERIFY(replies().send(QStringLiteral("q")));
    QCOMPARE(fake_->lastSettings().temperature, 0.3);
    QCOMPARE(fake_->lastSettings().topK, 7);
    QCOMPARE(fake_->lastSettings().maxTokens, 64);
    waitForAnswer();
    model().openPath(QStringLiteral("/models/other.gguf"));
    QTRY_COMPARE(model().state(), QStringLiteral("ready"));
    QVERIFY(replies().send(QStringLiteral("q")));
    QCOMPARE(fake_->lastSettings().temperature, 0.8);
    QCOMPARE(fake_->lastSettings().maxTokens, -1);
    waitForAnswer();
}

// A conversation keeps what it began with: the same question gets the same answer later.
void RepliesTest::beginsWithTheSystemPrompt() {
    const auto first = [this] {
        const QList<ChatTurn> turns = fake_->lastTurns();
        return turns.first().role + QLatin1Char(' ') + turns.first().content;
    };
    QVERIFY(replies().send(QStringLiteral("plain")));
    waitForAnswer();
    QCOMPARE(first(), QStringLiteral("user plain"));
    const qint64 plain = chats().currentId();
    QVERIFY(settings_->set("chat/system", QStringLiteral("Be brief.")).isEmpty());
    QVERIFY(settings_->set("chat/system", QStringLiteral("Rhyme."), model().path()).isEmpty());
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(first(), QStringLiteral("system Rhyme."));
    QCOMPARE(fake_->lastTurns().size(), 2);
    QCOMPARE(chats().messages()->count(), 2);  // it is no message of the conversation
    settings_->reset("chat/system", model().path());
    QVERIFY(replies().regenerate(last().id));
    waitForAnswer();
    QCOMPARE(first(), QStringLiteral("system Rhyme."));
    const qint64 rhymes = chats().currentId();
    start();  // the next day
    chats().select(rhymes);
    QVERIFY(replies().send(QStringLiteral("more")));
    waitForAnswer();
    QCOMPARE(first(), QStringLiteral("system Rhyme."));
    chats().select(plain);
    QVERIFY(replies().send(QStringLiteral("more")));
    waitForAnswer();
    QCOMPARE(first(), QStringLiteral("user plain"));
    chats().newConversation();
    QVERIFY(replies().send(QStringLiteral("new")));
    waitForAnswer();
    QCOMPARE(first(), QStringLiteral("system Be brief."));
}

// The engine may keep what it remembers of a chat, and forgets it with the chat.
void RepliesTest::namesTheConversation() {
    fake_->setScripts({FakeInference::scriptFrom(QStringLiteral("Water."))});
    QStringList names;
    for (int chat = 0; chat < 2; ++chat) {
        chats().newConversation();
        for (int round = 0; round < 2; ++round) {
            QVERIFY(replies().send(QStringLiteral("What is rain?")));
            QTRY_VERIFY(!replies().generating());
            names.append(fake_->lastSettings().conversation);
        }
    }
    QVERIFY(!names[0].isEmpty() && names[0] == names[1]);
    QVERIFY(!names[2].isEmpty() && names[2] == names[3] && names[2] != names[0]);
    QVERIFY(fake_->forgotten().isEmpty());
    chats().remove(chats().currentId());
    QCOMPARE(fake_->forgotten(), QStringList{names[2]});
}

void RepliesTest::saysThatTheSettingsEndIt() {
    QVERIFY(settings_->set("sampling/max-tokens", QStringLiteral("3")).isEmpty());
    auto script = FakeInference::scriptFrom(QStringLiteral("It goes on"));
    script.summary.tokenCount = 3;
    script.summary.finish = GenerationSummary::Finish::Length;
    fake_->setScripts({script});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(fake_->lastSettings().maxTokens, 3);
    QVERIFY(notices().text().contains(QLatin1String("no more than 3 tokens")));
    settings_->reset("sampling/max-tokens");
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QVERIFY(notices().text().contains(QLatin1String("context")));
}

void RepliesTest::saysWhatHappenedMeanwhile() {
    auto script = FakeInference::scriptFrom(QStringLiteral("ok"));
    script.summary.droppedMessages = 1;
    auto changed = FakeInference::scriptFrom(QStringLiteral("ok"));
    changed.summary.notice = QStringLiteral("the card is gone");
    fake_->setScripts({script, changed});
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(notices().text(),
             QStringLiteral("The first message no longer fits into the model's context (1024 "
                            "tokens). The model has not seen it; it is still here."));
    QVERIFY(replies().send(QStringLiteral("q")));
    waitForAnswer();
    QCOMPARE(notices().text(),
             QStringLiteral("Something changed while this was written (the card is gone). The "
                            "answer is complete."));
}

void RepliesTest::closesWhileAnswering() {
    fake_->setScripts({FakeInference::scriptFrom(QString(4000, QLatin1Char('x')))});
    fake_->setPieceDelayMs(1);
    QVERIFY(replies().send(QStringLiteral("q")));
    QTRY_VERIFY(last().content.size() > 20);
    const qsizetype shown = last().content.size();
    const qint64 id = last().id;
    app_->close();
    QCOMPARE(store_->message(id)->content.size(), shown);
    QVERIFY(store_->message(id)->state == MessageState::Stopped);
}

QTEST_MAIN(RepliesTest)
#include "replies_test.moc"
