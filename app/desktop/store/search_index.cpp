#include "store/search_index.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QLoggingCategory>
#include <QSet>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>
#include <algorithm>
#include <utility>

#include "markdown/reasoning.h"
#include "store/store_transaction.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcSearch, "hearth.search")

namespace {

// Another number makes the index anew: the tables are others, or texts are folded otherwise.
constexpr int kVersion = 2;
// A step ends after so many messages or letters: some ten milliseconds.
constexpr int kStepMessages = 100;
constexpr qsizetype kStepLetters = 60'000;
constexpr int kMergePages = 200;

// Both tables hold ids alone, no places and no text: whether a message has the words is looked up
// in its text. Signs of ASCII are letters to the second: people look for C# and ++.
const char* const kTriplesTable =
    "CREATE VIRTUAL TABLE triples USING %1(text, content='', columnsize=0, detail=none,"
    " tokenize='trigram case_sensitive 1')";
const char* const kGramsTable =
    "CREATE VIRTUAL TABLE grams USING %1(text, content='', columnsize=0, detail=none,"
    " tokenize=\"ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'''\")";

struct Words {
    Q_DECLARE_TR_FUNCTIONS(SearchIndex)
};

QString shownText(const QString& role, const QString& content) {
    return roleFromString(role) == MessageRole::Assistant ? answerIn(content) : content;
}

QString connect(const QString& file) {
    const QString name = QStringLiteral("hearth-search-") + QUuid::createUuid().toString();
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
    database.setDatabaseName(file);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=1000"));
    return name;
}

void disconnect(QString* name) {
    if (!name->isEmpty()) {
        QSqlDatabase::database(*name, false).close();
        QSqlDatabase::removeDatabase(*name);
        name->clear();
    }
}

}  // namespace

SearchIndex::SearchIndex(QString fullText) : fullText_(std::move(fullText)) {}

SearchIndex::~SearchIndex() {
    close();
}

QSqlDatabase SearchIndex::index() const {
    return QSqlDatabase::database(indexName_, false);
}

QSqlDatabase SearchIndex::chats() const {
    return QSqlDatabase::database(chatsName_, false);
}

void SearchIndex::close() {
    disconnect(&indexName_);
    disconnect(&chatsName_);
}

bool SearchIndex::run(QSqlQuery& query, const QString& sql, const QVariantList& values) {
    query.setForwardOnly(true);
    bool ok = query.prepare(sql);
    if (ok) {
        for (const QVariant& value : values) {
            query.addBindValue(value);
        }
        ok = query.exec();
    }
    if (!ok) {
        error_ = storeErrorFrom(query.lastError());
        qCWarning(lcSearch).noquote() << error_.detail;
    }
    return ok;
}

bool SearchIndex::change(const QString& sql, const QVariantList& values) {
    QSqlQuery query(index());
    return run(query, sql, values);
}

QVariant SearchIndex::ask(const QSqlDatabase& database, const QString& sql,
                          const QVariantList& values) {
    QSqlQuery query(database);
    return run(query, sql, values) && query.next() ? query.value(0) : QVariant();
}

QList<qint64> SearchIndex::ids(const QSqlDatabase& database, const QString& sql,
                               const QVariantList& values) {
    QList<qint64> found;
    QSqlQuery query(database);
    if (run(query, sql, values)) {
        while (query.next()) {
            found.append(query.value(0).toLongLong());
        }
    }
    return found;
}

bool SearchIndex::open(const QString& folder, bool mayWrite) {
    close();
    problem_.clear();
    error_ = {};
    mayWrite_ = mayWrite;
    file_ = QDir(folder).filePath(QStringLiteral("search.db"));
    chatsName_ = connect(QDir(folder).filePath(QStringLiteral("hearth.db")));
    if (!openChats()) {
        problem_ = Words::tr("Chats cannot be searched: their file cannot be read.");
        close();
        return false;
    }
    if (!openIndex() && mayWrite_ && problem_.isEmpty()) {
        qCInfo(lcSearch) << "the index is made anew";
        removeFile();
        error_ = {};
        openIndex();
    }
    if (problem_.isEmpty() && indexName_.isEmpty()) {
        problem_ = mayWrite_ ? Words::tr("Chats cannot be searched. %1").arg(sentenceFor(error_))
                             : Words::tr("Chats cannot be searched in this window.");
    }
    if (!problem_.isEmpty()) {
        qCWarning(lcSearch).noquote() << problem_ << error_.detail;
        close();
        return false;
    }
    return true;
}

