// ConversationStore: the documents of messages and drafts.
#include <QSqlDatabase>
#include <QSqlQuery>

#include "store/conversation_store.h"
#include "store/store_transaction.h"

namespace hearth::ui {

namespace {

const char* const kColumns =
    "a.id, a.message_id, a.name, a.kind, a.hash, a.bytes, a.characters, a.cut, a.tokens,"
    " a.tokens_exact, a.use, a.path, a.modified_at";

Attachment attachmentFrom(const QSqlQuery& row) {
    Attachment attachment;
    attachment.id = row.value(0).toLongLong();
    attachment.messageId = row.value(1).isNull() ? kNoId : row.value(1).toLongLong();
    attachment.name = row.value(2).toString();
    attachment.kind = row.value(3).toString();
    attachment.hash = row.value(4).toString();
    attachment.bytes = row.value(5).toLongLong();
    attachment.characters = row.value(6).toLongLong();
    attachment.cut = row.value(7).toBool();
    attachment.tokens = row.value(8).toInt();
    attachment.tokensExact = row.value(9).toBool();
    attachment.use = useFromNumber(row.value(10).toInt());
    attachment.path = row.value(11).toString();
    attachment.modifiedMs = row.value(12).toLongLong();
    return attachment;
}

// The draft of a conversation that does not exist yet has the number 0.
qint64 draftNumber(qint64 conversationId) {
    return conversationId == kNoId ? 0 : conversationId;
}

}  // namespace

QList<Attachment> ConversationStore::attachments(const QString& condition, qint64 id) {
    QList<Attachment> rows;
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (run(query,
            QStringLiteral("SELECT %1 FROM attachments a WHERE %2 ORDER BY a.id")
                .arg(QLatin1String(kColumns), condition),
            {id})) {
        while (query.next()) {
            rows.append(attachmentFrom(query));
        }
    }
    return rows;
}

QList<Attachment> ConversationStore::draftAttachments(qint64 conversationId) {
    return attachments(QStringLiteral("a.draft_of = ?"), draftNumber(conversationId));
}

QList<Attachment> ConversationStore::attachmentsIn(qint64 conversationId) {
    return attachments(QStringLiteral("a.message_id IN (SELECT m.id FROM messages m"
                                      " WHERE m.conversation_id = ?)"),
                       conversationId);
}

std::optional<qint64> ConversationStore::addDraftAttachment(qint64 conversationId,
                                                            const Attachment& attachment) {
    if (!syncFully()) {
        return std::nullopt;
    }
    QSqlQuery query(database());
    if (!run(query,
             QStringLiteral("INSERT INTO attachments (draft_of, name, kind, hash, bytes,"
                            " characters, cut, tokens, tokens_exact)"
                            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
             {draftNumber(conversationId), attachment.name, attachment.kind, attachment.hash,
              attachment.bytes, attachment.characters, attachment.cut, attachment.tokens,
              attachment.tokensExact})) {
        return std::nullopt;
    }
    return query.lastInsertId().toLongLong();
}

bool ConversationStore::removeDraftAttachment(qint64 attachmentId) {
    return run(QStringLiteral("DELETE FROM attachments WHERE id = ? AND message_id IS NULL"),
               {attachmentId});
}

bool ConversationStore::setTokens(qint64 attachmentId, int tokens, bool exact) {
    return run(QStringLiteral("UPDATE attachments SET tokens = ?, tokens_exact = ? WHERE id = ?"),
               {tokens, exact, attachmentId});
}

bool ConversationStore::setUse(qint64 attachmentId, Attachment::Use use) {
    return run(QStringLiteral("UPDATE attachments SET use = ? WHERE id = ?"),
               {useNumber(use), attachmentId});
}

QList<UsedPassage> ConversationStore::usedPassages(qint64 conversationId) {
    QList<UsedPassage> rows;
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (run(query,
            QStringLiteral("SELECT u.message_id, u.attachment_id, u.passage, u.page"
                           " FROM used_passages u JOIN messages m ON m.id = u.message_id"
                           " WHERE m.conversation_id = ? ORDER BY u.id"),
            {conversationId})) {
        while (query.next()) {
            rows.append({query.value(0).toLongLong(), query.value(1).toLongLong(),
                         query.value(2).toInt(), query.value(3).toInt()});
        }
    }
    return rows;
}

bool ConversationStore::setUsedPassages(qint64 questionId, const QList<UsedPassage>& passages) {
    if (!syncFully()) {
        return false;
    }
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun() ||
        !run(QStringLiteral("DELETE FROM used_passages WHERE message_id = ?"), {questionId})) {
        return false;
    }
    for (const UsedPassage& used : passages) {
        if (!run(QStringLiteral("INSERT INTO used_passages (message_id, attachment_id, passage,"
                                " page) VALUES (?, ?, ?, ?)"),
                 {questionId, used.attachmentId, used.passage, used.page})) {
            return false;
        }
    }
    return transaction.commit();
}

std::optional<QStringList> ConversationStore::documentHashes() {
    QStringList hashes;
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (!run(query, QStringLiteral("SELECT DISTINCT hash FROM attachments"), {})) {
        return std::nullopt;
    }
    while (query.next()) {
        hashes.append(query.value(0).toString());
    }
    return hashes;
}

bool ConversationStore::giveDraftTo(qint64 conversationId, qint64 messageId) {
    return run(QStringLiteral("UPDATE attachments SET message_id = ?, draft_of = NULL"
                              " WHERE draft_of = ?"),
               {messageId, draftNumber(conversationId)});
}

bool ConversationStore::copyAttachments(qint64 fromMessage, qint64 toMessage) {
    return run(QStringLiteral("INSERT INTO attachments (message_id, name, kind, hash, bytes,"
                              " characters, cut, tokens, tokens_exact, use)"
                              " SELECT ?, name, kind, hash, bytes, characters, cut, tokens,"
                              " tokens_exact, use FROM attachments WHERE message_id = ?"
                              " ORDER BY id"),
               {toMessage, fromMessage});
}

}  // namespace hearth::ui
