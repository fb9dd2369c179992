// A chat as JSON and as Markdown; JSON read again is the chat.
#include "exchange/chat_json.h"

#include <QJsonDocument>
#include <QtTest>

#include "exchange/chat_markdown.h"
#include "sample_chat.h"
#include "store/conversation_store.h"

using namespace hearth::ui;

class ChatJsonTest : public QObject {
    Q_OBJECT

private slots:
    void equalsItself();
    void equalsItselfFromStoreToStore();
    void keepsAttachedFiles();
    void mendsFilesThatCannotBe();
    void addsNothingBroken();
    void refusesOtherForms_data();
    void refusesOtherForms();
    void mendsPlacesThatCannotBe();
    void readsWellAsMarkdown();
};

void ChatJsonTest::equalsItself() {
    const ChatRecord chat = sampleChat();
    const auto back = chatFromJson(QJsonDocument::fromJson(chatToJson(chat)).object());
    QVERIFY(back);
    QVERIFY(*back == chat);
    ChatRecord other = chat;
    other.messages[1].model = QStringLiteral("Gamma");
    QVERIFY(!(other == chat));
}

// All that is on the disk of a chat: into a file, and into another store.
void ChatJsonTest::equalsItselfFromStoreToStore() {
    ConversationStore one, two;
    one.openInMemory();
    two.openInMemory();
    QVERIFY(one.add(sampleChat()));  // other ids than in an empty store
    const auto id = one.add(sampleChat());
    QVERIFY(id);
    const auto recorded = one.record(*id);
    QVERIFY(recorded && *recorded == sampleChat());
    const auto read = chatFromJson(QJsonDocument::fromJson(chatToJson(*recorded)).object());
    QVERIFY(read);
    const auto there = two.add(*read);
    QVERIFY(there);
    QVERIFY(*two.record(*there) == sampleChat());
    const QList<Message> path = two.activePath(*there);
    QCOMPARE(path.size(), 4);
    QCOMPARE(path.at(1).versionCount, 2);
    QCOMPARE(path.at(1).stats.model, QStringLiteral("Alpha"));
    QCOMPARE(path.at(3).stats.readsFrom, path.at(2).id);
    QCOMPARE(path.at(3).calls.size(), 2);
    QCOMPARE(path.at(3).calls.at(1).place, 7);
    QVERIFY(two.conversations().value(0).isPinned);
    QCOMPARE(two.systemPrompt(*there), sampleChat().instructions);
    QVERIFY(!two.record(*there + 5));
    ChatRecord earlier = sampleChat();
    earlier.shown = 2;  // a version that is not the latest
    const auto second = two.add(earlier);
    QVERIFY(second);
    QVERIFY(*two.record(*second) == earlier);
    QCOMPARE(two.activePath(*second).size(), 2);
}

void ChatJsonTest::keepsAttachedFiles() {
    const ChatRecord chat = sampleChatWithFiles(QStringLiteral("aa"), QStringLiteral("bb"));
    const auto read = chatFromJson(QJsonDocument::fromJson(chatToJson(chat)).object());
    QVERIFY(read && *read == chat);
    ConversationStore store;
    store.openInMemory();
    QVERIFY(store.add(chat));  // other ids than in an empty store
    const auto id = store.add(*read);
    QVERIFY(id && *store.record(*id) == chat);
    QCOMPARE(store.attachmentsIn(*id).size(), 3);
    QCOMPARE(store.usedPassages(*id).size(), 3);
    QCOMPARE(store.usedPassages(*id).at(1).attachmentId, store.attachmentsIn(*id).at(1).id);
    QVERIFY(chatToMarkdown(chat).contains(
        QString::fromUtf8("🌧\n\nAttached: note.txt\n\nAttached: Wetter & Klima.pdf\n\n")));
}

