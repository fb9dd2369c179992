// The conversations while SQLite gets no memory: every allocation of every step refused, one after
// the other. A step is done whole or not at all, the store works on, and a database is never taken
// for damaged because there was no memory to look at it.
#include <QDir>
#include <QFileInfo>
#include <QLibrary>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QTemporaryDir>
#include <QtTest>
#include <cstdlib>
#include <functional>

#include "store/conversation_store.h"

using namespace hearth::ui;

namespace {

// sqlite3_mem_methods and SQLITE_CONFIG_MALLOC, as SQLite's interface has them for good.
struct MemoryMethods {
    void* (*allocate)(int bytes);
    void (*release)(void* memory);
    void* (*reallocate)(void* memory, int bytes);
    int (*size)(void* memory);
    int (*round_up)(int bytes);
    int (*start)(void* data);
    void (*stop)(void* data);
    void* data;
};
constexpr int kConfigMalloc = 4;

// Only this thread uses SQLite here.
qint64 g_left = -1;  // allocations until the refused one; below zero: none is

bool refused() {
    return g_left > 0 && --g_left == 0;
}

struct Header {
    alignas(16) int bytes;
};

Header* header_of(void* memory) {
    return static_cast<Header*>(memory) - 1;
}

void* allocate(int bytes) {
    auto* header =
        refused()
            ? nullptr
            : static_cast<Header*>(std::malloc(sizeof(Header) + static_cast<std::size_t>(bytes)));
    if (header == nullptr) {
        return nullptr;
    }
    header->bytes = bytes;
    return header + 1;
}

void release(void* memory) {
    if (memory != nullptr) {
        std::free(header_of(memory));
    }
}

void* reallocate(void* memory, int bytes) {
    auto* header = refused()
                       ? nullptr
                       : static_cast<Header*>(std::realloc(
                             header_of(memory), sizeof(Header) + static_cast<std::size_t>(bytes)));
    if (header == nullptr) {
        return nullptr;
    }
    header->bytes = bytes;
    return header + 1;
}

int size(void* memory) {
    return memory == nullptr ? 0 : header_of(memory)->bytes;
}
int round_up(int bytes) {
    return (bytes + 7) / 8 * 8;
}
int start(void*) {
    return 0;
}
void stop(void*) {}

const MemoryMethods kMethods{allocate, release, reallocate, size, round_up, start, stop, nullptr};

// False where Qt has an SQLite of its own inside.
bool take_over_sqlite() {
    QLibrary sqlite(QStringLiteral("sqlite3"), 0);
    using Config = int (*)(int, ...);
    const auto config = reinterpret_cast<Config>(sqlite.resolve("sqlite3_config"));
    return config != nullptr && config(kConfigMalloc, &kMethods) == 0;
}

// The database as it stands: every row of every table, from this conversation on.
QString contents(const ConversationStore& store, qint64 firstConversation = 0) {
    QString all;
    for (const char* rows : {"conversations WHERE id", "messages WHERE conversation_id",
                             "drafts WHERE conversation_id"}) {
        QSqlQuery query(QSqlDatabase::database(store.connectionName()));
        if (!query.exec(QStringLiteral("SELECT * FROM %1 >= %2 ORDER BY 1")
                            .arg(QLatin1String(rows))
                            .arg(firstConversation))) {
            return QStringLiteral("unreadable");
        }
        const int columns = query.record().count();
        while (query.next()) {
            for (int column = 0; column < columns; ++column) {
                all += query.value(column).toString() + QLatin1Char('|');
            }
            all += QLatin1Char('\n');
        }
    }
    return all;
}

// A folder that waits for no disk, if there is one: thousands of commits are synced here.
QString folderTemplate() {
    const QString memory = QStringLiteral("/dev/shm");
    return (QFileInfo(memory).isWritable() ? memory : QDir::tempPath()) +
           QStringLiteral("/hearth-test-XXXXXX");
}

QString pragma(const ConversationStore& store, const char* name) {
    QSqlQuery query(QSqlDatabase::database(store.connectionName()));
    return query.exec(QStringLiteral("PRAGMA %1").arg(QLatin1String(name))) && query.next()
               ? query.value(0).toString()
               : QStringLiteral("no answer");
}

}  // namespace

class StoreMemoryTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void steps_data();
    void steps();
    void opening();

private:
    bool faults_ = false;
};

using Step = std::function<bool(ConversationStore&, const ConversationStore::Sent&)>;

