#include "grammar/code_points.h"

#include <QtTest>
#include <algorithm>
#include <random>
#include <set>

#include "grammar/automaton.h"
#include "grammar/grammar.h"
#include "grammar/matcher.h"
#include "text/utf8.h"

using hearth::CodePointRange;
using hearth::CodePoints;

class CodePointsTest : public QObject {
    Q_OBJECT

private slots:
    void ranges_are_put_in_order() {
        QCOMPARE(hearth::code_points({{'x', 'z'}, {'a', 'c'}, {'d', 'f'}, {'b', 'b'}, {9, 8}}),
                 (CodePoints{{'a', 'f'}, {'x', 'z'}}));
        QCOMPARE(hearth::code_points({{0xD700, 0xE000}, {0x10FFFE, 0xFFFFFFFF}, {0xD800, 0xDFFF}}),
                 (CodePoints{{0xD700, 0xD7FF}, {0xE000, 0xE000}, {0x10FFFE, 0x10FFFF}}));
        QCOMPARE(hearth::all_but({}), (CodePoints{{0, 0xD7FF}, {0xE000, 0x10FFFF}}));
        QCOMPARE(hearth::all_but(hearth::code_points({{0, 'a'}, {'c', 0x10FFFF}})),
                 (CodePoints{{'b', 'b'}}));
        QCOMPARE(hearth::all_but(hearth::all_but({})), CodePoints{});
        QCOMPARE(hearth::both({{'a', 'f'}, {'x', 'z'}}, {{'c', 'y'}}),
                 (CodePoints{{'c', 'f'}, {'x', 'y'}}));
    }

    // Every character of Unicode against sets whose borders lie where UTF-8 grows by a byte.
    void a_set_matches_its_characters_and_no_others() {
        const std::vector<std::uint32_t> borders{
            0,       1,       0x41,    0x7F,    0x80,    0xBF,     0xC0,    0x7FF,
            0x800,   0xFFF,   0x1000,  0x20AC,  0xCFFF,  0xD7FF,   0xE000,  0xFFFF,
            0x10000, 0x1F600, 0x3FFFF, 0x40000, 0xFFFFF, 0x100000, 0x10FFFF};
        std::mt19937 random(4);
        for (int round = 0; round < 12; ++round) {
            std::vector<CodePointRange> ranges;
            for (int i = 0; i <= round % 4; ++i) {
                const auto pick = [&] {
                    const std::uint32_t at = borders[random() % borders.size()];
                    return std::min(at + static_cast<std::uint32_t>(random() % 3),
                                    hearth::kLastCodePoint);
                };
                const auto [a, b] = std::minmax({pick(), pick()});
                ranges.push_back({a, b});
            }
            CodePoints set = hearth::code_points(ranges);
            set = round % 3 == 0 ? hearth::all_but(set) : set;
            hearth::Grammar grammar;
            grammar.root = grammar.add_rule("root");
            grammar.define(grammar.root, grammar.chars(set));
            const auto automaton = hearth::Automaton::compile(grammar, "grammar");
            QVERIFY(automaton);
            hearth::Matcher matcher(*automaton);
            const hearth::Matcher::State start = matcher.start();
            for (std::uint32_t c = 0; c <= hearth::kLastCodePoint; ++c) {
                std::string text;
                hearth::append_utf8(text, c);
                hearth::Matcher::State state = start;
                for (const char byte : text) {
                    state = matcher.step(state, static_cast<std::uint8_t>(byte));
                }
                // Surrogates have bytes here, which are not UTF-8.
                if (matcher.may_end(state) != hearth::contains(set, c)) {
                    QFAIL(qPrintable(QString("round %1, U+%2").arg(round).arg(c, 4, 16)));
                }
            }
        }
    }

    // No text of bytes that is not UTF-8 matches.
    void broken_utf8_matches_nothing() {
        hearth::Grammar grammar;
        grammar.root = grammar.add_rule("root");
        grammar.define(grammar.root, grammar.chars(hearth::all_but({})));
        const auto automaton = hearth::Automaton::compile(grammar, "grammar");
        QVERIFY(automaton);
        hearth::Matcher matcher(*automaton);
        for (unsigned two = 0; two < 0x10000; ++two) {
            const std::string text{static_cast<char>(two >> 8), static_cast<char>(two & 0xFF)};
            hearth::Matcher::State state = matcher.start();
            for (const char byte : text) {
                state = matcher.step(state, static_cast<std::uint8_t>(byte));
            }
            const hearth::Utf8Step first = hearth::utf8_step(text, 0);
            QCOMPARE(matcher.may_end(state),
                     first.kind == hearth::Utf8Step::Kind::Valid && first.bytes == 2);
            QCOMPARE(state != hearth::Matcher::kDead,
                     (first.kind == hearth::Utf8Step::Kind::Valid ||
                      first.kind == hearth::Utf8Step::Kind::Truncated) &&
                         first.bytes == 2);
        }
    }
};

QTEST_GUILESS_MAIN(CodePointsTest)
#include "code_points_test.moc"
