#include "documents/passages.h"

#include <QtTest>

using namespace hearth::ui;

class PassagesTest : public QObject {
    Q_OBJECT

private slots:
    void coverTheText_data();
    void coverTheText();
    void endAtTheBestPlace_data();
    void endAtTheBestPlace();
    void splitNoCharacter();
    void heedPages();
};

void PassagesTest::coverTheText_data() {
    QTest::addColumn<QString>("text");
    QTest::newRow("empty") << QString();
    QTest::newRow("short") << "One.";
    QTest::newRow("as long as one") << QString(kPassageMost, QLatin1Char('x'));
    QTest::newRow("one longer") << QString(kPassageMost + 1, QLatin1Char('x'));
    QTest::newRow("words") << QStringLiteral("word ").repeated(3000);
    QTest::newRow("sentences") << QStringLiteral("It is so. ").repeated(3000);
    QTest::newRow("lines") << QStringLiteral("a line\n").repeated(3000);
    QTest::newRow("Chinese") << QStringLiteral("中国人喜欢面条。").repeated(1000);
    QTest::newRow("no seam") << QStringLiteral("x").repeated(10'000);
    QTest::newRow("faces") << QStringLiteral("x") + QStringLiteral("😀").repeated(5000);
}

void PassagesTest::coverTheText() {
    QFETCH(QString, text);
    qsizetype at = 0;
    for (const Passage& passage : cutPassages({text})) {
        QCOMPARE(passage.begin, at);
        QVERIFY(passage.length > 0 && passage.length <= kPassageMost);
        at += passage.length;
    }
    QCOMPARE(at, text.size());
}

void PassagesTest::endAtTheBestPlace_data() {
    QTest::addColumn<QString>("first");
    QTest::addColumn<QString>("second");
    const QString filler = QStringLiteral("word ").repeated(100);  // 500 characters
    QTest::newRow("a paragraph before a line") << filler + "end\n\n"
                                               << "more\nmore. " + filler;
    QTest::newRow("a line before a sentence") << filler + "end\n"
                                              << "more. " + filler;
    QTest::newRow("a sentence before a word") << filler + "end. " << filler + filler;
    QTest::newRow("an ideographic full stop")
        << QStringLiteral("字").repeated(500) + "。" << QStringLiteral("字").repeated(600);
}

void PassagesTest::endAtTheBestPlace() {
    QFETCH(QString, first);
    QFETCH(QString, second);
    const DocumentText document{first + second};
    const QList<Passage> passages = cutPassages(document);
    QVERIFY(passages.size() >= 2);
    QCOMPARE(document.text.mid(0, passages[0].length), first);
}

void PassagesTest::splitNoCharacter() {
    const DocumentText document{QStringLiteral("x") + QStringLiteral("😀").repeated(2000)};
    for (const Passage& passage : cutPassages(document)) {
        QVERIFY(!document.text[passage.begin].isLowSurrogate());
    }
}

void PassagesTest::heedPages() {
    DocumentText document{QStringLiteral("one two three")};
    document.pages = {0, 4, 4, 8};  // the second page is empty
    QCOMPARE(cutPassages(document), (QList<Passage>{{0, 4}, {4, 4}, {8, 5}}));
    // A page begins in the middle of what would be the second passage.
    DocumentText longer{QStringLiteral("word ").repeated(400)};
    longer.pages = {0, 1000};
    const QList<Passage> passages = cutPassages(longer);
    QCOMPARE(passages[1].begin + passages[1].length, 1000);
    QCOMPARE(longer.pageAt(passages[1].begin), 1);
    QCOMPARE(longer.pageAt(passages[2].begin), 2);
}

QTEST_GUILESS_MAIN(PassagesTest)
#include "passages_test.moc"
