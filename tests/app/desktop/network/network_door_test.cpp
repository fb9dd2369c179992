// The one way out: what it refuses, what it says of us, whom it trusts, where it follows.
#include <QSignalSpy>
#include <QTcpServer>
#include <QTcpSocket>
#include <QTimer>
#include <QtTest>

#include "network/door_reply.h"
#include "network/network_control.h"
#include "network/network_door.h"
#include "test_server.h"

using namespace hearth::ui;
using test::ServerAnswer;
using test::ServerRequest;
using test::TestAuthority;
using test::TestServer;

class NetworkDoorTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();
    void refusesWhereAllIsForbidden();
    void theSwitchEndsWhatIsUnderWay();
    void refusesOtherAddresses();
    void saysNothingOfTheMachine();
    void trustsOnlyWhomItShould_data();
    void trustsOnlyWhomItShould();
    void followsRedirects_data();
    void followsRedirects();
    void goesOnNotForEver();
    void keepsTokensAtHome();
    void listsEachHop();
    void asksTheMirror();
    void goesThroughTheProxy();
    void fetches_data();
    void fetches();
    void givesUpWaiting();
    void waitsAnewWithEachPiece();
    void endsWithItsContext();
    void asksForTheHeadAlone();
    void says_data();
    void says();
    void readsNoFurtherThanItsBuffer();

private:
    static DoorAnswer fetchFrom(NetworkDoor& door, const DoorRequest& request);
    std::optional<TestAuthority> authority_;
};

void NetworkDoorTest::initTestCase() {
    authority_ = TestAuthority::make();
    QVERIFY2(authority_, "the openssl program makes the certificates of this test");
}

