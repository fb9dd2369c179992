#include "answer_parts.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

namespace hearth::server {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kThink = "<think>";
constexpr std::string_view kEndThink = "</think>";
// Bytes at the end of the text that may be blanks and the beginning of a mark behind them.
std::size_t tail_that_may_begin(std::string_view text, std::span<const std::string_view> marks) {
    std::size_t begun = 0;
    for (const std::string_view mark : marks) {
        for (std::size_t n = std::min(mark.size() - 1, text.size()); n > begun; --n) {
            if (text.ends_with(mark.substr(0, n))) {
                begun = n;
            }
        }
    }
    const std::string_view rest = text.substr(0, text.size() - begun);
    const std::size_t last = rest.find_last_not_of(kBlanks);
    return text.size() - (last == std::string_view::npos ? 0 : last + 1);
}

// True while the text may yet become {"name": ...: Llama's way to call without any mark.
bool may_be_bare_call(std::string_view text, bool& is_one) {
    constexpr std::string_view kParts[] = {"{", "\"name\""};
    is_one = false;
    for (const std::string_view part : kParts) {
        text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
        const std::size_t common = std::min(part.size(), text.size());
        if (text.substr(0, common) != part.substr(0, common)) {
            return false;
        }
        if (common < part.size()) {
            return true;
        }
        text.remove_prefix(part.size());
    }
    is_one = true;
    return true;
}

// The first mark that opens a call; null: there is none.
const CallForm* first_form(std::string_view text, std::size_t& at) {
    const CallForm* first = nullptr;
    at = std::string_view::npos;
    for (const CallForm& form : call_forms()) {
        if (const std::size_t found = text.find(form.opening); found < at) {
            at = found;
            first = &form;
        }
    }
    return first;
}

// The opening marks.
const std::vector<std::string_view>& openings() {
    static const std::vector<std::string_view> all = [] {
        std::vector<std::string_view> marks;
        for (const CallForm& form : call_forms()) {
            marks.push_back(form.opening);
        }
        return marks;
    }();
    return all;
}

}  // namespace

AnswerParts::AnswerParts(const AnswerRequest& request, const Sink& sink)
    : request_(request),
      sink_(sink),
      reads_calls_(!request.is_raw && request.tool_use != ToolUse::None) {}

void AnswerParts::push(std::string_view piece) {
    held_ += piece;
    work(false);
}

void AnswerParts::finish() {
    work(true);
}

void AnswerParts::work(bool is_end) {
    bool goes_on = true;
    while (goes_on) {
        switch (state_) {
            case State::Beginning:
                goes_on = begin(is_end);
                break;
            case State::Reasoning:
                goes_on = reason(is_end);
                break;
            case State::Gap:
                held_.erase(0, std::min(held_.find_first_not_of(kBlanks), held_.size()));
                goes_on = !held_.empty();
                if (goes_on) {
                    state_ =
                        reads_calls_ && request_.calls_are_forced() ? State::Whole : State::Answer;
                }
                break;
            case State::Answer:
                goes_on = answer(is_end);
                break;
            case State::Call:
                goes_on = call(is_end);
                break;
            case State::Whole:
                goes_on = whole(is_end);
                break;
        }
    }
}

bool AnswerParts::begin(bool is_end) {
    if (request_.is_raw) {
        state_ = State::Answer;
        return true;
    }
    const std::size_t at = std::min(held_.find_first_not_of(kBlanks), held_.size());
    const std::string_view text = std::string_view(held_).substr(at);
    const std::size_t common = std::min(text.size(), kThink.size());
    if (text.substr(0, common) != kThink.substr(0, common) || (is_end && common < kThink.size())) {
        state_ = reads_calls_ && request_.calls_are_forced() ? State::Whole : State::Answer;
        return true;
    }
    if (common < kThink.size()) {
        return false;
    }
    held_.erase(0, at + kThink.size());
    // An answer of a given form has no room for reasoning: the mark is the template's alone.
    const bool has_form =
        !request_.options.json_schema.empty() || !request_.options.grammar.empty();
    state_ = has_form ? State::Gap : State::Reasoning;
    return true;
}

