#include "toolset/tool_log.h"

#include "system/window_locale.h"

namespace hearth::ui {

void ToolLog::add(const QString& source, const QString& words) {
    constexpr qsizetype kMostWords = 500;
    if (count() == kMostLines) {
        beginRemoveRows({}, count() - 1, count() - 1);
        lines_.removeLast();
        endRemoveRows();
    }
    beginInsertRows({}, 0, 0);
    lines_.prepend({QDateTime::currentDateTime(), source, words.left(kMostWords)});
    endInsertRows();
    emit countChanged();
}

int ToolLog::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant ToolLog::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const Line& line = lines_.at(index.row());
    switch (role) {
        case TimeRole:
            return windowLocale().toString(line.time.time(), QStringLiteral("HH:mm:ss"));
        case SourceRole:
            return line.source;
        case Qt::DisplayRole:
        case WordsRole:
            return line.words;
        default:
            return {};
    }
}

QHash<int, QByteArray> ToolLog::roleNames() const {
    return {{TimeRole, "time"}, {SourceRole, "source"}, {WordsRole, "words"}};
}

}  // namespace hearth::ui
