// Any text as a model's chat template, and any text as the messages of a known one.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/text/vocab_fixture.h"
#include "fuzz/fuzz_input.h"
#include "text/chat_template.h"
#include "text/template_outline.h"

using namespace hearth;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::FuzzInput input(data, size);
    const std::uint8_t bits = input.byte();
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
        const std::string jinja = input.rest();
        (void)template_outline(jinja);
        metadata.add("tokenizer.chat_template", test::text_value(jinja));
    }
    const auto made = ChatTemplate::create(metadata);
    if (!made) {
        FUZZ_CHECK(fuzz::is_fit_message(made.error().message));
        FUZZ_CHECK(made.error().code == ErrorCode::Unsupported);
        return 0;
    }
    const auto prompt = (*made)->apply(messages, (bits & 4U) != 0);
    if (!prompt) {
        FUZZ_CHECK(fuzz::is_fit_message(prompt.error().message));
        FUZZ_CHECK(prompt.error().code == ErrorCode::InvalidArgument);
        return 0;
    }
    // What people typed stands in the prompt as data, never as markup.
    for (std::size_t i = 1; i < prompt->size(); ++i) {
        FUZZ_CHECK((*prompt)[i].markup != (*prompt)[i - 1].markup);
    }
    return 0;
}
