// Any text as the body of a request to the local API, and any as an answer with calls.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/fuzz_input.h"
#include "server/access_rules.h"
#include "server/answer_parts.h"
#include "server/anthropic_messages.h"
#include "server/chat_completions.h"
#include "server/responses.h"
#include "server/text_completions.h"

using namespace hearth;
using namespace hearth::server;

namespace {

// All that the parts of an answer say, in pieces of `step` bytes.
std::string parts_of(const AnswerRequest& request, const std::string& answer, std::size_t step) {
    std::string reasoning, rest;
    const AnswerParts::Sink sink{[&](std::string_view piece) { reasoning += piece; },
                                 [&](std::string_view piece) { rest += piece; },
                                 [&](const ToolCall& call) {
                                     FUZZ_CHECK(read_json_object(call.arguments).has_value());
                                     rest += "\n" + call.name + call.arguments + "\n";
                                 }};
    AnswerParts parts(request, sink);
    for (std::size_t at = 0; at < answer.size(); at += step) {
        parts.push(std::string_view(answer).substr(at, step));
    }
    parts.finish();
    return reasoning + "|" + rest;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const std::uint8_t choice = input.byte();
    const std::string answer = input.text();
    const std::string body = input.rest();

    HttpRequest head;
    head.port = 80;
    head.headers = {{"host", body}, {"x-api-key", "a-secret-of-the-fuzzer"}};
    const bool is_own = check_access(head, "a-secret-of-the-fuzzer") == AccessFault::None;
    FUZZ_CHECK(!is_own || body.size() <= sizeof("127.0.0.1:00080"));

    const auto json = read_json_object(body);
    if (!json) {
        FUZZ_CHECK(json.error().message.size() < 200);
        return 0;
    }
    using Read = Result<AnswerRequest> (*)(const ApiJson&);
    constexpr Read kForms[] = {read_chat_completion, read_text_completion, read_response_request,
                               read_anthropic_message};
    auto request = kForms[choice % 4](*json);
    if (!request) {
        FUZZ_CHECK(request.error().code == ErrorCode::InvalidArgument);
        FUZZ_CHECK(!request.error().message.empty() && request.error().message.size() < 2000);
        return 0;
    }
    FUZZ_CHECK(request->is_raw || !request->messages.empty());
    FUZZ_CHECK(request->messages.size() <= kMostMessages * kMostParts);
    for (const ChatMessage& message : request->messages) {
        FUZZ_CHECK(message.tool_calls.empty() ||
                   ApiJson::parse(message.tool_calls, nullptr, false).is_array());
    }
    const std::string whole = parts_of(*request, answer, answer.size() + 1);
    FUZZ_CHECK(parts_of(*request, answer, 1) == whole);
    FUZZ_CHECK(parts_of(*request, answer, 3) == whole);
    add_tools(*request, (choice & 4U) != 0);
    FUZZ_CHECK(request->options.json_schema.empty() ||
               read_json_object(request->options.json_schema).has_value() ||
               request->calls_are_forced());  // a schema inside another may be too deep
    return 0;
}
