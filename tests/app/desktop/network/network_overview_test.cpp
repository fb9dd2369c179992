// The page of requests: its rows, and the switch that forbids all.
#include <QTemporaryDir>
#include <QtTest>

#include "network/network_control.h"
#include "network/network_overview.h"
#include "settings/app_settings.h"
#include "settings/network_settings.h"

using namespace hearth::ui;

class NetworkOverviewTest : public QObject {
    Q_OBJECT

private slots:
    void carriesTheSettings() {
        const QTemporaryDir folder;
        const QString ini = folder.filePath(QStringLiteral("hearth.ini"));
        {
            AppSettings settings(ini);
            NetworkSettings network(settings);
            NetworkControl control;
            NetworkOverview overview(control, settings, network);
            QVERIFY(overview.allowed());
            QVERIFY(!control.rules().forbidAll);
            const QSignalSpy changed(&overview, &NetworkOverview::changed);
            overview.setAllowed(false);
            QCOMPARE(changed.size(), 1);
            QVERIFY(!overview.allowed());
            QVERIFY(control.rules().forbidAll);
            QCOMPARE(settings.set("network/mirror", QStringLiteral("https://m.example/x")),
                     QString());
            QCOMPARE(settings.set("network/speed-limit", QStringLiteral("2M")), QString());
            QCOMPARE(settings.set("network/proxy", QStringLiteral("none")), QString());
            QCOMPARE(control.rules().mirror, QUrl(QStringLiteral("https://m.example/x")));
            QCOMPARE(control.rules().bytesPerSecondMost, 2 * 1024 * 1024);
            QVERIFY(control.rules().proxy->type() == QNetworkProxy::NoProxy);
            QCOMPARE(changed.size(), 4);
            QCOMPARE(settings.set("engine/threads", QStringLiteral("2")), QString());
            QCOMPARE(changed.size(), 4);
            overview.setAllowed(true);
            QVERIFY(!control.rules().forbidAll);
            overview.setAllowed(false);
        }
        AppSettings settings(ini);
        NetworkSettings network(settings);
        NetworkControl control;
        const NetworkOverview overview(control, settings, network);
        QVERIFY(control.rules().forbidAll);  // kept
    }
    void listsLatestFirst() {
        RequestLog log;
        RequestListModel model(log);
        QCOMPARE(model.count(), 0);
        const auto ask = [&](const char* path) {
            return log.begin(QStringLiteral("GET"),
                             QUrl(QStringLiteral("https://h.example") + QLatin1String(path)),
                             QStringLiteral("Test"));
        };
        const qint64 one = ask("/1");
        ask("/2");
        QTRY_COMPARE(model.count(), 2);
        const auto at = [&](int row, RequestListModel::Role role) {
            return model.index(row).data(role).toString();
        };
        QCOMPARE(at(0, RequestListModel::What), QStringLiteral("GET h.example/2"));
        QCOMPARE(at(1, RequestListModel::Outcome), QStringLiteral("under way"));
        log.received(one, 1'500'000);
        log.end(one, 200, QStringLiteral("done"));
        QTRY_COMPARE(at(1, RequestListModel::Outcome), QStringLiteral("done · 1.5 MB"));
        QVERIFY(!model.index(1).data(RequestListModel::Failed).toBool());
        QVERIFY(!model.index(0).data(RequestListModel::Failed).toBool());  // under way
        const qint64 three = ask("/3");
        log.end(one + 1, 404, QStringLiteral("The server has no such file."));
        QTRY_COMPARE(model.count(), 3);
        QCOMPARE(at(2, RequestListModel::Outcome), QStringLiteral("done · 1.5 MB"));
        QVERIFY(model.index(1).data(RequestListModel::Failed).toBool());
        log.end(three, 0, QStringLiteral("not sent: switched off"));
        QTRY_COMPARE(at(0, RequestListModel::Outcome), QStringLiteral("not sent: switched off"));
        QVERIFY(model.index(0).data(RequestListModel::Failed).toBool());
        QVERIFY(!model.index(2).data(RequestListModel::Failed).toBool());
        for (qint64 i = 0; i < RequestLog::kKept; ++i) {
            ask("/more");
        }
        QTRY_COMPARE(model.count(), static_cast<int>(RequestLog::kKept));
        QCOMPARE(at(999, RequestListModel::What), QStringLiteral("GET h.example/more"));
    }
};

QTEST_GUILESS_MAIN(NetworkOverviewTest)
#include "network_overview_test.moc"
