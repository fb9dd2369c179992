#include "documents/word_search.h"

#include <QSqlDatabase>
#include <QtTest>

using namespace hearth::ui;

class WordSearchTest : public QObject {
    Q_OBJECT

private slots:
    void asks_data();
    void asks();
    void ranks_data();
    void ranks();
    void takesAnyQuestion();
};

void WordSearchTest::asks_data() {
    QTest::addColumn<QString>("question");
    QTest::addColumn<QString>("match");
    QTest::newRow("words") << "When is Rent due? When!"
                           << R"("when" OR "is" OR "rent" OR "due")";
    QTest::newRow("none") << "  ?! \""
                          << "";
    QTest::newRow("operators are words") << "a AND NOT b*"
                                         << R"("a" OR "and" OR "not" OR "b")";
    QTest::newRow("pairs") << "房租多少"
                           << R"("房 租" OR "租 多" OR "多 少")";
    QTest::newRow("one ideograph") << "茶?"
                                   << R"("茶")";
    QTest::newRow("both") << "Hearth是什么"
                          << R"("hearth" OR "是 什" OR "什 么")";
}

void WordSearchTest::asks() {
    QFETCH(QString, question);
    QTEST(matchForQuestion(question), "match");
}

void WordSearchTest::ranks_data() {
    QTest::addColumn<QStringList>("passages");
    QTest::addColumn<QString>("question");
    QTest::addColumn<QList<int>>("found");
    const QStringList lease = {
        QStringLiteral("The landlord lets the flat to the tenant."),
        QStringLiteral("The rent is due on the third of each month."),
        QStringLiteral("Pets need the landlord's consent, but for small animals."),
        QStringLiteral("The notice period is three months."),
        QStringLiteral("Repairs up to 80 euros are paid by the tenant."),
        QStringLiteral("The tenant clears snow in the winter.")};
    QTest::newRow("the rare word counts") << lease << "When is the rent due?" << QList<int>{1};
    QTest::newRow("endings are cut") << lease << "Repairing?" << QList<int>{4};
    QTest::newRow("accents do not count")
        << QStringList{QStringLiteral("Une rivière"), QStringLiteral("Le café est fermé"),
                       QStringLiteral("La gare")}
        << "cafe" << QList<int>{1};
    QTest::newRow("Chinese words")
        << QStringList{QStringLiteral("租客每月三日付房租。"), QStringLiteral("宠物需要同意。"),
                       QStringLiteral("房子在城里。")}
        << "房租什么时候付?" << QList<int>{0};
    QTest::newRow("nothing") << lease << "Zebra" << QList<int>{};
}

void WordSearchTest::ranks() {
    QFETCH(QStringList, passages);
    QFETCH(QString, question);
    QFETCH(QList<int>, found);
    {
        QSqlDatabase database =
            QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("words"));
        database.setDatabaseName(QStringLiteral(":memory:"));
        QVERIFY(database.open() && WordSearch::create(database));
        WordSearch search(database);
        for (qsizetype i = 0; i < passages.size(); ++i) {
            QVERIFY(search.add(static_cast<int>(i), passages[i]));
        }
        const QList<PassageHit> hits = search.find(question, 3);
        QVERIFY(hits.size() <= 3);
        QCOMPARE(hits.isEmpty(), found.isEmpty());
        if (!found.isEmpty()) {
            QCOMPARE(hits.first().passage, found.first());
            for (qsizetype i = 1; i < hits.size(); ++i) {
                QVERIFY(hits[i - 1].score >= hits[i].score);
            }
        }
        QVERIFY(search.find(question, 1).size() <= 1);
        database.close();
    }
    QSqlDatabase::removeDatabase(QStringLiteral("words"));
}

void WordSearchTest::takesAnyQuestion() {
    QVERIFY(matchForQuestion(QString(100'000, QLatin1Char('x'))).size() > 0);
    QString many;
    for (int i = 0; i < 1000; ++i) {
        many += QStringLiteral("w%1 ").arg(i);
    }
    QCOMPARE(matchForQuestion(many).count(QStringLiteral(" OR ")), 63);
    QCOMPARE(wordsForIndex(QStringLiteral("ab中国c")), QStringLiteral("ab 中  国 c"));
}

QTEST_GUILESS_MAIN(WordSearchTest)
#include "word_search_test.moc"
