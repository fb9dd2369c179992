// HTTP over a real socket: what is a request, what is refused, who left.
#include <QtTest>
#include <future>
#include <mutex>

#include "raw_client.h"
#include "server/http_server.h"

using hearth::server::HttpExchange;
using hearth::server::HttpHandler;
using hearth::server::HttpLimits;
using hearth::server::HttpRequest;
using hearth::server::HttpResponse;
using hearth::server::HttpServer;
using hearth::test::RawAnswer;
using hearth::test::RawClient;

namespace {

// Says back what came. "/wait" is answered by the test, "/stream" in three pieces.
class EchoHandler final : public HttpHandler {
public:
    bool admits(const HttpRequest& head, HttpResponse& refusal) override {
        if (head.path == "/no") {
            refusal = {403, {}, "no"};
            return false;
        }
        return true;
    }
    HttpResponse describe(const HttpRequest&, int status) override {
        return {status, {}, "described"};
    }
    void handle(HttpRequest request, std::shared_ptr<HttpExchange> exchange) override {
        if (request.path == "/wait") {
            kept.set_value(exchange);
        } else if (request.path == "/stream") {
            exchange->begin_stream({200, {}, {}});
            exchange->write("one ");
            exchange->write("");
            exchange->write(std::string(300, 'x'));
            exchange->end_stream();
        } else {
            const std::string* extra = request.header("x-extra");
            exchange->respond(
                {200,
                 {{"x-method", request.method}},
                 request.path + "|" + request.body + "|" + (extra == nullptr ? "-" : *extra)});
        }
    }
    void client_left(const HttpExchange&) override { left.set_value(); }

    std::promise<std::shared_ptr<HttpExchange>> kept;
    std::promise<void> left;
};

struct Running {
    explicit Running(HttpLimits limits = {}) {
        auto made = HttpServer::start({}, limits, handler);
        server = made ? std::move(*made) : nullptr;
    }
    quint16 port() const { return server->port(); }
    EchoHandler handler;
    std::unique_ptr<HttpServer> server;
};

}  // namespace

class HttpServerTest : public QObject {
    Q_OBJECT

private slots:
    void oneConnectionAfterAnother() {
        Running running;
        QVERIFY(running.server != nullptr);
        for (int i = 0; i < 3; ++i) {
            RawClient client(running.port());
            for (int k = 0; k < 3; ++k) {
                const RawAnswer answer = client.ask(
                    "POST", "/a?b=c", "body" + QByteArray::number(k), "X-Extra:  e \r\n");
                QVERIFY2(answer.status == 200, answer.text());
                QCOMPARE(answer.body, "/a|body" + QByteArray::number(k) + "|e");
                QVERIFY(answer.has_header("x-method: POST"));
            }
        }
    }

    void requestsInOnePacket() {
        Running running;
        RawClient client(running.port());
        QByteArray all;
        for (int i = 0; i < 5; ++i) {
            all += RawClient::request("POST", "/" + QByteArray::number(i), "b", {}, running.port());
        }
        client.send(all);
        for (int i = 0; i < 5; ++i) {
            QCOMPARE(client.read().body, "/" + QByteArray::number(i) + "|b|-");
        }
    }

    void oneByteAtATime() {
        Running running;
        RawClient client(running.port());
        for (const char byte :
             RawClient::request("POST", "/slow", "abc", "X-Extra: 1\r\n", running.port())) {
            client.send(QByteArray(1, byte));
        }
        QCOMPARE(client.read().body, QByteArray("/slow|abc|1"));
    }

    void bodiesInChunks() {
        Running running;
        RawClient client(running.port());
        client.send(
            "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
            "3\r\nabc\r\n2\r\nde\r\n0\r\nX-Extra: late\r\n\r\n");
        QCOMPARE(client.read().body, QByteArray("/c|abcde|-"));  // what follows a body is no header
        QCOMPARE(client.ask("POST", "/d", "f").body, QByteArray("/d|f|-"));
    }

