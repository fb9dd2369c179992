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

// Follows the tokens of one answer. Whatever a model writes around its reasoning comes out as
// <think> and </think>, so that readers of the text look for one pair of marks:
// - special tokens <think> and </think>,
// - Gemma's <|channel>thought ... <channel|>,
// - channels as in gpt-oss: <|channel|>analysis<|message|> ... <|end|>, then another message.
//   Names of channels and roles are no text; of channels, only "final" is the answer.
// Special tokens around a call of a tool, as [TOOL_CALLS], come out as they are spelled where the
// answer may have calls.
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
    enum class Header { None, Channel, Role };

    void open(std::string& out);
    void close(std::string& out);

    const Tokenizer& tokenizer_;
    std::vector<std::pair<TokenId, std::string_view>> call_marks_;
    // -1: the vocabulary has no such special token.
    TokenId think_, end_think_, block_open_, block_close_, channel_, message_, start_, end_;
    bool is_open_ = false;
    Header header_ = Header::None;
    std::string name_;  // of the channel, as far as it is known
};

}  // namespace hearth
