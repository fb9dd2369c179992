// The local API over a real socket, with a model that says what the test tells it.
#include <QtTest>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <set>

#include "fake_model.h"
#include "raw_client.h"
#include "server/local_api.h"
#include "server/turn_queue.h"

using hearth::Cancellation;
using hearth::Error;
using hearth::ErrorCode;
using hearth::FinishReason;
using hearth::GenerationResult;
using hearth::PieceCallback;
using hearth::Result;
using hearth::server::AnswerRequest;
using hearth::server::LocalApi;
using hearth::server::LocalApiOptions;
using hearth::server::TurnQueue;
using hearth::test::FakeModel;
using hearth::test::RawAnswer;
using hearth::test::RawClient;

namespace {

const QByteArray kSecret = "a-secret-of-the-tests";
const QByteArray kBearer = "Authorization: Bearer " + kSecret + "\r\n";
const QByteArray kHi = R"({"messages":[{"role":"user","content":"Hi"}]})";
const QByteArray kStream = R"({"messages":[{"role":"user","content":"Hi"}],"stream":true})";

struct Serving {
    explicit Serving(LocalApiOptions options = {}, std::size_t waiting_most = 32)
        : queue(waiting_most, {}) {
        options.token = kSecret.toStdString();
        auto made = LocalApi::start(std::move(options), model, queue);
        api = made ? std::move(*made) : nullptr;
    }
    quint16 port() const { return api->port(); }
    RawAnswer ask(const QByteArray& method, const QByteArray& path, const QByteArray& body = {},
                  const QByteArray& more = {}) const {
        return RawClient(port()).ask(method, path, body, kBearer + more);
    }
    FakeModel model;
    TurnQueue queue;
    std::unique_ptr<LocalApi> api;  // last: it uses both
};

// A queue whose jobs the test does itself.
class HandQueue final : public hearth::server::AnswerQueue {
public:
    bool add(const std::string& /*client*/, std::uint64_t id, Job job) override {
        const std::lock_guard lock(mutex_);
        jobs_.emplace(id, std::move(job));
        came_.notify_all();
        return true;
    }
    bool forget(std::uint64_t id) override {
        const std::lock_guard lock(mutex_);
        return jobs_.erase(id) > 0;
    }
    void wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        came_.wait(lock, [&] { return jobs_.size() == count; });
    }
    // Precondition: a job waits.
    Job take() {
        const std::lock_guard lock(mutex_);
        return std::move(jobs_.extract(jobs_.begin()).mapped());
    }
    std::size_t waiting() {
        const std::lock_guard lock(mutex_);
        return jobs_.size();
    }

private:
    std::mutex mutex_;
    std::condition_variable came_;
    std::map<std::uint64_t, Job> jobs_;
};

// Says nothing until it is cancelled or let go.
struct Held {
    std::promise<void> entered;
    std::promise<void> opened;
    std::shared_future<void> open = opened.get_future().share();

    FakeModel::Say say() {
        return [this](const AnswerRequest&, const PieceCallback& on_piece,
                      const Cancellation& cancellation) -> Result<GenerationResult> {
            on_piece("first ");
            entered.set_value();
            while (!cancellation.requested() &&
                   open.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {}
            GenerationResult result = FakeModel::speak({"last"}, on_piece);
            if (cancellation.requested()) {
                result.finish = FinishReason::Cancelled;
            }
            return result;
        };
    }
};

}  // namespace

class LocalApiTest : public QObject {
    Q_OBJECT

private slots:
    void models();
    void wholeAnswers();
    void streams();
    void eventsAreNumbered();
    void aCallEndsTheAnswerWhereOneIsWished();
    void stopStringsAreNamed();
    void errorsOfTheModel_data();
    void errorsOfTheModel();
    void refusals_data();
    void refusals();
    void aShortTokenIsRefused();
    void theFirstPieceComesBeforeTheLast();
    void whoLeavesEndsTheAnswer();
    void whoLeavesTheQueueIsNotAnswered();
    void clientsTakeTurns();
    void aFullQueueSaysSo();
    void stopping();
    void theNextRequestOfAConnectionIsAnother();
    void theQueueGoesOnBehindTheServer();
    void noModelAnswers_data();
    void noModelAnswers();
    void theModelChangesBeforeItsTurn();
    void aStoppedAnswerIsNotAskedForAgain();
    void theTokenChanges();
    void thePortIsTaken();
    void somebodyLooksOn();
    void malformedRequests();
};

