#include "network/request_log.h"

#include <QMutexLocker>

namespace hearth::ui {

namespace {

// A longer path tells a reader nothing more.
constexpr qsizetype kPathKept = 400;

}  // namespace

qint64 RequestLog::begin(const QString& method, const QUrl& url, const QString& purpose) {
    RequestEntry entry;
    entry.begun = QDateTime::currentDateTimeUtc();
    entry.method = method;
    entry.host = url.host();
    if (url.port() > 0) {
        entry.host += QLatin1Char(':') + QString::number(url.port());
    }
    entry.path = url.path().left(kPathKept);
    entry.purpose = purpose;
    qint64 id = 0;
    {
        const QMutexLocker lock(&mutex_);
        id = entry.id = ++last_;
        if (entries_.size() >= kKept) {
            entries_.removeFirst();
        }
        entries_.append(entry);
    }
    emit changed();
    return id;
}

void RequestLog::received(qint64 id, qint64 bytes) {
    {
        const QMutexLocker lock(&mutex_);
        if (RequestEntry* entry = find(id)) {
            entry->bytes += bytes;
        }
    }
    emit changed();
}

void RequestLog::end(qint64 id, int status, const QString& result) {
    {
        const QMutexLocker lock(&mutex_);
        if (RequestEntry* entry = find(id)) {
            entry->status = status;
            entry->result = result;
        }
    }
    emit changed();
}

QList<RequestEntry> RequestLog::entries() const {
    const QMutexLocker lock(&mutex_);
    return {entries_.rbegin(), entries_.rend()};
}

qint64 RequestLog::count() const {
    const QMutexLocker lock(&mutex_);
    return last_;
}

RequestEntry* RequestLog::find(qint64 id) {
    const qint64 first = entries_.isEmpty() ? 0 : entries_.first().id;
    const qint64 at = id - first;
    return first > 0 && at >= 0 && at < entries_.size() ? &entries_[at] : nullptr;
}

}  // namespace hearth::ui
