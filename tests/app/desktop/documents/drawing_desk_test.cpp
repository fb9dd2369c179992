#include "documents/drawing_desk.h"

#include <QTemporaryDir>
#include <QtTest>
#include <limits>

#include "documents/drawing_child.h"
#include "documents/svg_source.h"

using namespace hearth::ui;

class DrawingDeskTest : public QObject {
    Q_OBJECT

private slots:
    void init();
    void cleanup() { desk_.reset(); }
    void draws();
    void drawsWhatItCan_data();
    void drawsWhatItCan();
    void saysWhatIsWrong_data();
    void saysWhatIsWrong();
    void endsWhatIsHostile_data();
    void endsWhatIsHostile();
    void endsWhatTakesTooLong();
    void readsNoFile_data();
    void readsNoFile();
    void keepsPictures();
    void keepsNoMoreThanItsBound();
    void keepsTroubles();
    void drawsOnceForTwo();
    void dropsWhatNobodyWants();
    void stopsWhatIsUnderWay();
    void forgetsTheOldestOfTooMany();
    void survivesItsChild_data();
    void survivesItsChild();
    void remembersWhoWantsTheSource();
    void closesAtOnce();
    void childWantsAPlace();

private:
    static QString wrapped(const QString& inside) {
        return QStringLiteral("<svg width=\"40\" height=\"20\">%1</svg>").arg(inside);
    }
    DrawnSvg draw(const QString& source, const DrawingPlace& place = {700, 1, 1}) {
        std::optional<DrawnSvg> answer;
        desk_->draw(source, place, [&](const DrawnSvg& drawing) { answer = drawing; });
        if (!QTest::qWaitFor([&] { return answer.has_value(); }, 60'000)) {
            qWarning("no answer");
            return {};
        }
        return *answer;
    }
    void failing(int mostMs = 300'000) {
        desk_->setProgram(QStringLiteral(HEARTH_FAILING_CHILD),
                          {.mostMs = mostMs, .mostBytes = 1 << 20});
    }
    void working() { desk_->setProgram(QStringLiteral(HEARTH_DOCUMENT_CHILD)); }

    std::unique_ptr<DrawingDesk> desk_;
};

void DrawingDeskTest::init() {
    desk_ = std::make_unique<DrawingDesk>();
    working();
}

void DrawingDeskTest::draws() {
    const QString source = QStringLiteral(
        "<svg viewBox=\"0 0 40 20\" width=\"40\"><title>Two fields</title><rect width=\"20\" "
        "height=\"20\" fill=\"#ff0000\"/><rect x=\"20\" width=\"10\" height=\"20\" "
        "fill=\"blue\"/></svg>");
    // The second time, for fine pixels in a narrow room, as the first.
    for (const DrawingPlace& place : {DrawingPlace{700, 1, 1}, DrawingPlace{20, 1, 4}}) {
        const DrawnSvg drawing = draw(source, place);
        QVERIFY(drawing.trouble == DrawingTrouble::None);
        QCOMPARE(drawing.size, QSizeF(40, 20));
        QCOMPARE(drawing.title, QStringLiteral("Two fields"));
        QVERIFY(!drawing.leftOut);
        const int unit = place.ratio == 1 ? 1 : 2;  // pixels a unit of the drawing
        QCOMPARE(drawing.picture.size(), QSize(40, 20) * unit);
        QCOMPARE(drawing.picture.pixelColor(10 * unit, 10 * unit), QColor(255, 0, 0));
        QCOMPARE(drawing.picture.pixelColor(25 * unit, 10 * unit), QColor(0, 0, 255));
        QCOMPARE(drawing.picture.pixelColor(35 * unit, 10 * unit).alpha(), 0);
    }
}

void DrawingDeskTest::drawsWhatItCan_data() {
    QTest::addColumn<QString>("inside");
    QTest::addColumn<QColor>("middle");
    QTest::addColumn<bool>("leftOut");
    const auto row = [](const char* name, const char* inside, const QColor& middle, bool leftOut) {
        QTest::addRow("%s", name) << QString::fromUtf8(inside) << middle << leftOut;
    };
    const QColor red(255, 0, 0);
    row("a class", "<style>.a{fill:#ff0000}</style><rect class='a' width='40' height='20'/>", red,
        false);
    row("a gradient",
        "<defs><linearGradient id='g'><stop offset='0' stop-color='#f00'/><stop offset='1' "
        "stop-color='#f00'/></linearGradient></defs><rect fill='url(#g)' width='40' height='20'/>",
        red, false);
    row("used again",
        "<defs><rect id='r' width='40' height='20' fill='#f00'/></defs><use href='#r'/>", red,
        false);
    row("a mask",
        "<mask id='m'><rect width='40' height='20' fill='#fff'/></mask>"
        "<rect mask='url(#m)' width='40' height='20' fill='#f00'/>",
        red, true);
    row("what nobody defined", "<rect width='40' height='20' fill='#f00'/><use href='#x'/>", red,
        false);
    row("an unknown element", "<rect width='40' height='20' fill='#f00'/><blob/>", red, true);
}

void DrawingDeskTest::drawsWhatItCan() {
    QFETCH(QString, inside);
    QFETCH(QColor, middle);
    QFETCH(bool, leftOut);
    const DrawnSvg drawing = draw(wrapped(inside));
    QVERIFY(drawing.trouble == DrawingTrouble::None);
    QCOMPARE(drawing.picture.pixelColor(20, 10), middle);
    QCOMPARE(drawing.leftOut, leftOut);
}

void DrawingDeskTest::saysWhatIsWrong_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("trouble");
    QTest::addRow("not ended") << "<svg><g></svg>"
                               << "notSvg";
    QTest::addRow("an entity")
        << "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg width='9' height='9'><text>&a;</text></svg>"
        << "notSvg";
    QTest::addRow("nothing to draw") << "<svg/>"
                                     << "noSize";
    QTest::addRow("no numbers") << "<svg width='nan' height='inf' viewBox='nan 0 0 1e999'/>"
                                << "noSize";
    QTest::addRow("too long") << wrapped(QStringLiteral("<path d=\"%1\"/>")
                                             .arg(QStringLiteral("L1 1").repeated(
                                                 int(kMostSvgCharacters) / 4)))
                              << "tooLarge";
}

