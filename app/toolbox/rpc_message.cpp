#include "toolbox/rpc_message.h"

#include <utility>

namespace hearth::toolbox {
namespace {

constexpr std::size_t kMostWords = 1000;

Error refused(const std::string& message) {
    return {ErrorCode::InvalidArgument, message, {}, {}};
}

RpcJson envelope() {
    return {{"jsonrpc", "2.0"}};
}

bool is_id(const RpcJson& json) {
    return json.is_string() || json.is_number_integer();
}

Result<RpcMessage> read_call(const RpcJson& json, RpcMessage message) {
    const RpcJson& method = json["method"];
    if (!method.is_string()) {
        return refused("the method is no text");
    }
    message.method = cut_to(method.get<std::string>(), kMostWords);
    message.kind = RpcMessage::Kind::Notice;
    if (const auto id = json.find("id"); id != json.end()) {
        if (!is_id(*id)) {
            return refused("the id of a request is neither a number nor a text");
        }
        message.kind = RpcMessage::Kind::Request;
        message.their_id = *id;
    }
    if (const auto params = json.find("params"); params != json.end() && params->is_object()) {
        message.body = *params;
    }
    return message;
}

Result<RpcMessage> read_failure(const RpcJson& error, RpcMessage message) {
    if (!error.is_object()) {
        return refused("the error is no object");
    }
    message.kind = RpcMessage::Kind::Failure;
    if (const auto code = error.find("code"); code != error.end() && code->is_number_integer()) {
        const auto number = code->get<std::int64_t>();
        message.code = number >= -1'000'000 && number <= 1'000'000 ? static_cast<int>(number) : 0;
    }
    if (const auto text = error.find("message"); text != error.end() && text->is_string()) {
        message.text = cut_to(text->get<std::string>(), kMostWords);
    }
    return message;
}

}  // namespace

std::string cut_to(std::string_view text, std::size_t most) {
    if (text.size() <= most) {
        return std::string(text);
    }
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
        --end;
    }
    return std::string(text.substr(0, end));
}

Result<RpcMessage> read_rpc(std::string_view text) {
    if (text.size() > kMostRpcBytes) {
        return refused("the message is too long");
    }
    auto json = server::read_json_object(text);
    if (!json) {
        return refused("the message is no JSON object, or too large a one");
    }
    if (const auto version = json->find("jsonrpc"); version == json->end() || *version != "2.0") {
        return refused("the message is not of JSON-RPC 2.0");
    }
    RpcMessage message;
    if (json->contains("method")) {
        return read_call(*json, std::move(message));
    }
    const auto id = json->find("id");
    const auto error = json->find("error");
    const bool is_ours = id != json->end() && id->is_number_integer();
    // A failure without an id is about a message that the other side could not read.
    if (!is_ours && !(error != json->end() && (id == json->end() || id->is_null()))) {
        return refused("the answer has no id of a question");
    }
    message.id = is_ours ? id->get<std::int64_t>() : -1;
    if (error != json->end()) {
        return read_failure(*error, std::move(message));
    }
    const auto result = json->find("result");
    if (result == json->end() || !result->is_object()) {
        return refused("the answer has no result");
    }
    message.kind = RpcMessage::Kind::Answer;
    message.body = std::move(*result);
    return message;
}

std::string rpc_request(std::int64_t id, const std::string& method, RpcJson params) {
    RpcJson json = envelope();
    json["id"] = id;
    json["method"] = method;
    json["params"] = std::move(params);
    return server::to_bytes(json);
}

std::string rpc_notice(const std::string& method, RpcJson params) {
    RpcJson json = envelope();
    json["method"] = method;
    json["params"] = std::move(params);
    return server::to_bytes(json);
}

std::string rpc_answer(const RpcJson& their_id, RpcJson result) {
    RpcJson json = envelope();
    json["id"] = their_id;
    json["result"] = std::move(result);
    return server::to_bytes(json);
}

std::string rpc_failure(const RpcJson& their_id, int code, const std::string& text) {
    RpcJson json = envelope();
    json["id"] = their_id;
    json["error"] = {{"code", code}, {"message", text}};
    return server::to_bytes(json);
}

}  // namespace hearth::toolbox
