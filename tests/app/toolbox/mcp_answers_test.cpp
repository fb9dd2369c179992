#include <QtTest>

#include "toolbox/mcp_answers.h"

using namespace hearth::toolbox;

namespace {

RpcJson json(const char* text) {
    return RpcJson::parse(text);
}

}  // namespace

class McpAnswersTest : public QObject {
    Q_OBJECT

private slots:
    void an_introduction_has_a_known_version() {
        const auto facts = read_initialize(json(
            R"({"protocolVersion":"2025-03-26","capabilities":{"tools":{}},
                "serverInfo":{"name":"n","version":"1"}})"));
        QVERIFY(facts && facts->has_tools);
        QCOMPARE(facts->name, std::string("n"));
        QVERIFY(!read_initialize(json(R"({"protocolVersion":"1999-01-01"})")));
        QVERIFY(!read_initialize(json("{}")));
        QVERIFY(!read_initialize(json(R"({"protocolVersion":"2025-06-18","capabilities":5})"))
                     ->has_tools);
    }

    void a_page_leaves_out_what_no_model_could_call() {
        const auto page = read_tool_page(json(
            R"({"tools":[{"name":"a","description":"d","inputSchema":{"$schema":"x","type":"object"}},
                         {"name":"a"},{"name":"has blank"},{"name":""},{},5,
                         {"name":"b","inputSchema":"no"}],"nextCursor":"c"})"));
        QVERIFY(page.has_value());
        QCOMPARE(page->tools.size(), std::size_t{2});
        QCOMPARE(page->left_out, 5);
        QCOMPARE(page->tools[0].description, std::string("d"));
        QVERIFY(!page->tools[0].schema.contains("$schema"));
        QCOMPARE(page->tools[1].schema["type"].get<std::string>(), std::string("object"));
        QCOMPARE(page->next_cursor, std::string("c"));
        QVERIFY(!read_tool_page(json(R"({"tools":{}})")));
    }

    void a_page_is_bounded() {
        RpcJson tools = RpcJson::array();
        for (std::size_t i = 0; i < kMostServerTools + 3; ++i) {
            tools.push_back({{"name", "t" + std::to_string(i)}});
        }
        tools[0]["description"] = std::string(kMostToolWords + 1, 'd');
        tools[1]["inputSchema"] = {{"description", std::string(kMostSchemaBytes, 's')}};
        const auto page = read_tool_page({{"tools", tools}});
        QCOMPARE(page->tools.size(), kMostServerTools);
        QCOMPARE(page->left_out, 3);
        QCOMPARE(page->tools[0].description.size(), kMostToolWords);
    }

    void an_outcome_has_its_text_and_names_the_rest() {
        const auto outcome = read_call_outcome(json(
                                                   R"({"content":[{"type":"text","text":"one"},
                 {"type":"image","data":"AAAA","mimeType":"image/png"},
                 {"type":"resource","resource":{"uri":"u","text":"two"}},
                 {"type":"resource","resource":{"uri":"v","blob":"AAAA"}},
                 {"type":"resource_link","uri":"w","name":"x"},5],"isError":true})"),
                                               1000);
        QVERIFY(outcome && outcome->is_error && !outcome->is_cut);
        QCOMPARE(QString::fromStdString(outcome->text),
                 "one\n[image of type image/png, which is not shown]\ntwo\n"
                 "[a file that is not shown: v]\n[a file: w x]\n[something, which is not shown]");
        const auto structured =
            read_call_outcome(json(R"({"content":[],"structuredContent":{"a":1}})"), 1000);
        QCOMPARE(structured->text, std::string(R"({"a":1})"));
        QVERIFY(!structured->is_error);
        QVERIFY(!read_call_outcome(json("{}"), 1000));
    }

    void an_outcome_is_cut_at_the_limit() {
        const RpcJson text = {{"type", "text"}, {"text", std::string(80, 'x')}};
        const RpcJson result = {{"content", RpcJson::array({text, text})}};
        QVERIFY(!read_call_outcome(result, 161)->is_cut);
        const auto cut = read_call_outcome(result, 160);
        QVERIFY(cut->is_cut);
        QCOMPARE(cut->text.size(), std::size_t{160});
    }
};

QTEST_APPLESS_MAIN(McpAnswersTest)
#include "mcp_answers_test.moc"