DoorAnswer NetworkDoorTest::fetchFrom(NetworkDoor& door, const DoorRequest& request) {
    std::optional<DoorAnswer> got;
    QObject context;
    door.fetch(request, &context, [&](const DoorAnswer& answer) { got = answer; });
    if (!QTest::qWaitFor([&] { return got.has_value(); }, 20'000)) {
        qWarning("no answer");
    }
    return got.value_or(DoorAnswer());
}

void NetworkDoorTest::refusesWhereAllIsForbidden() {
    TestServer server([](const ServerRequest&) { return ServerAnswer{}; });
    QVERIFY(server.start());
    NetworkControl control;
    control.setRules({.forbidAll = true});
    NetworkDoor door(control);
    const DoorAnswer answer = fetchFrom(door, {.url = server.base(), .purpose = "Test"});
    QVERIFY(answer.failure == DoorFailure::Forbidden);
    QVERIFY(!answer.text.isEmpty());
    QCOMPARE(server.connections(), 0);
    QCOMPARE(control.log().count(), 1);
    QCOMPARE(control.log().entries().first().result, QStringLiteral("not sent: switched off"));
    control.setRules({});
    QVERIFY(fetchFrom(door, {.url = server.base()}).ok());
}

void NetworkDoorTest::theSwitchEndsWhatIsUnderWay() {
    TestServer server([](const ServerRequest&) {
        return ServerAnswer{
            .body = QByteArray(1000, 'x'), .bodyBytesSent = 10, .then = ServerAnswer::Then::Stall};
    });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    DoorReply* reply = door.send({.url = server.base()});
    DoorReply* second = door.send({.url = server.base() + "/2"});
    QSignalSpy answered(reply, &DoorReply::answered);
    QSignalSpy alsoAnswered(second, &DoorReply::answered);
    QTRY_VERIFY(answered.size() == 1 && alsoAnswered.size() == 1);
    control.setRules({.bytesPerSecondMost = 5});  // another rule ends nothing
    QVERIFY(!reply->hasEnded());
    control.setRules({.forbidAll = true});
    for (const DoorReply* one : {reply, second}) {
        QVERIFY(one->hasEnded());
        QVERIFY(one->failure() == DoorFailure::Forbidden);
        QVERIFY(one->bytesAvailable() == 0);
    }
    delete reply;
    delete second;
    control.setRules({});
    DoorReply* third = door.send({.url = server.base()});
    QSignalSpy answeredAgain(third, &DoorReply::answered);
    QVERIFY(answeredAgain.wait());
    delete third;
}

void NetworkDoorTest::refusesOtherAddresses() {
    NetworkControl control;
    NetworkDoor door(control);
    for (const char* address :
         {"file:///etc/passwd", "ftp://localhost/x", "qrc:/x", "", "https://me:word@localhost/"}) {
        const DoorAnswer answer = fetchFrom(door, {.url = QUrl(QString(address))});
        QVERIFY2(answer.failure == DoorFailure::BadAddress, address);
    }
}

void NetworkDoorTest::saysNothingOfTheMachine() {
    TestServer server([](const ServerRequest&) {
        return ServerAnswer{.headers = {{"Set-Cookie", "who=you; Path=/"}, {"ETag", "\"1\""}}};
    });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    for (int i = 0; i < 2; ++i) {
        QVERIFY(fetchFrom(door, {.url = server.base() + "/x",
                                 .range = {{5, 9}},
                                 .headers = {{"If-Range", "\"1\""}, {"Authorization", "Bearer x"}},
                                 .withToken = true})
                    .ok());
    }
    const QHash<QByteArray, QByteArray> expected{
        {"host", "127.0.0.1:" + QByteArray::number(server.serverPort())},
        {"connection", "Keep-Alive"},
        {"user-agent", "Hearth/" HEARTH_VERSION},
        {"accept-language", "*"},
        {"accept-encoding", "identity"},
        {"range", "bytes=5-8"},
        {"if-range", "\"1\""}};
    QCOMPARE(server.requests().size(), 2);
    for (const ServerRequest& request : server.requests()) {
        QCOMPARE(request.headers, expected);
    }
}

void NetworkDoorTest::trustsOnlyWhomItShould_data() {
    QTest::addColumn<QString>("subject");
    QTest::addColumn<bool>("known");
    QTest::addColumn<bool>("trusted");
    QTest::addRow("known") << "IP:127.0.0.1" << true << true;
    QTest::addRow("made by somebody") << "IP:127.0.0.1" << false << false;
    QTest::addRow("for another name") << "IP:127.0.0.2" << true << false;
    QTest::addRow("for a name") << "DNS:localhost" << true << false;
}

void NetworkDoorTest::trustsOnlyWhomItShould() {
    QFETCH(QString, subject);
    QFETCH(bool, known);
    const auto authority = TestAuthority::make(subject);
    QVERIFY(authority);
    TestServer server([](const ServerRequest&) { return ServerAnswer{.body = "x"}; });
    server.useTls(authority->server);
    QVERIFY(server.start());
    NetworkControl control;
    QSslConfiguration tls = known ? authority->client : QSslConfiguration::defaultConfiguration();
    tls.setPeerVerifyMode(QSslSocket::VerifyNone);  // the door knows better
    NetworkDoor door(control, tls);
    const DoorAnswer answer = fetchFrom(door, {.url = server.base()});
    QTEST(answer.ok(), "trusted");
    QVERIFY(answer.ok() || answer.failure == DoorFailure::Untrusted);
    QCOMPARE(server.requests().size(), answer.ok() ? 1 : 0);
}

void NetworkDoorTest::followsRedirects_data() {
    QTest::addColumn<bool>("tls");
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("location");
    QTest::addColumn<bool>("follows");
    for (const int status : {301, 302, 303, 307, 308}) {
        QTest::addRow("%d", status) << false << status << "/end" << true;
    }
    QTest::addRow("relative") << false << 302 << "end" << true;
    QTest::addRow("https to https") << true << 302 << "/end" << true;
    QTest::addRow("https to http") << true << 302 << "http://localhost:1/end" << false;
    QTest::addRow("a file") << false << 302 << "file:///etc/passwd" << false;
    QTest::addRow("with a password") << false << 302 << "http://me:word@localhost/" << false;
    QTest::addRow("nowhere") << false << 302 << "http://" << false;
}

void NetworkDoorTest::followsRedirects() {
    QFETCH(bool, tls);
    QFETCH(int, status);
    QFETCH(QString, location);
    QFETCH(bool, follows);
    TestServer server([&](const ServerRequest& request) {
        return request.path() == "/end"
                   ? ServerAnswer{.body = "the end"}
                   : ServerAnswer{.status = status,
                                  .headers = {{"Location", location.toLatin1()}},
                                  .body = "elsewhere"};
    });
    if (tls) {
        server.useTls(authority_->server);
    }
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control, authority_->client);
    const DoorAnswer answer =
        fetchFrom(door, {.url = server.base() + "/begin", .range = {{2, -1}}});
    QVERIFY2(answer.ok() == follows, qPrintable(answer.text));
    if (follows) {
        QCOMPARE(answer.body, QByteArray("the end"));
        QCOMPARE(answer.url.path(), QStringLiteral("/end"));
        QCOMPARE(server.requests().last().headers.value("range"), QByteArray("bytes=2-"));
    } else {
        QVERIFY(answer.failure == DoorFailure::BadRedirect);
        QVERIFY(answer.body.isEmpty());
    }
}

