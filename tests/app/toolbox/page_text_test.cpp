#include <QtTest>

#include "toolbox/page_text.h"

using hearth::toolbox::page_text;

class PageTextTest : public QObject {
    Q_OBJECT

private slots:
    void pages_data() {
        QTest::addColumn<QByteArray>("html");
        QTest::addColumn<QByteArray>("wanted");
        const auto row = [](const char* html, const char* wanted) {
            QTest::newRow(html) << QByteArray(html) << QByteArray(wanted);
        };
        row("<html><head><title>T</title><style>p{}</style></head><body><p>one<p>two  <b>x</b>",
            "T\none\ntwo x");
        row("a<script>if (1 < 2) {}</script>b", "ab");
        row("a<SCRIPT>x</Script >b<script>", "ab");
        row("a<!-- <p> -->b<!-- open", "ab");
        row("1 < 2 && 3 &lt; 4 &amp;amp; &#233;&#xE9; &nope; &#xD800;",
            "1 < 2 && 3 < 4 &amp; éé &nope; \xEF\xBF\xBD");
        row("<a href=\"x\">link</a> text<br>line<br/><br>next", "link text\nline\nnext");
        row("plain\n  text ", "plain text");
        row("<", "<");
        row("a<b", "a");
        row("x&nbsp;y", "x y");
    }

    void pages() {
        QFETCH(QByteArray, html);
        QTEST(QByteArray::fromStdString(page_text(html.toStdString())), "wanted");
    }
};

QTEST_APPLESS_MAIN(PageTextTest)
#include "page_text_test.moc"
