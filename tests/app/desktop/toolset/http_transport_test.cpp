// A server of tools at an address, by every way it may answer.
#include "toolset/http_transport.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>

#include "app/desktop/network/test_server.h"
#include "network/network_control.h"
#include "toolset/mcp_client.h"

using namespace hearth::ui;
using test::ServerAnswer;
using test::ServerRequest;
using test::TestServer;

namespace {

const QByteArray kIntroduction =
    R"("result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"far","version":"2"}}})";
const QByteArray kTools = R"("result":{"tools":[{"name":"echo"}]}})";

}  // namespace

class HttpTransportTest : public QObject {
    Q_OBJECT

    NetworkControl control_;
    std::unique_ptr<NetworkDoor> door_;
    std::unique_ptr<TestServer> server_;
    std::unique_ptr<McpClient> client_;
    std::unique_ptr<QSignalSpy> done_;

    // The web server of the tests does not keep bodies: answers go by the order of requests.
    // 1: initialize, 2: initialized, 3: tools/list, 4 and on: calls, whose id is one less.
    void start(const std::function<ServerAnswer(int n)>& calls) {
        server_ = std::make_unique<TestServer>([this, calls](const ServerRequest&) {
            const int n = static_cast<int>(server_->requests().size());
            const QByteArray head = "{\"jsonrpc\":\"2.0\",\"id\":";
            if (n == 1) {
                return ServerAnswer{
                    .headers = {{"Content-Type", "application/json"}, {"Mcp-Session-Id", "s-1"}},
                    .body = head + "1," + kIntroduction};
            }
            if (n == 2) {
                return ServerAnswer{.status = 202};
            }
            if (n == 3) {
                return ServerAnswer{
                    .headers = {{"Content-Type", "text/event-stream"}},
                    .body = ": hello\n\nevent: message\ndata: " + head + "2," + kTools + "\n\n"};
            }
            return calls(n);
        });
        QVERIFY(server_->start());
        client_ = std::make_unique<McpClient>(
            "far", std::make_unique<HttpTransport>(*door_, QUrl(server_->base() + "/mcp")),
            McpClient::Patience{});
        done_ = std::make_unique<QSignalSpy>(client_.get(), &ToolSource::done);
        client_->start();
        QTRY_VERIFY_WITH_TIMEOUT(client_->state() != McpClient::State::Starting, 20'000);
    }

    ToolOutcome outcome() {
        done_->clear();
        client_->call(9, "echo", R"({"text":"t"})", {});
        if (!QTest::qWaitFor([&] { return done_->size() > 0; }, 20'000)) {
            return {true, "no answer"};
        }
        return done_->at(0).at(1).value<ToolOutcome>();
    }

    static QByteArray textAnswer(int id, const QByteArray& text) {
        return "{\"jsonrpc\":\"2.0\",\"id\":" + QByteArray::number(id) +
               ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" + text + "\"}]}}";
    }

private slots:
    void init() { door_ = std::make_unique<NetworkDoor>(control_); }
    void cleanup() {
        done_.reset();
        client_.reset();
        door_.reset();
        server_.reset();
    }

    void callsByBothForms() {
        start([](int n) {
            return n == 4 ? ServerAnswer{.headers = {{"Content-Type", "application/json"}},
                                         .body = textAnswer(3, "one")}
                          : ServerAnswer{.headers = {{"Content-Type", "text/event-stream"}},
                                         .body = "data: " + textAnswer(4, "two") + "\n\n"};
        });
        QCOMPARE(client_->state(), McpClient::State::Ready);
        QCOMPARE(client_->words(), QString("far 2"));
        QCOMPARE(outcome().text, QString("one"));
        QCOMPARE(outcome().text, QString("two"));
        const auto& requests = server_->requests();
        QCOMPARE(requests.at(0).method, QByteArray("POST"));
        QCOMPARE(requests.at(0).headers.value("content-type"), QByteArray("application/json"));
        QVERIFY(!requests.at(0).headers.contains("mcp-session-id"));
        QCOMPARE(requests.at(3).headers.value("mcp-session-id"), QByteArray("s-1"));
        QCOMPARE(requests.at(3).headers.value("mcp-protocol-version"), QByteArray("2025-06-18"));
        QVERIFY(requests.at(3).headers.value("content-length").toInt() > 0);
    }

    void failures_data() {
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("location");
        QTest::addColumn<QString>("text");
        QTest::newRow("forgotten") << 404 << QByteArray()
                                   << "The server has forgotten this session. Switch it off and on "
                                      "again.";
        QTest::newRow("an error") << 500 << QByteArray()
                                  << "The server has an error (500). Try again later.";
        QTest::newRow("a redirect") << 307 << QByteArray("/elsewhere")
                                    << "The server redirected the request to another address.";
    }

    void failures() {
        QFETCH(int, status);
        QFETCH(QByteArray, location);
        start([&](int) {
            ServerAnswer answer{.status = status, .body = textAnswer(3, "no")};
            if (!location.isEmpty()) {
                answer.headers.append({"Location", location});
            }
            return answer;
        });
        QCOMPARE(client_->state(), McpClient::State::Ready);
        const ToolOutcome ended = outcome();
        QVERIFY(ended.failed);
        QTEST(ended.text, "text");
        QCOMPARE(client_->state(), McpClient::State::Failed);
        QCOMPARE(server_->requests().size(), 4);
    }

    void anEndlessStreamEnds() {
        start([](int) {
            return ServerAnswer{
                .headers = {{"Content-Type", "text/event-stream"}},
                .body =
                    QByteArray("data: {\"jsonrpc\":\"2.0\",\"method\":\"x\"}\n\n").repeated(2000),
                .then = ServerAnswer::Then::Stall};
        });
        QCOMPARE(outcome().text, QString("The server floods Hearth with messages and was ended."));
    }

    void isForbiddenWithEverything() {
        start([](int) { return ServerAnswer{}; });
        control_.setRules({.forbidAll = true});
        QVERIFY(outcome().text.contains("switched all network requests off"));
        control_.setRules({});
    }
};

QTEST_GUILESS_MAIN(HttpTransportTest)
#include "http_transport_test.moc"
