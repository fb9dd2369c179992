// Any text as an answer in which a model may call tools, in whichever form.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/fuzz_input.h"
#include "server/answer_parts.h"

using namespace hearth;
using namespace hearth::server;

namespace {

// All that the parts of an answer say, in pieces of `step` bytes.
std::string parts_of(const AnswerRequest& request, const std::string& answer, std::size_t step) {
    std::string reasoning, rest;
    const AnswerParts::Sink sink{[&](std::string_view piece) { reasoning += piece; },
                                 [&](std::string_view piece) { rest += piece; },
                                 [&](const ToolCall& call) {
                                     FUZZ_CHECK(call.name == "f" || call.name == "functions.g");
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

AnswerRequest with_tools() {
    AnswerRequest request;
    request.tools = {{"f", "",
                      ApiJson::parse(R"({"properties":{"a":{"type":"string"},"n":{},)"
                                     R"("o":{"type":["object","null"]}}})")},
                     {"functions.g", "", ApiJson::object()}};
    return request;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const std::uint8_t choice = input.byte();
    const std::string answer = input.rest();

    static AnswerRequest request = with_tools();
    request.tool_use = (choice & 1U) != 0 ? ToolUse::Required : ToolUse::Auto;
    const std::string whole = parts_of(request, answer, answer.size() + 1);
    FUZZ_CHECK(parts_of(request, answer, 1) == whole);
    FUZZ_CHECK(parts_of(request, answer, 2 + choice / 16U) == whole);
    return 0;
}
