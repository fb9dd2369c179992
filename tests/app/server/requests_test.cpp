// The four forms of a request: what each field becomes, and what is refused by its name.
#include <QtTest>

#include "server/anthropic_messages.h"
#include "server/chat_completions.h"
#include "server/responses.h"
#include "server/text_completions.h"

using hearth::Result;
using hearth::server::AnswerRequest;
using hearth::server::ApiJson;
using hearth::server::ToolUse;

namespace {

using Read = Result<AnswerRequest> (*)(const ApiJson&);

Result<AnswerRequest> read(Read form, const std::string& members) {
    auto json = hearth::server::read_json_object("{" + members + "}");
    if (!json) {
        return json.error();
    }
    return form(*json);
}

constexpr Read kChat = hearth::server::read_chat_completion;
constexpr Read kText = hearth::server::read_text_completion;
constexpr Read kResponse = hearth::server::read_response_request;
constexpr Read kMessage = hearth::server::read_anthropic_message;

const std::string kHi = R"("messages":[{"role":"user","content":"Hi"}])";

// "role:content" of each message, with reasoning, calls and ids where there are any.
std::string told(const AnswerRequest& request) {
    std::string all;
    for (const hearth::ChatMessage& message : request.messages) {
        all += message.role + ":" + message.content;
        for (const std::string* more :
             {&message.reasoning, &message.tool_calls, &message.tool_call_id, &message.name}) {
            all += more->empty() ? "" : "," + *more;
        }
        all += ";";
    }
    return all;
}

}  // namespace

class RequestsTest : public QObject {
    Q_OBJECT

private slots:
    void messages_data();
    void messages();
    void settings();
    void formats();
    void tools();
    void toolsInWords();
    void callsInWords();
    void refusals_data();
    void refusals();
    void bodies_data();
    void bodies();
    void bracketsInTextsAreText();
};

void RequestsTest::messages_data() {
    QTest::addColumn<int>("form");
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QByteArray>("wanted");
    const auto row = [](int form, const char* members, const char* wanted) {
        QTest::newRow(members) << form << QByteArray(members) << QByteArray(wanted);
    };
    const char* const call =
        R"([{"id":"c1","type":"function","function":{"name":"f","arguments":{"a":1}}}])";
    row(0,
        R"("messages":[{"role":"system","content":"S"},{"role":"user","content":[)"
        R"({"type":"text","text":"a"},{"type":"text","text":"b"}]}])",
        "system:S;user:ab;");
    row(0,
        R"("messages":[{"role":"user","content":"u"},{"role":"assistant","content":null,)"
        R"("reasoning_content":"r","tool_calls":[{"id":"c1","type":"function","function":)"
        R"({"name":"f","arguments":"{\"a\":1}"}}]},{"role":"tool","tool_call_id":"c1",)"
        R"("content":"7"}])",
        (std::string("user:u;assistant:,r,") + call + ";tool:7,c1,f;").c_str());
    row(0,
        R"("messages":[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f",)"
        R"("arguments":"not json"}}]}])",
        R"(assistant:,[{"id":"c","type":"function","function":{"name":"f","arguments":"not json"}}];)");
    row(2, R"("input":"Hi","instructions":"S")", "system:S;user:Hi;");
    row(2,
        R"("input":[{"role":"user","content":"u"},{"type":"reasoning","id":"r","summary":[],)"
        R"("content":[{"type":"reasoning_text","text":"r"}]},{"type":"function_call",)"
        R"("call_id":"c1","name":"f","arguments":"{\"a\":1}"},{"type":)"
        R"("function_call_output","call_id":"c1","output":"7"}])",
        (std::string("user:u;assistant:,r,") + call + ";tool:7,c1,f;").c_str());
    row(2,
        R"("input":[{"type":"reasoning","content":[{"type":"reasoning_text","text":"r"}]},)"
        R"({"type":"message","role":"assistant","content":[{"type":"output_text",)"
        R"("text":"t"}]},{"role":"user","content":[{"type":"input_text","text":"u"}]}])",
        "assistant:t,r;user:u;");
    row(3,
        R"("max_tokens":1,"system":[{"type":"text","text":"S"}],"messages":[{"role":"user",)"
        R"("content":"u"},{"role":"assistant","content":[{"type":"thinking","thinking":"r",)"
        R"("signature":""},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]},)"
        R"({"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":)"
        R"([{"type":"text","text":"7"}]},{"type":"text","text":"go on"}]}])",
        (std::string("system:S;user:u;assistant:,r,") + call + ";tool:7,c1,f;user:go on;").c_str());
}

