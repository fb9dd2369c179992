// A message that is being written, with the texts attached to it.
#include <QtTest>

#include "conversation/draft.h"
#include "markdown/long_text.h"

using namespace hearth::ui;

class DraftTest : public QObject {
    Q_OBJECT

private slots:
    void aDraftHasSoManyPieces();
    void aDraftIsSentInOrder();
    void aDraftComesBack();
};

// Beyond five the last one grows; the sign between them on the disk is in none of them.
void DraftTest::aDraftHasSoManyPieces() {
    Draft draft;
    QVERIFY(draft.isEmpty());
    for (int i = 1; i <= 5; ++i) {
        draft.attach(QString::number(i));
        QCOMPARE(draft.pieces.size(), i);
    }
    QVERIFY(!draft.isEmpty());
    draft.attach(QStringLiteral("6"));
    draft.attach(QStringLiteral("a\x1e") + QLatin1Char('b'));
    QCOMPARE(draft.pieces, QStringList({"1", "2", "3", "4", "5\n\n6\n\na b"}));
    Draft first;
    first.attach(QStringLiteral("a\x1e") + QLatin1Char('b'));
    QCOMPARE(first.pieces, QStringList({"a b"}));
}

void DraftTest::aDraftIsSentInOrder() {
    QCOMPARE((Draft{QStringLiteral("text"), {}}.message()), QStringLiteral("text"));
    QCOMPARE((Draft{QStringLiteral(" \n"), {}}.message()), QStringLiteral(" \n"));
    QCOMPARE((Draft{QStringLiteral("text"), {"one", "two"}}.message()),
             QStringLiteral("text\n\none\n\ntwo"));
    QCOMPARE((Draft{QStringLiteral(" \n"), {"one"}}.message()), QStringLiteral("one"));
    QVERIFY(!(Draft{QStringLiteral(" "), {}}.isEmpty()));
    QVERIFY(!(Draft{{}, {"one"}}.isEmpty()));
}

void DraftTest::aDraftComesBack() {
    for (const Draft& draft : {Draft{}, Draft{QStringLiteral("text"), {}}, Draft{{}, {"one"}},
                               Draft{QStringLiteral("a\nb "), {"one", "two"}}}) {
        QVERIFY2(Draft::fromStored(draft.stored()) == draft, qPrintable(draft.message()));
    }
    const QString odd = QStringLiteral("a\x1e") + QLatin1Char('b');
    QCOMPARE(Draft::fromStored(Draft{odd, {"one"}}.stored()),
             (Draft{QStringLiteral("a b"), {"one"}}));
    // An earlier version let somebody type more than the field takes now: it becomes the first.
    QString text(1000, QLatin1Char('x'));
    while (!isTooLongToEdit(text)) {
        text += text;
    }
    QCOMPARE(Draft::fromStored(Draft{text, {"one"}}.stored()), (Draft{{}, {text, "one"}}));
}

QTEST_GUILESS_MAIN(DraftTest)
#include "draft_test.moc"
