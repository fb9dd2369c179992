#include "documents/svg_source.h"

#include <QXmlStreamReader>
#include <QtTest>

using namespace hearth::ui;

class SvgSourceTest : public QObject {
    Q_OBJECT

private slots:
    void keeps_data();
    void keeps();
    void refuses_data();
    void refuses();
    void leavesOut_data();
    void leavesOut();
    void lengths_data();
    void lengths();
    void sizes_data();
    void sizes();
    void titles_data();
    void titles();
    void stylesStayInside_data();
    void stylesStayInside();
    void dropsAtRules_data();
    void dropsAtRules();
    void hintsAtNoMoreThanABeginning();

private:
    // The inside of a drawing, as it was written anew.
    static QString inside(const SvgSource& source) {
        const QString svg = QString::fromUtf8(source.svg);
        const qsizetype begin = svg.indexOf(QLatin1Char('>')) + 1;
        return svg.mid(begin, svg.lastIndexOf(QLatin1String("</svg>")) - begin);
    }
};

void SvgSourceTest::keeps_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("kept");
    const auto row = [](const char* name, const char* inside, const char* kept) {
        QTest::addRow("%s", name)
            << QStringLiteral("<svg viewBox=\"0 0 9 9\">%1</svg>").arg(QString::fromUtf8(inside))
            << QString::fromUtf8(kept);
    };
    row("shapes", "<rect width=\"3\"></rect><g fill=\"red\"><path d=\"M0 0\"/></g>",
        "<rect width=\"3\"/><g fill=\"red\"><path d=\"M0 0\"/></g>");
    row("text", "<text x=\"1\">a &lt; <tspan>b</tspan></text>",
        "<text x=\"1\">a &lt; <tspan>b</tspan></text>");
    row("a name", "<use href=\"#a\"/>", "<use xlink:href=\"#a\"/>");
    row("the old spelling", "<use xlink:href=\" #a \"/>", "<use xlink:href=\"#a\"/>");
    row("both spellings", "<use xlink:href=\"#a\" href=\"#b\"/>", "<use xlink:href=\"#b\"/>");
    row("a gradient", "<rect fill=\"url(#g)\"/>", "<rect fill=\"url(#g)\"/>");
    row("with a prefix", "<svg:rect/>", "<rect/>");
    row("a link", "<a href=\"https://one.example\"><rect/></a>", "<g><rect/></g>");
    row("an editor's notes", "<inkscape:view><rect/></inkscape:view><g inkscape:label=\"x\"/>",
        "<g/>");
    row("what nobody sees", "<desc>d</desc><metadata><rect/></metadata><script>x</script>", "");
    row("what a click does", "<rect onclick=\"x()\" x=\"1\"/>", "<rect x=\"1\"/>");
    row("comments and instructions", "<!-- <rect/> --><?xml-stylesheet href=\"a.css\"?><g/>",
        "<g/>");
    row("a style", "<style><![CDATA[.a{fill:red}]]></style><g class=\"a\"/>",
        "<style type=\"text/css\">.a{fill:red} </style><g class=\"a\"/>");
    row("animated", "<style>/* @ */@keyframes k { from { x:1 } } .a{fill:red}</style>",
        "<style type=\"text/css\">  .a{fill:red} </style>");
    row("another script", "<text>字 &#x1F600;</text>", "<text>字 😀</text>");
    QTest::addRow("a colour of the ground")
        << "<svg width=\"4\" height=\"2\" style=\"margin:0; background: #123\"><g/></svg>"
        << "<rect x=\"0\" y=\"0\" width=\"4\" height=\"2\" fill=\"#123\" stroke=\"none\"/>"
           "<g/>";
    QTest::addRow("a declaration, a type, and white space")
        << "\n <?xml version=\"1.0\" encoding=\"UTF-16\"?>\n<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG "
           "1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n<svg><g/></svg>\n"
        << "<g/>";
}

