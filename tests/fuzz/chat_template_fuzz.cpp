// Any text as a model's chat template, and any text as the messages of a known one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/text/vocab_fixture.h"
#include "fuzz/fuzz_input.h"
#include "text/chat_template.h"
#include "text/jinja/json.h"
#include "text/jinja/render.h"

using namespace hearth;

namespace {

// The interpreter alone, within bounds that a search has time for.
void run_small(const std::string& source) {
    const jinja::TemplateProgram::Outcome read = jinja::TemplateProgram::parse(source);
    if (read.program == nullptr) {
        FUZZ_CHECK(!read.failure.message.empty());
        return;
    }
    jinja::Heap heap(jinja::Limits{.steps = 20'000, .bytes = 1 << 20, .output_bytes = 1 << 18});
    const auto variables = jinja::parse_json(
        heap,
        R"({"messages": [{"role": "user", "content": "Hi \u00e9"}, {"role": "assistant",)"
        R"("content": "", "tool_calls": [{"function": {"name": "f", "arguments": {"a": [1, 2.5,)"
        R"(null, true]}}}]}], "add_generation_prompt": true, "bos_token": "<s>", "x": -3})",
        false);
    FUZZ_CHECK(variables.has_value());
    std::tm now{};
    now.tm_year = 126;
    const jinja::Rendered out = jinja::render(*read.program, heap, *variables->dict, now);
    if (out.failure) {
        return;
    }
    std::size_t bytes = 0;
    bool is_first = true;
    bool before = false;
    for (const TextSegment& segment : out.text.segments()) {
        FUZZ_CHECK(!segment.text.empty());
        FUZZ_CHECK(is_first || segment.markup != before);
        is_first = false;
        before = segment.markup;
        bytes += segment.text.size();
    }
    FUZZ_CHECK(bytes == out.text.size());
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const std::uint8_t bits = input.byte();
    if ((bits & 0x30U) != 0) {
        run_small(input.rest());
        return 0;
    }
    test::VocabFixture vocab;
    vocab.model = "gpt2";
    vocab.add("<|im_start|>", 3);
    vocab.add("<|im_end|>", (bits & 8U) != 0 ? 1 : 3);
    Metadata metadata = vocab.set("bos_token_id", test::id_value(0)).metadata();
    std::vector<ChatMessage> messages = {{"user", "Hello"}};
    if ((bits & 1U) != 0) {
        messages = {{input.text(), input.text()}, {"user", input.text()}, {"assistant", "Yes"}};
    }
    if ((bits & 2U) != 0) {
        metadata.add("tokenizer.chat_template", test::text_value(input.rest()));
    }
    const auto made = ChatTemplate::create(metadata);
    if (!made) {
        FUZZ_CHECK(fuzz::is_fit_message(made.error().message));
        FUZZ_CHECK(made.error().code == ErrorCode::Unsupported);
        return 0;
    }
    const auto prompt = (*made)->apply(messages, {.add_generation_prompt = (bits & 4U) != 0});
    if (!prompt) {
        FUZZ_CHECK(prompt.error().code == ErrorCode::InvalidArgument);
        return 0;
    }
    // What people typed stands in the prompt as data, never as markup.
    const std::vector<TextSegment>& segments = prompt->segments;
    for (std::size_t i = 1; i < segments.size(); ++i) {
        FUZZ_CHECK(segments[i].markup != segments[i - 1].markup);
    }
    return 0;
}
