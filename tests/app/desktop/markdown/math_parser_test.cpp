#include "markdown/math_parser.h"

#include <QtTest>

#include "app/desktop/markdown/formula_samples.h"
#include "markdown/math_spacing.h"
#include "markdown/math_symbols.h"

using namespace hearth::ui;

namespace {

// "frac(a b) x^(2)": the tree in a line.
QString describe(const MathNode& node);

QString describeParts(const MathNode& node) {
    QStringList parts;
    for (const MathNode& part : node.parts) {
        parts << describe(part);
    }
    return parts.join(QLatin1Char(' '));
}

QString describe(const MathNode& node) {
    switch (node.kind) {
        case MathKind::Symbol:
        case MathKind::Operator:
            return node.text;
        case MathKind::Word:
            return QLatin1Char('"') + node.text + QLatin1Char('"');
        case MathKind::Row:
            return QLatin1Char('{') + describeParts(node) + QLatin1Char('}');
        case MathKind::Scripts:
            return QStringLiteral("script(%1)").arg(describeParts(node));
        case MathKind::Fraction:
            return QStringLiteral("%1(%2)").arg(node.line ? "frac" : "pile", describeParts(node));
        case MathKind::Radical:
            return QStringLiteral("root(%1)").arg(describeParts(node));
        case MathKind::Fence:
            return QStringLiteral("fence%1%2(%3)")
                .arg(node.text, node.closing, describeParts(node));
        case MathKind::Delimiter:
            return QStringLiteral("big%1").arg(node.text);
        case MathKind::Accent:
            return QStringLiteral("mark(%1)").arg(describeParts(node));
        case MathKind::Stack:
            return QStringLiteral("stack(%1)").arg(describeParts(node));
        case MathKind::Arrow:
            return QStringLiteral("arrow%1(%2)").arg(node.text, describeParts(node));
        case MathKind::Space:
            return QStringLiteral("~");
        case MathKind::Array:
            return QStringLiteral("array%1(%2)").arg(node.width).arg(describeParts(node));
        case MathKind::Styled:
            return QStringLiteral("style(%1)").arg(describeParts(node));
    }
    return {};
}

QString inDollars(const QString& source) {
    return QStringLiteral("$%1$").arg(source);
}

}  // namespace

class MathParserTest : public QObject {
    Q_OBJECT

private slots:
    void readsWhatModelsWrite_data();
    void readsWhatModelsWrite();
    void makesTheTree_data();
    void makesTheTree();
    void refuses_data();
    void refuses();
    void everyBeginningIsRefusedOrWhole();
    void boundsItsWork();
    void knowsFaces();
    void spacesByClass();
    void knowsDisplay();
};

void MathParserTest::readsWhatModelsWrite_data() {
    QTest::addColumn<QString>("source");
    for (const char* sample : test::kFormulaSamples) {
        QTest::addRow("%s", sample) << QString::fromUtf8(sample);
    }
}

void MathParserTest::readsWhatModelsWrite() {
    QFETCH(QString, source);
    const auto tree = parseFormula(source);
    QVERIFY(tree.has_value());
    QVERIFY(!tree->parts.empty());
}