void NetworkDoorTest::goesOnNotForEver() {
    int left = NetworkDoor::kRedirectsMost;
    TestServer server([&](const ServerRequest&) {
        return left-- > 0 ? ServerAnswer{.status = 302, .headers = {{"Location", "/again"}}}
                          : ServerAnswer{};
    });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    QVERIFY(fetchFrom(door, {.url = server.base()}).ok());
    left = NetworkDoor::kRedirectsMost + 1;
    QVERIFY(fetchFrom(door, {.url = server.base()}).failure == DoorFailure::BadRedirect);
}

// The same server by another name is another host.
void NetworkDoorTest::keepsTokensAtHome() {
    TestServer plain([](const ServerRequest&) { return ServerAnswer{}; });
    QVERIFY(plain.start());
    QByteArray onward;
    TestServer other([&](const ServerRequest& request) {
        return request.path() == "/home"
                   ? ServerAnswer{.status = 302, .headers = {{"Location", onward}}}
                   : ServerAnswer{};
    });
    other.useTls(authority_->server);
    TestServer home([&](const ServerRequest& request) {
        const auto to = [](const QByteArray& where) {
            return ServerAnswer{.status = 302, .headers = {{"Location", where}}};
        };
        return request.path() == "/same"   ? to("/end")
               : request.path() == "/away" ? to(other.base().toLatin1() + "/x")
               : request.path() == "/back" ? to(other.base().toLatin1() + "/home")
                                           : ServerAnswer{};
    });
    home.useTls(authority_->server);
    QVERIFY(other.start() && home.start());
    onward = home.base().toLatin1() + "/end";
    NetworkControl control;
    control.setToken(siteOf(home.base()), "hf_secret");
    NetworkDoor door(control, authority_->client);
    const auto sees = [&](TestServer& server) {
        return server.requests().last().headers.value("authorization");
    };

    QVERIFY(fetchFrom(door, {.url = home.base() + "/same", .withToken = true}).ok());
    QCOMPARE(home.requests().first().headers.value("authorization"),
             QByteArray("Bearer hf_secret"));
    QCOMPARE(sees(home), QByteArray("Bearer hf_secret"));
    QVERIFY(fetchFrom(door, {.url = home.base() + "/same"}).ok());
    QVERIFY(sees(home).isEmpty());  // nobody asked for it
    QVERIFY(fetchFrom(door, {.url = home.base() + "/away", .withToken = true}).ok());
    QVERIFY(sees(other).isEmpty());
    QVERIFY(fetchFrom(door, {.url = home.base() + "/back", .withToken = true}).ok());
    QCOMPARE(home.requests().last().path(), QByteArray("/end"));
    QVERIFY(sees(home).isEmpty());
    // Nor does it come back on a second redirect at home.
    onward = home.base().toLatin1() + "/same";
    const auto before = home.requests().size();
    QVERIFY(fetchFrom(door, {.url = home.base() + "/back", .withToken = true}).ok());
    QCOMPARE(home.requests().size(), before + 3);
    QCOMPARE(home.requests().last().path(), QByteArray("/end"));
    QVERIFY(sees(home).isEmpty());
    QVERIFY(fetchFrom(door, {.url = plain.base(), .withToken = true}).ok());
    QVERIFY(sees(plain).isEmpty());  // another port and scheme is another site
    // A server of this computer is shown its own, also over http: nobody is in between.
    control.setToken(siteOf(plain.base()), "own_secret");
    QVERIFY(fetchFrom(door, {.url = plain.base(), .withToken = true}).ok());
    QCOMPARE(sees(plain), QByteArray("Bearer own_secret"));
    for (const RequestEntry& entry : control.log().entries()) {
        QVERIFY(!(entry.path + entry.result + entry.purpose).contains(QLatin1String("secret")));
    }
}

