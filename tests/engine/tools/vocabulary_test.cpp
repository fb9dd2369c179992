#include <QTest>

#include <string>
#include <vector>

#include <hearth/tools.h>

#include "engine/text/vocab_fixture.h"
#include "support/gguf_builder.h"
#include "support/temp_dir.h"

namespace hearth {
namespace {

// A file with a vocabulary and not one tensor.
std::string write_vocabulary(const test::TempDir& folder, bool with_template,
                             const std::string& pre = "gpt-2") {
    const test::VocabFixture v = test::byte_level_fixture();
    test::GgufBuilder builder;
    builder.key("tokenizer.ggml.model", v.model)
        .key("tokenizer.ggml.pre", pre)
        .array("tokenizer.ggml.tokens", v.tokens)
        .array("tokenizer.ggml.token_type",
               std::vector<std::int32_t>(v.types.begin(), v.types.end()))
        .array("tokenizer.ggml.merges", v.merges)
        .key("tokenizer.ggml.bos_token_id", std::uint32_t{0})
        .key("tokenizer.ggml.eos_token_id", std::uint32_t{2})
        .key("tokenizer.ggml.add_bos_token", true);
    if (with_template) {
        builder.key("tokenizer.chat_template", "{{ messages | frobnicate }}");
    }
    const std::string path = folder.file("vocabulary.gguf");
    return builder.write(path) ? path : std::string();
}

}  // namespace

class VocabularyTest : public QObject {
    Q_OBJECT

private slots:
    void wordsThereAndBack() {
        const test::TempDir folder;
        auto opened = tools::Vocabulary::open(write_vocabulary(folder, false));
        QVERIFY(opened.has_value());
        const tools::Vocabulary vocabulary = std::move(opened).value();
        const std::vector<std::int32_t> ids =
            vocabulary.tokenize("hello<|im_end|>", true, true).value();
        QCOMPARE(ids.size(), std::size_t{3});
        QCOMPARE(ids.front(), 0);
        QCOMPARE(ids.back(), 2);
        QCOMPARE(vocabulary.tokenize("hello", false, true)->size(), std::size_t{1});
        QVERIFY(vocabulary.tokenize("<|im_end|>", false, false)->size() > 3);
        const auto text = vocabulary.detokenize(ids);
        QVERIFY(text.has_value());
        QCOMPARE(*text, std::string("<|endoftext|>hello<|im_end|>"));
    }

    void saysThatWordsAreAGuess() {
        const test::TempDir folder;
        const auto known = tools::Vocabulary::open(write_vocabulary(folder, false));
        QVERIFY(known.has_value());
        QCOMPARE(known->tokenizer_fallback(), std::string());
        const std::string path = write_vocabulary(folder, false, "made-up");
        const auto guessed = tools::Vocabulary::open(path);
        QVERIFY(guessed.has_value());
        QCOMPARE(guessed->tokenizer_pre(), std::string("made-up"));
        QCOMPARE(guessed->tokenizer_fallback(), std::string("llama-bpe"));
        const auto report = tools::inspect(path);
        QVERIFY(report.has_value());
        QCOMPARE(report->tokenizer_fallback, std::string("llama-bpe"));
    }

    void idsOutside_data() {
        QTest::addColumn<int>("id");
        QTest::newRow("negative") << -1;
        QTest::newRow("one too many") << 270;
        QTest::newRow("largest") << 2147483647;
    }
    void idsOutside() {
        QFETCH(int, id);
        const test::TempDir folder;
        const auto vocabulary = tools::Vocabulary::open(write_vocabulary(folder, false));
        QVERIFY(vocabulary.has_value());
        const std::vector<std::int32_t> ids = {5, id};
        const auto text = vocabulary->detokenize(ids);
        QVERIFY(!text.has_value());
        QCOMPARE(text.error().code, ErrorCode::InvalidArgument);
        QCOMPARE(text.error().message, "token " + std::to_string(id) +
                                           " is outside the vocabulary, which has ids 0 to 269");
    }

    void chat() {
        const test::TempDir folder;
        const auto vocabulary = tools::Vocabulary::open(write_vocabulary(folder, false));
        QVERIFY(vocabulary.has_value());
        const std::vector<ChatMessage> messages = {{"user", "hi"}};
        const auto prompt = vocabulary->apply_template(messages);
        QVERIFY(prompt.has_value());
        QCOMPARE(prompt->text,
                 std::string("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"));
        const auto none = vocabulary->apply_template({});
        QVERIFY(!none.has_value());
        QCOMPARE(none.error().code, ErrorCode::InvalidArgument);
    }

    // A template that cannot be run gives way to ChatML and says so.
    void brokenTemplate() {
        const test::TempDir folder;
        const auto vocabulary = tools::Vocabulary::open(write_vocabulary(folder, true));
        QVERIFY(vocabulary.has_value());
        QCOMPARE(vocabulary->tokenize("hello", false, false)->size(), std::size_t{1});
        const std::vector<ChatMessage> messages = {{"user", "hi"}};
        const auto prompt = vocabulary->apply_template(messages);
        QVERIFY(prompt.has_value());
        QCOMPARE(prompt->text,
                 std::string("<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n"));
        QVERIFY(prompt->notice.find("written as ChatML") != std::string::npos);
    }

    void filesThatAreNone() {
        const test::TempDir folder;
        const auto missing = tools::Vocabulary::open(folder.file("missing.gguf"));
        QVERIFY(!missing.has_value());
        QCOMPARE(missing.error().code, ErrorCode::NotFound);
        QCOMPARE(missing.error().path, folder.file("missing.gguf"));
        const std::string bare = folder.file("bare.gguf");
        QVERIFY(test::GgufBuilder().key("general.architecture", "llama").write(bare));
        const auto without = tools::Vocabulary::open(bare);
        QVERIFY(!without.has_value());
        QCOMPARE(without.error().code, ErrorCode::BadFile);
        QCOMPARE(without.error().field, std::string("tokenizer.ggml.model"));
        QCOMPARE(without.error().path, bare);
    }
};

}  // namespace hearth

QTEST_APPLESS_MAIN(hearth::VocabularyTest)
#include "vocabulary_test.moc"
