// What the desktop says through its portal, on a message bus and with a portal of the test's own.
#include "system/portal_settings.h"

#include <QGuiApplication>
#include <QPalette>
#include <QtTest>

#include "app/desktop/fake_portal.h"
#include "system/system_theme.h"

using namespace hearth::ui;
using namespace hearth::ui::test;

class PortalSettingsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void knowsNothingWithoutAPortal();
    void readsTheColours_data();
    void readsTheColours();
    void followsTheColours();
    void readsMotion();
    void goesBeforeThePalette();

private:
    OwnBus bus_;
    std::unique_ptr<QDBusConnection> portalsBus_;
};

void PortalSettingsTest::initTestCase() {
    const QString reason = bus_.start();
    if (!reason.isEmpty()) {
        QSKIP(qPrintable(reason));
    }
    portalsBus_ = std::make_unique<QDBusConnection>(bus_.connection());
    QVERIFY(portalsBus_->isConnected());
}

void PortalSettingsTest::knowsNothingWithoutAPortal() {
    PortalSettings settings;
    QTest::qWait(200);  // the bus says that there is no such service
    QVERIFY(!settings.dark().has_value());
    QVERIFY(!settings.lessMotion());
}

void PortalSettingsTest::readsTheColours_data() {
    QTest::addColumn<QVariant>("value");
    QTest::addColumn<int>("dark");  // -1: no wish
    QTest::addRow("no wish") << QVariant(0U) << -1;
    QTest::addRow("dark") << QVariant(1U) << 1;
    QTest::addRow("light") << QVariant(2U) << 0;
    QTest::addRow("a later wish") << QVariant(3U) << -1;
    QTest::addRow("not a number") << QVariant(QStringLiteral("dark")) << -1;
}

void PortalSettingsTest::readsTheColours() {
    QFETCH(QVariant, value);
    QFETCH(int, dark);
    FakePortal portal(*portalsBus_);
    portal.set(kScheme, value);
    portal.set(kMotion, 1U);  // known when all is known
    PortalSettings settings;
    QTRY_VERIFY(settings.lessMotion());
    QTRY_COMPARE(settings.dark().has_value() ? int(*settings.dark()) : -1, dark);
}

void PortalSettingsTest::followsTheColours() {
    FakePortal portal(*portalsBus_);
    portal.set(kScheme, 2U);
    PortalSettings settings;
    QTRY_VERIFY(settings.dark() == false);
    QSignalSpy changed(&settings, &PortalSettings::changed);
    portal.change(QStringLiteral("org.freedesktop.appearance accent-color"), 1U);
    portal.change(kScheme, 1U);
    QTRY_VERIFY(settings.dark() == true);
    QCOMPARE(changed.size(), 1);
    portal.change(kScheme, 0U);
    QTRY_VERIFY(!settings.dark().has_value());
}

void PortalSettingsTest::readsMotion() {
    FakePortal portal(*portalsBus_);
    portal.set(kGnome, false);
    PortalSettings settings;
    QTRY_VERIFY(settings.lessMotion());
    portal.change(kGnome, true);
    QTRY_VERIFY(!settings.lessMotion());
    portal.change(kMotion, 1U);
    QTRY_VERIFY(settings.lessMotion());
    portal.change(kGnome, QStringLiteral("yes"));
    portal.change(kMotion, 0U);
    QTRY_VERIFY(!settings.lessMotion());
}

void PortalSettingsTest::goesBeforeThePalette() {
    const QPalette before = QGuiApplication::palette();
    QPalette light = before;
    light.setColor(QPalette::Base, Qt::white);
    light.setColor(QPalette::Text, Qt::black);
    QGuiApplication::setPalette(light);
    FakePortal portal(*portalsBus_);
    portal.set(kScheme, 1U);
    SystemTheme theme;
    QVERIFY(!theme.dark());  // until the answer is there
    QTRY_VERIFY(theme.dark());
    portal.change(kScheme, 0U);
    QTRY_VERIFY(!theme.dark());
    QGuiApplication::setPalette(before);
}

QTEST_MAIN(PortalSettingsTest)
#include "portal_settings_test.moc"