void RequestsTest::messages() {
    QFETCH(int, form);
    QFETCH(QByteArray, members);
    QFETCH(QByteArray, wanted);
    constexpr Read kForms[] = {kChat, kText, kResponse, kMessage};
    const auto request = read(kForms[form], members.toStdString());
    QVERIFY2(request, request ? "" : request.error().message.c_str());
    QCOMPARE(QByteArray::fromStdString(told(*request)), wanted);
}

void RequestsTest::settings() {
    const auto good = read(
        kChat, kHi + R"(,"model":"m","user":"u","temperature":0.5,"top_p":0,"top_k":7,)"
                     R"("min_p":0.25,"presence_penalty":-1,"frequency_penalty":2,"seed":-1,)"
                     R"("max_tokens":5,"max_completion_tokens":9,"stop":["a","b"],)"
                     R"("logit_bias":{"5":-100,"6":1.5},"stream":true,)"
                     R"("stream_options":{"include_usage":true},"reasoning_effort":"minimal",)"
                     R"("chat_template_kwargs":{"enable_thinking":false},"n":1,"logprobs":false,)"
                     R"("unknown":{"x":[1]},"metadata":{},"store":true)");
    QVERIFY2(good, good ? "" : good.error().message.c_str());
    const hearth::GenerationOptions& options = good->options;
    QCOMPARE(good->model, std::string("m"));
    QCOMPARE(good->client, std::string("u"));
    QCOMPARE(options.sampling.temperature, 0.5F);
    QVERIFY(options.sampling.top_p > 0 && options.sampling.top_p < 1e-5F);
    QCOMPARE(options.sampling.top_k, 7);
    QCOMPARE(options.sampling.min_p, 0.25F);
    QCOMPARE(options.sampling.presence_penalty, -1.0F);
    QCOMPARE(options.sampling.frequency_penalty, 2.0F);
    QCOMPARE(options.sampling.seed, UINT64_MAX);
    QCOMPARE(options.max_tokens, 9);
    QVERIFY((options.stop == std::vector<std::string>{"a", "b"}));
    QCOMPARE(options.sampling.logit_bias.size(), std::size_t{2});
    QVERIFY(std::isinf(options.sampling.logit_bias[0].bias));
    QCOMPARE(options.sampling.logit_bias[1].bias, 1.5F);
    QCOMPARE(options.reasoning_effort, std::string("low"));
    QVERIFY(options.thinking == std::optional(false));
    QVERIFY(good->streams && good->streams_usage);
    QVERIFY(!options.drop_oldest_messages);
    const auto plain = read(kChat, kHi);
    QCOMPARE(plain->options.max_tokens, -1);
    QVERIFY(!plain->streams && plain->tool_use == ToolUse::None);
    QVERIFY(read(kChat, kHi + R"(,"seed":0)")->options.sampling.seed != 0);
    QCOMPARE(read(kText, R"("prompt":"p")")->options.max_tokens, 16);
    QVERIFY(read(kText, R"("prompt":["p"])")->is_raw);
    QVERIFY(read(kResponse, R"("input":"p","truncation":"auto")")->options.drop_oldest_messages);
    QCOMPARE(read(kResponse, R"("input":"p","max_output_tokens":3)")->options.max_tokens, 3);
    const auto message = read(kMessage, kHi + R"(,"max_tokens":3,"stop_sequences":["x"],)"
                                              R"("metadata":{"user_id":"w"},)"
                                              R"("thinking":{"type":"disabled"})");
    QCOMPARE(message->client, std::string("w"));
    QVERIFY(message->options.thinking == std::optional(false));
    QVERIFY(message->options.stop == std::vector<std::string>{"x"});
}

void RequestsTest::formats() {
    const std::string schema = R"({"type":"object","properties":{"z":{},"a":{}}})";
    const std::string named = R"("name":"n","strict":true,"schema":)" + schema;
    const auto of = [&](const Result<AnswerRequest>& request) {
        return request ? request->options.json_schema : request.error().message;
    };
    QCOMPARE(of(read(kChat, kHi + R"(,"response_format":{"type":"json_schema","json_schema":{)" +
                                named + "}}")),
             schema);
    QCOMPARE(of(read(kResponse,
                     R"("input":"p","text":{"format":{"type":"json_schema",)" + named + "}}")),
             schema);
    QCOMPARE(of(read(kMessage, kHi + R"(,"max_tokens":1,"output_config":{"format":{"type":)" +
                                   R"("json_schema","schema":)" + schema + "}}")),
             schema);
    QCOMPARE(of(read(kChat, kHi + R"(,"response_format":{"type":"json_object"})")),
             std::string(R"({"type":"object"})"));
    QCOMPARE(of(read(kChat, kHi + R"(,"response_format":{"type":"text"})")), std::string());
}