void SvgSourceTest::keeps() {
    QFETCH(QString, source);
    QFETCH(QString, kept);
    const auto clean = cleanSvg(source);
    QVERIFY(clean);
    QCOMPARE(inside(*clean), kept);
    QVERIFY(!clean->leftOut);
    QXmlStreamReader xml(clean->svg);
    while (!xml.atEnd()) {
        xml.readNext();
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
}

void SvgSourceTest::refuses_data() {
    QTest::addColumn<QString>("source");
    QTest::addRow("nothing") << "";
    QTest::addRow("words") << "a drawing";
    QTest::addRow("another root") << "<html><svg/></html>";
    QTest::addRow("not ended") << "<svg><g></svg>";
    QTest::addRow("cut") << "<svg><g><path d=\"M0";
    QTest::addRow("two") << "<svg/><svg/>";
    QTest::addRow("an entity") << "<!DOCTYPE svg [<!ENTITY a \"b\">]><svg><text>&a;</text></svg>";
    QTest::addRow("a file as an entity")
        << "<!DOCTYPE svg [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><svg><text>&a;</text></svg>";
    QTest::addRow("an entity of nobody") << "<!DOCTYPE svg><svg><text>&nbsp;</text></svg>";
    QTest::addRow("twice the same") << "<svg><rect x=\"1\" x=\"2\"/></svg>";
    QTest::addRow("too long") << QStringLiteral("<svg><!--%1--></svg>")
                                     .arg(QString(kMostSvgCharacters, QLatin1Char('x')));
    const QString g = QStringLiteral("<g>").repeated(kDeepestSvg);
    QTest::addRow("too deep")
        << QStringLiteral("<svg>%1%2</svg>").arg(g, QStringLiteral("</g>").repeated(kDeepestSvg));
    QTest::addRow("deep where it is left out")
        << QStringLiteral("<svg><mask>%1%2</mask></svg>")
               .arg(g, QStringLiteral("</g>").repeated(kDeepestSvg));
}

void SvgSourceTest::refuses() {
    QFETCH(QString, source);
    QVERIFY(!cleanSvg(source));
    // Something that is right is taken behind it.
    QVERIFY(cleanSvg(QStringLiteral("<svg>%1%2</svg>")
                         .arg(QStringLiteral("<g>").repeated(kDeepestSvg - 1),
                              QStringLiteral("</g>").repeated(kDeepestSvg - 1))));
}

void SvgSourceTest::leavesOut_data() {
    QTest::addColumn<QString>("part");
    QTest::addColumn<QString>("kept");
    for (const char* address :
         {"file:///etc/passwd", "/etc/passwd", "a.svg#b", "https://one.example/a.png",
          "data:image/png;base64,AAAA", "", "#", "#a/../b", "# a", "\\#a"}) {
        QTest::addRow("use %s", address)
            << QStringLiteral("<use href=\"%1\"/>").arg(QLatin1String(address)) << "<use/>";
        QTest::addRow("image %s", address)
            << QStringLiteral("<image xlink:href=\"%1\"/>").arg(QLatin1String(address)) << "";
    }
    QTest::addRow("an image by name") << "<image href=\"#a\"/>"
                                      << "";
    for (const char* element : {"foreignObject", "clipPath", "mask", "filter", "marker", "pattern",
                                "symbol", "svg", "animate", "textPath", "font-face"}) {
        QTest::addRow("%s", element)
            << QStringLiteral("<%1><rect href=\"x\"/></%1><g/>").arg(QLatin1String(element))
            << "<g/>";
    }
    for (const char* attribute :
         {"fill=\"url(a.svg#b)\"", "fill=\"URL ( 'http://a/#b')\"", "style=\"fill:url(a)\"",
          "style=\"fill:u\\72l(a)\"", "style=\"a/**/:b\"", "filter=\"url(#f)\"", "mask=\"url(#m)\"",
          "clip-path=\"url(#c)\"", "marker-end=\"url(#m)\""}) {
        QTest::addRow("%s", attribute)
            << QStringLiteral("<rect %1 x=\"1\"/>").arg(QLatin1String(attribute))
            << "<rect x=\"1\"/>";
    }
    for (const char* css :
         {".a{fill:url(a.svg)}", ".a{fill:u@x;rl(a)}", "\\75rl(a)", "/@x;* .a{fill:red}"}) {
        QTest::addRow("style %s", css)
            << QStringLiteral("<style>%1</style>").arg(QLatin1String(css))
            << "<style type=\"text/css\"/>";
    }
}

void SvgSourceTest::leavesOut() {
    QFETCH(QString, part);
    QFETCH(QString, kept);
    const auto clean = cleanSvg(QStringLiteral("<svg>%1</svg>").arg(part));
    QVERIFY(clean);
    QCOMPARE(inside(*clean), kept);
    QVERIFY(clean->leftOut);
}

void SvgSourceTest::lengths_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<double>("pixels");  // 0: none
    const auto row = [](const char* text, double pixels) {
        QTest::addRow("%s", text) << QString::fromLatin1(text) << pixels;
    };
    row("12", 12);
    row(" 12.5px ", 12.5);
    row(".5", .5);
    row("1e2", 100);
    row("72pt", 96);
    row("2.54cm", 96);
    row("25.4mm", 96);
    row("1in", 96);
    row("2em", 32);
    for (const char* none : {"", "px", "-1", "0", "50%", "auto", "nan", "inf", "1e999", "1e308in",
                             "1 2", "12apples", "0x10", "1,5"}) {
        row(none, 0);
    }
}

