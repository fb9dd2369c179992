// ConversationStore: projects, their permissions and their files.
#include <QDateTime>
#include <QSqlDatabase>
#include <QSqlQuery>

#include "store/conversation_store.h"
#include "store/store_transaction.h"

namespace hearth::ui {

namespace {

const char* const kProjectColumns = "id, name, instructions, model, temperature, folder";

Project projectFrom(const QSqlQuery& row) {
    Project project;
    project.id = row.value(0).toLongLong();
    project.name = row.value(1).toString();
    project.instructions = row.value(2).toString();
    project.model = row.value(3).toString();
    if (!row.value(4).isNull()) {
        project.temperature = row.value(4).toDouble();
    }
    project.folder = row.value(5).toString();
    return project;
}

// A null string would be NULL to the database.
QString text(const QString& given) {
    return given.isNull() ? QStringLiteral("") : given;
}

QVariantList valuesOf(const Project& project) {
    return {text(project.name), text(project.instructions), text(project.model),
            project.temperature ? QVariant(*project.temperature)
                                : QVariant(QMetaType::fromType<double>()),
            text(project.folder)};
}

QVariant idOrNull(qint64 id) {
    return id == kNoId ? QVariant(QMetaType::fromType<qint64>()) : id;
}

}  // namespace

QList<Project> ConversationStore::projects() {
    QList<Project> rows;
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (run(query,
            QStringLiteral("SELECT %1 FROM projects ORDER BY name COLLATE NOCASE, id")
                .arg(QLatin1String(kProjectColumns)),
            {})) {
        while (query.next()) {
            rows.append(projectFrom(query));
        }
    }
    return rows;
}

std::optional<Project> ConversationStore::project(qint64 projectId) {
    QSqlQuery query(database());
    if (!run(query,
             QStringLiteral("SELECT %1 FROM projects WHERE id = ?")
                 .arg(QLatin1String(kProjectColumns)),
             {projectId}) ||
        !query.next()) {
        return std::nullopt;
    }
    return projectFrom(query);
}

qint64 ConversationStore::projectOf(qint64 conversationId) {
    const QVariant id = value(QStringLiteral("SELECT project_id FROM conversations WHERE id = ?"),
                              {conversationId});
    return id.isNull() ? kNoId : id.toLongLong();
}

std::optional<qint64> ConversationStore::addProject(const Project& project) {
    QSqlQuery query(database());
    if (!syncFully() ||
        !run(query,
             QStringLiteral("INSERT INTO projects (name, instructions, model, temperature, folder)"
                            " VALUES (?, ?, ?, ?, ?)"),
             valuesOf(project))) {
        return std::nullopt;
    }
    return query.lastInsertId().toLongLong();
}

bool ConversationStore::setProject(const Project& changed) {
    if (!syncFully()) {
        return false;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun()) {
        return false;
    }
    const auto former = project(changed.id);
    if (!former) {
        return false;
    }
    if (former->folder != changed.folder &&
        (!dropFolderFiles(changed.id) || !forgetProjectTools(changed.id))) {
        return false;
    }
    return run(QStringLiteral("UPDATE projects SET name = ?, instructions = ?, model = ?,"
                              " temperature = ?, folder = ? WHERE id = ?"),
               valuesOf(changed) + QVariantList{changed.id}) &&
           transaction.commit();
}

bool ConversationStore::removeProject(qint64 projectId, bool withChats) {
    if (!syncFully()) {
        return false;
    }
    StoreTransaction transaction(database(), &lastError_);
    return transaction.begun() &&
           (!withChats || run(QStringLiteral("UPDATE conversations SET deleted_at = ?"
                                             " WHERE project_id = ? AND deleted_at IS NULL"),
                              {QDateTime::currentMSecsSinceEpoch(), projectId})) &&
           // No question had them; the others lose their project with it.
           run(QStringLiteral("DELETE FROM attachments WHERE project_id = ? AND id NOT IN"
                              " (SELECT attachment_id FROM used_passages)"),
               {projectId}) &&
           run(QStringLiteral("DELETE FROM projects WHERE id = ?"), {projectId}) &&
           transaction.commit();
}

bool ConversationStore::moveToProject(qint64 conversationId, qint64 projectId) {
    if (!syncFully()) {
        return false;
    }
    StoreTransaction transaction(database(), &lastError_);
    return transaction.begun() &&
           run(QStringLiteral("UPDATE conversations SET project_id = ? WHERE id = ?"),
               {idOrNull(projectId), conversationId}) &&
           forgetAllowedTools(conversationId) && transaction.commit();
}

// An imported chat joins a project of its name only where it gains no rights there: its words are
// those of a stranger.
std::optional<qint64> ConversationStore::projectNamed(const QString& name) {
    const auto there =
        ask(QStringLiteral("SELECT id FROM projects p WHERE name = ? AND folder = ''"
                           " AND NOT EXISTS (SELECT 1 FROM project_permissions"
                           "  WHERE project_id = p.id)"
                           " AND NOT EXISTS (SELECT 1 FROM attachments WHERE project_id = p.id)"
                           " ORDER BY id LIMIT 1"),
            {name});
    if (!there) {
        return std::nullopt;
    }
    if (!there->isNull()) {
        return there->toLongLong();
    }
    Project project;
    project.name = name;
    return addProject(project);
}

bool ConversationStore::isToolAllowedInProject(qint64 projectId, const QString& permission) {
    return !value(QStringLiteral("SELECT 1 FROM project_permissions"
                                 " WHERE project_id = ? AND permission = ?"),
                  {projectId, permission})
                .isNull();
}

bool ConversationStore::allowToolInProject(qint64 projectId, const QString& permission) {
    return run(QStringLiteral("INSERT OR IGNORE INTO project_permissions VALUES (?, ?)"),
               {projectId, permission});
}

bool ConversationStore::forgetProjectTools(qint64 projectId) {
    return run(QStringLiteral("DELETE FROM project_permissions WHERE project_id = ?"), {projectId});
}

int ConversationStore::projectToolCount(qint64 projectId) {
    return value(QStringLiteral("SELECT count(*) FROM project_permissions WHERE project_id = ?"),
                 {projectId})
        .toInt();
}

QList<Attachment> ConversationStore::projectFiles(qint64 projectId) {
    QList<Attachment> attached;
    QList<Attachment> ofFolder;
    for (const Attachment& file : attachments(QStringLiteral("a.project_id = ?"), projectId)) {
        (file.path.isEmpty() ? attached : ofFolder).append(file);
    }
    return attached + ofFolder;
}

bool ConversationStore::addProjectFiles(qint64 projectId, const QList<Attachment>& files) {
    if (!syncFully()) {
        return false;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun()) {
        return false;
    }
    for (const Attachment& file : files) {
        if (!file.path.isEmpty()) {
            const auto former = ask(QStringLiteral("SELECT id FROM attachments"
                                                   " WHERE project_id = ? AND path = ?"),
                                    {projectId, file.path});
            if (!former || (!former->isNull() && !dropProjectFile(former->toLongLong()))) {
                return false;
            }
        }
        if (!run(QStringLiteral("INSERT INTO attachments (project_id, name, kind, hash, bytes,"
                                " characters, cut, tokens, tokens_exact, path, modified_at)"
                                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
                 {projectId, text(file.name), text(file.kind), text(file.hash), file.bytes,
                  file.characters, file.cut, file.tokens, file.tokensExact, text(file.path),
                  file.modifiedMs})) {
            return false;
        }
    }
    return transaction.commit();
}

bool ConversationStore::dropProjectFile(qint64 attachmentId) {
    return run(QStringLiteral("DELETE FROM attachments WHERE id = ? AND project_id IS NOT NULL"
                              " AND id NOT IN (SELECT attachment_id FROM used_passages)"),
               {attachmentId}) &&
           run(QStringLiteral("UPDATE attachments SET project_id = NULL WHERE id = ?"),
               {attachmentId});
}

bool ConversationStore::dropProjectFiles(const QList<qint64>& attachmentIds) {
    if (!syncFully()) {
        return false;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun()) {
        return false;
    }
    for (const qint64 id : attachmentIds) {
        if (!dropProjectFile(id)) {
            return false;
        }
    }
    return transaction.commit();
}

bool ConversationStore::dropFolderFiles(qint64 projectId) {
    return run(QStringLiteral("DELETE FROM attachments WHERE project_id = ? AND path <> ''"
                              " AND id NOT IN (SELECT attachment_id FROM used_passages)"),
               {projectId}) &&
           run(QStringLiteral("UPDATE attachments SET project_id = NULL"
                              " WHERE project_id = ? AND path <> ''"),
               {projectId});
}

QList<Attachment> ConversationStore::usedProjectFiles(qint64 conversationId) {
    return attachments(QStringLiteral("a.message_id IS NULL AND a.id IN"
                                      " (SELECT u.attachment_id FROM used_passages u"
                                      "  JOIN messages m ON m.id = u.message_id"
                                      "  WHERE m.conversation_id = ?)"),
                       conversationId);
}

}  // namespace hearth::ui
