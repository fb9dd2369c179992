#include "toolbox/mcp_answers.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hearth::toolbox {
namespace {

constexpr std::size_t kMostName = 128;
constexpr std::array<std::string_view, 4> kProtocols = {"2025-06-18", "2025-11-25", "2025-03-26",
                                                        "2024-11-05"};

std::string text_of(const RpcJson& json, const char* member, std::size_t most) {
    if (!json.is_object()) {
        return {};
    }
    const auto found = json.find(member);
    return found != json.end() && found->is_string() ? cut_to(found->get<std::string>(), most)
                                                     : std::string();
}

bool is_tool_name(const std::string& name) {
    return !name.empty() && name.size() <= kMostName &&
           std::all_of(name.begin(), name.end(), [](char c) {
               return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      c == '_' || c == '-' || c == '.' || c == '/';
           });
}

std::string words_of(const RpcJson& part) {
    const std::string type = text_of(part, "type", 40);
    if (type == "text") {
        return text_of(part, "text", kMostRpcBytes);
    }
    if (type == "resource") {
        const auto resource = part.find("resource");
        const std::string text =
            resource == part.end() ? std::string() : text_of(*resource, "text", kMostRpcBytes);
        return !text.empty() || resource == part.end()
                   ? text
                   : "[a file that is not shown: " + text_of(*resource, "uri", 300) + "]";
    }
    if (type == "resource_link") {
        return "[a file: " + text_of(part, "uri", 300) + " " + text_of(part, "name", 300) + "]";
    }
    const std::string kind = text_of(part, "mimeType", 100);
    return "[" + (type.empty() ? std::string("something") : type) +
           (kind.empty() ? std::string() : " of type " + kind) + ", which is not shown]";
}

}  // namespace

RpcJson initialize_params(const std::string& program_version) {
    return {{"protocolVersion", kProtocols.front()},
            {"capabilities", RpcJson::object()},
            {"clientInfo", {{"name", "Hearth"}, {"version", program_version}}}};
}

Result<ServerFacts> read_initialize(const RpcJson& result) {
    ServerFacts facts;
    facts.protocol = text_of(result, "protocolVersion", 40);
    if (std::find(kProtocols.begin(), kProtocols.end(), facts.protocol) == kProtocols.end()) {
        return Error{ErrorCode::Unsupported,
                     facts.protocol.empty()
                         ? "the server names no version of the protocol"
                         : "the server speaks version " + facts.protocol + " of the protocol",
                     {},
                     {}};
    }
    if (const auto info = result.find("serverInfo"); info != result.end()) {
        facts.name = text_of(*info, "name", 200);
        facts.version = text_of(*info, "version", 60);
    }
    const auto can = result.find("capabilities");
    facts.has_tools = can != result.end() && can->is_object() && can->contains("tools");
    return facts;
}

Result<ToolPage> read_tool_page(const RpcJson& result) {
    const auto list = result.find("tools");
    if (list == result.end() || !list->is_array()) {
        return Error{ErrorCode::InvalidArgument, "the server's answer lists no tools", {}, {}};
    }
    ToolPage page;
    for (const RpcJson& entry : *list) {
        ServerTool tool;
        tool.name = text_of(entry, "name", kMostName + 1);
        const bool is_known =
            std::any_of(page.tools.begin(), page.tools.end(),
                        [&](const ServerTool& other) { return other.name == tool.name; });
        if (page.tools.size() == kMostServerTools || !is_tool_name(tool.name) || is_known) {
            ++page.left_out;
            continue;
        }
        tool.description = text_of(entry, "description", kMostToolWords);
        const auto schema = entry.find("inputSchema");
        tool.schema = schema != entry.end() && schema->is_object()
                          ? *schema
                          : RpcJson{{"type", "object"}, {"properties", RpcJson::object()}};
        // A word for other programs, which models need not read.
        tool.schema.erase("$schema");
        if (server::to_bytes(tool.schema).size() > kMostSchemaBytes) {
            ++page.left_out;
            continue;
        }
        page.tools.push_back(std::move(tool));
    }
    page.next_cursor = text_of(result, "nextCursor", 4000);
    return page;
}

Result<CallOutcome> read_call_outcome(const RpcJson& result, std::size_t most_bytes) {
    const auto content = result.find("content");
    const auto structured = result.find("structuredContent");
    const bool has_content = content != result.end() && content->is_array();
    if (!has_content && structured == result.end()) {
        return Error{ErrorCode::InvalidArgument, "the tool's answer has no content", {}, {}};
    }
    CallOutcome outcome;
    const auto error = result.find("isError");
    outcome.is_error = error != result.end() && error->is_boolean() && error->get<bool>();
    if (has_content) {
        for (const RpcJson& part : *content) {
            if (!outcome.text.empty()) {
                outcome.text += "\n";
            }
            outcome.text += words_of(part);
            if (outcome.text.size() > most_bytes) {
                break;
            }
        }
    }
    if (outcome.text.empty() && structured != result.end()) {
        outcome.text = server::to_bytes(*structured);
    }
    if (outcome.text.size() > most_bytes) {
        outcome.text = cut_to(outcome.text, most_bytes);
        outcome.is_cut = true;
    }
    return outcome;
}

}  // namespace hearth::toolbox
