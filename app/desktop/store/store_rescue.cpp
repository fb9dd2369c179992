#include "store/store_rescue.h"

#include <QFile>
#include <QHash>
#include <QLoggingCategory>
#include <QMap>
#include <QSet>
#include <QSqlError>
#include <QSqlQuery>
#include <QSqlRecord>
#include <QStringList>
#include <QTemporaryDir>
#include <QUuid>
#include <QVariantList>
#include <algorithm>

#include "store/conversation.h"
#include "store/conversation_store.h"
#include "store/store_error.h"
#include "store/store_transaction.h"

namespace hearth::ui {

Q_LOGGING_CATEGORY(lcRescue, "hearth.store")

namespace {

// After so many ids in a row that cannot be read the rest is given up: those that the table has
// given, and where the file does not say which these are.
constexpr int kGapMost = 200'000;
constexpr int kGapMostUnknown = 10'000;

const QStringList kConversationColumns = {QStringLiteral("id"),
                                          QStringLiteral("title"),
                                          QStringLiteral("created_at"),
                                          QStringLiteral("updated_at"),
                                          QStringLiteral("deleted_at"),
                                          QStringLiteral("active_leaf"),
                                          QStringLiteral("system_prompt"),
                                          QStringLiteral("is_pinned"),
                                          QStringLiteral("project_id")};
const QStringList kMessageColumns = {QStringLiteral("id"),
                                     QStringLiteral("conversation_id"),
                                     QStringLiteral("parent_id"),
                                     QStringLiteral("role"),
                                     QStringLiteral("content"),
                                     QStringLiteral("state"),
                                     QStringLiteral("error_text"),
                                     QStringLiteral("created_at"),
                                     QStringLiteral("token_count"),
                                     QStringLiteral("first_token_ms"),
                                     QStringLiteral("tokens_per_second"),
                                     QStringLiteral("model"),
                                     QStringLiteral("is_cut"),
                                     QStringLiteral("reads_from")};
const QStringList kCallColumns = {
    QStringLiteral("id"),     QStringLiteral("message_id"), QStringLiteral("round"),
    QStringLiteral("place"),  QStringLiteral("call_id"),    QStringLiteral("tool"),
    QStringLiteral("source"), QStringLiteral("arguments"),  QStringLiteral("state"),
    QStringLiteral("result"), QStringLiteral("thought")};
const QStringList kDraftColumns = {QStringLiteral("conversation_id"), QStringLiteral("text")};
const QStringList kAttachmentColumns = {
    QStringLiteral("id"),     QStringLiteral("message_id"),   QStringLiteral("draft_of"),
    QStringLiteral("name"),   QStringLiteral("kind"),         QStringLiteral("hash"),
    QStringLiteral("bytes"),  QStringLiteral("characters"),   QStringLiteral("cut"),
    QStringLiteral("tokens"), QStringLiteral("tokens_exact"), QStringLiteral("use"),
    QStringLiteral("path"),   QStringLiteral("modified_at"),  QStringLiteral("project_id")};
const QStringList kProjectColumns = {QStringLiteral("id"),           QStringLiteral("name"),
                                     QStringLiteral("instructions"), QStringLiteral("model"),
                                     QStringLiteral("temperature"),  QStringLiteral("folder")};
const QStringList kUsedColumns = {QStringLiteral("id"), QStringLiteral("message_id"),
                                  QStringLiteral("attachment_id"), QStringLiteral("passage"),
                                  QStringLiteral("page")};

using Row = QHash<QString, QVariant>;
using Rows = QMap<qint64, Row>;  // by the first column

// The last id that a table ever gave; 0: that cannot be read.
qint64 lastIdOf(const QSqlDatabase& from, const QString& table) {
    QSqlQuery query(from);
    query.prepare(QStringLiteral("SELECT seq FROM sqlite_sequence WHERE name = ?"));
    query.addBindValue(table);
    return query.exec() && query.next() ? query.value(0).toLongLong() : 0;
}

// The rows of a table whose first column is its key, past what cannot be read. Columns that an
// earlier schema lacks are left out.
Rows readTable(const QSqlDatabase& from, const QString& table, const QStringList& wanted,
               bool* complete) {
    const QSqlRecord there = from.record(table);
    QStringList columns;
    for (const QString& column : wanted) {
        if (there.contains(column)) {
            columns.append(column);
        }
    }
    Rows rows;
    if (!columns.contains(wanted.first())) {
        return rows;
    }
    // An index may be what is damaged.
    const QString sql = QStringLiteral("SELECT %1 FROM %2 NOT INDEXED WHERE %3 > ? ORDER BY %3")
                            .arg(columns.join(QStringLiteral(", ")), table, wanted.first());
    const qint64 end = lastIdOf(from, table);
    qint64 last = -1;
    for (int gap = 0; gap < (last < end ? kGapMost : kGapMostUnknown); ++gap) {
        QSqlQuery query(from);
        query.setForwardOnly(true);
        query.prepare(sql);
        query.addBindValue(last);
        const bool begun = query.exec();
        while (begun && query.next()) {
            gap = 0;
            last = query.value(0).toLongLong();
            Row& row = rows[last];
            for (int i = 0; i < columns.size(); ++i) {
                row.insert(columns[i], query.value(i));
            }
        }
        if (begun && query.lastError().type() == QSqlError::NoError) {
            return rows;
        }
        *complete = false;
        ++last;
    }
    return rows;
}

// Columns that the schema wants get `otherwise` where they are empty; other empty ones get the
// schema's own.
void fill(Row* row, const Row& otherwise) {
    row->removeIf([](const auto& value) { return value.value().isNull(); });
    for (auto value = otherwise.begin(); value != otherwise.end(); ++value) {
        if (!row->contains(value.key())) {
            row->insert(value.key(), value.value());
        }
    }
}

// False: it says not whose message it is, or in which conversation.
bool isMessage(const Row& row) {
    const QString role = row.value(QStringLiteral("role")).toString();
    return row.value(QStringLiteral("conversation_id")).toLongLong() > 0 &&
           role == toString(roleFromString(role));
}

bool insertRow(const QSqlDatabase& to, const QString& table, const Row& row) {
    QStringList columns;
    QStringList marks;
    QVariantList values;
    for (auto value = row.begin(); value != row.end(); ++value) {
        columns.append(value.key());
        marks.append(QStringLiteral("?"));
        values.append(value.value());
    }
    QSqlQuery query(to);
    const bool ok = query.prepare(
        QStringLiteral("INSERT INTO %1 (%2) VALUES (%3)")
            .arg(table, columns.join(QStringLiteral(", ")), marks.join(QStringLiteral(", "))));
    for (const QVariant& value : values) {
        query.addBindValue(value);
    }
    return ok && query.exec();
}

// For a conversation whose own row is lost.
Row conversationOf(qint64 id, const Row& firstMessage) {
    const QVariant when = firstMessage.value(QStringLiteral("created_at"));
    return {{QStringLiteral("id"), id},
            {QStringLiteral("title"),
             titleFrom(firstMessage.value(QStringLiteral("content")).toString())},
            {QStringLiteral("created_at"), when},
            {QStringLiteral("updated_at"), when}};
}

// Every message has what the schema wants, and its parent and its conversation are there.
void mendMessages(Rows* conversations, Rows* messages, bool* complete) {
    const QString parent = QStringLiteral("parent_id");
    const QString ofConversation = QStringLiteral("conversation_id");
    const qsizetype before = messages->size();
    messages->removeIf([](const auto& message) { return !isMessage(message.value()); });
    *complete = *complete && messages->size() == before;
    QHash<qint64, qint64> latest;  // of each conversation, the message before
    for (auto message = messages->begin(); message != messages->end(); ++message) {
        fill(&*message,
             {{QStringLiteral("content"), QStringLiteral("")}, {QStringLiteral("created_at"), 0}});
        const QString state = message->value(QStringLiteral("state")).toString();
        if (state != toString(messageStateFromString(state))) {
            message->insert(QStringLiteral("state"), toString(MessageState::Interrupted));
        }
        const qint64 conversation = message->value(ofConversation).toLongLong();
        if (!conversations->contains(conversation)) {
            conversations->insert(conversation, conversationOf(conversation, *message));
            *complete = false;
        }
        if (message->contains(parent)) {
            const auto above = messages->constFind(message->value(parent).toLongLong());
            // Children are younger than their parents.
            if (above == messages->constEnd() || above.key() >= message.key() ||
                above->value(ofConversation).toLongLong() != conversation) {
                message->remove(parent);
                if (latest.contains(conversation)) {
                    message->insert(parent, latest.value(conversation));
                }
            }
        }
        latest.insert(conversation, message.key());
    }
}

// The same of the conversations: each shows a message of its own, where it has any.
void mendConversations(Rows* conversations, const Rows& messages) {
    const QString leaf = QStringLiteral("active_leaf");
    QHash<qint64, qint64> latest;
    for (auto message = messages.begin(); message != messages.end(); ++message) {
        latest.insert(message->value(QStringLiteral("conversation_id")).toLongLong(),
                      message.key());
    }
    for (auto conversation = conversations->begin(); conversation != conversations->end();
         ++conversation) {
        fill(&*conversation, {{QStringLiteral("title"), QStringLiteral("…")},
                              {QStringLiteral("created_at"), 0},
                              {QStringLiteral("updated_at"), 0}});
        const auto shown = messages.constFind(conversation->value(leaf).toLongLong());
        const bool isOwn =
            shown != messages.constEnd() &&
            shown->value(QStringLiteral("conversation_id")).toLongLong() == conversation.key();
        if (!isOwn) {
            conversation->remove(leaf);
            if (latest.contains(conversation.key())) {
                conversation->insert(leaf, latest.value(conversation.key()));
            }
        }
    }
}

// Every call has an answer, and what the schema wants.
void mendCalls(Rows* calls, const Rows& messages) {
    calls->removeIf([&](const auto& call) {
        return !messages.contains(call->value(QStringLiteral("message_id")).toLongLong());
    });
    const QString nothing = QStringLiteral("");
    for (Row& call : *calls) {
        fill(&call, {{QStringLiteral("round"), 0},
                     {QStringLiteral("place"), 0},
                     {QStringLiteral("call_id"), nothing},
                     {QStringLiteral("tool"), nothing},
                     {QStringLiteral("source"), nothing},
                     {QStringLiteral("arguments"), nothing},
                     {QStringLiteral("state"), toString(CallRecord::State::Interrupted)}});
    }
}

// Every project has a name; who belonged to one that is lost belongs to none.
void mendProjects(Rows* projects, const QList<Rows*>& members, bool* complete) {
    const QString project = QStringLiteral("project_id");
    for (Row& row : *projects) {
        fill(&row, {{QStringLiteral("name"), QStringLiteral("…")}});
    }
    for (Rows* rows : members) {
        for (Row& row : *rows) {
            if (!row.value(project).isNull() &&
                !projects->contains(row.value(project).toLongLong())) {
                row.remove(project);
                *complete = false;
            }
        }
    }
}

// Documents need a message, a draft, a project or a question, and all that the schema wants;
// passages need both of theirs.
void mendAttachments(Rows* attachments, Rows* used, const Rows& messages) {
    const QString message = QStringLiteral("message_id");
    const auto isThere = [&](const Row& row) {
        return messages.contains(row.value(message).toLongLong());
    };
    QSet<qint64> quoted;
    for (const Row& row : std::as_const(*used)) {
        quoted.insert(row.value(QStringLiteral("attachment_id")).toLongLong());
    }
    attachments->removeIf([&](const auto& attachment) {
        const Row& row = attachment.value();
        const bool whole =
            std::all_of(kAttachmentColumns.begin() + 3, kAttachmentColumns.begin() + 8,
                        [&](const QString& column) { return !row.value(column).isNull(); });
        return !whole || (row.value(message).isNull()
                              ? row.value(QStringLiteral("draft_of")).isNull() &&
                                    row.value(QStringLiteral("project_id")).isNull() &&
                                    !quoted.contains(attachment.key())
                              : !isThere(row));
    });
    used->removeIf([&](const auto& passage) {
        const Row& row = passage.value();
        return !isThere(row) || row.value(QStringLiteral("passage")).isNull() ||
               !attachments->contains(row.value(QStringLiteral("attachment_id")).toLongLong());
    });
    for (Rows* rows : {attachments, used}) {
        for (Row& row : *rows) {
            fill(&row, {});
        }
    }
}

bool insertAll(const QSqlDatabase& to, const QString& table, const Rows& rows) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](const Row& row) { return insertRow(to, table, row); });
}