void LocalApiTest::models() {
    const Serving serving;
    QVERIFY(serving.api != nullptr);
    const RawAnswer list = serving.ask("GET", "/v1/models");
    QCOMPARE(list.status, 200);
    QCOMPARE(list.json()["data"].toArray()[0].toObject()["id"].toString(), QString("fake"));
    QCOMPARE(serving.ask("GET", "/v1/models?limit=5").status, 200);
    QCOMPARE(serving.ask("GET", "/v1/models/fake").json()["id"].toString(), QString("fake"));
    QCOMPARE(serving.ask("GET", "/v1/models/default").status, 200);
    QCOMPARE(serving.ask("GET", "/v1/models/other").status, 404);
    const RawAnswer head = serving.ask("HEAD", "/v1/models");
    QCOMPARE(head.status, 200);
    QVERIFY(head.has_header("content-length: " + QByteArray::number(list.body.size())));
}

void LocalApiTest::wholeAnswers() {
    const Serving serving;
    const QJsonValue chat = serving.ask("POST", "/v1/chat/completions", kHi).json();
    const QJsonObject choice = chat["choices"].toArray()[0].toObject();
    QCOMPARE(choice["message"].toObject()["content"].toString(), QString("You said Hi."));
    QCOMPARE(choice["finish_reason"].toString(), QString("stop"));
    const QJsonObject usage = chat["usage"].toObject();
    QCOMPARE(usage["prompt_tokens"].toInt(), 10);
    QCOMPARE(usage["completion_tokens"].toInt(), 3);
    QCOMPARE(usage["total_tokens"].toInt(), 13);
    QCOMPARE(usage["prompt_tokens_details"].toObject()["cached_tokens"].toInt(), 4);

    const QJsonValue text = serving.ask("POST", "/v1/completions", R"({"prompt":"Hi"})").json();
    QCOMPARE(text["choices"].toArray()[0].toObject()["text"].toString(), QString("You said Hi."));
    const QJsonValue response = serving.ask("POST", "/v1/responses", R"({"input":"Hi"})").json();
    QCOMPARE(response["status"].toString(), QString("completed"));
    QCOMPARE(response["output"][0]["content"][0]["text"].toString(), QString("You said Hi."));
    QCOMPARE(response["usage"].toObject()["input_tokens"].toInt(), 10);
    const QJsonValue message =
        serving
            .ask("POST", "/v1/messages",
                 R"({"max_tokens":9,"messages":[{"role":"user","content":"Hi"}]})")
            .json();
    QCOMPARE(message["content"][0]["text"].toString(), QString("You said Hi."));
    QCOMPARE(message["stop_reason"].toString(), QString("end_turn"));
    QCOMPARE(message["usage"].toObject()["input_tokens"].toInt(), 6);
    QCOMPARE(message["usage"].toObject()["cache_read_input_tokens"].toInt(), 4);
}

// Reasoning, text and a call, in the four streams.
void LocalApiTest::streams() {
    Serving serving;
    serving.model.say = [](const AnswerRequest&, const PieceCallback& on_piece,
                           const Cancellation&) -> Result<GenerationResult> {
        return FakeModel::speak(
            {"<think>\nHm", " so.", "\n</think>\n\n", "Let ", "me see.",
             "<tool_call>{\"name\":\"f\",\"arguments\":{\"a\":1}}", "</tool_call>"},
            on_piece);
    };
    const QByteArray tool = R"({"type":"function","function":{"name":"f"}})";
    const auto chat = serving.ask("POST", "/v1/chat/completions",
                                  kStream.chopped(1) +
                                      R"(,"stream_options":{"include_usage":)"
                                      R"(true},"tools":[)" +
                                      tool + "]}");
    QVERIFY2(chat.is_whole && chat.body.endsWith("data: [DONE]\n\n"), chat.text());
    QString reasoning, text, arguments, finish;
    for (const QJsonValue& event : chat.events()) {
        const QJsonObject choice = event["choices"][0].toObject();
        const QJsonObject delta = choice["delta"].toObject();
        reasoning += delta["reasoning_content"].toString();
        text += delta["content"].toString();
        const QJsonObject call = delta["tool_calls"][0].toObject();
        arguments += call["function"].toObject()["arguments"].toString();
        QVERIFY(call.isEmpty() || call["id"].toString().size() == 9);
        finish += choice["finish_reason"].toString();
    }
    QCOMPARE(reasoning, QString("Hm so."));
    QCOMPARE(text, QString("Let me see."));
    QCOMPARE(arguments, QString("{\"a\":1}"));
    QCOMPARE(finish, QString("tool_calls"));
    const QJsonObject usage = chat.events().last()["usage"].toObject();
    QCOMPARE(usage["completion_tokens_details"].toObject()["reasoning_tokens"].toInt(), 2);

    const auto message =
        serving.ask("POST", "/v1/messages",
                    R"({"max_tokens":9,"stream":true,"messages":[{"role":"user","content":)"
                    R"("Hi"}],"tools":[{"name":"f","input_schema":{}}]})");
    QStringList types;
    for (const QJsonValue& event : message.events()) {
        const QString type = event["type"].toString();
        const QString inner = event["delta"].toObject()["type"].toString() +
                              event["content_block"].toObject()["type"].toString();
        if (types.isEmpty() || !types.last().endsWith(inner) || inner.isEmpty()) {
            types << type + " " + inner;
        }
    }
    QCOMPARE(types.join(", "),
             QString("message_start , content_block_start thinking, content_block_delta "
                     "thinking_delta, content_block_stop , content_block_start text, "
                     "content_block_delta text_delta, content_block_stop , "
                     "content_block_start tool_use, content_block_delta input_json_delta, "
                     "content_block_stop , message_delta , message_stop "));
    QVERIFY(message.body.contains("event: message_stop\ndata: "));
    QVERIFY(message.body.contains(R"("stop_reason":"tool_use")"));

    const auto response =
        serving.ask("POST", "/v1/responses",
                    R"({"input":"Hi","stream":true,"tools":[{"type":"function","name":"f"}]})");
    const QList<QJsonValue> events = response.events();
    for (int i = 0; i < events.size(); ++i) {
        QCOMPARE(events[i]["sequence_number"].toInt(-1), i);
    }
    const QJsonValue last = events.last();
    QCOMPARE(last["type"].toString(), QString("response.completed"));
    const QJsonArray output = last["response"]["output"].toArray();
    QCOMPARE(output.size(), 3);
    QCOMPARE(output[0]["type"].toString(), QString("reasoning"));
    QCOMPARE(output[0]["content"][0]["text"].toString(), QString("Hm so."));
    QCOMPARE(output[1]["content"][0]["text"].toString(), QString("Let me see."));
    QCOMPARE(output[2]["type"].toString(), QString("function_call"));
    QCOMPARE(output[2]["arguments"].toString(), QString("{\"a\":1}"));

    // Continued as it stands, marks and all.
    const auto raw = serving.ask("POST", "/v1/completions", R"({"prompt":"Hi","stream":true})");
    QString all;
    for (const QJsonValue& event : raw.events()) {
        all += event["choices"][0]["text"].toString();
    }
    QVERIFY(all.startsWith("<think>\nHm so.") && all.endsWith("</tool_call>"));
}

