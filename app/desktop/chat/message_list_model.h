// The messages of the shown conversation: one path through its tree, from the first question to the
// active leaf.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "block_list_model.h"
#include "conversation.h"
#include "long_text.h"

namespace hearth::ui {

class MessageListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Chats has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum MessageRole {
        MessageIdRole = Qt::UserRole + 1,
        RoleRole,          // "user", "assistant", "system"
        BlocksRole,        // BlockListModel*, made when first asked for
        TextRole,          // the markdown
        StateRole,         // "complete" "generating" "stopped" "failed" "interrupted"
        ErrorTextRole,     // of "failed": a sentence
        VersionIndexRole,  // 0 to versionCount - 1
        VersionCountRole,
        StatsRole,  // "42 tokens/s · first token 0.12 s · 57 tokens", empty while unknown
        TokensPerSecondRole,
        FirstTokenMsRole,
        TokenCountRole,
        FoldedRole,  // the size of a question that is too long to be shown whole; else empty
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
    QList<Message> messages() const;

    // Shows another path. Rows at the start that both have stay as they are.
    void setMessages(const QList<Message>& messages);
    void appendText(qint64 messageId, const QString& text);
    // Ends a reply.
    void setResult(qint64 messageId, MessageState state, const QString& errorText,
                   const ReplyStats& stats);

signals:
    void countChanged();

private:
    struct Row {
        Message message;
        mutable BlockListModel* blocks = nullptr;  // ours; null until shown
    };
    BlockListModel* blocksOf(const Row& row) const;
    void changed(int row, const QList<int>& roles);
    void dropRows(int from);

    QList<Row> rows_;
};

// "42 tokens/s · first token 0.12 s · 57 tokens", below a tenth of a second "first token 4 ms";
// empty when nothing is known.
QString statsText(const ReplyStats& stats);

}  // namespace hearth::ui
