// Messages of JSON-RPC 2.0, as the Model Context Protocol uses them: one JSON object each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "server/request_fields.h"

namespace hearth::toolbox {

using RpcJson = server::ApiJson;

inline constexpr std::size_t kMostRpcBytes = std::size_t{4} << 20;
inline constexpr int kNoSuchMethod = -32601;

struct RpcMessage {
    enum class Kind {
        Answer,   // body: the result, an object
        Failure,  // code, text
        Request,  // their_id, method, body: the parameters
        Notice,   // method, body: the parameters
    };
    Kind kind = Kind::Notice;
    std::int64_t id = 0;  // of Answer and Failure: one of ours; -1: of a message that was not read
    RpcJson their_id;     // a number or a string
    std::string method;
    RpcJson body = RpcJson::object();
    int code = 0;
    std::string text;  // at most 1000 bytes
};

// InvalidArgument, with a sentence: no such message, more than kMostRpcBytes, nested too deep.
Result<RpcMessage> read_rpc(std::string_view text);

// One line each, without its end.
std::string rpc_request(std::int64_t id, const std::string& method, RpcJson params);
std::string rpc_notice(const std::string& method, RpcJson params);
std::string rpc_answer(const RpcJson& their_id, RpcJson result);
std::string rpc_failure(const RpcJson& their_id, int code, const std::string& text);

// At most `most` bytes of UTF-8 text, cut between two characters.
std::string cut_to(std::string_view text, std::size_t most);

}  // namespace hearth::toolbox
