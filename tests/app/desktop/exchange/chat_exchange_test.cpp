// Exports and imports in the window: files, notices, the list of chats.
#include "exchange/chat_exchange.h"

#include <QDir>
#include <QtTest>

#include "app/desktop/app_fixture.h"
#include "exchange/chat_json.h"
#include "sample_chat.h"

using namespace hearth::ui;

class ChatExchangeTest : public QObject, AppFixture {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        begin();
        QVERIFY(QDir(folder_->path()).mkdir(QStringLiteral("out")));
    }
    void cleanup() { end(); }

    void exportsAndImportsAChat();
    void exportsAndImportsAttachedFiles();
    void exportsAllAndImportsThemInOrder();
    void importsTheChatsOfAListOneByOne();
    void saysWhatWentWrong();
    void refusesASecondOne();
    void anExportNeedsNothingOfTheWindow();
    void anImportTakesFewMessagesATurn();
    void anImportThatWasCutOffLeavesNothing();
    void importsNothingWhereTheDiskIsFull();
    void namesFilesSafely_data();
    void namesFilesSafely();
    void endsWhileItWorks();

private:
    ChatExchange& exchange() { return *app_->exchange(); }
    QString out() const { return folder_->filePath(QStringLiteral("out")); }
    QStringList outFiles() const { return QDir(out()).entryList(QDir::Files, QDir::Name); }
    void waitForIt() { QTRY_VERIFY(!exchange().busy()); }
    qint64 addSample(const QString& title) {
        ChatRecord chat = sampleChat();
        chat.title = title;
        chat.isPinned = false;
        const auto id = store_->add(chat);
        chats().refreshSummary(*id);
        return *id;
    }
};

void ChatExchangeTest::exportsAndImportsAChat() {
    const qint64 id = addSample(QStringLiteral("Rain: a/b"));
    exchange().exportChat(id, out(), true);
    QVERIFY(exchange().busy());
    waitForIt();
    QCOMPARE(outFiles(), QStringList({"Rain- a-b.json"}));
    QVERIFY(notices().text().contains(QLatin1String("Rain- a-b.json")));
    exchange().exportChat(id, out(), true);
    waitForIt();
    exchange().exportChat(id, out(), false);
    waitForIt();
    QCOMPARE(outFiles(), QStringList({"Rain- a-b (2).json", "Rain- a-b.json", "Rain- a-b.md"}));
    exchange().importFile(QDir(out()).filePath(QStringLiteral("Rain- a-b.json")));
    waitForIt();
    QCOMPARE(notices().text(), QStringLiteral("One chat is imported."));
    QCOMPARE(chats().conversations()->count(), 2);
    QVERIFY(chats().currentId() != id && chats().currentId() != kNoId);
    QVERIFY(*store_->record(chats().currentId()) == *store_->record(id));
    QCOMPARE(chats().messages()->count(), 4);
}

// A chat with documents goes, its documents go with it, and both come back.
void ChatExchangeTest::exportsAndImportsAttachedFiles() {
    const DocumentShelf& shelf = app_->attachments()->shelf();
    DocumentReading book;
    book.kind = DocumentKind::Pdf;  // as the chat says
    book.document.cut = true;
    book.document.text = QStringLiteral("Rain falls.");
    DocumentReading note;
    note.document.text = QStringLiteral("Snow, too.");
    const ChatRecord chat = sampleChatWithFiles(shelf.add(book), shelf.add(note));
    const qint64 id = *store_->add(chat);
    chats().refreshSummary(id);
    exchange().exportChat(id, out(), true);
    waitForIt();
    exchange().exportAll(out());
    waitForIt();
    QCOMPARE(outFiles().size(), 2);
    shelf.keepOnly({});
    QVERIFY(shelf.open(chat.messages.at(0).files.at(0).document) == nullptr);
    for (const QString& file : outFiles()) {
        exchange().importFile(QDir(out()).filePath(file));
        waitForIt();
        QCOMPARE(notices().text(), QStringLiteral("One chat is imported."));
        QVERIFY(*store_->record(chats().currentId()) == chat);
        QCOMPARE(shelf.open(chat.messages.at(0).files.at(1).document)->text(), book.document.text);
        QCOMPARE(shelf.open(chat.messages.at(0).files.at(0).document)->text(), note.document.text);
    }
    // An export without the texts: the chat comes, and a sentence says so.
    QFile bare(folder_->filePath(QStringLiteral("bare.json")));
    QVERIFY(bare.open(QIODevice::WriteOnly));
    bare.write(chatToJson(chat));
    bare.close();
    exchange().importFile(bare.fileName());
    waitForIt();
    QCOMPARE(notices().text(),
             QStringLiteral("One chat is imported. The texts of 3 attached files are missing."));
    QCOMPARE(notices().kind(), QStringLiteral("warning"));
}

