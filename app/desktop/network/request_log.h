// Every request of this run, refused ones too, for the page that lists them. They are in memory
// only: a list on disk would show others what was asked for. Any thread.
#pragma once

#include <QDateTime>
#include <QList>
#include <QMutex>
#include <QObject>
#include <QString>
#include <QUrl>

namespace hearth::ui {

struct RequestEntry {
    qint64 id = 0;  // counts from 1
    QDateTime begun;
    QString method;  // "GET"
    QString host;    // "huggingface.co", with its port unless that is the usual one
    QString path;    // without query and fragment, which may hold secrets
    QString purpose;
    qint64 bytes = 0;  // of the answer's body, until now
    int status = 0;    // of HTTP; 0: no answer came
    QString result;    // a few words; empty: under way
};

class RequestLog : public QObject {
    Q_OBJECT

public:
    static constexpr qsizetype kKept = 1000;

    using QObject::QObject;

    // Returns the number that identifies the request in the other two.
    qint64 begin(const QString& method, const QUrl& url, const QString& purpose);
    void received(qint64 id, qint64 bytes);
    void end(qint64 id, int status, const QString& result);

    QList<RequestEntry> entries() const;  // latest first
    qint64 count() const;                 // of this run, also those no longer kept

signals:
    // Sent from the thread that made the request.
    void changed();

private:
    RequestEntry* find(qint64 id);

    mutable QMutex mutex_;
    QList<RequestEntry> entries_;  // oldest first
    qint64 last_ = 0;
};

}  // namespace hearth::ui
