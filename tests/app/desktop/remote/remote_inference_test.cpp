// Answers of servers elsewhere, by every way they may answer.
#include "remote/remote_inference.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/desktop/remote/remote_bench.h"
#include "remote/chat_stream.h"

using namespace hearth::ui;
using namespace hearth::ui::test;
using Finish = GenerationSummary::Finish;
using Then = ServerAnswer::Then;

namespace {

QByteArray piece(const QByteArray& text) {
    return "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"}}]}\n\n";
}
const QByteArray kEnd =
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":3}}\n\n"
    "data: [DONE]\n\n";

ServerAnswer streamOf(const QByteArray& body, Then then = Then::Stay) {
    return {.headers = {{"Content-Type", "text/event-stream"}},
            .body = body,
            .chunked = true,
            .then = then};
}
ServerAnswer errorOf(int status, const QByteArray& body,
                     const QByteArray& type = "application/json") {
    return {.status = status, .headers = {{"Content-Type", type}}, .body = body};
}

}  // namespace

class RemoteInferenceTest : public QObject {
    Q_OBJECT

    std::unique_ptr<RemoteBench> bench_;
    std::unique_ptr<TestServer> server_;
    std::function<ServerAnswer(const ServerRequest&)> answer_;
    QString text_;
    std::optional<GenerationSummary> summary_;
    QString failure_;
    int ends_ = 0;
    quint64 lastId_ = 0;

