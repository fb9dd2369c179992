// Answers drawn from random logits under grammars and schemas: each is text of its grammar, and
// each draw follows the distribution over all tokens, restricted to those that the grammar allows.
#include <QtTest>
#include <cmath>
#include <random>

#include "engine/grammar/grammar_fixture.h"
#include "engine/grammar/schema_check.h"
#include "grammar/grammar_constraint.h"
#include "grammar/json_schema.h"
#include "session/sampler.h"

using hearth::Automaton;
using hearth::GrammarConstraint;
using hearth::TokenId;
using hearth::test::TextVocab;
using hearth::test::Verdict;

class GrammarSamplesTest : public QObject {
    Q_OBJECT

private slots:
    void samples_parse_data() {
        QTest::addColumn<QByteArray>("grammar");  // or a schema: begins with {
        QTest::addColumn<int>("samples");
        const auto row = [](const char* name, const char* grammar, int samples) {
            QTest::newRow(name) << QByteArray(grammar) << samples;
        };
        row("arithmetic",
            "root ::= sum\nsum ::= term ([+-] term)*\nterm ::= factor ([*/] factor)*\n"
            "factor ::= [0-9]{1,3} | \"(\" sum \")\"",
            100);
        row("words over borders", "root ::= (\"abc \" | \"abd\" | \"\xC3\xA9\xE2\x82\xAC\")+ \".\"",
            100);
        row("any JSON", "{}", 150);
        row("a person",
            "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"minLength\":1,"
            "\"maxLength\":12},\n"
            "                "
            "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":150},\"email\":{\"type\":["
            "\"string\",\"null\"]},\n"
            "                \"tags\":{\"type\":\"array\",\"items\":{\"enum\":[\"a\",\"b\",\"c "
            "d\"]},\"maxItems\":3}},\n"
            "                \"required\":[\"name\",\"age\"],\"additionalProperties\":false}",
            150);
        row("a tree",
            "{\"$ref\":\"#/$defs/"
            "n\",\"$defs\":{\"n\":{\"type\":\"object\",\"properties\":{\"value\":{\"type\":"
            "\"number\"},\n"
            "                "
            "\"children\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/$defs/"
            "n\"},\"maxItems\":2}},\n"
            "                \"required\":[\"value\"]}}}",
            100);
        row("one of two",
            "{\"oneOf\":[{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"circle\"},"
            "\"r\":{\"type\":\"number\"}},\n"
            "                "
            "\"required\":[\"kind\",\"r\"]},{\"type\":\"object\",\"properties\":{\"kind\":{"
            "\"const\":\"square\"},\n"
            "                "
            "\"side\":{\"type\":\"integer\",\"exclusiveMinimum\":0}},\"required\":[\"kind\"]}]}",
            100);
        row("other names",
            "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"integer\"},\"idea\":{"
            "\"const\":true}},\n"
            "                \"additionalProperties\":{\"type\":\"string\",\"maxLength\":4}}",
            100);
        row("formats and patterns",
            "{\"type\":\"array\",\"prefixItems\":[{\"type\":\"string\",\"format\":\"date\"},\n"
            "                "
            "{\"type\":\"string\",\"format\":\"date-time\"},{\"type\":\"string\",\"format\":"
            "\"uuid\"},\n"
            "                "
            "{\"type\":\"string\",\"pattern\":\"^[A-Z]{2}-\\\\d{1,4}$\"},{\"type\":\"string\","
            "\"format\":\"ipv4\"}],\n"
            "                \"items\":false,\"minItems\":5}",
            150);
        row("all of them",
            "{\"allOf\":[{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\"}},"
            "\"required\":[\"a\"]},\n"
            "                "
            "{\"properties\":{\"a\":{\"minimum\":-5},\"b\":{\"type\":\"boolean\"}},\"required\":["
            "\"b\"]}]}",
            50);
    }
    void samples_parse() {
        QFETCH(QByteArray, grammar);
        QFETCH(int, samples);
        const bool is_schema = grammar.startsWith('{');
        const TextVocab vocab({"{\"",       "\": ",   "\":",
                               "\"}",       "\", \"", "true",
                               "false",     "null",   "}]",
                               "[{",        "], ",    "abc",
                               " abd",      "d\xC3",  "\xA9\xE2\x82",
                               "\xAC",      "123",    "00",
                               "\"name\":", "\"kind", "circle\"",
                               "-0",        ": {\"",  "\\u00",
                               "\n  ",      "2024-",  "\xF0\x9F\x98\x80",
                               "e-",        "((",     ")+(",
                               "id",        "idea\""});
        const hearth::TokenTrie trie(*vocab.tokenizer);
        const auto parsed = is_schema ? hearth::parse_json_schema(grammar.toStdString())
                                      : hearth::parse_gbnf(grammar.toStdString());
        QVERIFY2(parsed, parsed ? "" : parsed.error().message.c_str());
        auto automaton = Automaton::compile(*parsed, "grammar");
        QVERIFY(automaton);
        const Automaton copy = *automaton;
        GrammarConstraint constraint(std::move(*automaton), trie);
        const hearth::test::SchemaCheck check(
            is_schema ? QJsonValue(QJsonDocument::fromJson(grammar).object()) : QJsonValue(true));
        const auto n_vocab = static_cast<std::size_t>(vocab.tokenizer->n_vocab());
        std::mt19937 random(7);
        std::normal_distribution<float> normal(0, 2);
        hearth::Sampler sampler({.temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 9},
                                static_cast<int>(n_vocab));
        constexpr int kMostTokens = 3000;
        for (int sample = 0; sample < samples; ++sample) {
            constraint.restart();
            std::string text;
            bool ended = false;
            for (int step = 0; step < kMostTokens && !ended; ++step) {
                const auto allowed = constraint.allowed();
                QVERIFY(allowed);
                if (!allowed->any_text) {
                    QVERIFY(allowed->may_end);
                    ended = true;
                    break;
                }
                std::vector<float> logits(n_vocab);
                for (float& logit : logits) {
                    logit = normal(random);
                }
                // Closing gets likelier as the text grows, so that it comes to an end.
                const float closing = 0.1F * static_cast<float>(step);
                for (const char c : {'"', '}', ']', ')', '.', '\0'}) {
                    const TokenId token =
                        c == '\0' ? vocab.end : vocab.first_byte + static_cast<TokenId>(c);
                    logits[static_cast<std::size_t>(token)] += closing;
                }
                std::vector<float> copied = logits;
                const auto token = sampler.sample(copied, {}, allowed->tokens);
                QVERIFY(token);
                QVERIFY(hearth::may_come(allowed->tokens, *token));
                if (sample % 10 == 0) {
                    double total = 0;
                    std::size_t count = 0;
                    for (std::size_t i = 0; i < n_vocab; ++i) {
                        if (hearth::may_come(allowed->tokens, static_cast<TokenId>(i))) {
                            total += std::exp(static_cast<double>(logits[i]));
                            ++count;
                        }
                    }
                    const auto shares = sampler.distribution();
                    QCOMPARE(shares.size(), count);
                    for (const auto& [one, share] : shares) {
                        const double wanted =
                            std::exp(static_cast<double>(logits[static_cast<std::size_t>(one)])) /
                            total;
                        QVERIFY2(std::fabs(share - wanted) < 1e-6 + 1e-5 * wanted, text.c_str());
                    }
                }
                ended = *token == vocab.end;
                if (!ended) {
                    const std::string piece = vocab.piece(*token);
                    text += piece;
                    constraint.accept(piece);
                }
            }
            QVERIFY2(ended, text.c_str());
            QVERIFY2(hearth::test::verdict(copy, text) == Verdict::Whole, text.c_str());
            if (is_schema) {
                QJsonParseError error{};
                const QJsonArray list =
                    QJsonDocument::fromJson(QByteArray::fromStdString("[" + text + "]"), &error)
                        .array();
                QVERIFY2(error.error == QJsonParseError::NoError,
                         (error.errorString().toStdString() + ": " + text).c_str());
                QCOMPARE(list.size(), 1);
                QVERIFY2(check.holds(list[0]), text.c_str());
            }
        }
    }
};

QTEST_GUILESS_MAIN(GrammarSamplesTest)
#include "grammar_samples_test.moc"
