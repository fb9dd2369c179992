// Who may ask the local API.
#include <QtTest>

#include "server/access_rules.h"

using hearth::server::AccessFault;
using hearth::server::check_access;
using hearth::server::HttpRequest;

namespace {

constexpr const char* kSecret = "a-secret-of-the-tests";

HttpRequest head(std::vector<hearth::server::HttpHeader> headers) {
    HttpRequest request;
    request.method = "POST";
    request.path = "/v1/messages";
    request.port = 8080;
    request.headers = std::move(headers);
    return request;
}

}  // namespace

class AccessRulesTest : public QObject {
    Q_OBJECT

private slots:
    void hosts_data() {
        QTest::addColumn<QByteArray>("host");
        QTest::addColumn<bool>("is_own");
        for (const char* host :
             {"127.0.0.1:8080", "localhost:8080", "LocalHost:8080", "[::1]:8080"}) {
            QTest::newRow(host) << QByteArray(host) << true;
        }
        for (const char* host :
             {"", "127.0.0.1", "localhost", "[::1]", "127.0.0.1:8081", "127.0.0.1:80800",
              "127.0.0.1:", "127.0.0.1:8080x", "evil.example:8080", "localhost.evil.example:8080",
              "127.0.0.1.evil.example:8080", "127.0.0.1:8080@evil.example", "0.0.0.0:8080",
              "127.0.0.2:8080", "::1:8080", "localhost:8080, evil.example", "localhost:-8080",
              "localhost :8080", "[::1]8080"}) {
            QTest::newRow(host) << QByteArray(host) << false;
        }
    }
    void hosts() {
        QFETCH(QByteArray, host);
        QFETCH(bool, is_own);
        const auto fault =
            check_access(head({{"host", host.toStdString()}, {"x-api-key", kSecret}}), kSecret);
        QVERIFY(fault == (is_own ? AccessFault::None : AccessFault::Host));
    }

    void aPortThatNobodyWrites() {
        HttpRequest request = head({{"host", "localhost"}, {"x-api-key", kSecret}});
        request.port = 80;
        QVERIFY(check_access(request, kSecret) == AccessFault::None);
    }

    void twoHostsAreNone() {
        QVERIFY(check_access(head({{"host", "localhost:8080"},
                                   {"host", "evil.example"},
                                   {"x-api-key", kSecret}}),
                             kSecret) == AccessFault::Host);
    }

    void origins_data() {
        QTest::addColumn<QByteArray>("origin");
        QTest::addColumn<bool>("is_own");
        QTest::newRow("own") << QByteArray("http://127.0.0.1:8080") << true;
        QTest::newRow("own by name") << QByteArray("http://localhost:8080") << true;
        for (const char* origin :
             {"null", "", "http://evil.example", "https://127.0.0.1:8080", "http://127.0.0.1:3000",
              "http://localhost", "http://127.0.0.1:8080.evil.example", "file://"}) {
            QTest::newRow(origin) << QByteArray(origin) << false;
        }
    }
    void origins() {
        QFETCH(QByteArray, origin);
        QFETCH(bool, is_own);
        const auto request = head({{"host", "127.0.0.1:8080"},
                                   {"origin", origin.toStdString()},
                                   {"authorization", std::string("Bearer ") + kSecret}});
        QVERIFY(check_access(request, kSecret) ==
                (is_own ? AccessFault::None : AccessFault::Origin));
        // The second of two counts, too.
        HttpRequest two = request;
        two.headers.insert(two.headers.begin(), {"origin", "http://127.0.0.1:8080"});
        QVERIFY(check_access(two, kSecret) == (is_own ? AccessFault::None : AccessFault::Origin));
    }

    void tokens_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<bool>("opens");
        const QByteArray secret(kSecret);
        QTest::newRow("bearer") << QByteArray("authorization") << "Bearer " + secret << true;
        QTest::newRow("small") << QByteArray("authorization") << "bearer " + secret << true;
        QTest::newRow("key") << QByteArray("x-api-key") << secret << true;
        QTest::newRow("none") << QByteArray("accept") << secret << false;
        QTest::newRow("no scheme") << QByteArray("authorization") << secret << false;
        QTest::newRow("basic") << QByteArray("authorization") << "Basic  " + secret << false;
        QTest::newRow("empty") << QByteArray("authorization") << QByteArray("Bearer ") << false;
        QTest::newRow("empty key") << QByteArray("x-api-key") << QByteArray() << false;
        QTest::newRow("short") << QByteArray("x-api-key") << secret.chopped(1) << false;
        QTest::newRow("long") << QByteArray("x-api-key") << secret + "x" << false;
        QTest::newRow("twice") << QByteArray("x-api-key") << secret + secret << false;
        QTest::newRow("last") << QByteArray("x-api-key") << secret.chopped(1) + "S" << false;
        QTest::newRow("first") << QByteArray("x-api-key") << "A" + secret.mid(1) << false;
    }
    void tokens() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, value);
        QFETCH(bool, opens);
        HttpRequest request =
            head({{"host", "[::1]:8080"}, {name.toStdString(), value.toStdString()}});
        QVERIFY(check_access(request, kSecret) == (opens ? AccessFault::None : AccessFault::Token));
        request.method = "OPTIONS";
        QVERIFY(check_access(request, kSecret) == AccessFault::None);
    }

    void noSecretOpensNothing() {
        QVERIFY(!hearth::server::is_same_secret("", ""));
        QVERIFY(!hearth::server::is_same_secret("a", ""));
    }

    void newTokensDiffer() {
        const std::string one = hearth::server::make_token();
        QCOMPARE(one.size(), std::size_t{48});
        QVERIFY(hearth::server::is_usable_token(one));
        QVERIFY(one != hearth::server::make_token());
        QCOMPARE(hearth::server::make_id(9).size(), std::size_t{9});
        QVERIFY(hearth::server::make_id(9) != hearth::server::make_id(9));
    }

    void usableTokens() {
        for (const char* token :
             {"", "short", "sixteen letters ", "sixteen\tletters12", "sixteen-letters\x7f"}) {
            QVERIFY2(!hearth::server::is_usable_token(token), token);
        }
        QVERIFY(!hearth::server::is_usable_token(std::string(513, 'a')));
        QVERIFY(hearth::server::is_usable_token("sixteen-letters1"));
    }
};

QTEST_APPLESS_MAIN(AccessRulesTest)
#include "access_rules_test.moc"
