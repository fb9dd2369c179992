// ChatML: <|im_start|>ROLE newline CONTENT <|im_end|> newline, and the published templates that
// print exactly that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "text/chat_template.h"

namespace hearth {

// In what published ChatML templates differ.
struct ChatMlForm {
    bool starts_with_bos = false;
    // Printed as system message if the first message is none.
    std::optional<std::string> default_system;
    // The last message stays open if no generation prompt is asked for.
    bool leaves_last_open = false;
    // No generation prompt after an assistant message.
    bool continues_assistant = false;
};

// Empty: not a template whose output is known to the byte.
std::optional<ChatMlForm> recognise_chatml(std::string_view jinja);

// True if recognise_chatml() knows a text of that length and 64-bit FNV-1a.
bool knows_chatml_text(std::uint64_t bytes, std::uint64_t fnv1a);

// bos: what bos_token prints. has_tokens: <|im_start|> and <|im_end|> are control tokens of the
// vocabulary.
std::unique_ptr<ChatTemplate> make_chatml(ChatMlForm form, std::string bos, bool has_tokens);

}  // namespace hearth