// From the first on, whatever the answer begins with.
void LocalApiTest::eventsAreNumbered() {
    Serving serving;
    for (const char* answer :
         {"<think>Hm.</think>Yes.", "Yes.", "<tool_call>{\"name\":\"f\"}</tool_call>", ""}) {
        serving.model.say = [answer](const AnswerRequest&, const PieceCallback& on_piece,
                                     const Cancellation&) -> Result<GenerationResult> {
            return FakeModel::speak({answer}, on_piece);
        };
        const auto stream =
            serving.ask("POST", "/v1/responses",
                        R"({"input":"Hi","stream":true,"tools":[{"type":"function","name":"f"}]})");
        const QList<QJsonValue> events = stream.events();
        QVERIFY2(events.size() >= 3, stream.text());
        QCOMPARE(events[0]["type"].toString(), QString("response.created"));
        for (int i = 0; i < events.size(); ++i) {
            QCOMPARE(events[i]["sequence_number"].toInt(-1), i);
        }
    }
}

void LocalApiTest::aCallEndsTheAnswerWhereOneIsWished() {
    Serving serving;
    bool was_told = false;
    serving.model.say = [&](const AnswerRequest&, const PieceCallback& on_piece,
                            const Cancellation& cancellation) -> Result<GenerationResult> {
        const std::string call = "<tool_call>{\"name\":\"f\"}</tool_call>";
        GenerationResult result = FakeModel::speak({call}, on_piece);
        was_told = cancellation.requested();
        on_piece(call);
        result.finish = FinishReason::Cancelled;
        return result;
    };
    const auto answer =
        serving.ask("POST", "/v1/chat/completions",
                    kHi.chopped(1) + R"(,"parallel_tool_calls":false,"tools":[{"type":"function",)"
                                     R"("function":{"name":"f"}}]})");
    QVERIFY(was_told);
    const QJsonObject choice = answer.json()["choices"][0].toObject();
    QCOMPARE(choice["message"]["tool_calls"].toArray().size(), 1);
    QCOMPARE(choice["finish_reason"].toString(), QString("tool_calls"));
}

void LocalApiTest::stopStringsAreNamed() {
    Serving serving;
    serving.model.say = [](const AnswerRequest&, const PieceCallback& on_piece,
                           const Cancellation&) -> Result<GenerationResult> {
        GenerationResult result = FakeModel::speak({"One"}, on_piece);
        result.stop_string = "two";
        return result;
    };
    const QByteArray body = R"({"max_tokens":9,"messages":[{"role":"user","content":"Hi"}])";
    const QJsonValue own =
        serving.ask("POST", "/v1/messages", body + R"(,"stop_sequences":["two"]})").json();
    QCOMPARE(own["stop_reason"].toString(), QString("stop_sequence"));
    QCOMPARE(own["stop_sequence"].toString(), QString("two"));
    // The template's own stop strings are not the client's.
    const QJsonValue other = serving.ask("POST", "/v1/messages", body + "}").json();
    QCOMPARE(other["stop_reason"].toString(), QString("end_turn"));
    QVERIFY(other["stop_sequence"].isNull());
}

