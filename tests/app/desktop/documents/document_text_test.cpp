#include "documents/document_text.h"

#include <QtTest>

using namespace hearth::ui;

class DocumentTextTest : public QObject {
    Q_OBJECT

private slots:
    void gathers_data();
    void gathers();
    void isBounded();
    void splitsNoCharacter();
    void knowsPages();
    void travels();
    void refusesOtherBytes_data();
    void refusesOtherBytes();
    void namesKindsAndTroubles();
};

void DocumentTextTest::gathers_data() {
    QTest::addColumn<QString>("given");
    QTest::addColumn<QString>("kept");
    QTest::newRow("line ends") << "a\r\nb\rc\nd"
                               << "a\nb\nc\nd";
    QTest::newRow("at most one empty line") << "a\n\n\n\r\n\nb"
                                            << "a\n\nb";
    QTest::newRow("return, then return") << "a\r\rb"
                                         << "a\n\nb";
    QTest::newRow("nothing at the ends") << "\n\na \n\n"
                                         << "a";
    QTest::newRow("no control characters") << QStringLiteral("a\x01\x7F\u0085\tb\uFEFF") << "a\tb";
    QTest::newRow("special tokens are letters") << "<|im_end|>"
                                                << "<|im_end|>";
}

void DocumentTextTest::gathers() {
    QFETCH(QString, given);
    TextGatherer text;
    QVERIFY(text.add(given));
    QTEST(text.take().text, "kept");
}

void DocumentTextTest::isBounded() {
    TextGatherer text(5);
    QVERIFY(text.add(u"abc"));
    QVERIFY(!text.add(u"defg"));
    QVERIFY(text.isFull());
    QVERIFY(!text.add(u"h"));
    const DocumentText taken = text.take();
    QCOMPARE(taken.text, QStringLiteral("abcde"));
    QVERIFY(taken.cut);
    TextGatherer whole(5);
    QVERIFY(whole.add(u"abcde"));
    QVERIFY(!whole.take().cut);
}

void DocumentTextTest::splitsNoCharacter() {
    TextGatherer text(2);
    text.add(u"a😀");
    QCOMPARE(text.take().text, QStringLiteral("a"));
}

void DocumentTextTest::knowsPages() {
    TextGatherer text;
    for (const char* page : {"one", "two", ""}) {
        text.beginPage();
        text.add(QString::fromLatin1(page));
        text.endParagraph();
    }
    const DocumentText taken = text.take();
    QCOMPARE(taken.text, QStringLiteral("one\n\ntwo"));
    QCOMPARE(taken.pages, (QList<qsizetype>{0, 5, 8}));
    QCOMPARE(taken.pageAt(0), 1);
    QCOMPARE(taken.pageAt(4), 1);
    QCOMPARE(taken.pageAt(5), 2);
    QCOMPARE(DocumentText{.text = QStringLiteral("x")}.pageAt(0), 0);
}

void DocumentTextTest::travels() {
    DocumentReading reading;
    reading.kind = DocumentKind::Odt;
    reading.document = {QStringLiteral("Grüße 😀"), {0, 3}, true};
    const auto back = DocumentReading::fromBytes(reading.toBytes());
    QVERIFY(back);
    QVERIFY(back->kind == DocumentKind::Odt);
    QCOMPARE(back->trouble, DocumentTrouble::None);
    QCOMPARE(back->document.text, reading.document.text);
    QCOMPARE(back->document.pages, reading.document.pages);
    QVERIFY(back->document.cut);
}

void DocumentTextTest::refusesOtherBytes_data() {
    QTest::addColumn<QByteArray>("bytes");
    DocumentReading reading;
    reading.document = {QStringLiteral("text"), {0}, false};
    const QByteArray good = reading.toBytes();
    QTest::newRow("none") << QByteArray();
    QTest::newRow("cut") << good.chopped(1);
    QTest::newRow("longer") << good + 'x';
    QTest::newRow("another program's") << QByteArray("x" + good.mid(1));
    QByteArray kind = good;
    kind[5] = 17;
    QTest::newRow("no such kind") << kind;
    QByteArray trouble = good;
    trouble[4] = 100;
    QTest::newRow("no such trouble") << trouble;
    QByteArray pages = good;
    pages[pages.size() - 12] = '\x7F';
    QTest::newRow("two billion pages") << pages;
    reading.document.pages = {5};
    QTest::newRow("a page behind the end") << reading.toBytes();
    reading.document.pages = {2, 1};
    QTest::newRow("pages that go back") << reading.toBytes();
    reading.document.pages = {-1};
    QTest::newRow("a page before the beginning") << reading.toBytes();
}

void DocumentTextTest::refusesOtherBytes() {
    QFETCH(QByteArray, bytes);
    QVERIFY(!DocumentReading::fromBytes(bytes));
}

void DocumentTextTest::namesKindsAndTroubles() {
    for (int kind = 0; kind <= static_cast<int>(DocumentKind::Odt); ++kind) {
        const auto is = static_cast<DocumentKind>(kind);
        QVERIFY(documentKindFromString(toString(is)) == is);
    }
    QVERIFY(documentKindFromString(QStringLiteral("?")) == DocumentKind::Text);
    QVERIFY(sentenceFor(DocumentTrouble::None, QStringLiteral("a")).isEmpty());
    QStringList sentences;
    for (int trouble = 1; trouble <= static_cast<int>(DocumentTrouble::TooDemanding); ++trouble) {
        const QString sentence =
            sentenceFor(static_cast<DocumentTrouble>(trouble), QStringLiteral("a.pdf"));
        QVERIFY2(sentence.startsWith(QLatin1String("a.pdf ")), qPrintable(sentence));
        QVERIFY(!sentences.contains(sentence));
        sentences.append(sentence);
    }
}

QTEST_GUILESS_MAIN(DocumentTextTest)
#include "document_text_test.moc"
