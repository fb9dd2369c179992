#include "markdown/math_layout.h"

#include <QtTest>

#include "app/desktop/markdown/formula_samples.h"
#include "markdown/math_parser.h"

using namespace hearth::ui;

namespace {

constexpr qreal kSize = 20;
constexpr qreal kClose = 0.01;  // pixels

std::optional<MathBox> boxOf(const QString& source) {
    MathFont font(QGuiApplication::font().family());
    const auto formula = parseFormula(source);
    return formula ? MathLayout(font, kSize)
                         .layOut(*formula,
                                 isDisplayFormula(source) ? MathStyle::Display : MathStyle::Text)
                   : std::nullopt;
}

// The areas of the ink of \[source\], in the order in which it is written.
QList<QRectF> areasOf(const char* source) {
    const auto box = boxOf(QStringLiteral("\\[%1\\]").arg(QString::fromUtf8(source)));
    QList<QRectF> areas;
    if (box) {
        for (const MathInk& ink : box->ink) {
            areas << ink.area();
        }
    }
    return areas;
}

bool isAbove(const QRectF& one, const QRectF& other) {
    return one.bottom() <= other.top() + kClose;
}

bool isBefore(const QRectF& one, const QRectF& other) {
    return one.right() <= other.left() + kClose;
}

}  // namespace

class MathLayoutTest : public QObject {
    Q_OBJECT

private slots:
    void drawsWhatModelsWrite_data();
    void drawsWhatModelsWrite();
    void partsOfAFractionStandApart();
    void scriptsStandAboveAndBelow();
    void limitsDependOnTheStyle();
    void delimitersGrow_data();
    void delimitersGrow();
    void rootsCoverTheirRadicand();
    void marksStandAboveTheirLetter_data();
    void marksStandAboveTheirLetter();
    void cellsStandInColumnsAndRows();
    void spacesFollowTheClasses();
    void scalesWithItsSize();
    void missingLettersAreSaid();
    void phantomsTakeRoom();
    void setsAnything();
};

void MathLayoutTest::drawsWhatModelsWrite_data() {
    QTest::addColumn<QString>("source");
    for (const char* sample : test::kFormulaSamples) {
        QTest::addRow("%s", sample) << QString::fromUtf8(sample);
    }
}

void MathLayoutTest::drawsWhatModelsWrite() {
    QFETCH(QString, source);
    const auto box = boxOf(source);
    if (!box) {
        // A computer without letters of an alphabet of its own shows the source.
        QVERIFY(source.contains(QLatin1String("\\math")) ||
                source.contains(QLatin1String("\\boldsymbol")));
        return;
    }
    QVERIFY(box->width > 0 && box->width < 2000);
    QVERIFY(box->ascent > 0 && box->height() < 400);
    const QRectF room(-kClose, -box->ascent - kClose, box->width + 2 * kClose,
                      box->height() + 2 * kClose);
    for (const MathInk& ink : box->ink) {
        QVERIFY2(room.contains(ink.area()), qPrintable(source));
        QVERIFY(!ink.bounds.isEmpty());
    }
}

void MathLayoutTest::partsOfAFractionStandApart() {
    for (const char* source : {"\\frac{g}{f}", "\\tfrac{g}{f}", "\\frac{\\frac{g}{y}}{\\hat{f}}"}) {
        const QList<QRectF> areas = areasOf(source);
        QVERIFY(areas.size() >= 3);
        const QRectF rule = areas.constLast();
        QVERIFY2(isAbove(areas.first(), rule), source);
        QVERIFY2(isAbove(rule, areas.at(areas.size() - 2)), source);
        QVERIFY(rule.left() <= areas.first().left() && rule.right() >= areas.first().right());
    }
    const QList<QRectF> pile = areasOf("\\binom{n}{k}");  // without a line
    QCOMPARE(pile.size(), 4);
    QVERIFY(isAbove(pile.at(1), pile.at(2)));
    QVERIFY(isBefore(pile.at(0), pile.at(1)) && isBefore(pile.at(2), pile.at(3)));
}