void LocalApiTest::errorsOfTheModel_data() {
    QTest::addColumn<int>("code");
    QTest::addColumn<int>("status");
    QTest::newRow("options") << int(ErrorCode::InvalidArgument) << 400;
    QTest::newRow("context") << int(ErrorCode::ContextFull) << 400;
    QTest::newRow("template") << int(ErrorCode::Unsupported) << 400;
    QTest::newRow("memory") << int(ErrorCode::OutOfMemory) << 500;
    QTest::newRow("device") << int(ErrorCode::DeviceLost) << 500;
}

void LocalApiTest::errorsOfTheModel() {
    QFETCH(int, code);
    QFETCH(int, status);
    Serving serving;
    const auto good = serving.model.say.now();
    const auto bad = [code](const AnswerRequest&, const PieceCallback&,
                            const Cancellation&) -> Result<GenerationResult> {
        return Error{ErrorCode(code), "so it is", "secret/path", "stop"};
    };
    for (const QByteArray& body : {kHi, kStream}) {
        serving.model.say = bad;
        const RawAnswer answer = serving.ask("POST", "/v1/chat/completions", body);
        QVERIFY2(answer.status == status, answer.text());
        QCOMPARE(answer.json()["error"]["message"].toString(), QString("so it is"));
        QVERIFY(!answer.body.contains("secret"));
        serving.model.say = good;
        QCOMPARE(serving.ask("POST", "/v1/chat/completions", body).status, 200);
    }
    // Once words are out, the stream itself says it.
    serving.model.say = [code](const AnswerRequest&, const PieceCallback& on_piece,
                               const Cancellation&) -> Result<GenerationResult> {
        on_piece("Well");
        return Error{ErrorCode(code), "so it is", "", ""};
    };
    const RawAnswer cut = serving.ask("POST", "/v1/chat/completions", kStream);
    QVERIFY2(cut.status == 200 && cut.is_whole, cut.text());
    QCOMPARE(cut.events().last()["error"]["message"].toString(), QString("so it is"));
    QVERIFY(!cut.body.contains("[DONE]"));
}

void LocalApiTest::refusals_data() {
    QTest::addColumn<QByteArray>("method");
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("headers");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<int>("status");
    const QByteArray chat = "/v1/chat/completions";
    QTest::newRow("no token") << QByteArray("POST") << chat << QByteArray() << kHi << 401;
    QTest::newRow("a wrong token")
        << QByteArray("POST") << chat << QByteArray("x-api-key: wrong\r\n") << kHi << 401;
    QTest::newRow("no token for models")
        << QByteArray("GET") << QByteArray("/v1/models") << QByteArray() << QByteArray() << 401;
    QTest::newRow("another host") << QByteArray("POST") << chat
                                  << kBearer + "Host: evil.example\r\n"
                                  << kHi << 403;
    QTest::newRow("a page elsewhere")
        << QByteArray("POST") << chat << kBearer + "Origin: https://evil.example\r\n"
        << kHi << 403;
    QTest::newRow("a page elsewhere asks whether it may")
        << QByteArray("OPTIONS") << chat << QByteArray("Origin: https://evil.example\r\n")
        << QByteArray() << 403;
    QTest::newRow("asking whether it may")
        << QByteArray("OPTIONS") << chat << QByteArray() << QByteArray() << 204;
    QTest::newRow("no such path") << QByteArray("POST") << QByteArray("/v1/embeddings") << kBearer
                                  << kHi << 404;
    QTest::newRow("root") << QByteArray("GET") << QByteArray("/") << kBearer << QByteArray() << 404;
    QTest::newRow("not this method") << QByteArray("GET") << chat << kBearer << QByteArray() << 405;
    QTest::newRow("nor this") << QByteArray("DELETE") << QByteArray("/v1/models") << kBearer
                              << QByteArray() << 405;
    QTest::newRow("no JSON") << QByteArray("POST") << chat << kBearer << QByteArray("{") << 400;
    QTest::newRow("no body") << QByteArray("POST") << chat << kBearer << QByteArray() << 400;
    QTest::newRow("another model")
        << QByteArray("POST") << chat << kBearer << kHi.chopped(1) + R"(,"model":"gpt-9"})" << 404;
    QTest::newRow("Anthropic's words")
        << QByteArray("POST") << QByteArray("/v1/messages") << kBearer << kHi << 400;
}

