#include "markdown/markdown_renderer.h"

#include <QRandomGenerator>
#include <QtTest>

#include "markdown/formulas.h"

using namespace hearth::ui;

class MarkdownRendererTest : public QObject {
    Q_OBJECT

private slots:
    void rendersOneBlock_data();
    void rendersOneBlock();
    void leavesNothingDangerous_data();
    void leavesNothingDangerous();
    void keepsSafeLinks_data();
    void keepsSafeLinks();
    void hasBoundedOutput_data();
    void hasBoundedOutput();
    void showsWhatMarkdownSwallows();
    void rendersSeveralBlocks();
    void keepsFormulas_data();
    void keepsFormulas();
    void hidesAndRestoresAnything();
};

void MarkdownRendererTest::rendersOneBlock_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("kind");
    QTest::addColumn<QString>("html");
    QTest::addColumn<int>("level");

    QTest::addRow("paragraph") << "a **b** *c* `d` ~~e~~"
                               << "paragraph"
                               << "a <strong>b</strong> <em>c</em> <code>d</code> <s>e</s>" << 0;
    QTest::addRow("line break") << "a\nb"
                                << "paragraph"
                                << "a<br>b" << 0;
    QTest::addRow("escapes") << "1 < 2 & 3"
                             << "paragraph"
                             << "1 &lt; 2 &amp; 3" << 0;
    QTest::addRow("heading") << "### A *b*"
                             << "heading"
                             << "A <em>b</em>" << 3;
    QTest::addRow("setext") << "Title\n---"
                            << "heading"
                            << "Title" << 2;
    QTest::addRow("list") << "- a\n- b"
                          << "list"
                          << "<ul><li>a</li><li>b</li></ul>" << 0;
    QTest::addRow("nested list") << "1. a\n   - b\n2. c"
                                 << "list"
                                 << "<ol><li>a<ul><li>b</li></ul></li><li>c</li></ol>" << 0;
    QTest::addRow("list start") << "7. a"
                                << "list"
                                << "<ol start=\"7\"><li>a</li></ol>" << 0;
    const auto tasks = [](const char* name, const char* markdown, const char* html) {
        QTest::addRow("%s", name) << markdown << "list" << QString::fromUtf8(html) << 0;
    };
    tasks("tasks", "- [x] a\n- [ ] b", "<p class=\"task1\">☑ a</p><p class=\"task1\">☐ b</p>");
    tasks("tasks apart", "- [x] a\n\n- [ ] b\n\n  more",
          "<p class=\"task1\">☑ a</p><p class=\"task1\">☐ b</p><p>more</p>");
    tasks("tasks in tasks", "- [x] a\n  - [ ] b\n- [ ] c",
          "<p class=\"task1\">☑ a</p><p class=\"task2\">☐ b</p><p class=\"task1\">☐ c</p>");
    tasks("tasks among others", "1. a\n2. [ ] b\n3. c\n   - [x] d",
          "<ol><li>a</li></ol><p class=\"task1\">☐ b</p><ol start=\"3\"><li>c<p "
          "class=\"task1\">☑ d</p></li></ol>");
    tasks("a list in a task", "- [ ] a\n  - b\n\n  > c",
          "<p class=\"task1\">☐ a</p><ul><li>b</li></ul><blockquote><p>c</p></blockquote>");
    QTest::addRow("quote") << "> a\n> b"
                           << "quote"
                           << "<p>a<br>b</p>" << 0;
    QTest::addRow("table")
        << "| a | b |\n|---|--:|\n| 1 | 2 |"
        << "table"
        << "<table border=\"1\" cellspacing=\"0\" cellpadding=\"6\"><thead><tr>"
           "<th>a</th><th align=\"right\">b</th></tr></thead><tbody><tr><td>1</td>"
           "<td align=\"right\">2</td></tr></tbody></table>"
        << 0;
    QTest::addRow("table in the middle")
        << "| a | b | c |\n|:-:|:--|---|\n| 1 | 2 | 3 |"
        << "table"
        << "<table border=\"1\" cellspacing=\"0\" cellpadding=\"6\"><thead><tr>"
           "<th align=\"center\">a</th><th>b</th><th>c</th></tr></thead><tbody><tr>"
           "<td align=\"center\">1</td><td>2</td><td>3</td></tr></tbody></table>"
        << 0;
    QTest::addRow("rule") << "---"
                          << "rule"
                          << "" << 0;
    QTest::addRow("entity") << "&lt;b&gt; &#115;"
                            << "paragraph"
                            << "&lt;b&gt; s" << 0;
    QTest::addRow("code in list") << "- a\n  ```\n  x<y\n  ```"
                                  << "list"
                                  << "<ul><li>a<pre>x&lt;y\n</pre></li></ul>" << 0;
}