void DrawingDeskTest::saysWhatIsWrong() {
    QFETCH(QString, source);
    QFETCH(QString, trouble);
    const DrawnSvg drawing = draw(source);
    QCOMPARE(toString(drawing.trouble), trouble);
    QVERIFY(drawing.picture.isNull());
}

// Whatever the child makes of it, there is an answer, and the next drawing is drawn.
void DrawingDeskTest::endsWhatIsHostile_data() {
    QTest::addColumn<QString>("source");
    const auto row = [](const char* name, const QString& inside) {
        QTest::addRow("%s", name) << wrapped(inside);
    };
    row("use of itself", "<g id='a'><use href='#a'/></g>");
    row("use of each other",
        "<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>"
        "<use href='#a'/>");
    QString doubled = QStringLiteral("<defs><rect id='a0' width='9' height='9'/>");
    for (int i = 1; i <= 40; ++i) {
        doubled += QStringLiteral("<g id='a%1'><use href='#a%2'/><use href='#a%2'/></g>")
                       .arg(i)
                       .arg(i - 1);
    }
    row("use that doubles", doubled + QStringLiteral("</defs><use href='#a40'/>"));
    row("a gradient of itself",
        "<linearGradient id='a' href='#a'/><rect fill='url(#a)' width='9' height='9'/>");
    row("a dash of nothing", "<path stroke-dasharray='1e-9' stroke='red' d='M0 0 H40'/>");
    row("a wide line", "<path stroke-width='1e30' stroke='red' d='M0 0 H40 M1e30 1e30 L-1e30 0'/>");
    row("an arc", "<path d='M0 0 A1e300 1e300 1e300 1 1 1e300 1e300'/>");
    row("no numbers", "<rect x='nan' y='inf' width='1e999' height='-1' rx='nan'/>");
    row("large letters", "<text font-size='1e9' x='1'>A</text>");
    row("a transformation",
        "<g transform='scale(1e300) rotate(nan)'><rect width='9' height='9'/></g>");
    row("a long path", QStringLiteral("<path stroke='red' d='M0 0 %1'/>")
                           .arg(QStringLiteral("C1 9 9 1 5 5 ").repeated(4500)));
    row("deep", QStringLiteral("<g opacity='0.5'>").repeated(kDeepestSvg - 1) +
                    QStringLiteral("</g>").repeated(kDeepestSvg - 1));
    QTest::addRow("a huge box") << "<svg viewBox='-1e9 -1e9 1e9 1e9'><rect width='9'/></svg>";
    QTest::addRow("a box without end")
        << "<svg viewBox='0 0 1e308 1e-308'><rect width='9' height='9'/></svg>";
}

