#include "call_grammars.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace hearth::server {
namespace {

using Place = TriggeredGrammar::Place;
using Tools = std::vector<ToolDeclaration>;

// Rules of one tool and around all: $NAME stands for its name, $QUOTED for the name as JSON,
// $SCHEMA for its arguments, @KEY for the key of a JSON object.
struct GrammarForm {
    std::string_view opening;
    std::string_view call;
    std::string_view root;  // "call" is that of any of the tools
    bool ends_answer = false;
};

constexpr std::string_view kSpace = "ws ::= (\" \" | \"\\n\" [ \\t]{0,20})?\n";
constexpr std::string_view kObject = R"("{" ws @name $QUOTED ws "," ws @arguments $SCHEMA ws "}")";
constexpr std::string_view kList = R"(ws "[" ws call (ws "," ws call)* ws "]")";

constexpr GrammarForm kForms[] = {
    {"<tool_call>",
     R"("{" ws @name $QUOTED ws "," ws @arguments $SCHEMA ws "}" ws "</tool_call>" | )"
     R"("<function=" $NAME ">" | $NAME ("\n" | "<arg_key>" | "</tool_call>"))",
     "ws call"},
    {"<function=", R"($NAME ">" ws ("<parameter=" | "</function>" | $SCHEMA ws "</function>"))",
     "call"},
    {"<|tool_call|>", kObject, kList, true},
    {"[TOOL_CALLS]", R"($NAME ("[CALL_ID]" [0-9A-Za-z]{9})? "[ARGS]" ws $SCHEMA)",
     R"(call ("[TOOL_CALLS]" call)* | ws "[" ws object (ws "," ws object)* ws "]")", true},
    {"<|python_tag|>", R"("{" ws @name $QUOTED ws "," ws @parameters $SCHEMA ws "}")", "ws call",
     true},
    {"<seed:tool_call>", R"("<function=" $NAME ">")", "ws call"},
    {"<minimax:tool_call>", R"("<invoke name=\"" $NAME "\">")", "ws call"},
    {"<|START_ACTION|>",
     R"("{" ws (@tool_call_id "\"" [0-9]{1,4} "\"" ws "," ws)? )"
     R"(@tool_name $QUOTED ws "," ws @parameters $SCHEMA ws "}")",
     R"(ws "[" ws call (ws "," ws call)* ws "]" ws "<|END_ACTION|>")"},
    {"<|tools_prefix|>", R"("{" ws $QUOTED ws ":" ws $SCHEMA ws "}")", kList, true},
    {"<|tool_call_start|>", R"($NAME "(")", R"("["? call)"},
    {"<|tool_call>", R"($NAME "{")", R"("call:" call)"},
    {"<|tool_call_begin|>",
     R"("functions." $NAME ":" [0-9]{1,4} )"
     R"("<|tool_call_argument_begin|>" ws $SCHEMA ws "<|tool_call_end|>")",
     "call"},
    {"<\uFF5Ctool\u2581call\u2581begin\uFF5C>",
     "$NAME \"<\uFF5Ctool\u2581sep\uFF5C>\" ws $SCHEMA ws \"<\uFF5Ctool\u2581call\u2581end\uFF5C>\""
     " | \"function<\uFF5Ctool\u2581sep\uFF5C>\" $NAME \"\\n```json\\n\" $SCHEMA "
     "\"\\n```<\uFF5Ctool\u2581call\u2581end\uFF5C>\"",
     "call"},
};

// gpt-oss names a tool in either header of a message.
constexpr std::string_view kMessageOpenings[] = {"<|channel|>commentary to=functions.",
                                                 "<|start|>assistant to=functions."};
constexpr std::string_view kMessageCall =
    R"($NAME "<|channel|>commentary"? " "? "<|constrain|>"? "json"? "<|message|>" ws $SCHEMA)";
constexpr std::string_view kMistralObject = R"("{" ws @name $QUOTED ws "," ws @arguments $SCHEMA )"
                                            R"((ws "," ws @id "\"" [0-9A-Za-z]{9} "\"")? ws "}")";

// Names of tools may come from anywhere.
std::string literal(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        constexpr std::string_view kHex = "0123456789ABCDEF";
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || c == '"' || c == '\\') {
            out += {'\\', 'x', kHex[byte / 16], kHex[byte % 16]};
        } else {
            out += c;
        }
    }
    return out + "\"";
}

