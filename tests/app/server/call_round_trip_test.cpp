// A template prints a call of a tool as its model writes it. It comes back as the call.
#include <QDir>
#include <QFile>
#include <QSet>
#include <QtTest>

#include <algorithm>
#include <memory>

#include "engine/text/vocab_fixture.h"
#include "server/answer_parts.h"
#include "text/answer_marks.h"
#include "text/chat_template.h"

using namespace hearth;
using namespace hearth::server;

namespace {

const QString kTemplates = HEARTH_SHARED_DIR "/chat-templates/";

// Templates that print no calls, though three of them print tools. Kimi's appends to a list, which
// neither transformers nor we let a template do.
const QSet<QString> kWithoutCalls = {"HuggingFaceTB-SmolLM3-3B",
                                     "Kimi-K2-Instruct",
                                     "LFM2-8B-A1B",
                                     "google-gemma-2-2b-it",
                                     "ibm-granite-granite-3.3-2B-Instruct",
                                     "microsoft-Phi-3.5-mini-instruct"};

constexpr const char* kArguments = R"({
    "text": "He said \"hi\", {now} [a, b]\nand 'left' — ☃ </tool_call> back\\slash",
    "n": -1.5, "large": 12345678901, "flag": true, "nothing": null,
    "inner": {"a": [1, "two", {"b": false, "c": null}], "e": {}}, "list": ["x, y", []], "empty": {}
})";

// Special tokens of the families, beside those of the fixture.
constexpr const char* kMarks[] = {"<think>",
                                  "</think>",
                                  "<tool_call>",
                                  "</tool_call>",
                                  "<arg_key>",
                                  "</arg_key>",
                                  "<arg_value>",
                                  "</arg_value>",
                                  "[TOOL_CALLS]",
                                  "[CALL_ID]",
                                  "[ARGS]",
                                  "<|python_tag|>",
                                  "<seed:think>",
                                  "</seed:think>",
                                  "<seed:tool_call>",
                                  "</seed:tool_call>",
                                  "<minimax:tool_call>",
                                  "</minimax:tool_call>",
                                  "<|START_THINKING|>",
                                  "<|END_THINKING|>",
                                  "<|START_ACTION|>",
                                  "<|END_ACTION|>",
                                  "<|inner_prefix|>",
                                  "<|inner_suffix|>",
                                  "<|tools_prefix|>",
                                  "<|tools_suffix|>",
                                  "<|tool_call_start|>",
                                  "<|tool_call_end|>",
                                  "<|tool_call>",
                                  "<tool_call|>",
                                  "<|\"|>",
                                  "<|tool_calls_section_begin|>",
                                  "<|tool_calls_section_end|>",
                                  "<|tool_call_begin|>",
                                  "<|tool_call_argument_begin|>",
                                  "<\uFF5Ctool\u2581calls\u2581begin\uFF5C>",
                                  "<\uFF5Ctool\u2581calls\u2581end\uFF5C>",
                                  "<\uFF5Ctool\u2581call\u2581begin\uFF5C>",
                                  "<\uFF5Ctool\u2581call\u2581end\uFF5C>",
                                  "<\uFF5Ctool\u2581sep\uFF5C>",
                                  "<|channel>",
                                  "<channel|>",
                                  "<|channel|>",
                                  "<|message|>",
                                  "<|start|>",
                                  "<|constrain|>"};
constexpr const char* kEnds[] = {"<|end|>",
                                 "<|return|>",
                                 "<|call|>",
                                 "<|eot_id|>",
                                 "<|eom_id|>",
                                 "<|end_of_text|>",
                                 "<seed:eos>",
                                 "[e~[",
                                 "<|END_OF_TURN_TOKEN|>",
                                 "<|tool_response>",
                                 "<turn|>",
                                 "</s>",
                                 "<\uFF5Cend\u2581of\u2581sentence\uFF5C>",
                                 "<\uFF5CAssistant\uFF5C>"};

