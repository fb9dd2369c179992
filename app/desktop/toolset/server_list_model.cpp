#include "toolset/server_list_model.h"

namespace hearth::ui {

void ServerListModel::append(const Row& row) {
    beginInsertRows({}, count(), count());
    rows_.append(row);
    endInsertRows();
    emit countChanged();
}

void ServerListModel::remove(qint64 serverId) {
    const qsizetype at = indexOf(serverId);
    if (at >= 0) {
        beginRemoveRows({}, static_cast<int>(at), static_cast<int>(at));
        rows_.removeAt(at);
        endRemoveRows();
        emit countChanged();
    }
}

void ServerListModel::change(const Row& row) {
    const qsizetype at = indexOf(row.server.id);
    if (at >= 0) {
        rows_[at] = row;
        const QModelIndex place = index(static_cast<int>(at));
        emit dataChanged(place, place);
    }
}

int ServerListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant ServerListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const Row& row = rows_.at(index.row());
    switch (role) {
        case ServerIdRole:
            return row.server.id;
        case Qt::DisplayRole:
        case NameRole:
            return row.server.name;
        case EntryRole:
            return row.server.entry;
        case IsAddressRole:
            return row.server.isAddress();
        case NetworkRole:
            return row.server.network;
        case OnRole:
            return row.server.on;
        case PhaseRole:
            return row.phase;
        case WordsRole:
            return row.words;
        case ToolNamesRole: {
            QStringList names;
            for (const OfferedTool& tool : row.tools) {
                names.append(tool.name);
            }
            return names;
        }
        default:
            return {};
    }
}

QHash<int, QByteArray> ServerListModel::roleNames() const {
    return {{ServerIdRole, "serverId"},   {NameRole, "name"},       {EntryRole, "entry"},
            {IsAddressRole, "isAddress"}, {NetworkRole, "network"}, {OnRole, "on"},
            {PhaseRole, "phase"},         {WordsRole, "words"},     {ToolNamesRole, "toolNames"}};
}

qsizetype ServerListModel::indexOf(qint64 serverId) const {
    for (qsizetype i = 0; i < rows_.size(); ++i) {
        if (rows_.at(i).server.id == serverId) {
            return i;
        }
    }
    return -1;
}

}  // namespace hearth::ui
