// Answers of a server of the Model Context Protocol, read and bounded. Servers are strangers.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <hearth/result.h>

#include "toolbox/rpc_message.h"

namespace hearth::toolbox {

inline constexpr std::size_t kMostServerTools = 128;
inline constexpr std::size_t kMostToolWords = 4000;         // bytes of a description
inline constexpr std::size_t kMostSchemaBytes = 32 * 1024;  // of a tool

// The parameters of "initialize".
RpcJson initialize_params(const std::string& program_version);

struct ServerFacts {
    std::string protocol;  // "2025-06-18"
    std::string name;
    std::string version;
    bool has_tools = false;
};
// Unsupported: a version of the protocol that is not known here.
Result<ServerFacts> read_initialize(const RpcJson& result);

struct ServerTool {
    std::string name;
    std::string description;
    RpcJson schema;  // of its arguments, an object
};
struct ToolPage {
    std::vector<ServerTool> tools;
    int left_out = 0;         // that have no name, or are too large
    std::string next_cursor;  // empty: the list ends here
};
Result<ToolPage> read_tool_page(const RpcJson& result);

struct CallOutcome {
    std::string text;  // valid UTF-8
    bool is_error = false;
    bool is_cut = false;  // it was longer
};
// Text as it stands; pictures, sounds and links as a line that names them.
Result<CallOutcome> read_call_outcome(const RpcJson& result, std::size_t most_bytes);

}  // namespace hearth::toolbox
