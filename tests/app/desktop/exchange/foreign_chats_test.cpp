// Chats of four other programs, from files made by hand after what is published of their formats.
#include "exchange/foreign_chats.h"

#include <QDataStream>
#include <QJsonDocument>
#include <QUrl>
#include <QtTest>

using namespace hearth::ui;

namespace {

QJsonObject json(const char* text) {
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (error.error != QJsonParseError::NoError) {
        qWarning("%s at %d", qPrintable(error.errorString()), error.offset);
    }
    return document.object();
}

// "0<-1 assistant Alpha: text", a line a message.
QStringList lines(const ChatRecord& chat) {
    QStringList out;
    for (int i = 0; i < chat.messages.size(); ++i) {
        const RecordedMessage& message = chat.messages.at(i);
        out << QStringLiteral("%1<%2 %3%4: %5")
                   .arg(i)
                   .arg(message.parent)
                   .arg(toString(message.role),
                        message.model.isEmpty() ? QString() : QLatin1Char(' ') + message.model,
                        message.content);
    }
    return out;
}

const char* const kChatGpt = R"json({
  "title": "Tides", "create_time": 1700000000.5, "update_time": 1700000200.25,
  "current_node": "a2", "is_starred": true,
  "mapping": {
    "root": {"id": "root", "message": null, "parent": null, "children": ["sys"]},
    "sys": {"id": "sys", "parent": "root", "children": ["q1"], "message":
      {"author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}}},
    "q1": {"id": "q1", "parent": "sys", "children": ["a1", "a2"], "message":
      {"author": {"role": "user"}, "create_time": 1700000001.0,
       "content": {"content_type": "multimodal_text",
                   "parts": [{"content_type": "image_asset_pointer"}, "Why tides?"]}}},
    "a1": {"id": "a1", "parent": "q1", "children": ["q2"], "message":
      {"author": {"role": "assistant"}, "create_time": 1700000100.0,
       "metadata": {"model_slug": "gpt-x"},
       "content": {"content_type": "text", "parts": ["The moon."]}}},
    "q2": {"id": "q2", "parent": "a1", "children": ["call"], "message":
      {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["Show it."]}}},
    "call": {"id": "call", "parent": "q2", "children": ["result"], "message":
      {"author": {"role": "assistant"}, "metadata": {"model_slug": "gpt-x"},
       "content": {"content_type": "code", "language": "python", "text": "print(1)"}}},
    "result": {"id": "result", "parent": "call", "children": ["after"], "message":
      {"author": {"role": "tool"}, "content": {"content_type": "execution_output", "text": "1"}}},
    "after": {"id": "after", "parent": "result", "children": [], "message":
      {"author": {"role": "assistant"}, "content": {"content_type": "text", "parts": ["Done."]}}},
    "a2": {"id": "a2", "parent": "q1", "children": [], "message":
      {"author": {"role": "assistant"}, "metadata": {"model_slug": "gpt-y"},
       "content": {"content_type": "text", "parts": ["Gravity.", "Mostly."]}}}
  }})json";

const char* const kLmStudio = R"({
  "name": "Names", "pinned": true, "createdAt": 1700000000000, "tokenCount": 9,
  "userLastMessagedAt": 1700000005000, "assistantLastMessagedAt": 1700000009000,
  "systemPrompt": "old", "perChatPredictionConfig": {"fields": [
     {"key": "llm.prediction.temperature", "value": 0.1},
     {"key": "llm.prediction.systemPrompt", "value": "Be kind."}]},
  "messages": [
    {"currentlySelected": 0, "versions": [{"type": "singleStep", "role": "user",
       "content": [{"type": "text", "text": "Hi"}, {"type": "file", "name": "x"},
                   {"type": "text", "text": "there"}]}]},
    {"currentlySelected": 1, "versions": [
       {"type": "multiStep", "role": "assistant", "senderInfo": {"senderName": "qwen"},
        "steps": [{"type": "contentBlock", "content": [{"type": "text", "text": "First."}],
                   "genInfo": {"identifier": "other", "stats": {"predictedTokensCount": 3,
                      "tokensPerSecond": 20.5, "timeToFirstTokenSec": 0.25,
                      "stopReason": "userStopped"}}}]},
       {"type": "multiStep", "role": "assistant",
        "steps": [{"type": "contentBlock", "style": {"type": "thinking"},
                   "content": [{"type": "text", "text": "Hm."}]},
                  {"type": "debugInfoBlock", "debugInfo": "x"},
                  {"type": "contentBlock", "content": [{"type": "text", "text": "Second."}],
                   "genInfo": {"identifier": "gemma", "stats": {"predictedTokensCount": 4,
                      "stopReason": "maxPredictedTokensReached"}}}]}]},
    {"currentlySelected": 0, "versions": [{"type": "singleStep", "role": "user",
       "content": [{"type": "text", "text": "More"}]}]}
  ]})";