void MarkdownRendererTest::rendersOneBlock() {
    QFETCH(QString, source);
    QFETCH(QString, kind);
    QFETCH(QString, html);
    QFETCH(int, level);
    const QList<Block> blocks = renderMarkdown(source);
    QCOMPARE(blocks.size(), 1);
    QCOMPARE(toString(blocks.first().kind), kind);
    QCOMPARE(blocks.first().html, html);
    QCOMPARE(blocks.first().level, level);
}

void MarkdownRendererTest::leavesNothingDangerous_data() {
    QTest::addColumn<QString>("source");
    QTest::addRow("script") << "<script>alert(1)</script>";
    QTest::addRow("html block")
        << "<div onclick=\"x\">\n<img src=\"http://a.example/b.png\">\n</div>";
    QTest::addRow("inline html") << "a <img src=x onerror=y> b";
    QTest::addRow("javascript link") << "[a](javascript:alert(1))";
    QTest::addRow("javascript entity") << "[a](java&#115;cript:alert(1))";
    QTest::addRow("javascript entity of sixteen") << "[a](java&#x73;cript:alert(1))";
    QTest::addRow("javascript tab") << "[a](java&Tab;script:alert(1))";
    QTest::addRow("javascript case") << "[a](JaVaScRiPt:alert(1))";
    QTest::addRow("data link") << "[a](data:text/html;base64,AAAA)";
    QTest::addRow("file link") << "[a](file:///etc/passwd)";
    QTest::addRow("relative link") << "[a](../../x)";
    QTest::addRow("no host") << "[a](http:///x)";
    QTest::addRow("remote image") << "![a](http://tracker.example/p.png)";
    QTest::addRow("image in link") << "[![a](http://t.example/p.png)](javascript:x)";
    QTest::addRow("attribute escape") << "[a](<http://x.example/\"onclick=\"y>) <b x='";
    QTest::addRow("autolink") << "<javascript:alert(1)>";
    QTest::addRow("reference") << "[a][1]\n\n[1]: javascript:alert(1)";
}

void MarkdownRendererTest::leavesNothingDangerous() {
    QFETCH(QString, source);
    static const QRegularExpression tag(
        QStringLiteral("</?(p|br|strong|em|s|code|pre|ul|li|blockquote|h4|thead|tbody|tr)>"
                       "|<ol( start=\"\\d+\")?>|</ol>|<t[hd]( align=\"(center|right)\")?>|</t[hd]>"
                       "|<a href=\"(https?://[^/\"<> ]|mailto:)[^\"<> ]*\">|</a>"
                       "|<table border=\"1\" cellspacing=\"0\" cellpadding=\"6\">|</table>"));
    const QList<Block> blocks = renderMarkdown(source);
    QVERIFY(!blocks.isEmpty());
    for (const Block& block : blocks) {
        QString rest = block.html;
        rest.remove(tag);
        QVERIFY2(!rest.contains(QLatin1Char('<')) && !rest.contains(QLatin1Char('>')),
                 qPrintable(block.html));
        QVERIFY(!block.html.contains(QLatin1String("href=\"javascript"), Qt::CaseInsensitive));
        QVERIFY(!block.html.contains(QLatin1String("<img")));
    }
}

void MarkdownRendererTest::keepsSafeLinks_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("html");
    QTest::addRow("https") << "[a](https://x.example/b?c=1&d=2)"
                           << "<a href=\"https://x.example/b?c=1&amp;d=2\">a</a>";
    QTest::addRow("bare") << "see https://x.example/b."
                          << "see <a href=\"https://x.example/b\">https://x.example/b</a>.";
    QTest::addRow("mailto") << "[a](mailto:b@x.example)"
                            << "<a href=\"mailto:b@x.example\">a</a>";
    QTest::addRow("quote sign") << "[a](<https://x.example/\">)"
                                << "<a href=\"https://x.example/%22\">a</a>";
    QTest::addRow("image") << "![a *b*](http://x.example/c.png)"
                           << "a b";
    // Other programs know more names than this one: where such an address leads is not known.
    QTest::addRow("unknown entity") << "[a](http://x.example/&foo;b)"
                                    << "a";
    QTest::addRow("known entity") << "[a](http://x.example/?b=&quot;&amp;c)"
                                  << "<a href=\"http://x.example/?b=%22&amp;c\">a</a>";
    QTest::addRow("nameless image") << "![](http://x.example/c.png)"
                                    << "image";
    QTest::addRow("two of them") << "![](http://x.example/c.png) and ![](http://x.example/d.png)"
                                 << "image and image";
    QTest::addRow("numbers") << "[a](http://x.example/&#x41;&#66;) &#x43; &#0; &#xD800;"
                             << QString::fromUtf8(
                                    "<a href=\"http://x.example/AB\">a</a> C \uFFFD \uFFFD");
}

