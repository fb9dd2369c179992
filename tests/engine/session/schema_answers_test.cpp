// A model with random weights answers at temperature 1, each time under a schema: all parse, and
// obey it. The engine is asked as a program asks it.
#include <QtTest>

#include "engine/grammar/schema_check.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

namespace hearth {

class SchemaAnswersTest : public QObject {
    Q_OBJECT

    test::TempDir folder_;
    std::unique_ptr<Engine> engine_;

private slots:
    void initTestCase() {
        const std::string path = folder_.file("tiny.gguf");
        QVERIFY(test::TinyModel({.n_ctx = 1024}).write(path));
        EngineOptions options = test::small_engine(path);
        options.n_ctx = 1024;
        engine_ = test::load_or_say(options);
        QVERIFY(engine_ != nullptr);
    }

    void twoHundredAnswersParse() {
        const QByteArray schemas[] = {
            R"({"type":"object","properties":{"name":{"type":"string","minLength":1,"maxLength":8},
               "age":{"type":"integer","minimum":0,"maximum":150},
               "tags":{"type":"array","items":{"enum":["a","b","c d"]},"maxItems":3}},
               "required":["name","age"],"additionalProperties":false})",
            R"({"anyOf":[{"type":"object","properties":{"kind":{"const":"circle"},
               "r":{"type":"number"}},"required":["kind","r"]},{"type":"object","properties":{
               "kind":{"const":"square"},"a":{"type":"number"}},"required":["kind","a"]}]})",
            R"({"type":"array","items":{"$ref":"#/$defs/p"},"minItems":1,"maxItems":4,
               "$defs":{"p":{"type":"array","prefixItems":[{"type":"integer"},{"type":"boolean"}],
               "items":false,"minItems":2,"maxItems":2}}})",
            R"({"type":"object","properties":{"id":{"type":"string","format":"uuid"},
               "code":{"type":"string","pattern":"^[A-Z]{2}-[0-9]{3}$"},
               "day":{"type":"string","format":"date"},"note":{"type":["null","boolean"]}},
               "required":["id","code","day","note"]})"};
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const QByteArray schema = schemas[seed % std::size(schemas)];
            GenerationOptions options;
            options.sampling = {.temperature = 1, .seed = seed};
            options.json_schema = schema.toStdString();
            const ChatMessage question{"user", "abc"};
            const auto answer = engine_->chat({&question, 1}, options, {}, Cancellation());
            QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
            const QByteArray text = QByteArray::fromStdString(answer->text);
            QVERIFY2(answer->finish == FinishReason::Stop, text.constData());
            QJsonParseError fault;
            const QJsonDocument read = QJsonDocument::fromJson(text, &fault);
            QVERIFY2(fault.error == QJsonParseError::NoError, text.constData());
            const QJsonDocument wanted = QJsonDocument::fromJson(schema);
            const QJsonValue value =
                read.isArray() ? QJsonValue(read.array()) : QJsonValue(read.object());
            QVERIFY2(test::SchemaCheck(wanted.object()).holds(value), text.constData());
        }
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::SchemaAnswersTest)
#include "schema_answers_test.moc"
