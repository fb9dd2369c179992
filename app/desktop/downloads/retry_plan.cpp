#include "downloads/retry_plan.h"

#include <QLocale>
#include <QTimeZone>
#include <algorithm>

namespace hearth::ui {

namespace {

constexpr qint64 kFirstMs = 1000;
constexpr qint64 kMostMs = qint64{5} * 60 * 1000;
constexpr qint64 kAskedMostMs = qint64{60} * 60 * 1000;

}  // namespace

qint64 backOffMs(int tries, double random) {
    const int doublings = std::clamp(tries - 1, 0, 20);
    const qint64 whole = std::min(kMostMs, kFirstMs << doublings);
    return whole / 2 + static_cast<qint64>(static_cast<double>(whole) / 2 * random);
}

qint64 retryAfterMs(const QByteArray& header, const QDateTime& now) {
    const QByteArray text = header.trimmed();
    bool ok = false;
    const qint64 seconds = text.toLongLong(&ok);
    if (ok) {
        return seconds < 0 ? -1 : std::min(seconds, kAskedMostMs / 1000) * 1000;
    }
    QDateTime date = QLocale::c().toDateTime(QString::fromLatin1(text),
                                             QStringLiteral("ddd, dd MMM yyyy hh:mm:ss 'GMT'"));
    if (!date.isValid()) {
        return -1;
    }
    date.setTimeZone(QTimeZone::utc());
    return std::clamp<qint64>(now.msecsTo(date), 0, kAskedMostMs);
}

}  // namespace hearth::ui
