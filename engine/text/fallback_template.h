// Prompts for models whose template is missing or cannot be run.
#pragma once

#include <memory>
#include <string>

#include "text/chat_template.h"

namespace hearth {

// ChatML: <|im_start|>ROLE newline CONTENT <|im_end|> newline. The two are tokens of the model's
// vocabulary. why: becomes traits().fallback.
std::unique_ptr<ChatTemplate> make_chatml(std::string why);

// Names and colons, for vocabularies without such tokens: "User: ...", "Assistant: ...".
std::unique_ptr<ChatTemplate> make_plain_chat(std::string why);

// InvalidArgument: there are no messages, or one has a role that no template knows.
Result<void> check_messages(std::span<const ChatMessage> messages);

}  // namespace hearth
