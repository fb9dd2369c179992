#include "store/conversation_store.h"

#include <QLoggingCategory>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <utility>

#include "markdown/plain_line.h"
#include "store/instance_lock.h"
#include "store/store_transaction.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcStore, "hearth.store")

namespace {

const char* const kMessageColumns =
    "m.id, m.parent_id, m.role, m.content, m.state, m.error_text, m.token_count, m.first_token_ms,"
    " m.tokens_per_second, m.model, m.is_cut, m.reads_from";

// How many versions come before a message, and how many there are.
const char* const kVersionColumns =
    ", (SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id"
    "   AND s.parent_id IS m.parent_id AND s.id < m.id),"
    " (SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id"
    "   AND s.parent_id IS m.parent_id)";

// The preview: the start of the latest message without its reasoning, whose opening the model's
// template may have written; if there is nothing else yet, the start of the question.
const char* const kSummaryColumns =
    "c.id, c.title, c.updated_at, c.is_pinned, c.project_id,"
    " (SELECT substr(CASE WHEN shown = '' THEN asked ELSE shown END, 1, 160) FROM"
    "   (SELECT coalesce(p.content, '') AS asked, CASE"
    "     WHEN l.role <> 'assistant' THEN l.content"
    "     WHEN instr(l.content, '</think>') > 0"
    "      AND (ltrim(l.content, ' ' || char(9, 10, 13)) LIKE '<think>%'"
    "       OR instr(l.content, '<think>') = 0"
    "       OR instr(l.content, '<think>') > instr(l.content, '</think>'))"
    "      THEN trim(substr(l.content, instr(l.content, '</think>') + 8),"
    "       ' ' || char(9, 10, 13))"
    "     WHEN ltrim(l.content, ' ' || char(9, 10, 13)) LIKE '<think>%' THEN ''"
    "     ELSE l.content END AS shown"
    "    FROM messages l LEFT JOIN messages p ON p.id = l.parent_id"
    "    WHERE l.id = c.active_leaf))";

qint64 now() {
    return QDateTime::currentMSecsSinceEpoch();
}

QVariant idOrNull(qint64 id) {
    return id == kNoId ? QVariant(QMetaType::fromType<qint64>()) : id;
}

Message messageFrom(const QSqlQuery& row) {
    Message message;
    message.id = row.value(0).toLongLong();
    message.parentId = row.value(1).isNull() ? kNoId : row.value(1).toLongLong();
    message.role = roleFromString(row.value(2).toString());
    message.content = row.value(3).toString();
    message.state = messageStateFromString(row.value(4).toString());
    message.errorText = row.value(5).toString();
    message.stats.tokenCount = row.value(6).toInt();
    message.stats.firstTokenMs = row.value(7).toDouble();
    message.stats.tokensPerSecond = row.value(8).toDouble();
    message.stats.model = row.value(9).toString();
    message.stats.isCut = row.value(10).toBool();
    message.stats.readsFrom = row.value(11).isNull() ? kNoId : row.value(11).toLongLong();
    return message;
}

ConversationSummary summaryFrom(const QSqlQuery& row) {
    ConversationSummary summary;
    summary.id = row.value(0).toLongLong();
    summary.title = row.value(1).toString();
    summary.updatedAt = QDateTime::fromMSecsSinceEpoch(row.value(2).toLongLong());
    summary.isPinned = row.value(3).toBool();
    summary.projectId = row.value(4).isNull() ? kNoId : row.value(4).toLongLong();
    summary.preview = row.value(5).toString().simplified();
    return summary;
}

}  // namespace

QString titleFrom(const QString& firstMessage) {
    constexpr qsizetype kLongest = 200;  // the window cuts it where its room ends
    QString title;
    for (QStringView line : QStringView(firstMessage).left(4096).split(QLatin1Char('\n'))) {
        line = line.trimmed();
        while (!line.isEmpty() && QStringView(u"#>*-`~").contains(line.front())) {
            line = line.mid(1).trimmed();
        }
        if (!line.isEmpty()) {
            title = withoutMarkup(line.toString().simplified());
            break;
        }
    }
    if (title.size() <= kLongest) {
        return title.isEmpty() ? QStringLiteral("…") : title;
    }
    qsizetype cut = title.lastIndexOf(QLatin1Char(' '), kLongest);
    if (cut < kLongest / 2) {
        cut = title[kLongest].isLowSurrogate() ? kLongest - 1 : kLongest;
    }
    return title.left(cut) + QStringLiteral("…");
}

QSqlDatabase ConversationStore::database() const {
    return QSqlDatabase::database(connection_);
}

