// The starter model behind the local API, and requests as the clients of two companies sent them.
#include <QtTest>

#include "raw_client.h"
#include "server/local_api.h"
#include "server/turn_queue.h"
#include "support/small_engine.h"

using hearth::server::EngineModel;
using hearth::server::LocalApi;
using hearth::server::TurnQueue;
using hearth::test::RawAnswer;
using hearth::test::RawClient;

namespace {

const QByteArray kSecret = "a-secret-of-the-tests";
const QByteArray kBearer = "Authorization: Bearer " + kSecret + "\r\n";

// All that stands in a JSON value but for its texts and numbers: {"a":1,"b":[{"c":"x"}]} is
// "{a:n,b:[{c:s}]}".
QString shape_of(const QJsonValue& value) {
    if (value.isObject()) {
        QStringList members;
        const QJsonObject object = value.toObject();
        for (const QString& key : object.keys()) {
            members << key + ":" + shape_of(object[key]);
        }
        return "{" + members.join(",") + "}";
    }
    if (value.isArray()) {
        QStringList elements;
        for (const QJsonValue& element : value.toArray()) {
            elements << shape_of(element);
        }
        elements.removeDuplicates();
        return "[" + elements.join(",") + "]";
    }
    return value.isString() ? "s" : value.isDouble() ? "n" : value.isBool() ? "b" : "0";
}

// The shapes of a stream's events; those in a row that are alike count once.
QStringList shapes_of(const RawAnswer& answer) {
    QStringList shapes;
    if (!answer.body.contains("data: ")) {
        return {shape_of(answer.json())};
    }
    for (const QJsonValue& event : answer.events()) {
        const QString shape = event["type"].toString() + shape_of(event);
        if (shapes.isEmpty() || shapes.last() != shape) {
            shapes << shape;
        }
    }
    return shapes;
}

}  // namespace

class StarterApiTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<hearth::Engine> engine_;
    std::unique_ptr<EngineModel> model_;
    std::unique_ptr<TurnQueue> queue_;
    std::unique_ptr<LocalApi> api_;

    RawAnswer ask(const QByteArray& path, const QByteArray& body) const {
        return RawClient(api_->port()).ask("POST", path, body, kBearer);
    }

private slots:
    void initTestCase();
    void cleanupTestCase();
    void itAnswersAndRemembers();
    void itCallsATool();
    void itKeepsToASchema();
    void whatDoesNotFitIsRefused();
    void whoLeavesFreesTheModel();
    void recordedExchanges_data();
    void recordedExchanges();
};

void StarterApiTest::initTestCase() {
    const QDir folder(QStringLiteral(HEARTH_SOURCE_DIR "/resources/starter-model"));
    const QStringList models = folder.entryList({"*.gguf"}, QDir::Files, QDir::Name);
    QVERIFY(!models.isEmpty());
    engine_ = hearth::test::load_or_say(
        hearth::test::small_engine(folder.filePath(models.first()).toStdString()));
    QVERIFY(engine_ != nullptr);
    model_ = std::make_unique<EngineModel>(*engine_);
    queue_ = std::make_unique<TurnQueue>(32, nullptr);
    hearth::server::LocalApiOptions options;
    options.token = kSecret.toStdString();
    auto api = LocalApi::start(std::move(options), *model_, *queue_);
    QVERIFY(api);
    api_ = std::move(*api);
}

void StarterApiTest::cleanupTestCase() {
    api_.reset();
    queue_.reset();
}

void StarterApiTest::itAnswersAndRemembers() {
    const QByteArray body =
        R"({"messages":[{"role":"user","content":"What is rain?"}],"max_tokens":12,)"
        R"("temperature":0})";
    const QJsonValue first = ask("/v1/chat/completions", body).json();
    const QString text = first["choices"][0]["message"]["content"].toString();
    QVERIFY2(text.contains("Water"), qPrintable(text));
    QCOMPARE(first["choices"][0]["finish_reason"].toString(), QString("length"));
    QCOMPARE(first["usage"]["completion_tokens"].toInt(), 12);
    // The same prompt: all but its last token is known.
    const RawAnswer again = ask("/v1/chat/completions",
                                body.chopped(1) + R"(,"stream":true,)"
                                                  R"("stream_options":{"include_usage":true}})");
    QString streamed;
    for (const QJsonValue& event : again.events()) {
        streamed += event["choices"][0]["delta"]["content"].toString();
    }
    QCOMPARE(streamed, text);
    const QJsonObject usage = again.events().last()["usage"].toObject();
    QCOMPARE(usage["prompt_tokens_details"]["cached_tokens"].toInt(),
             usage["prompt_tokens"].toInt() - 1);
}