const char* const kJanThread = R"({"id": "1", "object": "thread", "title": "Jan's",
  "created": 1700000000, "updated": 1700000300000, "assistants": [{"assistant_name": "Jan",
  "instructions": "Be short.", "model": {"id": "llama3"}}]})";
const char* const kJanLines =
    "{\"object\":\"thread.message\",\"role\":\"assistant\",\"status\":\"stopped\","
    "\"created_at\":1700000020,\"content\":[{\"type\":\"reasoning\",\"text\":{\"value\":\"Hm\"}},"
    "{\"type\":\"text\",\"text\":{\"value\":\"Yes.\",\"annotations\":[]}}]}\n"
    "not json\n\n"
    "{\"object\":\"thread.message\",\"role\":\"user\",\"status\":\"ready\","
    "\"created_at\":1700000010,\"content\":[{\"type\":\"text\",\"text\":{\"value\":\"Is it?\"}},"
    "{\"type\":\"image_url\"}]}\n";

QByteArray gpt4All(qint32 version, int calls = 0) {
    QByteArray bytes;
    QDataStream stream(&bytes, QIODevice::WriteOnly);
    stream << quint32(0xF5D553CC) << version;
    stream.setVersion(QDataStream::Qt_6_2);
    stream << qint64(1'700'000'000) << QStringLiteral("id") << QStringLiteral("Llamas")
           << QStringLiteral("user") << QStringLiteral("model.gguf")
           << QStringList{QStringLiteral("Documents")};
    stream << qint32(3);
    int id = 0;
    const auto item = [&](const char* name, const char* value, bool stopped, bool isLast) {
        if (version < 12) {
            stream << qint32(++id);
        }
        const bool isAnswer = QByteArray(name) == "Response: ";
        stream << QString::fromLatin1(name) << QString::fromUtf8(value) << QString() << false
               << stopped << false << false;
        if (isAnswer) {
            stream << false;
        }
        const qint64 sources = isAnswer ? 0 : 1;
        stream << sources;
        for (int i = 0; i < sources; ++i) {
            for (int field = 0; field < 7; ++field) {
                stream << QStringLiteral("field");
            }
            stream << qint32(1) << qint32(2) << qint32(3);
        }
        stream << qint64(isAnswer ? 0 : 1);
        if (!isAnswer) {
            stream << QUrl(QStringLiteral("file:///a.txt")) << QByteArray("content");
        }
        if (version >= 12) {
            stream << qint64(isLast ? calls : 0);
        }
    };
    item("System: ", "Be a llama.", false, false);
    item("Prompt: ", "Hum?", false, false);
    item("Response: ", "Hum.", true, true);
    return bytes;
}

}  // namespace

class ForeignChatsTest : public QObject {
    Q_OBJECT

private slots:
    void readsChatGpt();
    void readsBrokenTreesOfChatGpt();
    void readsLmStudio();
    void readsJan();
    void readsGpt4All_data();
    void readsGpt4All();
    void refusesGpt4AllThatItDoesNotKnow();
    void refusesOthersFiles();
};