void DrawingDeskTest::endsWhatIsHostile() {
    QFETCH(QString, source);
    const DrawnSvg hostile = draw(source);
    QVERIFY(hostile.picture.isNull() == (hostile.trouble != DrawingTrouble::None));
    const DrawnSvg next =
        draw(wrapped(QStringLiteral("<rect width='40' height='20' fill='#f00'/>")));
    QVERIFY(next.trouble == DrawingTrouble::None);
    QCOMPARE(next.picture.pixelColor(20, 10), QColor(255, 0, 0));
}

// Ten thousand layers of the whole picture, each of which is painted apart: minutes, were it let.
void DrawingDeskTest::endsWhatTakesTooLong() {
    const QString layers =
        QStringLiteral("<g opacity='0.5'><rect width='2048' height='2048' opacity='0.5'/></g>")
            .repeated(100);
    const QString source =
        QStringLiteral("<svg width='2048' height='2048'><defs><g id='a'>%1</g></defs>%2</svg>")
            .arg(layers, QStringLiteral("<use href='#a'/>").repeated(100));
    const DrawnSvg hostile = draw(source, {2048, 1, 1});
    QVERIFY(hostile.trouble == DrawingTrouble::TooDemanding);
    QVERIFY(draw(wrapped(QStringLiteral("<g/>"))).trouble == DrawingTrouble::None);
}

// A red picture that would be seen, were it read.
void DrawingDeskTest::readsNoFile_data() {
    QTest::addColumn<QString>("part");
    for (const char* part :
         {"<image xlink:href='%1' width='40' height='20'/>",
          "<image href='file://%1' width='40' height='20'/>",
          "<image xlink:href='%2' width='40' height='20'/>",
          "<rect width='40' height='20' fill='url(%1)'/>",
          "<rect width='40' height='20' style='fill:url(file://%1)'/>",
          "<style>rect{fill:url(%1)}</style><rect width='40' height='20' fill='none'/>",
          "<style>@import url(%3);</style><rect width='40' height='20' fill-opacity='0'/>",
          "<?xml-stylesheet type='text/css' href='%3'?><rect width='40' height='20' "
          "fill-opacity='0'/>",
          "<use href='%4#r'/>", "<defs><use id='a' href='file://%4#r'/></defs><use href='#a'/>"}) {
        QTest::addRow("%s", part) << QString::fromLatin1(part);
    }
}

void DrawingDeskTest::readsNoFile() {
    QFETCH(QString, part);
    const QTemporaryDir folder;
    QImage red(40, 20, QImage::Format_RGB32);
    red.fill(Qt::red);
    const QString image = folder.filePath(QStringLiteral("red.png"));
    QVERIFY(red.save(image));
    QFile png(image);
    QVERIFY(png.open(QIODevice::ReadOnly));
    const QString data =
        QStringLiteral("data:image/png;base64,") + QString::fromLatin1(png.readAll().toBase64());
    const auto write = [&](const char* name, const QByteArray& bytes) {
        QFile file(folder.filePath(QString::fromLatin1(name)));
        return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size()
                   ? file.fileName()
                   : QString();
    };
    const QString css = write("red.css", "rect{fill:red;fill-opacity:1}");
    const QString svg = write("red.svg",
                              "<svg xmlns='http://www.w3.org/2000/svg'><rect id='r' width='40' "
                              "height='20' fill='red'/></svg>");
    QString source = wrapped(part);
    source.replace(QLatin1String("%1"), image)
        .replace(QLatin1String("%2"), data)
        .replace(QLatin1String("%3"), css)
        .replace(QLatin1String("%4"), svg);
    const DrawnSvg drawing = draw(source);
    QVERIFY(drawing.trouble == DrawingTrouble::None);
    for (int x = 0; x < 40; ++x) {
        const QColor seen = drawing.picture.pixelColor(x, 10);
        QVERIFY2(seen.alpha() == 0 || seen.red() == 0, qPrintable(seen.name(QColor::HexArgb)));
    }
}