void LocalApiTest::refusals() {
    QFETCH(QByteArray, method);
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, headers);
    QFETCH(QByteArray, body);
    QFETCH(int, status);
    const Serving serving;
    for (int i = 0; i < 2; ++i) {
        const RawAnswer answer = RawClient(serving.port()).ask(method, path, body, headers);
        QVERIFY2(answer.status == status, answer.text());
        QVERIFY(!answer.head.toLower().contains("access-control"));
        QCOMPARE(answer.head.toLower().contains("\r\nallow: "), status == 405 || status == 204);
        if (path == "/v1/messages") {
            QCOMPARE(answer.json()["type"].toString(), QString("error"));
        } else if (status != 204) {
            QVERIFY(!answer.json()["error"]["message"].toString().isEmpty());
        }
    }
    QCOMPARE(serving.ask("POST", "/v1/chat/completions", kHi).status, 200);
}

void LocalApiTest::aShortTokenIsRefused() {
    FakeModel model;
    TurnQueue queue(1, {});
    LocalApiOptions options;
    options.token = "short";
    const auto api = LocalApi::start(std::move(options), model, queue);
    QVERIFY(!api && api.error().code == ErrorCode::InvalidArgument);
}

void LocalApiTest::theFirstPieceComesBeforeTheLast() {
    Serving serving;
    Held held;
    serving.model.say = held.say();
    RawClient client(serving.port());
    client.send(
        RawClient::request("POST", "/v1/chat/completions", kStream, kBearer, serving.port()));
    QVERIFY(client.wait_for("first "));
    held.opened.set_value();
    QVERIFY(client.wait_for("[DONE]"));
}

void LocalApiTest::whoLeavesEndsTheAnswer() {
    Serving serving;
    Held held;
    const auto good = serving.model.say.now();
    std::promise<FinishReason> ended;
    serving.model.say = [&, say = held.say()](const AnswerRequest& request,
                                              const PieceCallback& on_piece,
                                              const Cancellation& cancellation) {
        auto result = say(request, on_piece, cancellation);
        ended.set_value(result->finish);
        return result;
    };
    RawClient client(serving.port());
    client.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    held.entered.get_future().wait();
    serving.model.say = good;  // read only when the next answer begins
    client.leave();
    QCOMPARE(int(ended.get_future().get()), int(FinishReason::Cancelled));
    QCOMPARE(serving.ask("POST", "/v1/chat/completions", kHi).status, 200);
}

void LocalApiTest::whoLeavesTheQueueIsNotAnswered() {
    Serving serving;
    Held held;
    std::vector<std::string> answered;
    const auto good = serving.model.say.now();
    serving.model.say = held.say();
    RawClient first(serving.port());
    first.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    held.entered.get_future().wait();
    serving.model.say = [&](const AnswerRequest& request, const PieceCallback& on_piece,
                            const Cancellation& cancellation) {
        answered.push_back(request.messages.back().content);
        return good(request, on_piece, cancellation);
    };
    const auto body = [](const char* text) {
        return QByteArray(R"({"messages":[{"role":"user","content":")") + text + R"("}]})";
    };
    RawClient second(serving.port());
    second.send(RawClient::request("POST", "/v1/chat/completions", body("second"), kBearer,
                                   serving.port()));
    RawClient third(serving.port());
    third.send(
        RawClient::request("POST", "/v1/chat/completions", body("third"), kBearer, serving.port()));
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);  // both wait by now
    second.leave();
    while (!second.wait_for_end()) {}
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
    held.opened.set_value();
    QCOMPARE(first.read().status, 200);
    QCOMPARE(third.read().status, 200);
    QVERIFY(answered == std::vector<std::string>{"third"});
}

// A client with three requests and one with one: the one waits for a single answer.
void LocalApiTest::clientsTakeTurns() {
    Serving serving;
    Held held;
    std::vector<std::string> order;
    serving.model.say = held.say();
    RawClient first(serving.port());
    first.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    held.entered.get_future().wait();
    const auto good = FakeModel().say.now();
    serving.model.say = [&](const AnswerRequest& request, const PieceCallback& on_piece,
                            const Cancellation& cancellation) {
        order.push_back(request.messages.back().content);
        return good(request, on_piece, cancellation);
    };
    std::vector<std::unique_ptr<RawClient>> clients;
    for (const auto& [agent, text] : std::vector<std::pair<QByteArray, QByteArray>>{
             {"greedy", "g1"}, {"greedy", "g2"}, {"greedy", "g3"}, {"modest", "m1"}}) {
        clients.push_back(std::make_unique<RawClient>(serving.port()));
        clients.back()->send(
            RawClient::request("POST", "/v1/chat/completions",
                               R"({"messages":[{"role":"user","content":")" + text + R"("}]})",
                               kBearer + "User-Agent: " + agent + "\r\n", serving.port()));
        QCOMPARE(serving.ask("GET", "/v1/models").status, 200);  // it waits by now
    }
    held.opened.set_value();
    for (const auto& client : clients) {
        QCOMPARE(client->read().status, 200);
    }
    QStringList names;
    for (const std::string& name : order) {
        names << QString::fromStdString(name);
    }
    QCOMPARE(names.join(' '), QString("g1 m1 g2 g3"));
}

