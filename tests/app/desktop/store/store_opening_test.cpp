// ConversationStore::open() on folders in every state.
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QtTest>

#include "store/conversation_store.h"
#include "store/migrations.h"
#ifdef Q_OS_UNIX
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#endif

using namespace hearth::ui;
using Mode = ConversationStore::Mode;

namespace {

// Runs SQL on a database file of its own making, without the store.
void runSql(const QString& file, const QStringList& statements) {
    {
        QSqlDatabase database =
            QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw"));
        database.setDatabaseName(file);
        QVERIFY(database.open());
        for (const QString& sql : statements) {
            QSqlQuery query(database);
            QVERIFY2(query.exec(sql), qPrintable(sql));
        }
    }
    QSqlDatabase::removeDatabase(QStringLiteral("raw"));
}

QStringList tablesAndVersion(const ConversationStore& store) {
    QStringList rows;
    QSqlQuery query(QSqlDatabase::database(store.connectionName()));
    if (query.exec(QStringLiteral("SELECT name, sql FROM sqlite_master ORDER BY name"))) {
        while (query.next()) {
            rows << query.value(0).toString() + query.value(1).toString();
        }
    }
    if (query.exec(QStringLiteral("PRAGMA user_version")) && query.next()) {
        rows << query.value(0).toString();
    }
    return rows;
}

#ifdef Q_OS_UNIX
// Permissions mean nothing to root: become nobody meanwhile.
class WithoutRights {
public:
    explicit WithoutRights(const QString& folder) : folder_(folder) {
        wasRoot_ = ::geteuid() == 0;
        if (wasRoot_) {
            ok_ = ::seteuid(65534) == 0;
        }
    }
    ~WithoutRights() {
        if (wasRoot_ && ::seteuid(0) != 0) {
            qFatal("cannot become root again");
        }
    }
    bool ok() const { return ok_; }

private:
    QString folder_;
    bool wasRoot_ = false;
    bool ok_ = true;
};
#endif

}  // namespace

class StoreOpeningTest : public QObject {
    Q_OBJECT

private slots:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
        file_ = folder_->filePath(QStringLiteral("hearth.db"));
    }

    void makesANewOne();
    void migratesFromEveryVersion_data();
    void migratesFromEveryVersion();
    void opensANewerVersionReadOnly();
    void marksCutOffAnswers();
    void keepsADamagedFile_data();
    void keepsADamagedFile();
    void keepsEveryDamagedFile();
    void keepsTheLogOfADamagedFile();
    void rescuesWhatCanBeRead_data();
    void rescuesWhatCanBeRead();
    void rescuesOneChat();
    void rescuesFromEveryVersion_data() { migratesFromEveryVersion_data(); }
    void rescuesFromEveryVersion();
    void letsASecondProcessOnlyRead();
    void opensAFolderThatCannotBeWritten();
    void opensAFolderThatCannotBeMade();
    void opensOnAFullDisk();
    void worksInMemory();

private:
    // Of a table or an index of the file, where nobody has it open.
    qint64 rootPage(const QString& name) const;
    QStringList files(const QString& pattern) const {
        return QDir(folder_->path()).entryList({pattern}, QDir::Files);
    }
    std::unique_ptr<QTemporaryDir> folder_;
    QString file_;
};

qint64 StoreOpeningTest::rootPage(const QString& name) const {
    qint64 page = 0;
    {
        QSqlDatabase database =
            QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("raw"));
        database.setDatabaseName(file_);
        QSqlQuery query(database.open() ? database : QSqlDatabase());
        query.prepare(QStringLiteral("SELECT rootpage FROM sqlite_master WHERE name = ?"));
        query.addBindValue(name);
        page = query.exec() && query.next() ? query.value(0).toLongLong() : 0;
    }
    QSqlDatabase::removeDatabase(QStringLiteral("raw"));
    return page;
}

