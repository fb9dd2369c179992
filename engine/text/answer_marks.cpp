#include "text/answer_marks.h"

namespace hearth {
namespace {

// Around calls of tools and inside them, by family.
constexpr std::string_view kCallMarks[] = {
    "<tool_call>", "</tool_call>", "<|tool_call|>",
    // GLM
    "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>",
    // Mistral
    "[TOOL_CALLS]", "[CALL_ID]", "[ARGS]",
    // Llama
    "<|python_tag|>",
    // Seed-OSS and MiniMax
    "<seed:tool_call>", "</seed:tool_call>", "<minimax:tool_call>", "</minimax:tool_call>",
    // Command R
    "<|START_ACTION|>", "<|END_ACTION|>",
    // Apertus
    "<|tools_prefix|>", "<|tools_suffix|>",
    // LFM2
    "<|tool_call_start|>", "<|tool_call_end|>",
    // Gemma
    "<|tool_call>", "<tool_call|>", "<|\"|>",
    // Kimi
    "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    // DeepSeek
    "<\uFF5Ctool\u2581calls\u2581begin\uFF5C>", "<\uFF5Ctool\u2581calls\u2581end\uFF5C>",
    "<\uFF5Ctool\u2581call\u2581begin\uFF5C>", "<\uFF5Ctool\u2581call\u2581end\uFF5C>",
    "<\uFF5Ctool\u2581sep\uFF5C>"};

struct ReasoningMarks {
    std::string_view opening, closing;
};
constexpr ReasoningMarks kReasoningMarks[] = {
    {"<think>", "</think>"},
    {"[THINK]", "[/THINK]"},                     // Mistral
    {"<seed:think>", "</seed:think>"},           // Seed-OSS
    {"<|START_THINKING|>", "<|END_THINKING|>"},  // Command R
    {"<|inner_prefix|>", "<|inner_suffix|>"},    // Apertus
};

constexpr std::string_view kTo = " to=";  // before the recipient, in a message's header

// -1: the text is no single token.
TokenId single(const Tokenizer& tokenizer, std::string_view text) {
    const std::vector<TokenId> ids = tokenizer.tokenize(text, false, true);
    return ids.size() == 1 ? ids[0] : -1;
}

// -1: there is none, or it is a word like others, which the text shows by itself.
TokenId special(const Tokenizer& tokenizer, std::string_view text) {
    const TokenId token = single(tokenizer, text);
    return token >= 0 && tokenizer.is_special(token) ? token : -1;
}

}  // namespace

std::vector<TokenId> call_tokens(const Tokenizer& tokenizer) {
    std::vector<TokenId> tokens;
    const auto add = [&](std::string_view mark) {
        if (const TokenId token = special(tokenizer, mark); token >= 0) {
            tokens.push_back(token);
        }
    };
    for (const std::string_view mark : kCallMarks) {
        add(mark);
    }
    for (const char* const mark : {"<|channel|>", "<|constrain|>", "<|message|>"}) {
        add(mark);
    }
    return tokens;
}

std::vector<std::string_view> reasoning_openings() {
    std::vector<std::string_view> all;
    for (const ReasoningMarks& marks : kReasoningMarks) {
        all.push_back(marks.opening);
    }
    return all;
}

AnswerMarks::AnswerMarks(const Tokenizer& tokenizer, bool shows_calls)
    : tokenizer_(tokenizer),
      shows_calls_(shows_calls),
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
    for (const ReasoningMarks& marks : kReasoningMarks) {
        const TokenId opening = single(tokenizer, marks.opening);
        const TokenId closing = single(tokenizer, marks.closing);
        if (opening >= 0 && closing >= 0) {
            think_ = opening;
            end_think_ = closing;
            think_mark_ = marks.opening;
            end_think_mark_ = marks.closing;
            break;
        }
    }
    if (shows_calls && has_channels()) {
        header_ = Header::Beginning;
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
    const bool has_blocks = !has_channels() && block_open_ >= 0 && block_close_ >= 0;
    const std::size_t begin = answer.find_first_not_of(" \t\r\n");
    const bool is_opened =
        begin != std::string_view::npos && answer.substr(begin).starts_with(kOpening);
    std::vector<TextSegment> out;
    if (!is_opened) {
        if (has_channels()) {
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
    if (has_channels() || has_blocks) {
        // open() and close() wrote these lines.
        reasoning.remove_prefix(reasoning.starts_with('\n') ? 1 : 0);
        reasoning.remove_suffix(closing != std::string_view::npos && reasoning.ends_with('\n') ? 1
                                                                                               : 0);
        shown.remove_prefix(shown.starts_with("\n\n") ? 2 : 0);
    }
    out.push_back({has_channels() ? "<|channel|>analysis<|message|>"
                   : has_blocks   ? "<|channel>thought\n"
                                  : std::string(think_mark_.empty() ? kOpening : think_mark_),
                   true});
    out.push_back({std::string(reasoning), false});
    if (closing != std::string_view::npos) {
        out.push_back({has_channels() ? "<|end|><|start|>assistant<|channel|>final<|message|>"
                       : has_blocks   ? "<channel|>"
                                    : std::string(think_mark_.empty() ? kClosing : end_think_mark_),
                       true});
        out.push_back({std::string(shown), false});
    }
    return out;
}

// A message's text begins behind its header: reasoning, the answer, or arguments of a tool.
void AnswerMarks::begin_text(std::string& out) {
    if (shows_calls_ && !recipient_.empty()) {
        close(out);
        out += "<|channel|>commentary to=" + recipient_ + "<|message|>";
        is_call_ = true;
    } else if (header_ == Header::Channel) {
        name_.starts_with("final") ? close(out) : open(out);
    }
    recipient_.clear();
    header_ = Header::None;
}

// True if the token is one of a message's header, or ends a message.
bool AnswerMarks::is_header(TokenId token, std::string& out) {
    if (token != channel_ && token != message_ && token != start_ && token != end_) {
        return false;
    }
    if (const std::size_t to = name_.find(kTo); to != std::string::npos) {
        const std::string_view named = std::string_view(name_).substr(to + kTo.size());
        recipient_ = named.substr(0, named.find(' '));
    }
    if (token == message_) {
        begin_text(out);
    } else {
        out += std::exchange(is_call_, false) ? "<|call|>" : "";
        header_ = token == channel_ ? Header::Channel : token == start_ ? Header::Role : header_;
    }
    if (token == start_ || token == end_) {
        recipient_.clear();
    }
    name_.clear();
    return true;
}

// A token of the name of a channel or role. Text that only seemed to begin one is text.
void AnswerMarks::name_piece(TokenId token, std::string& out) {
    if (tokenizer_.is_special(token)) {
        name_ += ' ';  // a word of its own, which is not shown
    }
    tokenizer_.append_piece(token, false, name_);
    if (header_ == Header::Beginning && !kTo.starts_with(name_) && !name_.starts_with(kTo)) {
        header_ = Header::None;
        out += std::exchange(name_, {});
    }
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

void AnswerMarks::push(TokenId token, std::string& out) {
    if (token >= 0 && (token == think_ || token == end_think_)) {
        // The prompt may have had the opening.
        out += token == think_ ? "<think>" : "</think>";
        return;
    }
    for (const auto& [mark, text] : call_marks_) {
        if (token == mark) {
            out += text;
            return;
        }
    }
    if (token == block_open_) {
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
    if (has_channels() && is_header(token, out)) {
        return;
    }
    if (header_ == Header::None) {
        tokenizer_.append_piece(token, false, out);
    } else {
        name_piece(token, out);
    }
}

}  // namespace hearth
