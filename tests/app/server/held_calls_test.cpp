// A call that a model opens is held to the tools that there are and to their schemas: whatever is
// drawn behind the opening mark comes back as such a call.
#include <QtTest>

#include <algorithm>
#include <random>

#include "engine/text/vocab_fixture.h"
#include "server/answer_parts.h"
#include "server/call_grammars.h"
#include "session/triggered_grammars.h"
#include "support/small_engine.h"
#include "support/temp_dir.h"
#include "support/tiny_model.h"
#include "text/answer_marks.h"
#include "toolbox/schema_check.h"

using namespace hearth;
using namespace hearth::server;

namespace {

constexpr const char* kMarks[] = {"</tool_call>",
                                  "<arg_key>",
                                  "[CALL_ID]",
                                  "[ARGS]",
                                  "[TOOL_CALLS]",
                                  "<|END_ACTION|>",
                                  "<|tool_call_argument_begin|>",
                                  "<|tool_call_end|>",
                                  "<\uFF5Ctool\u2581sep\uFF5C>",
                                  "<\uFF5Ctool\u2581call\u2581end\uFF5C>",
                                  "<|channel|>",
                                  "<|message|>",
                                  "<|constrain|>"};

AnswerRequest with_tools() {
    AnswerRequest request;
    request.tool_use = ToolUse::Auto;
    request.tools = {
        {"look.up", "", ApiJson::parse(R"({"type":"object","properties":{"n":{"type":"integer",
            "minimum":0,"maximum":99},"s":{"type":"string","maxLength":4},"l":{"type":"array",
            "items":{"enum":["a",true]},"maxItems":2}},"required":["n","l"]})")},
        {"look", "", ApiJson::parse(R"({"properties":{"o":{"type":"object","properties":{
            "x":{"type":"boolean"}},"required":["x"]}},"required":["o"]})")},
        // The grammar knows no such keyword: any object goes.
        {"stop", "", ApiJson::parse(R"({"type":"object","properties":{},"not":{}})")}};
    return request;
}

struct Parts {
    std::string text;
    std::vector<ToolCall> calls;
};

Parts parts_of(const AnswerRequest& request, const std::string& answer) {
    Parts all;
    const AnswerParts::Sink sink{[&](std::string_view) {},
                                 [&](std::string_view piece) { all.text += piece; },
                                 [&](const ToolCall& call) { all.calls.push_back(call); }};
    AnswerParts parts(request, sink);
    parts.push(answer);
    parts.finish();
    return all;
}

// Empty: all calls are of tools that there are, with arguments that their schemas allow.
std::string fault_of(const Parts& parts, const AnswerRequest& request) {
    for (const ToolCall& call : parts.calls) {
        const auto tool = std::find_if(request.tools.begin(), request.tools.end(),
                                       [&](const auto& one) { return one.name == call.name; });
        if (tool == request.tools.end()) {
            return call.name;
        }
        const auto fault = toolbox::schema_fault(ApiJson::parse(call.arguments), tool->parameters);
        if (!fault.empty()) {
            return call.arguments + ": " + fault;
        }
    }
    return parts.calls.empty() ? "no call" : "";
}

GenerationOptions options_of(const AnswerRequest& request) {
    GenerationOptions options;
    options.triggered = call_grammars(request.tools);
    options.triggered_schemas = call_schemas(request.tools);
    return options;
}

}  // namespace

class HeldCallsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<Tokenizer> tokenizer(bool has_tokens) {
        test::VocabFixture vocabulary = test::byte_level_fixture();
        if (has_tokens) {
            for (const char* mark : kMarks) {
                vocabulary.add(mark, 3);
            }
            for (const TriggeredGrammar& one : call_grammars(with_tools().tools)) {
                if (one.opening.starts_with('<') && one.opening.ends_with('>') &&
                    vocabulary.id(one.opening) < 0) {
                    vocabulary.add(one.opening, 3);
                }
            }
        }
        auto made = Tokenizer::create(vocabulary.metadata());
        return made ? std::move(*made) : nullptr;
    }

    // The text behind the opening, each token drawn among those that may come, until anything
    // may or the answer ends. Empty: it has no end.
    static std::string drawn(TriggeredGrammars& triggered, const Tokenizer& tokens,
                             std::uint32_t seed, bool& has_ended) {
        std::mt19937 random(seed);
        std::string text;
        AnswerMarks marks(tokens, true);
        for (int i = 0; i < 100000; ++i) {  // any object may be long
            const auto mask = triggered.mask();
            std::vector<TokenId> allowed;
            for (TokenId token = 0; !mask.empty() && token < tokens.n_vocab(); ++token) {
                if ((mask[static_cast<std::size_t>(token) / 64] >> (token % 64) & 1) != 0) {
                    allowed.push_back(token);
                }
            }
            if (allowed.empty()) {
                return text;
            }
            const TokenId token = allowed[random() % allowed.size()];
            if (tokens.is_end_of_turn(token)) {
                has_ended = true;
                return text;
            }
            tokens.append_piece(token, true, text);
            triggered.push(token, "");
        }
        return "";
    }

