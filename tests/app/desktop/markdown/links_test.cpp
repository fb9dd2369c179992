#include "markdown/links.h"

#include <QDesktopServices>
#include <QUrl>
#include <QtTest>

using namespace hearth::ui;

// In the place of the browser.
class LinkCatcher : public QObject {
    Q_OBJECT

public:
    QStringList opened;

public slots:
    void take(const QUrl& url) { opened << QString::fromLatin1(url.toEncoded()); }
};

class LinksTest : public QObject {
    Q_OBJECT

private slots:
    void showsWhereALinkLeads_data();
    void showsWhereALinkLeads();
    void cutsAllButTheHost();
    void opensWhatIsSafe();
};

void LinksTest::showsWhereALinkLeads_data() {
    QTest::addColumn<QString>("link");
    QTest::addColumn<QString>("host");
    QTest::addColumn<QString>("styled");
    QTest::addRow("plain") << "https://example.org/a?b=1&c=2"
                           << "example.org"
                           << "https://<b>example.org</b>/a?b=1&amp;c=2";
    QTest::addRow("user") << "https://my-bank.example@evil.example/x"
                          << "evil.example"
                          << "https://my-bank.example@<b>evil.example</b>/x";
    QTest::addRow("port") << "http://example.org:8080"
                          << "example.org"
                          << "http://<b>example.org</b>:8080";
    // A Cyrillic letter in the place of a Latin one.
    QTest::addRow("punycode") << QString::fromUtf8("https://\u0430pple.com/\u00e4")
                              << "xn--pple-43d.com"
                              << "https://<b>xn--pple-43d.com</b>/%C3%A4";
    QTest::addRow("six") << "http://[::1]/"
                         << "[::1]"
                         << "http://<b>[::1]</b>/";
    QTest::addRow("mail") << "mailto:a@example.org?subject=x"
                          << "example.org"
                          << "mailto:a@<b>example.org</b>?subject=x";
    QTest::addRow("mail with another one in it") << "mailto:a@example.org?cc=b@bank.example"
                                                 << "example.org"
                                                 << "mailto:a@<b>example.org</b>?cc=b@bank.example";
    QTest::addRow("mail to two hosts") << "mailto:a@bank.example@evil.example"
                                       << "evil.example"
                                       << "mailto:a@bank.example@<b>evil.example</b>";
    QTest::addRow("markup") << "https://example.org/<b>"
                            << "example.org"
                            << "https://<b>example.org</b>/%3Cb%3E";
    QTest::addRow("none") << "javascript:alert(1)"
                          << ""
                          << "<b></b>";
}

void LinksTest::showsWhereALinkLeads() {
    QFETCH(QString, link);
    QTEST(Links::host(link), "host");
    QTEST(Links::styled(link, false), "styled");
}

void LinksTest::cutsAllButTheHost() {
    const QString name = QStringLiteral("a.").repeated(60) + QStringLiteral("evil.example");
    const QString link = QStringLiteral("https://") + QString(500, QLatin1Char('b')) +
                         QLatin1Char('@') + name + QLatin1Char('/') +
                         QString(500, QLatin1Char('c'));
    const QString brief = Links::styled(link, true);
    QVERIFY2(brief.contains(QStringLiteral("…@<b>") + name + QStringLiteral("</b>/ccc")),
             qPrintable(brief));
    QVERIFY(brief.size() < 300);
    QVERIFY(Links::styled(link, false).size() > 1000);
}

void LinksTest::opensWhatIsSafe() {
    LinkCatcher catcher;
    for (const char* scheme : {"http", "https", "mailto", "file", "javascript", "ftp"}) {
        QDesktopServices::setUrlHandler(QString::fromLatin1(scheme), &catcher, "take");
    }
    for (const char* link : {"file:///etc/passwd", "javascript:alert(1)", "ftp://example.org/",
                             "https://", "", "/etc/passwd"}) {
        QVERIFY2(!Links::open(QString::fromLatin1(link)), link);
    }
    QVERIFY(catcher.opened.isEmpty());
    QVERIFY(Links::open(QStringLiteral("https://example.org/a b")));
    QVERIFY(Links::open(QStringLiteral("mailto:a@example.org")));
    QCOMPARE(catcher.opened, QStringList({"https://example.org/a%20b", "mailto:a@example.org"}));
    for (const char* scheme : {"http", "https", "mailto", "file", "javascript", "ftp"}) {
        QDesktopServices::unsetUrlHandler(QString::fromLatin1(scheme));
    }
}

QTEST_GUILESS_MAIN(LinksTest)
#include "links_test.moc"
