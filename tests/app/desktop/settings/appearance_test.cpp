#include "settings/appearance.h"

#include <QGuiApplication>
#include <QPalette>
#include <QTemporaryDir>
#include <QtTest>

#include "settings/app_settings.h"
#include "system/own_window.h"

using namespace hearth::ui;

class AppearanceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        // What the desktop of who runs this test wishes is not asked.
        qputenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere");
    }

    void standsStillWhereItShould() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        Appearance appearance(settings);
        QVERIFY(appearance.motion());
        QSignalSpy changed(&appearance, &Appearance::motionChanged);
        QCOMPARE(settings.set("window/motion", QStringLiteral("none")), QString());
        QVERIFY(!appearance.motion());
        QCOMPARE(changed.size(), 1);
    }

    void followsTheTheme() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        Appearance appearance(settings);
        QCOMPARE(appearance.themeMode(), QStringLiteral("system"));
        const QPalette before = QGuiApplication::palette();
        QPalette dark = before;
        dark.setColor(QPalette::Base, Qt::black);
        dark.setColor(QPalette::Text, Qt::white);
        QPalette light = before;
        light.setColor(QPalette::Base, Qt::white);
        light.setColor(QPalette::Text, Qt::black);
        QGuiApplication::setPalette(light);
        QTRY_VERIFY(!appearance.dark());
        QSignalSpy changed(&appearance, &Appearance::darkChanged);
        QGuiApplication::setPalette(dark);
        QTRY_VERIFY(appearance.dark());
        QVERIFY(changed.size() >= 1);
        appearance.setThemeMode(QStringLiteral("light"));
        QVERIFY(!appearance.dark());
        settings.flush();
        AppSettings again(folder.filePath(QStringLiteral("hearth.ini")));  // the next start
        Appearance next(again);
        QCOMPARE(next.themeMode(), QStringLiteral("light"));
        next.setThemeMode(QStringLiteral("dark"));
        QGuiApplication::setPalette(light);
        QVERIFY(next.dark());
        QGuiApplication::setPalette(before);
    }

    // What colourFrame() gives to Qt's title bars says nothing of the desktop.
    void doesNotFollowItsOwnFrame() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        const Appearance appearance(settings);
        const bool before = appearance.dark();
        QWindow window;
        for (const bool dark : {true, false}) {
            const QColor ground = dark ? Qt::black : Qt::white;
            const QColor text = dark ? Qt::white : Qt::black;
            colourFrame(window, {ground, text, text}, QStringLiteral("wayland"));
            QCOMPARE(QGuiApplication::palette().color(QPalette::Window), ground);
            QCoreApplication::processEvents();
            QCOMPARE(appearance.dark(), before);
        }
        QGuiApplication::setPalette(QPalette());
    }

    void zoomsWithinBounds() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        Appearance appearance(settings);
        QSignalSpy changed(&appearance, &Appearance::zoomChanged);
        QCOMPARE(appearance.zoom(), 1.0);
        appearance.zoomBy(1);
        QCOMPARE(appearance.zoom(), 1.1);
        for (int i = 0; i < 12; ++i) {
            appearance.zoomBy(1);
        }
        QCOMPARE(appearance.zoom(), 2.0);
        QCOMPARE(Appearance(settings).zoom(), 2.0);  // of the next start
        QCOMPARE(changed.size(), 10);
        appearance.zoomBy(0);
        QCOMPARE(appearance.zoom(), 1.0);
        for (int i = 0; i < 9; ++i) {
            appearance.zoomBy(-1);
        }
        QCOMPARE(appearance.zoom(), 0.8);
    }

    // Another page of the window changes them too; each change is told, once, and no other.
    void tellsOfEachChange() {
        const QTemporaryDir folder;
        AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
        Appearance appearance(settings);
        const QSignalSpy zoom(&appearance, &Appearance::zoomChanged);
        const QSignalSpy theme(&appearance, &Appearance::themeModeChanged);
        const QSignalSpy dark(&appearance, &Appearance::darkChanged);
        const QSignalSpy motion(&appearance, &Appearance::motionChanged);
        const QSignalSpy sparing(&appearance, &Appearance::sparingChanged);
        QCOMPARE(settings.set("window/zoom", QStringLiteral("1.5")), QString());
        QCOMPARE(appearance.zoom(), 1.5);
        QCOMPARE(zoom.size(), 1);
        appearance.zoomBy(1);
        QCOMPARE(appearance.zoom(), 1.6);
        QCOMPARE(settings.zoom(), 1.6);
        QCOMPARE(zoom.size(), 2);
        appearance.zoomBy(0);
        appearance.zoomBy(0);
        QCOMPARE(zoom.size(), 3);
        QCOMPARE(theme.size() + motion.size(), 0);
        appearance.setThemeMode(QStringLiteral("dark"));
        QCOMPARE(theme.size(), 1);
        QCOMPARE(dark.size(), 1);
        appearance.setThemeMode(QStringLiteral("dark"));
        QCOMPARE(theme.size(), 1);
        QCOMPARE(settings.set("engine/threads", QStringLiteral("2")), QString());
        QCOMPARE(motion.size(), 0);
        for (const bool spares : {true, true, false, false}) {
            appearance.setSparing(spares);
            QCOMPARE(appearance.sparing(), spares);
        }
        QCOMPARE(sparing.size(), 2);
    }
};

QTEST_MAIN(AppearanceTest)
#include "appearance_test.moc"
