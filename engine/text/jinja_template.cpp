#include "text/jinja_template.h"

#include <algorithm>
#include <array>

#include "text/fallback_template.h"
#include "text/jinja/json.h"
#include "text/jinja/render.h"
#include "text/quoted.h"

namespace hearth {
namespace {

using jinja::Failure;
using jinja::Heap;
using jinja::TemplateProgram;
using jinja::Value;

std::tm local_now() {
    const std::time_t now = std::time(nullptr);
    std::tm out{};
#ifdef _WIN32
    localtime_s(&out, &now);
#else
    localtime_r(&now, &out);
#endif
    return out;
}

std::string described(const Failure& failure) {
    return (failure.line > 0 ? "line " + std::to_string(failure.line) + ": " : std::string()) +
           failure.message;
}

Error invalid(std::string message, std::string field) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = std::move(message),
                 .path = {},
                 .field = std::move(field)};
}

// Names that templates use for the switch of reasoning.
constexpr std::array<std::string_view, 2> kThinking = {"enable_thinking", "thinking"};
constexpr std::string_view kEffort = "reasoning_effort";

// The system message in front of what the user asked first.
std::vector<ChatMessage> merged(std::span<const ChatMessage> messages) {
    std::vector<ChatMessage> out(messages.begin() + 1, messages.end());
    const auto user = std::find_if(
        out.begin(), out.end(), [](const ChatMessage& message) { return message.role == "user"; });
    if (user == out.end()) {
        out.insert(out.begin(), {"user", messages.front().content});
    } else {
        user->content = messages.front().content + "\n\n" + user->content;
    }
    return out;
}