Rescued copyRows(const QSqlDatabase& from, const QSqlDatabase& to) {
    const QString conversationTable = QStringLiteral("conversations");
    const QString messageTable = QStringLiteral("messages");
    const QString draftTable = QStringLiteral("drafts");
    Rescued rescued;
    Rows conversations =
        readTable(from, conversationTable, kConversationColumns, &rescued.complete);
    Rows messages = readTable(from, messageTable, kMessageColumns, &rescued.complete);
    Rows drafts = readTable(from, draftTable, kDraftColumns, &rescued.complete);
    drafts.removeIf(
        [](const auto& draft) { return draft->value(QStringLiteral("text")).isNull(); });
    mendMessages(&conversations, &messages, &rescued.complete);
    mendConversations(&conversations, messages);
    const QString callTable = QStringLiteral("tool_calls");
    Rows calls = readTable(from, callTable, kCallColumns, &rescued.complete);
    mendCalls(&calls, messages);
    const QString attachmentTable = QStringLiteral("attachments");
    const QString usedTable = QStringLiteral("used_passages");
    Rows attachments = readTable(from, attachmentTable, kAttachmentColumns, &rescued.complete);
    Rows used = readTable(from, usedTable, kUsedColumns, &rescued.complete);
    const QString projectTable = QStringLiteral("projects");
    Rows projects = readTable(from, projectTable, kProjectColumns, &rescued.complete);
    mendProjects(&projects, {&conversations, &attachments}, &rescued.complete);
    mendAttachments(&attachments, &used, messages);
    StoreError error;
    StoreTransaction transaction(to, &error);
    if (!transaction.begun() || !insertAll(to, projectTable, projects) ||
        !insertAll(to, conversationTable, conversations) ||
        !insertAll(to, messageTable, messages) || !insertAll(to, draftTable, drafts) ||
        !insertAll(to, callTable, calls) || !insertAll(to, attachmentTable, attachments) ||
        !insertAll(to, usedTable, used) || !transaction.commit()) {
        qCWarning(lcRescue) << "what could be read could not be written";
        return {};
    }
    rescued.conversations = static_cast<int>(
        std::count_if(conversations.begin(), conversations.end(),
                      [](const Row& row) { return !row.contains(QStringLiteral("deleted_at")); }));
    return rescued;
}

}  // namespace

Rescued rescueConversations(const QString& damaged, const QSqlDatabase& to) {
    // Opened in place, the file would take in its log as it is closed.
    const QTemporaryDir folder;
    const QString copy = folder.filePath(QStringLiteral("damaged.db"));
    if (!folder.isValid() || !QFile::copy(damaged, copy)) {
        return {};
    }
    QFile::copy(damaged + QStringLiteral("-wal"), copy + QStringLiteral("-wal"));
    Rescued rescued;
    const QString name = QStringLiteral("hearth-rescue-") + QUuid::createUuid().toString();
    {
        QSqlDatabase from = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        from.setDatabaseName(copy);
        if (from.open()) {
            // Else a file that lost its end would not be read at all.
            QSqlQuery(from).exec(QStringLiteral("PRAGMA writable_schema = ON"));
            rescued = copyRows(from, to);
            from.close();
        }
    }
    QSqlDatabase::removeDatabase(name);
    qCInfo(lcRescue) << "rescued" << rescued.conversations
                     << "conversations, complete:" << rescued.complete;
    return rescued;
}

}  // namespace hearth::ui