void ChatExchangeTest::exportsAllAndImportsThemInOrder() {
    exchange().exportAll(out());
    waitForIt();
    QCOMPARE(notices().text(), QStringLiteral("There is no chat to export."));
    for (const char* title : {"one", "two", "three"}) {
        addSample(QString::fromLatin1(title));
    }
    exchange().exportAll(out());
    waitForIt();
    QCOMPARE(outFiles().size(), 1);
    QVERIFY(notices().text().startsWith(QLatin1String("3 chats are exported to ")));
    const QString archive = QDir(out()).filePath(outFiles().first());
    exchange().importFile(archive);
    waitForIt();
    QCOMPARE(notices().text(), QStringLiteral("3 chats are imported."));
    QCOMPARE(chats().conversations()->count(), 6);
    QCOMPARE(chats().currentId(), kNoId);
    QStringList titles;
    for (int row = 0; row < 3; ++row) {
        titles << chats().conversations()->rows().at(row).title;
    }
    QCOMPARE(titles, QStringList({"three", "two", "one"}));
}

void ChatExchangeTest::importsTheChatsOfAListOneByOne() {
    const QString path = folder_->filePath(QStringLiteral("list.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    const QByteArray own = chatToJson(sampleChat());
    file.write("[" + own + ", {\"no\": \"chat\"}, " + own + "]");
    file.close();
    exchange().importFile(path);
    waitForIt();
    QCOMPARE(notices().text(), QStringLiteral("2 chats are imported. One more could not be read."));
    QCOMPARE(notices().kind(), QStringLiteral("warning"));
    QCOMPARE(chats().conversations()->count(), 2);
}

void ChatExchangeTest::saysWhatWentWrong() {
    exchange().importFile(folder_->filePath(QStringLiteral("hearth.ini")));
    waitForIt();
    QVERIFY(notices().text().contains(QLatin1String("was not imported")));
    exchange().exportChat(4711, out(), true);
    QVERIFY(!exchange().busy());
    QVERIFY(notices().text().contains(QLatin1String("could not be exported")));
    const qint64 id = addSample(QStringLiteral("x"));
    exchange().exportChat(id, folder_->filePath(QStringLiteral("nowhere")), false);
    waitForIt();
    QVERIFY(notices().text().contains(QLatin1String("could not be exported")));
    exchange().exportChat(id, out(), false);  // the next one works
    waitForIt();
    QCOMPARE(outFiles(), QStringList({"x.md"}));
}

void ChatExchangeTest::refusesASecondOne() {
    const qint64 id = addSample(QStringLiteral("x"));
    exchange().exportChat(id, out(), false);
    exchange().exportChat(id, out(), true);
    QVERIFY(notices().text().contains(QLatin1String("still under way")));
    waitForIt();
    QCOMPARE(outFiles(), QStringList({"x.md"}));
}

// The window's thread stands still meanwhile.
void ChatExchangeTest::anExportNeedsNothingOfTheWindow() {
    addSample(QStringLiteral("one"));
    addSample(QStringLiteral("two"));
    exchange().exportAll(out());
    for (int i = 0; i < 3000 && outFiles().isEmpty(); ++i) {
        QThread::msleep(10);
    }
    QCOMPARE(outFiles().size(), 1);
    waitForIt();
    QVERIFY(notices().text().startsWith(QLatin1String("2 chats are exported to ")));
}

void ChatExchangeTest::anImportTakesFewMessagesATurn() {
    ChatRecord chat;
    chat.title = QStringLiteral("long");
    for (int i = 0; i < 1000; ++i) {
        chat.messages.append({.parent = i - 1, .content = QStringLiteral("text")});
    }
    QFile file(folder_->filePath(QStringLiteral("long.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(chatToJson(chat));
    file.close();
    const auto count = [this] {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        query.exec(QStringLiteral("SELECT count(*) FROM messages"));
        return query.next() ? query.value(0).toInt() : -1;
    };
    int former = 0;
    int most = 0;
    QTimer turns;  // as often as the import's
    connect(&turns, &QTimer::timeout, this, [&] {
        const int now = count();
        most = std::max(most, now - former);
        former = now;
    });
    exchange().importFile(file.fileName());
    turns.start(0);
    waitForIt();
    QCOMPARE(count(), 1000);
    QVERIFY(most > 0 && most <= ConversationStore::kPartMessages);
    QCOMPARE(notices().text(), QStringLiteral("One chat is imported."));
    QTRY_COMPARE(chats().messages()->count(), 1000);
}

void ChatExchangeTest::anImportThatWasCutOffLeavesNothing() {
    ChatRecord chat = sampleChat();
    for (int i = 0; i < 500; ++i) {
        chat.messages.append({.parent = 1, .content = QStringLiteral("text")});
    }
    QFile file(folder_->filePath(QStringLiteral("long.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(chatToJson(chat));
    file.close();
    const auto count = [this] {
        QSqlQuery query(QSqlDatabase::database(store_->connectionName()));
        query.exec(QStringLiteral("SELECT count(*) FROM messages"));
        return query.next() ? query.value(0).toInt() : -1;
    };
    exchange().importFile(file.fileName());
    QDeadlineTimer patience(30'000);
    while (count() == 0 && !patience.hasExpired()) {
        QCoreApplication::processEvents();
    }
    QVERIFY(count() > 0);
    QVERIFY(exchange().busy());
    start(false);  // the program ended, and starts again
    QCOMPARE(count(), 0);
    QVERIFY(chats().conversations()->rows().isEmpty());
    exchange().importFile(file.fileName());
    waitForIt();
    QCOMPARE(chats().conversations()->count(), 1);
}

void ChatExchangeTest::importsNothingWhereTheDiskIsFull() {
    ChatRecord chat = sampleChat();
    chat.title = QStringLiteral("x");
    chat.messages[0].content = QString(1'000'000, QLatin1Char('x'));  // no room in its pages
    const qint64 id = *store_->add(chat);
    chats().refreshSummary(id);
    exchange().exportChat(id, out(), true);
    waitForIt();
    fillDisk(true);
    exchange().importFile(QDir(out()).filePath(QStringLiteral("x.json")));
    waitForIt();
    QVERIFY(notices().text().contains(QLatin1String("No chat was imported.")));
    QCOMPARE(chats().conversations()->count(), 1);
    fillDisk(false);
    exchange().importFile(QDir(out()).filePath(QStringLiteral("x.json")));
    waitForIt();
    QCOMPARE(chats().conversations()->count(), 2);
}

void ChatExchangeTest::namesFilesSafely_data() {
    QTest::addColumn<QString>("title");
    QTest::addColumn<QString>("name");
    const auto row = [](const char* title, const char* name) {
        QTest::addRow("%s", title) << QString::fromUtf8(title) << QString::fromUtf8(name);
    };
    row("Rain", "Rain");
    row("", "chat");
    row("..", "chat");
    row("../../etc/passwd", "-..-etc-passwd");
    row("a:b*c?d\"e<f>g|h\\i", "a-b-c-d-e-f-g-h-i");
    row(" name. ", "name");
    row("\xE2\x80\xAE"
        "exe.gpj",
        "-exe.gpj");  // would be shown from the right
}

void ChatExchangeTest::namesFilesSafely() {
    QFETCH(QString, title);
    QFETCH(QString, name);
    QCOMPARE(fileNameFor(title), name);
    QVERIFY(fileNameFor(QString(500, QLatin1Char('x'))).size() <= 80);
    QVERIFY(!fileNameFor(QString(79, QLatin1Char('x')) + QString::fromUtf8("🌧"))
                 .back()
                 .isHighSurrogate());
}

void ChatExchangeTest::endsWhileItWorks() {
    for (int i = 0; i < 20; ++i) {
        addSample(QString::number(i));
    }
    exchange().exportAll(out());
    QCoreApplication::processEvents();
    app_.reset();  // neither hangs nor writes to what is gone
    QVERIFY(true);
}

QTEST_MAIN(ChatExchangeTest)
#include "chat_exchange_test.moc"