void LocalApiTest::aFullQueueSaysSo() {
    Serving serving({}, 1);
    Held held;
    const auto good = serving.model.say.now();
    serving.model.say = held.say();
    RawClient first(serving.port());
    first.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    held.entered.get_future().wait();
    serving.model.say = good;
    RawClient second(serving.port());
    second.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
    const RawAnswer third = serving.ask("POST", "/v1/chat/completions", kHi);
    QCOMPARE(third.status, 429);
    QCOMPARE(third.json()["error"]["type"].toString(), QString("rate_limit_error"));
    // A place is free once who waits leaves.
    second.leave();
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
    RawClient fourth(serving.port());
    fourth.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
    held.opened.set_value();
    QCOMPARE(first.read().status, 200);
    QCOMPARE(fourth.read().status, 200);
}

void LocalApiTest::stopping() {
    Serving serving;
    Held held;
    serving.model.say = held.say();
    RawClient streaming(serving.port());
    streaming.send(
        RawClient::request("POST", "/v1/chat/completions", kStream, kBearer, serving.port()));
    held.entered.get_future().wait();
    RawClient waiting(serving.port());
    waiting.send(RawClient::request("POST", "/v1/messages",
                                    R"({"max_tokens":1,"messages":[{"role":"user",)"
                                    R"("content":"Hi"}]})",
                                    kBearer, serving.port()));
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
    serving.api->stop();
    const RawAnswer cut = streaming.read();
    QVERIFY2(cut.is_whole, cut.text());
    QCOMPARE(cut.events().last()["error"]["message"].toString(), QString("the server stops"));
    const RawAnswer refused = waiting.read();
    QCOMPARE(refused.status, 503);
    QCOMPARE(refused.json()["error"]["type"].toString(), QString("overloaded_error"));
}

// A client has its answer and asks again before the server has done with the first request: the
// second one is not forgotten with it.
void LocalApiTest::theNextRequestOfAConnectionIsAnother() {
    FakeModel model;
    HandQueue queue;
    std::optional<RawClient> client;
    QByteArray request;
    RawAnswer first;
    LocalApiOptions options;
    options.token = kSecret.toStdString();
    options.watcher = [&](const hearth::server::RequestNote& note) {
        if (note.number == 1 && note.state == hearth::server::RequestNote::State::Ended) {
            first = client->read();
            client->send(request);
            queue.wait_for(1);
        }
    };
    auto api = LocalApi::start(std::move(options), model, queue);
    QVERIFY(api);
    request = RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, (*api)->port());
    client.emplace((*api)->port());
    client->send(request);
    queue.wait_for(1);
    queue.take()();
    QCOMPARE(first.status, 200);
    (*api)->stop();
    QCOMPARE(client->read().status, 503);
    QCOMPARE(queue.waiting(), std::size_t{0});
}

// Jobs of others that wait in the queue stay there, and are done.
void LocalApiTest::theQueueGoesOnBehindTheServer() {
    Serving serving;
    Held held;
    serving.model.say = held.say();
    RawClient streaming(serving.port());
    streaming.send(
        RawClient::request("POST", "/v1/chat/completions", kStream, kBearer, serving.port()));
    held.entered.get_future().wait();
    std::promise<void> done;
    QVERIFY(serving.queue.add("another", ~std::uint64_t{0}, [&done] { done.set_value(); }));
    RawClient waiting(serving.port());
    waiting.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);  // it waits by now
    QCOMPARE(serving.queue.waiting(), std::size_t{2});
    serving.api->stop();
    QCOMPARE(waiting.read().status, 503);
    done.get_future().wait();
    QCOMPARE(serving.queue.waiting(), std::size_t{0});
    // A second server has the same queue.
    LocalApiOptions options;
    options.token = kSecret.toStdString();
    serving.model.say = FakeModel().say.now();
    auto second = LocalApi::start(std::move(options), serving.model, serving.queue);
    QVERIFY(second);
    QCOMPARE(RawClient((*second)->port()).ask("POST", "/v1/chat/completions", kHi, kBearer).status,
             200);
}

void LocalApiTest::noModelAnswers_data() {
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<bool>("isComing");
    const QByteArray anthropic = R"({"max_tokens":9,"messages":[{"role":"user","content":"Hi"}]})";
    for (const bool isComing : {false, true}) {
        const char* when = isComing ? "coming" : "none";
        QTest::addRow("chat, %s", when) << QByteArray("/v1/chat/completions") << kHi << isComing;
        QTest::addRow("stream, %s", when)
            << QByteArray("/v1/chat/completions") << kStream << isComing;
        QTest::addRow("responses, %s", when)
            << QByteArray("/v1/responses") << QByteArray(R"({"input":"Hi"})") << isComing;
        QTest::addRow("Anthropic's, %s", when)
            << QByteArray("/v1/messages") << anthropic << isComing;
    }
}