void MathParserTest::makesTheTree_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("tree");
    QTest::addRow("%s", R"(x_i^2)") << R"(x_i^2)" << QString::fromUtf8(R"({script(x {i} {2})})");
    QTest::addRow("%s", R"(x^2_i)") << R"(x^2_i)" << QString::fromUtf8(R"({script(x {i} {2})})");
    QTest::addRow("%s", R"(f'')") << R"(f'')" << QString::fromUtf8(R"({script(f {} {′ ′})})");
    QTest::addRow("%s", R"(f'^2)") << R"(f'^2)" << QString::fromUtf8(R"({script(f {} {′ 2})})");
    QTest::addRow("%s", R"(\frac12)") << R"(\frac12)" << QString::fromUtf8(R"({frac(1 2)})");
    QTest::addRow("%s", R"(\frac{a}{b})")
        << R"(\frac{a}{b})" << QString::fromUtf8(R"({frac({a} {b})})");
    QTest::addRow("%s", R"(a \over b)")
        << R"(a \over b)" << QString::fromUtf8(R"({frac({a} {b})})");
    QTest::addRow("%s", R"({n \choose k})")
        << R"({n \choose k})" << QString::fromUtf8(R"({{pile({n} {k})}})");
    QTest::addRow("%s", R"(\sqrt[3]{x})")
        << R"(\sqrt[3]{x})" << QString::fromUtf8(R"({root({x} {3})})");
    QTest::addRow("%s", R"(\sqrt x)") << R"(\sqrt x)" << QString::fromUtf8(R"({root(x {})})");
    QTest::addRow("%s", R"(\left( \frac{a}{b} \middle| c \right.)")
        << R"(\left( \frac{a}{b} \middle| c \right.)"
        << QString::fromUtf8(R"({fence(({frac({a} {b}) big| c})})");
    QTest::addRow("%s", R"(\big( x \bigr])")
        << R"(\big( x \bigr])" << QString::fromUtf8(R"({big( x big]})");
    QTest::addRow("%s", R"(\hat x)") << R"(\hat x)" << QString::fromUtf8(R"({mark(x)})");
    QTest::addRow("%s", R"(\overset{!}{=})")
        << R"(\overset{!}{=})" << QString::fromUtf8(R"({stack({=} {!} {})})");
    QTest::addRow("%s", R"(\xrightarrow[a]{b})")
        << R"(\xrightarrow[a]{b})" << QString::fromUtf8(R"({arrow→({b} {a})})");
    QTest::addRow("%s", R"(a\,b\quad c)")
        << R"(a\,b\quad c)" << QString::fromUtf8(R"({a ~ b ~ c})");
    QTest::addRow("%s", R"(\begin{cases} a & b \\ c \end{cases})")
        << R"(\begin{cases} a & b \\ c \end{cases})"
        << QString::fromUtf8(R"({array2({a} {b} {c} {})})");
    QTest::addRow("%s", R"(\begin{array}{cc|c} 1 & 2 & 3 \\ \hline 4 \\ \end{array})")
        << R"(\begin{array}{cc|c} 1 & 2 & 3 \\ \hline 4 \\ \end{array})"
        << QString::fromUtf8(R"({array3({1} {2} {3} {4} {} {})})");
    QTest::addRow("%s", R"(\text{if $x$ is 5\%})")
        << R"(\text{if $x$ is 5\%})" << QString::fromUtf8(R"({{"if " {x} " is 5%"}})");
    QTest::addRow("%s", R"(\operatorname*{arg\,max}_x)")
        << R"(\operatorname*{arg\,max}_x)"
        << QString::fromUtf8(R"({script({{a r g ~ m a x}} {x} {})})");
    QTest::addRow("%s", R"(\sin^2 x)")
        << R"(\sin^2 x)" << QString::fromUtf8(R"({script("sin" {} {2}) x})");
    QTest::addRow("%s", R"({}^{14}C)")
        << R"({}^{14}C)" << QString::fromUtf8(R"({script({} {} {{1 4}}) C})");
    QTest::addRow("%s", R"(\not\in)") << R"(\not\in)" << QString::fromUtf8(R"({∉})");
    QTest::addRow("%s", R"(\sum_{i=1}^n)")
        << R"(\sum_{i=1}^n)" << QString::fromUtf8(R"({script(∑ {{i = 1}} {n})})");
    QTest::addRow("%s", R"(\displaystyle x y)")
        << R"(\displaystyle x y)" << QString::fromUtf8(R"({style({x y})})");
    QTest::addRow("%s", R"(\substack{a \\ b})")
        << R"(\substack{a \\ b})" << QString::fromUtf8(R"({style(array1({a} {b}))})");
    QTest::addRow("%s", R"(a \pmod n)")
        << R"(a \pmod n)" << QString::fromUtf8(R"({a {~ ( "mod" ~ n )}})");
    QTest::addRow("%s", R"(\tag{1} x)")
        << R"(\tag{1} x)" << QString::fromUtf8(R"x({{} x ~ "(1)"})x");
    QTest::addRow("%s", R"(\color{red}{x})")
        << R"(\color{red}{x})" << QString::fromUtf8(R"({{} {x}})");
    QTest::addRow("%s", R"(\begin{smallmatrix} a & b \end{smallmatrix})")
        << R"(\begin{smallmatrix} a & b \end{smallmatrix})"
        << QString::fromUtf8(R"({style(array2({a} {b}))})");
    QTest::addRow("%s", R"(\mathrm{H_2O})")
        << R"(\mathrm{H_2O})" << QString::fromUtf8(R"({{script(H {2} {}) O}})");
    QTest::addRow("%s", R"(\lim\limits_{x})")
        << R"(\lim\limits_{x})" << QString::fromUtf8(R"({script("lim" {{x}} {})})");
}

