// Files of chats: each program's, lists of them, archives, and what is none of these.
#include "exchange/chat_files.h"

#include <zip.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "exchange/chat_json.h"
#include "sample_chat.h"

using namespace hearth::ui;

class ChatFilesTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
    }
    void readsListsAndSingleChats();
    void readsWhatIsWholeOfABrokenList();
    void readsJansFolder();
    void writesAnArchiveThatComesBack();
    void readsTheArchiveOfAnExport();
    void saysWhyThereIsNone_data();
    void saysWhyThereIsNone();
    void refusesDamagedArchives();
    void neverOverwrites();
    void stopsWhenAsked();

private:
    QString write(const QString& name, const QByteArray& bytes) const {
        const QString path = folder_->filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
            qWarning("cannot write");
        }
        return path;
    }
    static QByteArray chatGpt(const char* text) {
        return QByteArray(
                   "{\"title\": \"T\", \"mapping\": {\"a\": {\"message\": {\"author\": "
                   "{\"role\": \"user\"}, \"content\": {\"parts\": [\"") +
               text + "\"]}}}}}";
    }
    QString zipOf(const QList<std::pair<QByteArray, QByteArray>>& entries) const {
        const QString path = folder_->filePath(QStringLiteral("a.zip"));
        QFile::remove(path);
        zip_t* archive = zip_open(QFile::encodeName(path).constData(), ZIP_CREATE, nullptr);
        for (const auto& [name, bytes] : entries) {
            zip_source_t* source = zip_source_buffer(archive, bytes.constData(),
                                                     static_cast<zip_uint64_t>(bytes.size()), 0);
            zip_file_add(archive, name.constData(), source, 0);
        }
        zip_close(archive);
        return path;
    }

    std::unique_ptr<QTemporaryDir> folder_;
    std::atomic<bool> goesOn_ = false;
};

void ChatFilesTest::readsListsAndSingleChats() {
    const QByteArray own = chatToJson(sampleChat());
    QCOMPARE(readChats(own).chats.size(), 1);
    QVERIFY(readChats(own).chats.first() == sampleChat());
    const ChatsRead list =
        readChats("[" + own + ",\n" + chatGpt("a ] \\\" , [ b") + ", " + own + "]");
    QCOMPARE(list.chats.size(), 3);
    QCOMPARE(list.refused, 0);
    QVERIFY(list.trouble.isEmpty());
    QCOMPARE(list.chats.at(1).messages.at(0).content, QStringLiteral("a ] \" , [ b"));
    QVERIFY(list.chats.at(2) == sampleChat());
}

void ChatFilesTest::readsWhatIsWholeOfABrokenList() {
    const QByteArray own = chatToJson(sampleChat());
    const ChatsRead read = readChats("[" + own + ", {\"other\": 1}, " + own + ", " + own.left(200));
    QCOMPARE(read.chats.size(), 2);
    QCOMPARE(read.refused, 1);
}

void ChatFilesTest::readsJansFolder() {
    const QByteArray thread = R"({"object": "thread", "title": "Jan", "assistants": []})";
    const QByteArray lines =
        R"({"object": "thread.message", "role": "user", "content": [{"type": "text",)"
        R"( "text": {"value": "x"}}]})";
    const QString one = write(QStringLiteral("thread.json"), thread);
    const QString two = write(QStringLiteral("messages.jsonl"), lines);
    for (const QString& path : {one, two}) {
        const ChatsRead read = readChatFile(path, goesOn_);
        QCOMPARE(read.chats.size(), 1);
        QCOMPARE(read.chats.first().title, QStringLiteral("Jan"));
        QCOMPARE(read.chats.first().messages.size(), 1);
    }
    QVERIFY(QFile::remove(one));
    QCOMPARE(readChatFile(two, goesOn_).chats.first().title, QStringLiteral("x"));
}

void ChatFilesTest::writesAnArchiveThatComesBack() {
    QList<ChatRecord> chats{sampleChat(), sampleChat(), sampleChat()};
    chats[1].title = QStringLiteral("Second / \\ .. title");
    chats[2].messages[0].content = QString(300'000, QLatin1Char('x'));
    const QString path = folder_->filePath(QStringLiteral("all.zip"));
    int at = 0;
    QCOMPARE(writeChatArchive(
                 path,
                 [&]() -> std::optional<ChatRecord> {
                     return at < chats.size() ? std::optional(chats.at(at++)) : std::nullopt;
                 },
                 goesOn_),
             QString());
    const ChatsRead read = readChatFile(path, goesOn_);
    QVERIFY(read.trouble.isEmpty());
    QCOMPARE(read.refused, 0);
    QCOMPARE(read.chats.size(), 3);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(read.chats.at(i) == chats.at(i));
    }
}