void StoreOpeningTest::makesANewOne() {
    ConversationStore store;
    const auto report = store.open(folder_->filePath(QStringLiteral("a/b/c")));
    QVERIFY(report.mode == Mode::ReadWrite && !store.readOnly());
    QVERIFY(report.noticeText.isEmpty());
    QCOMPARE(tablesAndVersion(store).last().toInt(), currentSchemaVersion());
    QSqlQuery query(QSqlDatabase::database(store.connectionName()));
    QVERIFY(query.exec(QStringLiteral("PRAGMA journal_mode")) && query.next());
    QCOMPARE(query.value(0).toString(), QStringLiteral("wal"));
    QVERIFY(query.exec(QStringLiteral("PRAGMA synchronous")) && query.next());
    QCOMPARE(query.value(0).toInt(), 2);
    QVERIFY(query.exec(QStringLiteral("PRAGMA foreign_keys")) && query.next());
    QCOMPARE(query.value(0).toInt(), 1);
}

void StoreOpeningTest::migratesFromEveryVersion_data() {
    QTest::addColumn<int>("version");
    for (int version = 1; version < currentSchemaVersion(); ++version) {
        QTest::addRow("from %d", version) << version;
    }
}

void StoreOpeningTest::migratesFromEveryVersion() {
    QFETCH(int, version);
    QStringList sql;
    for (int step = 0; step < version; ++step) {
        sql += migrations().at(step);
    }
    sql << QStringLiteral(
               "INSERT INTO conversations (id, title, created_at, updated_at)"
               " VALUES (5, 'Old', 1, 2)")
        << QStringLiteral(
               "INSERT INTO messages (id, conversation_id, parent_id, role, content, state,"
               " created_at) VALUES (8, 5, NULL, 'user', 'q', 'complete', 1),"
               " (9, 5, 8, 'assistant', 'a', 'complete', 2)")
        << QStringLiteral("UPDATE conversations SET active_leaf = 9")
        << QStringLiteral("PRAGMA user_version = %1").arg(version);
    runSql(file_, sql);

    ConversationStore store;
    QVERIFY(store.open(folder_->path()).mode == Mode::ReadWrite);
    QCOMPARE(store.conversations().value(0).title, QStringLiteral("Old"));
    QCOMPARE(store.activePath(5).size(), 2);
    QVERIFY(store.send(5, QStringLiteral("more")));
    QCOMPARE(store.activePath(5).size(), 4);

    ConversationStore fresh;
    fresh.open(folder_->filePath(QStringLiteral("fresh")));
    QCOMPARE(tablesAndVersion(store), tablesAndVersion(fresh));
}

void StoreOpeningTest::opensANewerVersionReadOnly() {
    qint64 conversation = kNoId;
    {
        ConversationStore store;
        store.open(folder_->path());
        conversation = store.send(kNoId, QStringLiteral("q"))->conversationId;
    }
    runSql(file_, {QStringLiteral("ALTER TABLE messages ADD COLUMN from_the_future TEXT"),
                   QStringLiteral("PRAGMA user_version = %1").arg(currentSchemaVersion() + 1)});
    ConversationStore store;
    const auto report = store.open(folder_->path());
    QVERIFY(report.mode == Mode::ReadOnly && store.readOnly());
    QVERIFY2(report.noticeText.contains(QLatin1String("newer version")),
             qPrintable(report.noticeText));
    QCOMPARE(store.activePath(conversation).size(), 2);
    QVERIFY(!store.send(conversation, QStringLiteral("x")));
    QVERIFY(!store.rename(conversation, QStringLiteral("x")));
    // Not even what a start does otherwise.
    QVERIFY(store.activePath(conversation).last().state == MessageState::Generating);
}

