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
             {"<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>x</tool_call>y</arg_value>\n"
              "</tool_call>!",
              "|!|f{\"a\":\"x</tool_call>y\"};"},
             // Qwen3-Coder's without the tag around, and what templates print for other values
             {"So: <function=f>\n<parameter=a>\n\nb\n</parameter>\n<parameter=n>\nTrue\n"
              "</parameter>\n</function>\n</tool_call>\n.",
              "|So:.|f{\"a\":\"\\nb\",\"n\":true};"},
             {"<seed:tool_call>\n<function=f>\n<parameter=a>None</parameter>\n<parameter=n>"
              "{'b': [None, 'c']}</parameter>\n</function>\n</seed:tool_call>",
              "||f{\"a\":\"None\",\"n\":{\"b\":[null,\"c\"]}};"},
             {"<function=f>\n<parameter=a>\n</parameter> </parameter>\n</function>",
              "||f{\"a\":\"</parameter> \"};"},
             // MiniMax's
             {"<minimax:tool_call>\n<invoke name=\"f\">\n<parameter name=\"a\">b</parameter>\n"
              "</invoke>\n<invoke name=\"g\">\n</invoke>\n</minimax:tool_call>",
              "||f{\"a\":\"b\"};g{};"},
             // Functionary's
             {"<function=f>{\"a\": \"</function>\"}</function><function=g>{}</function>",
              "||f{\"a\":\"</function>\"};g{};"},
             // Mistral's with ids
             {"[TOOL_CALLS]f[CALL_ID]abcdefgh1[ARGS]{\"a\":\"[TOOL_CALLS]\"}[TOOL_CALLS]g[CALL_ID]"
              "abcdefgh2[ARGS]{}",
              "||f{\"a\":\"[TOOL_CALLS]\"};g{};"},
             // Granite's, Command R's, Apertus'
             {"<|tool_call|>[{\"name\":\"f\",\"arguments\":{}}]", "||f{};"},
             {"<think>P</think><|START_ACTION|>[\n    {\"tool_call_id\": \"0\", \"tool_name\": "
              "\"g\", \"parameters\": {\"a\": \"<|END_ACTION|>\"}}\n]<|END_ACTION|>",
              "P||g{\"a\":\"<|END_ACTION|>\"};"},
             {"<|tools_prefix|>[{\"f\": {\"n\": 1}}, {\"g\": {}}]", "||f{\"n\":1};g{};"},
             // LFM2's
             {"<|tool_call_start|>[f(a='it\\'s', n=[1, True, {\"b\": None}]), g()]<|tool_call_end|>"
              "Wait.",
              "|Wait.|f{\"a\":\"it's\",\"n\":[1,true,{\"b\":null}]};g{};"},
             {"<|tool_call_start|>[f(a='a 'b', c', n=1)]<|tool_call_end|>",
              "||f{\"a\":\"a 'b', c\",\"n\":1};"},
             {"<|tool_call_start|>g(a=\"\\u00e9\\x41\\ud83d\\ude00\\d\")<|tool_call_end|>",
              "||g{\"a\":\"\303\251A\360\237\230\200\\\\d\"};"},
             {"<|python_tag|>f.call(a=\"b\")", "||f{\"a\":\"b\"};"},
             // Gemma's
             {"<|tool_call>call:f{a:<|\"|>x, {<tool_call|>} \"y\"<|\"|>,n:{b:[1,None],c:{}}}"
              "<tool_call|><|tool_call>call:g{}<tool_call|>",
              "||f{\"a\":\"x, {<tool_call|>} \\\"y\\\"\",\"n\":{\"b\":[1,null],\"c\":{}}};g{};"},
             // Kimi's, with and without marks around the section
             {"See:<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_"
              "argument_"
              "begin|>{\"a\":\"x\"}<|tool_call_end|><|tool_call_begin|>functions.g:1<|tool_call_"
              "argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
              "|See:|f{\"a\":\"x\"};g{};"},
             {"<|tool_call_begin|>f<|tool_call_argument_begin|>{}<|tool_call_end|>"
              "<|tool_calls_section_end|>",
              "||f{};"},
             // DeepSeek's, both
             {"<\uFF5Ctool\u2581calls\u2581begin\uFF5C><\uFF5Ctool\u2581call\u2581begin\uFF5C>f"
              "<\uFF5Ctool\u2581sep\uFF5C>{\"a\":\"x\"}<\uFF5Ctool\u2581call\u2581end\uFF5C>"
              "<\uFF5Ctool\u2581calls\u2581end\uFF5C>",
              "||f{\"a\":\"x\"};"},
             {"<\uFF5Ctool\u2581call\u2581begin\uFF5C>function<\uFF5Ctool\u2581sep\uFF5C>f\n"
              "```json\n{\"a\":\"```\"}\n```<\uFF5Ctool\u2581call\u2581end\uFF5C>",
              "||f{\"a\":\"```\"};"},
             // gpt-oss', as the engine spells it
             {"<think>\nP\n</think>\n\n<|channel|>commentary to=functions.f<|message|>{\"a\":\"x\"}"
              "<|call|><|channel|>commentary to=g<|message|>{}",
              "P||f{\"a\":\"x\"};g{};"},
             // cut within a call, and just behind one
             {"<|channel|>commentary to=g<|message|>", "|<|channel|>commentary to=g<|message|>|"},
             {"[TOOL_CALLS]g[ARGS]", "|[TOOL_CALLS]g[ARGS]|"},
             {"<function=f>\n<parameter=a>\nrm {}", "|<function=f>\n<parameter=a>\nrm {}|"},
             {"<function=f>\n<parameter=a>\nb\n</parameter>",
              "|<function=f>\n<parameter=a>\nb\n</parameter>|"},
             {"<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>",
              "|<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>|"},
             {"<tool_call>\n<function=f>\n<parameter=a>\nb\n</parameter>\n</function>",
              "||f{\"a\":\"b\"};"},
             {"<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>"
              "<|tool_call_end|><|tool_calls_section_end|>",
              "||f{};"},
             // broken ones of these
             {"<|tool_call_start|>[f(a=)]<|tool_call_end|>",
              "|<|tool_call_start|>[f(a=)]<|tool_call_end|>|"},
             {"<|tool_call>call:f{a:<|\"|>x}", "|<|tool_call>call:f{a:<|\"|>x}|"},
             {"<|tool_call>call:f{a:b}<tool_call|>", "|<|tool_call>call:f{a:b}<tool_call|>|"},
             {"<|tools_prefix|>[{\"f\":1}]<|tools_suffix|>x",
              "|<|tools_prefix|>[{\"f\":1}]<|tools_suffix|>x|"},
             {"<tool_call>{\"name\":\"f</tool_call>A<tool_call>{\"name\":\"g\"}</tool_call>",
              "|<tool_call>{\"name\":\"f</tool_call>A|g{};"},
             {"<|tool_call_begin|>functions.h:0<|tool_call_argument_begin|>{}<|tool_call_end|>",
              "|<|tool_call_begin|>functions.h:0<|tool_call_argument_begin|>{}<|tool_call_end|>|"},
             {"<|channel|>commentary to=python<|message|>print()",
              "|<|channel|>commentary to=python<|message|>print()|"},
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

    // Within the bounds of a section, of nesting and of arguments.
    void callsHaveBounds() {
        const auto section = [](std::size_t calls, const std::string& arguments) {
            std::string text = "<|tool_call_start|>[";
            for (std::size_t i = 0; i < calls; ++i) {
                text += (i == 0 ? "g(" : ",g(") + arguments + ")";
            }
            return text + "]<|tool_call_end|>";
        };
        const auto is_text = [](const std::string& text) {
            return parts_of(with_tools(), text, text.size()) == "|" + text + "|";
        };
        QVERIFY(!is_text(section(128, "")));
        QVERIFY(is_text(section(129, "")));
        const auto nested = [](std::size_t depth) {
            return "n=" + std::string(depth, '[') + std::string(depth, ']');
        };
        QVERIFY(!is_text(section(1, nested(64))));
        QVERIFY(is_text(section(1, nested(66))));
        QVERIFY(is_text(section(1, nested(1'000'000))));
        std::string many;
        for (int i = 0; i < 513; ++i) {
            many += (many.empty() ? "a" : ",a") + std::to_string(i) + "=1";
        }
        QVERIFY(is_text(section(1, many)));
        QVERIFY(!is_text(section(1, many.substr(0, many.rfind(',')))));
    }

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
