// Text of files made fit for a terminal.
#include <QtTest>

#include "printable.h"

using hearth::cli::printable;

class PrintableTest : public QObject {
    Q_OBJECT

private slots:
    void shows_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("shown");
        const auto row = [](const char* name, const QByteArray& text, const QByteArray& shown) {
            QTest::newRow(name) << text << shown;
        };
        row("nothing", "", "");
        row("words", "a b~", "a b~");
        row("alphabets", "na\xc3\xafve \xe6\x97\xa5 \xf0\x9f\x8d\x8e",
            "na\xc3\xafve \xe6\x97\xa5 \xf0\x9f\x8d\x8e");
        row("escape sequence", "\x1b[2J\x07", "\\x1B[2J\\x07");
        row("line ends", "a\r\nb\t", "a\\x0D\\nb\\x09");
        row("zero byte", QByteArray("a\0b", 3), "a\\x00b");
        row("delete", "\x7f", "\\x7F");
        row("C1 control", "\xc2\x9b", "\\u{9B}");
        row("turned around", "\xe2\x80\xae", "\\u{202E}");
        row("isolate", "\xe2\x81\xa6", "\\u{2066}");
        row("stray bytes", "\xff\x80z", "\\xFF\\x80z");
        row("cut character", "a\xe6\x97", "a\\xE6\\x97");
        row("overlong", "\xc0\xaf", "\\xC0\\xAF");
        row("overlong of three", "\xe0\x80\xaf", "\\xE0\\x80\\xAF");
        row("surrogate", "\xed\xa0\x80", "\\xED\\xA0\\x80");
        row("beyond Unicode", "\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80");
    }
    void shows() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, shown);
        QCOMPARE(QByteArray::fromStdString(printable(text.toStdString())), shown);
    }

    void cuts_data() {
        QTest::addColumn<int>("most");
        QTest::addColumn<QByteArray>("shown");
        QTest::newRow("all of it") << 4
                                   << QByteArray(
                                          "a\xc3\xaf"
                                          "b");
        QTest::newRow("after a character") << 3 << QByteArray("a\xc3\xaf...");
        QTest::newRow("inside a character") << 2 << QByteArray("a...");
        QTest::newRow("nothing left") << 0 << QByteArray("...");
    }
    void cuts() {
        QFETCH(int, most);
        QFETCH(QByteArray, shown);
        const std::string text =
            "a\xc3\xaf"
            "b";
        QCOMPARE(QByteArray::fromStdString(printable(text, static_cast<std::size_t>(most))), shown);
    }
};

QTEST_GUILESS_MAIN(PrintableTest)
#include "printable_test.moc"
