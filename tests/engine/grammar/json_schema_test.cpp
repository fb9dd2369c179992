#include "grammar/json_schema.h"

#include <QtTest>

#include "engine/grammar/grammar_fixture.h"
#include "engine/grammar/schema_check.h"

using hearth::Automaton;
using hearth::test::Verdict;

namespace {

hearth::Result<Automaton> compiled(const QByteArray& schema) {
    const auto grammar = hearth::parse_json_schema(schema.toStdString());
    return grammar ? Automaton::compile(*grammar, "json_schema")
                   : hearth::Result<Automaton>(grammar.error());
}

}  // namespace

class JsonSchemaTest : public QObject {
    Q_OBJECT

private slots:
    // yes: JSON texts of the grammar, each valid by the second check. no: texts that are not.
    void a_keyword_means_data() {
        QTest::addColumn<QByteArray>("schema");
        QTest::addColumn<QByteArrayList>("yes");
        QTest::addColumn<QByteArrayList>("no");
        const auto row = [](const char* schema, const QByteArrayList& yes,
                            const QByteArrayList& no) {
            QTest::newRow(schema) << QByteArray(schema) << yes << no;
        };
        row("{}",
            {"null", "true", "-0", "-12.5e-7", "\"\"", "\"\\u00e9\\ud83d\\ude00\\n\"", "[]",
             "[1, [2]]", "{}", "{\"a\": {\"b\": [null]}, \"c\": 1}", "[\n  1,\n  2\n]"},
            {"", "nul", "01", "1.", "+1", "\"", "\"\\ud800\"", "\"\\ude00\"", "\"\\ud83dx\"",
             "\"\n\"", "[1,]", "{\"a\"}", "{a:1}", "1 ", "[1  ,2]"});
        row("true", {"1", "[{}]"}, {""});
        row("{\"type\":\"null\"}", {"null"}, {"0", "\"null\""});
        row("{\"type\":\"boolean\"}", {"true", "false"}, {"null", "True"});
        row("{\"type\":[\"string\",\"null\"]}", {"null", "\"a\""}, {"1"});
        row("{\"type\":\"integer\"}", {"0", "-1", "1234567890123456"},
            {"1.0", "01", "1e3", "12345678901234567"});
        row("{\"type\":\"number\"}", {"0", "-1.25", "1e9", "3E+12"}, {".5", "1e100", "--1"});
        row("{\"type\":\"integer\",\"minimum\":-3,\"maximum\":12}",
            {"-3", "-1", "0", "9", "10", "12"}, {"-4", "13", "-30", "100", "-0", "00"});
        row("{\"type\":\"integer\",\"minimum\":7}", {"7", "9", "10", "1000000"}, {"6", "0", "-8"});
        row("{\"type\":\"integer\",\"maximum\":-20}", {"-20", "-21", "-99", "-100"},
            {"-19", "-2", "0", "30"});
        row("{\"type\":\"integer\",\"exclusiveMinimum\":98,\"exclusiveMaximum\":1002}",
            {"99", "100", "999", "1000", "1001"}, {"98", "1002", "9", "-99"});
        row("{\"type\":\"integer\",\"minimum\":0.5,\"maximum\":2.5}", {"1", "2"}, {"0", "3"});
        row("{\"type\":\"integer\",\"minimum\":0,\"maximum\":0}", {"0"}, {"1", "-0"});
        row("{\"minLength\":2,\"maxLength\":3,\"type\":\"string\"}",
            {"\"ab\"", "\"a\\n\\\"\"", "\"\\ud83d\\ude00\xF0\x9F\x98\x80\""},
            {"\"a\"", "\"abcd\"", "\"\""});
        row("{\"maxLength\":1}", {"\"\"", "\"a\""}, {"\"ab\"", "1"});
        row("{\"enum\":[\"a\\\"\",1,null,[2,{\"b\":true}]]}",
            {"\"a\\\"\"", "1", "null", "[2,{\"b\":true}]"}, {"2", "\"a\"", "[2]"});
        row("{\"const\":{\"a\":1},\"type\":\"object\"}", {"{\"a\":1}"}, {"{}"});
        row("{\"enum\":[1,1.5,\"a\"],\"type\":\"integer\"}", {"1"}, {"1.5", "\"a\""});
        row("{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"null\"},\"a\":{\"const\":1}}}",
            {"{}", "{\"b\":null}", "{\"a\": 1}", "{\"b\":null,\"a\":1}",
             "{\"b\": null, \"a\": 1 }"},
            {"{\"a\":1,\"b\":null}", "{\"c\":1}", "{\"b\":null,}", "{,\"a\":1}",
             "{\"a\":1,\"a\":1}"});
        row("{\"properties\":{\"a\":{},\"b\":{},\"c\":{}},\"required\":[\"b\"]}",
            {"{\"b\":1}", "{\"a\":1,\"b\":2}", "{\"b\":1,\"c\":2}", "{\"a\":1,\"b\":2,\"c\":3}"},
            {"{}", "{\"a\":1}", "{\"a\":1,\"c\":1}"});
        row("{\"properties\":{\"a\":{}},\"required\":[\"z\"]}", {"{\"z\":1}", "{\"a\":1,\"z\":[]}"},
            {"{\"a\":1}", "{}"});
        row("{\"properties\":{\"a\":{\"const\":1},\"ab\":{}},\"additionalProperties\":{\"type\":"
            "\"null\"}}",
            {"{}", "{\"a\":1}", "{\"x\":null}", "{\"a\":1,\"b\":null,\"abc\":null}", "{\"\":null}",
             "{\"aa\":null,\"ac\":null}"},
            {"{\"a\":null}", "{\"x\":1}", "{\"x\":null,\"a\":1}", "{\"\\u0061\":null}"});
        row("{\"type\":\"object\",\"additionalProperties\":{\"type\":\"integer\"}}",
            {"{}", "{\"x\":1,\"y\":2}"}, {"{\"x\":null}"});
        row("{\"type\":\"object\",\"additionalProperties\":false}", {"{}"}, {"{\"a\":1}"});
        row("{\"type\":\"object\"}", {"{}", "{\"a\":[1]}"}, {"[]"});
        row("{\"type\":\"array\",\"items\":{\"type\":\"integer\"},\"minItems\":1,\"maxItems\":3}",
            {"[1]", "[1,2]", "[1, 2, 3]"}, {"[]", "[1,2,3,4]", "[\"a\"]", "[1,]"});
        row("{\"items\":{\"const\":1}}", {"[]", "[1]", "[1,1,1,1]"}, {"[2]", "{}"});
        row("{\"type\":\"array\",\"maxItems\":0}", {"[]"}, {"[1]"});
        row("{\"type\":\"array\",\"minItems\":2}", {"[1,{}]", "[1,2,3]"}, {"[1]"});
        row("{\"prefixItems\":[{\"const\":1},{\"const\":2}]}", {"[]", "[1]", "[1,2]"},
            {"[2]", "[1,2,3]", "[1,1]"});
        row("{\"prefixItems\":[{\"const\":1},{\"const\":2}],\"items\":{\"const\":3},\"minItems\":2,"
            "\"maxItems\":4}",
            {"[1,2]", "[1,2,3]", "[1,2,3,3]"}, {"[1]", "[1,3]", "[1,2,3,3,3]"});
        row("{\"prefixItems\":[{\"const\":1},{\"const\":2}],\"minItems\":1,\"maxItems\":1}",
            {"[1]"}, {"[]", "[1,2]"});
        row("{\"prefixItems\":[{\"const\":1}],\"minItems\":3}", {"[1,null,{}]"}, {"[1,2]"});
        row("{\"prefixItems\":[{\"const\":1}],\"items\":false,\"minItems\":1}", {"[1]"},
            {"[1,1]", "[]"});
        row("{\"anyOf\":[{\"type\":\"integer\"},{\"const\":\"x\"}]}", {"3", "\"x\""}, {"null"});
        row("{\"anyOf\":[{\"minimum\":3},{\"maximum\":0}],\"type\":\"integer\"}", {"3", "0", "-7"},
            {"1", "2"});
        row("{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"string\"},{\"enum\":[null,true]}]}",
            {"1", "\"a\"", "null"}, {"false", "1.5"});
        row("{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"a\"},\"x\":{}},"
            "\"required\":[\"k\"]},\n"
            "                         "
            "{\"type\":\"object\",\"properties\":{\"k\":{\"const\":\"b\"}},\"required\":[\"k\"]}]}",
            {"{\"k\":\"a\",\"x\":1}", "{\"k\":\"b\"}"}, {"{\"k\":\"b\",\"x\":1}", "{}"});
        row("{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"x\":{}},\"required\":[\"x\"]},\n"
            "                         "
            "{\"type\":\"object\",\"properties\":{\"y\":{}},\"additionalProperties\":false}]}",
            {"{\"x\":1}", "{\"y\":1}", "{}"}, {"{\"x\":1,\"y\":1}"});
        row("{\"allOf\":[{\"type\":[\"integer\",\"null\"]},{\"type\":\"number\",\"minimum\":2},{"
            "\"maximum\":5}]}",
            {"2", "5"}, {"1", "6", "null"});
        row("{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}},\"required\":[\"a\"]},\n"
            "                         "
            "{\"properties\":{\"a\":{\"maximum\":3},\"b\":{}}}],\"type\":\"object\"}",
            {"{\"a\":3}", "{\"a\":-1,\"b\":1}"}, {"{\"a\":4}", "{\"b\":1}"});
        row("{\"allOf\":[{\"enum\":[1,2,3]},{\"enum\":[3,2]},{\"const\":2}]}", {"2"}, {"3", "1"});
        row("{\"$ref\":\"#/$defs/a~1b\",\"$defs\":{\"a/b\":{\"const\":7}}}", {"7"}, {"8"});
        row("{\"$ref\":\"#/definitions/"
            "a\",\"minimum\":3,\"definitions\":{\"a\":{\"type\":\"integer\"}}}",
            {"3"}, {"2", "null"});
        row("{\"type\":\"object\",\"properties\":{\"next\":{\"anyOf\":[{\"$ref\":\"#\"},{\"type\":"
            "\"null\"}]}},\n"
            "                \"required\":[\"next\"]}",
            {"{\"next\":null}", "{\"next\":{\"next\":{\"next\":null}}}"}, {"{}", "{\"next\":{}}"});
        row("{\"$defs\":{\"t\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
            "t\"}}},\"$ref\":\"#/$defs/t\"}",
            {"[]", "[[],[[[]]]]"}, {"[1]"});
        row("{\"items\":{\"$ref\":\"#/prefixItems/"
            "1\"},\"prefixItems\":[{},{\"const\":5}],\"minItems\":3}",
            {"[0,5,5]"}, {"[0,5,4]"});
        row("{\"type\":\"string\",\"pattern\":\"^[A-Z][a-z]{1,2}\\\\d+$\"}",
            {"\"Ab1\"", "\"Abc99\""}, {"\"ab1\"", "\"Abcd1\"", "\"Ab\""});
        row("{\"pattern\":\"b+\"}", {"\"b\"", "\"abbc\"", "\"x\\\"b\""}, {"\"ac\"", "\"\""});
        row("{\"pattern\":\"^(?:a|bc)?x*?$|^\\\"\\\\\\\\\\\\n$\"}",
            {"\"\"", "\"ax\"", "\"bcxx\"", "\"\\\"\\\\\\n\""}, {"\"abc\"", "\"xa\""});
        row("{\"pattern\":\"^[^a-c\\\\s]\\\\w\\\\W\\\\u00e9[\\\\d_-]\\\\x41.$\"}",
            {"\"dz-\xC3\xA9-A!\"", "\"\xE2\x82\xAC_ \xC3\xA9_A\\\"\""},
            {"\"az-\xC3\xA9-A!\"", "\" z-\xC3\xA9-A!\"", "\"dz-e-A!\"", "\"dz-\xC3\xA9-A\\n\""});
        row("{\"pattern\":\"^a{2}b{1,}c{0,2}$\"}", {"\"aab\"", "\"aabbcc\""},
            {"\"ab\"", "\"aabccc\""});
        row("{\"format\":\"date\"}",
            {"\"2024-02-29\"", "\"1900-12-31\"", "\"2000-02-29\"", "\"2023-04-30\""},
            {"\"2023-02-29\"", "\"1900-02-29\"", "\"2024-13-01\"", "\"2024-04-31\"",
             "\"2024-00-10\"", "\"2024-1-1\""});
        row("{\"format\":\"time\"}", {"\"00:00:00Z\"", "\"23:59:59.123+05:30\""},
            {"\"24:00:00Z\"", "\"12:60:00Z\"", "\"12:00:00\""});
        row("{\"format\":\"date-time\"}", {"\"2024-02-29T12:30:00Z\""},
            {"\"2024-02-30T12:30:00Z\""});
        row("{\"format\":\"uuid\"}", {"\"123e4567-e89b-12d3-A456-426614174000\""},
            {"\"123e4567e89b12d3a456426614174000\"", "\"g23e4567-e89b-12d3-a456-426614174000\""});
        row("{\"format\":\"ipv4\"}", {"\"0.0.0.0\"", "\"255.249.99.100\""},
            {"\"256.1.1.1\"", "\"1.2.3\"", "\"01.1.1.1\""});
        row("{\"title\":\"t\",\"description\":\"d\",\"default\":1,\"examples\":[1],\"$comment\":"
            "\"c\",\"$id\":\"x\",\n"
            "                "
            "\"$schema\":\"y\",\"deprecated\":true,\"readOnly\":true,\"writeOnly\":false,\"x-own\":"
            "1,\n"
            "                \"uniqueItems\":false,\"type\":\"null\"}",
            {"null"}, {"1"});
    }
    void a_keyword_means() {
        QFETCH(QByteArray, schema);
        QFETCH(QByteArrayList, yes);
        QFETCH(QByteArrayList, no);
        const auto automaton = compiled(schema);
        QVERIFY2(automaton, automaton ? "" : automaton.error().message.c_str());
        const auto as_json = [](const QByteArray& text) {
            const QJsonArray list = QJsonDocument::fromJson("[" + text + "]").array();
            return list.isEmpty() ? QJsonValue(QJsonValue::Undefined) : list[0];
        };
        const hearth::test::SchemaCheck check(as_json(schema));
        for (const QByteArray& text : yes) {
            QVERIFY2(hearth::test::verdict(*automaton, text.toStdString()) == Verdict::Whole,
                     text.constData());
            QVERIFY2(check.holds(as_json(text)), text.constData());
        }
        for (const QByteArray& text : no) {
            QVERIFY2(hearth::test::verdict(*automaton, text.toStdString()) != Verdict::Whole,
                     text.constData());
        }
    }