void RequestsTest::tools() {
    const std::string in_chat =
        R"(,"tools":[{"type":"function","function":{"name":"f","description":"d",)"
        R"("parameters":{"type":"object","properties":{"p":{"$ref":"#/$defs/x"}},)"
        R"("$defs":{"x":{"type":"string"}}}}},{"type":"function","function":{"name":"g"}}])";
    auto request = read(kChat, kHi + in_chat);
    QVERIFY(request && request->tool_use == ToolUse::Auto && request->tools.size() == 2);
    QCOMPARE(request->tools[0].description, std::string("d"));
    QVERIFY(read(kChat, kHi + in_chat + R"(,"tool_choice":"none")")->tool_use == ToolUse::None);
    request = read(kChat, kHi + in_chat +
                              R"(,"parallel_tool_calls":false,"tool_choice":{"type":)"
                              R"("function","function":{"name":"f"}})");
    QVERIFY(request && request->tool_use == ToolUse::Required && request->one_call);
    QCOMPARE(request->forced_tool, std::string("f"));

    hearth::server::add_tools(*request, true);
    const ApiJson schema = ApiJson::parse(request->options.json_schema);
    QCOMPARE(schema["anyOf"].size(), std::size_t{1});
    // A reference of the tool's schema leads to its own place in the new one.
    const ApiJson& arguments = schema["anyOf"][0]["properties"]["arguments"];
    const auto place = arguments["properties"]["p"]["$ref"].get<std::string>();
    QCOMPARE(place, std::string("#/anyOf/0/properties/arguments/$defs/x"));
    QCOMPARE(schema.at(ApiJson::json_pointer(place.substr(1))), arguments["$defs"]["x"]);
    QVERIFY(request->options.tools.starts_with(R"([{"type":"function","function":{"name":"f")"));
    QVERIFY(request->options.thinking == std::optional(false));

    const std::string in_message =
        R"(,"max_tokens":1,"tools":[{"name":"f","input_schema":{"type":"object"}}])";
    QVERIFY(read(kMessage, kHi + in_message + R"(,"tool_choice":{"type":"any"})")->tool_use ==
            ToolUse::Required);
    QVERIFY(read(kMessage, kHi + in_message + R"(,"tool_choice":{"type":"auto",)" +
                               R"("disable_parallel_tool_use":true})")
                ->one_call);
    const auto flat = read(kResponse, R"("input":"p","tools":[{"type":"function","name":"f",)"
                                      R"("parameters":{"type":"object"}}],)"
                                      R"("tool_choice":{"type":"function","name":"f"})");
    QVERIFY(flat && flat->forced_tool == "f");
}

// A template that knows no tools: the model is told in words, and the past is text.
void RequestsTest::toolsInWords() {
    auto request = read(
        kChat, R"("messages":[{"role":"user","content":"u"},{"role":"assistant","tool_calls":[)"
               R"({"id":"c","function":{"name":"f","arguments":"{}"}}]},{"role":"tool",)"
               R"("tool_call_id":"c","content":"7"}],"tools":[{"type":"function","function":)"
               R"({"name":"f"}}])");
    QVERIFY(request);
    hearth::server::add_tools(*request, false);
    QCOMPARE(request->messages.size(), std::size_t{4});
    QCOMPARE(request->messages[0].role, std::string("system"));
    QVERIFY(request->messages[0].content.find(R"({"name":"f")") != std::string::npos);
    QCOMPARE(request->messages[2].content,
             std::string("<tool_call>\n{\"name\":\"f\",\"arguments\":{}}\n</tool_call>\n"));
    QVERIFY(request->messages[2].tool_calls.empty());
    QCOMPARE(request->messages[3].role, std::string("user"));
    QCOMPARE(request->messages[3].content, std::string("<tool_response>\n7\n</tool_response>"));
    auto told_before = read(kChat, R"("messages":[{"role":"system","content":"S"},{"role":)"
                                   R"("user","content":"u"}],"tools":[{"type":"function",)"
                                   R"("function":{"name":"f"}}],"tool_choice":"none")");
    hearth::server::add_tools(*told_before, false);
    QCOMPARE(told_before->messages[0].content, std::string("S"));
}

