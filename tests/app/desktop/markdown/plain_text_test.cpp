// A message without its marks.
#include "markdown/plain_text.h"

#include <QtTest>

using namespace hearth::ui;

class PlainTextTest : public QObject {
    Q_OBJECT

private slots:
    void saysWhatTheMarkdownSays_data();
    void saysWhatTheMarkdownSays();
    void endsWithAnyInput();
};

void PlainTextTest::saysWhatTheMarkdownSays_data() {
    QTest::addColumn<QString>("markdown");
    QTest::addColumn<QString>("plain");
    const auto row = [](const char* markdown, const char* plain) {
        QTest::addRow("%s", plain) << QString::fromUtf8(markdown) << QString::fromUtf8(plain);
    };
    row("", "");
    row("Some **bold** and *slanted* `code`.", "Some bold and slanted code.");
    row("# Title\n\nText", "Title\n\nText");
    row("a < b && c > \"d\"", "a < b && c > \"d\"");
    row("- one\n- two\n  - *inner*\n- three", "- one\n- two\n  - inner\n- three");
    row("3. three\n4. four", "3. three\n4. four");
    row("- a\n\n  more of a\n\n- b", "- a\nmore of a\n- b");
    row("```cpp\nint a = 1 < 2;\n\n*b\n```\nafter", "int a = 1 < 2;\n\n*b\n\nafter");
    row("| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | 4 |", "a\tb\n1\t2\n3\t4");
    row("> said\n> so", "said\nso");
    row("see [this](https://x.example)", "see this");
    row("a  \nb", "a\nb");
    row("one\n\n---\n\ntwo", "one\n\n———\n\ntwo");
    row("so \\(x^2 < \\text{\"a\"} & b\\) is", "so \\(x^2 < \\text{\"a\"} & b\\) is");
    row("so $x^2 < 1$ *is*", "so $x^2 < 1$ is");
    row("a\n\n\\[\nx^2\n\\]\n\nb", "a\n\n\\[\nx^2\n\\]\n\nb");
    row("1 &lt; 2 &amp;amp; <b>raw</b>", "1 < 2 &amp; <b>raw</b>");
}

void PlainTextTest::saysWhatTheMarkdownSays() {
    QFETCH(QString, markdown);
    QFETCH(QString, plain);
    QCOMPARE(plainText(markdown), plain);
}

void PlainTextTest::endsWithAnyInput() {
    const QString deep = QString(300, QLatin1Char('>')) + QStringLiteral(" deep");
    QVERIFY(plainText(deep).contains(QLatin1String("deep")));
    QVERIFY(plainText(QStringLiteral("- ").repeated(200) + QStringLiteral("x"))
                .contains(QLatin1Char('x')));
}

QTEST_MAIN(PlainTextTest)
#include "plain_text_test.moc"
