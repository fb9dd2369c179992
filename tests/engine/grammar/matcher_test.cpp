#include "grammar/matcher.h"

#include <QtTest>
#include <random>

#include "engine/grammar/grammar_fixture.h"

using hearth::Automaton;
using hearth::Matcher;
using hearth::test::Verdict;

namespace {

// A random right side over a, b, c and the rules root, p and q.
std::string random_side(std::mt19937& random, int depth) {
    const char* const atoms[] = {"\"a\"", "\"b\"", "\"ab\"", "\"\"", "[ab]",  "[^a]",
                                 ".",     "root",  "p",      "q",    "\"c\"", "[b-c]"};
    const char* const counts[] = {"*", "+", "?", "{2}", "{1,2}", "{0,2}", "{2,}"};
    std::string side;
    const auto parts = 1 + random() % 3;
    for (unsigned i = 0; i < parts; ++i) {
        side += i > 0 && random() % 3 == 0 ? " | " : " ";
        if (depth > 0 && random() % 3 == 0) {
            side += "(" + random_side(random, depth - 1) + ")";
        } else {
            side += atoms[random() % std::size(atoms)];
        }
        if (random() % 3 == 0) {
            side += counts[random() % std::size(counts)];
        }
    }
    return side;
}

std::vector<std::string> texts_up_to(std::size_t length) {
    std::vector<std::string> all{""};
    for (std::size_t first = 0, round = 0; round < length; ++round) {
        const std::size_t end = all.size();
        for (; first < end; ++first) {
            for (const char c : {'a', 'b', 'c'}) {
                all.push_back(all[first] + c);
            }
        }
    }
    return all;
}

hearth::Result<Automaton> compiled(const std::string& grammar) {
    const auto parsed = hearth::parse_gbnf(grammar);
    return parsed ? Automaton::compile(*parsed, "grammar")
                  : hearth::Result<Automaton>(parsed.error());
}

}  // namespace

class MatcherTest : public QObject {
    Q_OBJECT

private slots:
    // Random grammars, every text up to a length, against plain trying.
    void equals_trying_everything() {
        std::mt19937 random(12);
        const std::vector<std::string> texts =
            texts_up_to(qEnvironmentVariableIsSet("HEARTH_ALL_ROWS") ? 6 : 5);
        int grammars = 0;
        int whole = 0;
        for (int round = 0; round < 400; ++round) {
            std::string text;
            for (const char* rule : {"root", "p", "q"}) {
                text += std::string(rule) + " ::= " + random_side(random, 2) + "\n";
            }
            const auto parsed = hearth::parse_gbnf(text);
            QVERIFY2(parsed, text.c_str());
            const auto automaton = Automaton::compile(*parsed, "grammar");
            if (!automaton) {
                continue;  // left recursion
            }
            ++grammars;
            Matcher matcher(*automaton);
            std::set<std::string> begun;
            for (const std::string& one : texts) {
                Matcher::State state = matcher.start();
                for (const char c : one) {
                    state = matcher.step(state, static_cast<std::uint8_t>(c));
                }
                const bool wanted = hearth::test::matches_by_trying(*parsed, one);
                QVERIFY2(matcher.may_end(state) == wanted,
                         (text + "'" + one + "' wanted " + (wanted ? "yes" : "no")).c_str());
                whole += wanted ? 1 : 0;
                if (wanted) {  // so every beginning of it lives
                    Matcher::State part = matcher.start();
                    for (const char c : one) {
                        QVERIFY(part != Matcher::kDead);
                        part = matcher.step(part, static_cast<std::uint8_t>(c));
                    }
                }
            }
            QVERIFY(!matcher.overflowed());
        }
        QVERIFY2(grammars > 100 && whole > 1000,
                 qPrintable(QString("%1 %2").arg(grammars).arg(whole)));
    }

