// A chat to the prompt the model was trained on.
#pragma once

#include <ctime>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/text_segment.h"

namespace hearth {

// A prompt depends on these beside the messages.
struct TemplateOptions {
    bool add_generation_prompt = true;
    // The switch of templates that have one (ChatTemplate::traits()); empty: as the template has
    // it.
    std::optional<bool> thinking{};
    std::string reasoning_effort{};  // "low"; empty: as the template has it
    std::string tools{};             // a JSON array of function declarations; empty: none
    std::optional<std::tm> now{};    // local time for templates that print the date; empty: now
};

// A chat as a prompt.
struct TemplatedChat {
    // Alternating; join their text for the exact bytes, and give them to Tokenizer::tokenize() as
    // they are for the tokens. Segments that are no markup come from messages: special tokens that
    // are spelled out in them must not become tokens.
    std::vector<TextSegment> segments;
    // Why this is not what the template prints; empty: it is.
    std::string notice{};
};

// Immutable; any thread.
class ChatTemplate {
public:
    // Reads tokenizer.chat_template (tokenizer.chat_template.default where that is missing) and,
    // for chats with tools, tokenizer.chat_template.tool_use. A template that cannot be read, or
    // not be rendered for a single question, gives way to ChatML, or to plain text where the
    // vocabulary lacks ChatML's tokens; traits().fallback says so. Unsupported: the file has no
    // template, and its vocabulary does not have ChatML's two tokens either. BadFile: a key is no
    // string.
    static Result<std::unique_ptr<ChatTemplate>> create(const Metadata& metadata);
    virtual ~ChatTemplate() = default;
    // True if the interpreter can read it. Empty: that is so; else why not.
    static std::optional<std::string> why_unreadable(std::string_view jinja);

    // InvalidArgument: no messages; a role other than system, developer, user, assistant and tool;
    // tools that are no JSON; or the template refuses the conversation, with its own sentence. A
    // system message that the template refuses or leaves out is put before the first user message.
    // A template prints the begin token itself if it wants one: tokenize with add_special false.
    virtual Result<TemplatedChat> apply(std::span<const ChatMessage> messages,
                                        const TemplateOptions& options) const = 0;
    // Texts that end an answer although no end token came; may be empty.
    virtual std::vector<std::string> stop_strings() const = 0;
    // Found by rendering a few small chats.
    virtual const ChatTraits& traits() const = 0;
};

}  // namespace hearth
