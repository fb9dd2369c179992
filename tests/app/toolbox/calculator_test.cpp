#include <QtTest>

#include "toolbox/calculator.h"

using namespace hearth::toolbox;

class CalculatorTest : public QObject {
    Q_OBJECT

private slots:
    void works_out_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("wanted");
        const auto row = [](const char* text, const char* wanted) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(wanted);
        };
        row("2 + 3 * 4", "14");
        row("(2 + 3) * 4", "20");
        row("7 - 2 - 1", "4");
        row("24 / 4 / 2", "3");
        row("2 ^ 3 ^ 2", "512");
        row("-2 ^ 2", "-4");
        row("2 ^ -1", "0.5");
        row("17 % 5", "2");
        row("0.1 + 0.2", "0.3");
        row("1e3 + .5", "1000.5");
        row("123456789 * 1000001", "123456912456789");
        row("sqrt(16) + abs(-3)", "7");
        row("max(1, 5, 3) - min(4, 2)", "3");
        row("round(2.5) + floor(1.9) + ceil(1.1)", "6");
        row("log(1000) + log2(8) + ln(e)", "7");
        row("2 * pi", "6.28318530717959");
        row("--3", "3");
        row("2^1000", "1.07150860718627e+301");
    }

    void works_out() {
        QFETCH(QByteArray, text);
        const auto value = calculate(text.toStdString());
        QVERIFY2(value.has_value(), value ? "" : value.error().message.c_str());
        QTEST(QByteArray::fromStdString(number_text(*value)), "wanted");
    }

    void says_what_is_wrong_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("wanted");
        const auto row = [](const char* text, const char* wanted) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(wanted);
        };
        row("", "a number is missing (character 1)");
        row("2 +", "a number is missing (character 4)");
        row("(2", "a closing bracket is missing (character 3)");
        row("2 2", "\"2\" cannot stand here (character 3)");
        row("1 / 0", "a division by zero (character 6)");
        row("5 % 0", "a division by zero (character 6)");
        row("system(1)", "\"system\" is not known (character 7)");
        row("sqrt 4", "a bracket must follow (character 6)");
        row("sqrt(-1)", "the result is no finite number");
        row("10 ^ 400", "the result is no finite number");
        row("$", "\"$\" is no number (character 1)");
    }

    void says_what_is_wrong() {
        QFETCH(QByteArray, text);
        const auto value = calculate(text.toStdString());
        QVERIFY(!value.has_value());
        QTEST(QByteArray::fromStdString(value.error().message), "wanted");
    }

    void nests_so_deep_and_no_deeper_data() {
        QTest::addColumn<QByteArray>("open");
        QTest::addColumn<QByteArray>("close");
        QTest::newRow("brackets") << QByteArray("(") << QByteArray(")");
        QTest::newRow("functions") << QByteArray("abs(") << QByteArray(")");
        QTest::newRow("least") << QByteArray("min(") << QByteArray(")");
        QTest::newRow("powers") << QByteArray("1^") << QByteArray("");
    }

    void nests_so_deep_and_no_deeper() {
        QFETCH(QByteArray, open);
        QFETCH(QByteArray, close);
        const auto nested = [&](int depth) {
            return calculate((open.repeated(depth) + "1" + close.repeated(depth)).toStdString());
        };
        QVERIFY(nested(kMostExpressionDepth).has_value());
        QVERIFY(!nested(kMostExpressionDepth + 1).has_value());
    }

    void refuses_a_text_that_is_too_long() {
        const std::string most(kMostExpressionBytes, '1');
        QVERIFY(!calculate(most + "1").has_value());
        QVERIFY(calculate(std::string(100, '1')).has_value());
    }
};

QTEST_APPLESS_MAIN(CalculatorTest)
#include "calculator_test.moc"