    void lists_by_recursion_at_the_end_stay_flat() {
        const auto automaton = compiled("root ::= item root | item\nitem ::= \"a\" | \"b\"");
        QVERIFY(automaton);
        Matcher matcher(*automaton);
        Matcher::State state = matcher.start();
        for (int i = 0; i < 100000; ++i) {  // far more than kMaxOpenRules
            state = matcher.step(state, i % 2 == 0 ? 'a' : 'b');
        }
        QVERIFY(matcher.may_end(state) && matcher.goes_on(state));
    }

    void nesting_ends_at_its_bound() {
        const auto automaton = compiled("root ::= \"(\" root \")\" | \"\"");
        QVERIFY(automaton);
        const auto nested = [&](std::uint32_t depth) {
            return hearth::test::verdict(*automaton,
                                         std::string(depth, '(') + std::string(depth, ')'));
        };
        QVERIFY(nested(Matcher::kMaxOpenRules) == Verdict::Whole);
        QVERIFY(nested(Matcher::kMaxOpenRules + 1) == Verdict::No);
    }

    // Each of them doubles its readings with every character or at once.
    void readings_are_bounded_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::newRow("two ends") << QByteArray(
            "root ::= \"x\" root \"y\" | \"x\" root \"z\" | \"x\"");
        QTest::newRow("three ends")
            << QByteArray("root ::= a\na ::= \"x\" a [y] | \"x\" a [z] | \"x\" a [yz] | \"x\"");
        QByteArray many = "root ::= r0\n";
        for (int i = 0; i < 30; ++i) {
            const QByteArray next = "r" + QByteArray::number(i + 1);
            many += "r" + QByteArray::number(i) + " ::= " + next + " \"a\" | " + next + " \"b\"\n";
        }
        QTest::newRow("calls at once") << many + "r30 ::= \"x\"";
    }
    void readings_are_bounded() {
        QFETCH(QByteArray, grammar);
        const auto automaton = compiled(grammar.toStdString());
        QVERIFY(automaton);
        Matcher matcher(*automaton);
        Matcher::State state = matcher.start();
        for (int i = 0; i < 100 && !matcher.overflowed(); ++i) {
            matcher.begin_work();
            state = matcher.step(state, 'x');
        }
        QVERIFY(matcher.overflowed());
        QCOMPARE(state, Matcher::kDead);
    }

    // A long text of ever new states is forgotten behind it, and what is kept goes on as before.
    void what_is_remembered_is_bounded() {
        const auto automaton =
            compiled("root ::= (\"(\" n \")\")\nn ::= [a-z]{0,90000} | \"(\" n \")\"");
        QVERIFY(automaton);
        Matcher matcher(*automaton);
        Matcher::State state = matcher.start();
        int times = 0;
        const auto go = [&](char c) {
            bool did_forget = false;
            state = matcher.tidy(state, did_forget);
            times += did_forget ? 1 : 0;
            state = matcher.step(state, static_cast<std::uint8_t>(c));
        };
        for (const char c : {'(', '(', '('}) {
            go(c);
        }
        for (int i = 0; i < 90000; ++i) {
            go('q');
            QVERIFY(state != Matcher::kDead);
        }
        QVERIFY(times > 0 && !matcher.overflowed());
        QVERIFY(matcher.step(state, 'q') == Matcher::kDead);
        for (int i = 0; i < 3; ++i) {
            QVERIFY(!matcher.may_end(state));
            go(')');
        }
        QVERIFY(matcher.may_end(state) && !matcher.goes_on(state));
    }

    // A text that may end still may when everything else was forgotten.
    void an_end_is_remembered() {
        const auto automaton = compiled("root ::= [a-z]{0,90000}");
        QVERIFY(automaton);
        Matcher matcher(*automaton);
        Matcher::State state = matcher.start();
        int times = 0;
        for (int i = 0; i < 90000; ++i) {
            bool did_forget = false;
            state = matcher.tidy(state, did_forget);
            times += did_forget ? 1 : 0;
            QVERIFY(matcher.may_end(state));
            state = matcher.step(state, 'q');
        }
        QVERIFY(times > 0);
    }
};

QTEST_GUILESS_MAIN(MatcherTest)
#include "matcher_test.moc"
