// The rows of the page of requests, role by role, and which rows a view is told of.
#include "network/request_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

#include "network/network_control.h"

using namespace hearth::ui;

class RequestListModelTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void saysHowItWent_data();
    void saysHowItWent();
    void eachRowHasItsOwn();
    void tellsOfNewRowsAndOfThoseThatFallOff();
    void tellsOncePerLook();
    void rulesAreToldWhereTheyChange();

private:
    static qint64 ask(RequestLog& log, const QString& address) {
        return log.begin(QStringLiteral("GET"), QUrl(address), QStringLiteral("Test"));
    }
};

void RequestListModelTest::saysHowItWent_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<qint64>("bytes");
    QTest::addColumn<QString>("result");  // empty: under way
    QTest::addColumn<QString>("outcome");
    QTest::addColumn<bool>("failed");
    const auto row = [](const char* name, int status, qint64 bytes, const char* result,
                        const char* outcome, bool failed) {
        QTest::newRow(name) << status << bytes << QString::fromLatin1(result)
                            << QString::fromUtf8(outcome) << failed;
    };
    row("under way", 0, 0, "", "under way", false);
    row("under way with bytes", 0, 1, "", "under way · 1 bytes", false);
    row("done", 200, 1'500'000, "done", "done · 1.5 MB", false);
    row("a part", 206, 0, "done", "done", false);
    row("a redirect", 302, 0, "sent elsewhere", "sent elsewhere", false);
    row("the last that is none", 399, 0, "odd", "odd", false);
    row("the first error", 400, 0, "refused", "refused", true);
    row("not there", 404, 20, "not there", "not there · 20 bytes", true);
    row("busy", 503, 0, "busy", "busy", true);
    row("not sent", 0, 0, "not sent", "not sent", true);
}

void RequestListModelTest::saysHowItWent() {
    QFETCH(const int, status);
    QFETCH(const qint64, bytes);
    QFETCH(const QString, result);
    QFETCH(const QString, outcome);
    QFETCH(const bool, failed);
    RequestLog log;
    const qint64 id = ask(log, QStringLiteral("https://h.example/a"));
    if (bytes > 0) {
        log.received(id, bytes);
    }
    if (!result.isEmpty()) {
        log.end(id, status, result);
    }
    const RequestListModel model(log);  // what came before it is there at once
    QCOMPARE(model.count(), 1);
    QCOMPARE(model.index(0).data(RequestListModel::Outcome).toString(), outcome);
    QCOMPARE(model.index(0).data(RequestListModel::Failed).toBool(), failed);
}

void RequestListModelTest::eachRowHasItsOwn() {
    RequestLog log;
    log.received(1, 5);  // of a request that was never begun
    const QDateTime before = QDateTime::currentDateTimeUtc();
    log.begin(QStringLiteral("GET"), QUrl(QStringLiteral("https://h.example/a?b=c")),
              QStringLiteral("First"));
    log.begin(QStringLiteral("HEAD"), QUrl(QStringLiteral("http://localhost:8080/d")),
              QStringLiteral("Second"));
    QVERIFY(log.entries().last().begun >= before);
    QVERIFY(log.entries().first().begun <= QDateTime::currentDateTimeUtc());
    const RequestListModel model(log);
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.rowCount(model.index(0)), 0);
    const auto at = [&](int row, RequestListModel::Role role) {
        return model.index(row).data(role).toString();
    };
    QCOMPARE(at(0, RequestListModel::What), QStringLiteral("HEAD localhost:8080/d"));
    QCOMPARE(at(0, RequestListModel::Purpose), QStringLiteral("Second"));
    QCOMPARE(at(1, RequestListModel::What), QStringLiteral("GET h.example/a"));
    QCOMPARE(at(1, RequestListModel::Purpose), QStringLiteral("First"));
    QCOMPARE(at(1, RequestListModel::Time),
             log.entries().last().begun.toLocalTime().toString(QStringLiteral("HH:mm:ss")));
    QVERIFY(!model.index(0).data(Qt::DisplayRole).isValid());
    const QHash<int, QByteArray> names = model.roleNames();
    QCOMPARE(names.size(), 5);
    QCOMPARE(names[RequestListModel::Time], QByteArray("time"));
    QCOMPARE(names[RequestListModel::What], QByteArray("what"));
    QCOMPARE(names[RequestListModel::Purpose], QByteArray("purpose"));
    QCOMPARE(names[RequestListModel::Outcome], QByteArray("outcome"));
    QCOMPARE(names[RequestListModel::Failed], QByteArray("failed"));
}

