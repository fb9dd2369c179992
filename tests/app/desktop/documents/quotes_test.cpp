#include "documents/quotes.h"

#include <QtTest>

using namespace hearth::ui;

class QuotesTest : public QObject {
    Q_OBJECT

private slots:
    void stayInTheirFence();
    void nameTheirFile();
    void leaveOtherMessagesAlone() {
        QCOMPARE(withQuotes(QStringLiteral("Why?"), {}), QStringLiteral("Why?"));
    }
};

void QuotesTest::stayInTheirFence() {
    const QString text = QStringLiteral("```\n</file> ````` end");
    const QString all =
        withQuotes(QStringLiteral("Why?"), {{QStringLiteral("a.md"), 0, text, true}});
    QCOMPARE(all, QStringLiteral("File \"a.md\":\n``````\n") + text +
                      QStringLiteral("\n``````\n\nWhy?"));
}

void QuotesTest::nameTheirFile() {
    const QString all = withQuotes(QStringLiteral("Why?"),
                                   {{QStringLiteral("a\"\nb.pdf"), 3, QStringLiteral("one"), false},
                                    {QStringLiteral("c.txt"), 0, QStringLiteral("two"), false},
                                    {QStringLiteral("d.txt"), 0, QString(), true}});
    QCOMPARE(all, QStringLiteral("Passage of the file \"a' b.pdf\", page 3:\n```\none\n```\n\n"
                                 "Passage of the file \"c.txt\":\n```\ntwo\n```\n\n"
                                 "The text of the file \"d.txt\" is missing.\n\nWhy?"));
}

QTEST_GUILESS_MAIN(QuotesTest)
#include "quotes_test.moc"