void MathParserTest::makesTheTree() {
    QFETCH(QString, source);
    QFETCH(QString, tree);
    const auto parsed = parseFormula(inDollars(source));
    QVERIFY(parsed.has_value());
    QCOMPARE(describe(*parsed), tree);
}

void MathParserTest::refuses_data() {
    QTest::addColumn<QString>("source");
    for (const char* source : {R"($\frobnicate x$)",
                               R"($\frac{a}$)",
                               R"($\frac$)",
                               R"($x^$)",
                               R"($x^2^3$)",
                               R"($x_$)",
                               R"($\left( x$)",
                               R"($x \right)$)",
                               R"($\left( x \right$)",
                               R"($\left q x \right)$)",
                               R"(${x$)",
                               R"($x}$)",
                               R"($\sqrt[3{x}$)",
                               R"($\begin{pmatrix} a & b$)",
                               R"($\begin{pmatrix} a \end{bmatrix}$)",
                               R"($\begin{nothing} a \end{nothing}$)",
                               R"($\begin{array} a \end{array}$)",
                               R"($\begin{array}{xyz} a \end{array}$)",
                               R"($\begin{array}{||} a \end{array}$)",
                               R"($a & b$)",
                               R"($a \\ b$)",
                               R"($100%$)",
                               R"($a # b$)",
                               R"($\text{open$)",
                               R"($\text{\foo}$)",
                               R"($\text{a $x b}$)",
                               R"($\middle| x$)",
                               R"($\mathbb{\alpha}$)",
                               R"($\not\sum$)",
                               R"($\hspace{1parsec}$)",
                               R"($\hspace{1e9em}$)",
                               R"($\tag{\x} x$)",
                               R"($\end{matrix}$)",
                               R"($\big x$)",
                               R"($\newcommand{\a}{b}$)",
                               R"($\$)",
                               R"($$)",
                               R"($ $)",
                               R"(\(\))",
                               R"(\(x\])",
                               R"($$x$)",
                               R"(x)",
                               R"()",
                               R"(\[x)",
                               R"(\begin{)",
                               R"(\begin{align} x)"}) {
        QTest::addRow("%s", source) << QString::fromUtf8(source);
    }
    QTest::addRow("a control character") << inDollars(QStringLiteral("a") + QChar(1));
    QTest::addRow("half of a character") << inDollars(QString(QChar(0xD835)));
    QTest::addRow("too long") << inDollars(QString(kLongestFormula, QLatin1Char('x')));
}

void MathParserTest::refuses() {
    QFETCH(QString, source);
    QVERIFY(!parseFormula(source).has_value());
}

// While an answer grows, no part of a formula passes for the whole.
void MathParserTest::everyBeginningIsRefusedOrWhole() {
    for (const char* sample : test::kFormulaSamples) {
        const QString source = QString::fromUtf8(sample);
        for (qsizetype length = 0; length < source.size(); ++length) {
            const QString part = source.left(length);
            QVERIFY2(!parseFormula(part).has_value(), qPrintable(part));
        }
    }
}

void MathParserTest::boundsItsWork() {
    const auto nested = [](const char* open, int depth) {
        const QString opening = QString::fromUtf8(open);
        const QString closing =
            QStringLiteral("}").repeated(depth * static_cast<int>(opening.count(QLatin1Char('{'))));
        return inDollars(opening.repeated(depth) + QLatin1Char('x') + closing);
    };
    QVERIFY(parseFormula(nested("\\sqrt{", 10)).has_value());
    for (const char* open :
         {"{", "\\sqrt{", "\\frac1{", "x^{", "\\hat{", "\\text{$", "\\sqrt\\sqrt"}) {
        QVERIFY2(!parseFormula(nested(open, 600)).has_value(), open);
    }
    QVERIFY(!parseFormula(inDollars(QStringLiteral("\\left(").repeated(1000))).has_value());
    QVERIFY(!parseFormula(inDollars(QStringLiteral("\\begin{matrix}").repeated(500))).has_value());
    // Few cells of the source, many of the array.
    QString wide = QStringLiteral("\\begin{matrix}");
    wide += QStringLiteral("&").repeated(60) + QStringLiteral("\\\\ x").repeated(1000);
    QVERIFY(!parseFormula(inDollars(wide + QStringLiteral("\\end{matrix}"))).has_value());
    QVERIFY(
        !parseFormula(inDollars(QStringLiteral("x").repeated(kMostFormulaNodes + 1))).has_value());
    QVERIFY(parseFormula(inDollars(QStringLiteral("x").repeated(1000))).has_value());
}