void NetworkDoorTest::listsEachHop() {
    TestServer server([](const ServerRequest& request) {
        return request.path() == "/end"    ? ServerAnswer{.body = "12345"}
               : request.path() == "/held" ? ServerAnswer{.body = "12345",
                                                          .bodyBytesSent = 3,
                                                          .then = ServerAnswer::Then::Stall}
               : request.path() == "/gone"
                   ? ServerAnswer{.status = 404}
                   : ServerAnswer{.status = 307, .headers = {{"Location", "/end?sig=1"}}};
    });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    QVERIFY(fetchFrom(door, {.url = server.base() + "/a?key=1", .purpose = "Test"}).ok());
    QVERIFY(!fetchFrom(door, {.url = QUrl("http://127.0.0.1:1/none"), .purpose = "Test"}).ok());
    const QList<RequestEntry> entries = control.log().entries();
    QCOMPARE(entries.size(), 3);
    QCOMPARE(entries.at(2).path, QStringLiteral("/a"));
    QCOMPARE(entries.at(2).status, 307);
    QCOMPARE(entries.at(2).result, QStringLiteral("redirected to 127.0.0.1"));
    QCOMPARE(entries.at(1).path, QStringLiteral("/end"));
    QCOMPARE(entries.at(1).bytes, 5);
    QCOMPARE(entries.at(1).result, QStringLiteral("done"));
    QCOMPARE(entries.at(0).status, 0);
    QCOMPARE(entries.at(0).result, QStringLiteral("The connection to 127.0.0.1 was lost."));
    QVERIFY(!fetchFrom(door, {.url = server.base() + "/gone"}).ok());
    QCOMPARE(control.log().entries().at(0).status, 404);
    QCOMPARE(control.log().entries().at(0).result,
             QStringLiteral("The server has no such file; it may have been moved."));
    DoorReply* reply = door.send({.url = server.base() + "/held"});
    QSignalSpy answered(reply, &DoorReply::answered);
    QSignalSpy ended(reply, &DoorReply::ended);
    QVERIFY(answered.wait());
    reply->cancel();
    QVERIFY(ended.size() == 1 && reply->failure() == DoorFailure::Cancelled);
    QCOMPARE(control.log().entries().at(0).result, QStringLiteral("broken off"));
    delete reply;
    QCOMPARE(ended.size(), 1);
}

void NetworkDoorTest::asksTheMirror() {
    TestServer server([](const ServerRequest&) { return ServerAnswer{}; });
    QVERIFY(server.start());
    NetworkControl control;
    control.setRules({.mirror = server.base() + "/hub"});
    control.setToken(QLatin1String(kHubHost), "hf_secret");
    NetworkDoor door(control);
    QVERIFY(
        fetchFrom(door, {.url = hubUrl(QStringLiteral("/api/models")), .withToken = true}).ok());
    QCOMPARE(server.requests().first().target, QByteArray("/hub/api/models"));
    QVERIFY(!server.requests().first().headers.contains("authorization"));
    QVERIFY(control.log().entries().first().host.startsWith(QLatin1String("127.0.0.1")));
    // A posted text is for the server that is named.
    control.setRules({.forbidAll = true, .mirror = server.base() + "/hub"});
    QVERIFY(!fetchFrom(door, {.url = hubUrl(QStringLiteral("/v1/chat")), .posted = "words"}).ok());
    QCOMPARE(control.log().entries().first().host, QLatin1String(kHubHost));
}

