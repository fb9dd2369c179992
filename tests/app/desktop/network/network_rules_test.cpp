// Addresses and the user's rules about them.
#include <QHostAddress>
#include <QNetworkInterface>
#include <QtTest>

#include "network/network_rules.h"
#include "system/this_computer.h"

using namespace hearth::ui;

class NetworkRulesTest : public QObject {
    Q_OBJECT

private slots:
    void mirror_data() {
        QTest::addColumn<QString>("mirror");
        QTest::addColumn<QString>("asked");
        QTest::addColumn<QString>("there");
        const auto row = [](const char* name, const char* mirror, const char* asked,
                            const char* there) {
            QTest::addRow("%s", name) << QString(mirror) << QString(asked) << QString(there);
        };
        const char* const file = "https://huggingface.co/a/b/resolve/main/c%2Fd.gguf?download=1";
        row("none", "", file, file);
        row("host", "https://hf.example", file,
            "https://hf.example/a/b/resolve/main/c%2Fd.gguf?download=1");
        row("port and path", "http://nas:8080/hub/", file,
            "http://nas:8080/hub/a/b/resolve/main/c%2Fd.gguf?download=1");
        row("another host stays", "https://hf.example", "https://cdn.example/x",
            "https://cdn.example/x");
        row("a host that sounds alike", "https://hf.example", "https://huggingface.co.evil/x",
            "https://huggingface.co.evil/x");
        row("another port of the hub", "https://hf.example", "https://huggingface.co:444/x",
            "https://huggingface.co:444/x");
        row("no address", "ftp://hf.example", file, file);
    }
    void mirror() {
        QFETCH(QString, mirror);
        QFETCH(QString, asked);
        QFETCH(QString, there);
        const NetworkRules rules{.mirror = QUrl(mirror)};
        QCOMPARE(throughMirror(QUrl(asked), rules).toString(QUrl::FullyEncoded), there);
    }
    void webAddress_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("is");
        for (const char* text : {"https://a.example/x", "http://localhost:80", "https://[::1]/"}) {
            QTest::addRow("%s", text) << QString(text) << true;
        }
        for (const char* text :
             {"", "a.example/x", "file:///etc/passwd", "ftp://a/x", "https:///x",
              "https://me:word@a/x", "https://me@a/", "javascript:alert(1)", "data:,x"}) {
            QTest::addRow("not '%s'", text) << QString(text) << false;
        }
    }
    void webAddress() {
        QFETCH(QString, text);
        QTEST(isWebAddress(QUrl(text)), "is");
    }
    void thisComputer_data() {
        QTest::addColumn<QString>("host");
        QTest::addColumn<bool>("is");
        for (const char* host :
             {"localhost", "LocalHost", "127.0.0.1", "127.3.2.1", "::1", "::ffff:127.0.0.1"}) {
            QTest::addRow("%s", host) << QString(host) << true;
        }
        for (const QHostAddress& own : QNetworkInterface::allAddresses()) {
            QTest::addRow("own %s", qPrintable(own.toString())) << own.toString() << true;
        }
        for (const char* host : {"", "example.org", "localhost.example.org", "127.0.0.1.example",
                                 "128.0.0.1", "192.0.2.7", "::2", "notlocalhost"}) {
            QTest::addRow("not '%s'", host) << QString(host) << false;
        }
    }
    void thisComputer() {
        QFETCH(QString, host);
        QTEST(isThisComputer(host), "is");
    }
    void refusedAddresses() {
        for (const char* fine : {"https://a.example/x", "http://localhost:8080/x",
                                 "http://127.0.0.1/x", "http://[::1]:1/x"}) {
            QVERIFY2(refusalOfAddress(QUrl(QString(fine))).isEmpty(), fine);
        }
        QVERIFY(refusalOfAddress(QUrl(QStringLiteral("http://a.example/x")))
                    .contains(QLatin1String("on this computer alone")));
        for (const char* none : {"", "file:///etc/passwd", "https:///x", "a.gguf"}) {
            QVERIFY2(refusalOfAddress(QUrl(QString(none)))
                         .contains(QLatin1String("beginning with https://")),
                     none);
        }
    }
    void origin() {
        const QUrl home(QStringLiteral("https://a.example/x"));
        QVERIFY(sameOrigin(home, QUrl(QStringLiteral("https://A.example:443/y"))));
        for (const char* other : {"http://a.example/x", "https://b.example/x",
                                  "https://a.example:444/x", "https://x.a.example/x"}) {
            QVERIFY2(!sameOrigin(home, QUrl(QString(other))), other);
        }
        // Each scheme has a port of its own, and the same port is not the same scheme.
        const QUrl plain(QStringLiteral("http://a.example/x"));
        QVERIFY(sameOrigin(plain, QUrl(QStringLiteral("http://a.example:80/"))));
        QVERIFY(!sameOrigin(plain, QUrl(QStringLiteral("http://a.example:81/"))));
        QVERIFY(!sameOrigin(plain, QUrl(QStringLiteral("http://a.example:443/"))));
        QVERIFY(!sameOrigin(home, QUrl(QStringLiteral("https://a.example:80/"))));
        QVERIFY(!sameOrigin(home, QUrl(QStringLiteral("http://a.example:443/x"))));
        QVERIFY(!sameOrigin(plain, QUrl(QStringLiteral("https://a.example:80/x"))));
    }
    // Secrets of one site are shown to no other.
    void site() {
        const auto of = [](const char* url) { return siteOf(QUrl(QString(url))); };
        QCOMPARE(of("https://A.example/x?y"), QStringLiteral("a.example"));
        QCOMPARE(of("https://a.example:443"), QStringLiteral("a.example"));
        QCOMPARE(of("https://a.example:8443/v1"), QStringLiteral("https://a.example:8443"));
        QCOMPARE(of("https://a.example:80/"), QStringLiteral("https://a.example:80"));
        QCOMPARE(of("http://127.0.0.1/v1"), QStringLiteral("http://127.0.0.1:80"));
        QCOMPARE(of("http://localhost:8080/v1"), QStringLiteral("http://localhost:8080"));
        QCOMPARE(of("http://[::1]:8080/v1"), QStringLiteral("http://[::1]:8080"));
        QCOMPARE(of("https://me:word@a.example/"), QString());
        QCOMPARE(of("file:///etc/passwd"), QString());
    }
    void loopback() {
        for (const char* host : {"localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1"}) {
            QVERIFY2(isLoopback(QString(host)), host);
        }
        for (const char* host :
             {"", "127.0.0.1.example", "localhost.example", "128.0.0.1", "0.0.0.0", "10.0.0.1"}) {
            QVERIFY2(!isLoopback(QString(host)), host);
        }
    }
    void hub() {
        QCOMPARE(hubUrl(QStringLiteral("/a/b")).toString(),
                 QStringLiteral("https://huggingface.co/a/b"));
    }
    void proxy() {
        const QUrl url(QStringLiteral("https://a.example/x"));
        const QNetworkProxy socks(QNetworkProxy::Socks5Proxy, QStringLiteral("p.example"), 1080);
        QCOMPARE(proxyFor(url, {.proxy = socks}), socks);
        const QNetworkProxy none(QNetworkProxy::NoProxy);
        QCOMPARE(proxyFor(url, {.proxy = none}).type(), QNetworkProxy::NoProxy);
        // Nobody's wish: a direct connection, where the system has no proxy either.
        QVERIFY(proxyFor(url, {}).type() != QNetworkProxy::DefaultProxy);
    }
    void refusalsAreWhole() {
        QCOMPARE(refusalOfAddress(QUrl(QStringLiteral("a.gguf"))),
                 QStringLiteral("Enter the whole address of a file, beginning with https://."));
        QCOMPARE(refusalOfAddress(QUrl(QStringLiteral("http://a.example/x"))),
                 QStringLiteral(
                     "An address that begins with http:// is asked on this computer alone "
                     "(localhost): over a network others could change what comes unencrypted. Use "
                     "https://."));
    }
};

QTEST_GUILESS_MAIN(NetworkRulesTest)
#include "network_rules_test.moc"
