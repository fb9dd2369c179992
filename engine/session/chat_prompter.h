// Turns a conversation into the tokens of one prompt. The prompts of two turns begin alike as far
// as possible, so that the KV cache serves both.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace hearth {

struct ChatPrompt {
    std::vector<TokenId> tokens;
    int dropped_messages = 0;
    bool begins_reasoning = false;  // it ends with "<think>": what follows is reasoning
    // The last so many tokens are of an answer that is continued, and of marks in it.
    std::size_t continued_tokens = 0;
    std::string notice{};  // see TemplatedChat
};

// Belongs to one thread. Two rules make a turn's prompt continue the one before, so that the KV
// cache serves it. An answer goes in with the tokens that were drawn for it, because its text
// tokenised anew may give others. When old messages must go, messages are dropped down to half of
// the context, and the cut stays where it is as long as the conversation fits behind it.
class ChatPrompter {
public:
    // tokenizer must outlive this.
    ChatPrompter(const Tokenizer& tokenizer, std::unique_ptr<ChatTemplate> chat_template);

    // With options.drop_oldest_messages, keeps the end of the conversation that leaves room for an
    // answer (at most 256 tokens, a quarter of the context, or options.max_tokens). The result may
    // still be too long. An assistant's message that begins with reasoning (<think>) goes in as
    // reasoning and answer. With options.continues_last_message the last message is left open: the
    // prompt ends with its text. InvalidArgument: as ChatTemplate::apply(), and where there is
    // nothing to continue.
    Result<ChatPrompt> prompt(std::span<const ChatMessage> messages,
                              const GenerationOptions& options, int n_ctx);

    // Remembers the tokens of an answer that was just given. Does nothing if the tokens do not
    // spell exactly the text.
    void remember(const std::string& text, const std::vector<TokenId>& tokens);

    std::vector<std::string> stop_strings() const { return template_->stop_strings(); }
    const ChatTraits& traits() const { return template_->traits(); }

private:
    struct Answer {
        std::string text;
        std::vector<TokenId> tokens;
    };

    // open: the answer whose beginning ends the prompt; null: a new one begins.
    Result<ChatPrompt> tokenize(std::span<const ChatMessage> messages,
                                const TemplateOptions& options,
                                const ChatMessage* open = nullptr) const;
    // The text that goes behind a prompt for a new answer, so that the answer stands there as far
    // as it is.
    std::vector<TextSegment> opened(const ChatMessage& answer, bool begins_reasoning) const;
    // Index of the earliest question of the user with which the rest of the conversation has at
    // most most_tokens. If the rest behind the latest question is longer, of the earliest answer
    // with calls behind which there is no more than fits beside that question; the latest such
    // place if even that does not fit.
    std::size_t first_to_keep(std::span<const ChatMessage> messages, std::size_t n_system,
                              std::size_t most_tokens, const TemplateOptions& options,
                              const ChatMessage* open) const;
    // The prompt without the messages [n_system, first_kept), but with the latest question.
    Result<ChatPrompt> cut(std::span<const ChatMessage> messages, std::size_t n_system,
                           std::size_t first_kept, const TemplateOptions& options,
                           const ChatMessage* open) const;

    const Tokenizer& tokenizer_;
    std::unique_ptr<ChatTemplate> template_;
    std::vector<Answer> answers_;  // latest last, at most kMostAnswers
    std::size_t last_cut_ = 0;     // index of the first message kept after the last cut
    std::string last_cut_text_;    // which tells whether the conversation is the same
};

}  // namespace hearth
