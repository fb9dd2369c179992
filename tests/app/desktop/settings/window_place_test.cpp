#include "settings/window_place.h"

#include <QTemporaryDir>
#include <QtTest>

#include "settings/app_settings.h"

using namespace hearth::ui;

class WindowPlaceTest : public QObject {
    Q_OBJECT

private slots:
    void fitsTheScreens_data();
    void fitsTheScreens();
    void remembers();
    void remembersThatItIsMaximized();
    void ignoresNonsense();
};

void WindowPlaceTest::fitsTheScreens_data() {
    QTest::addColumn<QRect>("kept");
    QTest::addColumn<QList<QRect>>("screens");
    QTest::addColumn<QSize>("size");
    QTest::addColumn<QPoint>("position");  // -1, -1: the system's choice
    const QPoint any(-1, -1);
    const QList<QRect> large{{0, 0, 1920, 1080}};
    const QList<QRect> two{{0, 0, 1920, 1080}, {1920, 0, 1280, 1024}};
    QTest::addRow("first") << QRect() << large << QSize(1080, 760) << any;
    QTest::addRow("first, 1366x768 with a bar")
        << QRect() << QList<QRect>{{0, 0, 1366, 728}} << QSize(1080, 688) << any;
    QTest::newRow("first, 1920x1200 at 200 %")
        << QRect() << QList<QRect>{{0, 0, 960, 600}} << QSize(960, 560) << any;
    QTest::addRow("as it was") << QRect(100, 50, 900, 700) << large << QSize(900, 700)
                               << QPoint(100, 50);
    QTest::addRow("on the second")
        << QRect(2000, 50, 900, 700) << two << QSize(900, 700) << QPoint(2000, 50);
    QTest::addRow("the second is gone")
        << QRect(2000, 50, 900, 700) << large << QSize(900, 700) << any;
    QTest::addRow("its title is above")
        << QRect(100, -700, 900, 720) << large << QSize(900, 720) << any;
    QTest::addRow("on both, more on the second")
        << QRect(1800, 50, 900, 700) << two << QSize(900, 700) << QPoint(1920, 50);
    QTest::addRow("on both, more on the first")
        << QRect(1400, 50, 900, 700) << two << QSize(900, 700) << QPoint(1020, 50);
    QTest::addRow("enough of its title to take hold of")
        << QRect(1840, 50, 900, 700) << large << QSize(900, 700) << QPoint(1020, 50);
    QTest::addRow("too little of it")
        << QRect(1841, 50, 900, 700) << large << QSize(900, 700) << any;
    QTest::addRow("half of its title's height")
        << QRect(100, -20, 900, 700) << large << QSize(900, 700) << QPoint(100, 0);
    QTest::addRow("less of it") << QRect(100, -21, 900, 700) << large << QSize(900, 700) << any;
    QTest::addRow("larger than today")
        << QRect(10, 20, 1800, 1000) << QList<QRect>{{0, 0, 1366, 728}} << QSize(1366, 688)
        << QPoint(0, 0);
    QTest::addRow("half outside") << QRect(1500, 600, 900, 700) << large << QSize(900, 700)
                                  << QPoint(1020, 340);
    QTest::addRow("a screen like a stamp")
        << QRect() << QList<QRect>{{0, 0, 30, 20}} << QSize(30, 1) << any;
}

void WindowPlaceTest::fitsTheScreens() {
    QFETCH(QRect, kept);
    QFETCH(QList<QRect>, screens);
    const WindowPlace::Fit fit = WindowPlace::fit(kept, QSize(1080, 760), screens);
    QTEST(fit.size, "size");
    QTEST(fit.position.value_or(QPoint(-1, -1)), "position");
}

void WindowPlaceTest::remembers() {
    const QTemporaryDir folder;
    const QString ini = folder.filePath(QStringLiteral("hearth.ini"));
    {
        AppSettings settings(ini);
        WindowPlace place(settings);
        QVERIFY(place.listShown());
        place.setListShown(false);
        QWindow window;
        window.resize(1080, 760);
        place.open(&window);
        QVERIFY(window.isVisible());
        QVERIFY(window.height() <= window.screen()->availableGeometry().height() - 40);
        window.setFramePosition(QPoint(12, 34));
        window.resize(500, 400);
        QTRY_COMPARE(settings.windowPlace(), QRect(12, 34, 500, 400));
        window.resize(510, 410);
        place.keep();  // the end of the program does not wait
        QCOMPARE(settings.windowPlace(), QRect(12, 34, 510, 410));
        window.resize(520, 420);
        QTRY_COMPARE(window.size(), QSize(520, 420));
        window.close();  // and then the program ends
        place.keep();
    }
    AppSettings settings(ini);
    WindowPlace place(settings);
    QVERIFY(!place.listShown());
    QWindow window;
    window.resize(1080, 760);
    place.open(&window);
    QCOMPARE(window.framePosition(), QPoint(12, 34));
    QCOMPARE(window.size(), QSize(520, 420));
}

// Both ways, and twice.
void WindowPlaceTest::remembersThatItIsMaximized() {
    const QTemporaryDir folder;
    AppSettings settings(folder.filePath(QStringLiteral("hearth.ini")));
    WindowPlace place(settings);
    QWindow window;
    window.resize(500, 400);
    place.open(&window);
    QVERIFY(!settings.windowMaximized());
    for (int round = 0; round < 2; ++round) {
        window.showMaximized();
        QTRY_COMPARE(window.visibility(), QWindow::Maximized);
        place.keep();
        QVERIFY(settings.windowMaximized());
        window.showNormal();
        QTRY_COMPARE(window.visibility(), QWindow::Windowed);
        place.keep();
        QVERIFY(!settings.windowMaximized());
    }
    // The next start opens it so, and it returns to the size from before.
    window.showMaximized();
    QTRY_COMPARE(window.visibility(), QWindow::Maximized);
    place.keep();
    WindowPlace next(settings);
    QWindow again;
    again.resize(1080, 760);
    next.open(&again);
    QTRY_COMPARE(again.visibility(), QWindow::Maximized);
    next.keep();
    QVERIFY(settings.windowMaximized());
    QCOMPARE(settings.windowPlace().size(), QSize(500, 400));
}

void WindowPlaceTest::ignoresNonsense() {
    const QTemporaryDir folder;
    const QString ini = folder.filePath(QStringLiteral("hearth.ini"));
    QFile file(ini);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("[window]\nx=a\ny=99999999999\nwidth=-5\nheight=1e9\nzoom=700\nlist=maybe\n");
    file.close();
    const AppSettings settings(ini);
    QVERIFY(settings.windowPlace().isEmpty());
    QCOMPARE(settings.zoom(), 1.0);
}

QTEST_MAIN(WindowPlaceTest)
#include "window_place_test.moc"