void ForeignChatsTest::readsChatGpt() {
    const auto chat = chatFromChatGpt(json(kChatGpt));
    QVERIFY(chat);
    QCOMPARE(chat->title, QStringLiteral("Tides"));
    QCOMPARE(chat->createdMs, 1'700'000'000'500);
    QCOMPARE(chat->updatedMs, 1'700'000'200'250);
    QVERIFY(chat->isPinned);
    QCOMPARE(lines(*chat), QStringList({"0<-1 user: Why tides?", "1<0 assistant gpt-x: The moon.",
                                        "2<1 user: Show it.",
                                        "3<2 assistant gpt-x: ```python\nprint(1)\n```\n\nDone.",
                                        "4<0 assistant gpt-y: Gravity.\n\nMostly."}));
    QCOMPARE(chat->shown, 4);
    QCOMPARE(chat->messages.at(0).createdMs, 1'700'000'001'000);
    QCOMPARE(chat->messages.at(2).createdMs, chat->createdMs);  // it has none of its own
}

void ForeignChatsTest::readsBrokenTreesOfChatGpt() {
    // Nodes in a circle, a child that is not there, the same child twice, a node without a parent.
    const auto chat = chatFromChatGpt(json(R"({"current_node": "nowhere", "mapping": {
        "a": {"parent": "gone", "children": ["b", "b", "none"], "message": {"author": {"role":
          "user"}, "content": {"content_type": "text", "parts": ["first", 7, null]}}},
        "b": {"parent": "a", "children": ["a", "b"], "message": {"author": {"role": "assistant"},
          "content": {"content_type": "text", "parts": ["second"]}}},
        "c": {"parent": "d", "children": ["d"]}, "d": {"parent": "c", "children": ["c"]}}})"));
    QVERIFY(chat);
    QCOMPARE(lines(*chat), QStringList({"0<-1 user: first", "1<0 assistant: second"}));
    QCOMPARE(chat->shown, 1);
    QCOMPARE(chat->title, QStringLiteral("first"));
    QVERIFY(!chatFromChatGpt(json(R"({"mapping": {}})")));
    QVERIFY(!chatFromChatGpt(json(R"({"mapping": []})")));
    QVERIFY(!chatFromChatGpt(json(R"({"mapping": {"a": 1, "b": null}})")));
    // As deep as it is long.
    QByteArray deep = R"({"mapping": {"0": {"children": ["1"]})";
    for (int i = 1; i < 20'000; ++i) {
        deep += QStringLiteral(R"(, "%1": {"parent": "%2", "children": ["%3"], "message": {"author":
            {"role": "%4"}, "content": {"parts": ["%1"]}}})")
                    .arg(i)
                    .arg(i - 1)
                    .arg(i + 1)
                    .arg(i % 2 == 0 ? QStringLiteral("assistant") : QStringLiteral("user"))
                    .toUtf8();
    }
    const auto long_chat = chatFromChatGpt(json(deep + "}}"));
    QVERIFY(long_chat);
    QCOMPARE(long_chat->messages.size(), 19'999);
    QCOMPARE(long_chat->messages.last().parent, 19'997);
}

void ForeignChatsTest::readsLmStudio() {
    const auto chat = chatFromLmStudio(json(kLmStudio));
    QVERIFY(chat);
    QCOMPARE(chat->title, QStringLiteral("Names"));
    QVERIFY(chat->isPinned);
    QCOMPARE(chat->instructions, QStringLiteral("Be kind."));
    QCOMPARE(chat->createdMs, 1'700'000'000'000);
    QCOMPARE(chat->updatedMs, 1'700'000'009'000);
    QCOMPARE(lines(*chat), QStringList({"0<-1 user: Hi\nthere", "1<0 assistant qwen: First.",
                                        "2<0 assistant gemma: <think>\nHm.\n</think>\n\nSecond.",
                                        "3<2 user: More"}));
    QCOMPARE(chat->shown, 3);
    QVERIFY(chat->messages.at(1).state == MessageState::Stopped);
    QCOMPARE(chat->messages.at(1).tokenCount, 3);
    QCOMPARE(chat->messages.at(1).tokensPerSecond, 20.5);
    QCOMPARE(chat->messages.at(1).firstTokenMs, 250.0);
    QVERIFY(chat->messages.at(2).isCut && !chat->messages.at(1).isCut);
    // A choice that is not there leaves the path whole.
    const auto odd = chatFromLmStudio(json(R"({"messages": [{"currentlySelected": 9, "versions":
        [{"role": "user", "content": "a"}, {"role": "user", "content": ""}]}, {"versions": [
        {"role": "assistant", "content": "b"}]}]})"));
    QVERIFY(odd);
    QCOMPARE(lines(*odd), QStringList({"0<-1 user: a", "1<0 assistant: b"}));
}

