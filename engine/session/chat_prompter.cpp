#include "session/chat_prompter.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <hearth/reasoning.h>

#include "text/answer_marks.h"
#include "text/utf8_stream.h"

namespace hearth {
namespace {

// How many answers are remembered: more than fit any context that a person reads through.
constexpr std::size_t kMostAnswers = 64;

// The room, in tokens, that a prompt must leave for the answer. Old messages are dropped to make
// it.
constexpr int kAnswerRoom = 256;

// True if the template has begun the model's reasoning for it.
bool ends_with_opening(std::span<const TextSegment> segments) {
    if (segments.empty() || !segments.back().markup) {
        return false;
    }
    std::string_view text = segments.back().text;
    text = text.substr(0, text.find_last_not_of(" \n") + 1);
    return text.ends_with("<think>");
}

// A result of a tool that a template without tools gets as the user's words is none of the user's.
bool is_question(const ChatMessage& message) {
    return message.role == "user" && message.tool_call_id.empty();
}

// Index of the latest question; messages.size(): there is none.
std::size_t latest_question(std::span<const ChatMessage> messages) {
    for (std::size_t i = messages.size(); i > 0; --i) {
        if (is_question(messages[i - 1])) {
            return i - 1;
        }
    }
    return messages.size();
}

// True where a shortened conversation may go on: at a question, or, behind the latest one, at a
// message of the assistant, whose results of tools follow it.
bool may_go_on_at(std::size_t i, std::span<const ChatMessage> messages, std::size_t question) {
    return is_question(messages[i]) || (i > question && messages[i].role == "assistant");
}

std::string text_with_calls(const ChatMessage& message) {
    return message.content + message.tool_calls;
}

std::vector<ChatMessage> with_reasoning_apart(std::span<const ChatMessage> given) {
    std::vector<ChatMessage> messages(given.begin(), given.end());
    for (ChatMessage& message : messages) {
        const std::size_t begin = message.content.find_first_not_of(" \t\r\n");
        if (message.role == "assistant" && message.reasoning.empty() &&
            begin != std::string::npos && message.content.compare(begin, 7, "<think>") == 0) {
            const ReasonedAnswer split = split_reasoning(message.content);
            message.reasoning = split.reasoning;
            message.content = std::string(split.answer);
        }
    }
    return messages;
}

}  // namespace

ChatPrompter::ChatPrompter(const Tokenizer& tokenizer, std::unique_ptr<ChatTemplate> chat_template)
    : tokenizer_(tokenizer), template_(std::move(chat_template)) {}

void ChatPrompter::remember(const std::string& text, const std::vector<TokenId>& tokens) {
    // Remember only an answer that its tokens spell in full. One that was cut at a stop string has
    // tokens that it does not show, and a special token shows nothing.
    Utf8Stream utf8;
    std::string shown;
    for (const TokenId token : tokens) {
        if (tokenizer_.is_special(token)) {
            return;
        }
        std::string bytes;
        tokenizer_.append_piece(token, false, bytes);
        shown += utf8.push(bytes);
    }
    shown += utf8.finish();
    if (text.empty() || shown != text) {
        return;
    }
    answers_.push_back({text, tokens});  // first: without memory for it nothing is forgotten
    if (answers_.size() > kMostAnswers) {
        answers_.erase(answers_.begin());
    }
}

std::vector<TextSegment> ChatPrompter::opened(const ChatMessage& answer,
                                              bool begins_reasoning) const {
    std::vector<TextSegment> segments = AnswerMarks(tokenizer_).spelled(answer.content);
    if (begins_reasoning && !segments.front().markup) {
        segments.insert(segments.begin(), {"</think>\n\n", true});  // the answer has none
    } else if (begins_reasoning) {
        segments.erase(segments.begin());  // the prompt has the mark
        // The line after it, where the template wrote that too.
        if (segments.front().text.starts_with('\n')) {
            segments.front().text.erase(0, 1);
        }
    }
    return segments;
}

// Tokenises runs of segments together, because words may reach across the borders of segments.
Result<ChatPrompt> ChatPrompter::tokenize(std::span<const ChatMessage> messages,
                                          const TemplateOptions& options,
                                          const ChatMessage* open) const {
    auto chat = template_->apply(messages, options);
    if (!chat) {
        return std::move(chat).error();
    }
    ChatPrompt prompt;
    prompt.notice = std::move(chat->notice);
    prompt.begins_reasoning = ends_with_opening(chat->segments);
    std::vector<TokenId>& tokens = prompt.tokens;
    const auto append = [&](std::span<const TokenId> more) {
        tokens.insert(tokens.end(), more.begin(), more.end());
    };
    const std::span<const TextSegment> all(chat->segments);
    std::size_t run = 0;  // where the segments not yet tokenised begin
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].markup) {
            continue;
        }
        const auto answer =
            std::find_if(answers_.rbegin(), answers_.rend(),
                         [&](const Answer& known) { return known.text == all[i].text; });
        if (answer != answers_.rend()) {
            append(tokenizer_.tokenize(all.subspan(run, i - run), false));
            append(answer->tokens);
            run = i + 1;
        }
    }
    append(tokenizer_.tokenize(all.subspan(run), false));
    if (open != nullptr) {
        const std::size_t before = tokens.size();
        const auto answer =
            std::find_if(answers_.rbegin(), answers_.rend(),
                         [&](const Answer& known) { return known.text == open->content; });
        if (answer != answers_.rend()) {
            append(answer->tokens);
        } else {
            append(tokenizer_.tokenize(opened(*open, prompt.begins_reasoning), false));
        }
        prompt.continued_tokens = tokens.size() - before;
        prompt.begins_reasoning = false;  // the answer has begun already
    }
    return prompt;
}