void SvgSourceTest::lengths() {
    QFETCH(QString, text);
    QFETCH(double, pixels);
    const auto length = svgLength(text);
    QCOMPARE(length.has_value(), pixels > 0);
    QVERIFY(!length || qFuzzyCompare(*length, pixels));
}

void SvgSourceTest::sizes_data() {
    QTest::addColumn<QString>("root");
    QTest::addColumn<QSizeF>("size");
    QTest::addColumn<QString>("viewBox");
    const auto row = [](const char* root, QSizeF size, const char* box) {
        QTest::addRow("%s", root) << QString::fromLatin1(root) << size << QString::fromLatin1(box);
    };
    row("", {}, "");
    row("width='40' height='20'", {40, 20}, "0 0 40 20");
    row("width='40' height='20' viewBox='1 2 3 4'", {40, 20}, "1 2 3 4");
    row("viewBox='0 0 600 300'", {600, 300}, "0 0 600 300");
    row("viewBox='0,0 , 24\n12'", {300, 150}, "0 0 24 12");
    row("width='100%' viewBox='0 0 24 48'", {150, 300}, "0 0 24 48");
    row("width='12' viewBox='0 0 24 48'", {12, 24}, "0 0 24 48");
    row("height='12' viewBox='0 0 24 48'", {6, 12}, "0 0 24 48");
    row("width='40'", {}, "");
    row("width='nan' height='inf'", {}, "");
    row("viewBox='0 0 nan 4'", {}, "");
    row("viewBox='0 0 -3 4'", {}, "");
    row("viewBox='0 0 0 4'", {}, "");
    row("viewBox='0 0 4'", {}, "");
    row("viewBox='0 0 1e9 1e9'", {1e9, 1e9}, "0 0 1000000000 1000000000");
    row("width='1e300' viewBox='0 0 1e-300 1'", {}, "0 0 1e-300 1");
}

void SvgSourceTest::sizes() {
    QFETCH(QString, root);
    QFETCH(QSizeF, size);
    QFETCH(QString, viewBox);
    const QString source = QStringLiteral("<svg %1/>").arg(root);
    const auto clean = cleanSvg(source);
    QVERIFY(clean);
    QCOMPARE(clean->size, size);
    QCOMPARE(svgSizeHint(source), size);
    QXmlStreamReader xml(clean->svg);
    QVERIFY(xml.readNextStartElement());
    QCOMPARE(xml.attributes().value(QLatin1String("viewBox")).toString(), viewBox);
    QVERIFY(!xml.attributes().hasAttribute(QLatin1String("width")));
}

