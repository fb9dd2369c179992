// The rows of the page of requests, latest first. They follow the log's changes at most four times
// a second.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QTimer>

#include "network/request_log.h"

namespace hearth::ui {

class RequestListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("NetworkOverview has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum Role {
        Time = Qt::UserRole + 1,  // "14:03:22"
        What,                     // "GET huggingface.co/a/b"
        Purpose,
        Outcome,  // "done · 1.2 MB"
        Failed,
    };

    explicit RequestListModel(RequestLog& log, QObject* parent = nullptr);

    int count() const { return static_cast<int>(rows_.size()); }
    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

signals:
    void countChanged();

private:
    void take();

    RequestLog& log_;
    QList<RequestEntry> rows_;
    QTimer soon_;
};

}  // namespace hearth::ui
