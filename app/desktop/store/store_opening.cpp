// ConversationStore: from a folder in any state to a store in use.
#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QLoggingCategory>
#include <QRegularExpression>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QUuid>

#include "store/conversation_store.h"
#include "store/instance_lock.h"
#include "store/migrations.h"
#include "store/store_rescue.h"
#include "store/store_transaction.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcOpening, "hearth.store")

namespace {

// A full check reads the whole file; larger files are checked page by page during use.
constexpr qint64 kCheckedBytes = qint64{64} * 1024 * 1024;
const QStringList kSuffixes = {QString(), QStringLiteral("-wal"), QStringLiteral("-shm")};

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ConversationStore)
};

// Empty: it could not be moved.
QString moveAside(const QString& file) {
    const QString stamp = QDateTime::currentDateTime().toString(QStringLiteral("yyyyMMdd-HHmmss"));
    QString target = file + QStringLiteral(".damaged-") + stamp;
    for (int n = 2; QFile::exists(target); ++n) {
        target = file + QStringLiteral(".damaged-%1-%2").arg(stamp).arg(n);
    }
    if (!QFile::rename(file, target)) {
        return {};
    }
    for (const QString& suffix : kSuffixes.mid(1)) {
        if (QFile::exists(file + suffix) && !QFile::rename(file + suffix, target + suffix)) {
            return {};
        }
    }
    return target;
}

QString rescuedText(const Rescued& rescued, const QString& kept) {
    const QString begin =
        Words::tr("The file with your conversations was damaged. It was kept as %1.").arg(kept);
    if (rescued.conversations == 0) {
        return begin + QLatin1Char(' ') +
               Words::tr("No chat in it could be read; a new file was started.");
    }
    const QString count = Words::tr("%n chats could be read and are in a new file.", nullptr,
                                    static_cast<int>(rescued.conversations));
    return begin + QLatin1Char(' ') + count +
           (rescued.complete
                ? QString()
                : QLatin1Char(' ') + Words::tr("Other chats, or parts of these, are lost."));
}

}  // namespace

ConversationStore::ConversationStore() = default;

ConversationStore::~ConversationStore() {
    close();
}

void ConversationStore::close() {
    closeConnection();
    lock_.reset();
    mode_ = Mode::Closed;
}

bool ConversationStore::openConnection(const QString& file) {
    closeConnection();
    connection_ = QStringLiteral("hearth-") + QUuid::createUuid().toString();
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), connection_);
    database.setDatabaseName(file);
    database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=1000"));
    if (!database.open()) {
        lastError_ = storeErrorFrom(database.lastError());
        qCWarning(lcOpening).noquote() << lastError_.detail;
        return false;
    }
    return true;
}

void ConversationStore::closeConnection() {
    if (connection_.isEmpty()) {
        return;
    }
    QSqlDatabase::database(connection_, false).close();
    QSqlDatabase::removeDatabase(connection_);
    connection_.clear();
}

ConversationStore::OpenReport ConversationStore::open(const QString& folder) {
    close();
    folder_ = folder;
    const QString file = QDir(folder).filePath(QStringLiteral("hearth.db"));
    if (!QDir().mkpath(folder)) {
        return openWithoutDisk(file, Words::tr("The folder %1 cannot be written.").arg(folder));
    }
    lock_ = std::make_unique<InstanceLock>();
    switch (lock_->acquire(QDir(folder).filePath(QStringLiteral("hearth.lock")))) {
        case InstanceLock::Outcome::Acquired:
            return openWritable(file);
        case InstanceLock::Outcome::HeldByAnother: {
            OpenReport report = openReadOnly(
                file, Words::tr("Hearth is open in another window. This one shows your "
                                "conversations and changes nothing; use the other one, or "
                                "close both and start again."));
            report.heldByAnother = true;
            return report;
        }
        case InstanceLock::Outcome::CannotWrite:
            break;
    }
    return openWithoutDisk(file, Words::tr("The folder %1 cannot be written.").arg(folder));
}

bool ConversationStore::openBeside(const QString& folder) {
    close();
    folder_ = folder;
    if (!openConnection(QDir(folder).filePath(QStringLiteral("hearth.db"))) ||
        !run(QStringLiteral("PRAGMA query_only = ON"))) {
        closeConnection();
        return false;
    }
    mode_ = Mode::ReadOnly;
    return true;
}