void StarterApiTest::itCallsATool() {
    const QByteArray body =
        R"({"messages":[{"role":"user","content":"Weather in Paris?"}],"max_tokens":100,)"
        R"("temperature":1,"tool_choice":"required","tools":[{"type":"function","function":)"
        R"({"name":"get_weather","parameters":{"type":"object","properties":{"city":{"$ref":)"
        R"("#/$defs/city"}},"required":["city"],"additionalProperties":false,"$defs":{"city":)"
        R"({"enum":["Paris","Rome"]}}}}}],"seed":)";
    for (int seed = 1; seed <= 3; ++seed) {
        const RawAnswer answer = ask("/v1/chat/completions", body + QByteArray::number(seed) + "}");
        const QJsonObject choice = answer.json()["choices"][0].toObject();
        QCOMPARE(choice["finish_reason"].toString(), QString("tool_calls"));
        const QJsonObject call = choice["message"]["tool_calls"][0]["function"].toObject();
        QCOMPARE(call["name"].toString(), QString("get_weather"));
        const QString city = QJsonDocument::fromJson(call["arguments"].toString().toUtf8())
                                 .object()["city"]
                                 .toString();
        QVERIFY2(city == "Paris" || city == "Rome", answer.text());
    }
}

void StarterApiTest::itKeepsToASchema() {
    const QByteArray schema =
        R"({"type":"object","properties":{"wet":{"type":"boolean"},"n":{"enum":[1,2]}},)"
        R"("required":["wet","n"],"additionalProperties":false})";
    for (int seed = 1; seed <= 3; ++seed) {
        const RawAnswer answer =
            ask("/v1/responses", R"({"input":"Is water wet?","max_output_tokens":100,"text":)"
                                 R"({"format":{"type":"json_schema","name":"x","schema":)" +
                                     schema + R"(}},"seed":)" + QByteArray::number(seed) + "}");
        const QString text = answer.json()["output"][0]["content"][0]["text"].toString();
        const QJsonObject object = QJsonDocument::fromJson(text.toUtf8()).object();
        QVERIFY2(object["wet"].isBool() && object["n"].toInt() >= 1, answer.text());
    }
}

void StarterApiTest::whatDoesNotFitIsRefused() {
    QByteArray words;
    for (int i = 0; i < 1100; ++i) {
        words += "x ";
    }
    const RawAnswer answer =
        ask("/v1/chat/completions",
            R"({"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"},)"
            R"({"role":"user","content":")" +
                words + R"("}]})");
    QCOMPARE(answer.status, 400);
    QCOMPARE(answer.json()["error"]["code"].toString(), QString("context_length_exceeded"));
    const RawAnswer schema =
        ask("/v1/chat/completions",
            R"({"messages":[{"role":"user","content":"a"}],"response_format":{"type":)"
            R"("json_schema","json_schema":{"name":"x","schema":{"type":"circle"}}}})");
    QVERIFY2(schema.status == 400, schema.text());
    QCOMPARE(schema.json()["error"]["param"].toString(), QString("json_schema"));
    itAnswersAndRemembers();
}

void StarterApiTest::whoLeavesFreesTheModel() {
    RawClient client(api_->port());
    client.send(
        RawClient::request("POST", "/v1/completions",
                           R"({"prompt":"Once","max_tokens":100000,"temperature":2,"stream":true})",
                           kBearer, api_->port()));
    QVERIFY(client.wait_for("data: "));
    client.leave();
    itAnswersAndRemembers();
}

// Recorded from the real clients (the file names their versions). All they send is
// understood, and what they got has the same members and events.
void StarterApiTest::recordedExchanges_data() {
    QFile file(QStringLiteral(HEARTH_SOURCE_DIR "/tests/data/api_exchanges.json"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QJsonArray all = QJsonDocument::fromJson(file.readAll()).array();
    QVERIFY(all.size() > 15);
    QTest::addColumn<QJsonObject>("exchange");
    for (const QJsonValue& one : all) {
        const QString name = one["client"].toString() + " " + one["what"].toString();
        QTest::newRow(qPrintable(name)) << one.toObject();
    }
}

void StarterApiTest::recordedExchanges() {
    QFETCH(QJsonObject, exchange);
    QByteArray headers =
        exchange["token"].toString() == "x-api-key" ? "X-Api-Key: " + kSecret + "\r\n" : kBearer;
    const QJsonObject sent = exchange["headers"].toObject();
    for (const QString& name : sent.keys()) {
        if (name != "content-type") {
            headers += name.toUtf8() + ": " + sent[name].toString().toUtf8() + "\r\n";
        }
    }
    const QByteArray body =
        exchange["body"].isObject()
            ? QJsonDocument(exchange["body"].toObject()).toJson(QJsonDocument::Compact)
            : QByteArray();
    const RawAnswer answer = RawClient(api_->port())
                                 .ask(exchange["method"].toString().toUtf8(),
                                      exchange["path"].toString().toUtf8(), body, headers);
    QVERIFY2(answer.status == exchange["status"].toInt(), answer.text());
    QVERIFY(answer.is_whole);
    RawAnswer recorded;
    recorded.body = exchange["answer"].toString().toUtf8();
    QCOMPARE(shapes_of(answer), shapes_of(recorded));
}

QTEST_GUILESS_MAIN(StarterApiTest)
#include "starter_api_test.moc"
