// Calls of tools, and what a chat allows them.
#include <QSqlQuery>

#include "store/conversation_store.h"

namespace hearth::ui {

namespace {

// A null string would be NULL to the database.
QString plain(const QString& text) {
    return text.isNull() ? QStringLiteral("") : text;
}

// From its second column on.
CallRecord callFrom(const QSqlQuery& query) {
    CallRecord call;
    call.id = query.value(1).toLongLong();
    call.round = query.value(2).toInt();
    call.place = qsizetype{query.value(3).toLongLong()};
    call.callId = query.value(4).toString();
    call.tool = query.value(5).toString();
    call.source = query.value(6).toString();
    call.arguments = query.value(7).toString();
    call.state = callStateFromString(query.value(8).toString());
    call.result = query.value(9).toString();
    call.thought = query.value(10).toString();
    return call;
}

}  // namespace

std::optional<qint64> ConversationStore::addToolCall(qint64 messageId, const CallRecord& call) {
    return syncFully() ? insertToolCall(messageId, call) : std::nullopt;
}

std::optional<qint64> ConversationStore::insertToolCall(qint64 messageId, const CallRecord& call) {
    QSqlQuery query(database());
    if (!run(query,
             QStringLiteral("INSERT INTO tool_calls (message_id, round, place, call_id, tool,"
                            " source, arguments, state, result, thought)"
                            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
             {messageId, call.round, call.place, plain(call.callId), plain(call.tool),
              plain(call.source), plain(call.arguments), toString(call.state), plain(call.result),
              plain(call.thought)})) {
        return std::nullopt;
    }
    return query.lastInsertId().toLongLong();
}

bool ConversationStore::setToolCall(const CallRecord& call) {
    return syncFully() &&
           run(QStringLiteral("UPDATE tool_calls SET state = ?, result = ?, thought = ?"
                              " WHERE id = ?"),
               {toString(call.state), plain(call.result), plain(call.thought), call.id});
}

// A file of an earlier version that can only be read has no such table, and no calls.
void ConversationStore::readToolCalls(QList<Message>& path) {
    QHash<qint64, qsizetype> rows;
    for (qsizetype i = 0; i < path.size(); ++i) {
        if (path.at(i).role == MessageRole::Assistant) {
            rows.insert(path.at(i).id, i);
        }
    }
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (rows.isEmpty() ||
        !run(query,
             QStringLiteral("SELECT t.message_id, t.id, t.round, t.place, t.call_id, t.tool,"
                            " t.source, t.arguments, t.state, t.result, t.thought"
                            " FROM messages m JOIN tool_calls t ON t.message_id = m.id"
                            " WHERE m.conversation_id ="
                            "  (SELECT conversation_id FROM messages WHERE id = ?)"
                            " AND m.id BETWEEN ? AND ? ORDER BY t.id"),
             {path.last().id, path.first().id, path.last().id})) {
        return;
    }
    while (query.next()) {
        const auto row = rows.constFind(query.value(0).toLongLong());
        if (row == rows.constEnd()) {
            continue;
        }
        Message& message = path[*row];
        CallRecord call = callFrom(query);
        call.place = qBound(qsizetype{0}, call.place, message.content.size());
        if (message.state != MessageState::Generating && !call.hasEnded()) {
            call.state = CallRecord::State::Interrupted;
        }
        message.calls.append(call);
    }
}

// places: of the messages in the chat.
void ConversationStore::readToolCalls(qint64 conversationId, const QHash<qint64, int>& places,
                                      ChatRecord* chat) {
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (run(query,
            QStringLiteral("SELECT t.message_id, t.id, t.round, t.place, t.call_id, t.tool,"
                           " t.source, t.arguments, t.state, t.result, t.thought"
                           " FROM messages m JOIN tool_calls t ON t.message_id = m.id"
                           " WHERE m.conversation_id = ? ORDER BY t.id"),
            {conversationId})) {
        while (query.next()) {
            const auto place = places.constFind(query.value(0).toLongLong());
            if (place != places.constEnd()) {
                chat->messages[*place].calls.append(callFrom(query));
            }
        }
    }
}

QString ConversationStore::toolFolder(qint64 conversationId) {
    return value(QStringLiteral("SELECT folder FROM chat_tools WHERE conversation_id = ?"),
                 {conversationId})
        .toString();
}

bool ConversationStore::setToolFolder(qint64 conversationId, const QString& folder) {
    return run(QStringLiteral("INSERT INTO chat_tools (conversation_id, folder) VALUES (?, ?)"
                              " ON CONFLICT (conversation_id) DO UPDATE"
                              " SET folder = excluded.folder"),
               {conversationId, plain(folder)});
}

bool ConversationStore::isToolAllowed(qint64 conversationId, const QString& permission) {
    return !value(QStringLiteral("SELECT 1 FROM chat_permissions"
                                 " WHERE conversation_id = ? AND permission = ?"),
                  {conversationId, permission})
                .isNull();
}

bool ConversationStore::allowTool(qint64 conversationId, const QString& permission) {
    return run(QStringLiteral("INSERT OR IGNORE INTO chat_permissions VALUES (?, ?)"),
               {conversationId, permission});
}

bool ConversationStore::forgetAllowedTools(qint64 conversationId) {
    return run(QStringLiteral("DELETE FROM chat_permissions WHERE conversation_id = ?"),
               {conversationId});
}

int ConversationStore::allowedToolCount(qint64 conversationId) {
    return value(QStringLiteral("SELECT count(*) FROM chat_permissions WHERE conversation_id = ?"),
                 {conversationId})
        .toInt();
}

}  // namespace hearth::ui
