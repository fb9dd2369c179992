#include "network/request_list_model.h"

#include <algorithm>

#include "system/size_words.h"
#include "system/window_locale.h"

namespace hearth::ui {

RequestListModel::RequestListModel(RequestLog& log, QObject* parent)
    : QAbstractListModel(parent), log_(log) {
    soon_.setSingleShot(true);
    soon_.setInterval(250);
    connect(&soon_, &QTimer::timeout, this, &RequestListModel::take);
    // The signal comes from any thread.
    connect(&log_, &RequestLog::changed, this, [this] {
        if (!soon_.isActive()) {
            soon_.start();
        }
    });
    take();
}

void RequestListModel::take() {
    QList<RequestEntry> now = log_.entries();
    const int before = count();
    // New rows stand first, and old ones fall off the end. The rows between are the same as before.
    const qint64 newest = rows_.isEmpty() ? 0 : rows_.first().id;
    const auto added = static_cast<int>(
        std::find_if(now.begin(), now.end(), [&](const auto& row) { return row.id <= newest; }) -
        now.begin());
    const int kept = static_cast<int>(now.size()) - added;
    if (kept < count()) {
        beginRemoveRows({}, kept, count() - 1);
        rows_.resize(kept);
        endRemoveRows();
    }
    if (added > 0) {
        beginInsertRows({}, 0, added - 1);
        rows_ = now;
        endInsertRows();
    } else {
        rows_ = now;
    }
    if (!rows_.isEmpty()) {
        emit dataChanged(index(0), index(count() - 1));
    }
    if (count() != before) {
        emit countChanged();
    }
}

int RequestListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant RequestListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const RequestEntry& row = rows_.at(index.row());
    switch (role) {
        case Time:
            return windowLocale().toString(row.begun.toLocalTime().time(),
                                           QStringLiteral("HH:mm:ss"));
        case What:
            return QString(row.method + QLatin1Char(' ') + row.host + row.path);
        case Purpose:
            return row.purpose;
        case Outcome: {
            const QString result = row.result.isEmpty() ? tr("under way") : row.result;
            return row.bytes == 0
                       ? result
                       : tr("%1 · %2").arg(result, sizeWords(static_cast<quint64>(row.bytes)));
        }
        case Failed:
            return !row.result.isEmpty() && (row.status == 0 || row.status >= 400);
        default:
            return {};
    }
}

QHash<int, QByteArray> RequestListModel::roleNames() const {
    return {{Time, "time"},
            {What, "what"},
            {Purpose, "purpose"},
            {Outcome, "outcome"},
            {Failed, "failed"}};
}

}  // namespace hearth::ui
