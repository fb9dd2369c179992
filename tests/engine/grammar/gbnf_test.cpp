#include "grammar/gbnf.h"

#include <QtTest>

#include "engine/grammar/grammar_fixture.h"

using hearth::test::Verdict;

class GbnfTest : public QObject {
    Q_OBJECT

private slots:
    // whole, begun: texts, separated by |; no: texts that the grammar has no place for.
    void a_construct_means_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::addColumn<QByteArrayList>("whole");
        QTest::addColumn<QByteArrayList>("begun");
        QTest::addColumn<QByteArrayList>("no");
        const auto row = [](const char* name, const char* grammar, const QByteArrayList& whole,
                            const QByteArrayList& begun, const QByteArrayList& no) {
            QTest::newRow(name) << QByteArray(grammar) << whole << begun << no;
        };
        row("a literal", "root ::= \"ab\"", {"ab"}, {"", "a"}, {"b", "abc", "aB"});
        row("the empty literal", "root ::= \"\"", {""}, {}, {"a"});
        row("nothing", "root ::= ", {""}, {}, {"a"});
        row("alternatives", "root ::= \"a\" | \"bc\" | \"b\"", {"a", "b", "bc"}, {""}, {"c", "ab"});
        row("an empty alternative", "root ::= \"a\" | ", {"", "a"}, {}, {"b"});
        row("a sequence of rules", "root ::= x y x\nx ::= \"1\"\ny ::= \"2\"", {"121"}, {"12"},
            {"11", "122"});
        row("a set", "root ::= [a-cx]", {"a", "b", "c", "x"}, {""}, {"d", "-", "aa"});
        row("a set with -", "root ::= [a-] [\\-b]", {"a-", "--", "-b"}, {"a"}, {"ba", "a]"});
        row("a negated set", "root ::= [^a-c\\n]", {"d", "\xC3\xA9", "\xF0\x9F\x98\x80"},
            {"", "\xC3", "\xF0\x9F"}, {"a", "\n", "\xA9", "\xED\xA0\x80"});
        row("any character", "root ::= .", {"a", "\n", "\xE2\x82\xAC"}, {"", "\xE2\x82"},
            {"\xFF", "ab"});
        row("a group", "root ::= \"a\" (\"b\" | \"c\") \"d\"", {"abd", "acd"}, {"ab"},
            {"ad", "abcd"});
        row("a star", "root ::= \"a\"* \"b\"", {"b", "ab", "aaab"}, {"", "aaa"}, {"ba"});
        row("a plus", "root ::= \"ab\"+", {"ab", "abab"}, {"", "a", "aba"}, {"b"});
        row("a question mark", "root ::= \"a\"? \"b\"?", {"", "a", "b", "ab"}, {}, {"ba", "aa"});
        row("counted", "root ::= \"a\"{2} \"b\"{1,} \"c\"{0,2} \"d\"{,1}",
            {"aab", "aabbb", "aabcc", "aabd", "aabccd"}, {"a", "aa"},
            {"ab", "aac", "aabccc", "aabdd"});
        row("counted nothing", "root ::= \"a\"{0} \"b\"", {"b"}, {""}, {"a"});
        row("repeated twice", "root ::= \"a\"{2}{2}", {"aaaa"}, {"aa", "aaa"}, {"aaaaa"});
        row("of a repeated nothing", "root ::= (\"a\"*)* \"\"+ (\"b\"?){3}", {"", "aa", "abbb"}, {},
            {"bbbb", "ba"});
        row("escapes", "root ::= \"\\x41\\u00e9\\U0001F600\\t\\\\\\\"\\n\" [\\]\\[\\x62]",
            {"A\xC3\xA9\xF0\x9F\x98\x80\t\\\"\n]", "A\xC3\xA9\xF0\x9F\x98\x80\t\\\"\n[",
             "A\xC3\xA9\xF0\x9F\x98\x80\t\\\"\nb"},
            {"A\xC3"}, {"x"});
        row("characters as they are", "root ::= \"\xE2\x82\xAC\" [\xC3\xA4-\xC3\xBC]",
            {"\xE2\x82\xAC\xC3\xB6"}, {"\xE2"}, {"\xE2\x82\xAC\xC3\xBD"});
        row("comments and lines",
            "# first\n\nroot ::= # here too\n  \"a\" b # \"c\"\n\n  # between\r\nb ::= (\n\"x\" # "
            "in "
            "a group\n | \"y\"\n)\n",
            {"ax", "ay"}, {"a"}, {"az"});
        row("a rule over lines", "root ::= \"a\"\n  | \"b\" |\n \"c\"\nd ::= \"d\"",
            {"a", "b", "c"}, {""}, {"d"});
        row("a name that ends a line", "root ::= a\na ::= \"x\"", {"x"}, {""}, {"a"});
        row("a literal with #", "root ::= \"#\" [#]", {"##"}, {"#"}, {"# "});
        row("right recursion", "root ::= \"a\" root | \"b\"", {"b", "ab", "aaaab"}, {"", "aa"},
            {"ba"});
        row("recursion in the middle", "root ::= \"(\" root \")\" | \"\"", {"", "()", "((()))"},
            {"(", "(()"}, {")", "())"});
        row("two ways to read", "root ::= a b\na ::= \"x\"*\nb ::= \"x\"* \"y\"", {"y", "xxy"},
            {"", "x"}, {"yy"});
        row("rules that match nothing first", "root ::= a root \"x\" | \"y\"\na ::= \"b\" | \"c\"",
            {"y", "byx", "bcyxx"}, {"b"}, {"x", "by."});
        row("names", "root ::= a-b_C9\na-b_C9 ::= \"1\"", {"1"}, {""}, {"a"});
    }
    void a_construct_means() {
        QFETCH(QByteArray, grammar);
        QFETCH(QByteArrayList, whole);
        QFETCH(QByteArrayList, begun);
        QFETCH(QByteArrayList, no);
        const auto parsed = hearth::parse_gbnf(grammar.toStdString());
        QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
        const auto automaton = hearth::Automaton::compile(*parsed, "grammar");
        QVERIFY2(automaton, automaton ? "" : automaton.error().message.c_str());
        const auto check = [&](const QByteArrayList& texts, Verdict wanted) {
            for (const QByteArray& text : texts) {
                QVERIFY2(hearth::test::verdict(*automaton, text.toStdString()) == wanted,
                         text.constData());
                QCOMPARE(hearth::test::matches_by_trying(*parsed, text.toStdString()),
                         wanted == Verdict::Whole);
            }
        };
        check(whole, Verdict::Whole);
        check(begun, Verdict::Begun);
        check(no, Verdict::No);
    }

    void a_mistake_is_named_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::addColumn<QString>("message");
        const auto row = [](const char* grammar, const char* message) {
            QTest::addRow("%s: %s", grammar, message) << QByteArray(grammar) << QString(message);
        };
        row("", "line 1, column 1: rule \"root\" is missing");
        row("a ::= \"x\"\n", "line 2, column 1: rule \"root\" is missing");
        row("root ::= a\nb ::= c", "line 1, column 10: rule \"a\" is not defined");
        row("root ::= \"\xC3\xA4\" a", "line 1, column 14: rule \"a\" is not defined");
        row("root ::= \"a\"\nroot ::= \"b\"", "line 2, column 1: rule \"root\" stands twice");
        row("root \"a\"", "line 1, column 6: ::= is missing after \"root\"");
        row("::= \"a\"", "line 1, column 1: a rule's name is missing");
        row("root ::= \"a", "line 1, column 10: this \" is never closed");
        row("root ::= \"a\n\"", "line 1, column 10: this \" is never closed");
        row("root ::= [a", "line 1, column 10: this [ is never closed");
        row("root ::= (\"a\"\n", "line 1, column 10: this ( is never closed");
        row("root ::= \"a\")", "line 1, column 13: a ) without its (");
        row("root ::= \"a\" \xE2\x82\xAC",
            "line 1, column 14: \"\xE2\x82\xAC\" is not part of a rule");
        row("root ::= *", "line 1, column 10: * has nothing before it to repeat");
        row("root ::= \"a\" | {2}", "line 1, column 16: { has nothing before it to repeat");
        row("root ::= \"a\"{}", "line 1, column 13: { wants numbers: {n}, {n,}, {,m} or {n,m}");
        row("root ::= \"a\"{,}", "line 1, column 13: { wants numbers: {n}, {n,}, {,m} or {n,m}");
        row("root ::= \"a\"{2", "line 1, column 13: { wants numbers: {n}, {n,}, {,m} or {n,m}");
        row("root ::= \"a\"{3,2}", "line 1, column 13: at least 3 and at most 2 repetitions");
        row("root ::= \"a\"{100001}", "line 1, column 14: more than 100000 repetitions");
        row("root ::= \"\\q\"", "line 1, column 11: an unknown escape");
        row("root ::= \"\\x4\"", "line 1, column 11: this escape wants 2 hexadecimal digits");
        row("root ::= [\\uD800]", "line 1, column 11: this escape is no character");
        row("root ::= [\\U00110000]", "line 1, column 11: this escape is no character");
        row("root ::= [z-a]",
            "line 1, column 11: the end of this range stands before its beginning");
        row("root ::= []", "line 1, column 10: no character is in this set");
        row("root ::= [^\\x00-\\U0010FFFF]", "line 1, column 10: no character is in this set");
        row("root ::= \"\xFF\"", "line 1, column 11: bytes that are not UTF-8");
        row("root ::= <[12]>",
            "line 1, column 10: tokens (<...>) cannot be named in a grammar here");
        row("root ::= !\"a\"",
            "line 1, column 10: tokens (<...>) cannot be named in a grammar here");
    }
    void a_mistake_is_named() {
        QFETCH(QByteArray, grammar);
        QFETCH(QString, message);
        const auto parsed = hearth::parse_gbnf(grammar.toStdString());
        QVERIFY(!parsed);
        QVERIFY(parsed.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(parsed.error().field, std::string("grammar"));
        QCOMPARE(QString::fromStdString(parsed.error().message), "grammar: " + message);
    }

    void left_recursion_is_refused_by_name_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::addColumn<QString>("rule");  // empty: fine
        const auto row = [](const char* grammar, const char* rule) {
            QTest::newRow(grammar) << QByteArray(grammar) << QString(rule);
        };
        row("root ::= root \"a\" | \"b\"", "root");
        row("root ::= root", "root");
        row("root ::= \"x\" a\na ::= b \"y\"\nb ::= a | \"z\"", "a");
        row("root ::= a\na ::= n a \"x\"\nn ::= \"\"", "a");   // n matches nothing
        row("root ::= a\na ::= (\"y\"?)* a \"x\"", "a");       // neither does a star
        row("root ::= a\na ::= n{3} a \"x\"\nn ::= [z]", "");  // n takes a character
        row("root ::= \"(\" root \")\" | \"\"", "");
        row("root ::= ((\"a\"?)*)* (\"\" | \"\")*", "");  // loops that are no calls
        row("root ::= a a a\na ::= \"\" | \"b\" root", "");
        row("root ::= \"x\"\nunused ::= unused", "unused");
    }
    void left_recursion_is_refused_by_name() {
        QFETCH(QByteArray, grammar);
        QFETCH(QString, rule);
        const auto parsed = hearth::parse_gbnf(grammar.toStdString());
        QVERIFY(parsed);
        const auto automaton = hearth::Automaton::compile(*parsed, "grammar");
        QCOMPARE(bool(automaton), rule.isEmpty());
        if (!automaton) {
            const auto message = QString::fromStdString(automaton.error().message);
            QVERIFY2(message.startsWith("grammar: rule \"" + rule + "\" may call itself") ||
                         (rule == "a" && message.startsWith("grammar: rule \"b\" may call itself")),
                     qPrintable(message));
        }
    }

    // Texts that would take for ever end in an error at once.
    void hostile_grammars_are_refused_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const QByteArray& grammar, const char* says) {
            QTest::newRow(name) << grammar << QByteArray(says);
        };
        row("nested repetitions", "root ::= \"a\"{99999}{99999}{99999}", "more than 524288 states");
        row("optional ones", "root ::= (\"a\"{,9999}){,9999}", "more than 524288 states");
        row("many parentheses", "root ::= " + QByteArray(100000, '('), "more than 64 open");
        row("many repetitions of one", "root ::= \"a\"" + QByteArray(1000, '*'), "more than 64");
        row("a long text", "root ::= \"" + QByteArray(600000, 'a') + "\"", "has 600011 bytes");
        QByteArray rules = "root ::= \"a\"\n";
        QByteArray names = "root ::=";
        for (int i = 0; i < 9000; ++i) {
            rules += "r" + QByteArray::number(i) + " ::= \"a\"\n";
            names += " r" + QByteArray::number(i);
        }
        row("many rules", rules, "more than 8192 rules");
        row("many names", names, "more than 8192 rules");
        row("many expressions", "root ::= " + QByteArray(300000, '.'), "more than 262144");
    }
    void hostile_grammars_are_refused() {
        QFETCH(QByteArray, grammar);
        QFETCH(QByteArray, says);
        const auto parsed = hearth::parse_gbnf(grammar.toStdString());
        const auto automaton = parsed ? hearth::Automaton::compile(*parsed, "grammar")
                                      : hearth::Result<hearth::Automaton>(parsed.error());
        QVERIFY(!automaton);
        QVERIFY2(automaton.error().message.find(says.toStdString()) != std::string::npos,
                 automaton.error().message.c_str());
    }

    // Repeating nothing adds nothing.
    void repeated_nothings_are_fine() {
        const auto parsed = hearth::parse_gbnf("root ::= \"\"{99999}{99999}{99999} \"a\"");
        QVERIFY(parsed);
        const auto automaton = hearth::Automaton::compile(*parsed, "grammar");
        QVERIFY(automaton);
        QVERIFY(hearth::test::verdict(*automaton, "a") == Verdict::Whole);
    }
};

QTEST_GUILESS_MAIN(GbnfTest)
#include "gbnf_test.moc"
