// Files of chats: each program's, lists of them, archives, and what is none of these.
#include "exchange/chat_files.h"

#include <zip.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>

#include "documents/document_shelf.h"
#include "exchange/chat_archive.h"
#include "exchange/chat_documents.h"
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
    void carriesAttachedFiles();
    void countsFilesThatHaveLostTheirText_data();
    void countsFilesThatHaveLostTheirText();
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

    DocumentShelf shelf(const char* name = "shelf") const {
        return DocumentShelf(folder_->filePath(QString::fromLatin1(name)));
    }
    QString writeOne(const ChatRecord& chat, const DocumentShelf& shelf) {
        const QString path = folder_->filePath(QStringLiteral("one.zip"));
        QFile::remove(path);
        bool given = false;
        const QString trouble = writeChatArchive(
            path, [&] { return std::exchange(given, true) ? std::nullopt : std::optional(chat); },
            shelf, goesOn_);
        return trouble.isEmpty() ? path : QString();
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
        const ChatsRead read = readChatFile(path, nullptr, goesOn_);
        QCOMPARE(read.chats.size(), 1);
        QCOMPARE(read.chats.first().title, QStringLiteral("Jan"));
        QCOMPARE(read.chats.first().messages.size(), 1);
    }
    QVERIFY(QFile::remove(one));
    QCOMPARE(readChatFile(two, nullptr, goesOn_).chats.first().title, QStringLiteral("x"));
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
                 shelf(), goesOn_),
             QString());
    const ChatsRead read = readChatFile(path, nullptr, goesOn_);
    QVERIFY(read.trouble.isEmpty());
    QCOMPARE(read.refused, 0);
    QCOMPARE(read.lostFiles, 0);
    QCOMPARE(read.chats.size(), 3);
    for (int i = 0; i < 3; ++i) {
        QVERIFY(read.chats.at(i) == chats.at(i));
    }
}

// Texts of attached files come back from an archive and from a chat's own JSON, and are the same.
void ChatFilesTest::carriesAttachedFiles() {
    DocumentReading book;
    book.kind = DocumentKind::Pdf;
    book.document.cut = true;
    book.document.text = QString(1500, QLatin1Char('r')) + QLatin1Char('\n') +
                         QString::fromUtf8("über Schnee 雪\n") + QString(400, QLatin1Char('s'));
    book.document.pages = {0, 1501, 1501, 1515};  // the second page is empty
    DocumentReading note;
    note.document.text = QStringLiteral("<|im_end|>\tx");
    const ChatRecord chat = sampleChatWithFiles(shelf().add(book), shelf().add(note));
    const QString archive = writeOne(chat, shelf());
    QVERIFY(!archive.isEmpty());
    const QString json =
        write(QStringLiteral("one.json"), chatToJson(chat, documentsOf(chat, shelf())));
    for (const QString& path : {archive, json}) {
        const DocumentShelf there = shelf(path == json ? "json" : "zip");
        for (int turn = 0; turn < 2; ++turn) {  // the second finds them on its shelf
            const ChatsRead read = readChatFile(path, &there, goesOn_);
            QCOMPARE(read.lostFiles, 0);
            QCOMPARE(read.chats.size(), 1);
            QVERIFY(read.chats.first() == chat);
        }
        const auto kept = there.open(chat.messages.at(0).files.at(1).document);
        QVERIFY(kept != nullptr);
        QCOMPARE(kept->text(), book.document.text);
        QCOMPARE(kept->document().pages, book.document.pages);
        QCOMPARE(there.open(chat.messages.at(3).files.at(0).document)->text(), note.document.text);
    }
    // Nothing is kept without a shelf, and the chat comes all the same.
    const ChatsRead bare = readChatFile(archive, nullptr, goesOn_);
    QCOMPARE(bare.lostFiles, 3);
    QCOMPARE(bare.chats.first().messages.at(0).files.size(), 2);
}

