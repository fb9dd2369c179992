#include "documents/document_file.h"

#include <QFile>
#include <QFileInfo>
#include <QLoggingCategory>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QUuid>
#include <QVariant>

#include "documents/passages.h"
#include "documents/word_search.h"
#include "system/durable_file.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcDocument, "hearth.documents")

namespace {

QString connect(const QString& path, const QString& options) {
    const QString name = QStringLiteral("hearth-document-") + QUuid::createUuid().toString();
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
    database.setDatabaseName(path);
    database.setConnectOptions(options);
    database.open();
    return name;
}

void disconnect(const QString& name) {
    QSqlDatabase::database(name, false).close();
    QSqlDatabase::removeDatabase(name);
}

bool run(const QSqlDatabase& database, const QString& sql) {
    QSqlQuery query(database);
    const bool done = query.exec(sql);
    if (!done) {
        qCWarning(lcDocument).noquote() << query.lastError().text();
    }
    return done;
}

bool fill(const QSqlDatabase& database, const DocumentText& document) {
    // The file gets its name when it is whole: it needs no journal.
    if (!database.isOpen() || !run(database, QStringLiteral("PRAGMA journal_mode = OFF")) ||
        !run(database, QStringLiteral("PRAGMA synchronous = OFF")) ||
        !run(database, QStringLiteral("BEGIN")) ||
        !run(database, QStringLiteral("CREATE TABLE passages (id INTEGER PRIMARY KEY,"
                                      " page INTEGER NOT NULL, text TEXT NOT NULL)")) ||
        !WordSearch::create(database)) {
        return false;
    }
    WordSearch search(database);
    QSqlQuery query(database);
    query.prepare(QStringLiteral("INSERT INTO passages (id, page, text) VALUES (?, ?, ?)"));
    int number = 0;
    for (const Passage& passage : cutPassages(document)) {
        const QString text = document.text.mid(passage.begin, passage.length);
        query.bindValue(0, number);
        query.bindValue(1, document.pageAt(passage.begin));
        query.bindValue(2, text);
        if (!query.exec() || !search.add(number, text)) {
            qCWarning(lcDocument).noquote() << query.lastError().text();
            return false;
        }
        ++number;
    }
    return run(database, QStringLiteral("COMMIT"));
}

}  // namespace

bool DocumentFile::write(const QString& path, const DocumentText& document) {
    const QString part = path + QStringLiteral(".part");
    QFile::remove(part);
    const QString connection = connect(part, {});
    bool done = fill(QSqlDatabase::database(connection, false), document);
    disconnect(connection);
    QFile file(part);
    done = done && file.open(QIODevice::ReadWrite) && !syncFile(file);
    file.close();
    done = done && (QFile::exists(path) || QFile::rename(part, path));
    QFile::remove(part);
    syncFolder(QFileInfo(path).path());
    return done;
}

std::unique_ptr<DocumentFile> DocumentFile::open(const QString& path) {
    if (!QFile::exists(path)) {
        return nullptr;
    }
    std::unique_ptr<DocumentFile> file(
        new DocumentFile(connect(path, QStringLiteral("QSQLITE_OPEN_READONLY"))));
    return file->part(0) ? std::move(file) : nullptr;
}

DocumentFile::DocumentFile(const QString& connection)
    : connection_(connection),
      search_(std::make_unique<WordSearch>(QSqlDatabase::database(connection, false))) {}

DocumentFile::~DocumentFile() {
    search_.reset();
    disconnect(connection_);
}

QList<DocumentFile::Part> DocumentFile::parts() const {
    QList<Part> parts;
    QSqlQuery query(QSqlDatabase::database(connection_, false));
    query.setForwardOnly(true);
    if (query.exec(QStringLiteral("SELECT text, page FROM passages ORDER BY id"))) {
        while (query.next()) {
            parts.append({query.value(0).toString(), query.value(1).toInt()});
        }
    }
    return parts;
}

QString DocumentFile::text() const {
    QString text;
    for (const Part& part : parts()) {
        text += part.text;
    }
    return text;
}

DocumentText DocumentFile::document() const {
    DocumentText document;
    for (const Part& part : parts()) {  // none holds the end of a page and the next one's beginning
        while (document.pages.size() < part.page) {
            document.pages.append(document.text.size());
        }
        document.text += part.text;
    }
    return document;
}

std::optional<DocumentFile::Part> DocumentFile::part(int passage) const {
    QSqlQuery query(QSqlDatabase::database(connection_, false));
    query.prepare(QStringLiteral("SELECT text, page FROM passages WHERE id = ?"));
    query.addBindValue(passage);
    if (!query.exec() || !query.next()) {
        return std::nullopt;
    }
    return Part{query.value(0).toString(), query.value(1).toInt()};
}

}  // namespace hearth::ui