Result<ChatPrompt> ChatPrompter::cut(std::span<const ChatMessage> messages, std::size_t n_system,
                                     std::size_t first_kept, const TemplateOptions& options,
                                     const ChatMessage* open) const {
    std::vector<ChatMessage> kept(messages.begin(),
                                  messages.begin() + static_cast<std::ptrdiff_t>(n_system));
    // The question stays in front of the calls that are made for it.
    const std::size_t question = latest_question(messages);
    const bool keeps_question = question < first_kept;
    if (keeps_question) {
        kept.push_back(messages[question]);
    }
    kept.insert(kept.end(), messages.begin() + static_cast<std::ptrdiff_t>(first_kept),
                messages.end());
    auto prompt = tokenize(kept, options, open);
    if (prompt) {
        prompt->dropped_messages =
            static_cast<int>(first_kept - n_system) - (keeps_question ? 1 : 0);
    }
    return prompt;
}

// Counts tokens from the end and looks at each message once, together with what the template writes
// around it. A conversation may have thousands of messages.
std::size_t ChatPrompter::first_to_keep(std::span<const ChatMessage> messages, std::size_t n_system,
                                        std::size_t most_tokens, const TemplateOptions& options,
                                        const ChatMessage* open) const {
    // Templates refuse many a message that stands alone; then some room for what they write around
    // it is a guess.
    constexpr std::size_t kAround = 16;
    const auto count = [&](const ChatMessage& message) {
        const auto alone = tokenize({&message, 1}, options);
        return alone ? alone->tokens.size()
                     : tokenizer_.tokenize(text_with_calls(message), false, false).size() + kAround;
    };
    std::size_t total = n_system == 1 ? count(messages.front()) : 0;
    total += open != nullptr ? tokenizer_.tokenize(open->content, false, false).size() : 0;
    const std::size_t question = latest_question(messages);
    const std::size_t for_question = question < messages.size() ? count(messages[question]) : 0;
    std::size_t first_kept = messages.size();
    for (std::size_t i = messages.size(); i > n_system; --i) {
        if (i - 1 == question) {
            total += for_question;
        } else {
            total += count(messages[i - 1]);
        }
        // The latest place to go on at is kept however long it is.
        const bool fits = total + (i - 1 > question ? for_question : 0) <= most_tokens;
        if (!fits && first_kept < messages.size()) {
            break;
        }
        if (may_go_on_at(i - 1, messages, question)) {
            first_kept = i - 1;
        }
    }
    return first_kept < messages.size() ? first_kept : messages.size() - 1;
}

Result<ChatPrompt> ChatPrompter::prompt(std::span<const ChatMessage> given,
                                        const GenerationOptions& options, int n_ctx) {
    const ChatMessage* open = nullptr;
    if (options.continues_last_message) {
        open = given.size() < 2 ? nullptr : &given.back();
        if (open == nullptr || open->role != "assistant" || open->content.empty() ||
            !open->tool_calls.empty()) {
            return Error{ErrorCode::InvalidArgument,
                         "the last message is no answer that can be continued",
                         {},
                         "messages"};
        }
        given = given.first(given.size() - 1);
    }
    const std::vector<ChatMessage> messages = with_reasoning_apart(given);
    const TemplateOptions wanted{.thinking = options.thinking,
                                 .reasoning_effort = options.reasoning_effort,
                                 .tools = options.tools};
    if (messages.empty()) {
        return Error{
            ErrorCode::InvalidArgument, "a chat needs at least one message", {}, "messages"};
    }
    const std::size_t n_system = messages.front().role == "system" ? 1 : 0;
    auto whole = cut(messages, n_system, n_system, wanted, open);
    if (!whole || !options.drop_oldest_messages) {
        return whole;
    }
    int answer_room = std::min(kAnswerRoom, n_ctx / 4);
    if (options.max_tokens >= 0) {
        answer_room = std::min(answer_room, options.max_tokens);
    }
    const auto room = static_cast<std::size_t>(n_ctx - std::max(1, answer_room));
    if (whole->tokens.size() <= room) {
        return whole;
    }
    if (last_cut_ > n_system && last_cut_ < messages.size() &&
        may_go_on_at(last_cut_, messages, latest_question(messages)) &&
        text_with_calls(messages[last_cut_]) == last_cut_text_) {
        auto again = cut(messages, n_system, last_cut_, wanted, open);
        if (!again || again->tokens.size() <= room) {
            return again;
        }
    }
    const std::size_t first_kept = first_to_keep(messages, n_system, room / 2, wanted, open);
    auto shorter = cut(messages, n_system, first_kept, wanted, open);
    if (first_kept < messages.size()) {  // not with a system message alone
        last_cut_ = first_kept;
        last_cut_text_ = text_with_calls(messages[first_kept]);
    }
    return shorter;
}

}  // namespace hearth