bool SearchIndex::openFile(QSqlDatabase database) {
    if (!database.open()) {
        error_ = storeErrorFrom(database.lastError());
        return false;
    }
    return true;
}

bool SearchIndex::openChats() {
    if (!openFile(chats())) {
        return false;
    }
    QSqlQuery query(chats());
    return run(query, QStringLiteral("PRAGMA query_only = ON")) &&
           run(query, QStringLiteral("SELECT 1 FROM messages LIMIT 1"));
}

// False without a problem: the file is of no use, and a new one may be.
bool SearchIndex::openIndex() {
    disconnect(&indexName_);
    if (!mayWrite_ && !QFile::exists(file_)) {
        return false;
    }
    indexName_ = connect(file_);
    const bool fresh = !QFile::exists(file_);
    bool ok = openFile(index());
    if (ok && mayWrite_) {
        // A loss of power may cost the latest steps, which are then done again.
        ok = change(QStringLiteral("PRAGMA journal_mode = WAL")) &&
             change(QStringLiteral("PRAGMA synchronous = NORMAL")) &&
             change(QStringLiteral("PRAGMA secure_delete = ON"));
    } else if (ok) {
        ok = change(QStringLiteral("PRAGMA query_only = ON"));
    }
    ok = ok && (fresh ? create() : belongsToChats());
    if (!ok) {
        disconnect(&indexName_);
    }
    return ok;
}

bool SearchIndex::create() {
    StoreTransaction transaction(index(), &error_);
    if (!transaction.begun()) {
        return false;
    }
    for (const char* table : {kTriplesTable, kGramsTable}) {
        QSqlQuery query(index());
        if (!query.exec(QString::fromLatin1(table).replace(QLatin1String("%1"), fullText_))) {
            error_ = storeErrorFrom(query.lastError());
            if (query.lastError().databaseText().contains(QLatin1String("no such module"))) {
                problem_ = Words::tr(
                    "Chats cannot be searched: the SQLite of this system has no "
                    "full-text search (FTS5).");
            }
            return false;
        }
    }
    return change(QStringLiteral("CREATE TABLE progress (last_id INTEGER NOT NULL,"
                                 " last_created INTEGER NOT NULL, held INTEGER NOT NULL)")) &&
           change(QStringLiteral("INSERT INTO progress VALUES (0, 0, 0)")) &&
           // answers that were not complete, and chats in the bin
           change(QStringLiteral("CREATE TABLE waiting (id INTEGER PRIMARY KEY)")) &&
           change(QStringLiteral("CREATE TABLE binned (id INTEGER PRIMARY KEY,"
                                 " purged INTEGER NOT NULL DEFAULT 0)")) &&
           change(QStringLiteral("PRAGMA user_version = %1").arg(kVersion)) && transaction.commit();
}

// The file was made of these conversations: its latest message is there, and none is missing that
// was not in the bin before.
bool SearchIndex::belongsToChats() {
    if (ask(index(), QStringLiteral("PRAGMA user_version")).toInt() != kVersion) {
        return false;
    }
    QSqlQuery progress(index());
    if (!run(progress, QStringLiteral("SELECT last_id, last_created, held FROM progress")) ||
        !progress.next()) {
        return false;
    }
    const qint64 last = progress.value(0).toLongLong();
    const qint64 created = progress.value(1).toLongLong();
    const qint64 held = progress.value(2).toLongLong();
    const QVariant now =
        ask(chats(), QStringLiteral("SELECT created_at FROM messages WHERE id = ?"), {last});
    if (now.isValid() && now.toLongLong() != created) {
        return false;
    }
    const qint64 given =
        ask(chats(), QStringLiteral("SELECT seq FROM sqlite_sequence WHERE name = 'messages'"))
            .toLongLong();
    if (given < last) {
        return false;
    }
    qint64 there =
        ask(chats(), QStringLiteral("SELECT count(*) FROM messages WHERE id <= ?"), {last})
            .toLongLong();
    const QList<qint64> binned = ids(index(), QStringLiteral("SELECT id FROM binned"));
    for (const qint64 chat : binned) {
        there -= ask(chats(),
                     QStringLiteral("SELECT count(*) FROM messages WHERE conversation_id = ?"
                                    " AND id <= ?"),
                     {chat, last})
                     .toLongLong();
    }
    there -= ask(index(), QStringLiteral("SELECT count(*) FROM waiting")).toLongLong();
    return there == held;
}

