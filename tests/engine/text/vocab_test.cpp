// Broken and odd vocabularies.
#include <QTest>

#include <functional>
#include <limits>

#include "text/vocab.h"
#include "vocab_fixture.h"

namespace hearth {
namespace {

using test::VocabFixture;
using Change = std::function<void(VocabFixture&)>;

}  // namespace
}  // namespace hearth

Q_DECLARE_METATYPE(hearth::Change)

namespace hearth {

class VocabTest : public QObject {
    Q_OBJECT

private slots:
    void refused_data() {
        QTest::addColumn<bool>("byte_level");
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("message");
        QTest::addColumn<bool>("unsupported");
        const auto row = [](const char* name, bool byte_level, Change change, const char* message,
                            bool unsupported = false) {
            QTest::newRow(name) << byte_level << std::move(change) << QString(message)
                                << unsupported;
        };
        const auto set = [](const char* key, MetadataValue value) {
            return [key, value](VocabFixture& v) { v.set(key, value); };
        };
        row("no tokens", true, set("tokens", test::texts_value({})),
            "tokenizer.ggml.tokens: the vocabulary is empty");
        row("tokens are numbers", true, set("tokens", test::types_value({1})),
            "tokenizer.ggml.tokens: wanted an array of str, found array of i32");
        row(
            "too few types", true, [](VocabFixture& v) { v.types.pop_back(); },
            "tokenizer.ggml.token_type: 269 types for 270 tokens");
        row(
            "too many types", false, [](VocabFixture& v) { v.types.push_back(1); },
            "tokenizer.ggml.token_type: 274 types for 273 tokens");
        row(
            "type 7", true, [](VocabFixture& v) { v.types[4] = 7; },
            "tokenizer.ggml.token_type: type[4] is 7, wanted 0 to 6");
        row(
            "type -1", true, [](VocabFixture& v) { v.types[4] = -1; },
            "tokenizer.ggml.token_type: type[4] is -1, wanted 0 to 6");
        row("types are texts", true, set("token_type", test::texts_value({"1"})),
            "tokenizer.ggml.token_type: wanted an array of integers");
        row("types are one number", true, set("token_type", test::id_value(1)),
            "tokenizer.ggml.token_type: wanted an array of integers");
        row(
            "too few scores", false, [](VocabFixture& v) { v.scores.pop_back(); },
            "tokenizer.ggml.scores: 272 scores for 273 tokens");
        row(
            "score that is no number", false,
            [](VocabFixture& v) { v.scores[3] = std::numeric_limits<double>::quiet_NaN(); },
            "tokenizer.ggml.scores: score[3] is not a number");
        row("scores are texts", false, set("scores", test::texts_value({})),
            "tokenizer.ggml.scores: wanted an array of f32, found array of str");
        row("merges are numbers", true, set("merges", test::types_value({1})),
            "tokenizer.ggml.merges: wanted an array of str, found array of i32");
        row(
            "merge of one", true, [](VocabFixture& v) { v.merges[2] = "hell"; },
            "tokenizer.ggml.merges: merge[2] is 'hell', wanted two tokens with a space between");
        row(
            "merge with nothing after", true, [](VocabFixture& v) { v.merges[0] = "h "; },
            "tokenizer.ggml.merges: merge[0] is 'h ', wanted two tokens with a space between");
        row(
            "merge with nothing before", true, [](VocabFixture& v) { v.merges[0] = " h"; },
            "tokenizer.ggml.merges: merge[0] is ' h', wanted two tokens with a space between");
        row(
            "empty merge", true, [](VocabFixture& v) { v.merges[1] = ""; },
            "tokenizer.ggml.merges: merge[1] is '', wanted two tokens with a space between");
        row(
            "control bytes in a message", true,
            [](VocabFixture& v) { v.merges[1] = "\x1B[2J\xFF"; },
            "tokenizer.ggml.merges: merge[1] is '\\x1B[2J\\xFF', wanted two tokens with a space "
            "between");
        row("bos out of range", true, set("bos_token_id", test::id_value(270)),
            "tokenizer.ggml.bos_token_id: wanted a number from 0 to 269, found 270");
        row("eos far out of range", true, set("eos_token_id", test::id_value(~std::uint64_t{0})),
            "tokenizer.ggml.eos_token_id: wanted a number from 0 to 269, found "
            "18446744073709551615");
        row("eot out of range", true, set("eot_token_id", test::id_value(1000000)),
            "tokenizer.ggml.eot_token_id: wanted a number from 0 to 269, found 1000000");
        row("add_bos is a number", true, set("add_bos_token", test::id_value(1)),
            "tokenizer.ggml.add_bos_token: wanted a bool, found u32");
        row("add_space_prefix is a text", false, set("add_space_prefix", test::text_value("yes")),
            "tokenizer.ggml.add_space_prefix: wanted a bool, found str");
        row(
            "huge token", true,
            [](VocabFixture& v) { v.tokens[5] = std::string(std::size_t{1} << 20, 'x'); },
            "tokenizer.ggml.tokens: token[5] has 1048576 bytes, at most 8192 are allowed");
        row(
            "long special token", true,
            [](VocabFixture& v) { v.tokens[1] = std::string(300, 'x'); },
            "tokenizer.ggml.tokens: token[1], a special token, has 300 bytes, at most 256 are "
            "allowed");
        row(
            "model that is not there", true, [](VocabFixture& v) { v.model = "t5\n"; },
            "tokenizer.ggml.model: this version has no tokenizer of the kind 't5\\x0A' (it has "
            "'gpt2', 'llama' and 'gemma4')",
            true);
        row("pre is a number", true, set("pre", test::id_value(1)),
            "tokenizer.ggml.pre: wanted a str, found u32");
    }
    void refused() {
        QFETCH(bool, byte_level);
        QFETCH(Change, change);
        QFETCH(QString, message);
        QFETCH(bool, unsupported);
        VocabFixture v = byte_level ? test::byte_level_fixture() : test::sentence_piece_fixture();
        QVERIFY(test::make_tokenizer(v) != nullptr);
        change(v);
        const auto made = Tokenizer::create(v.metadata());
        QVERIFY(!made.has_value());
        QCOMPARE(QString::fromStdString(made.error().message), message);
        QCOMPARE(made.error().code, unsupported ? ErrorCode::Unsupported : ErrorCode::BadFile);
        QVERIFY(message.startsWith(QString::fromStdString(made.error().field)));
    }

