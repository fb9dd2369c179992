// The messages of the shown conversation: one path through its tree, from the first question to the
// active leaf.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "markdown/block_list_model.h"
#include "markdown/long_text.h"
#include "markdown/reasoning.h"
#include "store/conversation.h"

namespace hearth::ui {

class MessageListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Chats has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum MessageRole {
        MessageIdRole = Qt::UserRole + 1,
        RoleRole,           // "user", "assistant", "system"
        BlocksRole,         // BlockListModel* of the answer, made when first asked for
        TextRole,           // the markdown, as on disk
        AnswerRole,         // the same without the reasoning before an answer
        ThoughtRole,        // "": no reasoning; "open": it is being written; "done"
        ThoughtShownRole,   // it is unfolded
        ThoughtBlocksRole,  // BlockListModel* of the reasoning, while it is unfolded; else null
        StateRole,          // "complete" "generating" "stopped" "failed" "interrupted"
        ErrorTextRole,      // of "failed": a sentence
        VersionIndexRole,   // 0 to versionCount - 1
        VersionCountRole,
        StatsRole,  // "Qwen3 4B · 42 tokens/s · first token 0.12 s · 57 tokens", as far as known
        TokensPerSecondRole,
        FirstTokenMsRole,
        TokenCountRole,
        CallsRole,          // of tools, in the answer: as callWords() has them
        FoldedRole,         // the size of a question that is too long to be shown whole; else empty
        ContinuableRole,    // an answer with text that did not come to its end
        ReadsFromHereRole,  // the last answer was written without the messages before this one
    };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    int count() const { return static_cast<int>(rows_.size()); }
    // Cuts a text into parts that can each be shown at once, in order.
    Q_INVOKABLE static QStringList parts(const QString& text) { return partsToShow(text); }
    // -1: not in the list.
    Q_INVOKABLE int indexOf(qint64 messageId) const;
    const Message* find(qint64 messageId) const;
    const Message* first() const { return rows_.isEmpty() ? nullptr : &rows_.first().message; }
    QList<Message> messages() const;

    // Shows another path. Leading rows that both paths share stay as they are.
    void setMessages(const QList<Message>& messages);
    // Adds what stands before all of them.
    void prepend(const QList<Message>& messages);
    void appendText(qint64 messageId, const QString& text);
    // Unfolds the reasoning before an answer, or folds it. A row begins folded.
    Q_INVOKABLE void showThought(qint64 messageId, bool shown);
    void setCalls(qint64 messageId, const QList<CallRecord>& calls);
    // Ends a reply.
    void setResult(qint64 messageId, MessageState state, const QString& errorText,
                   const ReplyStats& stats);

signals:
    void countChanged();

private:
    struct Row {
        Message message;
        Reasoning reasoning;                       // of an answer, as far as it is there
        mutable BlockListModel* blocks = nullptr;  // owned here; null until shown
        BlockListModel* thoughtBlocks = nullptr;   // ours; null while it is folded
        qsizetype thoughtSize = 0;                 // so much of it they show
    };
    static Row rowOf(const Message& message);
    static QString thoughtState(const Row& row);
    BlockListModel* blocksOf(const Row& row) const;
    void showAnswer(Row& row, qsizetype formerBegin, qsizetype formerSize);
    void showMoreThought(Row& row);
    void changed(int row, const QList<int>& roles);
    void dropRows(int from);
    void showWhereReadingBegins();

    QList<Row> rows_;
    qint64 readsFrom_ = kNoId;
};

// "42 tokens/s · first token 0.12 s · 57 tokens", below a tenth of a second "first token 4 ms";
// empty when nothing is known.
QString statsText(const ReplyStats& stats);

}  // namespace hearth::ui