void MathLayoutTest::scriptsStandAboveAndBelow() {
    const QList<QRectF> both = areasOf("x_1^2");
    QCOMPARE(both.size(), 3);
    const QRectF& base = both.at(0);
    const QRectF& below = both.at(1);
    const QRectF& above = both.at(2);
    QVERIFY(isAbove(above, below));
    QVERIFY(above.top() < base.top() && below.bottom() > base.bottom());
    QVERIFY(above.left() >= base.left() && below.left() >= base.center().x());
    QVERIFY(above.height() < 0.8 * areasOf("2").first().height());
    // Behind something tall they move outwards with it.
    const QList<QRectF> tall = areasOf("\\left(\\frac{a}{b}\\right)^2");
    QVERIFY(tall.constLast().center().y() < tall.first().top() + kSize);
    QVERIFY(isBefore(tall.at(4), tall.constLast()));
    // A prime stands on the height of its letter, not above it.
    const QList<QRectF> prime = areasOf("f'");
    QVERIFY(prime.at(1).top() >= prime.at(0).top() - 0.2 * kSize);
}

void MathLayoutTest::limitsDependOnTheStyle() {
    const QList<QRectF> display = areasOf("\\sum_i^n");
    QVERIFY(isAbove(display.at(1), display.at(0)) && isAbove(display.at(0), display.at(2)));
    QVERIFY(std::abs(display.at(2).center().x() - display.at(0).center().x()) < 0.1 * kSize);
    const QList<QRectF> inLine = areasOf("\\textstyle\\sum_i^n");
    QVERIFY(isBefore(inLine.at(0), inLine.at(2)));
    QVERIFY(inLine.at(0).height() < display.at(0).height());
    const QList<QRectF> integral = areasOf("\\int_i^n");
    QVERIFY(!isAbove(integral.at(2), integral.at(0)));
    const QList<QRectF> forced = areasOf("\\int\\limits_i^n");
    QVERIFY(isAbove(forced.at(1), forced.at(0)) && isAbove(forced.at(0), forced.at(2)));
}

void MathLayoutTest::delimitersGrow_data() {
    QTest::addColumn<QString>("open");
    QTest::addColumn<QString>("close");
    const QString pairs = QStringLiteral(
        "( ) [ ] \\{ \\} | | \\| \\| \\langle \\rangle \\lfloor \\rfloor \\lceil \\rceil / "
        "\\backslash \\uparrow \\downarrow \\lgroup \\rgroup");
    const QStringList names = pairs.split(QLatin1Char(' '));
    for (qsizetype i = 0; i + 1 < names.size(); i += 2) {
        QTest::addRow("%s", qPrintable(names.at(i))) << names.at(i) << names.at(i + 1);
    }
}

void MathLayoutTest::delimitersGrow() {
    QFETCH(QString, open);
    QFETCH(QString, close);
    const QString body = QStringLiteral("\\frac{\\frac{a}{b}}{\\frac{c}{d}}");
    const QString source = QStringLiteral("\\left%1 %3 \\right%2").arg(open, close, body);
    const QList<QRectF> areas = areasOf(source.toUtf8().constData());
    if (areasOf(open.toUtf8().constData()).isEmpty()) {  // no font here has the sign
        QVERIFY(areas.isEmpty());                        // so that the source is shown
        QCOMPARE(open, QStringLiteral("\\lgroup"));      // Debian's usual fonts have the others
        return;
    }
    QVERIFY(areas.size() >= 9);
    const QRectF& first = areas.first();
    const QRectF& last = areas.constLast();
    QRectF inner;
    for (qsizetype i = 1; i + 1 < areas.size(); ++i) {
        inner |= areas.at(i);
    }
    QVERIFY(first.height() > 0.85 * inner.height() && last.height() > 0.85 * inner.height());
    QVERIFY(first.height() < 1.3 * inner.height());
    QVERIFY(isBefore(first, inner) && isBefore(inner, last));
}

