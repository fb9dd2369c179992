// A conversation to the tokens of one prompt, the same from turn to turn as far as it can be.
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
};

// Belongs to one thread. Two things keep a turn's prompt a continuation of the one before, so that
// the KV cache serves it: an answer goes in with the very tokens it was given in, since its text
// tokenised anew may give others; and when old messages must go, the cut goes down to half of the
// context and stays where it is as long as the conversation fits behind it.
class ChatPrompter {
public:
    // tokenizer must outlive this.
    ChatPrompter(const Tokenizer& tokenizer, std::unique_ptr<ChatTemplate> chat_template);

    // With options.drop_oldest_messages the longest end of the conversation that leaves room for an
    // answer (at most 256 tokens, a quarter of the context, or options.max_tokens); what is left
    // may still be too long. InvalidArgument: no messages, a role the template does not know.
    Result<ChatPrompt> prompt(std::span<const ChatMessage> messages,
                              const GenerationOptions& options, int n_ctx);

    // An answer just given. Left alone if the text is not exactly what the tokens say.
    void remember(const std::string& text, const std::vector<TokenId>& tokens);

    std::vector<std::string> stop_strings() const { return template_->stop_strings(); }

private:
    struct Answer {
        std::string text;
        std::vector<TokenId> tokens;
    };

    Result<std::vector<TokenId>> tokenize(std::span<const ChatMessage> messages) const;
    // Index of the earliest message of the user from which on the conversation has at most
    // most_tokens; the last message at the latest.
    std::size_t first_to_keep(std::span<const ChatMessage> messages, std::size_t n_system,
                              std::size_t most_tokens) const;
    // Without the messages [n_system, first_kept).
    Result<ChatPrompt> cut(std::span<const ChatMessage> messages, std::size_t n_system,
                           std::size_t first_kept) const;

    const Tokenizer& tokenizer_;
    std::unique_ptr<ChatTemplate> template_;
    std::vector<Answer> answers_;   // latest last, at most kMostAnswers
    std::size_t last_cut_ = 0;      // index of the first message kept after the last cut
    std::string last_cut_content_;  // and what it said: another conversation has another
};

}  // namespace hearth
