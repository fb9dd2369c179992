// The conversations: pinned ones first, then the latest first, with a heading for each run of
// dates.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "store/conversation.h"

namespace hearth::ui {

class ConversationListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Chats has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum ConversationRole {
        ConversationIdRole = Qt::UserRole + 1,
        TitleRole,
        UpdatedAtRole,  // date
        ActiveRole,     // bool: the shown conversation
        PreviewRole,
        ActivityRole,  // "answering", "waiting" for its turn, else ""
        PinnedRole,    // bool
        SectionRole,   // "Pinned", "Today", "Yesterday", "Last 7 days", "November 2026"
    };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    int count() const { return static_cast<int>(rows_.size()); }
    const QList<ConversationSummary>& rows() const { return rows_; }
    // -1: not in the list.
    Q_INVOKABLE int indexOf(qint64 conversationId) const;
    // -1: no such row.
    Q_INVOKABLE qint64 idAt(int row) const;
    // Empty: not in the list.
    QString titleOf(qint64 conversationId) const;

    void reset(const QList<ConversationSummary>& rows);
    // Adds or changes a row and moves it to the place of its date.
    void upsert(const ConversationSummary& row);
    void remove(qint64 conversationId);
    void setActive(qint64 conversationId);
    // The day that the headings are about; no heading but "Pinned" before the first call.
    void setToday(const QDate& today);
    // Sets the conversation in which an answer is written (kNoId: none), and those in which one
    // waits.
    void setActivity(qint64 answering, const QList<qint64>& waiting);

signals:
    void countChanged();

private:
    int positionFor(const ConversationSummary& row) const;
    QString sectionOf(const ConversationSummary& row) const;

    QList<ConversationSummary> rows_;
    QDate today_;
    qint64 active_ = kNoId;
    qint64 answering_ = kNoId;
    QList<qint64> waiting_;
};

}  // namespace hearth::ui