// Passages of files that are not there, files of answers, sizes below nothing.
void ChatJsonTest::mendsFilesThatCannotBe() {
    ChatRecord chat = sampleChatWithFiles(QStringLiteral("aa"), QStringLiteral("bb"));
    chat.messages[4].files = chat.messages[0].files;  // an answer
    chat.messages[4].passages = chat.messages[3].passages;
    chat.messages[3].passages = {{.message = 0, .file = 2},
                                 {.message = 9, .file = 0},
                                 {.message = -1, .file = 0},
                                 {.message = 0, .file = -1},
                                 {.message = 0, .file = 0, .passage = -1},
                                 {.message = 0, .file = 0, .passage = 2'147'483'647},
                                 {.message = 4, .file = 0},
                                 {.message = 0, .file = 1, .passage = 7, .page = 1}};
    chat.messages[0].files[0].bytes = -5;
    chat.messages[0].files[0].tokens = -5;
    chat.messages[0].files[0].name = QStringLiteral("a\n b\t") + QString(1000, QLatin1Char('x'));
    chat.messages[0].files[0].kind = QStringLiteral("exe");
    const auto read = chatFromJson(QJsonDocument::fromJson(chatToJson(chat)).object());
    QVERIFY(read);
    QVERIFY(read->messages.at(4).files.isEmpty());
    QVERIFY(read->messages.at(4).passages.isEmpty());
    QCOMPARE(read->messages.at(3).passages.size(), 1);
    QCOMPARE(read->messages.at(3).passages.first().passage, 7);
    const RecordedFile& file = read->messages.at(0).files.first();
    QCOMPARE(file.bytes, 0);
    QCOMPARE(file.tokens, 0);
    QCOMPARE(file.name.size(), 255);
    QVERIFY(file.name.startsWith(QLatin1String("a b xx")));
    QCOMPARE(file.kind, QStringLiteral("text"));
}

void ChatJsonTest::addsNothingBroken() {
    ConversationStore store;
    store.openInMemory();
    QVERIFY(!store.add({}));
    ChatRecord chat = sampleChat();
    chat.messages[0].state = MessageState::Generating;
    chat.messages[4].parent = 99;
    chat.messages[4].calls[0].state = CallRecord::State::Running;
    chat.messages[4].calls[1].place = 1000;
    chat.messages[3].calls = chat.messages[4].calls;  // no answer
    chat.shown = 77;
    const auto id = store.add(chat);
    QVERIFY(id);
    const auto back = store.record(*id);
    QVERIFY(back->messages.at(0).state == MessageState::Interrupted);
    QCOMPARE(back->messages.at(4).parent, 3);
    QCOMPARE(back->shown, 4);
    QVERIFY(back->messages.at(3).calls.isEmpty());
    QVERIFY(back->messages.at(4).calls.at(0).state == CallRecord::State::Interrupted);
    QCOMPARE(back->messages.at(4).calls.at(1).place, 7);
    QCOMPARE(store.conversations().size(), 1);
}

void ChatJsonTest::refusesOtherForms_data() {
    QTest::addColumn<QByteArray>("json");
    QTest::newRow("empty") << QByteArray("{}");
    QTest::newRow("another") << QByteArray(R"({"form": "x", "version": 1, "messages": [{}]})");
    QTest::newRow("later") << QByteArray(
        R"({"form": "hearth-chat", "version": 2, "messages": [{}]})");
    QTest::newRow("no version") << QByteArray(R"({"form": "hearth-chat", "messages": [{}]})");
    QTest::newRow("no message") << QByteArray(
        R"({"form": "hearth-chat", "version": 1, "messages": []})");
}

void ChatJsonTest::refusesOtherForms() {
    QFETCH(QByteArray, json);
    QVERIFY(!chatFromJson(QJsonDocument::fromJson(json).object()));
}

void ChatJsonTest::mendsPlacesThatCannotBe() {
    const auto chat = chatFromJson(QJsonDocument::fromJson(R"({"form": "hearth-chat", "version": 1,
        "shown": -7, "messages": [{"parent": 5, "reads_from": 9, "state": "generating"},
                                  {"parent": -3, "role": "assistant", "content": "a"},
                                  {"parent": 2, "role": "tool"}]})")
                                       .object());
    QVERIFY(chat);
    QCOMPARE(chat->shown, 2);
    QCOMPARE(chat->messages.at(0).parent, -1);
    QCOMPARE(chat->messages.at(0).readsFrom, -1);
    QVERIFY(chat->messages.at(0).state != MessageState::Generating);
    QCOMPARE(chat->messages.at(1).parent, -1);
    QCOMPARE(chat->messages.at(2).parent, 1);
    QVERIFY(chat->messages.at(2).role == MessageRole::User);
}

void ChatJsonTest::readsWellAsMarkdown() {
    QCOMPARE(
        chatToMarkdown(sampleChat()),
        QString::fromUtf8("# Rain & “snow” 雪\n\nProject: Weather “at home”\n\n## "
                          "Instructions\n\nBe brief.\n\"Always\".\n\n"
                          "## You\n\nWhat is *rain*?\n\t\\ \"é\" 🌧\n\n## Alpha\n\nWater.\n\n"
                          "## You\n\nAnd snow?\n\n## Beta\n\nFrozen.\n"));
}

QTEST_MAIN(ChatJsonTest)
#include "chat_json_test.moc"
