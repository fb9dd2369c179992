#include "grammar/json_value.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QtTest>

using hearth::JsonValue;

class JsonValueTest : public QObject {
    Q_OBJECT

private slots:
    // A value that is read and written again is the same for Qt's reader.
    void values_come_back_data() {
        QTest::addColumn<QByteArray>("text");
        for (const char* text :
             {"null", "true", "false", "0", "-0", "12", "-1.5e3", "1E-2", "\"\"",
              "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\"",
              "\"\xC3\xA9\xF0\x9F\x98\x80\"", "[]", "[1, [2, {\"a\": []}]]", "{}",
              " { \"b\" : 1 , \"a\" : { \"\" : null } , \"\\u0061b\" : [ ] } \n", "\"\\u0001\""}) {
            QTest::newRow(text) << QByteArray(text);
        }
    }
    void values_come_back() {
        QFETCH(QByteArray, text);
        const auto value = hearth::parse_json(text.toStdString(), "json");
        QVERIFY2(value, value ? "" : value.error().message.c_str());
        const QByteArray written = QByteArray::fromStdString(hearth::json_text(*value));
        const auto in_array = [](const QByteArray& one) {
            return QJsonDocument::fromJson("[" + one + "]").array();
        };
        QCOMPARE(in_array(written), in_array(text));
        QCOMPARE(in_array(written).size(), 1);
        QVERIFY(*hearth::parse_json(written.toStdString(), "json") == *value);
    }

    void members_keep_their_order() {
        const auto value = hearth::parse_json("{\"b\":1,\"a\":2,\"c\":3}", "json");
        QVERIFY(value);
        QCOMPARE(hearth::json_text(*value), std::string("{\"b\":1,\"a\":2,\"c\":3}"));
        QCOMPARE(value->find("a")->whole(), std::optional<long long>(2));
        QVERIFY(value->find("d") == nullptr);
        QVERIFY(*value == *hearth::parse_json("{\"a\":2.0,\"c\":3,\"b\":1e0}", "json"));
        QVERIFY(!(*value == *hearth::parse_json("{\"a\":2,\"c\":3}", "json")));
    }

    void a_mistake_is_named_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("message");
        const auto row = [](const QByteArray& text, const char* message) {
            QTest::newRow((text.left(30) + ": " + message).constData()) << text << QString(message);
        };
        row("", "line 1, column 1: a value is missing");
        row("{", "line 1, column 2: the object is never closed");
        row("{\"a\":1", "line 1, column 1: this { is never closed");
        row("[1,\n 2", "line 1, column 1: this [ is never closed");
        row("[1,\n2 3]", "line 2, column 3: , is missing");
        row("{1:2}", "line 1, column 2: a member's name in quotes is missing");
        row("{\"a\" 1}", "line 1, column 6: : is missing after the member's name");
        row("{\"a\":1,\n\"a\":2}", "line 2, column 1: member \"a\" stands twice");
        row("{\"a\":1,}", "line 1, column 8: a member's name in quotes is missing");
        row("[1,]", "line 1, column 4: this is no JSON value");
        row("nul", "line 1, column 1: this is no JSON value");
        row("01", "line 1, column 2: more text after the value");
        row("1.", "line 1, column 1: this is no number");
        row("-", "line 1, column 1: this is no number");
        row("1e+", "line 1, column 1: this is no number");
        row("\"a", "line 1, column 1: this \" is never closed");
        row("\"\xC3\xA4\n\"", "line 1, column 3: a control character in a string");
        row("\"\\x\"", "line 1, column 2: an unknown escape");
        row("\"\\u12g4\"", "line 1, column 2: \\u wants 4 hexadecimal digits");
        row("\"\\u12", "line 1, column 2: \\u wants 4 hexadecimal digits");
        row("\"\\ud800\"", "line 1, column 2: half a surrogate pair");
        row("\"\\udc00\"", "line 1, column 2: half a surrogate pair");
        row("\"\\ud800\\u0041\"", "line 1, column 2: half a surrogate pair");
        row("\"\xFF\"", "line 1, column 2: bytes that are not UTF-8");
        row("true false", "line 1, column 6: more text after the value");
        row(QByteArray(70, '['), "line 1, column 66: nested deeper than 64");
        row(QByteArray(600000, ' '),
            "line 1, column 1: has 600000 bytes, at most 524288 are possible");
    }
    void a_mistake_is_named() {
        QFETCH(QByteArray, text);
        QFETCH(QString, message);
        const auto value = hearth::parse_json(text.toStdString(), "json_schema");
        QVERIFY(!value);
        QVERIFY(value.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(value.error().field, std::string("json_schema"));
        QCOMPARE(QString::fromStdString(value.error().message), "json_schema: " + message);
    }
};

QTEST_GUILESS_MAIN(JsonValueTest)
#include "json_value_test.moc"