// A name that nobody knows: only the proxy could.
void NetworkDoorTest::goesThroughTheProxy() {
    TestServer proxy([](const ServerRequest&) { return ServerAnswer{.body = "by proxy"}; });
    QVERIFY(proxy.start());
    NetworkControl control;
    control.setRules(
        {.proxy = QNetworkProxy(QNetworkProxy::HttpProxy, "127.0.0.1", proxy.serverPort())});
    NetworkDoor door(control);
    const DoorAnswer answer = fetchFrom(door, {.url = QUrl("http://far.invalid/x")});
    QCOMPARE(answer.body, QByteArray("by proxy"));
    QCOMPARE(proxy.requests().first().target, QByteArray("http://far.invalid/x"));
    control.setRules({.proxy = QNetworkProxy(QNetworkProxy::HttpProxy, "127.0.0.1", 1)});
    // A server of this computer is asked past the proxy where the caller says so.
    TestServer here([](const ServerRequest&) { return ServerAnswer{.body = "here"}; });
    QVERIFY(here.start());
    QCOMPARE(fetchFrom(door, {.url = here.base(), .direct = true}).body, QByteArray("here"));
    const DoorAnswer none = fetchFrom(door, {.url = QUrl("http://far.invalid/x")});
    QVERIFY2(none.failure == DoorFailure::Proxy, qPrintable(none.text));
}

