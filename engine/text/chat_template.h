// A chat to the prompt the model was trained on.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/text_segment.h"

namespace hearth {

// Immutable; any thread. One implementation per way of templating: ChatML today; a Jinja
// interpreter can join behind the same interface.
class ChatTemplate {
public:
    // Looks at tokenizer.chat_template. Unsupported if it is one this build cannot reproduce byte
    // for byte, or if the file has none and its vocabulary does not have ChatML's two tokens
    // either. BadFile: the key is no string.
    static Result<std::unique_ptr<ChatTemplate>> create(const Metadata& metadata);
    virtual ~ChatTemplate() = default;
    // True if create() accepts a file with this template.
    static bool runs(std::string_view jinja);

    // InvalidArgument: a role the template does not know, no messages. A message's content is
    // data: special tokens spelled out inside it must not become tokens, so the prompt comes as
    // alternating segments; join their text for the exact bytes, and give them to
    // Tokenizer::tokenize() as they are for the tokens. A template prints the begin token itself if
    // it wants one: tokenize with add_special false.
    using Segment = TextSegment;
    virtual Result<std::vector<Segment>> apply(std::span<const ChatMessage> messages,
                                               bool add_generation_prompt) const = 0;
    // Texts that end an answer although no end token came; may be empty.
    virtual std::vector<std::string> stop_strings() const = 0;
};

}  // namespace hearth