// The rules of the tool at the index.
std::string filled(std::string_view rules, const std::string& name, std::size_t index) {
    const std::pair<std::string_view, std::string> words[] = {
        {"$NAME", literal(name)},
        {"$QUOTED", literal(to_bytes(name))},
        {"$SCHEMA", "schema-" + std::to_string(index)}};
    std::string out;
    while (!rules.empty()) {
        const std::size_t at = std::min(rules.find_first_of("$@"), rules.size());
        out += rules.substr(0, at);
        rules.remove_prefix(at);
        if (rules.starts_with('@')) {
            const std::string key(rules.substr(1, rules.find(' ') - 1));
            out += literal("\"" + key + "\"") + " ws \":\" ws";
            rules.remove_prefix(1 + key.size());
        }
        for (const auto& [word, meant] : words) {
            if (rules.starts_with(word)) {
                out += meant;
                rules.remove_prefix(word.size());
            }
        }
    }
    return out;
}

// RULE ::= the call of one of the tools.
std::string choice(const std::string& rule, std::string_view call, const Tools& tools) {
    std::string out = rule + " ::= ";
    for (std::size_t i = 0; i < tools.size(); ++i) {
        std::string own = filled(call, tools[i].name, i);
        if (!tools[i].parameters.value("required", ApiJson()).empty()) {
            for (const std::string_view at_once : {" | \"</function>\"", " | \"</tool_call>\""}) {
                if (const std::size_t at = own.find(at_once); at != std::string::npos) {
                    own.erase(at, at_once.size());  // a call without any argument
                }
            }
        }
        out += (i == 0 ? "" : " | ") + own;
    }
    return out + "\n";
}

std::string grammar_of(std::string_view root, std::string_view call, const Tools& tools) {
    std::string out = "root ::= " + std::string(root) + "\n" + choice("call", call, tools);
    if (root.find("object") != std::string_view::npos) {
        out += choice("object", kMistralObject, tools);
    }
    return out + std::string(kSpace);
}

}  // namespace

std::vector<TriggeredGrammar> call_grammars(const Tools& tools) {
    std::vector<TriggeredGrammar> all;
    const bool has_python = std::any_of(tools.begin(), tools.end(),
                                        [](const auto& tool) { return tool.name == "python"; });
    for (const GrammarForm& form : kForms) {
        // Some models write the arguments of the tool "python" alone behind this mark.
        if (form.opening != "<|python_tag|>" || !has_python) {
            all.push_back({std::string(form.opening), Place::Answer, form.ends_answer,
                           grammar_of(form.root, form.call, tools)});
        }
    }
    const std::string message = grammar_of("call", kMessageCall, tools);
    for (const std::string_view opening : kMessageOpenings) {
        all.push_back({std::string(opening), Place::AlsoThought, true, message});
    }
    all.push_back({" to=functions.", Place::Beginning, true, message});
    // Llama calls by no mark: an answer that begins so is one call.
    for (std::size_t i = 0; i < tools.size(); ++i) {
        const std::string call =
            "root ::= ws schema-" + std::to_string(i) + " ws \"}\"\n" + std::string(kSpace);
        for (const std::string between : {"", " "}) {
            all.push_back({"{\"name\":" + between + "\"" + tools[i].name + "\"," + between +
                               "\"parameters\":",
                           Place::Beginning, true, call});
        }
    }
    return all;
}

std::vector<std::string> call_schemas(const Tools& tools) {
    std::vector<std::string> all;
    for (const ToolDeclaration& tool : tools) {
        ApiJson schema = tool.parameters;
        if (!schema.is_object() || schema.value("type", ApiJson("object")) != "object") {
            schema = ApiJson::object();
        }
        schema["type"] = "object";
        all.push_back(to_bytes(schema));
    }
    return all;
}

}  // namespace hearth::server