void DrawingDeskTest::keepsPictures() {
    const DrawingPlace place = {700, 1, 1};
    const QString source = wrapped(QStringLiteral("<g/>"));
    QVERIFY(!desk_->known(source, place));
    const DrawnSvg drawing = draw(source, place);
    QVERIFY(drawing.trouble == DrawingTrouble::None);
    QCOMPARE(desk_->known(source, place)->picture, drawing.picture);
    // A wider room asks for no other picture; a finer screen does.
    QVERIFY(desk_->known(source, {300, 1, 1}));
    QVERIFY(!desk_->known(source, {700, 1, 2}));
    QVERIFY(!desk_->known(source, {20, 1, 1}));
    QVERIFY(!desk_->known(source + QLatin1Char(' '), place));
    failing();
    QCOMPARE(draw(source, place).picture, drawing.picture);
    QVERIFY(draw(source, {20, 1, 1}).trouble == DrawingTrouble::TooDemanding);
}

void DrawingDeskTest::keepsNoMoreThanItsBound() {
    const DrawingPlace place = {2048, 1, 1};
    QStringList sources;
    for (int i = 0; i * 4 * 2048 * 2048 <= DrawingDesk::kMostPictureBytes; ++i) {
        sources.append(QStringLiteral("<svg width='2048' height='2048'><!--%1--></svg>").arg(i));
        QVERIFY(draw(sources.last(), place).trouble == DrawingTrouble::None);
    }
    QVERIFY(!desk_->known(sources.first(), place));
    QVERIFY(desk_->known(sources.last(), place));
}

void DrawingDeskTest::keepsTroubles() {
    const DrawingPlace place = {700, 1, 1};
    const QString source = wrapped(QStringLiteral("<g/>"));
    failing();
    QVERIFY(draw(source, place).trouble == DrawingTrouble::TooDemanding);
    working();
    QVERIFY(desk_->known(source, place)->trouble == DrawingTrouble::TooDemanding);
    QVERIFY(draw(source, place).trouble == DrawingTrouble::TooDemanding);
    desk_->forgetTrouble(source);
    QVERIFY(!desk_->known(source, place));
    QVERIFY(draw(source, place).trouble == DrawingTrouble::None);
    desk_->forgetTrouble(source);
    QVERIFY(desk_->known(source, place));
}