void LocalApiTest::noModelAnswers() {
    QFETCH(QByteArray, path);
    QFETCH(QByteArray, body);
    QFETCH(bool, isComing);
    Serving serving;
    const hearth::server::ServedModel model = serving.model.served();
    for (int i = 0; i < 2; ++i) {
        serving.model.serve({.why_not = "so it is", .is_coming = isComing});
        const RawAnswer refused = serving.ask("POST", path, body);
        QVERIFY2(refused.status == 503, refused.text());
        QCOMPARE(refused.json()["error"]["message"].toString(), QString("so it is"));
        QCOMPARE(refused.json()["type"].toString(),
                 path == "/v1/messages" ? QString("error") : QString());
        QCOMPARE(refused.has_header("retry-after: 2"), isComing);
        const RawAnswer list = serving.ask("GET", "/v1/models");
        QCOMPARE(list.status, 200);
        QVERIFY(list.json()["data"].toArray().isEmpty());
        QVERIFY(list.json()["first_id"].isNull());
        QCOMPARE(serving.ask("GET", "/v1/models/default").status, 404);
        serving.model.serve(model);
        QCOMPARE(serving.ask("POST", path, body).status, 200);
        QCOMPARE(serving.ask("GET", "/v1/models").json()["data"].toArray().size(), 1);
    }
}

// Requests that wait are not answered by a model that they did not ask for.
void LocalApiTest::theModelChangesBeforeItsTurn() {
    Serving serving;
    Held held;
    serving.model.say = held.say();
    RawClient first(serving.port());
    first.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    held.entered.get_future().wait();
    serving.model.say = FakeModel().say.now();
    RawClient named(serving.port());
    named.send(RawClient::request("POST", "/v1/chat/completions",
                                  kHi.chopped(1) + R"(,"model":"fake"})", kBearer, serving.port()));
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);  // it waits by now
    RawClient any(serving.port());
    any.send(RawClient::request("POST", "/v1/chat/completions", kHi, kBearer, serving.port()));
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
    serving.model.serve({.id = "other", .names = {"default"}, .n_ctx = 64});
    held.opened.set_value();
    QCOMPARE(first.read().status, 200);
    const RawAnswer refused = named.read();
    QVERIFY2(refused.status == 404, refused.text());
    QVERIFY(refused.json()["error"]["message"].toString().contains("other"));
    const RawAnswer answered = any.read();
    QCOMPARE(answered.status, 200);
    QCOMPARE(answered.json()["model"].toString(), QString("other"));
}

void LocalApiTest::aStoppedAnswerIsNotAskedForAgain() {
    Serving serving;
    serving.model.say = [](const AnswerRequest&, const PieceCallback&,
                           const Cancellation&) -> Result<GenerationResult> {
        return Error{ErrorCode::Cancelled, "somebody stopped it", {}, hearth::server::kNotAgain};
    };
    const RawAnswer stopped = serving.ask("POST", "/v1/chat/completions", kHi);
    QCOMPARE(stopped.status, 503);
    QVERIFY(stopped.has_header("x-should-retry: false"));
    QCOMPARE(stopped.json()["error"]["message"].toString(), QString("somebody stopped it"));
    serving.model.say = [](const AnswerRequest&, const PieceCallback& on_piece,
                           const Cancellation&) -> Result<GenerationResult> {
        on_piece("Well");
        return Error{ErrorCode::Cancelled, "another model comes", {}, {}};
    };
    const RawAnswer cut = serving.ask("POST", "/v1/chat/completions", kStream);
    QVERIFY(cut.is_whole && !cut.has_header("x-should-retry: false"));
    QCOMPARE(cut.events().last()["error"]["message"].toString(), QString("another model comes"));
}

void LocalApiTest::theTokenChanges() {
    const Serving serving;
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
    serving.api->set_token("another-secret-of-the-tests");
    QCOMPARE(serving.ask("GET", "/v1/models").status, 401);
    const QByteArray other = "Authorization: Bearer another-secret-of-the-tests\r\n";
    QCOMPARE(RawClient(serving.port()).ask("GET", "/v1/models", {}, other).status, 200);
    serving.api->set_token(kSecret.toStdString());
    QCOMPARE(serving.ask("GET", "/v1/models").status, 200);
}