std::string_view without_blanks(std::string_view text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin == std::string_view::npos
               ? std::string_view()
               : text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

class JinjaTemplate final : public ChatTemplate {
public:
    JinjaTemplate(JinjaSources sources, std::unique_ptr<TemplateProgram> plain,
                  std::unique_ptr<TemplateProgram> with_tools)
        : sources_(std::move(sources)),
          plain_(std::move(plain)),
          with_tools_(std::move(with_tools)) {}

    Result<TemplatedChat> apply(std::span<const ChatMessage> messages,
                                const TemplateOptions& options) const override {
        if (auto checked = check_messages(messages); !checked) {
            return std::move(checked).error();
        }
        auto chat = rendered(messages, options);
        const bool has_system = messages.front().role == "system";
        if (has_system && (chat ? leaves_out(*chat, messages.front().content)
                                : chat.error().code == ErrorCode::InvalidArgument)) {
            const std::vector<ChatMessage> without = merged(messages);
            if (auto other = rendered(without, options); other) {
                return other;
            }
        }
        if (!chat && chat.error().code == ErrorCode::Unsupported) {
            // Another conversation may go through; this one must not be lost.
            const auto fallback =
                sources_.has_chatml_tokens ? make_chatml({}) : make_plain_chat({});
            auto other = fallback->apply(messages, options);
            if (other) {
                other->notice = "the model's chat template failed (" + chat.error().message +
                                "); the prompt was written as " +
                                (sources_.has_chatml_tokens ? "ChatML" : "plain text");
            }
            return other;
        }
        return chat;
    }

    std::vector<std::string> stop_strings() const override { return sources_.stop_strings; }
    const ChatTraits& traits() const override { return traits_; }

    // Renders a few small chats to see what the template does. Unsupported: a single question
    // cannot be rendered.
    Result<void> examine() {
        constexpr std::string_view kQuestion = "Hearth asks this.";
        constexpr std::string_view kSystem = "Hearth says this.";
        const ChatMessage question{"user", std::string(kQuestion)};
        const TemplateOptions plain{};
        const auto asked = rendered({&question, 1}, plain);
        if (!asked) {
            return asked.error().code == ErrorCode::Unsupported ? Result<void>(asked.error())
                                                                : Result<void>();
        }
        const auto changes = [&](const TemplateOptions& options) {
            const auto other = rendered({&question, 1}, options);
            return other && text_of(*other) != text_of(*asked);
        };
        if (names_any(kThinking)) {
            TemplateOptions on;
            on.thinking = true;
            TemplateOptions off;
            off.thinking = false;
            traits_.has_thinking_switch = changes(on) || changes(off);
        }
        if (plain_->find_name(kEffort) >= 0) {
            TemplateOptions low;
            low.reasoning_effort = "low";
            TemplateOptions high;
            high.reasoning_effort = "high";
            traits_.has_reasoning_effort = changes(low) || changes(high);
        }
        TemplateOptions with_tool;
        with_tool.tools = R"([{"type":"function","function":{"name":"hearth_tool",)"
                          R"("description":"Does nothing.","parameters":{"type":"object",)"
                          R"("properties":{"x":{"type":"string","description":"Anything."}},)"
                          R"("required":["x"]}}}])";
        const auto told = rendered({&question, 1}, with_tool);
        traits_.has_tools = told && text_of(*told).find("hearth_tool") != std::string::npos;
        const std::array<ChatMessage, 2> with_call = {
            question, ChatMessage{"assistant",
                                  "",
                                  {},
                                  R"([{"id":"hearth123","type":"function","function":)"
                                  R"({"name":"hearth_tool","arguments":{"x":"hearth_value"}}}])"}};
        const auto called = rendered(with_call, with_tool);
        traits_.has_calls = called && text_of(*called).find("hearth_value") != std::string::npos;
        find_default_system(text_of(*asked), kSystem, kQuestion);
        return {};
    }

private:
    static std::string text_of(const TemplatedChat& chat) {
        std::string out;
        for (const TextSegment& segment : chat.segments) {
            out += segment.text;
        }
        return out;
    }

    bool names_any(std::span<const std::string_view> names) const {
        return std::any_of(names.begin(), names.end(),
                           [&](std::string_view name) { return plain_->find_name(name) >= 0; });
    }

    // True if a message's text is not in the prompt at all.
    static bool leaves_out(const TemplatedChat& chat, std::string_view content) {
        const std::string_view wanted = without_blanks(content);
        return !wanted.empty() && text_of(chat).find(wanted) == std::string::npos;
    }

    // A chat without a system message has the template's own text in the place where another chat
    // has its message: between what both begin with and what both go on with.
    void find_default_system(const std::string& without, std::string_view system,
                             std::string_view question) {
        const std::array<ChatMessage, 2> messages = {ChatMessage{"system", std::string(system)},
                                                     ChatMessage{"user", std::string(question)}};
        const auto told = rendered(messages, {});
        if (!told) {
            return;
        }
        const std::string with = text_of(*told);
        const std::size_t at = with.find(system);
        if (at == std::string::npos || without.compare(0, at, with, 0, at) != 0) {
            return;
        }
        const std::string_view rest = std::string_view(with).substr(at + system.size());
        if (without.size() < at + rest.size() || !std::string_view(without).ends_with(rest)) {
            return;
        }
        traits_.default_system = without.substr(at, without.size() - at - rest.size());
    }

    Value message_value(Heap& heap, const ChatMessage& message, bool& is_json) const {
        const Value out = heap.dict();
        const auto put = [&](std::string_view key, const Value& value) {
            heap.set(*out.dict, heap.text(key, true), value);
        };
        put("role", heap.text(message.role, true));
        put("content", heap.text(message.content, false));
        if (!message.reasoning.empty()) {
            put("reasoning_content", heap.text(message.reasoning, false));
            put("thinking", heap.text(message.reasoning, false));
        }
        if (!message.tool_calls.empty()) {
            const auto calls = jinja::parse_json(heap, message.tool_calls, false);
            is_json = is_json && calls.has_value();
            put("tool_calls", calls.value_or(Value{}));
        }
        if (!message.tool_call_id.empty()) {
            put("tool_call_id", heap.text(message.tool_call_id, false));
        }
        if (!message.name.empty()) {
            put("name", heap.text(message.name, false));
        }
        return out;
    }

    // InvalidArgument: the template refuses. Unsupported: it fails.
    Result<TemplatedChat> rendered(std::span<const ChatMessage> messages,
                                   const TemplateOptions& options) const {
        bool may_be_none = false;
        auto chat = rendered_once(messages, options, true, may_be_none);
        if (!chat && may_be_none) {
            // Templates for tools go through them without asking whether there are any.
            return rendered_once(messages, options, false, may_be_none);
        }
        return chat;
    }

    // has_none: what is missing is none, as transformers passes it; else it is undefined.
    // may_be_none: a failure might come from that.
    Result<TemplatedChat> rendered_once(std::span<const ChatMessage> messages,
                                        const TemplateOptions& options, bool has_none,
                                        bool& may_be_none) const {
        std::uint64_t bytes = options.tools.size();
        for (const ChatMessage& message : messages) {
            bytes += message.content.size() + message.reasoning.size() + message.tool_calls.size();
        }
        // Long conversations may take longer than short ones. Gemma 4's template looks at all
        // earlier messages for each message, at seven steps each.
        constexpr std::uint64_t kStepsOfPair = 8;
        constexpr std::uint64_t kMostStepsOfPairs = 100'000'000;  // a second or so
        const std::uint64_t n = messages.size();
        jinja::Limits limits;
        limits.steps += 5000 * n + std::min(kStepsOfPair * n * n, kMostStepsOfPairs) + bytes;
        limits.bytes += 16 * bytes;
        Heap heap(limits);
        bool is_json = true;
        std::vector<Value> list;
        for (const ChatMessage& message : messages) {
            list.push_back(message_value(heap, message, is_json));
        }
        if (!is_json) {
            return invalid("the calls of tools are no JSON", "messages.tool_calls");
        }
        const Value variables = heap.dict();
        const auto put = [&](std::string_view key, const Value& value) {
            heap.set(*variables.dict, heap.text(key, true), value);
        };
        put("messages", heap.list(std::move(list)));
        put("add_generation_prompt", Value::of(options.add_generation_prompt));
        for (const auto& [name, text] : sources_.special_tokens) {
            put(name, heap.text(text, true));
        }
        if (has_none) {
            put("documents", Value::none());
        }
        if (options.tools.empty()) {
            if (has_none) {
                put("tools", Value::none());
            }
        } else {
            const auto tools = jinja::parse_json(heap, options.tools, false);
            if (!tools || !tools->is(jinja::ValueKind::Sequence)) {
                return invalid("the tools are no JSON array", "tools");
            }
            put("tools", *tools);
        }
        if (options.thinking) {
            for (const std::string_view name : kThinking) {
                put(name, Value::of(*options.thinking));
            }
        }
        if (!options.reasoning_effort.empty()) {
            put(kEffort, heap.text(options.reasoning_effort, true));
        }
        const TemplateProgram& program =
            !options.tools.empty() && with_tools_ != nullptr ? *with_tools_ : *plain_;
        jinja::Rendered out =
            jinja::render(program, heap, *variables.dict, options.now ? *options.now : local_now());
        may_be_none = has_none && options.tools.empty() && out.failure &&
                      out.failure->kind == Failure::ValueKind::Runtime;
        if (out.failure) {
            if (out.failure->kind == Failure::ValueKind::Raised) {
                return invalid(
                    "the model's chat template refuses this conversation: " + out.failure->message,
                    "messages");
            }
            return Error{.code = ErrorCode::Unsupported,
                         .message = described(*out.failure),
                         .path = {},
                         .field = "tokenizer.chat_template"};
        }
        return TemplatedChat{out.text.segments(), {}};
    }

    JinjaSources sources_;
    std::unique_ptr<TemplateProgram> plain_;
    std::unique_ptr<TemplateProgram> with_tools_;
    ChatTraits traits_;
};

}  // namespace

std::optional<std::string> ChatTemplate::why_unreadable(std::string_view jinja) {
    const TemplateProgram::Outcome read = TemplateProgram::parse(jinja);
    return read.program != nullptr ? std::nullopt : std::optional(described(read.failure));
}

Result<std::unique_ptr<ChatTemplate>> make_jinja_template(JinjaSources sources) {
    TemplateProgram::Outcome plain = TemplateProgram::parse(sources.plain);
    const auto unreadable = [](const Failure& failure) {
        return Error{.code = ErrorCode::Unsupported,
                     .message = described(failure),
                     .path = {},
                     .field = "tokenizer.chat_template"};
    };
    if (plain.program == nullptr) {
        return unreadable(plain.failure);
    }
    std::unique_ptr<TemplateProgram> with_tools;
    if (sources.with_tools) {  // where it is broken, the plain one serves tools too
        with_tools = TemplateProgram::parse(*sources.with_tools).program;
    }
    auto made = std::make_unique<JinjaTemplate>(std::move(sources), std::move(plain.program),
                                                std::move(with_tools));
    if (auto examined = made->examine(); !examined) {
        return std::move(examined).error();
    }
    return std::unique_ptr<ChatTemplate>(std::move(made));
}

}  // namespace hearth