    void missingKeys() {
        Metadata metadata;
        auto made = Tokenizer::create(metadata);
        QVERIFY(!made.has_value());
        QCOMPARE(made.error().field, std::string("tokenizer.ggml.model"));
        metadata.add("tokenizer.ggml.model", test::text_value("gpt2"));
        made = Tokenizer::create(metadata);
        QVERIFY(!made.has_value());
        QCOMPARE(made.error().field, std::string("tokenizer.ggml.merges"));
        metadata.add("tokenizer.ggml.merges", test::texts_value({}));
        made = Tokenizer::create(metadata);
        QVERIFY(!made.has_value());
        QCOMPARE(made.error().field, std::string("tokenizer.ggml.tokens"));
        // Types are the one array that may be missing.
        metadata.add("tokenizer.ggml.tokens", test::texts_value({"a", "b", "<end>"}));
        metadata.add("tokenizer.ggml.eos_token_id", test::id_value(2));
        made = Tokenizer::create(metadata);
        QVERIFY(made.has_value());
        QVERIFY((*made)->is_special(2));
        QVERIFY(!(*made)->is_special(0));
    }

    // Twice the same token: the lower id is made, both are read.
    void duplicates() {
        VocabFixture v = test::byte_level_fixture();
        const TokenId hello = v.id("hello");
        const TokenId again = v.add("hello");
        const TokenId end_again = v.add("<|im_end|>", 3);
        const auto tokenizer = test::make_tokenizer(v);
        QVERIFY(tokenizer != nullptr);
        const std::vector<TokenId> wanted = {hello, 2};
        QCOMPARE(tokenizer->tokenize("hello<|im_end|>", false, true), wanted);
        const std::vector<TokenId> others = {again, end_again};
        QCOMPARE(tokenizer->detokenize(others), std::string("hello<|im_end|>"));
    }

    // Pruned vocabularies keep merges of tokens that are gone.
    void mergesOfNoToken() {
        VocabFixture v = test::byte_level_fixture();
        v.merges.insert(v.merges.begin(), {"h x", "qq h", "h qq"});
        const auto tokenizer = test::make_tokenizer(v);
        QVERIFY(tokenizer != nullptr);
        const std::vector<TokenId> wanted = {v.id("hello"), 3 + 'h', 3 + 'x'};
        std::vector<TokenId> got = tokenizer->tokenize("hello", false, false);
        const auto more = tokenizer->tokenize("hx", false, false);
        got.insert(got.end(), more.begin(), more.end());
        QCOMPARE(got, wanted);
    }

    void emptyTokens() {
        VocabFixture v = test::byte_level_fixture();
        const TokenId plain = v.add("");
        const TokenId control = v.add("", 3);
        const TokenId user = v.add("", 4);
        const auto tokenizer = test::make_tokenizer(v);
        QVERIFY(tokenizer != nullptr);
        QCOMPARE(tokenizer->tokenize("hello", false, true), std::vector<TokenId>{v.id("hello")});
        const std::vector<TokenId> ids = {plain, control, user};
        QCOMPARE(tokenizer->detokenize(ids), std::string());
    }