bool ConversationStore::run(QSqlQuery& query, const QString& sql, const QVariantList& values) {
    bool ok = query.prepare(sql);
    if (ok) {
        for (const QVariant& value : values) {
            query.addBindValue(value);
        }
        ok = query.exec();
    }
    if (!ok) {
        lastError_ = storeErrorFrom(query.lastError());
        qCWarning(lcStore).noquote()
            << lastError_.detail;  // without values: no chat text in the log
    }
    return ok;
}

bool ConversationStore::run(const QString& sql, const QVariantList& values) {
    QSqlQuery query(database());
    return run(query, sql, values);
}

std::optional<QVariant> ConversationStore::ask(const QString& sql, const QVariantList& values) {
    QSqlQuery query(database());
    if (!run(query, sql, values)) {
        return std::nullopt;
    }
    return query.next() ? query.value(0) : QVariant();
}

QVariant ConversationStore::value(const QString& sql, const QVariantList& values) {
    return ask(sql, values).value_or(QVariant());
}

bool ConversationStore::syncFully() {
    syncs_ = syncs_ || run(QStringLiteral("PRAGMA synchronous = FULL"));
    return syncs_;
}

// The next FULL commit also syncs what NORMAL leaves in the log.
bool ConversationStore::syncLess() {
    syncs_ = false;  // also if the next line fails: it may have done its work before
    return run(QStringLiteral("PRAGMA synchronous = NORMAL"));
}

QList<ConversationSummary> ConversationStore::conversations() {
    QList<ConversationSummary> rows;
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (run(query,
            QStringLiteral("SELECT %1 FROM conversations c WHERE c.deleted_at IS NULL"
                           " ORDER BY c.is_pinned DESC, c.updated_at DESC, c.id DESC")
                .arg(QLatin1String(kSummaryColumns)),
            {})) {
        while (query.next()) {
            rows.append(summaryFrom(query));
        }
    }
    return rows;
}

std::optional<ConversationSummary> ConversationStore::summary(qint64 conversationId) {
    QSqlQuery query(database());
    if (!run(query,
             QStringLiteral("SELECT %1 FROM conversations c"
                            " WHERE c.id = ? AND c.deleted_at IS NULL")
                 .arg(QLatin1String(kSummaryColumns)),
             {conversationId}) ||
        !query.next()) {
        return std::nullopt;
    }
    return summaryFrom(query);
}

QList<Message> ConversationStore::activePath(qint64 conversationId) {
    const QVariant leaf = value(
        QStringLiteral("SELECT active_leaf FROM conversations WHERE id = ?"), {conversationId});
    return leaf.isNull() ? QList<Message>() : pathTo(leaf.toLongLong());
}

QList<Message> ConversationStore::activePathEnd(qint64 conversationId, int most) {
    const QVariant leaf = value(
        QStringLiteral("SELECT active_leaf FROM conversations WHERE id = ?"), {conversationId});
    return leaf.isNull() ? QList<Message>() : pathEnd(leaf.toLongLong(), most);
}

QList<Message> ConversationStore::pathEnd(qint64 messageId, int most) {
    QList<Message> path;
    QSqlQuery query(database());
    query.setForwardOnly(true);
    // Children are younger than their parents, so ids grow along the path.
    if (run(query,
            QStringLiteral("WITH RECURSIVE path(id) AS (SELECT ?"
                           " UNION ALL SELECT m.parent_id FROM messages m JOIN path"
                           "  ON m.id = path.id WHERE m.parent_id IS NOT NULL LIMIT ?)"
                           " SELECT %1%2 FROM messages m JOIN path ON m.id = path.id ORDER BY m.id")
                .arg(QLatin1String(kMessageColumns), QLatin1String(kVersionColumns)),
            {messageId, most})) {
        while (query.next()) {
            path.append(messageFrom(query));
            path.last().versionIndex = query.value(12).toInt();
            path.last().versionCount = query.value(13).toInt();
        }
    }
    readToolCalls(path);
    return path;
}

