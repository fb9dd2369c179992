#include "downloads/http_fields.h"

#include <QList>

namespace hearth::ui {

qint64 byteCount(const QByteArray& field) {
    const QByteArray text = field.trimmed();
    if (text.isEmpty() || text.front() < '0' || text.front() > '9') {
        return -1;  // a sign is not allowed
    }
    bool ok = false;
    const qint64 count = text.toLongLong(&ok);
    return ok ? count : -1;
}

std::optional<ContentRange> contentRange(const QByteArray& field) {
    const QByteArray text = field.trimmed();
    if (!text.toLower().startsWith("bytes ")) {
        return std::nullopt;
    }
    const QList<QByteArray> halves = text.mid(6).trimmed().split('/');
    if (halves.size() != 2) {
        return std::nullopt;
    }
    ContentRange range;
    const bool noTotal = halves.at(1).trimmed() == "*";
    range.total = noTotal ? -1 : byteCount(halves.at(1));
    if (!noTotal && range.total < 0) {
        return std::nullopt;
    }
    if (halves.at(0).trimmed() == "*") {
        return noTotal ? std::nullopt : std::optional(range);
    }
    const QList<QByteArray> ends = halves.at(0).split('-');
    if (ends.size() != 2) {
        return std::nullopt;
    }
    range.from = byteCount(ends.at(0));
    const qint64 last = byteCount(ends.at(1));
    if (range.from < 0 || last < range.from || last == std::numeric_limits<qint64>::max() ||
        (range.total >= 0 && last >= range.total)) {
        return std::nullopt;
    }
    range.end = last + 1;
    return range;
}

QByteArray strongEtag(const QByteArray& field) {
    const QByteArray text = field.trimmed();
    const bool quoted = text.size() >= 2 && text.startsWith('"') && text.endsWith('"');
    return quoted && text.size() < 512 ? text : QByteArray();
}

}  // namespace hearth::ui
