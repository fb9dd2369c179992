// Addresses, lists and refusals of servers elsewhere.
#include "remote/remote_server.h"

#include <QtTest>

using namespace hearth::ui;

class RemoteServerTest : public QObject {
    Q_OBJECT

private slots:
    void completesAddresses_data() {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<QString>("address");
        const auto row = [](const char* typed, const char* address) {
            QTest::addRow("%s", typed) << QString(typed) << QString(address);
        };
        row("https://example.org/v1", "https://example.org/v1");
        row(" https://Example.org/v1/ ", "https://example.org/v1");
        row("https://example.org", "https://example.org/v1");
        row("example.org", "https://example.org/v1");
        row("example.org:8443/api", "https://example.org:8443/api");
        row("https://example.org/v1/chat/completions", "https://example.org/v1");
        row("https://example.org/v1/models/", "https://example.org/v1");
        row("https://example.org/v1?key=1#x", "https://example.org/v1");
        row("localhost:8080", "http://localhost:8080/v1");
        row("127.0.0.1:8080/v1", "http://127.0.0.1:8080/v1");
        row("http://[::1]:8080", "http://[::1]:8080/v1");
    }
    void completesAddresses() {
        QFETCH(const QString, typed);
        QFETCH(const QString, address);
        QCOMPARE(serverAddress(typed).toString(QUrl::FullyEncoded), address);
        QCOMPARE(refusalOfServerAddress(serverAddress(typed)), QString());
    }
    // Words pass no network unencrypted, and no address has a password in it.
    void refusesAddresses() {
        for (const char* typed :
             {"http://example.org/v1", "http://10.0.0.2:8000", "http://127.0.0.1.example.org/v1",
              "http://localhost.example.org", "http://192.168.1.5:8080/v1"}) {
            QVERIFY2(refusalOfServerAddress(serverAddress(QString(typed)))
                         .contains(QLatin1String("must begin with https://")),
                     typed);
        }
        for (const char* typed :
             {"", "  ", "ftp://example.org/v1", "https://", "file:///etc/passwd",
              "https://me:word@example.org/v1", "https://a b/v1"}) {
            QVERIFY2(refusalOfServerAddress(serverAddress(QString(typed)))
                         .startsWith(QLatin1String("Enter the address")),
                     typed);
        }
    }
    void namesItsHost() {
        const auto host = [](const char* address) {
            RemoteServer server;
            server.address = serverAddress(QString::fromUtf8(address));
            return server.host();
        };
        QCOMPARE(host("https://example.org/v1"), QStringLiteral("example.org"));
        QCOMPARE(host("https://example.org:8443/v1"), QStringLiteral("example.org:8443"));
        // A letter that only looks like an "e" is seen.
        QVERIFY(host("https://\u0435xample.org/v1").startsWith(QLatin1String("xn--")));
    }
    void knowsThisComputer() {
        RemoteServer server;
        server.address = serverAddress(QStringLiteral("localhost:8080"));
        QVERIFY(server.isHere());
        QCOMPARE(server.endpoint(QStringLiteral("/models")),
                 QUrl(QStringLiteral("http://localhost:8080/v1/models")));
        server.address = serverAddress(QStringLiteral("https://example.org"));
        QVERIFY(!server.isHere());
    }
    void readsLists() {
        const ModelListAnswer answer = readModelList(
            R"({"object":"list","data":[{"id":"a","context_length":4096},{"id":"b"},{"id":"a"},{"id":7},{},{"id":"c","max_model_len":-3},{"id":"d\n"}]})");
        QCOMPARE(answer.problem, QString());
        QCOMPARE(answer.models, QList<ListedModel>({{"a", 4096}, {"b", 0}, {"c", 0}}));
        QCOMPARE(readModelList(R"([{"id":"a","max_model_len":512}])").models,
                 QList<ListedModel>({{"a", 512}}));
        QCOMPARE(readModelList(R"({"models":[{"id":"a","context_window":8}]})").models,
                 QList<ListedModel>({{"a", 8}}));
    }
    void saysWhatIsNoList() {
        for (const char* body : {"", "<html>", "{}", "{\"data\":3}", "7", "[", "\"data\""}) {
            QVERIFY2(readModelList(body).problem.startsWith(QLatin1String("This address answers")),
                     body);
        }
        QCOMPARE(readModelList("{\"data\":[]}").problem,
                 QStringLiteral("The server has no model now."));
        QCOMPARE(readModelList("[]").problem, QStringLiteral("The server has no model now."));
    }
    void boundsLists() {
        QByteArray body = "{\"data\":[{\"id\":\"" + QByteArray(kMostModelName + 1, 'x') + "\"}";
        for (int i = 0; i < kMostListedModels + 5; ++i) {
            body += ",{\"id\":\"" + QByteArray::number(i) + "\"}";
        }
        const ModelListAnswer answer = readModelList(body + "]}");
        QCOMPARE(answer.models.size(), kMostListedModels);
        QCOMPARE(answer.models.first().name, QStringLiteral("0"));
    }
    void saysWhatAnAnswerMeans() {
        const auto says = [](int status, const char* message = "", bool withKey = false) {
            return sentenceForAnswer(QStringLiteral("example.org"), status, QString(message),
                                     withKey);
        };
        QCOMPARE(says(401), QStringLiteral("example.org asks for a key."));
        QCOMPARE(says(401, "", true), QStringLiteral("example.org refuses the key."));
        QVERIFY(says(404).startsWith(QLatin1String("example.org has no such model")));
        QCOMPARE(says(429, "Wait 3 s"),
                 QStringLiteral("example.org asks for a pause: too many requests, or none left. It "
                                "says: “Wait 3 s”"));
        QCOMPARE(says(502), QStringLiteral("example.org has an error (502)."));
        QCOMPARE(says(400, "too long"),
                 QStringLiteral("example.org refuses this (400). It says: “too long”"));
    }
};

QTEST_GUILESS_MAIN(RemoteServerTest)
#include "remote_server_test.moc"