// Two queries for the whole chat: asked for each message, its versions alone would take longer than
// all else where a chat is long.
QList<Message> ConversationStore::pathTo(qint64 messageId) {
    struct Place {
        qint64 parent = kNoId;
        int version = 0;
    };
    QHash<qint64, Place> places;
    QHash<qint64, int> versions;  // by parent
    const qint64 conversation = conversationOf(messageId);
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (run(query,
            QStringLiteral("SELECT id, parent_id FROM messages WHERE conversation_id = ?"
                           " ORDER BY parent_id, id"),
            {conversation})) {
        while (query.next()) {
            const qint64 parent = query.value(1).isNull() ? kNoId : query.value(1).toLongLong();
            places.insert(query.value(0).toLongLong(), {parent, versions[parent]++});
        }
    }
    QHash<qint64, qsizetype> steps;  // back from the end
    for (qint64 id = messageId; places.contains(id) && !steps.contains(id);
         id = places.value(id).parent) {
        steps.insert(id, steps.size());
    }
    QList<Message> path(steps.size());
    if (run(query,
            QStringLiteral("SELECT %1 FROM messages m WHERE m.conversation_id = ?")
                .arg(QLatin1String(kMessageColumns)),
            {conversation})) {
        while (query.next()) {
            const auto step = steps.constFind(query.value(0).toLongLong());
            if (step == steps.constEnd()) {
                continue;
            }
            Message message = messageFrom(query);
            message.versionIndex = places.value(message.id).version;
            message.versionCount = versions.value(message.parentId);
            path[path.size() - 1 - *step] = message;
        }
    }
    // A page that cannot be read may take messages away.
    path.removeIf([](const Message& message) { return message.id == kNoId; });
    readToolCalls(path);
    return path;
}

QString ConversationStore::systemPrompt(qint64 conversationId) {
    return value(QStringLiteral("SELECT system_prompt FROM conversations WHERE id = ?"),
                 {conversationId})
        .toString();
}

std::optional<Message> ConversationStore::message(qint64 messageId) {
    QSqlQuery query(database());
    if (!run(query,
             QStringLiteral("SELECT %1%2 FROM messages m WHERE m.id = ?")
                 .arg(QLatin1String(kMessageColumns), QLatin1String(kVersionColumns)),
             {messageId}) ||
        !query.next()) {
        return std::nullopt;
    }
    Message message = messageFrom(query);
    message.versionIndex = query.value(12).toInt();
    message.versionCount = query.value(13).toInt();
    return message;
}

qint64 ConversationStore::conversationOf(qint64 messageId) {
    const QVariant id =
        value(QStringLiteral("SELECT conversation_id FROM messages WHERE id = ?"), {messageId});
    return id.isNull() ? kNoId : id.toLongLong();
}

std::optional<qint64> ConversationStore::insertMessage(qint64 conversationId, qint64 parentId,
                                                       MessageRole role, const QString& text,
                                                       MessageState state) {
    QSqlQuery query(database());
    // A null string would be stored as NULL.
    const QString content = text.isNull() ? QStringLiteral("") : text;
    if (!run(query,
             QStringLiteral("INSERT INTO messages"
                            " (conversation_id, parent_id, role, content, state, created_at)"
                            " VALUES (?, ?, ?, ?, ?, ?)"),
             {conversationId, idOrNull(parentId), toString(role), content, toString(state),
              now()})) {
        return std::nullopt;
    }
    return query.lastInsertId().toLongLong();
}

bool ConversationStore::setLeaf(qint64 conversationId, qint64 messageId) {
    return run(QStringLiteral("UPDATE conversations SET active_leaf = ?, updated_at = ?"
                              " WHERE id = ?"),
               {messageId, now(), conversationId});
}

std::optional<ConversationStore::Sent> ConversationStore::send(qint64 conversationId,
                                                               const QString& text, bool clearDraft,
                                                               const QString& systemPrompt,
                                                               qint64 projectId) {
    if (!syncFully()) {
        return std::nullopt;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun()) {
        return std::nullopt;
    }
    Sent sent;
    sent.conversationId = conversationId;
    qint64 parent = kNoId;
    if (conversationId == kNoId) {
        QSqlQuery query(database());
        if (!run(query,
                 QStringLiteral("INSERT INTO conversations (title, created_at, updated_at,"
                                " system_prompt, project_id) VALUES (?, ?, ?, ?, ?)"),
                 // A null string would be NULL to the database.
                 {titleFrom(text), now(), now(),
                  systemPrompt.isEmpty() ? QStringLiteral("") : systemPrompt,
                  idOrNull(projectId)})) {
            return std::nullopt;
        }
        sent.conversationId = query.lastInsertId().toLongLong();
    } else {
        const auto leaf = ask(QStringLiteral("SELECT active_leaf FROM conversations WHERE id = ?"),
                              {conversationId});
        if (!leaf) {
            return std::nullopt;
        }
        parent = leaf->isNull() ? kNoId : leaf->toLongLong();
    }
    const auto user =
        insertMessage(sent.conversationId, parent, MessageRole::User, text, MessageState::Complete);
    if (!user) {
        return std::nullopt;
    }
    const auto answer = insertMessage(sent.conversationId, *user, MessageRole::Assistant, {},
                                      MessageState::Generating);
    if (!answer || !setLeaf(sent.conversationId, *answer) ||
        (clearDraft && (!giveDraftTo(conversationId, *user) ||
                        !run(QStringLiteral("DELETE FROM drafts WHERE conversation_id = ?"),
                             {conversationId == kNoId ? 0 : conversationId}))) ||
        !transaction.commit()) {
        return std::nullopt;
    }
    sent.userId = *user;
    sent.assistantId = *answer;
    return sent;
}