// An archive as ChatGPT sends it: other files are beside the list.
void ChatFilesTest::readsTheArchiveOfAnExport() {
    const QString path =
        zipOf({{"user.json", "{\"id\": 1}"},
               {"chat.html", "<html>"},
               {"conversations.json", "[" + chatGpt("a") + "," + chatGpt("b") + "]"},
               {"message_feedback.json", "[{\"id\": 2}]"}});
    const ChatsRead read = readChatFile(path, goesOn_);
    QCOMPARE(read.chats.size(), 2);
    QCOMPARE(read.refused, 0);
    QCOMPARE(read.chats.at(1).messages.at(0).content, QStringLiteral("b"));
}

void ChatFilesTest::saysWhyThereIsNone_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("why");
    const QString none = QStringLiteral("There is no chat in it that Hearth can read.");
    QTest::newRow("empty") << QByteArray() << none;
    QTest::newRow("text") << QByteArray("hello") << none;
    QTest::newRow("other JSON") << QByteArray("{\"a\": [1, 2]}") << none;
    QTest::newRow("empty list") << QByteArray("[]") << none;
    QTest::newRow("open list") << QByteArray("[[[[[[\"") << none;
    QTest::newRow("deep list") << QByteArray(200'000, '[') << none;
    QTest::newRow("closed too often") << QByteArray("]]]]}}") << none;
    QTest::newRow("later GPT4All")
        << QByteArray::fromHex("f5d553cc000000ff")
        << QStringLiteral("Hearth reads chats of GPT4All 3.5 and later, without calls of tools.");
    QTest::newRow("no archive") << QByteArray("PK\x03\x04 and nothing else")
                                << QStringLiteral("The archive is damaged.");
}

void ChatFilesTest::saysWhyThereIsNone() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, why);
    const ChatsRead read = readChatFile(write(QStringLiteral("x.json"), bytes), goesOn_);
    QVERIFY(read.chats.isEmpty());
    QCOMPARE(read.trouble, why);
    QVERIFY(!readChatFile(folder_->filePath(QStringLiteral("gone")), goesOn_).trouble.isEmpty());
    QVERIFY(!readChatFile(folder_->path(), goesOn_).trouble.isEmpty());
}

// Cut or changed anywhere: chats that are whole, or a sentence.
void ChatFilesTest::refusesDamagedArchives() {
    const QString path = zipOf({{"a.json", chatToJson(sampleChat())}, {"b.txt", "x"}});
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    file.close();
    QCOMPARE(readChatFile(path, goesOn_).chats.size(), 1);
    for (qsizetype at = 4; at < whole.size(); at += 7) {
        QByteArray changed = whole;
        changed[at] = static_cast<char>(~changed[at]);
        for (const QByteArray& bytes : {changed, whole.left(at)}) {
            const ChatsRead read = readChatFile(write(QStringLiteral("b.zip"), bytes), goesOn_);
            QVERIFY(read.chats.isEmpty() != read.trouble.isEmpty());
            for (const ChatRecord& chat : read.chats) {
                QVERIFY(chat == sampleChat());
            }
        }
    }
}

void ChatFilesTest::neverOverwrites() {
    const QString path = write(QStringLiteral("mine.zip"), "precious");
    const QString trouble = writeChatArchive(
        path, [] { return std::optional(sampleChat()); }, goesOn_);
    QVERIFY(!trouble.isEmpty());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), QByteArray("precious"));
}

void ChatFilesTest::stopsWhenAsked() {
    std::atomic<bool> cancelled = false;
    const QString path = folder_->filePath(QStringLiteral("stopped.zip"));
    int given = 0;
    const QString trouble = writeChatArchive(
        path,
        [&]() -> std::optional<ChatRecord> {
            cancelled = ++given == 2;
            return sampleChat();
        },
        cancelled);
    QVERIFY(!trouble.isEmpty());
    QCOMPARE(given, 2);
    QVERIFY(!QFile::exists(path));
    cancelled = true;
    QVERIFY(readChatFile(write(QStringLiteral("l.json"), "[" + chatToJson(sampleChat()) + "]"),
                         cancelled)
                .chats.isEmpty());
}

QTEST_MAIN(ChatFilesTest)
#include "chat_files_test.moc"
