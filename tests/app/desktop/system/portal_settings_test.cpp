// What the desktop says through its portal, on a message bus and with a portal of the test's own.
#include "portal_settings.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusVariant>
#include <QDBusVirtualObject>
#include <QGuiApplication>
#include <QPalette>
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>

#include "system_theme.h"

using namespace hearth::ui;

namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kScheme = QStringLiteral("org.freedesktop.appearance color-scheme");
const QString kMotion = QStringLiteral("org.freedesktop.appearance reduced-motion");
const QString kGnome = QStringLiteral("org.gnome.desktop.interface enable-animations");

// Answers Read() with what it has, an error for what it has not, and tells of changes.
class FakePortal : public QDBusVirtualObject {
public:
    explicit FakePortal(const QDBusConnection& bus) : bus_(bus) {
        bus_.registerVirtualObject(kPath, this);
        bus_.registerService(kService);
    }
    ~FakePortal() override {
        bus_.unregisterService(kService);
        bus_.unregisterObject(kPath);
    }
    void set(const QString& name, const QVariant& value) { values_[name] = value; }
    void change(const QString& name, const QVariant& value) {
        set(name, value);
        QDBusMessage signal =
            QDBusMessage::createSignal(kPath, kInterface, QStringLiteral("SettingChanged"));
        signal.setArguments({name.section(' ', 0, 0), name.section(' ', 1, 1),
                             QVariant::fromValue(QDBusVariant(value))});
        bus_.send(signal);
    }

    QString introspect(const QString&) const override { return {}; }
    bool handleMessage(const QDBusMessage& message, const QDBusConnection& connection) override {
        const QVariantList words = message.arguments();
        const QString name =
            words.value(0).toString() + QLatin1Char(' ') + words.value(1).toString();
        if (message.member() != QLatin1String("Read") || !values_.contains(name)) {
            return connection.send(message.createErrorReply(
                QStringLiteral("org.freedesktop.portal.Error.NotFound"), name));
        }
        // A variant in a variant, as real portals answer.
        const QDBusVariant inner(values_.value(name));
        return connection.send(
            message.createReply(QVariant::fromValue(QDBusVariant(QVariant::fromValue(inner)))));
    }

private:
    QDBusConnection bus_;
    QHash<QString, QVariant> values_;
};

}  // namespace

class PortalSettingsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void cleanupTestCase();
    void knowsNothingWithoutAPortal();
    void readsTheColours_data();
    void readsTheColours();
    void followsTheColours();
    void readsMotion();
    void goesBeforeThePalette();

private:
    QProcess daemon_;
    std::unique_ptr<QDBusConnection> portalsBus_;
};

void PortalSettingsTest::initTestCase() {
    const QString program = QStandardPaths::findExecutable(QStringLiteral("dbus-daemon"));
    if (program.isEmpty()) {
        QSKIP("dbus-daemon is not installed (Debian package dbus-daemon)");
    }
    daemon_.start(program, {QStringLiteral("--session"), QStringLiteral("--nofork"),
                            QStringLiteral("--print-address=1")});
    QVERIFY(daemon_.waitForStarted());
    QVERIFY(daemon_.waitForReadyRead(10'000));
    const QByteArray address = daemon_.readLine().trimmed();
    qputenv("DBUS_SESSION_BUS_ADDRESS", address);
    portalsBus_ = std::make_unique<QDBusConnection>(QDBusConnection::connectToBus(
        QString::fromLatin1(address), QStringLiteral("the portal's")));
    QVERIFY(portalsBus_->isConnected());
}

void PortalSettingsTest::cleanupTestCase() {
    daemon_.kill();
    daemon_.waitForFinished();
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
    light.setColor(QPalette::Window, Qt::white);
    light.setColor(QPalette::WindowText, Qt::black);
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