    void streams() {
        Running running;
        RawClient client(running.port());
        for (int i = 0; i < 2; ++i) {
            const RawAnswer answer = client.ask("GET", "/stream");
            QVERIFY(answer.is_whole);
            QCOMPARE(answer.body, "one " + QByteArray(300, 'x'));
        }
        RawClient old(running.port());
        old.send("GET /stream HTTP/1.0\r\nHost: x\r\n\r\n");
        QCOMPARE(old.read().body, "one " + QByteArray(300, 'x'));
        QVERIFY(old.wait_for_end());
    }

    void headHasNoBody() {
        Running running;
        RawClient client(running.port());
        const RawAnswer answer = client.ask("HEAD", "/h");
        QVERIFY(answer.has_header("content-length: 5"));
        QCOMPARE(client.ask("GET", "/g").body, QByteArray("/g||-"));  // nothing stands between them
    }

    void anOfferOfAnotherProtocolIsLeftAlone() {
        Running running;
        RawClient client(running.port());
        const RawAnswer answer = client.ask("POST", "/u", "b",
                                            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: "
                                            "h2c\r\nHTTP2-Settings: AAMAAABk\r\n");
        QCOMPARE(answer.body, QByteArray("/u|b|-"));
    }

    void expectingClients() {
        Running running;
        RawClient client(running.port());
        client.send(
            "POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
        QVERIFY(client.wait_for("100 Continue\r\n\r\n"));
        client.send("ab");
        QCOMPARE(client.read().body, QByteArray("/e|ab|-"));
        RawClient refused(running.port());
        refused.send(
            "POST /no HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
        QCOMPARE(refused.read().status, 403);
    }

    void refusals_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        const QByteArray head = "POST /a HTTP/1.1\r\nHost: x\r\n";
        QTest::newRow("no HTTP") << QByteArray("hello\r\n\r\n") << 400;
        QTest::newRow("another protocol") << QByteArray("\x16\x03\x01\x02") << 400;
        QTest::newRow("not admitted") << QByteArray("GET /no HTTP/1.1\r\nHost: x\r\n\r\n") << 403;
        QTest::newRow("a length that is none") << head + "Content-Length: -1\r\n\r\n" << 400;
        QTest::newRow("a huge length") << head + "Content-Length: 99999999999999999999999\r\n\r\n"
                                       << 400;
        QTest::newRow("a large length") << head + "Content-Length: 1001\r\n\r\n" << 413;
        QTest::newRow("a large chunk")
            << head + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + QByteArray(1001, 'x') << 413;
        QTest::newRow("many chunks") << head + "Transfer-Encoding: chunked\r\n\r\n" +
                                            ("64\r\n" + QByteArray(100, 'x') + "\r\n").repeated(11)
                                     << 413;
        QTest::newRow("two lengths")
            << head + "Content-Length: 1\r\nContent-Length: 2\r\n\r\nab" << 400;
        QTest::newRow("length and chunks")
            << head + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
            << 400;
        QTest::newRow("a long path")
            << "GET /" + QByteArray(3000, 'p') + " HTTP/1.1\r\nHost: x\r\n\r\n"
            << 431;
        QTest::newRow("a long header") << head + "X-A: " + QByteArray(3000, 'v') + "\r\n\r\n"
                                       << 431;
        QTest::newRow("a header without end") << head + "X-A: " + QByteArray(100'000, 'v') << 431;
        QTest::newRow("many headers") << head + QByteArray("a:b\r\n").repeated(50) + "\r\n" << 431;
        QTest::newRow("connect") << QByteArray("CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n") << 400;
    }
    void refusals() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        HttpLimits limits;
        limits.head_bytes = 2000;
        limits.header_count = 20;
        limits.body_bytes = 1000;
        Running running(limits);
        for (int i = 0; i < 2; ++i) {
            RawClient client(running.port());
            client.send(bytes);
            const RawAnswer answer = client.read();
            QVERIFY2(answer.status == status, answer.text());
            QCOMPARE(answer.body, QByteArray(status == 403 ? "no" : "described"));
            QVERIFY(answer.has_header("connection: close"));
            QVERIFY(client.wait_for_end());
        }
        RawClient client(running.port());
        QCOMPARE(client.ask("POST", "/ok", QByteArray(1000, 'x')).status, 200);
    }

    void slowClientsAreEnded_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<int>("status");
        QTest::newRow("nothing") << QByteArray() << 0;
        QTest::newRow("half a head") << QByteArray("GET / HTTP/1.1\r\nHos") << 408;
        QTest::newRow("half a body")
            << QByteArray("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc") << 408;
    }
    void slowClientsAreEnded() {
        QFETCH(QByteArray, bytes);
        QFETCH(int, status);
        HttpLimits limits;
        limits.head_ms = limits.body_ms = limits.idle_ms = 1;
        Running running(limits);
        RawClient client(running.port());
        client.send(bytes);
        QCOMPARE(client.read().status, status);
        QVERIFY(client.wait_for_end());
    }