    // Every whole number around the bounds, by value.
    void integers_keep_their_bounds() {
        const std::vector<int> bounds{-1000, -999, -101, -100, -10, -9,  -1,  0,   1,
                                      9,     10,   11,   99,   100, 101, 989, 1000};
        for (const int low : bounds) {
            for (const int high : bounds) {
                if (low > high) {
                    continue;
                }
                const auto automaton =
                    compiled(QString("{\"type\":\"integer\",\"minimum\":%1,\"maximum\":%2}")
                                 .arg(low)
                                 .arg(high)
                                 .toLatin1());
                QVERIFY(automaton);
                for (int value = -1100; value <= 1100; ++value) {
                    const bool wanted = low <= value && value <= high;
                    if ((hearth::test::verdict(*automaton, std::to_string(value)) ==
                         Verdict::Whole) != wanted) {
                        QFAIL(qPrintable(QString("%1 in %2..%3").arg(value).arg(low).arg(high)));
                    }
                }
            }
        }
    }

    void a_mistake_is_named_data() {
        QTest::addColumn<QByteArray>("schema");
        QTest::addColumn<QString>("message");
        const auto row = [](const QByteArray& schema, const char* message) {
            QTest::newRow((schema.left(60) + ": " + message).constData())
                << schema << QString::fromUtf8(message);
        };
        row("{\"a\"", "line 1, column 5: : is missing after the member's name");
        row("1", "line 1, column 1: a schema is an object, true or false");
        for (const char* keyword :
             {"not", "if", "then", "else", "multipleOf", "uniqueItems", "contains", "minContains",
              "propertyNames", "patternProperties", "minProperties", "maxProperties",
              "dependentRequired", "dependentSchemas", "unevaluatedProperties", "unevaluatedItems",
              "$dynamicRef", "nullable", "maxlength"}) {
            const QByteArray text = QByteArray("{\n\"") + keyword + "\":true}";
            row(text, ("line 2, column " + std::to_string(QByteArray(keyword).size() + 4) + ": \"" +
                       keyword + "\" is not supported")
                          .c_str());
        }
        row("{\"type\":\"number\",\"minimum\":1}",
            "line 1, column 28: \"minimum\" is supported with type integer only");
        row("{\"maximum\":1}",
            "line 1, column 12: \"maximum\" is supported with type integer only");
        row("{\"type\":\"text\"}",
            "line 1, column 9: type \"text\": one of null, boolean, integer, number, string, "
            "array, "
            "object, or a list of them");
        row("{\"format\":\"email\"}",
            "line 1, column 11: format \"email\" is not supported: date, time, date-time, uuid and "
            "ipv4 are");
        row("{\"minLength\":-1}", "line 1, column 14: minLength is a whole number from 0 on");
        row("{\"maxItems\":1.5}", "line 1, column 13: maxItems is a whole number from 0 on");
        row("{\"maxLength\":100001}",
            "line 1, column 14: maxLength 100001: at most 100000 is possible");
        row("{\"minLength\":3,\"maxLength\":2}", "line 1, column 1: minLength is above maxLength");
        row("{\"minItems\":3,\"prefixItems\":[{}],\"items\":false}",
            "line 1, column 1: minItems 3, but at most 1 items are possible");
        row("{\"type\":\"integer\",\"minimum\":3,\"maximum\":2}",
            "line 1, column 1: no whole number lies from 3 to 2");
        row("{\"type\":\"integer\",\"minimum\":1e15}",
            "line 1, column 29: minimum is a number of at most 15 digits");
        row("{\"pattern\":\"a\",\"minLength\":1}",
            "line 1, column 1: pattern, format and minLength or maxLength together are not "
            "supported");
        row("{\"enum\":[\"a\"],\"minLength\":1}",
            "line 1, column 27: \"minLength\" beside enum or const is not supported");
        row("{\"enum\":1}", "line 1, column 9: enum is a list of values");
        row("{\"anyOf\":[]}", "line 1, column 10: anyOf is a list of schemas");
        row("{\"anyOf\":[{}],\"oneOf\":[{}]}",
            "line 1, column 1: anyOf beside oneOf is not supported");
        row("{\"oneOf\":[{\"type\":\"integer\"},{\"type\":\"number\"}]}",
            "line 1, column 10: oneOf: alternatives 1 and 2 may both hold; anyOf allows that");
        row("{\"oneOf\":[{\"type\":\"null\"},{\"properties\":{\"a\":{}}},{\"type\":\"object\"}]}",
            "line 1, column 10: oneOf: alternatives 1 and 2 may both hold; anyOf allows that");
        row("{\"allOf\":[{\"pattern\":\"a\"},{\"pattern\":\"b\"}]}",
            "line 1, column 1: these schemas cannot be put together: \"pattern\" in two parts of "
            "it");
        row("{\"allOf\":[{\"properties\":{\"a\":{}},\"additionalProperties\":false},{"
            "\"properties\":{\"b\":{}}}]}",
            "line 1, column 1: these schemas cannot be put together: additionalProperties beside "
            "properties that another part of it names");
        row("{\"required\":[\"b\"],\"properties\":{\"a\":{}},\"additionalProperties\":false}",
            "line 1, column 13: required names \"b\", which additionalProperties forbids");
        row("{\"required\":[1]}", "line 1, column 14: required is a list of names");
        row("{\"$ref\":\"other.json\"}",
            "line 1, column 9: $ref \"other.json\": only #, #/$defs/... and other places in this "
            "schema are possible");
        row("{\"$ref\":\"#/$defs/x\"}",
            "line 1, column 9: $ref \"#/$defs/x\": there is no such place");
        row("{\"$ref\":\"#\",\"type\":\"object\"}",
            "line 1, column 1: schemas nested deeper than 64, or a $ref beside other keywords that "
            "leads back to itself");
        for (const auto& [pattern, why] : {std::pair{"(?=a)", "(?=, which looks around or names"},
                                           {"a[]", "a set that no character is in"},
                                           {"[^\\\\s\\\\S]", "a set that no character is in"},
                                           {"(?<n>a)", "(?<, which looks around or names"},
                                           {"\\\\bа", "\\b"},
                                           {"(a)\\\\1", "\\1"},
                                           {"\\\\p{L}", "\\p"},
                                           {"a^b", "^ or $ inside of it"},
                                           {"(^a)", "^ or $ inside of it"},
                                           {"a**", "a repetition of a repetition"},
                                           {"*a", "* with nothing before it"},
                                           {"(a", "a ( that is never closed"},
                                           {"a)", "a ) without its ("},
                                           {"[a", "a [ that is never closed"},
                                           {"[z-a]", "a range without order in a set"},
                                           {"[\\\\d-z]", "a range without order in a set"},
                                           {"a{2", "a { that is no repetition"},
                                           {"a{3,2}", "a { that is no repetition"},
                                           {"a\\\\", "a \\ at its end"}}) {
            const QByteArray text = QByteArray("{\"pattern\":\"") + pattern + "\"}";
            row(text, (std::string("line 1, column 12: pattern \"") + pattern +
                       "\" is not supported: " + why)
                          .c_str());
        }
    }
    void a_mistake_is_named() {
        QFETCH(QByteArray, schema);
        QFETCH(QString, message);
        const auto automaton = compiled(schema);
        QVERIFY(!automaton);
        QVERIFY(automaton.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(automaton.error().field, std::string("json_schema"));
        QCOMPARE(QString::fromStdString(automaton.error().message), "json_schema: " + message);
    }

    void hostile_schemas_end_in_an_error_data() {
        QTest::addColumn<QByteArray>("schema");
        QTest::newRow("itself") << QByteArray("{\"$ref\":\"#\"}");
        QTest::newRow("in a circle") << QByteArray(
            "{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{\"$ref\":\"#/$defs/b\"},\"b\":{\"$ref\":\"#/"
            "$defs/a\"}}}");
        // Each doubles what the one before says.
        QByteArray doubled = "{\"$ref\":\"#/$defs/a0\",\"$defs\":{";
        for (int i = 0; i < 40; ++i) {
            const QByteArray next = "{\"$ref\":\"#/$defs/a" + QByteArray::number(i + 1) + "\"}";
            doubled +=
                "\"a" + QByteArray::number(i) + "\":{\"allOf\":[" + next + "," + next + "]},";
        }
        QTest::newRow("doubled") << doubled + "\"a40\":{\"minLength\":1}}}";
        QTest::newRow("long strings in long lists") << QByteArray(
            "{\"items\":{\"items\":{\"type\":\"array\",\"items\":{\"maxLength\":9999},\"maxItems\":"
            "9999},"
            "\"minItems\":9999},\"minItems\":9999,\"maxItems\":99999,"
            "\"prefixItems\":[{\"pattern\":\"^(((a{9999}){9999}){9999})$\"}]}");
        QByteArray names = "{\"additionalProperties\":{},\"properties\":{\"";
        QTest::newRow("a long name") << names + QByteArray(1000, 'x') + "\":{}}}";
    }
    void hostile_schemas_end_in_an_error() {
        QFETCH(QByteArray, schema);
        QVERIFY(!compiled(schema));
    }
};

QTEST_GUILESS_MAIN(JsonSchemaTest)
#include "json_schema_test.moc"