// A template that tells of tools and leaves out calls: only these become text.
void RequestsTest::callsInWords() {
    auto request = read(
        kChat, R"("messages":[{"role":"user","content":"u"},{"role":"assistant","content":"See.",)"
               R"("tool_calls":[{"id":"c","function":{"name":"f","arguments":"{}"}}]},)"
               R"({"role":"tool","tool_call_id":"c","content":"7"}],"tools":[{"type":"function",)"
               R"("function":{"name":"f"}}])");
    QVERIFY(request);
    auto kept = *request;
    hearth::server::add_tools(kept, true);
    QCOMPARE(kept.messages[1].content, std::string("See."));
    hearth::server::add_tools(*request, true, false);
    QCOMPARE(request->messages.size(), std::size_t{3});
    QCOMPARE(request->messages[1].content,
             std::string("See.\n<tool_call>\n{\"name\":\"f\",\"arguments\":{}}\n</tool_call>\n"));
    QVERIFY(request->messages[1].tool_calls.empty());
    QCOMPARE(request->messages[2].role, std::string("tool"));
    QVERIFY(!request->options.tools.empty());
}

void RequestsTest::refusals_data() {
    QTest::addColumn<int>("form");
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QByteArray>("field");
    const auto row = [](int form, const std::string& members, const char* field) {
        QTest::addRow("%d %s", form, members.c_str())
            << form << QByteArray::fromStdString(members) << QByteArray(field);
    };
    row(0, "", "messages");
    row(0, R"("messages":[])", "messages");
    row(0, R"("messages":{})", "messages");
    row(0, R"("messages":["a"])", "messages[0]");
    row(0, R"("messages":[{"content":"a"}])", "messages[0].role");
    row(0, R"("messages":[{"role":"robot","content":"a"}])", "messages[0].role");
    row(0, R"("messages":[{"role":"user"}])", "messages[0].content");
    row(0, R"("messages":[{"role":"user","content":7}])", "messages[0].content");
    row(0, R"("messages":[{"role":"user","content":[{"type":"image_url"}]}])",
        "messages[0].content[0].type");
    row(0, R"("messages":[{"role":"user","content":"a"},{"role":"tool","content":"b"}])",
        "messages[1].tool_call_id");
    row(0, R"("messages":[{"role":"assistant","tool_calls":[{"id":"c"}]}])",
        "messages[0].tool_calls[0].function");
    for (const char* wrong : {R"("temperature":-1)",
                              R"("temperature":"hot")",
                              R"("top_p":2)",
                              R"("top_k":1.5)",
                              R"("top_k":-1)",
                              R"("n":2)",
                              R"("logprobs":true)",
                              R"("max_tokens":0)",
                              R"("max_completion_tokens":99999999999)",
                              R"("seed":18446744073709551615)",
                              R"("stop":"")",
                              R"("stop":[7])",
                              R"("stream":1)",
                              R"("logit_bias":{"x":1})",
                              R"("logit_bias":{"1":101})",
                              R"("functions":[])",
                              R"("modalities":["audio"])",
                              R"("reasoning_effort":"huge")",
                              R"("tool_choice":"required")",
                              R"("web_search_options":{})"}) {
        const std::string text(wrong);
        row(0, kHi + "," + text, text.substr(1, text.find('"', 1) - 1).c_str());
    }
    row(0, kHi + R"(,"temperature":1e400)", "");  // no number of JSON's reader
    row(0, kHi + R"(,"response_format":{"type":"xml"})", "response_format.type");
    row(0, kHi + R"(,"response_format":{"type":"json_schema","json_schema":{"schema":1}})",
        "response_format.json_schema.schema");
    row(0, kHi + R"(,"tools":[{"type":"web"}])", "tools[0].type");
    row(0, kHi + R"(,"tools":[{"type":"function","function":{"name":"a b"}}])",
        "tools[0].function.name");
    row(0,
        kHi + R"(,"tools":[{"type":"function","function":{"name":"a"}},)"
              R"({"type":"function","function":{"name":"a"}}])",
        "tools[1].function.name");
    row(0,
        kHi + R"(,"tools":[{"type":"function","function":{"name":"a"}}],)"
              R"("tool_choice":{"type":"function","function":{"name":"b"}})",
        "tool_choice");
    row(0,
        kHi + R"(,"tools":[{"type":"function","function":{"name":"a"}}],)"
              R"("response_format":{"type":"json_object"})",
        "tools");
    row(0, kHi + R"(,"grammar":"root ::= \"a\"","response_format":{"type":"json_object"})",
        "grammar");
    row(1, "", "prompt");
    row(1, R"("prompt":["a","b"])", "prompt");
    row(1, R"("prompt":[1,2])", "prompt");
    for (const char* name : {"suffix", "logprobs", "echo", "best_of"}) {
        row(1,
            R"("prompt":"p",")" + std::string(name) +
                "\":" + (std::string(name) == "echo" ? "true" : "3"),
            name);
    }
    row(2, "", "input");
    row(2, R"("input":[])", "input");
    row(2, R"("input":[{"type":"item_reference","id":"x"}])", "input[0].type");
    row(2, R"("input":[{"role":"user","content":[{"type":"input_image"}]}])",
        "input[0].content[0].type");
    row(2, R"("input":[{"type":"function_call","name":"f"}])", "input[0].call_id");
    for (const char* name : {"previous_response_id", "conversation", "prompt"}) {
        row(2, R"("input":"p",")" + std::string(name) + R"(":"x")", name);
    }
    row(2, R"("input":"p","background":true)", "background");
    row(2, R"("input":"p","tools":[{"type":"web_search"}])", "tools[0].type");
    row(2, R"("input":"p","text":{"format":{"type":"json_schema"}})", "text.format.schema");
    row(3, kHi, "max_tokens");
    row(3, R"("max_tokens":1)", "messages");
    row(3, R"("max_tokens":1,"messages":[{"role":"system","content":"a"}])", "messages[0].role");
    row(3, R"("max_tokens":1,"messages":[{"role":"user","content":[{"type":"image"}]}])",
        "messages[0].content[0].type");
    row(3, R"("max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_use"}]}])",
        "messages[0].content[0].type");
    row(3, kHi + R"(,"max_tokens":1,"tools":[{"type":"bash_1","name":"bash"}])", "tools[0].type");
    row(3, kHi + R"(,"max_tokens":1,"tool_choice":{"type":"some"})", "tool_choice.type");
    row(3, kHi + R"(,"max_tokens":1,"thinking":{"type":"much"})", "thinking.type");
    row(3, kHi + R"(,"max_tokens":1,"mcp_servers":[])", "mcp_servers");
}

