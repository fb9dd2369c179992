// One line of markdown without its marks.
#include <QtTest>

#include "markdown/plain_line.h"

using namespace hearth::ui;

class PlainLineTest : public QObject {
    Q_OBJECT

private slots:
    void linesWithoutMarkup_data();
    void linesWithoutMarkup();
};

void PlainLineTest::linesWithoutMarkup_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("plain");
    const auto row = [](const char* line, const char* plain) {
        QTest::addRow("%s", line) << QString::fromUtf8(line) << QString::fromUtf8(plain);
    };
    row("**Bold** and `code`", "Bold and code");
    row("***both*** and ~~gone~~", "both and gone");
    row("__so__ and _so_", "so and so");
    row("[a](http://b) c", "a c");
    row("![a](b.png) c", "a c");
    row("[a](b \"title\") c", "a c");
    row("**a *b* c**", "a b c");
    row("snake_case_name", "snake_case_name");
    row("2 * 3 * 4", "2 * 3 * 4");
    row("a*b*c", "a*b*c");
    row("\\*a*", "\\*a*");
    row("[a] (b)", "[a] (b)");
    row("*a", "*a");
}

void PlainLineTest::linesWithoutMarkup() {
    QFETCH(const QString, line);
    QTEST(withoutMarkup(line), "plain");
}

QTEST_GUILESS_MAIN(PlainLineTest)
#include "plain_line_test.moc"
