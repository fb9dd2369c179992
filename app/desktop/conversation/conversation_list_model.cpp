#include "conversation/conversation_list_model.h"

#include <tuple>

#include "markdown/plain_line.h"
#include "system/window_locale.h"

namespace hearth::ui {

int ConversationListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const ConversationSummary& row = rows_.at(index.row());
    switch (role) {
        case ConversationIdRole:
            return row.id;
        case Qt::DisplayRole:
        case TitleRole:
            return row.title;
        case UpdatedAtRole:
            return row.updatedAt;
        case ActiveRole:
            return row.id == active_;
        case PreviewRole:
            return withoutMarkup(row.preview);
        case ActivityRole:
            return row.id == answering_        ? QStringLiteral("answering")
                   : waiting_.contains(row.id) ? QStringLiteral("waiting")
                                               : QString();
        case PinnedRole:
            return row.isPinned;
        case SectionRole:
            return sectionOf(row);
        default:
            return {};
    }
}

QHash<int, QByteArray> ConversationListModel::roleNames() const {
    return {{ConversationIdRole, "conversationId"},
            {TitleRole, "title"},
            {UpdatedAtRole, "updatedAt"},
            {ActiveRole, "active"},
            {PreviewRole, "preview"},
            {ActivityRole, "activity"},
            {PinnedRole, "pinned"},
            {SectionRole, "section"}};
}

int ConversationListModel::indexOf(qint64 conversationId) const {
    for (int row = 0; row < count(); ++row) {
        if (rows_.at(row).id == conversationId) {
            return row;
        }
    }
    return -1;
}

qint64 ConversationListModel::idAt(int row) const {
    return row >= 0 && row < count() ? rows_.at(row).id : kNoId;
}

QString ConversationListModel::titleOf(qint64 conversationId) const {
    const int row = indexOf(conversationId);
    return row < 0 ? QString() : rows_.at(row).title;
}

void ConversationListModel::reset(const QList<ConversationSummary>& rows) {
    beginResetModel();
    rows_ = rows;
    endResetModel();
    emit countChanged();
}

void ConversationListModel::upsert(const ConversationSummary& row) {
    const int from = indexOf(row.id);
    const int to = positionFor(row);
    if (from < 0) {
        beginInsertRows({}, to, to);
        rows_.insert(to, row);
        endInsertRows();
        emit countChanged();
        return;
    }
    if (from != to) {
        // Qt counts the destination in rows before the move.
        beginMoveRows({}, from, from, {}, to > from ? to + 1 : to);
        rows_.move(from, to);
        endMoveRows();
    }
    rows_[to] = row;
    emit dataChanged(index(to), index(to));
}

void ConversationListModel::remove(qint64 conversationId) {
    const int row = indexOf(conversationId);
    if (row < 0) {
        return;
    }
    beginRemoveRows({}, row, row);
    rows_.removeAt(row);
    endRemoveRows();
    emit countChanged();
}

void ConversationListModel::setActive(qint64 conversationId) {
    if (active_ == conversationId) {
        return;
    }
    const int before = indexOf(active_);
    active_ = conversationId;
    for (int row : {before, indexOf(active_)}) {
        if (row >= 0) {
            emit dataChanged(index(row), index(row), {ActiveRole});
        }
    }
}

void ConversationListModel::setActivity(qint64 answering, const QList<qint64>& waiting) {
    QList<qint64> touched = waiting_ + waiting;
    touched << answering_ << answering;
    answering_ = answering;
    waiting_ = waiting;
    for (int row = 0; row < count(); ++row) {
        if (touched.contains(rows_.at(row).id)) {
            emit dataChanged(index(row), index(row), {ActivityRole});
        }
    }
}

// The row of the conversation once it is taken out and put back.
int ConversationListModel::positionFor(const ConversationSummary& moved) const {
    const auto place = [](const ConversationSummary& row) {
        return std::tuple(row.isPinned, row.updatedAt, row.id);
    };
    int position = 0;
    for (const ConversationSummary& row : rows_) {
        if (row.id == moved.id) {
            continue;
        }
        if (place(row) < place(moved)) {
            break;
        }
        ++position;
    }
    return position;
}

void ConversationListModel::setToday(const QDate& today) {
    if (today == today_) {
        return;
    }
    today_ = today;
    if (!rows_.isEmpty()) {
        emit dataChanged(index(0), index(count() - 1), {SectionRole});
    }
}

QString ConversationListModel::sectionOf(const ConversationSummary& row) const {
    if (row.isPinned) {
        return tr("Pinned");
    }
    const QDate date = row.updatedAt.date();
    if (!today_.isValid() || !date.isValid()) {
        return {};
    }
    const qint64 days = date.daysTo(today_);
    // A date that is to come is that of a clock which was put back.
    return days < 1    ? tr("Today")
           : days == 1 ? tr("Yesterday")
           : days <= 7 ? tr("Last 7 days")
                       : windowLocale().toString(date, QStringLiteral("MMMM yyyy"));
}

}  // namespace hearth::ui