void StoreOpeningTest::marksCutOffAnswers() {
    ConversationStore::Sent sent;
    {
        ConversationStore store;
        store.open(folder_->path());
        sent = *store.send(kNoId, QStringLiteral("q"));
        store.checkpointReply(sent.assistantId, QStringLiteral("half"));
        const auto done = *store.send(kNoId, QStringLiteral("r"));
        store.finishReply(done.assistantId, QStringLiteral("whole"), MessageState::Complete, {},
                          {});
    }
    ConversationStore store;
    QCOMPARE(store.open(folder_->path()).interrupted, 1);
    QVERIFY(store.message(sent.assistantId)->state == MessageState::Interrupted);
    QCOMPARE(store.message(sent.assistantId)->content, QStringLiteral("half"));
    store.close();
    QCOMPARE(store.open(folder_->path()).interrupted, 0);
}

void StoreOpeningTest::keepsADamagedFile_data() {
    QTest::addColumn<QByteArray>("content");
    QTest::addColumn<int>("from");  // where it overwrites a good file; -1: the whole file
    QTest::addRow("text") << QByteArray("this is no database ").repeated(100) << -1;
    QTest::addRow("zeros in the schema") << QByteArray(3000, '\0') << 100;
    QTest::addRow("noise in a table") << QByteArray(4096, '\x5A') << 2 * 4096;
    QTest::addRow("truncated") << QByteArray() << 2 * 4096 + 10;
}

