// The servers of tools, as their page shows them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>
#include <QList>

#include "toolset/tool_config.h"
#include "toolset/tool_outcome.h"

namespace hearth::ui {

class ServerListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("ToolShelf has it")
    Q_PROPERTY(int count READ count NOTIFY countChanged)

public:
    enum ServerRole {
        ServerIdRole = Qt::UserRole + 1,
        NameRole,
        EntryRole,
        IsAddressRole,
        NetworkRole,
        OnRole,
        PhaseRole,  // "off" "starting" "ready" "failed"
        WordsRole,  // of "failed": a sentence; of "ready": who the server says it is
        ToolNamesRole,
    };
    struct Row {
        ToolServer server;
        QString phase = QStringLiteral("off");
        QString words = {};
        QList<OfferedTool> tools = {};
    };

    using QAbstractListModel::QAbstractListModel;

    void append(const Row& row);
    void remove(qint64 serverId);
    void change(const Row& row);  // the one of its id

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;
    int count() const { return static_cast<int>(rows_.size()); }

signals:
    void countChanged();

private:
    qsizetype indexOf(qint64 serverId) const;

    QList<Row> rows_;
};

}  // namespace hearth::ui
