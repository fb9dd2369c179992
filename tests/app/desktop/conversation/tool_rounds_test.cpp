// The calls of an answer: asked about, made, written, and told to the model.
#include "conversation/tool_rounds.h"

#include <QtTest>

#include "app/desktop/app_fixture.h"

using namespace hearth::ui;
using State = CallRecord::State;

namespace {

FakeInference::Script calling(const QString& text, const QList<ModelCall>& calls) {
    FakeInference::Script script = FakeInference::scriptFrom(text);
    script.summary.calls = calls;
    return script;
}

ModelCall calculation(const char* id, const char* expression) {
    return {id, "calculate", "{\"expression\":\"" + QByteArray(expression) + "\"}"};
}

}  // namespace

class ToolRoundsTest : public QObject, AppFixture {
    Q_OBJECT

    ToolRounds& rounds() { return *app_->rounds(); }
    QList<CallRecord> calls() { return last().calls; }
    QStringList roles() {
        QStringList all;
        for (const ChatTurn& turn : fake_->lastTurns()) {
            all << turn.role;
        }
        return all;
    }
    void askAndWait(const QString& question = "What is 6 * 7?") {
        QVERIFY(replies().send(question));
        QTRY_VERIFY(rounds().asking());
    }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        begin();
        app_->tools()->setBuiltInOn("calculate", true);
    }
    void cleanup() { end(); }

    void offersOnlyWhatIsOn() {
        QVERIFY(replies().send("Hi"));
        waitForAnswer();
        QCOMPARE(fake_->lastSettings().tools.size(), 1);
        QCOMPARE(fake_->lastSettings().tools.at(0).name, QString("calculate"));
        app_->tools()->setBuiltInOn("calculate", false);
        QVERIFY(replies().send("Hi"));
        waitForAnswer();
        QCOMPARE(fake_->lastSettings().tools.size(), 0);
    }

    void asksCallsAndGoesOn() {
        fake_->setScripts({calling("Let me see.", {calculation("c1", "6*7")}),
                           FakeInference::scriptFrom("<think>42!</think>It is 42.")});
        askAndWait();
        QCOMPARE(rounds().tool(), QString("calculate"));
        QCOMPARE(rounds().source(), QString("Hearth"));
        QVERIFY(rounds().arguments().contains("\"expression\": \"6*7\""));
        QVERIFY(calls().at(0).state == State::Asked);
        QVERIFY(last().state == MessageState::Generating);
        QCOMPARE(fake_->generateCalls(), 1);
        // On the disk before anything is called.
        QCOMPARE(store_->activePath(chats().currentId()).last().calls.at(0).arguments,
                 QString("{\"expression\":\"6*7\"}"));

        rounds().allowOnce();
        QVERIFY(!rounds().asking());
        waitForAnswer();
        QCOMPARE(last().content, QString("Let me see.\n\nIt is 42."));
        QVERIFY(last().state == MessageState::Complete);
        QVERIFY(calls().at(0).state == State::Done);
        QCOMPARE(calls().at(0).result, QString("42"));
        QCOMPARE(calls().at(0).thought, QString("42!"));
        QCOMPARE(roles(), QStringList({"user", "assistant", "tool"}));
        QCOMPARE(fake_->lastTurns().at(1).content, QString("Let me see."));
        QCOMPARE(fake_->lastTurns().at(1).calls.at(0).id, QString("c1"));
        QCOMPARE(fake_->lastTurns().at(2).content, QString("42"));
        QCOMPARE(fake_->lastTurns().at(2).callId, QString("c1"));

        // An answer that goes on keeps them, and its text follows as it is.
        rounds().begin(chats().currentId(), last().id);
        QCOMPARE(rounds().calls().size(), 1);
        QCOMPARE(rounds().offer(true).size(), 1);
        QCOMPARE(rounds().take(" And"), QString(" And"));
        QVERIFY(rounds().makeCalls({calculation("c2", "1+1")}, 9));
        QCOMPARE(rounds().calls().at(1).round, 1);
        rounds().end();

        // The next question tells the model of it once more, also after a start.
        fake_->setScripts({FakeInference::scriptFrom("Yes.")});
        start();
        chats().select(store_->conversations().value(0).id);
        QVERIFY(calls().at(0) == store_->activePath(chats().currentId()).last().calls.at(0));
        QVERIFY(replies().send("Sure?"));
        waitForAnswer();
        QCOMPARE(roles(), QStringList({"user", "assistant", "tool", "assistant", "tool",
                                       "assistant", "user"}));
        QVERIFY(fake_->lastTurns().at(5).content.endsWith("It is 42."));
    }

    void asksAgainForTheSecondCall() {
        fake_->setScripts({calling("", {calculation("c1", "1+1"), calculation("c2", "2+2")}),
                           FakeInference::scriptFrom("Done.")});
        askAndWait();
        rounds().allowOnce();
        QTRY_VERIFY(rounds().asking());
        QVERIFY(rounds().arguments().contains("2+2"));
        QCOMPARE(calls().at(0).result, QString("2"));
        QVERIFY(calls().at(1).state == State::Asked);
        rounds().refuse();
        waitForAnswer();
        QVERIFY(calls().at(1).state == State::Refused);
        QCOMPARE(roles(), QStringList({"user", "assistant", "tool", "tool"}));
        QCOMPARE(fake_->lastTurns().at(3).content, QString("The user refused this call."));
        QCOMPARE(last().content, QString("Done."));
    }

    void alwaysHoldsInThisChatAlone() {
        const auto scripts = [this] {
            fake_->setScripts(
                {calling("", {calculation("c1", "1+1")}), FakeInference::scriptFrom("Two.")});
        };
        scripts();
        askAndWait();
        QCOMPARE(rounds().always(), QString("calculate"));
        rounds().allowAlways();
        waitForAnswer();
        QCOMPARE(app_->chatTools()->allowedCount(), 1);
        scripts();
        QVERIFY(replies().send("Again?"));
        waitForAnswer();  // without a question
        QVERIFY(calls().at(0).state == State::Done);
        start();
        chats().select(store_->conversations().value(0).id);
        scripts();
        QVERIFY(replies().send("After a start?"));
        waitForAnswer();

        chats().newConversation();
        scripts();
        askAndWait();
        replies().stop();
        chats().select(store_->conversations().last().id);
        app_->chatTools()->askAgain();
        QCOMPARE(app_->chatTools()->allowedCount(), 0);
        scripts();
        askAndWait();
        rounds().refuse();
        waitForAnswer();
    }

    void stopsWhileItAsks() {
        fake_->setScripts({calling("Hm.", {calculation("c1", "1+1"), calculation("c2", "2+2")}),
                           FakeInference::scriptFrom("no")});
        askAndWait();
        replies().stop();
        QVERIFY(!rounds().asking() && !replies().generating());
        QVERIFY(last().state == MessageState::Stopped);
        QVERIFY(calls().at(0).state == State::Interrupted);
        QVERIFY(calls().at(1).state == State::Interrupted);
        rounds().allowOnce();  // too late
        QTest::qWait(0);
        QCOMPARE(fake_->generateCalls(), 1);
        QCOMPARE(last().content, QString("Hm."));
        fake_->setScripts({FakeInference::scriptFrom("Next.")});
        QVERIFY(replies().send("And now?"));
        waitForAnswer();
        QCOMPARE(last().content, QString("Next."));
        QCOMPARE(roles(), QStringList({"user", "assistant", "tool", "tool", "user"}));
    }

    void anEndedProgramInterruptsTheCall() {
        fake_->setScripts({calling("Hm.", {calculation("c1", "1+1")})});
        askAndWait();
        const qint64 id = chats().currentId();
        // As if it were killed: nothing of the end reaches the disk.
        const QList<Message> onDisk = store_->activePath(id);
        QVERIFY(onDisk.last().calls.at(0).state == State::Asked);
        QCOMPARE(onDisk.last().content, QString("Hm."));
        start();
        QVERIFY(store_->activePath(id).last().calls.at(0).state == State::Interrupted);
    }

    void aToolThatIsNotThereFailsWithoutAQuestion() {
        fake_->setScripts(
            {calling("", {{"c1", "delete_all", "{}"}}), FakeInference::scriptFrom("Oh.")});
        QVERIFY(replies().send("Go"));
        waitForAnswer();
        QVERIFY(calls().at(0).state == State::Failed);
        QCOMPARE(fake_->lastTurns().last().content, QString("There is no such tool."));
    }

    void anAnswerHasALimitOfCalls() {
        QList<ModelCall> many;
        for (int i = 0; i < ToolRounds::kMostCalls + 2; ++i) {
            many.append(calculation(qPrintable(QString("c%1").arg(i)), "1+1"));
        }
        fake_->setScripts({calling("", {calculation("c", "1+1")}), calling("", many),
                           FakeInference::scriptFrom("Enough.")});
        askAndWait();
        rounds().allowAlways();
        waitForAnswer();
        QCOMPARE(last().content, QString("Enough."));
        QCOMPARE(calls().size(), ToolRounds::kMostCalls + 3);
        QVERIFY(calls().at(ToolRounds::kMostCalls - 1).state == State::Done);
        QVERIFY(calls().at(ToolRounds::kMostCalls).state == State::Refused);
        QCOMPARE(fake_->lastSettings().tools.size(), 0);
    }

    void nothingIsCalledThatTheDiskRefuses() {
        fake_->setScripts({calling("", {calculation("c1", "1+1")})});
        fake_->pauseAfter(0);
        QVERIFY(replies().send("Go"));
        fillDisk(true);
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        QVERIFY(
            query.exec("CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.tool_calls BEGIN"
                       " SELECT raise(ABORT, 'full'); END"));
        fake_->pauseAfter(-1);
        waitForAnswer();
        QVERIFY(last().state == MessageState::Failed);
        QVERIFY(last().errorText.startsWith("The calls of tools could not be saved"));
        QVERIFY(!rounds().asking() && calls().isEmpty());
    }

    void aNewChatKeepsItsFolder() {
        QTemporaryDir folder;
        QFile file(folder.filePath("a.txt"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("hello\n");
        file.close();
        app_->tools()->setBuiltInOn("read_file", true);
        app_->chatTools()->setFolder(folder.path());
        fake_->setScripts({calling("", {{"c1", "read_file", R"({"path":"a.txt"})"}}),
                           FakeInference::scriptFrom("It says hello.")});
        askAndWait();
        QCOMPARE(fake_->lastSettings().tools.size(), 2);
        rounds().allowOnce();
        waitForAnswer();
        QCOMPARE(calls().at(0).result, QString("hello\n"));
        QCOMPARE(app_->chatTools()->folder(), folder.path());
        chats().newConversation();
        QCOMPARE(app_->chatTools()->folder(), QString());
        QVERIFY(replies().send("Hi"));
        waitForAnswer();
        QCOMPARE(fake_->lastSettings().tools.size(), 1);  // reading needs a folder
    }

    void asksInTheChatOfTheAnswerOnly() {
        fake_->setScripts(
            {calling("", {calculation("c1", "1+1")}), FakeInference::scriptFrom("Two.")});
        askAndWait();
        const qint64 id = chats().currentId();
        chats().newConversation();
        QVERIFY(!rounds().asking());
        chats().select(id);
        QVERIFY(rounds().asking());
        rounds().allowOnce();
        waitForAnswer();
        QCOMPARE(last().content, QString("Two."));
    }
};

QTEST_MAIN(ToolRoundsTest)
#include "tool_rounds_test.moc"