std::optional<qint64> ConversationStore::addAnswer(qint64 messageId) {
    const auto old = message(messageId);
    if (!old) {
        return std::nullopt;
    }
    const qint64 conversation = conversationOf(messageId);
    const qint64 parent = old->role == MessageRole::Assistant ? old->parentId : old->id;
    if (conversation == kNoId || !syncFully()) {
        return std::nullopt;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun()) {
        return std::nullopt;
    }
    const auto answer =
        insertMessage(conversation, parent, MessageRole::Assistant, {}, MessageState::Generating);
    if (!answer || !setLeaf(conversation, *answer) || !transaction.commit()) {
        return std::nullopt;
    }
    return answer;
}

std::optional<ConversationStore::Sent> ConversationStore::addQuestion(qint64 messageId,
                                                                      const QString& text) {
    const auto old = message(messageId);
    if (!old) {
        return std::nullopt;
    }
    Sent sent;
    sent.conversationId = conversationOf(messageId);
    if (sent.conversationId == kNoId || !syncFully()) {
        return std::nullopt;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun()) {
        return std::nullopt;
    }
    const auto user = insertMessage(sent.conversationId, old->parentId, MessageRole::User, text,
                                    MessageState::Complete);
    if (!user) {
        return std::nullopt;
    }
    const auto answer = insertMessage(sent.conversationId, *user, MessageRole::Assistant, {},
                                      MessageState::Generating);
    if (!answer || !copyAttachments(messageId, *user) || !setLeaf(sent.conversationId, *answer) ||
        !transaction.commit()) {
        return std::nullopt;
    }
    sent.userId = *user;
    sent.assistantId = *answer;
    return sent;
}

std::optional<qint64> ConversationStore::addEditedAnswer(qint64 messageId, const QString& text) {
    const auto old = message(messageId);
    if (!old) {
        return std::nullopt;
    }
    const qint64 conversation = conversationOf(messageId);
    if (conversation == kNoId || !syncFully()) {
        return std::nullopt;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun()) {
        return std::nullopt;
    }
    const auto answer =
        insertMessage(conversation, old->parentId, old->role, text, MessageState::Complete);
    if (!answer || !setLeaf(conversation, *answer) || !transaction.commit()) {
        return std::nullopt;
    }
    return answer;
}

bool ConversationStore::checkpointReply(qint64 messageId, const QString& text) {
    // Twice a second a sync would hold up the window on a slow disk.
    const bool ok =
        syncLess() && run(QStringLiteral("UPDATE messages SET content = ? WHERE id = ?"),
                          {text.isNull() ? QStringLiteral("") : text, messageId});
    syncFully();  // tried again before the next commit that promises it
    return ok;
}

bool ConversationStore::finishReply(qint64 messageId, const QString& text, MessageState state,
                                    const QString& errorText, const ReplyStats& stats) {
    return syncFully() &&
           run(QStringLiteral("UPDATE messages SET content = ?, state = ?, error_text = ?,"
                              " token_count = ?, first_token_ms = ?, tokens_per_second = ?,"
                              " model = coalesce(nullif(?, ''), model), is_cut = ?,"
                              " reads_from = ? WHERE id = ?"),
               {text.isNull() ? QStringLiteral("") : text, toString(state),
                errorText.isNull() ? QStringLiteral("") : errorText, stats.tokenCount,
                stats.firstTokenMs, stats.tokensPerSecond, stats.model, stats.isCut,
                idOrNull(stats.readsFrom), messageId});
}

bool ConversationStore::nameModel(qint64 messageId, const QString& model) {
    return syncFully() && run(QStringLiteral("UPDATE messages SET model = ? WHERE id = ?"),
                              {model.isNull() ? QStringLiteral("") : model, messageId});
}

bool ConversationStore::reopenReply(qint64 messageId) {
    QSqlQuery query(database());
    return syncFully() &&
           run(query,
               QStringLiteral("UPDATE messages SET state = 'generating', error_text = ''"
                              " WHERE id = ? AND role = 'assistant' AND content <> ''"
                              " AND id IN (SELECT active_leaf FROM conversations)"),
               {messageId}) &&
           query.numRowsAffected() == 1;
}

