// What the page of requests is made of.
#include <QSignalSpy>
#include <QtTest>

#include "network/request_log.h"

using namespace hearth::ui;

class RequestLogTest : public QObject {
    Q_OBJECT

private slots:
    void keepsNoSecrets() {
        RequestLog log;
        log.begin(QStringLiteral("GET"),
                  QUrl(QStringLiteral("https://me:word@hub.example:8443/a/b?sig=secret#part")),
                  QStringLiteral("Download of b"));
        const RequestEntry entry = log.entries().first();
        QCOMPARE(entry.host, QStringLiteral("hub.example:8443"));
        QCOMPARE(entry.path, QStringLiteral("/a/b"));
        QCOMPARE(entry.method, QStringLiteral("GET"));
        QCOMPARE(entry.purpose, QStringLiteral("Download of b"));
        QVERIFY(entry.result.isEmpty());
    }
    void isBounded() {
        RequestLog log;
        const QUrl url(QStringLiteral("http://a/") + QString(5000, QLatin1Char('x')));
        for (qint64 i = 1; i <= RequestLog::kKept + 10; ++i) {
            QCOMPARE(log.begin(QStringLiteral("GET"), url, {}), i);
        }
        log.received(3, 7);  // forgotten: no harm
        log.received(11, 7);
        log.received(RequestLog::kKept + 10, 9);
        log.end(RequestLog::kKept + 10, 206, QStringLiteral("done"));
        const QList<RequestEntry> entries = log.entries();
        QCOMPARE(entries.size(), RequestLog::kKept);
        QCOMPARE(log.count(), RequestLog::kKept + 10);
        QCOMPARE(entries.first().bytes, 9);
        QCOMPARE(entries.first().status, 206);
        QCOMPARE(entries.first().result, QStringLiteral("done"));
        QCOMPARE(entries.last().id, 11);
        QCOMPARE(entries.last().bytes, 7);
        QVERIFY(entries.last().path.size() < 500);
    }
    void tells() {
        RequestLog log;
        const QSignalSpy changed(&log, &RequestLog::changed);
        const qint64 id = log.begin(QStringLiteral("GET"), QUrl(QStringLiteral("http://a/")), {});
        log.received(id, 1);
        log.end(id, 200, QStringLiteral("done"));
        QCOMPARE(changed.size(), 3);
    }
};

QTEST_GUILESS_MAIN(RequestLogTest)
#include "request_log_test.moc"