void MarkdownRendererTest::keepsSafeLinks() {
    QFETCH(QString, source);
    QFETCH(QString, html);
    QCOMPARE(renderMarkdown(source).value(0).html, html);
}

void MarkdownRendererTest::hasBoundedOutput_data() {
    QTest::addColumn<QString>("source");
    constexpr int kSize = 16 * 1024;
    const auto repeat = [](const char* text, int count) {
        return QString::fromLatin1(text).repeated(count);
    };
    QTest::addRow("quotes") << repeat(">", kSize) + "a";
    QTest::addRow("lists") << repeat("- ", kSize / 2) + "a";
    QTest::addRow("emphasis") << repeat("*a ", kSize / 3) + repeat("*", 100);
    QTest::addRow("nested emphasis") << repeat("*a **b ", kSize / 7) + repeat("** c*", 2000);
    QTest::addRow("brackets") << repeat("[", kSize);
    QTest::addRow("links") << repeat("[a](", kSize / 4);
    QTest::addRow("backticks") << repeat("`` ` ", kSize / 5);
    // Each short row is filled up with empty cells: a hundred for two characters.
    QTest::addRow("short rows of a wide table")
        << repeat("|a", 100) + "\n" + repeat("|---", 100) + "\n" + repeat("|\n", kSize / 2);
    // Newer parsers take no table of so many columns.
    QTest::addRow("padded table") << repeat("|a", 2700) + "\n" + repeat("|---", 2700) + "\n" +
                                         repeat("|\n", 2700);
    QTest::addRow("entities") << repeat("&#9999999;", kSize / 10);
    QTest::addRow("nul") << QString(kSize, QChar(0));
    QTest::addRow("lone surrogates") << QString(kSize, QChar(0xD800));
}

void MarkdownRendererTest::hasBoundedOutput() {
    QFETCH(QString, source);
    const QList<Block> blocks = renderMarkdown(source);
    QVERIFY(!blocks.isEmpty());
    qsizetype size = 0;
    for (const Block& block : blocks) {
        size += block.html.size() + block.code.size();
        QVERIFY(block.html.count(QLatin1String("<blockquote>")) <= 12);
        QVERIFY(block.html.count(QLatin1String("<ul>")) <= 12);
    }
    QVERIFY2(size <= 128 * 1024 + 16 * source.size(), qPrintable(QString::number(size)));
}

void MarkdownRendererTest::showsWhatMarkdownSwallows() {
    const QList<Block> blocks = renderMarkdown(QStringLiteral("[a]: http://x.example"));
    QCOMPARE(blocks.size(), 1);
    QCOMPARE(blocks.first().html, QStringLiteral("[a]: http://x.example"));
    QVERIFY(renderMarkdown(QStringLiteral(" \n\t\n")).isEmpty());
}

void MarkdownRendererTest::rendersSeveralBlocks() {
    const QList<Block> blocks =
        renderMarkdown(QStringLiteral("# A\n\nb\n\n    code\n      more\n\n***\n"));
    QCOMPARE(blocks.size(), 4);
    QVERIFY(blocks.at(2).kind == BlockKind::Code);
    QCOMPARE(blocks.at(2).code, QStringLiteral("code\n  more"));
    QVERIFY(blocks.at(3).kind == BlockKind::Rule);
}

