#include "markdown/math_text.h"

#include <QtTest>

#include "app/desktop/markdown/formula_samples.h"
#include "markdown/math_parser.h"

using namespace hearth::ui;

class MathTextTest : public QObject {
    Q_OBJECT

private slots:
    void writesALine_data();
    void writesALine();
    void needsMoreThanALine_data();
    void needsMoreThanALine();
    void saysEveryFormula_data();
    void saysEveryFormula();
    void escapes();
};

void MathTextTest::writesALine_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("html");  // "_" and "." for the blanks that do not break
    QTest::addColumn<QString>("words");
    const auto row = [](const char* source, const char* html, const char* words) {
        QTest::addRow("%s", source)
            << QString::fromUtf8(source) << QString::fromUtf8(html) << QString::fromUtf8(words);
    };
    row("x_i^2", "<i>x</i><sub><i>i</i></sub><sup>2</sup>", "x_i^2");
    row("E = mc^2", "<i>E</i>_= <i>mc</i><sup>2</sup>", "E = mc^2");
    row("\\alpha = 0.05", "<i>α</i>_= 0.05", "α = 0.05");
    row("\\frac{3}{4}", "3/4", "3/4");
    row("\\frac{a+b}{2c}", "(<i>a</i>_+ <i>b</i>)/(2<i>c</i>)", "(a + b)/(2c)");
    row("\\frac{a}{12}", "<i>a</i>/12", "a/12");
    row("\\frac{n!}{k!(n-k)!}", "<i>n</i>!/(<i>k</i>!(<i>n</i>_− <i>k</i>)!)", "n!/(k!(n − k)!)");
    row("\\frac{1}{2(a+b)}", "1/(2(<i>a</i>_+ <i>b</i>))", "1/(2(a + b))");
    row("\\frac{1}{f(x)}", "1/<i>f</i>(<i>x</i>)", "1/f(x)");
    row("\\frac{dy}{dx}", "<i>dy</i>/<i>dx</i>", "dy/dx");
    row("\\frac{\\frac{a}{b}}{c}", "(<i>a</i>/<i>b</i>)/<i>c</i>", "(a/b)/c");
    row("\\frac{1}{2}x", "(1/2).<i>x</i>", "(1/2) x");
    row("x\\frac{1}{2}", "<i>x</i>.(1/2)", "x (1/2)");
    row("\\frac{a}{b}^2", "(<i>a</i>/<i>b</i>)<sup>2</sup>", "(a/b)^2");
    row("a + \\frac{1}{2} = c", "<i>a</i>_+ 1/2_= <i>c</i>", "a + 1/2 = c");
    row("\\sqrt{2}", "√2", "√2");
    row("\\sqrt{x+1}", "√(<i>x</i>_+ 1)", "√(x + 1)");
    row("\\sqrt[3]{8}", "∛8", "∛8");
    row("\\sqrt[n]{x}", "<sup><i>n</i></sup>√<i>x</i>", "root[n](x)");
    row("\\sum_{i=1}^n i", "∑<sub><i>i</i>=1</sub><sup><i>n</i></sup>.<i>i</i>", "∑_(i = 1)^n i");
    row("e^{x^2}", "<i>e</i><sup><i>x</i>²</sup>", "e^(x^2)");
    row("f''(x)", "<i>f</i>′′(<i>x</i>)", "f′′(x)");
    row("90^\\circ", "90°", "90°");
    row("\\hat{x}", "<i>x̂</i>", "x̂");
    row("\\mathbb{R}^n", "ℝ<sup><i>n</i></sup>", "ℝ^n");
    row("\\mathbf{v}\\cdot\\boldsymbol{w}", "<b>v</b>_⋅ <b><i>w</i></b>", "v ⋅ w");
    row("O(n \\log n)", "<i>O</i>(<i>n</i>.log.<i>n</i>)", "O(n log n)");
    row("-x", "−<i>x</i>", "−x");
    row("f(x,y)", "<i>f</i>(<i>x</i>, <i>y</i>)", "f(x, y)");
    row("\\text{if } x", "if_<i>x</i>", "if x");
}

void MathTextTest::writesALine() {
    QFETCH(QString, source);
    QFETCH(QString, html);
    QFETCH(QString, words);
    const auto formula = parseFormula(QStringLiteral("$%1$").arg(source));
    QVERIFY(formula.has_value());
    auto line = mathHtml(*formula);
    QVERIFY(line.has_value());
    line->replace(QChar(0xA0), QLatin1Char('_')).replace(QChar(0x202F), QLatin1Char('.'));
    // A decimal point and a narrow blank look alike here.
    QCOMPARE(*line, html);
    QCOMPARE(mathWords(*formula), words);
}

void MathTextTest::needsMoreThanALine_data() {
    QTest::addColumn<QString>("source");
    for (const char* source :
         {R"($\begin{pmatrix} a & b \end{pmatrix}$)", R"($\overline{a+b}$)", R"($\binom{n}{k}$)",
          R"($e^{x^y}$)", R"($\underbrace{a}_{b}$)", R"($a \overset{!}{=} b$)",
          R"($a \xrightarrow{f} b$)", R"($\boxed{x}$)", R"($\cancel{x}$)", R"($\phantom{x}$)",
          R"($x_{a_{b}}$)"}) {
        QTest::addRow("%s", source) << QString::fromUtf8(source);
    }
}

void MathTextTest::needsMoreThanALine() {
    QFETCH(QString, source);
    const auto formula = parseFormula(source);
    QVERIFY(formula.has_value());
    QVERIFY(!mathHtml(*formula).has_value());
}

void MathTextTest::saysEveryFormula_data() {
    QTest::addColumn<QString>("source");
    for (const char* sample : test::kFormulaSamples) {
        QTest::addRow("%s", sample) << QString::fromUtf8(sample);
    }
}

void MathTextTest::saysEveryFormula() {
    QFETCH(QString, source);
    const QString words = mathWords(*parseFormula(source));
    QVERIFY(!words.isEmpty());
    static const QRegularExpression markup(QStringLiteral("[<>]/?[a-z]+>|\\\\[a-z]"));
    QVERIFY2(!words.contains(markup), qPrintable(words));
    QCOMPARE(words, words.simplified());
}

// A formula cannot bring markup of its own into the page.
void MathTextTest::escapes() {
    const auto line = mathHtml(*parseFormula(QStringLiteral("$a<b>c \\text{<img src=x> & \"}$")));
    QVERIFY(line.has_value());
    QVERIFY(!line->contains(QLatin1String("<img")));
    QVERIFY(line->contains(QLatin1String("&lt;img")));
    QVERIFY(!line->contains(QLatin1String("<b>c")));
}

QTEST_GUILESS_MAIN(MathTextTest)
#include "math_text_test.moc"