void RequestsTest::refusals() {
    QFETCH(int, form);
    QFETCH(QByteArray, members);
    QFETCH(QByteArray, field);
    constexpr Read kForms[] = {kChat, kText, kResponse, kMessage};
    const auto request = read(kForms[form], members.toStdString());
    QVERIFY(!request);
    QVERIFY(request.error().code == hearth::ErrorCode::InvalidArgument);
    QCOMPARE(QByteArray::fromStdString(request.error().field), field);
    QVERIFY(request.error().message.size() < 300);
}

void RequestsTest::bodies_data() {
    QTest::addColumn<QByteArray>("body");
    QTest::addColumn<QByteArray>("words");
    const auto row = [](const char* name, const QByteArray& body, const char* words) {
        QTest::newRow(name) << body << QByteArray(words);
    };
    row("empty", "", "no JSON");
    row("array", "[]", "no JSON object");
    row("half", "{\"a\":", "no JSON");
    row("two", "{}{}", "no JSON");
    row("no UTF-8", "{\"a\":\"\xff\"}", "no JSON");
    row("half a pair", "{\"a\":\"\\ud800\"}", "no JSON");
    row("deep", "{\"a\":" + QByteArray(64, '[') + QByteArray(64, ']') + "}", "deeper");
    row("very deep", "{\"a\":" + QByteArray(1'000'000, '['), "deeper");
    QByteArray many = "{";
    for (int i = 0; i < 513; ++i) {
        many += (i > 0 ? ",\"" : "\"") + QByteArray::number(i) + "\":1";
    }
    row("many members", many + "}", "512 members");
}

void RequestsTest::bodies() {
    QFETCH(QByteArray, body);
    QFETCH(QByteArray, words);
    const auto json = hearth::server::read_json_object(body.toStdString());
    QVERIFY(!json);
    QVERIFY2(json.error().message.find(words.toStdString()) != std::string::npos,
             json.error().message.c_str());
}

void RequestsTest::bracketsInTextsAreText() {
    const std::string text = R"({"a":")" + std::string(100, '[') + R"(\"{:::"})";
    QVERIFY(hearth::server::read_json_object(text));
    const std::string most = R"({"a":)" + std::string(63, '[') + std::string(63, ']') + "}";
    QVERIFY(hearth::server::read_json_object(most));
}

QTEST_APPLESS_MAIN(RequestsTest)
#include "requests_test.moc"