void DrawingDeskTest::drawsOnceForTwo() {
    const DrawingPlace place = {700, 1, 1};
    const QString source = wrapped(QStringLiteral("<g/>"));
    QStringList told;
    desk_->draw(source, place, [&](const DrawnSvg& drawing) {
        told << toString(drawing.trouble);
        failing();  // the next one would fail, were it drawn
    });
    desk_->draw(source, place, [&](const DrawnSvg& drawing) { told << toString(drawing.trouble); });
    QTRY_COMPARE_WITH_TIMEOUT(told.size(), 2, 60'000);
    QCOMPARE(told, QStringList({QString(), QString()}));
}

void DrawingDeskTest::dropsWhatNobodyWants() {
    QStringList told;
    const auto ask = [&](const char* name) {
        return desk_->draw(wrapped(QStringLiteral("<!--%1-->").arg(QLatin1String(name))),
                           {700, 1, 1},
                           [&told, name](const DrawnSvg&) { told << QLatin1String(name); });
    };
    ask("a");
    const quint64 b = ask("b");
    ask("c");
    QCOMPARE(desk_->waiting(), 3);
    desk_->drop(b);
    desk_->drop(b);
    desk_->drop(0);
    QCOMPARE(desk_->waiting(), 2);
    QTRY_COMPARE_WITH_TIMEOUT(told, QStringList({QStringLiteral("a"), QStringLiteral("c")}),
                              60'000);
}

void DrawingDeskTest::stopsWhatIsUnderWay() {
    failing();
    bool told = false;
    const quint64 ticket = desk_->draw(wrapped(QStringLiteral("<!--hang-->")), {700, 1, 1},
                                       [&](const DrawnSvg&) { told = true; });
    QTRY_COMPARE(desk_->waiting(), 0);  // it is under way
    working();
    desk_->drop(ticket);
    QVERIFY(draw(wrapped(QStringLiteral("<g/>"))).trouble == DrawingTrouble::None);
    QVERIFY(!told);
    QVERIFY(!desk_->known(wrapped(QStringLiteral("<!--hang-->")), {700, 1, 1}));
}

void DrawingDeskTest::forgetsTheOldestOfTooMany() {
    QList<int> told;
    const int most = DrawingDesk::kMostWaiting;
    for (int i = 0; i < most + 2; ++i) {
        desk_->draw(QStringLiteral("no drawing"), {700, 1, 1},
                    [&told, i](const DrawnSvg&) { told << i; });
    }
    QCOMPARE(desk_->waiting(), most);
    QTRY_COMPARE_WITH_TIMEOUT(told.size(), most, 60'000);
    QCOMPARE(told.first(), 2);
    QCOMPARE(told.last(), most + 1);
}

void DrawingDeskTest::survivesItsChild_data() {
    QTest::addColumn<QString>("how");
    QTest::addColumn<int>("mostMs");
    for (const char* how :
         {"crash", "crash after the answer", "flood", "other", "status", "nothing", "deaf"}) {
        QTest::addRow("%s", how) << QString::fromLatin1(how) << 300'000;
    }
    QTest::addRow("hang") << QStringLiteral("hang") << 200;
}

void DrawingDeskTest::survivesItsChild() {
    QFETCH(QString, how);
    QFETCH(int, mostMs);
    failing(mostMs);
    // More than a pipe holds: a child need not read all of it.
    const QString large(how == QLatin1String("deaf") ? 60'000 : 1, QChar(0x5B57));
    const DrawnSvg drawing = draw(wrapped(QStringLiteral("<!--%1-->").arg(how)) + large);
    QVERIFY(drawing.trouble == DrawingTrouble::TooDemanding);
    QVERIFY(drawing.picture.isNull());
    working();
    QVERIFY(draw(wrapped(QStringLiteral("<g/>"))).trouble == DrawingTrouble::None);
}

void DrawingDeskTest::remembersWhoWantsTheSource() {
    QVERIFY(!desk_->showsSource(QStringLiteral("a")));
    desk_->setShowsSource(QStringLiteral("a"), true);
    QVERIFY(desk_->showsSource(QStringLiteral("a")));
    QVERIFY(!desk_->showsSource(QStringLiteral("b")));
    desk_->setShowsSource(QStringLiteral("a"), false);
    QVERIFY(!desk_->showsSource(QStringLiteral("a")));
}

void DrawingDeskTest::closesAtOnce() {
    failing();
    bool told = false;
    for (int i = 0; i < 2; ++i) {
        desk_->draw(wrapped(QStringLiteral("<!--hang %1-->").arg(i)), {700, 1, 1},
                    [&](const DrawnSvg&) { told = true; });
    }
    QTRY_COMPARE(desk_->waiting(), 1);
    desk_->close();
    QCoreApplication::processEvents();
    QVERIFY(!told);
}

void DrawingDeskTest::childWantsAPlace() {
    const auto never = [] { return false; };
    const ChildBounds bounds = DrawingDesk::kBounds;
    const QString program = QStringLiteral(HEARTH_DOCUMENT_CHILD);
    const QByteArray source = wrapped(QStringLiteral("<g/>")).toUtf8();
    QVERIFY(runChild(program, drawingArguments({700, 1, 1}), source, never, bounds).why == nullptr);
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const DrawingPlace& place :
         {DrawingPlace{0, 1, 1}, DrawingPlace{700, nan, 1}, DrawingPlace{700, 1, 1e9}}) {
        QVERIFY(runChild(program, drawingArguments(place), source, never, bounds).why != nullptr);
    }
}

QTEST_GUILESS_MAIN(DrawingDeskTest)
#include "drawing_desk_test.moc"