// Texts that are missing or broken: the chat comes, and the files say that they have none.
void ChatFilesTest::countsFilesThatHaveLostTheirText_data() {
    QTest::addColumn<QByteArray>("document");
    QTest::addColumn<bool>("lost");
    QTest::newRow("whole") << QByteArray(R"({"kind": "pdf", "text": "abc", "pages": [0, 2, 3]})")
                           << false;
    QTest::newRow("unknown kind") << QByteArray(R"({"kind": "exe", "text": "abc"})") << false;
    QTest::newRow("nothing") << QByteArray("{}") << true;
    QTest::newRow("no object") << QByteArray("[1]") << true;
    QTest::newRow("no text") << QByteArray(R"({"kind": "pdf", "text": ""})") << true;
    QTest::newRow("page beyond") << QByteArray(R"({"text": "abc", "pages": [4]})") << true;
    QTest::newRow("page before") << QByteArray(R"({"text": "abc", "pages": [-1]})") << true;
    QTest::newRow("pages fall") << QByteArray(R"({"text": "abc", "pages": [2, 1]})") << true;
    QTest::newRow("too many pages")
        << QByteArray(R"({"text": "a", "pages": [0, 0, 0, 0, 0]})") << true;
    QTest::newRow("control characters") << QByteArray(R"({"text": "a\u0000b"})") << true;
    QTest::newRow("too long") << "{\"text\": \"" + QByteArray(8'000'001, 'x') + "\"}" << true;
}

void ChatFilesTest::countsFilesThatHaveLostTheirText() {
    QFETCH(QByteArray, document);
    QFETCH(bool, lost);
    ChatRecord chat = sampleChat();
    chat.messages[0].files = {{.name = QStringLiteral("x"),
                               .kind = QStringLiteral("text"),
                               .document = QStringLiteral("d")}};
    const DocumentShelf there = shelf();
    const QJsonObject within{{QStringLiteral("d"), QJsonDocument::fromJson(document).object()}};
    for (const QString& path :
         {zipOf({{"chats/000001.json", chatToJson(chat)}, {"documents/d.json", document}}),
          write(QStringLiteral("c.json"), chatToJson(chat, within))}) {
        const ChatsRead read = readChatFile(path, &there, goesOn_);
        QCOMPARE(read.chats.size(), 1);
        QCOMPARE(read.refused, 0);
        QCOMPARE(read.lostFiles, lost ? 1 : 0);
        const RecordedFile& file = read.chats.first().messages.at(0).files.first();
        QCOMPARE(there.open(file.document) == nullptr, lost);
    }
}

// An archive as ChatGPT sends it: other files are beside the list.
void ChatFilesTest::readsTheArchiveOfAnExport() {
    const QString path =
        zipOf({{"user.json", "{\"id\": 1}"},
               {"chat.html", "<html>"},
               {"conversations.json", "[" + chatGpt("a") + "," + chatGpt("b") + "]"},
               {"message_feedback.json", "[{\"id\": 2}]"}});
    const ChatsRead read = readChatFile(path, nullptr, goesOn_);
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
    const ChatsRead read = readChatFile(write(QStringLiteral("x.json"), bytes), nullptr, goesOn_);
    QVERIFY(read.chats.isEmpty());
    QCOMPARE(read.trouble, why);
    QVERIFY(!readChatFile(folder_->filePath(QStringLiteral("gone")), nullptr, goesOn_)
                 .trouble.isEmpty());
    QVERIFY(!readChatFile(folder_->path(), nullptr, goesOn_).trouble.isEmpty());
}

// Cut or changed anywhere: chats that are whole, or a sentence.
void ChatFilesTest::refusesDamagedArchives() {
    const QString path = zipOf({{"a.json", chatToJson(sampleChat())}, {"b.txt", "x"}});
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray whole = file.readAll();
    file.close();
    QCOMPARE(readChatFile(path, nullptr, goesOn_).chats.size(), 1);
    for (qsizetype at = 4; at < whole.size(); at += 7) {
        QByteArray changed = whole;
        changed[at] = static_cast<char>(~changed[at]);
        for (const QByteArray& bytes : {changed, whole.left(at)}) {
            const ChatsRead read =
                readChatFile(write(QStringLiteral("b.zip"), bytes), nullptr, goesOn_);
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
        path, [] { return std::optional(sampleChat()); }, shelf(), goesOn_);
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
        shelf(), cancelled);
    QVERIFY(!trouble.isEmpty());
    QCOMPARE(given, 2);
    QVERIFY(!QFile::exists(path));
    cancelled = true;
    QVERIFY(readChatFile(write(QStringLiteral("l.json"), "[" + chatToJson(sampleChat()) + "]"),
                         nullptr, cancelled)
                .chats.isEmpty());
}

QTEST_MAIN(ChatFilesTest)
#include "chat_files_test.moc"
