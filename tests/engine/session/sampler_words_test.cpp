// Tokens that sampling options name by text or id.
#include "session/sampler_words.h"

#include <QtTest>
#include <cmath>
#include <limits>

#include "engine/text/vocab_fixture.h"

using hearth::LogitBias;
using hearth::SamplingOptions;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

}  // namespace

class SamplerWordsTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        hearth::test::VocabFixture vocab;
        vocab.model = "gpt2";
        for (const char* text : {"a", "b", "c", ":", "<|im_end|>", "ab"}) {
            vocab.add(text, text[0] == '<' ? 3 : 1);
        }
        vocab.merge("a", "b");
        vocab.add(hearth::test::spelled(" x:y"));
        vocab.add(hearth::test::spelled("\n\n"));
        vocab.set("eos_token_id", hearth::test::id_value(4));
        auto made = hearth::Tokenizer::create(vocab.metadata());
        QVERIFY2(made, made ? "" : made.error().message.c_str());
        tokenizer_ = std::move(*made);
    }

    void a_bias_names_a_token_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("token");
        QTest::newRow("a letter") << "b" << 1;
        QTest::newRow("a merged one") << "ab" << 5;
        QTest::newRow("a special one") << "<|im_end|>" << 4;
    }
    void a_bias_names_a_token() {
        QFETCH(QString, text);
        QFETCH(int, token);
        SamplingOptions options;
        options.logit_bias = {{.token = 2, .bias = 1.5F},
                              {.text = text.toStdString(), .bias = -kInfinity}};
        const auto words = hearth::sampler_words(options, *tokenizer_);
        QVERIFY(words);
        QCOMPARE(words->biases.size(), std::size_t{2});
        QCOMPARE(words->biases[0].token, 2);
        QCOMPARE(words->biases[0].bias, 1.5F);
        QCOMPARE(words->biases[1].token, token);
        QCOMPARE(words->biases[1].bias, -kInfinity);
        QVERIFY(words->breaks.empty());
    }

    void breakers_are_found_in_tokens() {
        SamplingOptions options{.dry_multiplier = 1};
        auto words = hearth::sampler_words(options, *tokenizer_);
        QVERIFY(words);
        //                                    a      b      c      :     im_end ab    " x:y" "\n\n"
        QCOMPARE(words->breaks,
                 (std::vector<bool>{false, false, false, true, true, false, true, true}));
        options.dry_breakers = {"", "b"};
        words = hearth::sampler_words(options, *tokenizer_);
        QVERIFY(words);
        QCOMPARE(words->breaks,
                 (std::vector<bool>{false, true, false, false, true, true, false, false}));
    }

    void what_is_wrong_is_named_data() {
        QTest::addColumn<SamplingOptions>("options");
        QTest::addColumn<QString>("message");
        const auto row = [](const SamplingOptions& options, const char* message) {
            QTest::newRow(message) << options << message;
        };
        const auto biased = [](LogitBias bias) {
            SamplingOptions options;
            options.logit_bias = {{.token = 1, .bias = 1}, std::move(bias)};
            return options;
        };
        row(biased({.token = 8, .bias = 1}), "logit_bias: token 8, the vocabulary has 8");
        row(biased({.text = "abc", .bias = 1}),
            "logit_bias: \"abc\" is 2 tokens of this vocabulary, a bias is for one");
        row(biased({.text = "", .bias = 1}),
            "logit_bias: \"\" is 0 tokens of this vocabulary, a bias is for one");
        const char* number =
            "logit_bias: a bias is a number from -1e9 to 1e9, or -infinity for a ban";
        row(biased({.token = 1, .bias = kInfinity}), number);
        QTest::newRow("no number") << biased({.token = 1, .bias = std::nanf("")}) << number;
        QTest::newRow("too much") << biased({.token = 1, .bias = 2e9F}) << number;
        row({.typical_p = 1.5F}, "typical_p: is 1.5, from 0 to 1 is possible");
        row({.xtc_probability = -1}, "xtc_probability: is -1, from 0 to 1 is possible");
        row({.xtc_threshold = 2}, "xtc_threshold: is 2, from 0 to 1 is possible");
        row({.presence_penalty = kInfinity},
            "presence_penalty: is inf, from -100 to 100 is possible");
        row({.frequency_penalty = -101},
            "frequency_penalty: is -101, from -100 to 100 is possible");
        row({.repeat_last_n = -2}, "repeat_last_n: is -2, from -1 to 2147483647 is possible");
        row({.dry_multiplier = std::nanf("")}, "dry_multiplier: is nan, from 0 to 100 is possible");
        row({.dry_base = 0.5F}, "dry_base: is 0.5, from 1 to 100 is possible");
        row({.dry_allowed_length = 0},
            "dry_allowed_length: is 0, from 1 to 2147483647 is possible");
        row({.dry_last_n = -2}, "dry_last_n: is -2, from -1 to 2147483647 is possible");
        SamplingOptions many;
        many.logit_bias.resize(hearth::kMaxLogitBiases + 1, {.token = 1, .bias = 0});
        row(many, "logit_bias: 65537 entries, at most 65536 are possible");
        many = {};
        many.dry_breakers.resize(hearth::kMaxDryBreakers + 1);
        row(many, "dry_breakers: 1025 entries, at most 1024 are possible");
        many.dry_breakers = {"", std::string(257, 'x')};
        row(many, "dry_breakers: one has 257 bytes, at most 256 are possible");
    }
    void what_is_wrong_is_named() {
        QFETCH(SamplingOptions, options);
        QFETCH(QString, message);
        const auto words = hearth::sampler_words(options, *tokenizer_);
        QVERIFY(!words);
        QVERIFY(words.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(QString::fromStdString(words.error().message), message);
        QCOMPARE(QString::fromStdString(words.error().field), message.section(':', 0, 0));
    }

private:
    std::unique_ptr<hearth::Tokenizer> tokenizer_;
};

QTEST_GUILESS_MAIN(SamplerWordsTest)
#include "sampler_words_test.moc"