void MathParserTest::knowsFaces() {
    const auto faceOf = [](const char* source) {
        const MathNode* node = nullptr;
        const auto tree = parseFormula(inDollars(QString::fromUtf8(source)));
        for (node = tree ? &*tree : nullptr; node != nullptr && node->kind == MathKind::Row;) {
            node = node->parts.empty() ? nullptr : &node->parts.front();
        }
        return node == nullptr ? -1 : static_cast<int>(node->face);
    };
    QCOMPARE(faceOf("x"), static_cast<int>(MathFace::Italic));
    QCOMPARE(faceOf("\\alpha"), static_cast<int>(MathFace::Italic));
    QCOMPARE(faceOf("\\Gamma"), static_cast<int>(MathFace::Upright));
    QCOMPARE(faceOf("2"), static_cast<int>(MathFace::Upright));
    QCOMPARE(faceOf("\\mathrm{d}"), static_cast<int>(MathFace::Upright));
    QCOMPARE(faceOf("\\mathbf{v}"), static_cast<int>(MathFace::Bold));
    QCOMPARE(faceOf("\\boldsymbol{v}"), static_cast<int>(MathFace::BoldItalic));
    QCOMPARE(faceOf("\\text{if}"), static_cast<int>(MathFace::Upright));
    QCOMPARE(describe(*parseFormula(QStringLiteral("$\\mathbb{R}\\mathcal{L}x$"))),
             QStringLiteral("{{ℝ} {ℒ} x}"));
    QCOMPARE(mathAlphabet(QStringLiteral("mathbb"), U'1'), char32_t{0x1D7D9});
    QCOMPARE(mathAlphabet(QStringLiteral("mathcal"), U'1'), char32_t{0});
}

void MathParserTest::spacesByClass() {
    const auto classes = [](const char* source) {
        QString letters;
        const auto tree = parseFormula(inDollars(QString::fromUtf8(source)));
        for (const MathClass cls : classesIn(tree->parts)) {
            letters += QLatin1Char("oObrtcpi"[static_cast<int>(cls)]);
        }
        return letters;
    };
    QCOMPARE(classes("a-b"), QStringLiteral("obo"));
    QCOMPARE(classes("-b"), QStringLiteral("oo"));
    QCOMPARE(classes("a=-b"), QStringLiteral("oroo"));
    QCOMPARE(classes("(-b)"), QStringLiteral("tooc"));
    QCOMPARE(classes("a+"), QStringLiteral("oo"));
    QCOMPARE(classes("a+=b"), QStringLiteral("ooro"));
    QCOMPARE(classes("\\sin x,y"), QStringLiteral("Oopo"));
    QVERIFY(mathSpace(MathClass::Ord, MathClass::Rel, false) > 0);
    QCOMPARE(mathSpace(MathClass::Ord, MathClass::Rel, true), 0.0);
    QVERIFY(mathSpace(MathClass::Ord, MathClass::Op, true) > 0);
}

void MathParserTest::knowsDisplay() {
    QVERIFY(isDisplayFormula(QStringLiteral("\\[x\\]")));
    QVERIFY(isDisplayFormula(QStringLiteral("$$x$$")));
    QVERIFY(isDisplayFormula(QStringLiteral("\\begin{align}x\\end{align}")));
    QVERIFY(!isDisplayFormula(QStringLiteral("\\(x\\)")));
    QVERIFY(!isDisplayFormula(QStringLiteral("$x$")));
    QVERIFY(isFormulaEnvironment(QStringLiteral("align*")));
    QVERIFY(!isFormulaEnvironment(QStringLiteral("document")));
}

QTEST_GUILESS_MAIN(MathParserTest)
#include "math_parser_test.moc"