bool ConversationStore::selectVersion(qint64 messageId, int index) {
    const auto sibling = value(
        QStringLiteral("SELECT s.id FROM messages s JOIN messages m ON m.id = ?"
                       " AND s.conversation_id = m.conversation_id AND s.parent_id IS m.parent_id"
                       " ORDER BY s.id LIMIT 1 OFFSET ?"),
        {messageId, index});
    if (index < 0 || sibling.isNull()) {
        return false;
    }
    return showMessage(sibling.toLongLong());
}

bool ConversationStore::showMessage(qint64 messageId) {
    const auto leaf = value(
        QStringLiteral("WITH RECURSIVE down(id) AS (SELECT ? UNION ALL"
                       " SELECT (SELECT max(id) FROM messages WHERE parent_id = down.id) FROM down"
                       " WHERE EXISTS (SELECT 1 FROM messages WHERE parent_id = down.id))"
                       " SELECT max(id) FROM down"),
        {messageId});
    const qint64 conversation = conversationOf(messageId);
    // Looking at another version is no news: the date stays.
    return !leaf.isNull() && conversation != kNoId &&
           run(QStringLiteral("UPDATE conversations SET active_leaf = ? WHERE id = ?"),
               {leaf.toLongLong(), conversation});
}

bool ConversationStore::rename(qint64 conversationId, const QString& title) {
    return run(QStringLiteral("UPDATE conversations SET title = ? WHERE id = ?"),
               {title, conversationId});
}

bool ConversationStore::setPinned(qint64 conversationId, bool pinned) {
    return run(QStringLiteral("UPDATE conversations SET is_pinned = ? WHERE id = ?"),
               {pinned, conversationId});
}

bool ConversationStore::setSystemPrompt(qint64 conversationId, const QString& text) {
    return syncFully() && run(QStringLiteral("UPDATE conversations SET system_prompt = ?"
                                             " WHERE id = ?"),
                              {text.isEmpty() ? QStringLiteral("") : text, conversationId});
}

bool ConversationStore::remove(qint64 conversationId) {
    return run(QStringLiteral("UPDATE conversations SET deleted_at = ? WHERE id = ?"),
               {now(), conversationId});
}

bool ConversationStore::restore(qint64 conversationId) {
    return run(QStringLiteral("UPDATE conversations SET deleted_at = NULL WHERE id = ?"),
               {conversationId});
}

QList<ConversationSummary> ConversationStore::deleted() {
    QList<ConversationSummary> rows;
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (run(query,
            QStringLiteral("SELECT id, title FROM conversations WHERE deleted_at > 0"
                           " ORDER BY deleted_at, id"),
            {})) {
        while (query.next()) {
            ConversationSummary row;
            row.id = query.value(0).toLongLong();
            row.title = query.value(1).toString();
            rows.append(row);
        }
    }
    return rows;
}

bool ConversationStore::purge(qint64 olderThanMs) {
    StoreTransaction transaction(database(), &lastError_);
    return transaction.begun() &&
           run(QStringLiteral("DELETE FROM conversations WHERE deleted_at > 0"
                              " AND deleted_at <= ?"),
               {now() - olderThanMs}) &&
           run(QStringLiteral("DELETE FROM drafts WHERE conversation_id != 0"
                              " AND conversation_id NOT IN (SELECT id FROM conversations)")) &&
           run(QStringLiteral("DELETE FROM attachments WHERE draft_of != 0"
                              " AND draft_of NOT IN (SELECT id FROM conversations)")) &&
           // Files of projects, whose questions are gone.
           run(QStringLiteral("DELETE FROM attachments WHERE message_id IS NULL"
                              " AND draft_of IS NULL AND project_id IS NULL AND id NOT IN"
                              " (SELECT attachment_id FROM used_passages)")) &&
           transaction.commit();
}

QString ConversationStore::draft(qint64 conversationId) {
    return value(QStringLiteral("SELECT text FROM drafts WHERE conversation_id = ?"),
                 {conversationId == kNoId ? 0 : conversationId})
        .toString();
}

bool ConversationStore::setDraft(qint64 conversationId, const QString& text) {
    const qint64 id = conversationId == kNoId ? 0 : conversationId;
    if (text.isEmpty()) {
        return run(QStringLiteral("DELETE FROM drafts WHERE conversation_id = ?"), {id});
    }
    return run(QStringLiteral("INSERT INTO drafts (conversation_id, text) VALUES (?, ?)"
                              " ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text"),
               {id, text});
}

}  // namespace hearth::ui