ApiJson calls_of_message(int count) {
    ApiJson calls = ApiJson::array();
    calls.push_back(call_json("abcdefgh1", "look_up", kArguments));
    calls.push_back(call_json("abcdefgh2", "stop.now", "{}"));
    calls.erase(calls.begin() + count, calls.end());
    return calls;
}

AnswerRequest with_tools() {
    AnswerRequest request;
    request.tool_use = ToolUse::Auto;
    request.tools = {{"look_up", "Looks it up.", ApiJson::parse(R"({"type": "object",
        "properties": {"text": {"type": "string", "description": "p"},
        "n": {"type": "number", "description": "p"}, "large": {"type": "integer",
        "description": "p"}, "flag": {"type": "boolean", "description": "p"},
        "inner": {"type": "object", "description": "p"}}, "required": ["text"]})")},
                     {"stop.now", "Stops.", ApiJson::parse(R"({"type": "object",
        "properties": {}})")}};
    return request;
}

struct Parts {
    std::string reasoning, text;
    std::vector<ToolCall> calls;
};

Parts parts_of(const AnswerRequest& request, std::initializer_list<std::string_view> pieces) {
    Parts all;
    const AnswerParts::Sink sink{[&](std::string_view piece) { all.reasoning += piece; },
                                 [&](std::string_view piece) { all.text += piece; },
                                 [&](const ToolCall& call) { all.calls.push_back(call); }};
    AnswerParts parts(request, sink);
    for (const std::string_view piece : pieces) {
        parts.push(piece);
    }
    parts.finish();
    return all;
}

// Members in any order.
nlohmann::json unordered(const std::string& text) {
    return nlohmann::json::parse(text, nullptr, false);
}

}  // namespace

class CallRoundTripTest : public QObject {
    Q_OBJECT

    static std::unique_ptr<Tokenizer> tokenizer(const Metadata& metadata) {
        auto made = Tokenizer::create(metadata);
        return made ? std::move(*made) : nullptr;
    }

    // Empty: the template refuses.
    static std::vector<TokenId> prompt_of(const ChatTemplate& chat, const Tokenizer& tokens,
                                          const std::vector<ChatMessage>& messages, bool opens,
                                          const std::string& tools) {
        TemplateOptions options;
        options.add_generation_prompt = opens;
        options.thinking = true;
        options.tools = tools;
        const auto prompt = chat.apply(messages, options);
        std::string all;
        for (const TextSegment& segment : prompt ? prompt->segments : std::vector<TextSegment>()) {
            all += segment.text;
        }
        return prompt && prompt->notice.empty() ? tokens.tokenize(all, false, true)
                                                : std::vector<TokenId>();
    }

