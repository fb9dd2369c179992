#include "session/chat_prompter.h"

#include <algorithm>
#include <utility>

namespace hearth {
namespace {

// Answers remembered: more than fit any context a person reads through.
constexpr std::size_t kMostAnswers = 64;

// Room a prompt leaves for the answer before old messages are dropped.
constexpr int kAnswerRoom = 256;

}  // namespace

ChatPrompter::ChatPrompter(const Tokenizer& tokenizer, std::unique_ptr<ChatTemplate> chat_template)
    : tokenizer_(tokenizer), template_(std::move(chat_template)) {}

void ChatPrompter::remember(const std::string& text, const std::vector<TokenId>& tokens) {
    if (text.empty()) {
        return;
    }
    if (answers_.size() == kMostAnswers) {
        answers_.erase(answers_.begin());
    }
    answers_.push_back({text, tokens});
}

// Words may reach across the borders of segments, so runs of segments are tokenised together.
Result<std::vector<TokenId>> ChatPrompter::tokenize(std::span<const ChatMessage> messages) const {
    auto segments = template_->apply(messages, true);
    if (!segments) {
        return std::move(segments).error();
    }
    std::vector<TokenId> tokens;
    const auto append = [&](std::span<const TokenId> more) {
        tokens.insert(tokens.end(), more.begin(), more.end());
    };
    const std::span<const ChatTemplate::Segment> all(*segments);
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
    return tokens;
}

Result<ChatPrompt> ChatPrompter::cut(std::span<const ChatMessage> messages, std::size_t n_system,
                                     std::size_t first_kept) const {
    std::vector<ChatMessage> kept(messages.begin(),
                                  messages.begin() + static_cast<std::ptrdiff_t>(n_system));
    kept.insert(kept.end(), messages.begin() + static_cast<std::ptrdiff_t>(first_kept),
                messages.end());
    auto tokens = tokenize(kept);
    if (!tokens) {
        return std::move(tokens).error();
    }
    return ChatPrompt{std::move(*tokens), static_cast<int>(first_kept - n_system)};
}

Result<ChatPrompt> ChatPrompter::prompt(std::span<const ChatMessage> messages,
                                        const GenerationOptions& options, int n_ctx) {
    if (messages.empty()) {
        return Error{
            ErrorCode::InvalidArgument, "a chat needs at least one message", {}, "messages"};
    }
    const std::size_t n_system = messages.front().role == "system" ? 1 : 0;
    auto whole = cut(messages, n_system, n_system);
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
        messages[last_cut_].content == last_cut_content_) {
        auto again = cut(messages, n_system, last_cut_);
        if (!again || again->tokens.size() <= room) {
            return again;
        }
    }
    // At user messages, so that what is left still begins with one.
    ChatPrompt shorter = std::move(*whole);
    std::size_t first_kept = n_system;
    while (shorter.tokens.size() > room / 2 && first_kept + 1 < messages.size()) {
        do {
            ++first_kept;
        } while (first_kept + 1 < messages.size() && messages[first_kept].role != "user");
        auto next = cut(messages, n_system, first_kept);
        if (!next) {
            return next;
        }
        shorter = std::move(*next);
    }
    if (first_kept < messages.size()) {  // not with a system message alone
        last_cut_ = first_kept;
        last_cut_content_ = messages[first_kept].content;
    }
    return shorter;
}

}  // namespace hearth
