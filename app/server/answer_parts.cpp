#include "answer_parts.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hearth::server {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::string_view kThink = "<think>";
constexpr std::string_view kEndThink = "</think>";
constexpr std::string_view kCall = "<tool_call>";
constexpr std::string_view kEndCall = "</tool_call>";
constexpr std::string_view kMistral = "[TOOL_CALLS]";
constexpr std::string_view kLlama = "<|python_tag|>";
constexpr std::array kMarks = {kCall, kMistral, kLlama};

std::string_view trimmed(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(kBlanks);
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string_view before(std::string_view text, std::string_view mark) {
    return text.substr(0, text.find(mark));
}

std::string_view behind(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    return at == std::string_view::npos ? std::string_view() : text.substr(at + mark.size());
}

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

const ToolDeclaration* tool_named(std::string_view name,
                                  const std::vector<ToolDeclaration>& tools) {
    const auto found = std::find_if(tools.begin(), tools.end(),
                                    [&](const auto& tool) { return tool.name == name; });
    return found == tools.end() ? nullptr : &*found;
}

// Parameters of the forms that write values without quotes: a string where the schema says so,
// else JSON where it is such.
ApiJson value_of(std::string_view text, const std::string& key, const ToolDeclaration& tool) {
    const auto properties = tool.parameters.find("properties");
    if (properties != tool.parameters.end() && properties->is_object()) {
        const auto property = properties->find(key);
        if (property != properties->end() && property->is_object() &&
            property->value("type", ApiJson()) == "string") {
            return std::string(text);
        }
    }
    // A value goes through the same bounds as a body.
    auto read = read_json_object("{\"value\":" + std::string(text) + "}");
    return read && read->size() == 1 ? (*read)["value"] : ApiJson(std::string(text));
}

bool add_json_call(const ApiJson& call, const std::vector<ToolDeclaration>& tools,
                   std::vector<ToolCall>& calls) {
    if (!call.is_object()) {
        return false;
    }
    const auto name = call.find("name");
    if (name == call.end() || !name->is_string() ||
        tool_named(name->get<std::string>(), tools) == nullptr) {
        return false;
    }
    ApiJson arguments = ApiJson::object();
    for (const char* member : {"arguments", "parameters"}) {
        if (const auto found = call.find(member); found != call.end()) {
            arguments = *found;
        }
    }
    if (arguments.is_string()) {
        auto read = read_json_object(arguments.get<std::string>());
        arguments = read ? std::move(*read) : ApiJson();
    }
    if (!arguments.is_object()) {
        return false;
    }
    calls.push_back({name->get<std::string>(), to_bytes(arguments)});
    return true;
}

bool read_json_calls(std::string_view text, const std::vector<ToolDeclaration>& tools,
                     std::vector<ToolCall>& calls) {
    auto read = read_json_object("{\"calls\":" + std::string(text) + "}");
    if (!read || read->size() != 1) {
        return false;
    }
    const ApiJson& all = (*read)["calls"];
    if (!all.is_array()) {
        return add_json_call(all, tools, calls);
    }
    return std::all_of(all.begin(), all.end(),
                       [&](const ApiJson& call) { return add_json_call(call, tools, calls); });
}

// <function=NAME> <parameter=KEY> VALUE </parameter> </function>
bool read_tagged_call(std::string_view text, const std::vector<ToolDeclaration>& tools,
                      std::vector<ToolCall>& calls) {
    const std::string_view inside = behind(text, "<function=");
    const ToolDeclaration* tool = tool_named(trimmed(before(inside, ">")), tools);
    if (tool == nullptr) {
        return false;
    }
    ApiJson arguments = ApiJson::object();
    std::string_view rest = before(behind(inside, ">"), "</function>");
    while (!(rest = behind(rest, "<parameter=")).empty()) {
        const std::string key(trimmed(before(rest, ">")));
        rest = behind(rest, ">");
        std::string_view value = before(rest, "</parameter>");
        // The line ends around a value belong to the tags.
        value.remove_prefix(value.starts_with('\n') ? 1 : 0);
        value.remove_suffix(value.ends_with('\n') ? 1 : 0);
        if (arguments.size() < 512) {
            arguments[key] = value_of(value, key, *tool);
        }
    }
    calls.push_back({tool->name, to_bytes(arguments)});
    return true;
}

// NAME <arg_key>KEY</arg_key> <arg_value>VALUE</arg_value>
bool read_keyed_call(std::string_view text, const std::vector<ToolDeclaration>& tools,
                     std::vector<ToolCall>& calls) {
    const ToolDeclaration* tool = tool_named(trimmed(before(text, "<arg_key>")), tools);
    if (tool == nullptr) {
        return false;
    }
    ApiJson arguments = ApiJson::object();
    std::string_view rest = text;
    while (!(rest = behind(rest, "<arg_key>")).empty()) {
        const std::string key(trimmed(before(rest, "</arg_key>")));
        rest = behind(rest, "<arg_value>");
        if (arguments.size() < 512) {
            arguments[key] = value_of(before(rest, "</arg_value>"), key, *tool);
        }
    }
    calls.push_back({tool->name, to_bytes(arguments)});
    return true;
}

// NAME[ARGS]{...}
bool read_named_call(std::string_view text, const std::vector<ToolDeclaration>& tools,
                     std::vector<ToolCall>& calls) {
    const ToolDeclaration* tool = tool_named(trimmed(before(text, "[ARGS]")), tools);
    if (tool == nullptr) {
        return false;
    }
    auto arguments = read_json_object(trimmed(behind(text, "[ARGS]")));
    if (!arguments) {
        return false;
    }
    calls.push_back({tool->name, to_bytes(*arguments)});
    return true;
}

}  // namespace

