#include "conversation/sidebar_list_model.h"

#include <QHash>
#include <algorithm>
#include <utility>

namespace hearth::ui {

SidebarListModel::SidebarListModel(ConversationListModel& chats, QObject* parent)
    : QAbstractListModel(parent), chats_(chats) {
    for (const auto signal :
         {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved}) {
        connect(&chats_, signal, this, &SidebarListModel::arrange);
    }
    connect(&chats_, &QAbstractItemModel::rowsMoved, this, &SidebarListModel::arrange);
    connect(&chats_, &QAbstractItemModel::modelReset, this, &SidebarListModel::arrange);
    connect(&chats_, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex& first, const QModelIndex& last, const QList<int>& roles) {
                follow(first.row(), last.row(), roles);
            });
    arrange();
}

int SidebarListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant SidebarListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const Row& row = rows_.at(index.row());
    if (role == IsProjectRole) {
        return row.isProject;
    }
    if (row.isProject) {
        const auto project = std::find_if(projects_.begin(), projects_.end(),
                                          [&](const Project& one) { return one.id == row.id; });
        switch (role) {
            case ProjectIdRole:
                return row.id;
            case Qt::DisplayRole:
            case ConversationListModel::TitleRole:
                return project == projects_.end() ? QString() : project->name;
            case FoldedRole:
                return folded_.contains(row.id);
            case ChatCountRole:
                return static_cast<int>(std::count_if(
                    chats_.rows().begin(), chats_.rows().end(),
                    [&](const ConversationSummary& chat) { return chat.projectId == row.id; }));
            case ConversationListModel::ConversationIdRole:
                return kNoId;
            case ConversationListModel::ActiveRole:
            case ConversationListModel::PinnedRole:
                return false;
            case ConversationListModel::SectionRole:
                return tr("Projects");
            case ConversationListModel::PreviewRole:
            case ConversationListModel::ActivityRole:
                return QString();
            case ConversationListModel::UpdatedAtRole:
                return QDateTime();
            default:
                return {};
        }
    }
    const int chat = chats_.indexOf(row.id);
    if (chat < 0) {
        return {};
    }
    const qint64 project = chats_.rows().at(chat).projectId;
    switch (role) {
        case ProjectIdRole:
            return project;
        case FoldedRole:
            return false;
        case ChatCountRole:
            return 0;
        case ConversationListModel::SectionRole:
            if (project != kNoId) {
                return tr("Projects");
            }
            break;
        default:
            break;
    }
    return chats_.data(chats_.index(chat), role);
}

QHash<int, QByteArray> SidebarListModel::roleNames() const {
    QHash<int, QByteArray> names = chats_.roleNames();
    names.insert(ProjectIdRole, "projectId");
    names.insert(IsProjectRole, "isProject");
    names.insert(FoldedRole, "folded");
    names.insert(ChatCountRole, "chatCount");
    return names;
}

void SidebarListModel::setProjects(const QList<Project>& projects) {
    projects_ = projects;
    arrange();
    if (!rows_.isEmpty()) {
        emit dataChanged(index(0), index(count() - 1));
    }
}

void SidebarListModel::setFolded(qint64 projectId, bool folded) {
    if (folded == folded_.contains(projectId)) {
        return;
    }
    if (folded) {
        folded_.insert(projectId);
    } else {
        folded_.remove(projectId);
    }
    arrange();
    if (const int row = rowOfProject(projectId); row >= 0) {
        emit dataChanged(index(row), index(row), {FoldedRole});
    }
}

void SidebarListModel::reveal(qint64 conversationId) {
    const int row = chats_.indexOf(conversationId);
    if (row >= 0) {
        setFolded(chats_.rows().at(row).projectId, false);
    }
}

int SidebarListModel::indexOf(const Row& row) const {
    return static_cast<int>(rows_.indexOf(row));
}

int SidebarListModel::rowOf(qint64 conversationId) const {
    return indexOf({false, conversationId});
}

int SidebarListModel::rowOfProject(qint64 projectId) const {
    return indexOf({true, projectId});
}

qint64 SidebarListModel::chatBeside(qint64 conversationId, int step) const {
    QList<qint64> chats;
    for (const Row& row : rows_) {
        if (!row.isProject) {
            chats.append(row.id);
        }
    }
    const qsizetype here = chats.indexOf(conversationId);
    const qsizetype there = here >= 0 ? here + step : step > 0 ? 0 : -1;
    return there >= 0 && there < chats.size() ? chats.at(there) : kNoId;
}

QList<SidebarListModel::Row> SidebarListModel::arranged() const {
    QHash<qint64, QList<Row>> ofProject;
    for (const Project& project : projects_) {
        ofProject.insert(project.id, {});
    }
    QList<Row> pinned;
    QList<Row> others;
    for (const ConversationSummary& chat : chats_.rows()) {
        const auto project = ofProject.find(chat.projectId);
        QList<Row>& list = project != ofProject.end() ? *project : chat.isPinned ? pinned : others;
        list.append({false, chat.id});
    }
    QList<Row> rows = pinned;
    for (const Project& project : projects_) {
        rows.append({true, project.id});
        if (!folded_.contains(project.id)) {
            rows.append(ofProject.value(project.id));
        }
    }
    return rows + others;
}

// Row by row, so that the view keeps its place and its keyboard.
void SidebarListModel::arrange() {
    const QList<Row> wanted = arranged();
    const auto keyOf = [](const Row& row) { return std::pair(row.isProject, row.id); };
    QSet<std::pair<bool, qint64>> kept;
    for (const Row& row : wanted) {
        kept.insert(keyOf(row));
    }
    const auto before = rows_.size();
    for (int last = count() - 1; last >= 0; --last) {
        if (kept.contains(keyOf(rows_.at(last)))) {
            continue;
        }
        int first = last;
        while (first > 0 && !kept.contains(keyOf(rows_.at(first - 1)))) {
            --first;
        }
        beginRemoveRows({}, first, last);
        rows_.remove(first, last - first + 1);
        endRemoveRows();
        last = first;
    }
    QSet<std::pair<bool, qint64>> there;
    for (const Row& row : std::as_const(rows_)) {
        there.insert(keyOf(row));
    }
    for (int at = 0; at < wanted.size(); ++at) {
        if (at < count() && rows_.at(at) == wanted.at(at)) {
            continue;
        }
        if (there.contains(keyOf(wanted.at(at)))) {
            const int from = indexOf(wanted.at(at));
            beginMoveRows({}, from, from, {}, at);
            rows_.move(from, at);
            endMoveRows();
            continue;
        }
        int end = at + 1;
        while (end < wanted.size() && !there.contains(keyOf(wanted.at(end)))) {
            ++end;
        }
        beginInsertRows({}, at, end - 1);
        for (int row = at; row < end; ++row) {
            rows_.insert(row, wanted.at(row));
        }
        endInsertRows();
        at = end - 1;
    }
    if (rows_.size() != before) {
        emit countChanged();
    }
}

void SidebarListModel::follow(int first, int last, const QList<int>& roles) {
    if (roles.isEmpty()) {
        arrange();  // its project may be another
        for (int row = 0; row < count(); ++row) {
            if (rows_.at(row).isProject) {
                emit dataChanged(index(row), index(row), {ChatCountRole});
            }
        }
    }
    if (last - first > 8) {
        emit dataChanged(index(0), index(count() - 1), roles);
        return;
    }
    for (int chat = first; chat <= last; ++chat) {
        const int row = rowOf(chats_.idAt(chat));
        if (row >= 0) {
            emit dataChanged(index(row), index(row), roles);
        }
    }
}

}  // namespace hearth::ui
