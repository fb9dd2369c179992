// How words are looked for: folding, queries, what FTS5 is asked, and the line around a hit.
#include "store/search_text.h"

#include <QSet>
#include <QtTest>

using namespace hearth::ui;

class SearchTextTest : public QObject {
    Q_OBJECT

private slots:
    void folds_data();
    void folds();
    void cutsQueries_data();
    void cutsQueries();
    void gramsStandOnce();
    void asks_data();
    void asks();
    void showsALine_data();
    void showsALine();
    void longLinesAreCut();
};

void SearchTextTest::folds_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QString>("folded");
    const auto row = [](const char* name, const QString& text, const QString& folded) {
        QTest::newRow(name) << text << folded;
    };
    row("Latin", QStringLiteral("Straße ÄÖÜ"), QStringLiteral("straße äöü"));
    row("Cyrillic", QStringLiteral("Привет"), QStringLiteral("привет"));
    row("Chinese", QStringLiteral("中国"), QStringLiteral("中国"));
    row("blanks", QStringLiteral("a\n\tb\u00a0c\u3000d"), QStringLiteral("a  b c d"));
    row("no text", QStringLiteral("a") + QChar(0) + QLatin1Char('b'), QStringLiteral("a b"));
    row("two units", QStringLiteral("\U00010400 \U0001F600"),
        QStringLiteral("\U00010428 \U0001F600"));
    row("half a letter", QStringLiteral("a") + QChar(0xD83D) + QLatin1Char('b'),
        QStringLiteral("a b"));
    row("the other half", QStringLiteral("a") + QChar(0xDE00), QStringLiteral("a "));
    row("nothing", QString(), QString());
}

void SearchTextTest::folds() {
    QFETCH(const QString, text);
    QTEST(foldForSearch(text), "folded");
    QCOMPARE(foldForSearch(text).size(), text.size());
}

void SearchTextTest::cutsQueries_data() {
    QTest::addColumn<QString>("query");
    QTest::addColumn<QStringList>("words");
    const auto row = [](const char* query, const QStringList& words) {
        QTest::newRow(query) << QString::fromUtf8(query) << words;
    };
    row("", {});
    row(" \n", {});
    row("Rain", {"rain"});
    row("rain Rain", {"rain"});
    row("old bread", {"old", "bread"});
    row("\"old bread\" C#", {"old bread", "c#"});
    row("\"old bread", {"old", "bread"});
    row("\"\" a", {"a"});
    row("\" \"", {});
    row("a\"b", {"a", "b"});
    row("中国 人", {"中国", "人"});
    row("e\u0301", {"é"});
}

void SearchTextTest::cutsQueries() {
    QFETCH(const QString, query);
    QTEST(searchWords(query), "words");
}

void SearchTextTest::gramsStandOnce() {
    const QStringList grams =
        gramsOf(QStringLiteral("aba 中国中")).split(QLatin1Char(' '), Qt::SkipEmptyParts);
    QCOMPARE(QSet<QString>(grams.begin(), grams.end()),
             QSet<QString>({"a", "b", "ab", "ba", "中", "国", "中国", "国中", "ba\u00a0中国"}));
    QCOMPARE(grams.size(), 9);
    QCOMPARE(gramsOf(QStringLiteral("\U0001F600")).trimmed(), QStringLiteral("\U0001F600"));
    QCOMPARE(gramsOf({}), QString());
}

void SearchTextTest::asks_data() {
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QString>("triples");
    QTest::addColumn<QString>("grams");
    const auto row = [](const char* name, const QStringList& words, const char* triples,
                        const char* grams) {
        QTest::newRow(name) << words << QString::fromUtf8(triples) << QString::fromUtf8(grams);
    };
    row("a letter", {"a"}, "", "\"a\"");
    row("a pair", {"中国"}, "", "\"中国\"");
    row("two", {"a", "中国"}, "", "\"a\" AND \"中国\"");
    row("three letters", {"abc"}, "\"abc\"", "");
    row("five letters", {"abcab"}, "\"abc\" AND \"bca\" AND \"cab\"", "");
    row("a short one and a long one", {"ab", "xyz"}, "\"xyz\"", "\"ab\"");
    row("a phrase", {"old bread"},
        "\"old\" AND \"ld \" AND \"d b\" AND \" br\" AND \"bre\" AND \"rea\" AND \"ead\"",
        "\"ld\u00a0br\"");
    row("a phrase of short words", {"go a b c do"}, "",
        "\"go\u00a0a\u00a0\" AND \"\u00a0a\u00a0b\u00a0\" AND \"\u00a0b\u00a0c\u00a0\""
        " AND \"\u00a0c\u00a0do\"");
    row("no letters on one side", {"a bread"},
        "\"a b\" AND \" br\" AND \"bre\" AND \"rea\" AND \"ead\"", "");
    row("signs", {"a\"b"}, "\"a\"\"b\"", "");
    row("a letter of two units", {"\U0001F600"}, "", "\"\U0001F600\"");
    row("nothing", {}, "", "");
}

void SearchTextTest::asks() {
    QFETCH(const QStringList, words);
    const SearchMatch match = matchFor(words);
    QTEST(match.triples, "triples");
    QTEST(match.grams, "grams");
}

void SearchTextTest::showsALine_data() {
    QTest::addColumn<QString>("text");
    QTest::addColumn<QStringList>("words");
    QTest::addColumn<QStringList>("line");  // before, match, after; empty: not found
    const auto row = [](const char* name, const char* text, const QStringList& words,
                        const QStringList& line) {
        QTest::newRow(name) << QString::fromUtf8(text) << words << line;
    };
    row("in the middle", "An old Bread here", {"bread"}, {"An old ", "Bread", " here"});
    row("at the beginning", "Bread", {"bread"}, {"", "Bread", ""});
    row("over a line break", "old\n\nbread", {"bread"}, {"old ", "bread", ""});
    row("the first of two", "one two", {"two", "one"}, {"", "one", " two"});
    row("not all of them", "one two", {"two", "three"}, {});
    row("in Chinese", "我爱中国人", {"中国"}, {"我爱", "中国", "人"});
}

void SearchTextTest::showsALine() {
    QFETCH(const QString, text);
    QFETCH(const QStringList, words);
    QFETCH(const QStringList, line);
    const auto found = lineAround(text, words);
    QCOMPARE(found.has_value(), !line.isEmpty());
    if (found) {
        QCOMPARE(QStringList({found->before, found->match, found->after}), line);
    }
}

void SearchTextTest::longLinesAreCut() {
    const QString face = QStringLiteral("\U0001F600");
    const QString far = face.repeated(200);
    const auto found = lineAround(far + QStringLiteral("x") + far, {QStringLiteral("x")});
    QVERIFY(found.has_value());
    QVERIFY(found->before.startsWith(QStringLiteral("…") + face));
    QVERIFY(found->after.endsWith(face + QStringLiteral("…")));
    QVERIFY(found->before.size() + found->after.size() < 200);
}

QTEST_GUILESS_MAIN(SearchTextTest)
#include "search_text_test.moc"