std::vector<ToolCall> read_calls(std::string_view text, const std::vector<ToolDeclaration>& tools) {
    text = trimmed(text);
    std::vector<ToolCall> calls;
    bool are_calls = !text.empty();
    if (text.starts_with('{') || text.starts_with('[')) {
        are_calls = read_json_calls(text, tools, calls);
    } else if (text.starts_with("<function=")) {
        are_calls = read_tagged_call(text, tools, calls);
    } else if (text.find("[ARGS]") != std::string_view::npos) {
        while (are_calls && !text.empty()) {  // several follow one another with the mark between
            are_calls = read_named_call(trimmed(before(text, kMistral)), tools, calls);
            text = trimmed(behind(text, kMistral));
        }
    } else if (are_calls) {
        are_calls = read_keyed_call(text, tools, calls);
    }
    return are_calls ? calls : std::vector<ToolCall>();
}

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
            case State::Whole:
                goes_on = call(is_end);
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

bool AnswerParts::answer(bool is_end) {
    if (!reads_calls_) {
        show(std::exchange(held_, {}));
        return false;
    }
    if (follows_call_) {
        held_.erase(0, std::min(held_.find_first_not_of(kBlanks), held_.size()));
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
    std::size_t at = std::string::npos;
    for (const std::string_view mark : kMarks) {
        if (const std::size_t found = held_.find(mark); found < at) {
            at = found;
            mark_ = mark;
        }
    }
    if (at != std::string::npos) {
        const std::size_t end = held_.substr(0, at).find_last_not_of(kBlanks) + 1;
        gap_ = held_.substr(end, at - end);
        show(std::string_view(held_).substr(0, end));
        held_.erase(0, at + mark_.size());
        state_ = State::Call;
        return true;
    }
    const std::size_t kept = is_end ? 0 : tail_that_may_begin(held_, kMarks);
    const std::string text = held_.substr(0, held_.size() - kept);
    held_.erase(0, text.size());
    show(text);
    return false;
}

// Only <tool_call> says where a call ends. The others go to the end of the answer.
bool AnswerParts::call(bool is_end) {
    const std::size_t end =
        state_ == State::Call && mark_ == kCall ? held_.find(kEndCall) : std::string::npos;
    if (end == std::string::npos && !is_end) {
        return false;
    }
    const std::vector<ToolCall> calls =
        read_calls(std::string_view(held_).substr(0, end), request_.tools);
    if (calls.empty()) {
        // Text that only looks like a call stays what it is.
        const std::size_t all = end == std::string::npos ? held_.size() : end + kEndCall.size();
        show(std::exchange(gap_, {}) + std::exchange(mark_, {}) + held_.substr(0, all));
        held_.erase(0, all);
    } else {
        for (const ToolCall& one : calls) {
            sink_.call(one);
        }
        gap_.clear();
        mark_.clear();
        held_.erase(0, end == std::string::npos ? held_.size() : end + kEndCall.size());
        follows_call_ = true;
    }
    state_ = State::Answer;
    had_text_ = true;  // a call without a mark stands at the beginning alone
    return !held_.empty();
}

}  // namespace hearth::server