void SearchIndex::removeFile() {
    disconnect(&indexName_);
    for (const char* suffix : {"", "-wal", "-shm"}) {
        QFile::remove(file_ + QLatin1String(suffix));
    }
}

bool SearchIndex::takeIn(qint64 messageId, const QString& shown) {
    const QString folded = foldForSearch(shown);
    return change(QStringLiteral("INSERT INTO triples(rowid, text) VALUES (?, ?)"),
                  {messageId, folded}) &&
           change(QStringLiteral("INSERT INTO grams(rowid, text) VALUES (?, ?)"),
                  {messageId, gramsOf(folded)}) &&
           change(QStringLiteral("UPDATE progress SET held = held + 1"));
}

bool SearchIndex::takeOut(qint64 messageId, const QString& shown) {
    const QString folded = foldForSearch(shown);
    return change(QStringLiteral("INSERT INTO triples(triples, rowid, text)"
                                 " VALUES ('delete', ?, ?)"),
                  {messageId, folded}) &&
           change(QStringLiteral("INSERT INTO grams(grams, rowid, text) VALUES ('delete', ?, ?)"),
                  {messageId, gramsOf(folded)}) &&
           change(QStringLiteral("UPDATE progress SET held = held - 1"));
}

// All messages of a chat that were met already.
bool SearchIndex::takeChat(qint64 conversationId, bool in) {
    const qint64 last = ask(index(), QStringLiteral("SELECT last_id FROM progress")).toLongLong();
    QSqlQuery messages(chats());
    if (!run(messages,
             QStringLiteral("SELECT id, role, content, state FROM messages"
                            " WHERE conversation_id = ? AND id <= ?"),
             {conversationId, last})) {
        return false;
    }
    while (messages.next()) {
        const qint64 id = messages.value(0).toLongLong();
        const QString shown = shownText(messages.value(1).toString(), messages.value(2).toString());
        const bool waits =
            in ? messages.value(3).toString() == toString(MessageState::Generating)
               : ask(index(), QStringLiteral("SELECT 1 FROM waiting WHERE id = ?"), {id}).isValid();
        const bool done = waits ? change(in ? QStringLiteral("INSERT INTO waiting VALUES (?)")
                                            : QStringLiteral("DELETE FROM waiting WHERE id = ?"),
                                         {id})
                                : (in ? takeIn(id, shown) : takeOut(id, shown));
        if (!done) {
            return false;
        }
    }
    return true;
}

// Chats that went into the bin leave the index while their texts are still there; those that came
// back return; those that are gone for good are noted for forgetPurged().
bool SearchIndex::followBin() {
    const QList<qint64> now =
        ids(chats(), QStringLiteral("SELECT id FROM conversations WHERE deleted_at > 0"));
    const QList<qint64> before =
        ids(index(), QStringLiteral("SELECT id FROM binned WHERE purged = 0"));
    const QSet<qint64> inBin(now.begin(), now.end());
    const QSet<qint64> known(before.begin(), before.end());
    for (const qint64 chat : now) {
        if (!known.contains(chat) &&
            !(takeChat(chat, false) &&
              change(QStringLiteral("INSERT INTO binned(id) VALUES (?)"), {chat}))) {
            return false;
        }
    }
    for (const qint64 chat : before) {
        if (inBin.contains(chat)) {
            continue;
        }
        const bool isBack =
            ask(chats(), QStringLiteral("SELECT 1 FROM conversations WHERE id = ?"), {chat})
                .isValid();
        const bool done =
            isBack ? takeChat(chat, true) &&
                         change(QStringLiteral("DELETE FROM binned WHERE id = ?"), {chat})
                   : change(QStringLiteral("UPDATE binned SET purged = 1 WHERE id = ?"), {chat});
        if (!done) {
            return false;
        }
    }
    return true;
}