    void whoLeavesCancels() {
        Running running;
        RawClient client(running.port());
        client.send(RawClient::request("POST", "/wait", "b", {}, running.port()));
        const auto exchange = running.handler.kept.get_future().get();
        QVERIFY(!exchange->client_left());
        client.leave();
        running.handler.left.get_future().wait();
        QVERIFY(exchange->client_left());
        QVERIFY(exchange->cancellation().requested());
        exchange->respond({200, {}, "late"});  // goes nowhere
        RawClient next(running.port());
        QCOMPARE(next.ask("GET", "/n").status, 200);
    }

    void whoReadsNothingIsLeft() {
        HttpLimits limits;
        limits.unread_bytes = 1 << 20;
        Running running(limits);
        RawClient client(running.port());
        client.send(RawClient::request("GET", "/wait", {}, {}, running.port()));
        const auto exchange = running.handler.kept.get_future().get();
        exchange->begin_stream({200, {}, {}});
        // More than the system's own buffers take.
        const std::string piece(1 << 16, 'x');
        for (int i = 0; i < 1000 && !exchange->client_left(); ++i) {
            exchange->write(piece);
        }
        running.handler.left.get_future().wait();
        QVERIFY(exchange->client_left());
    }

    // The time between two requests begins when the answer is read, however large it is.
    void aLargeAnswerIsReadWhole() {
        HttpLimits limits;
        limits.idle_ms = 1;
        Running running(limits);
        RawClient client(running.port());
        client.send(
            RawClient::request("GET", "/wait", {}, "Connection: close\r\n", running.port()));
        const auto exchange = running.handler.kept.get_future().get();
        exchange->respond({200, {}, std::string(12 << 20, 'x')});
        QThread::msleep(20);  // many times that time; a longer one changes nothing
        const RawAnswer answer = client.read();
        QCOMPARE(answer.body.size(), 12 << 20);
        QVERIFY(client.wait_for_end());
    }

    void tooManyConnections() {
        HttpLimits limits;
        limits.connections = 2;
        Running running(limits);
        RawClient one(running.port());
        RawClient two(running.port());
        QCOMPARE(one.ask("GET", "/1").status, 200);
        QCOMPARE(two.ask("GET", "/2").status, 200);
        RawClient three(running.port());
        QVERIFY(three.wait_for_end());
        QCOMPARE(one.ask("GET", "/1").status, 200);
    }

    void stopping() {
        Running running;
        RawClient idle(running.port());
        QCOMPARE(idle.ask("GET", "/1").status, 200);
        RawClient busy(running.port());
        busy.send(RawClient::request("GET", "/wait", {}, {}, running.port()));
        const auto exchange = running.handler.kept.get_future().get();
        running.server->refuse_more();
        QVERIFY(idle.wait_for_end());
        while (!exchange->cancellation().requested()) {
            QThread::yieldCurrentThread();
        }
        QVERIFY(!exchange->client_left());
        exchange->respond({200, {}, "last words"});
        running.server->finish();
        QCOMPARE(busy.read().body, QByteArray("last words"));
        QVERIFY(busy.wait_for_end());
        exchange->write("nobody hears this");
    }

    void aTakenPort() {
        Running running;
        auto second = HttpServer::start({false, running.port()}, {}, running.handler);
        QVERIFY(!second);
        QVERIFY(second.error().code == hearth::ErrorCode::Unsupported);
        QCOMPARE(second.error().field, std::string("port"));
        QVERIFY(second.error().message.find("address already in use") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(HttpServerTest)
#include "http_server_test.moc"