void MathLayoutTest::rootsCoverTheirRadicand() {
    for (const char* source : {"\\sqrt{x}", "\\sqrt{\\frac{a}{b}}", "\\sqrt{x^{2^2}}"}) {
        const QList<QRectF> areas = areasOf(source);
        const QRectF sign = areas.first();
        for (qsizetype i = 1; i < areas.size(); ++i) {
            QVERIFY2(sign.adjusted(-kClose, -kClose, kClose, 2).contains(areas.at(i)), source);
        }
    }
    const QList<QRectF> cube = areasOf("\\sqrt[3]{x}");
    QCOMPARE(cube.size(), 3);
    QVERIFY(cube.at(1).bottom() < cube.at(0).bottom() - 0.3 * cube.at(0).height());
    QVERIFY(isBefore(cube.at(1), cube.at(2)));
}

void MathLayoutTest::marksStandAboveTheirLetter_data() {
    QTest::addColumn<QString>("mark");
    for (const char* mark :
         {"hat", "check", "tilde", "bar", "breve", "vec", "dot", "ddot", "dddot", "mathring",
          "acute", "grave", "widehat", "widetilde", "overline", "overrightarrow", "overbrace"}) {
        QTest::addRow("%s", mark) << QString::fromLatin1(mark);
    }
}

void MathLayoutTest::marksStandAboveTheirLetter() {
    QFETCH(QString, mark);
    for (const char* letter : {"x", "A", "f", "\\frac{a}{b}"}) {
        const QString source = QStringLiteral("\\%1{%2}").arg(mark, QString::fromUtf8(letter));
        const QList<QRectF> areas = areasOf(source.toUtf8().constData());
        QVERIFY(areas.size() >= 2);
        QVERIFY2(isAbove(areas.constLast(), areas.first()), qPrintable(source));
        QVERIFY(areas.constLast().left() < areas.first().right());
        QVERIFY(areas.constLast().right() > areas.first().left());
    }
}

void MathLayoutTest::cellsStandInColumnsAndRows() {
    const QList<QRectF> cells = areasOf("\\begin{matrix} a & b \\\\ c & d \\end{matrix}");
    QCOMPARE(cells.size(), 4);
    QVERIFY(isBefore(cells.at(0), cells.at(1)) && isBefore(cells.at(2), cells.at(3)));
    QVERIFY(isAbove(cells.at(0), cells.at(2)) && isAbove(cells.at(1), cells.at(3)));
    // Signs of aligned equations stand below each other.
    const QList<QRectF> lines = areasOf("\\begin{aligned} a + b &= c \\\\ d &= e \\end{aligned}");
    QCOMPARE(lines.size(), 8);
    QVERIFY(std::abs(lines.at(3).left() - lines.at(6).left()) < kClose);
    QVERIFY(isAbove(lines.at(3), lines.at(6)));
    const auto wide = areasOf("\\begin{matrix} a \\\\[2em] b \\end{matrix}");
    const auto plain = areasOf("\\begin{matrix} a \\\\ b \\end{matrix}");
    QVERIFY(wide.at(1).top() - wide.at(0).bottom() >
            plain.at(1).top() - plain.at(0).bottom() + 1.9 * kSize);
    const auto lined = areasOf("\\begin{array}{|c|c|} \\hline a & b \\\\ \\hline \\end{array}");
    QCOMPARE(lined.size(), 2 + 3 + 2);
    for (qsizetype i = 0; i < 2; ++i) {
        QVERIFY(isAbove(lined.at(5), lined.at(i)) && isAbove(lined.at(i), lined.at(6)));
        QVERIFY(isBefore(lined.at(2), lined.at(i)) && isBefore(lined.at(i), lined.at(4)));
    }
}

void MathLayoutTest::spacesFollowTheClasses() {
    const auto widthOf = [](const char* source) {
        const auto box = boxOf(QStringLiteral("\\[%1\\]").arg(QString::fromUtf8(source)));
        return box ? box->width : -1;
    };
    QVERIFY(widthOf("a=b") > widthOf("a{=}b") + 0.4 * kSize);
    QVERIFY(widthOf("a\\quad b") > widthOf("ab") + 0.99 * kSize);
    QVERIFY(widthOf("a\\!b") < widthOf("ab"));
    QVERIFY(widthOf("\\text{a b}") > widthOf("\\text{ab}"));
}