void LocalApiTest::thePortIsTaken() {
    Serving first;
    LocalApiOptions options;
    options.endpoint.port = first.port();
    const Serving second(options);
    QVERIFY(second.api == nullptr);
    QCOMPARE(first.ask("GET", "/v1/models").status, 200);
    first.api->stop();
    const Serving third(options);
    QVERIFY(third.api != nullptr);
    QCOMPARE(third.ask("GET", "/v1/models").status, 200);
}

// Each request is told of as it goes on, in order, whatever becomes of it.
void LocalApiTest::somebodyLooksOn() {
    using hearth::server::RequestNote;
    std::mutex mutex;
    QStringList told;
    LocalApiOptions options;
    options.watcher = [&](const RequestNote& note) {
        const std::lock_guard lock(mutex);
        const QString name = QString::fromStdString(hearth::server::client_name(note.client));
        const QString path = QString::fromStdString(note.path);
        told << (note.state == RequestNote::State::Waits ? name + " waits " + path
                 : note.state == RequestNote::State::IsAnswered
                     ? name + " is answered"
                     : QString("%1 ended %2 %3+%4%5")
                           .arg(name)
                           .arg(note.status)
                           .arg(note.prompt_tokens)
                           .arg(note.answer_tokens)
                           .arg(note.is_cut ? " cut" : ""));
    };
    // An answer may arrive before its end is told of.
    const auto ended = [&](int count) {
        const std::lock_guard lock(mutex);
        return told.filter(" ended ").size() == count;
    };
    Serving serving(options);
    const QByteArray agent = "User-Agent: curl/8\r\n";
    serving.ask("POST", "/v1/chat/completions", kHi, agent);
    QTRY_VERIFY(ended(1));
    serving.ask("POST", "/v1/chat/completions", kHi.chopped(1) + R"(,"user":"me"})", agent);
    QTRY_VERIFY(ended(2));
    serving.api->set_token("another-secret-of-the-tests");
    serving.ask("GET", "/v1/models", {}, agent);
    serving.api->set_token(kSecret.toStdString());
    serving.ask("GET", "/v1/models", {}, agent);
    serving.ask("POST", "/v1/chat/completions", "{", agent);
    serving.model.say = [](const AnswerRequest&, const PieceCallback& on_piece,
                           const Cancellation&) -> Result<GenerationResult> {
        on_piece("Well");
        return Error{ErrorCode::DeviceLost, "gone", {}, {}};
    };
    serving.ask("POST", "/v1/chat/completions", kStream, agent);
    QTRY_VERIFY(ended(6));
    serving.api->stop();
    QCOMPARE(
        told.join("; "),
        QString("curl/8 waits /v1/chat/completions; curl/8 is answered; curl/8 ended 200 10+3; "
                "me waits /v1/chat/completions; me is answered; me ended 200 10+3; "
                "curl/8 ended 401 0+0; curl/8 ended 200 0+0; curl/8 ended 400 0+0; "
                "curl/8 waits /v1/chat/completions; curl/8 is answered; "
                "curl/8 ended 200 0+0 cut"));
}

// Bytes that nobody would send: each gets an answer or an end, and the server goes on.
void LocalApiTest::malformedRequests() {
    LocalApiOptions options;
    options.limits.head_ms = options.limits.body_ms = 20;
    const Serving serving(std::move(options));
    std::mt19937 random(7);
    const auto below = [&](std::size_t n) {
        return static_cast<qsizetype>(random() % static_cast<unsigned>(n));
    };
    const QByteArray paths[] = {"/v1/chat/completions", "/v1/completions", "/v1/responses",
                                "/v1/messages", "/v1/models"};
    for (int i = 0; i < 600; ++i) {
        QByteArray bytes =
            RawClient::request("POST", paths[below(5)], kHi, kBearer, serving.port());
        for (qsizetype changes = 1 + below(4); changes > 0 && bytes.size() > 1; --changes) {
            const qsizetype at = below(static_cast<std::size_t>(bytes.size()));
            switch (below(4)) {
                case 0:
                    bytes[at] = static_cast<char>(random());
                    break;
                case 1:
                    bytes.remove(at, 1 + below(20));
                    break;
                case 2:
                    bytes.insert(at, bytes.mid(below(100), 1 + below(40)));
                    break;
                default:
                    bytes.truncate(at + 1);
                    break;
            }
        }
        RawClient client(serving.port());
        client.send(bytes);
        if (i % 3 == 0) {
            client.leave();
        } else {
            const RawAnswer answer = client.read();
            QVERIFY2(answer.status == 0 || (answer.status >= 200 && answer.status < 500),
                     bytes.toPercentEncoding());
        }
    }
    int status = 408;  // on a busy machine the time may be too short
    for (int tries = 0; tries < 100 && status == 408; ++tries) {
        status = serving.ask("POST", "/v1/chat/completions", kHi).status;
    }
    QCOMPARE(status, 200);
}

QTEST_GUILESS_MAIN(LocalApiTest)
#include "local_api_test.moc"
