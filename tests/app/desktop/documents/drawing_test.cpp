#include "documents/drawing.h"

#include <QtTest>
#include <limits>

using namespace hearth::ui;

class DrawingTest : public QObject {
    Q_OBJECT

private slots:
    void fits_data();
    void fits();
    void goesToAnotherProcess();
    void refusesOtherBytes_data();
    void refusesOtherBytes();
    void spellsEachTrouble();

private:
    static DrawnSvg sample() {
        DrawnSvg drawing;
        drawing.size = {30.5, 20};
        drawing.title = QStringLiteral("Grüße");
        drawing.leftOut = true;
        drawing.picture = QImage(3, 2, QImage::Format_ARGB32_Premultiplied);
        drawing.picture.fill(0x80402010);
        drawing.picture.setPixel(2, 1, 0xffffffff);
        return drawing;
    }
};

void DrawingTest::fits_data() {
    QTest::addColumn<QSizeF>("size");
    QTest::addColumn<double>("room");
    QTest::addColumn<double>("zoom");
    QTest::addColumn<double>("ratio");
    QTest::addColumn<QSizeF>("shown");
    QTest::addColumn<QSize>("pixels");
    const auto row = [](const char* name, QSizeF size, double room, double zoom, double ratio,
                        QSizeF shown, QSize pixels) {
        QTest::addRow("%s", name) << size << room << zoom << ratio << shown << pixels;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    row("as it is", {300, 200}, 700, 1, 1, {300, 200}, {300, 200});
    row("zoomed", {300, 200}, 700, 1.5, 1, {450, 300}, {450, 300});
    row("fine pixels", {300, 200}, 700, 1, 2, {300, 200}, {600, 400});
    row("too wide", {1400, 700}, 700, 1, 1, {700, 350}, {700, 350});
    row("too wide, zoomed", {500, 250}, 700, 2, 1, {700, 350}, {700, 350});
    row("more pixels than are drawn", {1400, 1400}, 1400, 1, 2, {1400, 1400}, {2048, 2048});
    row("very high", {1000, 1e6}, 700, 1, 1, {2, 2048}, {2, 2048});
    row("very wide", {1e9, 1}, 700, 1, 1, {700, 1}, {700, 1});
    row("huge", {1e9, 1e9}, 700, 1, 1, {700, 700}, {700, 700});
    row("tiny", {1e-9, 1e-9}, 700, 1, 1, {1, 1}, {1, 1});
    row("nothing", {0, 9}, 700, 1, 1, {}, {});
    row("no number", {nan, 9}, 700, 1, 1, {}, {});
}

void DrawingTest::fits() {
    QFETCH(QSizeF, size);
    QFETCH(double, room);
    QFETCH(double, zoom);
    QFETCH(double, ratio);
    QFETCH(QSizeF, shown);
    QFETCH(QSize, pixels);
    const DrawingPlace place = {room, zoom, ratio};
    QVERIFY(place.isSound());
    if (shown.isEmpty()) {
        QVERIFY(shownSize(size, place).isEmpty());
        QVERIFY(drawingPixels(size, place).isEmpty());
        return;
    }
    QCOMPARE(shownSize(size, place), shown);
    QCOMPARE(drawingPixels(size, place), pixels);
    for (const double wrong : {0.0, -1.0, nan(""), 1e9}) {
        QVERIFY(!(DrawingPlace{wrong, zoom, ratio}.isSound()));
        QVERIFY(!(DrawingPlace{room, wrong, ratio}.isSound()));
        QVERIFY(!(DrawingPlace{room, zoom, wrong}.isSound()));
    }
}

void DrawingTest::goesToAnotherProcess() {
    const DrawnSvg drawing = sample();
    const auto back = DrawnSvg::fromBytes(drawing.toBytes());
    QVERIFY(back);
    QVERIFY(back->trouble == DrawingTrouble::None);
    QCOMPARE(back->size, drawing.size);
    QCOMPARE(back->title, drawing.title);
    QVERIFY(back->leftOut);
    QCOMPARE(back->picture, drawing.picture);
    DrawnSvg failed;
    failed.trouble = DrawingTrouble::NoSize;
    const auto why = DrawnSvg::fromBytes(failed.toBytes());
    QVERIFY(why);
    QVERIFY(why->trouble == DrawingTrouble::NoSize);
    QVERIFY(why->picture.isNull());
}

void DrawingTest::refusesOtherBytes_data() {
    QTest::addColumn<QByteArray>("bytes");
    const QByteArray good = sample().toBytes();
    QTest::addRow("nothing") << QByteArray();
    QTest::addRow("text") << QByteArray("HDW1");
    for (qsizetype length = 1; length < good.size(); length += 3) {
        QTest::addRow("cut at %d", int(length)) << good.left(length);
    }
    QTest::addRow("more") << good + 'x';
    const auto changed = [&](const char* name, qsizetype at, const QByteArray& to) {
        QByteArray bytes = good;
        bytes.replace(at, to.size(), to);
        QTest::addRow("%s", name) << bytes;
    };
    // The magic number, the trouble, two doubles, a flag, the title with its length, two numbers.
    const qsizetype edge = good.size() - 4 * 6 - 8;
    changed("another format", 0, "HDW2");
    changed("another trouble", 4, QByteArray(1, '\x7f'));
    changed("a picture of a trouble", 4, QByteArray(1, '\x01'));
    changed("no width", 5, QByteArray(8, '\0'));
    changed("an endless width", 5, QByteArray::fromHex("7ff0000000000000"));
    changed("no number", 13, QByteArray::fromHex("7ff8000000000000"));
    changed("more columns", edge, QByteArray::fromHex("00000004"));
    changed("columns below nothing", edge, QByteArray::fromHex("fffffffd"));
    changed("swapped", edge, QByteArray::fromHex("7fffffff7fffffff"));
    DrawnSvg wide = sample();
    wide.picture = QImage(kMostDrawingEdge + 1, 1, QImage::Format_ARGB32_Premultiplied);
    QTest::addRow("too wide") << wide.toBytes();
    DrawnSvg empty = sample();
    empty.picture = {};
    QTest::addRow("no picture") << empty.toBytes();
}

void DrawingTest::refusesOtherBytes() {
    QFETCH(QByteArray, bytes);
    QVERIFY(!DrawnSvg::fromBytes(bytes));
}

void DrawingTest::spellsEachTrouble() {
    QCOMPARE(toString(DrawingTrouble::None), QString());
    QCOMPARE(toString(DrawingTrouble::NotSvg), QStringLiteral("notSvg"));
    QCOMPARE(toString(DrawingTrouble::TooLarge), QStringLiteral("tooLarge"));
    QCOMPARE(toString(DrawingTrouble::NoSize), QStringLiteral("noSize"));
    QCOMPARE(toString(DrawingTrouble::TooDemanding), QStringLiteral("tooDemanding"));
}

QTEST_GUILESS_MAIN(DrawingTest)
#include "drawing_test.moc"