void StoreOpeningTest::keepsADamagedFile() {
    QFETCH(QByteArray, content);
    QFETCH(int, from);
    if (from >= 0) {
        ConversationStore store;
        store.open(folder_->path());
        for (int i = 0; i < 20; ++i) {
            QVERIFY(store.send(kNoId, QString(3000, QLatin1Char('x'))));
        }
    }
    {
        QFile file(file_);
        QVERIFY(file.open(QIODevice::ReadWrite));
        if (content.isEmpty()) {
            QVERIFY(file.resize(from));
        } else {
            QVERIFY(file.seek(std::max(from, 0)));
            file.write(content);
        }
    }
    QFile damaged(file_);
    QVERIFY(damaged.open(QIODevice::ReadOnly));
    const QByteArray before = damaged.readAll();
    damaged.close();

    ConversationStore store;
    const auto report = store.open(folder_->path());
    QVERIFY(report.mode == Mode::ReadWrite);
    QCOMPARE(report.noticeKind, QStringLiteral("error"));
    const QStringList kept = files(QStringLiteral("hearth.db.damaged-*"));
    QCOMPARE(kept.size(), 1);
    QVERIFY2(report.noticeText.contains(kept.first()), qPrintable(report.noticeText));
    QFile file(folder_->filePath(kept.first()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QVERIFY(file.readAll() == before);
    QVERIFY(store.send(kNoId, QStringLiteral("on we go")));
    QVERIFY(from >= 0 || report.noticeText.contains(QLatin1String("No chat in it could be read")));
}

// A second one within the same second goes beside the first.
void StoreOpeningTest::keepsEveryDamagedFile() {
    const auto write = [](const QString& name, const QByteArray& bytes) {
        QFile file(name);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(bytes);
    };
    const QByteArray first = QByteArray("kept before ").repeated(100);
    const QByteArray second = QByteArray("this is no database ").repeated(100);
    const QDateTime now = QDateTime::currentDateTime();
    QStringList before;
    for (int s = 0; s < 120; ++s) {  // whenever it is opened
        before << file_ + QStringLiteral(".damaged-") +
                      now.addSecs(s).toString(QStringLiteral("yyyyMMdd-HHmmss"));
        write(before.last(), first);
    }
    write(file_, second);
    ConversationStore store;
    QVERIFY(store.open(folder_->path()).mode == Mode::ReadWrite);
    const QStringList kept = files(QStringLiteral("hearth.db.damaged-*-2"));
    QCOMPARE(kept.size(), 1);
    QFile file(folder_->filePath(kept.first()));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll(), second);
    for (const QString& name : before) {
        QFile one(name);
        QVERIFY(one.open(QIODevice::ReadOnly));
        QCOMPARE(one.readAll(), first);
    }
}

// The log holds the latest messages: it stays with the file it belongs to, and no old log lies
// beside the new file. SQLite merges a log when it closes the file, but not into one that lost more
// than 64 KiB.
void StoreOpeningTest::keepsTheLogOfADamagedFile() {
    const QString elsewhere = folder_->filePath(QStringLiteral("elsewhere"));
    QByteArray log;
    {
        ConversationStore store;
        store.open(elsewhere);
        for (int i = 0; i < 60; ++i) {
            const auto sent = store.send(kNoId, QString(3000, QLatin1Char('x')));
            QVERIFY(sent && store.finishReply(sent->assistantId, QStringLiteral("y"),
                                              MessageState::Complete, {}, {}));
        }
        store.close();
        store.open(elsewhere);
        QVERIFY(store.send(kNoId, QStringLiteral("only in the log")));
        // As a crash leaves them.
        QVERIFY(QFile::copy(elsewhere + QStringLiteral("/hearth.db"), file_));
        QVERIFY(QFile::copy(elsewhere + QStringLiteral("/hearth.db-wal"), file_ + "-wal"));
    }
    QVERIFY(QFile::resize(file_, 22 * 4096 + 10));  // behind the pages of the schema
    {
        QFile file(file_ + QStringLiteral("-wal"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        log = file.readAll();
        QVERIFY(log.contains("only in the log"));
    }

    ConversationStore store;
    const auto report = store.open(folder_->path());
    QVERIFY(report.mode == Mode::ReadWrite);
    const QStringList kept = files(QStringLiteral("hearth.db.damaged-*"))
                                 .filter(QRegularExpression(QStringLiteral("(?<!-shm)$")));
    QCOMPARE(kept.size(), 2);
    QCOMPARE(kept.last(), kept.first() + QStringLiteral("-wal"));
    QFile keptLog(folder_->filePath(kept.last()));
    QVERIFY(keptLog.open(QIODevice::ReadOnly));
    QVERIFY(keptLog.readAll() == log);
    QCOMPARE(store.conversations().value(0).title, QStringLiteral("only in the log"));
}

void StoreOpeningTest::rescuesWhatCanBeRead_data() {
    QTest::addColumn<QString>("damage");
    for (const char* damage : {"its end is missing", "noise in the middle", "noise in an index"}) {
        QTest::addRow("%s", damage) << QString::fromLatin1(damage);
    }
}

void StoreOpeningTest::rescuesWhatCanBeRead() {
    QFETCH(QString, damage);
    constexpr int kChats = 40;
    const auto question = [](qint64 id) {
        return QStringLiteral("Question %1 ").arg(id) + QString(5000, QLatin1Char('x'));
    };
    qint64 inBin = kNoId;
    {
        ConversationStore store;
        store.open(folder_->path());
        for (int i = 1; i <= kChats; ++i) {
            const auto sent = store.send(kNoId, question(i));
            QVERIFY(sent && sent->conversationId == i);
            QVERIFY(store.finishReply(sent->assistantId, QStringLiteral("Answer %1").arg(i),
                                      MessageState::Complete, {}, {}));
        }
        inBin = 2;
        QVERIFY(store.remove(inBin));
        QVERIFY(store.setDraft(1, QStringLiteral("not sent yet")));
    }
    QFile file(file_);
    QVERIFY(file.open(QIODevice::ReadWrite));
    if (damage.startsWith(QLatin1String("its end"))) {
        QVERIFY(file.resize(file.size() * 6 / 10 / 4096 * 4096));
    } else {
        // From the middle on the first page that has rows of messages, however many tables lie
        // before it.
        qint64 place = file.size() / 2 / 4096 * 4096;
        constexpr char kRows = 13;  // a leaf of a table
        for (bool isThere = false; !isThere; place += isThere ? 0 : 4096) {
            QVERIFY(file.seek(place));
            const QByteArray page = file.read(4096);
            QVERIFY(!page.isEmpty());
            isThere = page.at(0) == kRows && page.contains("complete");
        }
        if (damage.endsWith(QLatin1String("index"))) {
            place = (rootPage(QStringLiteral("messages_by_place")) - 1) * 4096;
        }
        QVERIFY(file.seek(place));
        file.write(QByteArray(4096, '\x5A'));
    }
    file.close();

    ConversationStore store;
    const auto report = store.open(folder_->path());
    QVERIFY(report.mode == Mode::ReadWrite);
    QCOMPARE(report.noticeKind, QStringLiteral("error"));
    const QList<ConversationSummary> rescued = store.conversations();
    const int count = static_cast<int>(rescued.size());
    const bool all = damage.endsWith(QLatin1String("index"));
    QVERIFY2(all ? count == kChats - 1 : count > 5, qPrintable(QString::number(count)));
    QVERIFY2(report.noticeText.contains(QStringLiteral("%1 chats").arg(count)),
             qPrintable(report.noticeText));
    QCOMPARE(report.noticeText.contains(QLatin1String("are lost")), !all);
    int whole = 0;
    for (const ConversationSummary& one : rescued) {
        const QList<Message> path = store.activePath(one.id);
        whole += path.size() == 2 && path.at(0).content == question(one.id) &&
                         path.at(1).content == QStringLiteral("Answer %1").arg(one.id)
                     ? 1
                     : 0;
    }
    QVERIFY2(all ? whole == count : whole > 5, qPrintable(QString::number(whole)));
    if (damage == QLatin1String("noise in the middle")) {  // what lies behind it is there
        QCOMPARE(store.activePath(kChats).value(1).content, QStringLiteral("Answer 40"));
        QVERIFY(whole >= count - 8);
    }
    QCOMPARE(store.draft(1), QStringLiteral("not sent yet"));
    QCOMPARE(store.deleted().value(0).id, inBin);
    QVERIFY(store.restore(inBin));
    QCOMPARE(store.activePath(inBin).value(1).content, QStringLiteral("Answer 2"));
    // It is a file like any other: a chat goes on, and the next start finds nothing wrong.
    QVERIFY(store.send(rescued.last().id, QStringLiteral("on we go")));
    store.close();
    const auto next = store.open(folder_->path());
    QCOMPARE(next.noticeText, QString());
    QCOMPARE(store.conversations().size(), count + 1);
}

void StoreOpeningTest::rescuesOneChat() {
    {
        ConversationStore store;
        store.open(folder_->path());
        const auto sent = store.send(kNoId, QStringLiteral("q"));
        QVERIFY(sent && store.finishReply(sent->assistantId, QStringLiteral("a"),
                                          MessageState::Complete, {}, {}));
    }
    const qint64 place = (rootPage(QStringLiteral("messages_by_place")) - 1) * 4096;
    {
        QFile file(file_);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(place));
        file.write(QByteArray(4096, '\x5A'));
    }
    ConversationStore store;
    const QString said = store.open(folder_->path()).noticeText;
    QVERIFY2(said.endsWith(QLatin1String("One chat could be read and is in a new file.")),
             qPrintable(said));
    QCOMPARE(store.conversations().size(), 1);
}

// An earlier version's file, with the row of a conversation and a parent lost. No message comes
// into another chat, and no chat shows the messages of another.
void StoreOpeningTest::rescuesFromEveryVersion() {
    QFETCH(int, version);
    QStringList sql;
    for (int step = 0; step < version; ++step) {
        sql += migrations().at(step);
    }
    sql << QStringLiteral(
               "INSERT INTO conversations (id, title, created_at, updated_at)"
               " VALUES (5, 'Old', 1, 2), (7, 'Third', 1, 1)")
        << QStringLiteral(
               "INSERT INTO messages (id, conversation_id, parent_id, role, content, state,"
               " created_at) VALUES (8, 5, NULL, 'user', 'q', 'complete', 1),"
               " (9, 5, 8, 'assistant', 'a', 'generating', 2),"
               " (12, 5, 11, 'user', 'more', 'complete', 3),"
               " (20, 6, NULL, 'user', 'Whose?', 'complete', 4),"
               " (21, 6, 9, 'assistant', 'Mine.', 'complete', 5),"
               " (30, 7, NULL, 'user', 'Third?', 'complete', 6)")
        << QStringLiteral(
               "UPDATE conversations SET active_leaf = CASE id WHEN 7 THEN 9 ELSE 77 END")
        << QStringLiteral("PRAGMA user_version = %1").arg(version);
    runSql(file_, sql);
    const qint64 place = (rootPage(QStringLiteral("messages_by_parent")) - 1) * 4096;
    {
        QFile file(file_);
        QVERIFY(file.open(QIODevice::ReadWrite) && file.seek(place));
        file.write(QByteArray(4096, '\x5A'));
    }
    ConversationStore store;
    const auto report = store.open(folder_->path());
    QVERIFY2(report.noticeText.contains(QLatin1String("3 chats")), qPrintable(report.noticeText));
    QStringList texts;
    for (const Message& message : store.activePath(5)) {
        texts << message.content + QLatin1Char(' ') + toString(message.state);
    }
    QCOMPARE(texts, QStringList({"q complete", "a interrupted", "more complete"}));
    QCOMPARE(store.summary(6)->title, QStringLiteral("Whose?"));
    QCOMPARE(store.activePath(6).size(), 2);
    QCOMPARE(store.activePath(6).value(0).content, QStringLiteral("Whose?"));
    QCOMPARE(store.activePath(6).value(1).content, QStringLiteral("Mine."));
    QCOMPARE(store.activePath(7).size(), 1);
    QCOMPARE(store.activePath(7).value(0).content, QStringLiteral("Third?"));
    QVERIFY(store.send(6, QStringLiteral("on we go")));
    QVERIFY(store.send(kNoId, QStringLiteral("a new one")));
}

void StoreOpeningTest::letsASecondProcessOnlyRead() {
    ConversationStore first;
    first.open(folder_->path());
    const auto sent = *first.send(kNoId, QStringLiteral("q"));
    ConversationStore second;
    const auto report = second.open(folder_->path());
    QVERIFY(report.mode == Mode::ReadOnly);
    QVERIFY(report.noticeText.contains(QLatin1String("another window")));
    QVERIFY(report.heldByAnother && !report.diskFull);
    QCOMPARE(report.interrupted, 0);
    QVERIFY(second.message(sent.assistantId)->state == MessageState::Generating);
    QVERIFY(!second.send(kNoId, QStringLiteral("x")));
    QVERIFY(first.checkpointReply(sent.assistantId, QStringLiteral("goes on")));
    QCOMPARE(second.message(sent.assistantId)->content, QStringLiteral("goes on"));
    second.close();
    QVERIFY(first.send(sent.conversationId, QStringLiteral("still mine")));
    first.close();
    QVERIFY(second.open(folder_->path()).mode == Mode::ReadWrite);
}

void StoreOpeningTest::opensAFolderThatCannotBeWritten() {
#ifdef Q_OS_UNIX
    qint64 conversation = kNoId;
    {
        ConversationStore store;
        store.open(folder_->path());
        conversation = store.send(kNoId, QStringLiteral("old"))->conversationId;
        QVERIFY(store.setDraft(conversation, QStringLiteral("half a thought")));
        // What the log holds and the file does not yet must be seen too: copy them as they are.
        QFile::copy(file_, folder_->filePath(QStringLiteral("copy.db")));
        QFile::copy(file_ + "-wal", folder_->filePath(QStringLiteral("copy.db-wal")));
    }
    QTemporaryDir readOnly;
    QVERIFY(
        QFile::copy(folder_->filePath(QStringLiteral("copy.db")), readOnly.filePath("hearth.db")));
    QVERIFY(QFile::copy(folder_->filePath(QStringLiteral("copy.db-wal")),
                        readOnly.filePath("hearth.db-wal")));
    const auto read = QFile::ReadOwner | QFile::ReadGroup | QFile::ReadOther;
    const auto enter = QFile::ExeOwner | QFile::ExeGroup | QFile::ExeOther;
    QVERIFY(QFile::setPermissions(readOnly.path(), read | enter));
    for (const char* name : {"hearth.db", "hearth.db-wal"}) {
        QVERIFY(QFile::setPermissions(readOnly.filePath(QLatin1String(name)), read));
    }
    {
        const WithoutRights nobody(readOnly.path());
        QVERIFY(nobody.ok());
        ConversationStore store;
        const auto report = store.open(readOnly.path());
        QVERIFY(report.mode == Mode::Memory && !store.readOnly());
        QCOMPARE(report.noticeKind, QStringLiteral("error"));
        QVERIFY2(report.noticeText.contains(QLatin1String("cannot be written")) &&
                     report.noticeText.contains(QLatin1String("lost when Hearth ends")),
                 qPrintable(report.noticeText));
        QCOMPARE(store.activePath(conversation).value(0).content, QStringLiteral("old"));
        QVERIFY(store.activePath(conversation).last().state == MessageState::Interrupted);
        QCOMPARE(store.draft(conversation), QStringLiteral("half a thought"));
        QVERIFY(!report.diskFull && !report.heldByAnother);
        QVERIFY(store.send(conversation, QStringLiteral("new")));
        QCOMPARE(store.activePath(conversation).size(), 4);
    }
    QVERIFY(QFile::setPermissions(readOnly.path(), read | enter | QFile::WriteOwner));
    QCOMPARE(QDir(readOnly.path()).entryList(QDir::Files).size(), 2);
#else
    QSKIP("permissions of folders: Unix only");
#endif
}

void StoreOpeningTest::opensAFolderThatCannotBeMade() {
    QFile file(folder_->filePath(QStringLiteral("file")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    ConversationStore store;
    const auto report = store.open(folder_->filePath(QStringLiteral("file/data")));
    QVERIFY(report.mode == Mode::Memory);
    QVERIFY(report.noticeText.contains(QLatin1String("cannot be written")));
    QVERIFY(store.send(kNoId, QStringLiteral("q")));
}

// No byte more may be written to any file.
void StoreOpeningTest::opensOnAFullDisk() {
#ifdef Q_OS_UNIX
    qint64 conversation = kNoId;
    {
        ConversationStore store;
        store.open(folder_->path());
        conversation = store.send(kNoId, QStringLiteral("old"))->conversationId;
    }
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit before{};
    QCOMPARE(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit none = before;
    none.rlim_cur = 0;
    QCOMPARE(::setrlimit(RLIMIT_FSIZE, &none), 0);
    {
        ConversationStore store;
        const auto report = store.open(folder_->path());
        const bool sent = store.send(conversation, QStringLiteral("new")).has_value();
        const StoreError error = store.lastError();
        const QList<Message> path = store.activePath(conversation);
        QCOMPARE(::setrlimit(RLIMIT_FSIZE, &before), 0);  // room again
        QVERIFY2(report.noticeText.contains(QLatin1String("disk is full")),
                 qPrintable(report.noticeText));
        QVERIFY(report.mode == Mode::ReadWrite);
        QVERIFY(report.diskFull && !report.heldByAnother);
        QVERIFY(!sent && error.kind == StoreError::Kind::DiskFull);
        QCOMPARE(path.value(0).content, QStringLiteral("old"));
        QVERIFY(store.send(conversation, QStringLiteral("later")));
    }
    ConversationStore store;
    QVERIFY(store.open(folder_->path()).mode == Mode::ReadWrite);
    QCOMPARE(store.activePath(conversation).value(2).content, QStringLiteral("later"));
#else
    QSKIP("file size limits: Unix only");
#endif
}

void StoreOpeningTest::worksInMemory() {
    ConversationStore store;
    const auto report = store.openInMemory();
    QVERIFY(report.mode == Mode::Memory && !store.readOnly());
    QCOMPARE(report.noticeText, QString());
    QVERIFY(store.send(kNoId, QStringLiteral("q")));
    QCOMPARE(store.conversations().size(), 1);
}

QTEST_GUILESS_MAIN(StoreOpeningTest)
#include "store_opening_test.moc"