ConversationStore::OpenReport ConversationStore::openInMemory() {
    close();
    folder_.clear();
    OpenReport report = openWithoutDisk({}, {});
    report.noticeKind.clear();
    report.noticeText.clear();
    return report;
}

ConversationStore::OpenReport ConversationStore::openWritable(const QString& file) {
    OpenReport report;
    QString kept;
    bool opened = openConnection(file);
    if (opened ? isDamaged(file) : lastError_.kind == StoreError::Kind::Damaged) {
        closeConnection();
        kept = moveAside(file);
        if (kept.isEmpty()) {
            return openWithoutDisk(
                {}, Words::tr("The file with your conversations, %1, is damaged and could "
                              "not be moved.")
                        .arg(file));
        }
        qCWarning(lcOpening).noquote() << "damaged database kept as" << kept;
        opened = openConnection(file);
    }
    if (!opened) {
        return openWithoutDisk(file, sentenceFor(lastError_));
    }
    const int version = schemaVersion();
    if (version > currentSchemaVersion()) {
        qCWarning(lcOpening) << "database has version" << version << "this program knows"
                             << currentSchemaVersion();
        return openReadOnly(
            file, Words::tr("Your conversations were saved by a newer version of Hearth. You "
                            "can read them here; to go on, install the newer version."));
    }
    int interrupted = 0;
    if (configure() && migrate()) {
        if (!kept.isEmpty()) {
            report.noticeKind = QStringLiteral("error");
            report.noticeText = rescuedText(rescueConversations(kept, database()), kept);
        }
        QSqlQuery query(database());
        if (run(query,
                QStringLiteral("UPDATE messages SET state = 'interrupted'"
                               " WHERE state = 'generating'"),
                {})) {
            interrupted = query.numRowsAffected();
            query.clear();
            mode_ = Mode::ReadWrite;
            report.mode = mode_;
            report.interrupted = interrupted;
            // A failure leaves them hidden until the next time. Chats of time 0 never came whole.
            run(QStringLiteral("DELETE FROM conversations WHERE deleted_at = 0"));
            purge(kBinMs);
            return report;
        }
    }
    if (lastError_.kind == StoreError::Kind::DiskFull && openOnFullDisk(file)) {
        mode_ = Mode::ReadWrite;
        return {mode_,
                QStringLiteral("error"),
                Words::tr(
                    "The disk is full. Your conversations are here, but nothing can be added until "
                    "there "
                    "is some room."),
                0,
                false,
                true};
    }
    return openWithoutDisk(file, sentenceFor(lastError_));
}

// Opens an existing file in its current version, without the small file of shared memory that
// SQLite otherwise makes beside it. Writing works as soon as there is room.
bool ConversationStore::openOnFullDisk(const QString& file) {
    const StoreError reason = lastError_;
    const bool ok = openConnection(file) &&
                    run(QStringLiteral("PRAGMA locking_mode = EXCLUSIVE")) &&
                    schemaVersion() == currentSchemaVersion() && configure() &&
                    !value(QStringLiteral("SELECT count(*) FROM conversations")).isNull();
    lastError_ = reason;
    return ok;
}

ConversationStore::OpenReport ConversationStore::openReadOnly(const QString& file,
                                                              const QString& why) {
    // SQLite cannot read a write-ahead log through a read-only connection that is the first one.
    // The connection is therefore an ordinary one that refuses to write.
    if ((connection_.isEmpty() && !openConnection(file)) ||
        !run(QStringLiteral("PRAGMA query_only = ON"))) {
        return openWithoutDisk(file, sentenceFor(lastError_));
    }
    mode_ = Mode::ReadOnly;
    return {mode_, QStringLiteral("warning"), why, 0};
}