void NetworkDoorTest::fetches_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<qint64>("most");
    QTest::addColumn<int>("failure");
    QTest::addColumn<bool>("ok");
    const auto row = [](const char* name, int status, qint64 most, DoorFailure failure, bool ok) {
        QTest::addRow("%s", name) << status << most << static_cast<int>(failure) << ok;
    };
    row("all of it", 200, 100'000, DoorFailure::None, true);
    row("one byte too many", 200, 99'999, DoorFailure::TooLarge, false);
    row("part", 206, 1 << 20, DoorFailure::None, true);
    for (const int status : {400, 401, 403, 404, 416, 429, 451, 500, 503}) {
        row(qPrintable(QString::number(status)), status, 1 << 20, DoorFailure::None, false);
    }
}

void NetworkDoorTest::fetches() {
    QFETCH(int, status);
    QFETCH(qint64, most);
    QFETCH(int, failure);
    QFETCH(bool, ok);
    const QByteArray body(100'000, 'b');
    TestServer server(
        [&](const ServerRequest&) { return ServerAnswer{.status = status, .body = body}; });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    const DoorAnswer answer = fetchFrom(door, {.url = server.base(), .bodyBytesMost = most});
    QCOMPARE(static_cast<int>(answer.failure), failure);
    QCOMPARE(answer.status, status);
    QCOMPARE(answer.ok(), ok);
    QCOMPARE(answer.text.isEmpty(), ok);
    QCOMPARE(answer.body, answer.failure == DoorFailure::None ? body : QByteArray());
}

void NetworkDoorTest::givesUpWaiting() {
    TestServer server([](const ServerRequest&) {
        return ServerAnswer{.silent = true, .then = ServerAnswer::Then::Stall};
    });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    const DoorAnswer answer = fetchFrom(door, {.url = server.base(), .timeoutMs = 50});
    QVERIFY(answer.failure == DoorFailure::TimedOut);
}

// A large answer over a slow line takes longer than the patience with one piece of it.
void NetworkDoorTest::waitsAnewWithEachPiece() {
    QTcpServer server;
    QVERIFY(server.listen(QHostAddress::LocalHost));
    NetworkControl control;
    NetworkDoor door(control);
    QObject context;
    std::optional<DoorAnswer> got;
    constexpr int kPatience = 54'321;
    door.fetch({.url = QStringLiteral("http://127.0.0.1:%1/").arg(server.serverPort()),
                .timeoutMs = kPatience},
               &context, [&](const DoorAnswer& answer) { got = answer; });
    const auto timer = [&]() -> QTimer* {
        for (QTimer* each : door.findChildren<QTimer*>()) {
            if (each->interval() == kPatience) {
                return each;
            }
        }
        return nullptr;
    };
    QTRY_VERIFY(server.hasPendingConnections());
    QTcpSocket* socket = server.nextPendingConnection();
    QTRY_VERIFY(timer() != nullptr && socket->bytesAvailable() > 0);
    timer()->setTimerType(Qt::PreciseTimer);  // others say up to a second more or less
    timer()->start();
    socket->write("HTTP/1.1 200 As told\r\nContent-Length: 3\r\n\r\n");
    for (const char* piece : {"a", "b"}) {
        // Until some of it is used up: the piece gives it back.
        QTRY_VERIFY(timer()->remainingTime() < kPatience - 500);
        const int left = timer()->remainingTime();
        socket->write(piece);
        QTRY_VERIFY(timer()->remainingTime() > left);
    }
    socket->write("c");
    QTRY_VERIFY(got);
    QVERIFY(got->ok());
    QCOMPARE(got->body, QByteArray("abc"));
}

void NetworkDoorTest::endsWithItsContext() {
    TestServer server([](const ServerRequest&) {
        return ServerAnswer{.silent = true, .then = ServerAnswer::Then::Stall};
    });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    auto context = std::make_unique<QObject>();
    bool called = false;
    door.fetch({.url = server.base()}, context.get(), [&](const DoorAnswer&) { called = true; });
    QTRY_COMPARE(server.requests().size(), 1);
    context.reset();
    QTRY_COMPARE(control.log().entries().first().result, QStringLiteral("broken off"));
    QVERIFY(!called);
}

void NetworkDoorTest::asksForTheHeadAlone() {
    TestServer server([](const ServerRequest&) {
        return ServerAnswer{.headers = {{"ETag", "\"1\""},
                                        {"Last-Modified", "Mon, 01 Jan 2024 00:00:00 GMT"},
                                        {"X-Linked-Etag", "\"abcd\""},
                                        {"X-Linked-Size", "77"}},
                            .body = QByteArray(1000, 'x')};
    });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    const DoorAnswer answer = fetchFrom(door, {.url = server.base(), .headOnly = true});
    QVERIFY(answer.ok());
    QCOMPARE(server.requests().last().method, QByteArray("HEAD"));
    QCOMPARE(control.log().entries().first().method, QStringLiteral("HEAD"));
    QVERIFY(answer.body.isEmpty());
    QCOMPARE(answer.etag, QByteArray("\"1\""));
    QCOMPARE(answer.lastModified, QByteArray("Mon, 01 Jan 2024 00:00:00 GMT"));
    QCOMPARE(answer.linkedHash, QByteArray("abcd"));
    QCOMPARE(answer.linkedBytes, 77);
}

void NetworkDoorTest::says_data() {
    QTest::addColumn<int>("status");
    QTest::addColumn<QString>("words");  // of the sentence; empty: there is none
    const auto row = [](int status, const char* words) {
        QTest::addRow("%d", status) << status << QString(words);
    };
    row(200, "");
    row(299, "");
    row(300, "refuses this (300)");
    row(400, "refuses this (400)");
    row(401, "access token");
    row(403, "accept a licence");
    row(404, "no such file");
    row(410, "no such file");
    row(429, "asks for a pause");
    row(451, "legal reasons");
    row(499, "refuses this (499)");
    row(500, "has an error (500)");
    row(503, "has an error (503)");
}

void NetworkDoorTest::says() {
    QFETCH(const int, status);
    QFETCH(const QString, words);
    const QString text = sentenceForStatus(status);
    QCOMPARE(text.isEmpty(), words.isEmpty());
    QVERIFY2(text.contains(words), qPrintable(text));
}

void NetworkDoorTest::readsNoFurtherThanItsBuffer() {
    const QByteArray body(32 << 20, 'b');
    TestServer server([&](const ServerRequest&) { return ServerAnswer{.body = body}; });
    QVERIFY(server.start());
    NetworkControl control;
    NetworkDoor door(control);
    DoorReply* reply = door.send({.url = server.base()});
    QSignalSpy answered(reply, &DoorReply::answered);
    QVERIFY(answered.wait());
    qint64 before = -1;  // until nothing moves
    while (before != server.bodyBytesInAll()) {
        before = server.bodyBytesInAll();
        QTest::qWait(100);
    }
    QVERIFY(reply->bytesAvailable() <= 2 * DoorReply::kBufferBytes);
    QVERIFY(server.bodyBytesInAll() < body.size());
    QByteArray all;
    QTRY_VERIFY_WITH_TIMEOUT((all += reply->read(1 << 20), reply->atEnd()), 20'000);
    QCOMPARE(all.size(), body.size());
    QVERIFY(reply->failure() == DoorFailure::None);
    delete reply;
}

QTEST_GUILESS_MAIN(NetworkDoorTest)
#include "network_door_test.moc"