void SvgSourceTest::titles_data() {
    QTest::addColumn<QString>("inside");
    QTest::addColumn<QString>("title");
    QTest::addRow("none") << "<g/>"
                          << "";
    QTest::addRow("one") << "<title> A\n house </title>"
                         << "A house";
    QTest::addRow("with elements") << "<title>A <tspan>red</tspan> house</title>"
                                   << "A red house";
    QTest::addRow("the first") << "<title>A</title><title>B</title>"
                               << "A";
    QTest::addRow("of a part") << "<g><title>A</title></g>"
                               << "";
    QTest::addRow("behind a part") << "<mask><title>A</title></mask><title>B</title>"
                                   << "B";
    QTest::addRow("long") << QStringLiteral("<title>%1</title>").arg(QString(999, QLatin1Char('x')))
                          << QString(200, QLatin1Char('x'));
}

void SvgSourceTest::titles() {
    QFETCH(QString, inside);
    QFETCH(QString, title);
    const auto clean = cleanSvg(QStringLiteral("<svg>%1</svg>").arg(inside));
    QVERIFY(clean);
    QCOMPARE(clean->title, title);
}

void SvgSourceTest::stylesStayInside_data() {
    QTest::addColumn<QString>("value");
    QTest::addColumn<bool>("stays");
    for (const char* stays : {"", "red", "url(#a)", "url( #a )", "url('#a')", "url( \"#a\" ) none",
                              "curl 3", "rotate(30)", "M0 0 L1 1"}) {
        QTest::addRow("%s", stays) << QString::fromLatin1(stays) << true;
    }
    for (const char* leaves : {"url(a)", "url()", "url", "url(#a) url(b)", "URL(a#b)",
                               "url\t(\n'a#b')", "url('' #a)", "@import 'a'", "\\", "/* */"}) {
        QTest::addRow("%s", leaves) << QString::fromLatin1(leaves) << (qstrcmp(leaves, "url") == 0);
    }
}

void SvgSourceTest::stylesStayInside() {
    QFETCH(QString, value);
    QFETCH(bool, stays);
    QCOMPARE(staysInDrawing(value), stays);
}

void SvgSourceTest::dropsAtRules_data() {
    QTest::addColumn<QString>("css");
    QTest::addColumn<QString>("bare");
    QTest::addRow("none") << "a{b:c}"
                          << "a{b:c} ";
    QTest::addRow("import") << "@import url(a);a{b:c}"
                            << "a{b:c} ";
    QTest::addRow("nested") << "@media x{a{b:c}d{e:f}}g{h:i}"
                            << "g{h:i} ";
    QTest::addRow("not ended") << "a{b:c}@media x{a{"
                               << "a{b:c}";
    QTest::addRow("a semicolon within") << "@font-face{a:b;c:d}e{f:g}"
                                        << "e{f:g} ";
    QTest::addRow("a comment") << "a/*@import*/{b:c}"
                               << "a {b:c} ";
    QTest::addRow("a comment in a rule") << "@media x{/*}*/a{b:c}}d{e:f}"
                                         << "d{e:f} ";
    QTest::addRow("a comment not ended") << "a{b:c}/*d"
                                         << "a{b:c} ";
    QTest::addRow("a brace too many") << "@a}b{c:d}"
                                      << "b{c:d} ";
}

void SvgSourceTest::dropsAtRules() {
    QFETCH(QString, css);
    QFETCH(QString, bare);
    QCOMPARE(withoutAtRules(css), bare);
}

void SvgSourceTest::hintsAtNoMoreThanABeginning() {
    const QString root = QStringLiteral("<svg width='4' height='2'>");
    QCOMPARE(svgSizeHint(root), QSizeF(4, 2));  // the rest may still come
    QCOMPARE(svgSizeHint(QStringLiteral("<!DOCTYPE svg>") + root), QSizeF(4, 2));
    QVERIFY(svgSizeHint(QStringLiteral("<!DOCTYPE svg [<!ENTITY a 'b'>]>") + root).isEmpty());
    QVERIFY(svgSizeHint(QStringLiteral("no drawing")).isEmpty());
    QVERIFY(svgSizeHint(QStringLiteral("<!--%1-->").arg(QString(9999, QLatin1Char('x'))) + root)
                .isEmpty());
}

QTEST_GUILESS_MAIN(SvgSourceTest)
#include "svg_source_test.moc"