// Answers that were being written when their turn came.
bool SearchIndex::takeWaiting() {
    const QList<qint64> waiting = ids(index(), QStringLiteral("SELECT id FROM waiting"));
    for (const qint64 id : waiting) {
        QSqlQuery message(chats());
        if (!run(message, QStringLiteral("SELECT role, content, state FROM messages WHERE id = ?"),
                 {id})) {
            return false;
        }
        const bool there = message.next();
        if (there && message.value(2).toString() == toString(MessageState::Generating)) {
            continue;
        }
        if ((there &&
             !takeIn(id, shownText(message.value(0).toString(), message.value(1).toString()))) ||
            !change(QStringLiteral("DELETE FROM waiting WHERE id = ?"), {id})) {
            return false;
        }
    }
    return true;
}

bool SearchIndex::takeNew(bool* more) {
    const QList<qint64> list = ids(index(), QStringLiteral("SELECT id FROM binned"));
    const QSet<qint64> binned(list.begin(), list.end());
    qint64 last = ask(index(), QStringLiteral("SELECT last_id FROM progress")).toLongLong();
    qint64 created = 0;
    QSqlQuery messages(chats());
    // A chat that is being imported waits until it is whole, and all later messages with it.
    if (!run(messages,
             QStringLiteral("SELECT id, role, content, state, conversation_id, created_at"
                            " FROM messages WHERE id > ? AND id < coalesce("
                            "  (SELECT min(m.id) FROM messages m JOIN conversations c"
                            "   ON c.id = m.conversation_id WHERE c.deleted_at = 0),"
                            "  9223372036854775807) ORDER BY id LIMIT ?"),
             {last, kStepMessages})) {
        return false;
    }
    int count = 0;
    qsizetype letters = 0;
    while (letters < kStepLetters && messages.next()) {
        last = messages.value(0).toLongLong();
        created = messages.value(5).toLongLong();
        ++count;
        if (binned.contains(messages.value(4).toLongLong())) {
            continue;
        }
        const QString content = messages.value(2).toString();
        letters += content.size();
        const bool done = messages.value(3).toString() == toString(MessageState::Generating)
                              ? change(QStringLiteral("INSERT INTO waiting VALUES (?)"), {last})
                              : takeIn(last, shownText(messages.value(1).toString(), content));
        if (!done) {
            return false;
        }
    }
    *more = count == kStepMessages || letters >= kStepLetters;
    return count == 0 || change(QStringLiteral("UPDATE progress SET last_id = ?, last_created = ?"),
                                {last, created});
}

// FTS5 keeps what was taken out until it merges its pieces. Deleted means gone: once a chat is gone
// for good, they are merged, some pages a step.
bool SearchIndex::forgetPurged(bool* more) {
    if (!ask(index(), QStringLiteral("SELECT 1 FROM binned WHERE purged = 1 LIMIT 1")).isValid()) {
        return true;
    }
    bool merged = false;
    for (const char* table : {"triples", "grams"}) {
        const auto changes = [this] {
            return ask(index(), QStringLiteral("SELECT total_changes()")).toLongLong();
        };
        const qint64 before = changes();
        if (!change(QStringLiteral("INSERT INTO %1(%1, rank) VALUES ('merge', ?)")
                        .arg(QLatin1String(table)),
                    {-kMergePages})) {
            return false;
        }
        merged = merged || changes() - before >= 2;  // fewer: there was nothing to merge
    }
    *more = *more || merged;
    return merged || change(QStringLiteral("DELETE FROM binned WHERE purged = 1"));
}

bool SearchIndex::step() {
    if (indexName_.isEmpty() || !mayWrite_) {
        return false;
    }
    error_ = {};
    problem_.clear();
    bool more = false;
    {
        StoreTransaction transaction(index(), &error_);
        if (transaction.begun() && followBin() && takeWaiting() && takeNew(&more) &&
            (more || forgetPurged(&more)) && transaction.commit()) {
            return more;
        }
    }
    if (error_.kind == StoreError::Kind::Damaged) {
        qCWarning(lcSearch) << "the index is damaged and made anew";
        removeFile();
        error_ = {};
        if (openIndex()) {
            return true;
        }
    }
    problem_ = Words::tr("Some chats are not found yet. %1").arg(sentenceFor(error_));
    return false;
}