void MarkdownRendererTest::keepsFormulas_data() {
    QTest::addColumn<QString>("source");
    QTest::addColumn<QString>("html");
    QTest::addRow("round") << R"(so \(a_1 \foo{} * b_2 * c\, d\) is)"
                           << R"(so <code>\(a_1 \foo{} * b_2 * c\, d\)</code> is)";
    QTest::addRow("square") << R"(so \[ x^* < \foo{y} \] is)"
                            << R"(so <code>\[ x^* &lt; \foo{y} \]</code> is)";
    QTest::addRow("two lines") << "so \\[\na \\\\[2pt]\n- b\\] is"
                               << "so <code>\\[<br>a \\\\[2pt]<br>- b\\]</code> is";
    QTest::addRow("dollars")
        << R"(mass $m_0\,\foo^2$, and $$E_k = \bar{1}{2$$ too)"
        << R"(mass <code>$m_0\,\foo^2$</code>, and <code>$$E_k = \bar{1}{2$$</code> too)";
    QTest::addRow("environment") << R"(\begin{pmatrix}a_1 & b_1\end{pmatrix})"
                                 << R"(<code>\begin{pmatrix}a_1 &amp; b_1\end{pmatrix}</code>)";
    QTest::addRow("money") << "from $5 to *$10*, or $HOME/$USER"
                           << "from $5 to <em>$10</em>, or $HOME/$USER";
    for (const char* none :
         {"$5 and $6", "it costs $5 or 6$", "US$ and A$", "$HOME and $PATH", "$HOME$", "a$b$c",
          "$5, or $7.", "$ x $", "$a or b$", "$$", "$5-$10", "pay $100/month or $1000/year"}) {
        QTest::addRow("%s", none) << none << none;
    }
    QTest::addRow("short") << "$x$, $f(x)$, $10$ and $a + b > 0$."
                           << "<span title=\"0:$x$\"><i>x</i></span>, "
                              "<span title=\"1:$f(x)$\"><i>f</i>(<i>x</i>)</span>, "
                              "<span title=\"2:$10$\">10</span> and "
                              "<span title=\"3:$a + b &gt; 0$\"><i>a</i>\u00a0+ <i>b</i>\u00a0&gt; "
                              "0</span>.";
    QTest::addRow("spaces") << R"(a\,b\;c \(not closed)"
                            << R"(a\,b\;c \(not closed)";
    QTest::addRow("escapes") << R"(\*a\* \[b 1\. \![c](x))"
                             << "*a* [b 1. !c";
    QTest::addRow("code") << R"(`\(a\)` and `` \,` ``)"
                          << R"(<code>\(a\)</code> and <code>\,`</code>)";
    QTest::addRow("marks in the source")
        << QString(QChar(0xFDD0)) + QStringLiteral("0") + QChar(0xFDD1) +
               QStringLiteral(" \\(\\x\\)")
        << QString(QChar(0xFFFD)) + QStringLiteral("0") + QChar(0xFFFD) +
               QStringLiteral(" <code>\\(\\x\\)</code>");
    QTest::addRow("drawn") << R"(so \(a_1\), $x<2y$ and $\alpha$)"
                           << "so <span title=\"0:\\(a_1\\)\"><i>a</i><sub>1</sub></span>, "
                              "<span title=\"1:$x&lt;2y$\"><i>x</i>\u00a0&lt; 2<i>y</i></span> and "
                              "<span title=\"2:$\\alpha$\"><i>α</i></span>";
    QTest::addRow("quotes in the source")
        << "\\(\\text{\"<&}\\)"
        << "<span title=\"0:\\(\\text{&quot;&lt;&amp;}\\)\">&quot;&lt;&amp;</span>";
    QTest::addRow("in emphasis") << R"(*so \(a\)*)"
                                 << "<em>so <span title=\"0:\\(a\\)\"><i>a</i></span></em>";
    QTest::addRow("after one without an end")
        << R"(\begin{a} \begin{a}\begin{pmatrix}x_1\end{pmatrix})"
        << R"(\begin{a} \begin{a}<code>\begin{pmatrix}x_1\end{pmatrix}</code>)";
    QTest::addRow("not over a blank line") << "\\(a"
                                           << "\\(a";
}

void MarkdownRendererTest::keepsFormulas() {
    QFETCH(QString, source);
    QFETCH(QString, html);
    const QList<Block> blocks = renderMarkdown(source);
    QCOMPARE(blocks.size(), 1);
    QCOMPARE(blocks.first().html, html);
}

// Whatever the parser does with a marked text, nothing of the source is lost on the way.
void MarkdownRendererTest::hidesAndRestoresAnything() {
    QRandomGenerator random(7);
    const QStringList words = {"\\(", "\\)", "\\[", "\\]",        "$",       "$$", "`",
                               "``",  "\\",  "\n",  "\n\n",       "a_1",     "5",  "\\,",
                               " ",   "{",   "}",   "\\begin{a}", "\\end{a}"};
    for (int round = 0; round < 20'000; ++round) {
        QString text;
        for (int i = random.bounded(12); i >= 0; --i) {
            text += words.at(random.bounded(static_cast<int>(words.size())));
        }
        Formulas formulas;
        const QString marked = formulas.hide(text);
        QCOMPARE(formulas.source(marked), text);
    }
    // Openings without an end are not searched for again and again.
    Formulas formulas;
    const QString many = QStringLiteral("\\([").repeated(500'000);
    QCOMPARE(formulas.source(formulas.hide(many)), many);
    QString environments = QStringLiteral("\\begin{a}").repeated(200'000);
    for (int i = 0; i < 200'000; ++i) {
        environments += QStringLiteral("\\begin{%1}").arg(i);
    }
    Formulas others;
    QCOMPARE(others.source(others.hide(environments)), environments);
}

QTEST_GUILESS_MAIN(MarkdownRendererTest)
#include "markdown_renderer_test.moc"
