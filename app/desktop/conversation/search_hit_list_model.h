// The messages that a search found, the latest first.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include "store/search_index.h"

namespace hearth::ui {

class SearchHitListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("ChatSearch has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum HitRole {
        MessageIdRole = Qt::UserRole + 1,
        ConversationIdRole,
        TitleRole,   // of the chat
        FromRole,    // "user", "assistant"
        LineRole,    // plain text around the hit
        StyledRole,  // the same as StyledText, the hit in bold
    };

    using QAbstractListModel::QAbstractListModel;

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    int count() const { return static_cast<int>(hits_.size()); }
    // Rows that both lists begin with stay.
    void setHits(const QList<SearchHit>& hits);

signals:
    void countChanged();

private:
    QList<SearchHit> hits_;
};

}  // namespace hearth::ui