void SearchIndex::reopen(qint64 messageId, const QString& former) {
    if (indexName_.isEmpty() || !mayWrite_) {
        return;
    }
    const bool isIn =
        ask(index(), QStringLiteral("SELECT last_id FROM progress")).toLongLong() >= messageId &&
        !ask(index(), QStringLiteral("SELECT 1 FROM waiting WHERE id = ?"), {messageId}).isValid();
    StoreTransaction transaction(index(), &error_);
    if (isIn && transaction.begun() &&
        takeOut(messageId, shownText(toString(MessageRole::Assistant), former)) &&
        change(QStringLiteral("INSERT INTO waiting VALUES (?)"), {messageId})) {
        transaction.commit();
    }
}

double SearchIndex::share() {
    const double all = ask(chats(), QStringLiteral("SELECT max(id) FROM messages")).toDouble();
    const double last = ask(index(), QStringLiteral("SELECT last_id FROM progress")).toDouble();
    return all > 0 ? std::min(1.0, last / all) : 1.0;
}

QList<SearchHit> SearchIndex::find(const QString& query, int most, qint64 projectId,
                                   const std::function<bool()>& stop) {
    const QStringList words = searchWords(query);
    QList<SearchHit> hits;
    if (words.isEmpty() || indexName_.isEmpty()) {
        return hits;
    }
    const SearchMatch match = matchFor(words);
    const QString candidatesIn = QStringLiteral("SELECT rowid FROM %1 WHERE %1 MATCH ?");
    QStringList parts;
    QVariantList values;
    if (!match.triples.isEmpty()) {
        parts << candidatesIn.arg(QStringLiteral("triples"));
        values << match.triples;
    }
    if (!match.grams.isEmpty()) {
        parts << candidatesIn.arg(QStringLiteral("grams"));
        values << match.grams;
    }
    QSqlQuery candidates(index());
    QSqlQuery message(chats());
    message.setForwardOnly(true);
    // Both tables give their rows in this order, so that the first ones cost no more.
    if (!run(candidates,
             parts.join(QStringLiteral(" INTERSECT ")) + QStringLiteral(" ORDER BY 1 DESC"),
             values) ||
        !message.prepare(
            QStringLiteral("SELECT m.content, m.role, m.created_at, c.id, c.title FROM messages m"
                           " JOIN conversations c ON c.id = m.conversation_id"
                           " WHERE m.id = ? AND c.deleted_at IS NULL"))) {
        return hits;
    }
    // Candidates of a frequent word are many, and a project's messages few: nothing else is read.
    const bool inProject = projectId != kNoId;
    const QList<qint64> list =
        inProject ? ids(chats(),
                        QStringLiteral("SELECT m.id FROM messages m JOIN conversations c"
                                       " ON c.id = m.conversation_id WHERE c.project_id = ?"),
                        {projectId})
                  : QList<qint64>();
    const QSet<qint64> ofProject(list.begin(), list.end());
    while (hits.size() < most && !(stop && stop()) && candidates.next()) {
        SearchHit hit;
        hit.messageId = candidates.value(0).toLongLong();
        if (inProject && !ofProject.contains(hit.messageId)) {
            continue;
        }
        message.bindValue(0, hit.messageId);
        if (!message.exec() || !message.next()) {
            continue;  // it went into the bin a moment ago
        }
        const QString role = message.value(1).toString();
        const auto line = lineAround(shownText(role, message.value(0).toString()), words);
        if (line) {
            hit.role = roleFromString(role);
            hit.at = QDateTime::fromMSecsSinceEpoch(message.value(2).toLongLong());
            hit.conversationId = message.value(3).toLongLong();
            hit.title = message.value(4).toString();
            hit.line = *line;
            hits.append(hit);
        }
    }
    return hits;
}

}  // namespace hearth::ui