void StoreMemoryTest::initTestCase() {
    faults_ = take_over_sqlite();
    if (!faults_) {
        QVERIFY2(qEnvironmentVariableIntValue("HEARTH_NO_SKIP") != 1,
                 "SQLite is no library of its own");
        QSKIP("SQLite is no library of its own");
    }
}

void StoreMemoryTest::steps_data() {
    QTest::addColumn<Step>("step");
    const auto row = [](const char* name, const Step& step) { QTest::newRow(name) << step; };
    const QString text = QStringLiteral("a text \u00e4\U0001F525 ").repeated(400);
    row("send", [=](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.send(sent.conversationId, text).has_value();
    });
    row("send in a new conversation",
        [=](ConversationStore& store, const auto&) { return store.send(kNoId, text).has_value(); });
    row("another answer", [](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.addAnswer(sent.assistantId).has_value();
    });
    row("another question", [=](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.addQuestion(sent.userId, text).has_value();
    });
    row("an edited answer", [=](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.addEditedAnswer(sent.assistantId, text).has_value();
    });
    row("checkpoint", [=](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.checkpointReply(sent.assistantId, text);
    });
    row("end of an answer", [=](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.finishReply(sent.assistantId, text, MessageState::Complete, {}, {});
    });
    row("rename", [](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.rename(sent.conversationId, QStringLiteral("another name"));
    });
    row("remove", [](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.remove(sent.conversationId);
    });
    row("draft", [=](ConversationStore& store, const ConversationStore::Sent& sent) {
        return store.setDraft(sent.conversationId, text);
    });
}

void StoreMemoryTest::steps() {
    QFETCH(Step, step);
    const QTemporaryDir folder(folderTemplate());
    QVERIFY(folder.isValid());
    ConversationStore store;
    QVERIFY(store.open(folder.path()).mode == ConversationStore::Mode::ReadWrite);
    int failed = 0;
    for (qint64 number = 1;; ++number) {
        const auto sent = store.send(kNoId, QStringLiteral("a question"));
        QVERIFY(sent);
        // A sent message is synced, whatever the step before left behind.
        QCOMPARE(pragma(store, "synchronous"), QStringLiteral("2"));
        const QString before = contents(store, sent->conversationId);
        QVERIFY(before.contains(QStringLiteral("a question")));
        g_left = number;
        const bool done = step(store, *sent);
        const bool happened = g_left == 0;
        g_left = -1;
        const QByteArray where = "allocation " + QByteArray::number(number);
        if (!done) {
            ++failed;
            QVERIFY2(happened, where);
            QVERIFY2(store.lastError().kind != StoreError::Kind::Damaged, where);
            QVERIFY2(contents(store, sent->conversationId) == before, where);
        } else {
            QVERIFY2(contents(store, sent->conversationId) != before, where);
        }
        QCOMPARE(pragma(store, "integrity_check"), QStringLiteral("ok"));
        if (done && qstrcmp(QTest::currentDataTag(), "send") == 0) {
            QCOMPARE(store.activePath(sent->conversationId).size(), 4);  // after the first answer
        }
        if (!happened) {
            QVERIFY(done);
            break;
        }
    }
    QVERIFY(failed > 0);
}

void StoreMemoryTest::opening() {
    const QTemporaryDir folder(folderTemplate());
    QVERIFY(folder.isValid());
    QString before;
    {
        ConversationStore store;
        QVERIFY(store.open(folder.path()).mode == ConversationStore::Mode::ReadWrite);
        for (int i = 0; i < 5; ++i) {
            const auto sent = store.send(kNoId, QStringLiteral("question %1").arg(i));
            QVERIFY(sent);
            QVERIFY(store.finishReply(sent->assistantId, QStringLiteral("an answer"),
                                      MessageState::Complete, {}, {}));
        }
        before = contents(store);
    }
    QVERIFY(before.contains(QStringLiteral("question 4")));
    int failed = 0;
    bool happened = true;
    for (qint64 number = 1; happened; ++number) {
        {
            ConversationStore store;
            g_left = number;
            const auto report = store.open(folder.path());
            happened = g_left == 0;
            g_left = -1;
            failed += report.mode == ConversationStore::Mode::ReadWrite ? 0 : 1;
        }
        const QByteArray where = "allocation " + QByteArray::number(number);
        QVERIFY2(QDir(folder.path()).entryList({"*damaged*"}).isEmpty(), where);
        ConversationStore store;
        QVERIFY2(store.open(folder.path()).mode == ConversationStore::Mode::ReadWrite, where);
        QVERIFY2(contents(store) == before, where);
    }
    QVERIFY(failed > 0);
}

QTEST_GUILESS_MAIN(StoreMemoryTest)
#include "store_memory_test.moc"
