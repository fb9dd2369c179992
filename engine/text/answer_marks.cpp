#include "text/answer_marks.h"

namespace hearth {
namespace {

// Around the calls of tools, by family.
constexpr std::string_view kCallMarks[] = {"<tool_call>", "</tool_call>", "[TOOL_CALLS]", "[ARGS]",
                                           "<|python_tag|>"};

// -1: there is none, or it is a word like others, which the text shows by itself.
TokenId special(const Tokenizer& tokenizer, std::string_view text) {
    const std::vector<TokenId> ids = tokenizer.tokenize(text, false, true);
    return ids.size() == 1 && tokenizer.is_special(ids[0]) ? ids[0] : -1;
}

}  // namespace

AnswerMarks::AnswerMarks(const Tokenizer& tokenizer, bool shows_calls)
    : tokenizer_(tokenizer),
      think_(special(tokenizer, "<think>")),
      end_think_(special(tokenizer, "</think>")),
      block_open_(special(tokenizer, "<|channel>")),
      block_close_(special(tokenizer, "<channel|>")),
      channel_(special(tokenizer, "<|channel|>")),
      message_(special(tokenizer, "<|message|>")),
      start_(special(tokenizer, "<|start|>")),
      end_(special(tokenizer, "<|end|>")) {
    for (const std::string_view mark : kCallMarks) {
        if (const TokenId token = shows_calls ? special(tokenizer, mark) : -1; token >= 0) {
            call_marks_.emplace_back(token, mark);
        }
    }
}

void AnswerMarks::open(std::string& out) {
    if (!is_open_) {
        out += "<think>\n";
        is_open_ = true;
    }
}

void AnswerMarks::close(std::string& out) {
    if (is_open_) {
        out += "\n</think>\n\n";
        is_open_ = false;
    }
}

std::vector<TextSegment> AnswerMarks::spelled(std::string_view answer) const {
    constexpr std::string_view kOpening = "<think>", kClosing = "</think>";
    const bool has_channels = channel_ >= 0 && message_ >= 0;
    const bool has_blocks = !has_channels && block_open_ >= 0 && block_close_ >= 0;
    const std::size_t begin = answer.find_first_not_of(" \t\r\n");
    const bool is_opened =
        begin != std::string_view::npos && answer.substr(begin).starts_with(kOpening);
    std::vector<TextSegment> out;
    if (!is_opened) {
        if (has_channels) {
            out.push_back({"<|channel|>final<|message|>", true});
        }
        out.push_back({std::string(answer), false});
        return out;
    }
    std::string_view rest = answer.substr(begin + kOpening.size());
    const std::size_t closing = rest.find(kClosing);
    std::string_view reasoning = rest.substr(0, closing);
    std::string_view shown = closing == std::string_view::npos
                                 ? std::string_view()
                                 : rest.substr(closing + kClosing.size());
    if (has_channels || has_blocks) {
        // open() and close() wrote these lines.
        reasoning.remove_prefix(reasoning.starts_with('\n') ? 1 : 0);
        reasoning.remove_suffix(closing != std::string_view::npos && reasoning.ends_with('\n') ? 1
                                                                                               : 0);
        shown.remove_prefix(shown.starts_with("\n\n") ? 2 : 0);
    }
    out.push_back({has_channels ? "<|channel|>analysis<|message|>"
                   : has_blocks ? "<|channel>thought\n"
                                : std::string(kOpening),
                   true});
    out.push_back({std::string(reasoning), false});
    if (closing != std::string_view::npos) {
        out.push_back({has_channels ? "<|end|><|start|>assistant<|channel|>final<|message|>"
                       : has_blocks ? "<channel|>"
                                    : std::string(kClosing),
                       true});
        out.push_back({std::string(shown), false});
    }
    return out;
}

void AnswerMarks::push(TokenId token, std::string& out) {
    if (token == think_ || token == end_think_) {
        // Spelled as it is: the prompt may have had the opening.
        out += token == think_ ? "<think>" : "</think>";
        return;
    }
    for (const auto& [mark, text] : call_marks_) {
        if (token == mark) {
            out += text;
            return;
        }
    }
    if (token == block_open_ || (token == channel_ && message_ >= 0)) {
        header_ = Header::Channel;
        name_.clear();
        return;
    }
    if (token == block_close_) {
        header_ = Header::None;
        close(out);
        return;
    }
    // Other vocabularies mean something else by these tokens.
    if (channel_ >= 0 && message_ >= 0) {
        if (token == start_) {
            header_ = Header::Role;
            return;
        }
        if (token == end_) {
            return;
        }
        if (token == message_) {
            if (header_ == Header::Channel) {
                name_.starts_with("final") ? close(out) : open(out);
            }
            header_ = Header::None;
            return;
        }
    }
    if (header_ == Header::None) {
        tokenizer_.append_piece(token, false, out);
        return;
    }
    tokenizer_.append_piece(token, false, name_);
    // Gemma's channel has its name on a line of its own.
    if (header_ == Header::Channel && block_open_ >= 0 && channel_ < 0) {
        const std::size_t line = name_.find('\n');
        if (line != std::string::npos) {
            header_ = Header::None;
            open(out);
            out += name_.substr(line + 1);
        }
    }
}

}  // namespace hearth
