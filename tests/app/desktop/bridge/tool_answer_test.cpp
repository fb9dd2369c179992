// An answer with tools: what is asked of the engine, and what comes out of its text.
#include "bridge/tool_answer.h"

#include <QtTest>

using namespace hearth;
using namespace hearth::ui;

namespace {

constexpr char kSchema[] =
    R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})";

// Answers with each text in turn.
struct ScriptedModel {
    std::vector<std::string> texts;
    std::vector<GenerationOptions> asked = {};
    std::vector<std::vector<ChatMessage>> messages = {};
    Error refusal{ErrorCode::Internal, {}, {}, {}};  // of everything past the texts

    AskModel ask() {
        return [this](const std::vector<ChatMessage>& all, const GenerationOptions& options,
                      const PieceCallback& piece) -> Result<GenerationResult> {
            asked.push_back(options);
            messages.push_back(all);
            if (asked.size() > texts.size()) {
                return refusal;
            }
            GenerationResult result;
            result.text = texts[asked.size() - 1];
            result.token_ids = {1, 2};
            for (std::size_t at = 0; at < result.text.size(); at += 3) {
                piece(std::string_view(result.text).substr(at, 3));
            }
            return result;
        };
    }
};

}  // namespace

class ToolAnswerTest : public QObject {
    Q_OBJECT

    std::string shown_;

    Result<ToolAnswer> answer(ScriptedModel& model, bool template_has_tools = true) {
        auto request = requestWithTools({{"user", "q"}}, {{"f", "does", kSchema}});
        shown_.clear();
        ChatTraits chat;
        chat.has_tools = template_has_tools;
        chat.has_calls = template_has_tools;
        return answerWithTools(*request, chat, model.ask(),
                               [this](std::string_view piece) { shown_ += piece; });
    }

private slots:
    void callsAreTakenOutOfTheText() {
        ScriptedModel model{
            {"<think>Hm.</think>See:\n<tool_call>{\"name\":\"f\",\"arguments\":"
             "{\"n\":1}}</tool_call>"}};
        const auto done = answer(model);
        QVERIFY(done.has_value());
        QCOMPARE(done->calls.size(), std::size_t{1});
        QCOMPARE(done->calls[0].arguments, std::string("{\"n\":1}"));
        QCOMPARE(shown_, std::string("<think>\nHm.\n</think>\n\nSee:"));
        QCOMPARE(model.asked.size(), std::size_t{1});
        QVERIFY(model.asked[0].tools.find("\"name\":\"f\"") != std::string::npos);
        QVERIFY(model.asked[0].json_schema.empty());
    }

    void aCallThatBreaksTheSchemaIsWrittenUnderTheGrammar() {
        ScriptedModel model{
            {"<tool_call>{\"name\":\"f\",\"arguments\":{\"n\":\"one\"}}</tool_call>",
             "{\"name\":\"f\",\"arguments\":{\"n\":1}}"}};
        const auto done = answer(model);
        QVERIFY(done.has_value());
        QCOMPARE(done->calls.size(), std::size_t{1});
        QCOMPARE(done->calls[0].arguments, std::string("{\"n\":1}"));
        QCOMPARE(model.asked.size(), std::size_t{2});
        QVERIFY(model.asked[1].json_schema.find("\"integer\"") != std::string::npos);
        QCOMPARE(model.asked[1].thinking, std::optional<bool>(false));
        QCOMPARE(shown_, std::string());
        QCOMPARE(done->result.token_ids.size(), std::size_t{4});
    }

    void aSchemaWithoutAGrammarLeavesTheCall() {
        ScriptedModel model{{"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"}};
        model.refusal.code = ErrorCode::InvalidArgument;
        const auto done = answer(model);
        QVERIFY(done.has_value());
        QCOMPARE(done->calls.at(0).arguments, std::string("{}"));
        ScriptedModel lost{{"<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>"}};
        lost.refusal.code = ErrorCode::DeviceLost;
        QVERIFY(!answer(lost).has_value());
    }

    void otherToolsAreText() {
        ScriptedModel model{{"<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>"}};
        const auto done = answer(model);
        QVERIFY(done && done->calls.empty());
        QCOMPARE(shown_, std::string("<tool_call>{\"name\":\"g\",\"arguments\":{}}</tool_call>"));
    }

    void aTemplateWithoutToolsIsToldInWords() {
        ScriptedModel model{{"Hi."}};
        QVERIFY(answer(model, false).has_value());
        QCOMPARE(model.messages[0][0].role, std::string("system"));
        QVERIFY(model.messages[0][0].content.find("\"name\":\"f\"") != std::string::npos);
    }

    void turnsKeepTheirCalls() {
        const QList<ChatTurn> turns = {{"user", "q"},
                                       {"assistant", "See.", {{"abc", "f", "{\"n\":1}"}}},
                                       {"tool", "<|im_end|>", {}, "abc", "f"}};
        QVERIFY(usesTools(turns, {}) && !usesTools({{"user", "q"}}, {}));
        const auto request = requestWithTools(turns, {});
        QVERIFY(request.has_value());
        QVERIFY(request->messages[1].tool_calls.find("\"id\":\"abc\"") != std::string::npos);
        QVERIFY(request->messages[1].tool_calls.find("{\"n\":1}") != std::string::npos);
        QCOMPARE(request->messages[2].role, std::string("tool"));
        QCOMPARE(request->messages[2].content, std::string("<|im_end|>"));
        QCOMPARE(request->messages[2].name, std::string("f"));
        QVERIFY(!requestWithTools(turns, {{"f", "", "no"}}).has_value());
    }

    void aStoppedAnswerCallsNothing() {
        auto request = requestWithTools({{"user", "q"}}, {{"f", "does", kSchema}});
        const auto done = answerWithTools(
            *request, {},
            [](const auto&, const auto&, const PieceCallback& piece) -> Result<GenerationResult> {
                piece("<tool_call>{\"name\":\"f\",\"arguments\":{\"n\":1}}</tool_call>");
                GenerationResult result;
                result.finish = FinishReason::Cancelled;
                return result;
            },
            [](std::string_view) {});
        QVERIFY(done && done->calls.empty());
    }
};

QTEST_APPLESS_MAIN(ToolAnswerTest)
#include "tool_answer_test.moc"
