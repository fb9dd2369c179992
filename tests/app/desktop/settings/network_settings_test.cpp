#include "settings/network_settings.h"

#include <QTemporaryDir>
#include <QtTest>

#include "settings/app_settings.h"

using namespace hearth::ui;

class NetworkSettingsTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhatTheSettingsSay();
    void tellsOfChanges();
};

void NetworkSettingsTest::saysWhatTheSettingsSay() {
    const QTemporaryDir folder;
    AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
    const NetworkSettings network(settings);
    QVERIFY(network.allowed());
    QVERIFY(network.mirror().isEmpty());
    QVERIFY(!network.proxy().has_value());
    QVERIFY(!network.bytesPerSecond().has_value());

    QVERIFY(settings.set("network/allowed", QStringLiteral("off")).isEmpty());
    QVERIFY(!network.allowed());
    QVERIFY(settings.set("network/mirror", QStringLiteral("https://m.example/hub/")).isEmpty());
    QCOMPARE(network.mirror(), QUrl(QStringLiteral("https://m.example/hub")));
    QVERIFY(settings.set("network/proxy", QStringLiteral("none")).isEmpty());
    QCOMPARE(network.proxy()->type(), QNetworkProxy::NoProxy);
    QVERIFY(settings.set("network/proxy", QStringLiteral("socks5://[::1]:1080")).isEmpty());
    QCOMPARE(network.proxy()->type(), QNetworkProxy::Socks5Proxy);
    QCOMPARE(network.proxy()->hostName(), QStringLiteral("::1"));
    QCOMPARE(network.proxy()->port(), quint16{1080});
    QVERIFY(settings.set("network/speed-limit", QStringLiteral("2M")).isEmpty());
    QCOMPARE(network.bytesPerSecond(), std::optional<quint64>(2 << 20));
    // A refused change changes nothing.
    QVERIFY(settings.set("network/proxy", QStringLiteral("http://u:p@x:1")).contains("password"));
    QCOMPARE(network.proxy()->type(), QNetworkProxy::Socks5Proxy);
}

void NetworkSettingsTest::tellsOfChanges() {
    const QTemporaryDir folder;
    AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
    const NetworkSettings network(settings);
    QSignalSpy changed(&network, &NetworkSettings::changed);
    settings.set("network/allowed", QStringLiteral("false"));
    settings.set("network/allowed", QStringLiteral("false"));
    settings.set("window/theme", QStringLiteral("dark"));
    QCOMPARE(changed.size(), 1);
    settings.reset("network/allowed");
    QCOMPARE(changed.size(), 2);
    QVERIFY(network.allowed());
}

QTEST_GUILESS_MAIN(NetworkSettingsTest)
#include "network_settings_test.moc"
