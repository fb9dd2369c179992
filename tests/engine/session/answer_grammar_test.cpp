// Answers of an engine under a grammar or a schema, and with the sampling that needs all logits.
#include <QJsonDocument>
#include <QJsonObject>
#include <QtTest>
#include <limits>

#include "session/loaded_model.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"

using hearth::FinishReason;
using hearth::GenerationOptions;
using hearth::GenerationResult;
using hearth::Result;
using hearth::test::TinyModel;

namespace {

GenerationOptions with(const std::string& grammar, float temperature = 0) {
    GenerationOptions options;
    options.sampling = {.temperature = temperature, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 4};
    options.max_tokens = 200;
    (grammar.starts_with('{') ? options.json_schema : options.grammar) = grammar;
    return options;
}

}  // namespace

class AnswerGrammarTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const std::string path = dir_.file("tiny.gguf");
        QVERIFY(TinyModel({.n_ctx = 400}).write(path));
        hearth::EngineOptions options;
        options.model_path = path;
        options.threads = 1;
        options.gpu = "none";
        options.n_ctx = 400;
        auto engine = hearth::Engine::load(options);
        QVERIFY2(engine, engine ? "" : engine.error().message.c_str());
        engine_ = std::move(*engine);
    }

    void an_answer_is_text_of_its_grammar() {
        for (const float temperature : {0.0F, 1.0F, 3.0F}) {
            const auto result = ask(with("root ::= \"yes\" | \"no\" \"!\"{1,3}", temperature));
            QVERIFY2(result, result ? "" : result.error().message.c_str());
            QVERIFY2(result->text == "yes" || result->text == "no!" || result->text == "no!!" ||
                         result->text == "no!!!",
                     result->text.c_str());
            QVERIFY(result->finish == FinishReason::Stop);
            QVERIFY(result->notice.empty());
        }
    }

    void an_answer_is_json_of_its_schema() {
        const std::string schema =
            "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":5},\n"
            "               "
            "\"n\":{\"type\":\"integer\",\"minimum\":10,\"maximum\":99}},\"required\":[\"n\"]}";
        for (std::uint64_t seed = 1; seed < 20; ++seed) {
            GenerationOptions options = with(schema, 2);
            options.sampling.seed = seed;
            const auto result = ask(options);
            QVERIFY2(result, result ? "" : result.error().message.c_str());
            QVERIFY(result->finish == FinishReason::Stop);
            const QJsonObject object =
                QJsonDocument::fromJson(QByteArray::fromStdString(result->text)).object();
            const int n = object["n"].toInt();
            QVERIFY2(n >= 10 && n <= 99, result->text.c_str());
            QVERIFY(object["name"].toString().toUcs4().size() <= 5);
        }
    }

    // The greedy answer is what a loop of its own draws: the likeliest of all tokens that a grammar
    // of digits allows, wherever it stands among the candidates.
    void a_grammar_chooses_among_all_tokens() {
        const auto result = ask(with("root ::= [0-9]{12}"));
        QVERIFY(result);
        hearth::Session& session = *engine_->impl().session;
        session.clear();
        QVERIFY(session.append(engine_->impl().tokenizer->tokenize(kPrompt, true, true), {}));
        std::string wanted;
        for (int i = 0; i < 12; ++i) {
            const auto logits = session.last_logits({});
            QVERIFY(logits);
            char best = '0';
            for (char digit = '0'; digit <= '9'; ++digit) {
                best = (*logits)[3U + static_cast<unsigned char>(digit)] >
                               (*logits)[3U + static_cast<unsigned char>(best)]
                           ? digit
                           : best;
            }
            wanted += best;
            QVERIFY(session.decode_one(3 + best, {}));
        }
        QCOMPARE(result->text, wanted);
        QVERIFY(result->finish == FinishReason::Stop);
    }

    void a_mask_of_one_token_draws_it() {
        hearth::Session& session = *engine_->impl().session;
        session.clear();
        QVERIFY(session.append(engine_->impl().tokenizer->tokenize(kPrompt, true, true), {}));
        const int n_vocab = engine_->impl().tokenizer->n_vocab();
        for (int token = 0; token < n_vocab; token += 7) {
            std::vector<std::uint64_t> mask((static_cast<std::size_t>(n_vocab) + 63) / 64);
            mask[static_cast<std::size_t>(token) / 64] = std::uint64_t{1} << (token % 64);
            hearth::Sampler sampler({.temperature = 0}, n_vocab);
            const auto drawn = session.draw(sampler, {}, {}, mask);
            QVERIFY(drawn);
            QCOMPARE(*drawn, token);
            // The mask wrote into the logits of the pass; the next draw wants them again.
            session.truncate(session.cached_tokens().size() - 1);
            QVERIFY(session.append(std::vector<std::int32_t>{3 + 'x'}, {}));
        }
    }

    // The same answer with a grammar that allows everything as without one, and the other way
    // round.
    void a_grammar_of_everything_changes_nothing() {
        for (const float temperature : {0.0F, 1.5F}) {
            GenerationOptions free = with("", temperature);
            free.max_tokens = 30;
            GenerationOptions any = with("root ::= [\\x00-\\U0010FFFF]*", temperature);
            any.max_tokens = 30;
            // Bytes that are no text are banned in both.
            for (int byte = 0x80; byte < 0x100; ++byte) {
                free.sampling.logit_bias.push_back(
                    {.token = 3 + byte, .bias = -std::numeric_limits<float>::infinity()});
            }
            free.sampling.logit_bias.push_back(
                {.token = 1, .bias = -std::numeric_limits<float>::infinity()});
            any.sampling.logit_bias = free.sampling.logit_bias;
            const auto wanted = ask(free);
            const auto seen = ask(any);
            const auto again = ask(free);
            QVERIFY(wanted && seen && again);
            QCOMPARE(seen->token_ids, wanted->token_ids);
            QCOMPARE(again->token_ids, wanted->token_ids);
        }
    }

    void an_answer_that_cannot_go_on_says_so() {
        GenerationOptions options = with("root ::= \"ab\" [^\\x00-\\U0010FFFE]");
        // U+10FFFF in bytes: its last one is banned.
        options.sampling.logit_bias = {
            {.token = 3 + 0xBF, .bias = -std::numeric_limits<float>::infinity()}};
        const auto banned = ask(options);
        QVERIFY(!banned);
        QVERIFY(banned.error().code == hearth::ErrorCode::InvalidArgument);
        QCOMPARE(banned.error().field, std::string("logit_bias"));
        // A rule that matches nothing: an empty choice of a schema.
        const auto stuck = ask(with("{\"type\":\"array\",\"items\":{\"enum\":[]},\"minItems\":1}"));
        QVERIFY(stuck);
        QVERIFY(stuck->finish == FinishReason::Grammar);
        QCOMPARE(hearth::to_string(stuck->finish), std::string_view("grammar"));
        QVERIFY2(stuck->notice.find("grammar") != std::string::npos, stuck->notice.c_str());
        const auto next = ask(with("root ::= \"ok\""));
        QVERIFY(next && next->text == "ok" && next->notice.empty());
    }

    void an_answer_is_cut_at_its_length() {
        GenerationOptions options = with("root ::= \"abcdef\"");
        options.max_tokens = 3;
        const auto result = ask(options);
        QVERIFY(result);
        QCOMPARE(result->text, std::string("abc"));
        QVERIFY(result->finish == FinishReason::Length);
    }

    void what_cannot_be_read_is_an_error_data() {
        QTest::addColumn<QByteArray>("grammar");
        QTest::addColumn<QByteArray>("schema");
        QTest::addColumn<QByteArray>("message");
        QTest::newRow("grammar") << QByteArray("root ::=\n \"a") << QByteArray()
                                 << QByteArray(
                                        "grammar: line 2, column 2: this \" is never closed");
        QTest::newRow("schema") << QByteArray() << QByteArray("{\n\"type\":1}")
                                << QByteArray("json_schema: line 2, column 8: type 1: one of");
        QTest::newRow("left recursion")
            << QByteArray("root ::= root \"a\"") << QByteArray()
            << QByteArray("grammar: rule \"root\" may call itself before any character");
        QTest::newRow("schema that is itself")
            << QByteArray() << QByteArray("{\"$ref\":\"#\"}")
            << QByteArray("json_schema: rule \"#\" may call itself before any character");
        QTest::newRow("both") << QByteArray("root ::= \"a\"") << QByteArray("{}")
                              << QByteArray("an answer has a grammar or a JSON schema, not both");
    }
    void what_cannot_be_read_is_an_error() {
        QFETCH(QByteArray, grammar);
        QFETCH(QByteArray, schema);
        QFETCH(QByteArray, message);
        GenerationOptions options = with("");
        options.grammar = grammar.toStdString();
        options.json_schema = schema.toStdString();
        const auto result = ask(options);
        QVERIFY(!result);
        QVERIFY(result.error().code == hearth::ErrorCode::InvalidArgument);
        QVERIFY2(result.error().message.starts_with(message.toStdString()),
                 result.error().message.c_str());
        const auto next = ask(with("root ::= \"ok\""));
        QVERIFY(next && next->text == "ok");
    }

    void too_many_readings_are_an_error() {
        const auto result =
            ask(with("root ::= \"x\" root \"y\" | \"x\" root \"z\" | \"x\" root \"x\""));
        QVERIFY(!result);
        QVERIFY(result.error().code == hearth::ErrorCode::Unsupported);
        QCOMPARE(result.error().field, std::string("grammar"));
    }

    // Sampling options that name tokens arrive, and errors of theirs come before anything is
    // computed.
    void sampling_options_arrive() {
        GenerationOptions options = with("");
        options.max_tokens = 5;
        options.sampling.logit_bias = {{.token = 3 + 'q', .bias = 1e6F}};
        auto result = ask(options);
        QVERIFY(result);
        QCOMPARE(result->text, std::string("qqqqq"));
        options.sampling.logit_bias = {{.text = "q", .bias = 1e6F}};
        options.sampling.presence_penalty = 100;
        result = ask(options);
        QVERIFY(result);
        QCOMPARE(result->text, std::string("qqqqq"));
        options.sampling.logit_bias = {{.token = 3 + 'q', .bias = 60},
                                       {.token = 3 + 'z', .bias = 29}};
        options.sampling.presence_penalty = 0;
        options.sampling.frequency_penalty = 100;
        result = ask(options);
        QVERIFY(result);
        QVERIFY(result->text.starts_with("qz"));
        options.sampling.logit_bias = {{.text = "qz", .bias = 1}};
        result = ask(options);
        QVERIFY(!result);
        QCOMPARE(result.error().field, std::string("logit_bias"));
    }

private:
    static constexpr const char* kPrompt = "What is rain?";
    Result<GenerationResult> ask(const GenerationOptions& options) {
        engine_->impl().session->clear();
        const hearth::Cancellation go_on;
        return engine_->complete(kPrompt, options, {}, go_on);
    }

    hearth::test::TempDir dir_;
    std::unique_ptr<hearth::Engine> engine_;
};

QTEST_GUILESS_MAIN(AnswerGrammarTest)
#include "answer_grammar_test.moc"