bool AnswerParts::reason(bool is_end) {
    if (!had_text_) {
        held_.erase(0, std::min(held_.find_first_not_of(kBlanks), held_.size()));
    }
    const std::size_t end = held_.find(kEndThink);
    std::string_view shown = std::string_view(held_).substr(0, end);
    if (end != std::string::npos || is_end) {
        shown = shown.substr(0, shown.find_last_not_of(kBlanks) + 1);
    } else {
        constexpr std::array kEnds = {kEndThink};
        shown.remove_suffix(tail_that_may_begin(shown, kEnds));
    }
    if (!shown.empty()) {
        had_text_ = true;
        sink_.reasoning(shown);
    }
    if (end == std::string::npos) {
        held_.erase(0, is_end ? held_.size() : shown.size());
        return false;
    }
    held_.erase(0, end + kEndThink.size());
    had_text_ = false;
    state_ = State::Gap;
    return true;
}

void AnswerParts::show(std::string_view text) {
    if (!text.empty()) {
        had_text_ = true;
        follows_call_ = false;
        sink_.text(text);
    }
}

// Blanks behind a call, and a mark that closes what was not opened. False: more text must come.
bool AnswerParts::skip_stray(bool is_end) {
    const auto skip_blanks = [this] {
        held_.erase(0, std::min(held_.find_first_not_of(kBlanks), held_.size()));
    };
    skip_blanks();
    const std::string_view stray = form_ != nullptr ? form_->stray : std::string_view();
    if (!stray.empty() && held_.starts_with(stray)) {
        held_.erase(0, stray.size());
        skip_blanks();
        return true;
    }
    return is_end || held_.empty() || !stray.starts_with(held_);
}

bool AnswerParts::answer(bool is_end) {
    if (!reads_calls_) {
        show(std::exchange(held_, {}));
        return false;
    }
    if (follows_call_ && !skip_stray(is_end)) {
        return false;
    }
    if (bool is_one = false; !had_text_ && may_be_bare_call(held_, is_one)) {
        if (is_one) {
            state_ = State::Whole;
            return true;
        }
        if (!is_end) {
            return false;
        }
    }
    std::size_t at = 0;
    if (const CallForm* form = first_form(held_, at)) {
        const std::size_t end = held_.substr(0, at).find_last_not_of(kBlanks) + 1;
        gap_ = held_.substr(end, at - end);
        show(std::string_view(held_).substr(0, end));
        held_.erase(0, at + form->opening.size());
        form_ = form;
        closing_.emplace(*form);
        state_ = State::Call;
        return true;
    }
    const std::size_t kept = is_end ? 0 : tail_that_may_begin(held_, openings());
    const std::string text = held_.substr(0, held_.size() - kept);
    held_.erase(0, text.size());
    show(text);
    return false;
}

// Text that only looks like a call stays what it is.
void AnswerParts::end_call(std::string_view looks_like, const std::vector<ToolCall>& calls) {
    if (calls.empty()) {
        show(looks_like);
    }
    for (const ToolCall& one : calls) {
        sink_.call(one);
        follows_call_ = true;
    }
    state_ = State::Answer;
    had_text_ = true;  // a call without a mark stands at the beginning alone
}

// Calls of a form without a closing mark go to the end of the answer.
bool AnswerParts::call(bool is_end) {
    const std::size_t end = closing_->find(held_, is_end);
    if (end == std::string::npos && !is_end) {
        return false;
    }
    const std::size_t all = end == std::string::npos ? held_.size() : end + form_->closing.size();
    const std::string looks_like =
        std::exchange(gap_, {}) + std::string(form_->opening) + held_.substr(0, all);
    const bool is_closed = end != std::string::npos;
    const auto calls =
        read_calls(*form_, std::string_view(held_).substr(0, end), is_closed, request_.tools);
    held_.erase(0, all);
    end_call(looks_like, calls);
    return !held_.empty();
}

bool AnswerParts::whole(bool is_end) {
    if (!is_end) {
        return false;
    }
    const std::string text = std::exchange(held_, {});
    end_call(text, read_calls(text, request_.tools));
    return false;
}

}  // namespace hearth::server
