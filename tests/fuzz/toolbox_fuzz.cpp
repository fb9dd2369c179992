// Any bytes as messages and events of a server of tools, as a page, an expression, and arguments.
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/fuzz_input.h"
#include "toolbox/calculator.h"
#include "toolbox/event_stream.h"
#include "toolbox/mcp_answers.h"
#include "toolbox/page_text.h"
#include "toolbox/rpc_message.h"
#include "toolbox/schema_check.h"

namespace fuzz = hearth::fuzz;
using namespace hearth::toolbox;

namespace {

constexpr std::size_t kMostEvent = 64;

std::string events_of(const std::string& bytes, std::size_t step) {
    EventStream stream(kMostEvent);
    std::string all;
    for (std::size_t at = 0; at < bytes.size(); at += step) {
        stream.push(std::string_view(bytes).substr(at, step));
        while (const auto event = stream.next()) {
            FUZZ_CHECK(event->size() <= kMostEvent);
            all += *event + "|";
        }
    }
    return all + (stream.is_too_long() ? "!" : "");
}

void read_message(const std::string& bytes) {
    const auto message = read_rpc(bytes);
    if (!message) {
        FUZZ_CHECK(message.error().message.size() < 200);
        return;
    }
    FUZZ_CHECK(message->text.size() <= 1000 && message->body.is_object());
    if (message->kind == RpcMessage::Kind::Request) {
        FUZZ_CHECK(read_rpc(rpc_answer(message->their_id, message->body)).has_value() ||
                   !message->their_id.is_number_integer());
    }
    static_cast<void>(read_initialize(message->body));
    if (const auto page = read_tool_page(message->body)) {
        FUZZ_CHECK(page->tools.size() <= kMostServerTools);
        for (const ServerTool& tool : page->tools) {
            FUZZ_CHECK(tool.description.size() <= kMostToolWords && tool.schema.is_object());
            static_cast<void>(schema_fault(message->body, tool.schema));
        }
    }
    constexpr std::size_t kMost = 100;
    if (const auto outcome = read_call_outcome(message->body, kMost)) {
        FUZZ_CHECK(outcome->text.size() <= kMost);
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const std::uint8_t choice = input.byte();
    const std::string bytes = input.rest();
    switch (choice % 5) {
        case 0:
            read_message(bytes);
            break;
        case 1:
            FUZZ_CHECK(events_of(bytes, 1) == events_of(bytes, 7));
            break;
        case 2:
            FUZZ_CHECK(page_text(bytes).size() <= 3 * bytes.size());
            break;
        case 3:
            if (const auto value = calculate(bytes)) {
                FUZZ_CHECK(!number_text(*value).empty());
            }
            break;
        default: {
            const auto both = hearth::server::read_json_object(bytes);
            if (both && both->contains("s") && both->contains("v")) {
                FUZZ_CHECK(schema_fault((*both)["v"], (*both)["s"]).size() < 8000);
            }
        }
    }
    return 0;
}
