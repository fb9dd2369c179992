#include "conversation/search_hit_list_model.h"

namespace hearth::ui {

namespace {

bool same(const SearchHit& a, const SearchHit& b) {
    return a.messageId == b.messageId && a.title == b.title && a.line.before == b.line.before &&
           a.line.match == b.line.match && a.line.after == b.line.after;
}

// Most marks of markdown say nothing on one line; the hit itself stays as it was found.
QString withoutMarks(QString text) {
    for (const char* mark : {"**", "~~", "`"}) {
        text.remove(QLatin1String(mark));
    }
    return text;
}

}  // namespace

int SearchHitListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant SearchHitListModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= count()) {
        return {};
    }
    const SearchHit& hit = hits_.at(index.row());
    switch (role) {
        case MessageIdRole:
            return hit.messageId;
        case ConversationIdRole:
            return hit.conversationId;
        case Qt::DisplayRole:
        case TitleRole:
            return hit.title;
        case FromRole:
            return toString(hit.role);
        case LineRole:
            return withoutMarks(hit.line.before) + hit.line.match + withoutMarks(hit.line.after);
        case StyledRole:
            return withoutMarks(hit.line.before).toHtmlEscaped() + QStringLiteral("<b>") +
                   hit.line.match.toHtmlEscaped() + QStringLiteral("</b>") +
                   withoutMarks(hit.line.after).toHtmlEscaped();
        default:
            return {};
    }
}

QHash<int, QByteArray> SearchHitListModel::roleNames() const {
    return {{MessageIdRole, "messageId"}, {ConversationIdRole, "conversationId"},
            {TitleRole, "title"},         {FromRole, "from"},
            {LineRole, "line"},           {StyledRole, "styled"}};
}

void SearchHitListModel::setHits(const QList<SearchHit>& hits) {
    qsizetype kept = 0;
    while (kept < hits_.size() && kept < hits.size() && same(hits_.at(kept), hits.at(kept))) {
        ++kept;
    }
    if (kept < hits_.size()) {
        beginRemoveRows({}, static_cast<int>(kept), count() - 1);
        hits_.resize(kept);
        endRemoveRows();
    }
    if (kept < hits.size()) {
        beginInsertRows({}, static_cast<int>(kept), static_cast<int>(hits.size()) - 1);
        hits_.append(hits.mid(kept));
        endInsertRows();
    }
    emit countChanged();
}

}  // namespace hearth::ui
