#include "grammar/grammar_constraint.h"

#include <QtTest>
#include <cmath>
#include <random>

#include "engine/grammar/grammar_fixture.h"

using hearth::Automaton;
using hearth::GrammarConstraint;
using hearth::TokenId;
using hearth::test::TextVocab;
using hearth::test::Verdict;

namespace {

const char* const kJson =
    "\n"
    "root   ::= object\n"
    "value  ::= object | array | string | number | \"true\" | \"false\" | \"null\"\n"
    "object ::= \"{\" ws (string \":\" ws value (\",\" ws string \":\" ws value)*)? \"}\" ws\n"
    "array  ::= \"[\" ws (value (\",\" ws value)*)? \"]\" ws\n"
    "string ::= \"\\\"\" ([^\"\\\\\\x00-\\x1F] | \"\\\\\" ([\"\\\\/bfnrt] | \"u\" "
    "[0-9a-fA-F]{4}))* \"\\\"\" ws\n"
    "number ::= \"-\"? (\"0\" | [1-9] [0-9]{0,15}) (\".\" [0-9]+)? ws\n"
    "ws     ::= [ \\n]{0,2}\n"
    "";

std::unique_ptr<GrammarConstraint> constraint(const std::string& grammar,
                                              const hearth::TokenTrie& trie) {
    const auto parsed = hearth::parse_gbnf(grammar);
    auto automaton =
        parsed ? Automaton::compile(*parsed, "grammar") : hearth::Result<Automaton>(parsed.error());
    return automaton ? std::make_unique<GrammarConstraint>(std::move(*automaton), trie) : nullptr;
}

bool has(std::span<const std::uint64_t> mask, TokenId token) {
    return (mask[static_cast<std::size_t>(token) / 64] >> (token % 64) & 1U) != 0;
}

}  // namespace

class GrammarConstraintTest : public QObject {
    Q_OBJECT

private slots:
    // Along random answers, each token of the vocabulary is tried by itself.
    void a_mask_has_the_tokens_that_go_on_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::newRow("JSON") << QByteArray(kJson);
        QTest::newRow("words") << QByteArray("root ::= ([a-c]{1,3} \" \")* \"end\"");
        QTest::newRow("umlauts") << QByteArray("root ::= [\xC3\xA4-\xC3\xBC]+ \"\xE2\x82\xAC\"?");
        QTest::newRow("anything") << QByteArray("root ::= .*");
    }
    void a_mask_has_the_tokens_that_go_on() {
        QFETCH(QByteArray, grammar);
        const TextVocab vocab({"{\"", "\": ", "\"}", "true", "tru", "}, {", "[[", "a b", "abc ",
                               "end", "\xC3\xA4\xC3", "\xBC\xE2\x82", "\xE2\x82\xAC", "\"a\":1}",
                               "end", "\\u00", "\\"});
        const hearth::TokenTrie trie(*vocab.tokenizer);
        const auto parsed = hearth::parse_gbnf(grammar.toStdString());
        QVERIFY(parsed);
        const auto automaton = Automaton::compile(*parsed, "grammar");
        QVERIFY(automaton);
        const auto masks = constraint(grammar.toStdString(), trie);
        std::mt19937 random(6);
        int longest = 0;
        for (int answer = 0; answer < 12; ++answer) {
            masks->restart();
            std::string text;
            for (int step = 0; step < 12; ++step) {
                const auto allowed = masks->allowed();
                QVERIFY(allowed);
                const bool whole = hearth::test::verdict(*automaton, text) == Verdict::Whole;
                QCOMPARE(allowed->may_end, whole);
                std::vector<TokenId> going_on;
                for (TokenId token = 0; token < vocab.tokenizer->n_vocab(); ++token) {
                    const std::string piece = vocab.piece(token);
                    const bool wanted =
                        token == vocab.end
                            ? whole
                            : token != vocab.special &&
                                  hearth::test::verdict(*automaton, text + piece) != Verdict::No;
                    QVERIFY2(has(allowed->tokens, token) == wanted, (text + " + " + piece).c_str());
                    if (wanted && token != vocab.end) {
                        going_on.push_back(token);
                    }
                }
                QCOMPARE(allowed->any_text, !going_on.empty());
                if (going_on.empty()) {
                    break;
                }
                const std::string piece = vocab.piece(going_on[random() % going_on.size()]);
                text += piece;
                masks->accept(piece);
                longest = std::max(longest, static_cast<int>(text.size()));
            }
        }
        QVERIFY(longest > 8);
    }

    void the_end_is_the_only_way_out_of_a_whole_text() {
        const TextVocab vocab({"ok"});
        const hearth::TokenTrie trie(*vocab.tokenizer);
        const auto masks = constraint("root ::= \"ok\"", trie);
        auto allowed = masks->allowed();
        QVERIFY(allowed && !allowed->may_end && allowed->any_text);
        QVERIFY(!has(allowed->tokens, vocab.end));
        masks->accept("ok");
        allowed = masks->allowed();
        QVERIFY(allowed && allowed->may_end && !allowed->any_text);
        QVERIFY(has(allowed->tokens, vocab.end));
        masks->accept("k");  // beyond the grammar: nothing may come, and nothing breaks
        allowed = masks->allowed();
        QVERIFY(allowed && !allowed->may_end && !allowed->any_text);
        masks->restart();
        allowed = masks->allowed();
        QVERIFY(allowed && has(allowed->tokens, vocab.first_byte + 'o'));
    }

    // A special token is spelled <tool> and <|im_end|>, which the grammar wants as text.
    void special_tokens_match_no_text() {
        const TextVocab vocab({"<tool", "<|im_end|>"});
        const hearth::TokenTrie trie(*vocab.tokenizer);
        const auto masks = constraint("root ::= \"<tool>\" | \"<|im_end|>\"", trie);
        const auto allowed = masks->allowed();
        QVERIFY(allowed);
        QVERIFY(!has(allowed->tokens, vocab.special));
        QVERIFY(!has(allowed->tokens, vocab.end));
        QVERIFY(has(allowed->tokens, vocab.first_byte + 256));  // "<tool"
        QVERIFY(has(allowed->tokens, vocab.first_byte + '<'));
    }

    void too_many_readings_are_an_error_and_the_next_answer_is_right() {
        const TextVocab vocab({});
        const hearth::TokenTrie trie(*vocab.tokenizer);
        const auto masks = constraint("root ::= \"x\" root \"y\" | \"x\" root \"z\" | \"x\"", trie);
        bool failed = false;
        for (int i = 0; i < 100 && !failed; ++i) {
            const auto allowed = masks->allowed();
            failed = !allowed;
            if (failed) {
                QVERIFY(allowed.error().code == hearth::ErrorCode::Unsupported);
                QCOMPARE(allowed.error().field, std::string("grammar"));
            }
            masks->accept("x");
        }
        QVERIFY(failed);
        masks->restart();
        const auto allowed = masks->allowed();
        QVERIFY(allowed && has(allowed->tokens, vocab.first_byte + 'x'));
    }
};

QTEST_GUILESS_MAIN(GrammarConstraintTest)
#include "grammar_constraint_test.moc"
