// A chat template that is run as what it is: a Jinja program of the file.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hearth/result.h>

#include "text/chat_template.h"

namespace hearth {

struct JinjaSources {
    std::string plain;
    std::optional<std::string> with_tools;  // another one, for chats with tools
    // Texts by the names that templates have for them: bos_token, ...
    std::vector<std::pair<std::string, std::string>> special_tokens;
    std::vector<std::string> stop_strings;
    bool has_chatml_tokens = false;  // for conversations that cannot be rendered
};

// Unsupported: it cannot be read, or not be rendered for a single question.
Result<std::unique_ptr<ChatTemplate>> make_jinja_template(JinjaSources sources);

}  // namespace hearth