    // A server on this computer with one model, which the user has agreed to.
    void start() {
        server_ = std::make_unique<TestServer>([this](const ServerRequest& request) {
            return request.path() == "/v1/models"
                       ? ServerAnswer{.body = R"({"data":[{"id":"m","context_length":4096}]})"}
                       : answer_(request);
        });
        QVERIFY(server_->start());
        bench_ = std::make_unique<RemoteBench>();
        QCOMPARE(bench_->servers->add("Far", server_->base(), "sk-secret"), QString());
        QTRY_VERIFY(!bench_->row().value("asking").toBool());
        bench_->servers->setAlways(bench_->id(), true);
        listen();
        load();
    }
    void listen() {
        connect(bench_->inference.get(), &InferenceService::pieces, this,
                [this](quint64 id, const QString& text) {
                    QCOMPARE(id, lastId_);
                    text_ += text;
                });
        connect(bench_->inference.get(), &InferenceService::finished, this,
                [this](quint64 id, const GenerationSummary& summary) {
                    QCOMPARE(id, lastId_);
                    summary_ = summary;
                    ++ends_;
                });
        connect(bench_->inference.get(), &InferenceService::failed, this,
                [this](quint64 id, const QString& sentence) {
                    QCOMPARE(id, lastId_);
                    failure_ = sentence;
                    ++ends_;
                });
    }
    void load() {
        QSignalSpy loaded(bench_->inference.get(), &InferenceService::loaded);
        LoadOptions options;
        options.path = remotePath({bench_->id(), "m"});
        bench_->inference->loadModel(options);
        QTRY_COMPARE(loaded.size(), 1);
    }
    void begin(const GenerationSettings& settings = {}) {
        text_.clear();
        failure_.clear();
        summary_.reset();
        ends_ = 0;
        bench_->inference->generate(++lastId_, {{"user", "Hi"}}, settings);
    }
    void ask(const GenerationSettings& settings = {}) {
        begin(settings);
        QTRY_COMPARE(ends_, 1);
    }
    // The requests for answers.
    QList<ServerRequest> questions() const {
        QList<ServerRequest> all = server_->requests();
        all.removeIf([](const ServerRequest& request) { return request.method != "POST"; });
        return all;
    }
    QString host() const { return bench_->row().value("host").toString(); }

private slots:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }
    void init() {
        answer_ = [](const ServerRequest&) { return streamOf(piece("Rain.") + kEnd); };
        start();
    }
    void cleanup() {
        bench_.reset();
        server_.reset();
    }

    // Loading asks nobody; the answer is measured here and told with the host.
    void answers() {
        QSignalSpy loaded(bench_->inference.get(), &InferenceService::loaded);
        const auto before = server_->requests().size();
        load();
        QCOMPARE(server_->requests().size(), before);
        ask();
        QCOMPARE(failure_, QString());
        QCOMPARE(text_, QStringLiteral("Rain."));
        QVERIFY(summary_ && summary_->finish == Finish::Stop);
        QCOMPARE(summary_->promptTokens, 9);
        QCOMPARE(summary_->tokenCount, 3);
        QCOMPARE(summary_->device, host());
        QVERIFY(summary_->firstTokenMs >= 0 && summary_->tokensPerSecond >= 0);
        const ServerRequest question = questions().last();
        QCOMPARE(question.path(), QByteArray("/v1/chat/completions"));
        QCOMPARE(question.headers.value("authorization"), QByteArray("Bearer sk-secret"));
        QCOMPARE(question.headers.value("content-type"), QByteArray("application/json"));
        const QJsonObject body = QJsonDocument::fromJson(question.body).object();
        QCOMPARE(body["model"].toString(), QStringLiteral("m"));
        QCOMPARE(body["messages"].toArray().at(0)["content"].toString(), QStringLiteral("Hi"));
        // The second of two, on the same server.
        answer_ = [](const ServerRequest&) { return streamOf(piece("Snow.") + kEnd); };
        ask();
        QCOMPARE(text_, QStringLiteral("Snow."));
        QCOMPARE(bench_->control->log().entries().first().purpose, QStringLiteral("Answer by Far"));
        QTRY_COMPARE(bench_->control->log().entries().first().result, QStringLiteral("done"));
    }
    void tellsWhatItIs() {
        QSignalSpy loaded(bench_->inference.get(), &InferenceService::loaded);
        QSignalSpy reported(bench_->inference.get(), &InferenceService::reported);
        load();
        const auto model = loaded.first().first().value<ModelSummary>();
        QCOMPARE(model.name, QStringLiteral("m"));
        QCOMPARE(model.host, host());
        QCOMPARE(model.contextTokens, 4096);
        QTRY_COMPARE(reported.size(), 1);
        QCOMPARE(reported.first().first().value<EngineReport>().modelPath, model.path);
    }
    void marksReasoningAndBringsCalls() {
        answer_ = [](const ServerRequest&) {
            return streamOf(
                QByteArray(
                    R"(data: {"choices":[{"index":0,"delta":{"reasoning_content":"sum"}}]})") +
                "\n\n" + piece("Well.") +
                QByteArray("data: "
                           "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
                           "\"id\":\"c1\",\"function\":{\"name\":\"calculate\",\"arguments\":\"{"
                           "\\\"expression\\\":\"}}]}}]}") +
                "\n\n" +
                QByteArray("data: "
                           "{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,"
                           "\"function\":{\"arguments\":\"\\\"6*7\\\"}\"}}]},\"finish_reason\":"
                           "\"tool_calls\"}]}") +
                "\n\ndata: [DONE]\n\n");
        };
        ask();
        QCOMPARE(text_, QStringLiteral("<think>\nsum\n</think>\n\nWell."));
        QCOMPARE(summary_->calls.size(), 1);
        QCOMPARE(summary_->calls.at(0).arguments, QByteArray(R"({"expression":"6*7"})"));
    }
    void readsAnAnswerThatDoesNotStream() {
        answer_ = [](const ServerRequest&) {
            return ServerAnswer{
                .headers = {{"Content-Type", "application/json; charset=utf-8"}},
                .body = R"({"choices":[{"message":{"content":"Whole."},"finish_reason":"stop"}]})"};
        };
        ask();
        QCOMPARE(failure_, QString());
        QCOMPARE(text_, QStringLiteral("Whole."));
    }

    void saysWhatIsWrong_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("type");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("sentence");
        const auto row = [](const char* name, int status, const char* type, const char* body,
                            const char* sentence) {
            QTest::addRow("%s", name)
                << status << QByteArray(type) << QByteArray(body) << QString::fromUtf8(sentence);
        };
        row("wrong key", 401, "application/json",
            R"({"error":{"message":"no such key: sk-secret"}})",
            "HOST refuses the key. It says: “no such key: …”");
        row("no such model", 404, "application/json", R"({"error":{"message":"m is unknown"}})",
            "HOST has no such model, or no API at this address. It says: “m is unknown”");
        row("too many", 429, "application/json", R"({"error":{"message":"wait"}})",
            "HOST asks for a pause: too many requests, or none left. It says: “wait”");
        row("an html page", 500, "text/html", "<html><h1>Oh no</h1>", "HOST has an error (500).");
        row("a page that is no API", 200, "text/html", "<html>Welcome</html>",
            "The connection ended before the answer was complete.");
        row("broken JSON", 200, "text/event-stream", "data: {]\n\n",
            "The server sent something that is no answer of a model.");
        row("another JSON", 200, "application/json", "{}",
            "The server sent something that is no answer of a model.");
        row("nothing", 200, "text/event-stream", "",
            "The connection ended before the answer was complete.");
        row("an error in the stream", 200, "text/event-stream",
            "data: {\"error\":{\"message\":\"out of memory\"}}\n\n", "HOST says: “out of memory”");
        row("too long", 400, "application/json", R"({"error":{"message":"context is 4096"}})",
            "HOST refuses this (400). It says: “context is 4096”");
    }
    // And the next answer comes as if nothing had been.
    void saysWhatIsWrong() {
        QFETCH(const int, status);
        QFETCH(const QByteArray, type);
        QFETCH(const QByteArray, body);
        QFETCH(QString, sentence);
        answer_ = [&](const ServerRequest&) { return errorOf(status, body, type); };
        ask();
        QCOMPARE(failure_, sentence.replace("HOST", host()));
        QCOMPARE(questions().size(), 1);
        answer_ = [](const ServerRequest&) { return streamOf(piece("Rain.") + kEnd); };
        ask();
        QCOMPARE(failure_, QString());
        QCOMPARE(text_, QStringLiteral("Rain."));
    }
    // The server would send for ever.
    void endsWhatIsTooLong_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("sentence");
        const QByteArray begin = "{\"choices\":[{\"message\":{\"content\":\"";
        QTest::newRow("an answer")
            << 200 << begin + QByteArray(ChatStream::kMostText, 'x')
            << QStringLiteral("The server sent more than an answer can have.");
        QTest::newRow("an error") << 500 << QByteArray(qsizetype{2} << 20, 'x')
                                  << QStringLiteral("HOST has an error (500).");
    }
    void endsWhatIsTooLong() {
        QFETCH(const int, status);
        QFETCH(const QByteArray, body);
        QFETCH(QString, sentence);
        answer_ = [&](const ServerRequest&) {
            ServerAnswer answer = errorOf(status, body);
            answer.chunked = true;
            answer.then = Then::Stall;
            return answer;
        };
        ask();
        QCOMPARE(failure_, sentence.replace("HOST", host()));
        answer_ = [](const ServerRequest&) { return streamOf(piece("Rain.") + kEnd); };
        ask();
        QCOMPARE(text_, QStringLiteral("Rain."));
    }
    void keepsTheTextOfAnEarlyEnd() {
        for (const Then then : {Then::Close, Then::Reset}) {
            answer_ = [then](const ServerRequest&) {
                ServerAnswer answer = streamOf(piece("Well, ") + piece("then"), then);
                return answer;
            };
            ask();
            QCOMPARE(text_, QStringLiteral("Well, then"));
            QVERIFY2(failure_.startsWith(
                         QLatin1String("The connection ended before the answer was complete.")),
                     qPrintable(failure_));
        }
    }
    // Reasoning that was cut is closed, so that what follows is no reasoning.
    void closesCutReasoning() {
        answer_ = [](const ServerRequest&) {
            return streamOf("data: {\"choices\":[{\"delta\":{\"reasoning\":\"hm\"}}]}\n\n",
                            Then::Close);
        };
        ask();
        QCOMPARE(text_, QStringLiteral("<think>\nhm\n</think>\n\n"));
    }

    // A wish that a server refuses is dropped, also for the questions after it.
    void asksWithoutUsageWhereItIsRefused() {
        answer_ = [](const ServerRequest& request) {
            return request.body.contains("stream_options")
                       ? errorOf(400, R"({"error":{"message":"Unknown field: stream_options"}})")
                       : streamOf(piece("Rain.") +
                                  "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n");
        };
        ask();
        QCOMPARE(failure_, QString());
        QCOMPARE(text_, QStringLiteral("Rain."));
        QCOMPARE(summary_->tokenCount, 1);
        QCOMPARE(questions().size(), 2);
        ask();
        QCOMPARE(questions().size(), 3);
    }
    // A server that refuses for ever is asked twice.
    void asksNoThirdTime() {
        answer_ = [](const ServerRequest&) {
            return errorOf(400, R"({"error":{"message":"stream_options"}})");
        };
        ask();
        QVERIFY(!failure_.isEmpty());
        QCOMPARE(questions().size(), 2);
    }

    // The first byte takes its time, and the user does not wait for it.
    void stopsAtOnce() {
        answer_ = [](const ServerRequest&) {
            return ServerAnswer{.silent = true, .then = Then::Stall};
        };
        begin();
        QTRY_COMPARE(questions().size(), 1);
        bench_->inference->cancel();
        // The connection is closed within the call, its end is told afterwards.
        QCOMPARE(bench_->control->log().entries().first().result, QStringLiteral("broken off"));
        QCOMPARE(ends_, 0);
        QTRY_COMPARE(ends_, 1);
        QVERIFY(summary_ && summary_->finish == Finish::Cancelled);
        answer_ = [](const ServerRequest&) { return streamOf(piece("Rain.") + kEnd); };
        ask();
        QCOMPARE(text_, QStringLiteral("Rain."));
    }
    void stopsMidway() {
        answer_ = [](const ServerRequest&) { return streamOf(piece("Well"), Then::Stall); };
        begin();
        QTRY_COMPARE(text_, QStringLiteral("Well"));
        bench_->inference->cancel();
        bench_->inference->cancel();
        QTRY_COMPARE(ends_, 1);
        QVERIFY(summary_ && summary_->finish == Finish::Cancelled);
        QCoreApplication::processEvents();
        QCOMPARE(ends_, 1);
    }
    // Nothing at all, and nothing more.
    void givesUpASilentServer() {
        bench_->inference->setPatience(RemoteInference::kConnectMs, 1);
        answer_ = [](const ServerRequest&) {
            return ServerAnswer{.silent = true, .then = Then::Stall};
        };
        ask();
        QCOMPARE(failure_,
                 host() + " has sent nothing for a long time, so Hearth ended the connection.");
        bench_->inference->setPatience(RemoteInference::kConnectMs, RemoteInference::kSilenceMs);
        answer_ = [](const ServerRequest&) { return streamOf(piece("Rain.") + kEnd); };
        ask();
        QCOMPARE(text_, QStringLiteral("Rain."));
    }
    void saysThatNobodyIsThere() {
        server_.reset();
        bench_->start();
        listen();
        load();
        ask();
        QVERIFY2(failure_.startsWith(QLatin1String("The connection to 127.0.0.1 was lost")),
                 qPrintable(failure_));
    }

    void sendsNothingWhereItIsForbidden() {
        bench_->control->setRules({.forbidAll = true});
        ask();
        QCOMPARE(failure_,
                 QStringLiteral("You have switched all network requests off. Allow them in "
                                "the settings, under Network, then ask again."));
        QVERIFY(questions().isEmpty());
        bench_->control->setRules({});
        ask();
        QCOMPARE(text_, QStringLiteral("Rain."));
    }
    void endsWhereItIsForbiddenMidway() {
        answer_ = [](const ServerRequest&) { return streamOf(piece("Well"), Then::Stall); };
        begin();
        QTRY_COMPARE(text_, QStringLiteral("Well"));
        bench_->control->setRules({.forbidAll = true});
        QTRY_COMPARE(ends_, 1);
        QVERIFY(failure_.startsWith(QLatin1String("You have switched")));
    }
    void followsNoRedirect() {
        TestServer other([](const ServerRequest&) { return streamOf(piece("Rain.") + kEnd); });
        QVERIFY(other.start());
        for (const int status : {301, 302, 307, 308}) {
            answer_ = [&](const ServerRequest&) {
                return ServerAnswer{.status = status,
                                    .headers = {{"Location", other.base().toLatin1() + "/x"}}};
            };
            ask();
            QCOMPARE(failure_,
                     QStringLiteral("The server redirected the request to another address."));
        }
        QVERIFY(other.requests().isEmpty());
    }

    // Words leave after a question: once, and not where the user says no.
    void asksFirst() {
        bench_->servers->setAlways(bench_->id(), false);
        begin();
        QVERIFY(bench_->consent->asking());
        QCOMPARE(bench_->consent->host(), host());
        bench_->consent->refuse();
        QTRY_COMPARE(ends_, 1);
        QCOMPARE(failure_, "Nothing was sent to " + host() + ".");
        QVERIFY(questions().isEmpty());
        begin();
        QVERIFY(bench_->consent->asking());
        bench_->consent->allow();
        QTRY_COMPARE(ends_, 1);
        QCOMPARE(text_, QStringLiteral("Rain."));
        ask();
        QVERIFY(!bench_->consent->asking());
        QCOMPARE(questions().size(), 2);
        // The next start asks again, unless the user said "always".
        bench_->start();
        listen();
        load();
        begin();
        QVERIFY(bench_->consent->asking());
        bench_->consent->allowAlways();
        QTRY_COMPARE(ends_, 1);
        bench_->start();
        listen();
        load();
        ask();
        QCOMPARE(text_, QStringLiteral("Rain."));
        QCOMPARE(questions().size(), 4);
    }
    void stopsAQuestion() {
        bench_->servers->setAlways(bench_->id(), false);
        begin();
        bench_->inference->cancel();
        QVERIFY(!bench_->consent->asking());
        QTRY_COMPARE(ends_, 1);
        QVERIFY(summary_ && summary_->finish == Finish::Cancelled);
        bench_->consent->allow();  // too late
        QCoreApplication::processEvents();
        QVERIFY(questions().isEmpty());
    }
    // Another address is another place: what was allowed for the first does not hold.
    void asksAgainForAnotherAddress() {
        TestServer other([](const ServerRequest&) { return streamOf(piece("Snow.") + kEnd); });
        QVERIFY(other.start());
        bench_->servers->setAlways(bench_->id(), false);
        begin();
        bench_->consent->allow();
        QTRY_COMPARE(ends_, 1);
        QCOMPARE(bench_->servers->change(bench_->id(), "Far", other.base(), {}), QString());
        load();
        begin();
        QVERIFY(bench_->consent->asking());
        bench_->consent->allow();
        QTRY_COMPARE(ends_, 1);
        QCOMPARE(text_, QStringLiteral("Snow."));
        // The key was for the first.
        QVERIFY(!other.requests().last().headers.contains("authorization"));
    }
    // A question under way when the address changes goes nowhere.
    void sendsNothingToAnotherAddress() {
        bench_->servers->setAlways(bench_->id(), false);
        begin();
        QCOMPARE(bench_->servers->change(bench_->id(), "Far", "http://127.0.0.1:1", {}), QString());
        QTRY_COMPARE(ends_, 1);
        QCOMPARE(failure_, "Nothing was sent to " + QUrl(server_->base()).authority() + ".");
        QVERIFY(!bench_->consent->asking());
        QVERIFY(questions().isEmpty());
    }
    // Nor does one that was allowed for the address before.
    void sendsNothingWhereItWasNotAllowed() {
        TestServer other([](const ServerRequest&) { return streamOf(piece("Snow.") + kEnd); });
        QVERIFY(other.start());
        begin();
        QCOMPARE(bench_->servers->change(bench_->id(), "Far", other.base(), {}), QString());
        QTRY_COMPARE(ends_, 1);
        QCOMPARE(failure_, QStringLiteral("The server was changed meanwhile. Nothing was sent."));
        QVERIFY(questions().isEmpty());
        for (const ServerRequest& request : other.requests()) {
            QCOMPARE(request.method, QByteArray("GET"));  // for its models
        }
    }
    void doesNotGoOnFromText() {
        GenerationSettings settings;
        settings.continuesLast = true;
        ask(settings);
        QVERIFY(failure_.startsWith(QLatin1String("A model that is not local cannot go on")));
        QVERIFY(questions().isEmpty());
    }
    void saysThatTheServerIsGone() {
        QSignalSpy failed(bench_->inference.get(), &InferenceService::loadFailed);
        const QString id = bench_->id();
        bench_->servers->remove(id);
        ask();
        QVERIFY(failure_.startsWith(QLatin1String("The server of this model is no longer")));
        LoadOptions options;
        options.path = remotePath({id, "m"});
        bench_->inference->loadModel(options);
        QTRY_COMPARE(failed.size(), 1);
    }
    // The latest load counts, and one that was left tells nothing.
    void loadsOneAfterTheOther() {
        QSignalSpy loaded(bench_->inference.get(), &InferenceService::loaded);
        LoadOptions options;
        options.path = remotePath({bench_->id(), "m"});
        bench_->inference->loadModel(options);
        options.path = remotePath({bench_->id(), "other"});
        bench_->inference->loadModel(options);
        QTRY_COMPARE(loaded.size(), 1);
        QCOMPARE(loaded.first().first().value<ModelSummary>().name, QStringLiteral("other"));
        bench_->inference->loadModel(options);
        bench_->inference->unloadModel();
        QCoreApplication::processEvents();
        QCOMPARE(loaded.size(), 1);
    }
    void tellsNothingAfterItsEnd() {
        answer_ = [](const ServerRequest&) { return streamOf(piece("Well"), Then::Stall); };
        begin();
        QTRY_COMPARE(text_, QStringLiteral("Well"));
        QVERIFY(bench_->inference->shutdown(0));
        QCoreApplication::processEvents();
        QCOMPARE(ends_, 0);
    }
    // Over https with a certificate of one's own authority, and not without it.
    void keepsToCertificates() {
        const auto authority = TestAuthority::make();
        QVERIFY2(authority, "the openssl program makes the certificates of this test");
        TestServer safe([](const ServerRequest& request) {
            return request.method == "GET" ? ServerAnswer{.body = R"({"data":[{"id":"m"}]})"}
                                           : streamOf(piece("Rain.") + kEnd);
        });
        safe.useTls(authority->server);
        QVERIFY(safe.start());
        for (const bool trusts : {true, false}) {
            bench_ = std::make_unique<RemoteBench>(
                trusts ? authority->client : QSslConfiguration::defaultConfiguration());
            QCOMPARE(bench_->servers->add("Safe", safe.base(), "sk-secret"), QString());
            QTRY_VERIFY(!bench_->row().value("asking").toBool());
            QCOMPARE(bench_->row().value("wrong").toString().isEmpty(), trusts);
            bench_->servers->setAlways(bench_->id(), true);
            listen();
            load();
            ask();
            QCOMPARE(text_, trusts ? QStringLiteral("Rain.") : QString());
            QCOMPARE(failure_.contains(QLatin1String("is not safe")), !trusts);
        }
    }
};

QTEST_GUILESS_MAIN(RemoteInferenceTest)
#include "remote_inference_test.moc"