ConversationStore::OpenReport ConversationStore::openWithoutDisk(const QString& file,
                                                                 const QString& why) {
    closeConnection();
    lock_.reset();
    qCWarning(lcOpening) << "running in memory";
    if (!openConnection(QStringLiteral(":memory:")) || !configure() || !migrate()) {
        qCCritical(lcOpening).noquote() << "SQLite does not work:" << lastError_.detail;
        mode_ = Mode::Closed;
        return {mode_, QStringLiteral("error"),
                Words::tr("The database of this system does not work."), 0};
    }
    if (QFile::exists(file)) {
        copyInto(file);
    }
    mode_ = Mode::Memory;
    const QString hint = Words::tr(
        "Messages you write now are lost when Hearth ends. Mend this, then start Hearth again.");
    return {mode_, QStringLiteral("error"), why + QLatin1Char(' ') + hint, 0};
}

// Copies the content of an unwritable folder into the database in memory. The log there may hold
// the latest messages and cannot be read in place, so a copy is opened.
void ConversationStore::copyInto(const QString& file) {
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("copy.db"));
    if (!folder.isValid() || !QFile::copy(file, copy)) {
        return;
    }
    const QFile::Permissions mine = QFile::ReadOwner | QFile::WriteOwner;
    QFile::setPermissions(copy, mine);
    if (QFile::copy(file + QStringLiteral("-wal"), copy + QStringLiteral("-wal"))) {
        QFile::setPermissions(copy + QStringLiteral("-wal"), mine);
    }
    {
        ConversationStore older;
        if (!older.openConnection(copy) || older.isDamaged(copy) ||
            older.schemaVersion() > currentSchemaVersion() || !older.configure() ||
            !older.migrate()) {
            return;
        }
    }
    if (!run(QStringLiteral("ATTACH ? AS old"), {copy})) {
        return;
    }
    {
        StoreTransaction transaction(database(), &lastError_);
        bool ok = transaction.begun();
        for (const char* table :
             {"projects", "project_permissions", "conversations", "messages", "drafts",
              "tool_calls", "chat_tools", "chat_permissions", "attachments", "used_passages"}) {
            ok = ok && run(QStringLiteral("INSERT INTO main.%1 SELECT * FROM old.%1")
                               .arg(QLatin1String(table)));
        }
        ok = ok &&
             run(QStringLiteral("UPDATE messages SET state = 'interrupted'"
                                " WHERE state = 'generating'")) &&
             transaction.commit();
        if (!ok) {
            qCWarning(lcOpening).noquote() << "could not read the old conversations";
        }
    }
    run(QStringLiteral("DETACH old"));
}

bool ConversationStore::configure() {
    syncs_ = true;
    return run(QStringLiteral("PRAGMA journal_mode = WAL")) &&
           run(QStringLiteral("PRAGMA synchronous = FULL")) &&
           run(QStringLiteral("PRAGMA secure_delete = ON")) &&  // deleted means gone
           run(QStringLiteral("PRAGMA foreign_keys = ON"));
}

int ConversationStore::schemaVersion() {
    return value(QStringLiteral("PRAGMA user_version")).toInt();
}

bool ConversationStore::migrate() {
    for (int version = schemaVersion(); version < currentSchemaVersion(); ++version) {
        StoreTransaction transaction(database(), &lastError_);
        if (!transaction.begun()) {
            return false;
        }
        for (const QString& sql : migrations().at(version)) {
            if (!run(sql)) {
                return false;
            }
        }
        if (!run(QStringLiteral("PRAGMA user_version = %1").arg(version + 1)) ||
            !transaction.commit()) {
            return false;
        }
    }
    return true;
}

bool ConversationStore::isDamaged(const QString& file) {
    lastError_ = {};
    value(QStringLiteral("SELECT count(*) FROM sqlite_master"));
    if (lastError_.kind == StoreError::Kind::Damaged) {
        return true;
    }
    if (lastError_.kind != StoreError::Kind::None || QFileInfo(file).size() > kCheckedBytes) {
        return false;
    }
    const QString verdict = value(QStringLiteral("PRAGMA quick_check(1)")).toString();
    // SQLITE_NOMEM, and the same from below: a check without memory says nothing of the file.
    static const QRegularExpression noMemory(QStringLiteral("error code=(7|3082)\\b"));
    if (verdict.contains(noMemory)) {
        return false;
    }
    return verdict != QLatin1String("ok") &&
           (!verdict.isEmpty() || lastError_.kind == StoreError::Kind::Damaged);
}

}  // namespace hearth::ui