void MathLayoutTest::scalesWithItsSize() {
    MathFont font(QGuiApplication::font().family());
    const auto formula = parseFormula(QStringLiteral("\\[\\frac{a}{\\sqrt{b_1}}\\]"));
    const auto small = MathLayout(font, 10).layOut(*formula, MathStyle::Display);
    const auto large = MathLayout(font, 40).layOut(*formula, MathStyle::Display);
    QVERIFY(small && large);
    QVERIFY(std::abs(large->width / small->width - 4) < 0.001);
    QVERIFY(std::abs(large->height() / small->height() - 4) < 0.001);
}

void MathLayoutTest::missingLettersAreSaid() {
    // A letter that Unicode has not given away.
    const QString source = QStringLiteral("\\[a + \\text{%1}\\]").arg(QChar(0x0378));
    QVERIFY(parseFormula(source).has_value());
    QVERIFY(!boxOf(source).has_value());
    QVERIFY(boxOf(QStringLiteral("\\[a + b\\]")).has_value());
}

void MathLayoutTest::phantomsTakeRoom() {
    const auto seen = boxOf(QStringLiteral("\\[abc\\]"));
    const auto hidden = boxOf(QStringLiteral("\\[\\phantom{abc}\\]"));
    QVERIFY(seen && hidden);
    QVERIFY(hidden->ink.isEmpty());
    QVERIFY(std::abs(hidden->width - seen->width) < 2);
}

// Whatever the parser accepts has a size, holds its ink, and comes to an end.
void MathLayoutTest::setsAnything() {
    QRandomGenerator random(112);
    const QStringList words = {"x",
                               "2",
                               "+",
                               "=",
                               "(",
                               ")",
                               "|",
                               ",",
                               "\\sum",
                               "\\int",
                               "\\frac",
                               "\\sqrt",
                               "\\sqrt[3]",
                               "\\hat",
                               "\\overline",
                               "\\underbrace",
                               "\\left(",
                               "\\right)",
                               "\\left.",
                               "\\right|",
                               "\\middle|",
                               "{",
                               "}",
                               "{",
                               "}",
                               "^",
                               "_",
                               "'",
                               "&",
                               "\\\\",
                               "\\begin{matrix}",
                               "\\end{matrix}",
                               "\\text{a b}",
                               "\\binom",
                               "\\quad",
                               "\\!",
                               "\\big[",
                               "\\lim",
                               "\\limits",
                               "\\overset",
                               "\\boxed",
                               "\\phantom",
                               "\\displaystyle",
                               "\\xrightarrow",
                               "\\substack",
                               "\\cancel",
                               "\\begin{array}{|c|r}",
                               "\\hline",
                               "\\end{array}"};
    MathFont font(QGuiApplication::font().family());
    int set = 0;
    for (int round = 0; round < 30'000; ++round) {
        QString source = QStringLiteral("\\[");
        for (int i = random.bounded(14); i >= 0; --i) {
            source += words.at(random.bounded(static_cast<int>(words.size()))) + QLatin1Char(' ');
        }
        const auto formula = parseFormula(source + QStringLiteral("\\]"));
        if (!formula) {
            continue;
        }
        ++set;
        const auto box = MathLayout(font, kSize).layOut(*formula, MathStyle::Display);
        QVERIFY2(box.has_value(), qPrintable(source));
        const QRectF room(-kClose, -box->ascent - kClose, box->width + 2 * kClose,
                          box->height() + 2 * kClose);
        for (const MathInk& ink : box->ink) {
            QVERIFY2(room.contains(ink.area()), qPrintable(source));
        }
    }
    QVERIFY2(set > 1000, qPrintable(QString::number(set)));
    // As much as a formula may hold.
    const auto large =
        boxOf(QStringLiteral("\\[%1\\]").arg(QStringLiteral("\\frac x2").repeated(700)));
    QVERIFY(large.has_value());
}

QTEST_MAIN(MathLayoutTest)
#include "math_layout_test.moc"
