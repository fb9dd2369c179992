#include "system/own_window.h"

#include <QGuiApplication>
#include <QPalette>
#include <QtTest>

using namespace hearth::ui;

class OwnWindowTest : public QObject {
    Q_OBJECT

private slots:
    void comesToTheFrontAsItWas_data() {
        QTest::addColumn<Qt::WindowStates>("before");
        QTest::addColumn<Qt::WindowStates>("after");
        QTest::newRow("normal") << Qt::WindowStates() << Qt::WindowStates();
        QTest::newRow("maximized")
            << Qt::WindowStates(Qt::WindowMaximized) << Qt::WindowStates(Qt::WindowMaximized);
        QTest::newRow("minimized") << Qt::WindowStates(Qt::WindowMinimized) << Qt::WindowStates();
        QTest::newRow("both") << (Qt::WindowMaximized | Qt::WindowMinimized)
                              << Qt::WindowStates(Qt::WindowMaximized);
    }
    void comesToTheFrontAsItWas() {
        QFETCH(Qt::WindowStates, before);
        QWindow window;
        window.resize(200, 100);
        window.setVisible(true);
        window.setWindowStates(before);
        bringToFront(window, QStringLiteral("token"));
        QTEST(window.windowStates(), "after");
        QVERIFY(window.isVisible());
        QVERIFY(!qEnvironmentVariableIsSet("XDG_ACTIVATION_TOKEN"));
    }

    void coloursFramesOnWaylandOnly() {
        QWindow window;
        const QPalette before = QGuiApplication::palette();
        const FrameColours colours{Qt::darkRed, Qt::yellow, Qt::green};
        colourFrame(window, colours);
        QCOMPARE(QGuiApplication::palette(), before);
        colourFrame(window, colours, QStringLiteral("wayland"));
        const QPalette palette = QGuiApplication::palette();
        QCOMPARE(palette.color(QPalette::Active, QPalette::Window), QColor(Qt::darkRed));
        QCOMPARE(palette.color(QPalette::Active, QPalette::WindowText), QColor(Qt::yellow));
        QCOMPARE(palette.color(QPalette::Disabled, QPalette::WindowText), QColor(Qt::green));
        QCOMPARE(palette.color(QPalette::Base), before.color(QPalette::Base));
        QCOMPARE(window.flags() & Qt::FramelessWindowHint, Qt::WindowFlags());
        QGuiApplication::setPalette(QPalette());
        QCOMPARE(QGuiApplication::palette().color(QPalette::Window),
                 before.color(QPalette::Window));
    }
};

QTEST_MAIN(OwnWindowTest)
#include "own_window_test.moc"
