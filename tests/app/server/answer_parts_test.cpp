// Reasoning, text and calls in an answer, however it is cut into pieces.
#include <QtTest>

#include "server/answer_parts.h"

using hearth::server::AnswerParts;
using hearth::server::AnswerRequest;
using hearth::server::ApiJson;
using hearth::server::ToolCall;
using hearth::server::ToolUse;

namespace {

AnswerRequest with_tools() {
    AnswerRequest request;
    request.tool_use = ToolUse::Auto;
    request.tools = {{"f", "", ApiJson::parse(R"({"properties":{"a":{"type":"string"},"n":{}}})")},
                     {"g", "", ApiJson::object()}};
    return request;
}

// "reasoning|text|calls" of an answer that comes in pieces of `step` bytes.
std::string parts_of(const AnswerRequest& request, const std::string& answer, std::size_t step) {
    std::string reasoning, text, calls;
    const AnswerParts::Sink sink{
        [&](std::string_view piece) { reasoning += piece; },
        [&](std::string_view piece) { text += piece; },
        [&](const ToolCall& call) { calls += call.name + call.arguments + ";"; }};
    AnswerParts parts(request, sink);
    for (std::size_t at = 0; at < answer.size(); at += step) {
        parts.push(std::string_view(answer).substr(at, step));
    }
    parts.finish();
    return reasoning + "|" + text + "|" + calls;
}

}  // namespace

class AnswerPartsTest : public QObject {
    Q_OBJECT

private:
    static void rows(std::initializer_list<std::pair<const char*, const char*>> answers) {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("wanted");
        for (const auto& [answer, wanted] : answers) {
            QTest::newRow(answer) << QByteArray(answer) << QByteArray(wanted);
        }
    }
    static void check(const AnswerRequest& request) {
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, wanted);
        for (std::size_t step = 1; step <= static_cast<std::size_t>(answer.size()) + 1; ++step) {
            QCOMPARE(QByteArray::fromStdString(parts_of(request, answer.toStdString(), step)),
                     wanted);
        }
    }

private slots:
    void reasoning_data() {
        rows({{"It rains.", "|It rains.|"},
              {"", "||"},
              {"  It rains.\n", "|  It rains.\n|"},
              {"<think>\nHm.\n\nWell.\n</think>\n\nIt rains.\n", "Hm.\n\nWell.|It rains.\n|"},
              {"\n <think>Hm.</think>It rains.", "Hm.|It rains.|"},
              {"<think>\n\n</think>\n\nIt rains.", "|It rains.|"},
              {"<think>\nHm. Wel", "Hm. Wel||"},
              {"<think>\nHm </thin", "Hm </thin||"},
              {"<thin", "|<thin|"},
              {"<thinker>", "|<thinker>|"},
              {"Write <think>", "|Write <think>|"},
              {"<think>A</think>B<think>C</think>", "A|B<think>C</think>|"},
              {"<tool_call>{\"name\":\"f\"}</tool_call>",
               "|<tool_call>{\"name\":\"f\"}</tool_call>|"}});
    }
    void reasoning() { check(AnswerRequest()); }

    void calls_data() {
        rows(
            {{"It rains. ", "|It rains. |"},
             {"<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}}\n</tool_call>",
              "||f{\"a\":\"x\"};"},
             {"Let me see.\n\n<tool_call>{\"name\":\"f\",\"arguments\":{}}</tool_call>\n"
              "<tool_call>{\"name\":\"g\",\"arguments\":\"{}\"}</tool_call>\n",
              "|Let me see.|f{};g{};"},
             {"<think>Hm.</think><tool_call>{\"name\":\"f\"}</tool_call>Done.", "Hm.|Done.|f{};"},
             {"<tool_call>{\"name\":\"f\"}", "||f{};"},
             // Llama's, with and without a mark
             {"{\"name\": \"f\", \"parameters\": {\"a\": \"x\"}}", "||f{\"a\":\"x\"};"},
             {" {\"name\":\"other\"}", "| {\"name\":\"other\"}|"},
             {"{\"x\":1}", "|{\"x\":1}|"},
             {"{\"na", "|{\"na|"},
             {"<|python_tag|>{\"name\":\"f\",\"parameters\":{}}", "||f{};"},
             // Mistral's, both
             {"[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{}},{\"name\":\"g\",\"arguments\":{}}]",
              "||f{};g{};"},
             {"[TOOL_CALLS]f[ARGS]{\"a\":\"x\"}[TOOL_CALLS]g[ARGS]{}", "||f{\"a\":\"x\"};g{};"},
             // Qwen3-Coder's
             {"<tool_call>\n<function=f>\n<parameter=a>\n7\n</parameter>\n<parameter=n>\n7\n"
              "</parameter>\n</function>\n</tool_call>",
              "||f{\"a\":\"7\",\"n\":7};"},
             // GLM's
             {"<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>7</arg_value>\n<arg_key>n</arg_key>\n"
              "<arg_value>[1]</arg_value>\n</tool_call>",
              "||f{\"a\":\"7\",\"n\":[1]};"},
             // what only looks like a call
             {"<tool_call>{\"name\":\"h\",\"arguments\":{}}</tool_call>",
              "|<tool_call>{\"name\":\"h\",\"arguments\":{}}</tool_call>|"},
             {"a <tool_call> b", "|a <tool_call> b|"},
             {"<tool_call>{\"name\":\"f\",\"arguments\":[1]}</tool_call>",
              "|<tool_call>{\"name\":\"f\",\"arguments\":[1]}</tool_call>|"},
             {"[TOOL_CALLS]nothing", "|[TOOL_CALLS]nothing|"},
             {"<tool_call></tool_call>", "|<tool_call></tool_call>|"},
             {"1 < 2 and [x]", "|1 < 2 and [x]|"}});
    }
    void calls() { check(with_tools()); }

    // The grammar makes these, behind what the template may have begun.
    void forcedCalls_data() {
        rows({{"{\"name\":\"f\",\"arguments\":{\"a\":\"x\"}}", "||f{\"a\":\"x\"};"},
              {" { \"name\": \"g\", \"arguments\": { } }", "||g{};"},
              {"{\"name\":\"f\",\"argu", "|{\"name\":\"f\",\"argu|"},
              {"<think>\n{\"name\":\"g\",\"arguments\":{}}", "||g{};"}});
    }
    void forcedCalls() {
        AnswerRequest request = with_tools();
        request.tool_use = ToolUse::Required;
        request.options.json_schema = "{}";
        check(request);
    }

    void anAnswerOfAFormHasNoReasoning() {
        AnswerRequest request;
        request.options.json_schema = "{}";
        QCOMPARE(parts_of(request, "<think>\n{}", 1), std::string("|{}|"));
    }

    void aRawTextIsNotTakenApart() {
        AnswerRequest request;
        request.is_raw = true;
        const std::string text = "<think>a</think>{\"name\":\"f\"}";
        QCOMPARE(parts_of(request, text, 3), "|" + text + "|");
    }
};

QTEST_APPLESS_MAIN(AnswerPartsTest)
#include "answer_parts_test.moc"
