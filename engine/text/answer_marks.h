// Marks around a model's reasoning as text, where the model's own are special tokens, which an
// answer's text does not show.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/text_segment.h"
#include "text/tokenizer.h"

namespace hearth {

// Special tokens around calls of tools and inside them, and those of headers of messages to tools.
std::vector<TokenId> call_tokens(const Tokenizer& tokenizer);
// The texts that open a model's reasoning.
std::vector<std::string_view> reasoning_openings();

// Follows the tokens of one answer. Whatever a model writes around its reasoning comes out as
// <think> and </think>, so that readers of the text look for one pair of marks:
// - tokens <think> and </think>, or those that other families have instead,
// - Gemma's <|channel>thought ... <channel|>,
// - channels as in gpt-oss: <|channel|>analysis<|message|> ... <|end|>, then another message.
//   Names of channels and roles are no text; of channels, only "final" is the answer.
// If the answer may have calls of tools, special tokens around a call, as [TOOL_CALLS], come out
// as they are spelled, and a message to a tool comes out as
// <|channel|>commentary to=TOOL<|message|> ... <|call|>, wherever its header names the tool.
// tokenizer must outlive this.
class AnswerMarks {
public:
    explicit AnswerMarks(const Tokenizer& tokenizer, bool shows_calls = false);

    // Appends what the next token adds to the answer's text.
    void push(TokenId token, std::string& out);

    // The way back: the text of an answer, whole or cut, as a prompt has it, with the model's own
    // marks around its reasoning. The first segment is markup where the answer begins with a mark.
    std::vector<TextSegment> spelled(std::string_view answer) const;

private:
    enum class Header {
        None,
        Channel,
        Role,
        Beginning,  // of an answer that may go on with its role's header
    };

    bool has_channels() const { return channel_ >= 0 && message_ >= 0; }
    void open(std::string& out);
    void close(std::string& out);
    void begin_text(std::string& out);
    void name_piece(TokenId token, std::string& out);
    bool is_header(TokenId token, std::string& out);

    const Tokenizer& tokenizer_;
    std::vector<std::pair<TokenId, std::string_view>> call_marks_;
    bool shows_calls_;
    // -1: the vocabulary has no such token.
    TokenId think_ = -1, end_think_ = -1;
    std::string_view think_mark_, end_think_mark_;  // as these are spelled
    // -1: the vocabulary has no such special token.
    TokenId block_open_, block_close_, channel_, message_, start_, end_;
    bool is_open_ = false;
    bool is_call_ = false;
    Header header_ = Header::None;
    std::string name_;       // of the channel or role, as far as it is known
    std::string recipient_;  // of the message, if its header named one
};

}  // namespace hearth