    void endOfTurn() {
        VocabFixture v = test::byte_level_fixture();
        const TokenId eot = v.add("<stop>", 3);
        const TokenId spelled = v.add("<|eot_id|>", 3);
        const TokenId user = v.add("<end_of_turn>", 4);
        const TokenId text = v.add("</s>", 1);
        const TokenId part = v.add("<|end|>", 3);
        v.set("eot_token_id", test::id_value(static_cast<std::uint64_t>(eot)));
        auto tokenizer = test::make_tokenizer(v);
        QVERIFY(tokenizer != nullptr);
        for (const TokenId id : {0, 2, eot, spelled, user, part}) {
            QVERIFY2(tokenizer->is_end_of_turn(id), v.tokens[static_cast<std::size_t>(id)].c_str());
            QVERIFY(tokenizer->is_special(id));
        }
        for (const TokenId id : {1, text, 40}) {
            QVERIFY2(!tokenizer->is_end_of_turn(id),
                     v.tokens[static_cast<std::size_t>(id)].c_str());
        }
        QCOMPARE(tokenizer->bos(), 0);
        QCOMPARE(tokenizer->eos(), 2);
        // Beside <|return|>, <|end|> closes only a part.
        v.add("<|return|>", 3);
        tokenizer = test::make_tokenizer(v);
        QVERIFY(tokenizer != nullptr);
        QVERIFY(!tokenizer->is_end_of_turn(part));
        QVERIFY(tokenizer->is_end_of_turn(v.id("<|return|>")));
        // Unless the file names it as its end.
        v.set("eos_token_id", test::id_value(static_cast<std::uint64_t>(part)));
        tokenizer = test::make_tokenizer(v);
        QVERIFY(tokenizer != nullptr);
        QCOMPARE(tokenizer->eos(), part);
        QVERIFY(tokenizer->is_end_of_turn(part));
        QVERIFY(tokenizer->is_end_of_turn(v.id("<|return|>")));
    }

    // Every spelling that published models end their turn with, where the file names none.
    void endsBySpelling() {
        for (const char* text :
             {"<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<end_of_turn>", "<|endoftext|>",
              "<|end_of_text|>", "<|end|>", "</s>", "<|end_of_turn|>", "<eos>", "<|eot|>", "<EOT>",
              "<|END_OF_TURN_TOKEN|>", "<|return|>", "<|end_of_role|>",
              "<\xEF\xBD\x9C"
              "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"}) {
            for (const int type : {3, 4}) {
                VocabFixture v = test::byte_level_fixture();
                const bool there = v.id(text) >= 0;
                const TokenId id = there ? v.id(text) : v.add(text, type);
                const auto tokenizer = test::make_tokenizer(v);
                QVERIFY(tokenizer != nullptr);
                QVERIFY2(tokenizer->is_end_of_turn(id), text);
                QVERIFY2(tokenizer->is_special(id), text);
            }
        }
    }

    // A file may name an end of turn, another one of a message, and its end: each of them counts,
    // also where it is not spelled as one and where it was text that a user may write.
    void everyEndThatTheFileNames() {
        VocabFixture v = test::byte_level_fixture();
        const TokenId eot = v.add("<stop>", 4);
        const TokenId eom = v.add("<halt>", 4);
        const TokenId eos = v.add("<over>", 4);
        const TokenId user = v.add("<mark>", 4);
        v.set("eot_token_id", test::id_value(static_cast<std::uint64_t>(eot)));
        v.set("eom_token_id", test::id_value(static_cast<std::uint64_t>(eom)));
        v.set("eos_token_id", test::id_value(static_cast<std::uint64_t>(eos)));
        const auto tokenizer = test::make_tokenizer(v);
        QVERIFY(tokenizer != nullptr);
        for (const TokenId id : {eot, eom, eos}) {
            QVERIFY2(tokenizer->is_end_of_turn(id), v.tokens[static_cast<std::size_t>(id)].c_str());
            QVERIFY(tokenizer->is_special(id));
        }
        QVERIFY(!tokenizer->is_end_of_turn(user));
    }

    void byteTokens() {
        QCOMPARE(byte_of_token("<0x00>"), 0);
        QCOMPARE(byte_of_token("<0xfF>"), 255);
        for (const char* text : {"<0x0>", "<0x000>", "<0xG0>", "<0x0 >", "0x00>>", "<1x00>", ""}) {
            QCOMPARE(byte_of_token(text), -1);
        }
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::VocabTest)
#include "vocab_test.moc"