    // The answer as a model would write it, behind the prompt for one.
    static std::string answer_text(const std::vector<TokenId>& prompt,
                                   const std::vector<TokenId>& whole, const Tokenizer& tokens) {
        auto [mine, theirs] =
            std::mismatch(prompt.begin(), prompt.end(), whole.begin(), whole.end());
        // A prompt that begins something else: both begin it at the latest token or line.
        while (mine != prompt.end() && !tokens.is_special(theirs[-1]) &&
               tokens.detokenize({&theirs[-1], 1}) != "\n") {
            --theirs;
        }
        AnswerMarks marks(tokens, true);
        const QByteArray before = QByteArray::fromStdString(tokens.detokenize(prompt)).trimmed();
        std::string text = mine == prompt.end() && before.endsWith("<think>") ? "<think>\n" : "";
        for (auto token = theirs; token != whole.end() && !tokens.is_end_of_turn(*token); ++token) {
            marks.push(*token, text);
        }
        return text;
    }

private slots:
    void published_data() {
        QTest::addColumn<bool>("has_tokens");
        const QStringList files = QDir(kTemplates).entryList({"*.jinja"}, QDir::Files);
        if (files.isEmpty()) {
            QTest::newRow("absent") << true;
        }
        for (const QString& file : files) {
            QTest::addRow("%s, tokens", qPrintable(file.chopped(6))) << true;
            // Their marks are special tokens in all that was published.
            const bool wants_tokens = file.startsWith("openai") || file.startsWith("google") ||
                                      file.startsWith("CohereForAI") || file.startsWith("Byte");
            if (!wants_tokens) {
                QTest::addRow("%s, words", qPrintable(file.chopped(6))) << false;
            }
        }
    }
    void published() {
        QFETCH(bool, has_tokens);
        const QString name = QString(QTest::currentDataTag()).section(", ", 0, 0);
        QFile file(kTemplates + name + ".jinja");
        if (!file.open(QIODevice::ReadOnly)) {
            QSKIP("needs ../shared/chat-templates");
        }
        const std::string source = file.readAll().toStdString();
        test::VocabFixture vocabulary = test::byte_level_fixture();
        for (const char* token : kMarks) {
            // A vocabulary has the marks of its family alone.
            const bool is_channel = QByteArray(token).startsWith("<|channel") ||
                                    QByteArray(token) == "<channel|>" ||
                                    QByteArray(token) == "<|message|>";
            const bool is_own = source.find(token) != std::string::npos;
            if (has_tokens && (is_own || !is_channel) &&
                (is_own || QByteArray(token).indexOf("hink") < 0)) {
                vocabulary.add(token, 3);
            }
        }
        for (const char* token : kEnds) {
            vocabulary.add(token, 3);
        }
        vocabulary.set("x", test::flag_value(true));
        Metadata metadata = vocabulary.metadata();
        metadata.add("tokenizer.chat_template", test::text_value(source));
        const auto tokens = tokenizer(metadata);
        const auto chat = ChatTemplate::create(metadata);
        QVERIFY(tokens != nullptr && chat.has_value());
        QCOMPARE((*chat)->traits().fallback, std::string());
        QCOMPARE((*chat)->traits().has_calls, !kWithoutCalls.contains(name));
        if (kWithoutCalls.contains(name)) {
            return;
        }

        AnswerRequest request = with_tools();
        AnswerRequest told = request;
        add_tools(told, true);
        const ChatMessage question{"user", "q"};
        const auto prompt = prompt_of(**chat, *tokens, {question}, true, told.options.tools);
        QVERIFY(!prompt.empty());
        std::vector<TokenId> whole;
        int count = 3;
        while (whole.empty() && --count > 0) {
            const ChatMessage calls{"assistant", "", "Hm. Well.",
                                    to_bytes(calls_of_message(count))};
            whole = prompt_of(**chat, *tokens, {question, calls}, false, told.options.tools);
        }
        QVERIFY(!whole.empty());
        const std::string answer = answer_text(prompt, whole, *tokens);
        count = answer.find("stop.now") == std::string::npos ? 1 : 2;
        for (std::size_t cut = 0; cut <= answer.size(); ++cut) {
            const std::string_view text = answer;
            const Parts parts = parts_of(request, {text.substr(0, cut), text.substr(cut)});
            QVERIFY2(parts.text.empty(), (parts.text + "\nof\n" + answer).c_str());
            QCOMPARE(parts.calls.size(), static_cast<std::size_t>(count));
            QCOMPARE(parts.calls[0].name, std::string("look_up"));
            QVERIFY2(unordered(parts.calls[0].arguments) == unordered(kArguments),
                     (parts.calls[0].arguments + "\nof\n" + answer).c_str());
            if (count == 2) {
                QCOMPARE(parts.calls[1].name, std::string("stop.now"));
                QCOMPARE(parts.calls[1].arguments, std::string("{}"));
            }
            if (answer.find("Hm. Well.") != std::string::npos) {
                QCOMPARE(parts.reasoning, std::string("Hm. Well."));
            }
        }
    }
};

QTEST_APPLESS_MAIN(CallRoundTripTest)
#include "call_round_trip_test.moc"
