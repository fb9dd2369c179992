#include <QtTest>

#include "toolbox/line_reader.h"

using hearth::toolbox::LineReader;

class LineReaderTest : public QObject {
    Q_OBJECT

private slots:
    void lines_do_not_depend_on_pieces() {
        const std::string bytes = "one\r\ntwo\n\nfour\nrest";
        for (std::size_t step = 1; step <= bytes.size(); ++step) {
            LineReader reader(100);
            QStringList lines;
            for (std::size_t at = 0; at < bytes.size(); at += step) {
                reader.push(std::string_view(bytes).substr(at, step));
                while (const auto line = reader.next()) {
                    lines << QString::fromStdString(*line);
                }
            }
            QCOMPARE(lines, QStringList({"one", "two", "", "four"}));
        }
    }

    void a_line_of_the_limit_passes_and_a_longer_one_ends_it_all() {
        LineReader reader(4);
        reader.push("1234\n");
        QCOMPARE(reader.next().value_or(std::string()), std::string("1234"));
        reader.push("12345\nx\n");
        QVERIFY(!reader.next());
        QVERIFY(reader.is_too_long());
        reader.push("y\n");
        QVERIFY(!reader.next());
    }

    void a_line_without_an_end_is_too_long_before_its_end() {
        LineReader reader(4);
        reader.push("12345");
        QVERIFY(!reader.next());
        QVERIFY(reader.is_too_long());
    }
};

QTEST_APPLESS_MAIN(LineReaderTest)
#include "line_reader_test.moc"
