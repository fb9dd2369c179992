// ConversationStore: whole chats, out and in.
#include <QHash>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <algorithm>
#include <limits>

#include "store/chat_record.h"
#include "store/conversation_store.h"
#include "store/store_transaction.h"

namespace hearth::ui {

namespace {

QVariant idOrNull(const QList<qint64>& ids, int place) {
    return place < 0 ? QVariant(QMetaType::fromType<qint64>()) : QVariant(ids.at(place));
}

// A null string would be NULL to the database.
QString text(const QString& given) {
    return given.isNull() ? QStringLiteral("") : given;
}

}  // namespace

bool makeSound(ChatRecord* chat) {
    const int count = static_cast<int>(chat->messages.size());
    for (int i = 0; i < count; ++i) {
        RecordedMessage& message = chat->messages[i];
        if (message.parent >= i) {
            message.parent = i - 1;
        }
        message.parent = std::max(-1, message.parent);
        if (message.readsFrom < 0 || message.readsFrom >= count) {
            message.readsFrom = -1;
        }
        if (message.state == MessageState::Generating || message.state == MessageState::Waiting) {
            message.state = MessageState::Interrupted;
        }
        if (message.role != MessageRole::Assistant) {
            message.calls.clear();
        }
        if (message.role != MessageRole::User) {
            message.files.clear();
            message.passages.clear();
        }
        for (CallRecord& call : message.calls) {
            call.id = kNoId;
            call.round = std::max(0, call.round);
            call.place = qBound(qsizetype{0}, call.place, message.content.size());
            call.state = call.hasEnded() ? call.state : CallRecord::State::Interrupted;
        }
    }
    const auto isNowhere = [chat, count](const RecordedPassage& used) {
        return used.message < 0 || used.message >= count || used.file < 0 ||
               used.file >= chat->messages.at(used.message).files.size() || used.passage < 0 ||
               used.passage == std::numeric_limits<int>::max() || used.page < 0;
    };
    for (RecordedMessage& message : chat->messages) {
        message.passages.removeIf(isNowhere);
    }
    if (chat->shown < 0 || chat->shown >= count) {
        chat->shown = count - 1;
    }
    return count > 0;
}

std::optional<ChatRecord> ConversationStore::record(qint64 conversationId) {
    QSqlQuery query(database());
    query.setForwardOnly(true);
    if (!run(query,
             QStringLiteral("SELECT c.title, c.created_at, c.updated_at, c.is_pinned,"
                            " c.system_prompt, c.active_leaf, coalesce(p.name, '')"
                            " FROM conversations c LEFT JOIN projects p ON p.id = c.project_id"
                            " WHERE c.id = ?"),
             {conversationId}) ||
        !query.next()) {
        return std::nullopt;
    }
    ChatRecord chat;
    chat.title = query.value(0).toString();
    chat.createdMs = query.value(1).toLongLong();
    chat.updatedMs = query.value(2).toLongLong();
    chat.isPinned = query.value(3).toBool();
    chat.instructions = query.value(4).toString();
    const qint64 leaf = query.value(5).isNull() ? kNoId : query.value(5).toLongLong();
    chat.project = query.value(6).toString();
    // Children are younger than their parents.
    if (!run(query,
             QStringLiteral("SELECT id, parent_id, role, content, state, error_text, created_at,"
                            " model, token_count, first_token_ms, tokens_per_second, is_cut,"
                            " reads_from FROM messages WHERE conversation_id = ? ORDER BY id"),
             {conversationId})) {
        return std::nullopt;
    }
    QHash<qint64, int> places;
    const auto placeOf = [&places](const QVariant& id) {
        return id.isNull() ? -1 : places.value(id.toLongLong(), -1);
    };
    while (query.next()) {
        RecordedMessage message;
        message.parent = placeOf(query.value(1));
        message.role = roleFromString(query.value(2).toString());
        message.content = query.value(3).toString();
        message.state = messageStateFromString(query.value(4).toString());
        message.errorText = query.value(5).toString();
        message.createdMs = query.value(6).toLongLong();
        message.model = query.value(7).toString();
        message.tokenCount = query.value(8).toInt();
        message.firstTokenMs = query.value(9).toDouble();
        message.tokensPerSecond = query.value(10).toDouble();
        message.isCut = query.value(11).toBool();
        message.readsFrom = placeOf(query.value(12));
        places.insert(query.value(0).toLongLong(), static_cast<int>(chat.messages.size()));
        chat.messages.append(message);
    }
    readToolCalls(conversationId, places, &chat);
    addFiles(conversationId, places, &chat);
    chat.shown = places.value(leaf, -1);
    makeSound(&chat);
    return chat;
}

void ConversationStore::addFiles(qint64 conversationId, const QHash<qint64, int>& places,
                                 ChatRecord* chat) {
    QHash<qint64, RecordedPassage> whole;  // the place of each document
    for (const Attachment& file : attachmentsIn(conversationId)) {
        const int place = places.value(file.messageId, -1);
        if (place < 0) {
            continue;
        }
        QList<RecordedFile>& files = chat->messages[place].files;
        whole.insert(file.id, {.message = place, .file = static_cast<int>(files.size())});
        files.append({.name = file.name,
                      .kind = file.kind,
                      .document = file.hash,
                      .bytes = file.bytes,
                      .characters = file.characters,
                      .cut = file.cut,
                      .tokens = file.tokens,
                      .use = file.use});
    }
    for (const UsedPassage& used : usedPassages(conversationId)) {
        const auto document = whole.constFind(used.attachmentId);
        const int place = places.value(used.questionId, -1);
        if (document != whole.cend() && place >= 0) {
            RecordedPassage passage = *document;
            passage.passage = used.passage;
            passage.page = used.page;
            chat->messages[place].passages.append(passage);
        }
    }
}

std::optional<qint64> ConversationStore::add(const ChatRecord& given) {
    ComingChat coming{given};
    while (!coming.there) {
        if (!addPart(&coming)) {
            dropParts(coming);
            return std::nullopt;
        }
    }
    return coming.id;
}

bool ConversationStore::addPart(ComingChat* coming) {
    const bool first = coming->id == kNoId;
    if (first && !makeSound(&coming->chat)) {
        return false;
    }
    // A chat that is not whole need not outlive a loss of power, and its last part syncs all of it.
    const qsizetype left = coming->chat.messages.size() - coming->messages.size();
    if (!(left <= kPartMessages ? syncFully() : syncLess())) {
        return false;
    }
    ComingChat next = *coming;
    StoreTransaction transaction(database(), &lastError_);
    if (!transaction.begun() || (first && !beginChat(&next)) || !insertRecorded(&next) ||
        (next.messages.size() == next.chat.messages.size() && !endChat(&next)) ||
        !transaction.commit()) {
        return false;
    }
    *coming = std::move(next);
    return true;
}

void ConversationStore::dropParts(const ComingChat& coming) {
    const StoreError error = lastError_;
    if (coming.id != kNoId && !coming.there) {
        run(QStringLiteral("DELETE FROM conversations WHERE id = ?"), {coming.id});
    }
    lastError_ = error;
}

// In the bin since the beginning of time: it is shown nowhere, and open() removes it.
bool ConversationStore::beginChat(ComingChat* coming) {
    const ChatRecord& chat = coming->chat;
    QSqlQuery query(database());
    if (!run(query,
             QStringLiteral("INSERT INTO conversations (title, created_at, updated_at, is_pinned,"
                            " system_prompt, deleted_at) VALUES (?, ?, ?, ?, ?, 0)"),
             {text(chat.title), chat.createdMs, chat.updatedMs, chat.isPinned,
              text(chat.instructions)})) {
        return false;
    }
    coming->id = query.lastInsertId().toLongLong();
    return true;
}

// The next messages with their calls and documents.
bool ConversationStore::insertRecorded(ComingChat* coming) {
    QList<qint64>& ids = coming->messages;
    const QList<RecordedMessage>& messages = coming->chat.messages;
    const qsizetype end = std::min(messages.size(), ids.size() + kPartMessages);
    qsizetype letters = 0;
    QSqlQuery query(database());
    while (ids.size() < end && letters < kPartLetters) {
        const auto place = static_cast<int>(ids.size());
        const RecordedMessage& message = messages.at(place);
        letters += message.content.size();
        if (!run(query,
                 QStringLiteral("INSERT INTO messages (conversation_id, parent_id, role, content,"
                                " state, error_text, created_at, model, token_count,"
                                " first_token_ms, tokens_per_second, is_cut, reads_from)"
                                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
                 {coming->id, idOrNull(ids, message.parent), toString(message.role),
                  text(message.content), toString(message.state), text(message.errorText),
                  message.createdMs, text(message.model), message.tokenCount, message.firstTokenMs,
                  message.tokensPerSecond, message.isCut,
                  message.readsFrom < ids.size() ? idOrNull(ids, message.readsFrom)
                                                 : QVariant(QMetaType::fromType<qint64>())})) {
            return false;
        }
        ids.append(query.lastInsertId().toLongLong());
        for (const CallRecord& call : message.calls) {
            if (!insertToolCall(ids.last(), call)) {
                return false;
            }
        }
        for (int i = 0; i < message.files.size(); ++i) {
            const RecordedFile& file = message.files.at(i);
            if (!run(query,
                     QStringLiteral("INSERT INTO attachments (message_id, name, kind, hash, bytes,"
                                    " characters, cut, tokens, use)"
                                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"),
                     {ids.last(), text(file.name), text(file.kind), text(file.document), file.bytes,
                      file.characters, file.cut, file.tokens, useNumber(file.use)})) {
                return false;
            }
            coming->documents.insert({place, i}, query.lastInsertId().toLongLong());
        }
    }
    return true;
}

// A question may use passages of a document that came later.
bool ConversationStore::endChat(ComingChat* coming) {
    const ChatRecord& chat = coming->chat;
    for (int place = 0; place < chat.messages.size(); ++place) {
        for (const RecordedPassage& used : chat.messages.at(place).passages) {
            if (!run(
                    QStringLiteral("INSERT INTO used_passages (message_id, attachment_id, passage,"
                                   " page) VALUES (?, ?, ?, ?)"),
                    {coming->messages.at(place), coming->documents.value({used.message, used.file}),
                     used.passage, used.page})) {
                return false;
            }
        }
    }
    QVariant project(QMetaType::fromType<qint64>());
    if (!chat.project.isEmpty()) {
        const auto named = projectNamed(chat.project);
        if (!named) {
            return false;
        }
        project = *named;
    }
    coming->there = run(QStringLiteral("UPDATE conversations SET active_leaf = ?, project_id = ?,"
                                       " deleted_at = NULL WHERE id = ?"),
                        {coming->messages.at(chat.shown), project, coming->id});
    return coming->there;
}

}  // namespace hearth::ui