void ForeignChatsTest::readsJan() {
    const auto chat = chatFromJan(json(kJanThread), kJanLines);
    QVERIFY(chat);
    QCOMPARE(chat->title, QStringLiteral("Jan's"));
    QCOMPARE(chat->instructions, QStringLiteral("Be short."));
    QCOMPARE(chat->createdMs, 1'700'000'000'000);
    QCOMPARE(chat->updatedMs, 1'700'000'300'000);
    QCOMPARE(lines(*chat), QStringList({"0<-1 user: Is it?",
                                        "1<0 assistant llama3: <think>\nHm\n</think>\n\nYes."}));
    QVERIFY(chat->messages.at(1).state == MessageState::Stopped);
    QCOMPARE(chat->messages.at(1).createdMs, 1'700'000'020'000);
    // Lines alone are a chat, too; lines of somebody else are none.
    const auto alone = chatFromJan({}, kJanLines);
    QVERIFY(alone);
    QCOMPARE(alone->title, QStringLiteral("Is it?"));
    QVERIFY(!chatFromJan({}, "{\"role\":\"user\",\"content\":\"x\"}\n"));
    QVERIFY(!chatFromJan(json(kJanThread), {}));
}

void ForeignChatsTest::readsGpt4All_data() {
    QTest::addColumn<int>("version");
    QTest::newRow("11") << 11;
    QTest::newRow("12") << 12;
}

void ForeignChatsTest::readsGpt4All() {
    QFETCH(int, version);
    const QByteArray bytes = gpt4All(version);
    QVERIFY(isGpt4All(bytes));
    const auto chat = chatFromGpt4All(bytes);
    QVERIFY(chat);
    QCOMPARE(chat->title, QStringLiteral("Llamas"));
    QCOMPARE(chat->instructions, QStringLiteral("Be a llama."));
    QCOMPARE(chat->createdMs, 1'700'000'000'000);
    QCOMPARE(lines(*chat), QStringList({"0<-1 user: Hum?", "1<0 assistant model.gguf: Hum."}));
    QVERIFY(chat->messages.at(1).state == MessageState::Stopped);
    for (qsizetype size = 0; size < bytes.size(); ++size) {
        QVERIFY(!chatFromGpt4All(bytes.left(size)));  // cut anywhere
    }
}

void ForeignChatsTest::refusesGpt4AllThatItDoesNotKnow() {
    QVERIFY(!chatFromGpt4All(gpt4All(10)));
    QVERIFY(!chatFromGpt4All(gpt4All(13)));
    QVERIFY(!chatFromGpt4All(gpt4All(12, 1)));  // a call of a tool
    QVERIFY(!isGpt4All("{}"));
    QVERIFY(!isGpt4All({}));
    // Counts that claim more than there is.
    QByteArray bytes = gpt4All(12);
    for (qsizetype at = 8; at + 4 <= bytes.size(); ++at) {
        QByteArray huge = bytes;
        huge.replace(at, 4, QByteArray::fromHex("7fffffff"));
        chatFromGpt4All(huge);  // ends, and takes no memory
    }
}

void ForeignChatsTest::refusesOthersFiles() {
    for (const char* other : {"{}", "{\"messages\": []}", "{\"messages\": [1]}",
                              "{\"messages\": [{\"versions\": []}]}"}) {
        QVERIFY(!chatFromChatGpt(json(other)));
        QVERIFY(!chatFromLmStudio(json(other)));
        QVERIFY(!chatFromJan(json(other), {}));
    }
    QVERIFY(!chatFromLmStudio(json(kChatGpt)));
    QVERIFY(!chatFromChatGpt(json(kLmStudio)));
}

QTEST_MAIN(ForeignChatsTest)
#include "foreign_chats_test.moc"