private slots:
    void drawnCallsCanBeRead_data() {
        QTest::addColumn<QByteArray>("opening");
        QTest::addColumn<bool>("has_tokens");
        for (const TriggeredGrammar& one : call_grammars(with_tools().tools)) {
            for (const bool has_tokens : {false, true}) {
                QTest::addRow("%s, %s", one.opening.c_str(), has_tokens ? "tokens" : "words")
                    << QByteArray::fromStdString(one.opening) << has_tokens;
            }
        }
    }
    void drawnCallsCanBeRead() {
        QFETCH(QByteArray, opening);
        QFETCH(bool, has_tokens);
        const AnswerRequest request = with_tools();
        const GenerationOptions options = options_of(request);
        const auto tokens = tokenizer(has_tokens);
        QVERIFY(tokens != nullptr);
        TriggeredGrammars triggered(*tokens);
        const auto form =
            std::find_if(options.triggered.begin(), options.triggered.end(),
                         [&](const auto& one) { return one.opening == opening.toStdString(); });
        int read = 0;
        for (std::uint32_t seed = 1; seed <= 30; ++seed) {
            triggered.begin(options, {});
            for (const TokenId token : tokens->tokenize(form->opening, false, true)) {
                QVERIFY(triggered.mask().empty());
                triggered.push(token, "");
            }
            QVERIFY(triggered.holds());
            bool has_ended = false;
            const std::string text = drawn(triggered, *tokens, seed, has_ended);
            QVERIFY(!text.empty());
            QCOMPARE(has_ended, form->ends_answer);
            // gpt-oss' header is spelled by the engine.
            std::string answer = form->opening + text;
            if (const auto to = answer.find("to=functions."); to != std::string::npos) {
                const std::string named = answer.substr(to);
                answer = "<|channel|>commentary " +
                         named.substr(0, named.find_first_of(" <j", 13)) +
                         answer.substr(answer.find("<|message|>"));
            }
            const bool is_whole = has_ended || text.find('{') < text.size() - 1;
            if (is_whole) {
                const Parts parts = parts_of(request, answer);
                const std::string fault = fault_of(parts, request);
                QVERIFY2(parts.text.empty() && fault.empty(), (answer + "\n" + fault).c_str());
                ++read;
            } else {  // the rest of the call is no JSON
                const bool is_named = std::any_of(
                    request.tools.begin(), request.tools.end(), [&](const ToolDeclaration& tool) {
                        return text.find(tool.name) != std::string::npos;
                    });
                QVERIFY2(is_named, answer.c_str());
            }
        }
        const QByteArrayList nameOnly = {"<seed:tool_call>", "<minimax:tool_call>",
                                         "<|tool_call_start|>", "<|tool_call>"};
        QCOMPARE(read > 0, !nameOnly.contains(opening));
    }

    void textIsFree_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("prompt");
        QTest::newRow("none") << QByteArray("It rains.") << QByteArray();
        QTest::newRow("half") << QByteArray("<tool_cal") << QByteArray();
        QTest::newRow("thought") << QByteArray("<think>\n<tool_call>") << QByteArray();
        QTest::newRow("thought in the prompt")
            << QByteArray("<tool_call>") << QByteArray("<think>\n");
        QTest::newRow("bare, late")
            << QByteArray("So {\"name\":\"look\",\"parameters\":") << QByteArray();
        QTest::newRow("bare, another")
            << QByteArray("{\"name\":\"Ada\",\"parameters\":") << QByteArray();
        // The token of a mark may bring text with it that is no call.
        QTest::newRow("no call") << QByteArray("<tool_call>!") << QByteArray();
    }
    void textIsFree() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, prompt);
        const GenerationOptions options = options_of(with_tools());
        test::VocabFixture vocabulary = test::byte_level_fixture();
        vocabulary.add("<tool_call>!", 3);
        const auto made = Tokenizer::create(vocabulary.metadata());
        QVERIFY(made.has_value());
        TriggeredGrammars triggered(**made);
        triggered.begin(options, (*made)->tokenize(prompt.toStdString(), false, true));
        for (const TokenId token : (*made)->tokenize(text.toStdString(), false, true)) {
            std::string shown;
            (*made)->append_piece(token, true, shown);
            triggered.push(token, shown);
        }
        QVERIFY(!triggered.holds());
        QVERIFY(triggered.mask().empty());
    }

    void behindReasoningCallsAreHeld() {
        const GenerationOptions options = options_of(with_tools());
        const auto tokens = tokenizer(false);
        TriggeredGrammars triggered(*tokens);
        for (int turn = 0; turn < 2; ++turn) {  // the second answer finds the grammars made
            triggered.begin(options, tokens->tokenize("<think>\n", false, true));
            for (const TokenId token :
                 tokens->tokenize("Hm.</think>\n\n<tool_call>", false, true)) {
                QVERIFY(!triggered.holds());
                std::string shown;
                tokens->append_piece(token, true, shown);
                triggered.push(token, shown);
            }
            QVERIFY(triggered.holds());
        }
        GenerationOptions whole = options;
        whole.json_schema = "{}";  // of the whole answer: nothing else holds
        triggered.begin(whole, {});
        for (const TokenId token : tokens->tokenize("<tool_call>", false, true)) {
            triggered.push(token, "");
        }
        QVERIFY(!triggered.holds());
    }

    // A model with random weights, at temperature 1: 200 calls through the engine.
    void aModelsCallsObeyTheSchema() {
        test::TempDir folder;
        const std::string path = folder.file("tiny.gguf");
        QVERIFY(test::TinyModel({.n_ctx = 1024}).write(path));
        EngineOptions engine_options = test::small_engine(path);
        engine_options.n_ctx = 1024;
        const auto engine = test::load_or_say(engine_options);
        QVERIFY(engine != nullptr);
        AnswerRequest request = with_tools();
        request.tools.pop_back();  // any object may be longer than the context
        request.messages = {{"user", "abc"}, {"assistant", ""}};
        add_tools(request, true);
        request.options.continues_last_message = true;
        request.options.max_tokens = 600;
        request.options.sampling = {
            .temperature = 1, .top_k = 0, .top_p = 1, .min_p = 0, .seed = 1};
        const std::string openings[] = {"<tool_call>\n{", "[TOOL_CALLS]look",
                                        "<function=", "{\"name\": \"look.up\", \"parameters\":"};
        for (std::uint64_t seed = 1; seed <= 200; ++seed) {
            const std::string opening = openings[seed % 4];
            request.messages.back().content = opening;
            request.options.sampling.seed = seed;
            std::string answer = opening;
            Cancellation enough;  // behind a call anything may come
            const auto result = engine->chat(
                request.messages, request.options,
                [&](std::string_view piece) {
                    answer += piece;
                    if (answer.find("</tool_call>") != std::string::npos ||
                        answer.find("</function>") != std::string::npos ||
                        answer.find("<parameter=") != std::string::npos) {
                        enough.request();
                    }
                },
                enough);
            QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
            if (opening == "<function=" && answer.find("<parameter=") != std::string::npos) {
                continue;  // its arguments are no JSON
            }
            const std::string fault = fault_of(parts_of(request, answer), request);
            QVERIFY2(fault.empty(), (answer + "\n" + fault).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(HeldCallsTest)
#include "held_calls_test.moc"
