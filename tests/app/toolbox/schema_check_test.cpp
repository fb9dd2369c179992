#include <QtTest>

#include "toolbox/schema_check.h"

using hearth::server::ApiJson;
using hearth::toolbox::schema_fault;

namespace {

// @ stands for #, which moc does not get past in a raw string.
ApiJson schema_of(std::string text) {
    std::replace(text.begin(), text.end(), '@', '#');
    return ApiJson::parse(text);
}

}  // namespace

class SchemaCheckTest : public QObject {
    Q_OBJECT

private slots:
    void faults_data() {
        QTest::addColumn<QByteArray>("schema");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("wanted");
        const auto row = [](const char* schema, const char* value, const char* wanted) {
            QTest::addRow("%s for %s", value, schema)
                << QByteArray(schema) << QByteArray(value) << QByteArray(wanted);
        };
        const char* object =
            R"({"type":"object","properties":{"a":{"type":"string"},"n":{"type":"integer"}},)"
            R"("required":["a"],"additionalProperties":false})";
        row(object, R"({"a":"x"})", "");
        row(object, R"({"a":"x","n":2})", "");
        row(object, R"({"a":"x","n":2.0})", "");
        row(object, R"({"a":"x","n":2.5})",
            "arguments.n is of another kind than the tool asks for");
        row(object, R"({"a":5})", "arguments.a is of another kind than the tool asks for");
        row(object, R"({"n":1})", "arguments lacks \"a\"");
        row(object, R"({"a":"x","b":1})", "arguments.b is not known to the tool");
        row(R"({"additionalProperties":{"type":"null"}})", R"({"b":1})",
            "arguments.b is of another kind than the tool asks for");
        row(R"({"properties":{"a":{"enum":["x","y"]}}})", R"({"a":"z"})",
            "arguments.a is none of the tool's choices");
        row(R"({"properties":{"a":{"const":1}}})", R"({"a":2})",
            "arguments.a is not what the tool asks for");
        row(R"({"properties":{"a":{"type":["string","null"]}}})", R"({"a":null})", "");
        row(R"({"properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}}})", R"({"a":1})",
            "arguments.a fits none of the tool's forms");
        row(R"({"properties":{"a":{"type":"array","items":{"type":"number"},"maxItems":2}}})",
            R"({"a":[1,"x"]})", "arguments.a[1] is of another kind than the tool asks for");
        row(R"({"properties":{"a":{"items":{},"maxItems":1}}})", R"({"a":[1,2]})",
            "arguments.a is too long");
        row(R"({"properties":{"a":{"minLength":2}}})", R"({"a":"é"})", "arguments.a is too short");
        row(R"({"properties":{"a":{"minimum":2}}})", R"({"a":1})", "arguments.a is too small");
        row(R"({"properties":{"a":{"exclusiveMaximum":2}}})", R"({"a":2})",
            "arguments.a is too large");
        row(R"({"properties":{"a":{"$ref":"@/$defs/d"}},"$defs":{"d":{"type":"string"}}})",
            R"({"a":1})", "arguments.a is of another kind than the tool asks for");
        row(R"({"allOf":[{"required":["q"]}]})", "{}", "arguments lacks \"q\"");
        row(R"({"unknown":1})", R"({"a":1})", "");
    }

    void faults() {
        QFETCH(QByteArray, schema);
        QFETCH(QByteArray, value);
        QTEST(QByteArray::fromStdString(schema_fault(ApiJson::parse(value.toStdString()),
                                                     schema_of(schema.toStdString()))),
              "wanted");
    }

    void a_schema_that_refers_to_itself_ends() {
        const ApiJson schema =
            schema_of(R"({"$ref":"@/$defs/d","$defs":{"d":)"
                      R"({"anyOf":[{"$ref":"@/$defs/d"},{"$ref":"@/$defs/d"}]}}})");
        QVERIFY(schema_fault(ApiJson::object(), schema).empty());
    }
};

QTEST_APPLESS_MAIN(SchemaCheckTest)
#include "schema_check_test.moc"
