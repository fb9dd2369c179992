// The latest requests to the local API, the newest first. They are in memory only.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QDateTime>
#include <QList>

#include "bridge/serving_service.h"

namespace hearth::ui {

class ServedRequestListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("ModelServing has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum Role {
        Time = Qt::UserRole + 1,  // "14:03:22"
        Client,                   // in words
        Path,
        Outcome,  // "done · 120 tokens"
        Failed,
    };
    static constexpr qsizetype kMost = 50;

    using QAbstractListModel::QAbstractListModel;

    // New requests and changed ones, the oldest first.
    void take(const QList<ServedRequest>& requests);

    int count() const { return static_cast<int>(rows_.size()); }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

    // The name that a client gives itself, for people: without letters that cannot be seen or that
    // turn a line around, and of a bounded length.
    static QString clientWords(const QString& name);

signals:
    void countChanged();

private:
    struct Row {
        ServedRequest request;
        QDateTime came;
    };
    static QString outcomeOf(const ServedRequest& request);

    QList<Row> rows_;
};

}  // namespace hearth::ui
