#include "serving/served_request_list_model.h"

#include <algorithm>

#include "system/window_locale.h"

namespace hearth::ui {

namespace {

constexpr qsizetype kMostLetters = 60;

QString shownText(const QString& text) {
    QString shown;
    for (const QChar letter : text.left(4 * kMostLetters)) {
        if (letter.isPrint()) {  // neither a control nor a mark that turns a line around
            shown += letter;
        }
    }
    shown = shown.simplified();
    return shown.size() > kMostLetters ? shown.left(kMostLetters - 1) + QChar(0x2026) : shown;
}

}  // namespace

QString ServedRequestListModel::clientWords(const QString& name) {
    const QString shown = shownText(name);
    return shown.isEmpty() ? tr("a program without a name") : shown;
}

void ServedRequestListModel::take(const QList<ServedRequest>& requests) {
    const int before = count();
    for (const ServedRequest& request : requests) {
        const auto known = std::find_if(rows_.begin(), rows_.end(), [&](const Row& row) {
            return row.request.number == request.number;
        });
        if (known != rows_.end()) {
            known->request = request;
            const QModelIndex at = index(static_cast<int>(known - rows_.begin()));
            emit dataChanged(at, at);
            continue;
        }
        beginInsertRows({}, 0, 0);
        rows_.prepend({request, QDateTime::currentDateTime()});
        endInsertRows();
    }
    if (rows_.size() > kMost) {
        beginRemoveRows({}, static_cast<int>(kMost), count() - 1);
        rows_.resize(kMost);
        endRemoveRows();
    }
    if (count() != before) {
        emit countChanged();
    }
}

int ServedRequestListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant ServedRequestListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    const Row& row = rows_.at(index.row());
    switch (role) {
        case Time:
            return windowLocale().toString(row.came.time(), QStringLiteral("HH:mm:ss"));
        case Client:
            return clientWords(row.request.client);
        case Path:
            return shownText(row.request.path);
        case Outcome:
            return outcomeOf(row.request);
        case Failed:
            return row.request.state == ServedRequest::State::Ended &&
                   (row.request.status >= 400 || row.request.isCut);
        default:
            return {};
    }
}

QString ServedRequestListModel::outcomeOf(const ServedRequest& request) {
    switch (request.state) {
        case ServedRequest::State::Waits:
            return tr("waits for its turn");
        case ServedRequest::State::IsAnswered:
            return tr("is answered");
        case ServedRequest::State::Ended:
            break;
    }
    const int status = request.status;
    if (status == 0) {
        return tr("the program left");
    }
    if (status < 400 && !request.isCut) {
        return request.answerTokens == 0 ? tr("%1 · done").arg(status)
                                         : tr("%1 · %2 tokens read, %3 written")
                                               .arg(status)
                                               .arg(request.promptTokens)
                                               .arg(request.answerTokens);
    }
    const QString why = request.isCut   ? tr("the answer was cut off")
                        : status == 401 ? tr("the token is missing or wrong")
                        : status == 403 ? tr("a web page, or another name of this computer")
                        : status == 404 ? tr("no such path or model")
                        : status == 429 ? tr("too many requests wait")
                        : status == 503 ? tr("no model answers")
                        : status >= 500 ? tr("the model could not answer")
                                        : tr("the request was not understood");
    return tr("%1 · %2").arg(status).arg(why);
}

QHash<int, QByteArray> ServedRequestListModel::roleNames() const {
    return {{Time, "time"},
            {Client, "client"},
            {Path, "path"},
            {Outcome, "outcome"},
            {Failed, "failed"}};
}

}  // namespace hearth::ui