void RequestListModelTest::tellsOfNewRowsAndOfThoseThatFallOff() {
    RequestLog log;
    const int most = static_cast<int>(RequestLog::kKept);
    for (int i = 0; i < most - 1; ++i) {
        ask(log, QStringLiteral("https://h.example/%1").arg(i));
    }
    RequestListModel model(log);
    const QAbstractItemModelTester tester(&model);
    const QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    const QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
    const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    const QSignalSpy counted(&model, &RequestListModel::countChanged);
    ask(log, QStringLiteral("https://h.example/last-of-all"));  // there is room for one
    QTRY_COMPARE(changed.size(), 1);
    QCOMPARE(model.count(), most);
    QCOMPARE(inserted.size(), 1);
    QCOMPARE(removed.size(), 0);
    QCOMPARE(counted.size(), 1);
    ask(log, QStringLiteral("https://h.example/more"));
    ask(log, QStringLiteral("https://h.example/most"));
    QTRY_COMPARE(changed.size(), 2);
    QCOMPARE(inserted.size(), 2);
    QCOMPARE(inserted.last().at(1).toInt(), 0);
    QCOMPARE(inserted.last().at(2).toInt(), 1);
    QCOMPARE(removed.size(), 1);
    QCOMPARE(removed.last().at(1).toInt(), most - 2);
    QCOMPARE(removed.last().at(2).toInt(), most - 1);
    QCOMPARE(counted.size(), 1);  // as many as before
    QCOMPARE(model.index(0).data(RequestListModel::What).toString(),
             QStringLiteral("GET h.example/most"));
    QCOMPARE(model.index(most - 1).data(RequestListModel::What).toString(),
             QStringLiteral("GET h.example/2"));
}

// Bytes come many times a second: the rows stay, and are told together.
void RequestListModelTest::tellsOncePerLook() {
    RequestLog log;
    const qint64 one = ask(log, QStringLiteral("https://h.example/1"));
    ask(log, QStringLiteral("https://h.example/2"));
    RequestListModel model(log);
    const QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    const QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    for (int i = 0; i < 20; ++i) {
        log.received(one, 1);
    }
    QCOMPARE(model.index(1).data(RequestListModel::Outcome).toString(),
             QStringLiteral("under way"));
    QTRY_COMPARE(changed.size(), 1);
    QCOMPARE(changed.first().at(0).toModelIndex().row(), 0);
    QCOMPARE(changed.first().at(1).toModelIndex().row(), 1);
    QCOMPARE(inserted.size(), 0);
    QCOMPARE(model.index(1).data(RequestListModel::Outcome).toString(),
             QStringLiteral("under way · 20 bytes"));
}

void RequestListModelTest::rulesAreToldWhereTheyChange() {
    NetworkControl control;
    const QSignalSpy changed(&control, &NetworkControl::rulesChanged);
    control.setRules({});
    QCOMPARE(changed.size(), 0);
    for (const NetworkRules& rules :
         {NetworkRules{.forbidAll = true}, NetworkRules{.bytesPerSecondMost = 5},
          NetworkRules{.mirror = QUrl(QStringLiteral("https://m.example"))},
          NetworkRules{.proxy = QNetworkProxy(QNetworkProxy::NoProxy)}}) {
        const qsizetype before = changed.size();
        control.setRules(rules);
        control.setRules(rules);
        QCOMPARE(changed.size(), before + 1);
        QVERIFY(control.rules() == rules);
    }
    control.setToken(QStringLiteral("a.example"), "one");
    control.setToken(QStringLiteral("b.example"), "two");
    QCOMPARE(control.token(QStringLiteral("a.example")), QByteArray("one"));
    control.setToken(QStringLiteral("a.example"), {});
    QCOMPARE(control.token(QStringLiteral("a.example")), QByteArray());
    QCOMPARE(control.token(QStringLiteral("b.example")), QByteArray("two"));
}

QTEST_GUILESS_MAIN(RequestListModelTest)
#include "request_list_model_test.moc"
