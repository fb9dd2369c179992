#include "text/chatml.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "text/quoted.h"
#include "text/template_outline.h"

namespace hearth {
namespace {

// ---- what is known -----------------------------------------------------------------------------

// Stands in a form for any text; text of a file cannot hold it and match by accident, since it
// would have to stand at the same place.
constexpr std::string_view kAnyText = "\x01";

constexpr std::array<std::string_view, 3> kOpenings = {
    "",
    "{{ bos_token }}",
    "{% if not add_generation_prompt is defined %}{% set add_generation_prompt = false %}"
    "{% endif %}",
};
constexpr std::array<std::string_view, 2> kSystems = {
    "",
    "{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\n\x01<|im_end|>\n' }}{% endif %}",
};
constexpr std::array<std::string_view, 2> kMessages = {
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}",
    "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] }}"
    "{% if (loop.last and add_generation_prompt) or not loop.last %}"
    "{{ '<|im_end|>' + '\n' }}{% endif %}",
};
constexpr std::array<std::string_view, 2> kEndings = {
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
    "{% if add_generation_prompt and messages[-1]['role'] != 'assistant' %}"
    "{{ '<|im_start|>assistant\n' }}{% endif %}",
};

// A form as written down, and what its parts are.
struct Form {
    std::vector<OutlinePart> outline;
    bool starts_with_bos = false;
    bool leaves_last_open = false;
    bool continues_assistant = false;
};

std::vector<Form> all_forms() {
    std::vector<Form> forms;
    for (const std::string_view opening : kOpenings) {
        for (const std::string_view system : kSystems) {
            for (const std::string_view message : kMessages) {
                for (const std::string_view ending : kEndings) {
                    std::string text(opening);
                    text += "{% for message in messages %}";
                    text += system;
                    text += message;
                    text += "{% endfor %}";
                    text += ending;
                    forms.push_back({.outline = *template_outline(text),
                                     .starts_with_bos = opening == kOpenings[1],
                                     .leaves_last_open = message == kMessages[1],
                                     .continues_assistant = ending == kEndings[1]});
                }
            }
        }
    }
    return forms;
}

// Longer templates whose output for system, user and assistant messages is that of a form, by
// length and FNV-1a of their text with unix lines and without blanks at the end.
struct KnownText {
    std::size_t bytes;
    std::uint64_t fnv;
    std::string_view default_system;
};
constexpr std::array<KnownText, 1> kKnownTexts = {{
    // Qwen2.5 Instruct.
    {2506, 0xE642CE246D7F2E3DU,
     "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."},
}};

std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xCBF29CE484222325U;
    for (const char c : text) {
        hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001B3U;
    }
    return hash;
}

// Whether `found` is `form`; what stands for kAnyText goes to `any`.
bool matches(const std::vector<OutlinePart>& form, const std::vector<OutlinePart>& found,
             std::optional<std::string>& any) {
    if (form.size() != found.size()) {
        return false;
    }
    for (std::size_t i = 0; i < form.size(); ++i) {
        const std::size_t hole = form[i].text.find(kAnyText);
        if (hole == std::string::npos) {
            if (form[i] != found[i]) {
                return false;
            }
            continue;
        }
        const std::string_view text = found[i].text;
        const std::string_view head = std::string_view(form[i].text).substr(0, hole);
        const std::string_view tail = std::string_view(form[i].text).substr(hole + 1);
        if (found[i].kind != form[i].kind || text.size() < head.size() + tail.size() ||
            !text.starts_with(head) || !text.ends_with(tail)) {
            return false;
        }
        any = text.substr(head.size(), text.size() - head.size() - tail.size());
    }
    return true;
}

// ---- printing ----------------------------------------------------------------------------------

class ChatMl final : public ChatTemplate {
public:
    ChatMl(ChatMlForm form, std::string bos, bool has_tokens)
        : form_(std::move(form)), bos_(std::move(bos)), has_tokens_(has_tokens) {}

    Result<std::vector<Segment>> apply(std::span<const ChatMessage> messages,
                                       bool add_generation_prompt) const override {
        if (messages.empty()) {
            return invalid("a chat needs at least one message", "messages");
        }
        for (std::size_t i = 0; i < messages.size(); ++i) {
            const std::string& role = messages[i].role;
            if (role != "system" && role != "user" && role != "assistant") {
                return invalid("message " + std::to_string(i) + " has the role " + in_quotes(role) +
                                   ", wanted system, user or assistant",
                               "messages[" + std::to_string(i) + "].role");
            }
        }
        std::vector<Segment> out;
        std::string markup = form_.starts_with_bos ? bos_ : "";
        if (form_.default_system && messages.front().role != "system") {
            markup += "<|im_start|>system\n" + *form_.default_system + "<|im_end|>\n";
        }
        for (std::size_t i = 0; i < messages.size(); ++i) {
            markup += "<|im_start|>" + messages[i].role + "\n";
            if (!messages[i].content.empty()) {  // without any, the markup goes on
                out.push_back({std::exchange(markup, {}), true});
                out.push_back({messages[i].content, false});
            }
            if (!form_.leaves_last_open || add_generation_prompt || i + 1 < messages.size()) {
                markup += "<|im_end|>\n";
            }
        }
        if (add_generation_prompt &&
            !(form_.continues_assistant && messages.back().role == "assistant")) {
            markup += "<|im_start|>assistant\n";
        }
        if (!markup.empty()) {
            out.push_back({std::move(markup), true});
        }
        return out;
    }

    std::vector<std::string> stop_strings() const override {
        // With tokens of their own these texts can only be an answer about ChatML itself.
        return has_tokens_ ? std::vector<std::string>{}
                           : std::vector<std::string>{"<|im_end|>", "<|im_start|>"};
    }

private:
    static Error invalid(std::string message, std::string field) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = std::move(message),
                     .path = {},
                     .field = std::move(field)};
    }

    ChatMlForm form_;
    std::string bos_;
    bool has_tokens_;
};

}  // namespace

std::optional<ChatMlForm> recognise_chatml(std::string_view jinja) {
    std::string text;
    for (std::size_t i = 0; i < jinja.size(); ++i) {
        if (jinja.substr(i, 2) != "\r\n") {
            text += jinja[i];
        }
    }
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) {
        text.pop_back();
    }
    for (const KnownText& known : kKnownTexts) {
        if (text.size() == known.bytes && fnv1a(text) == known.fnv) {
            return ChatMlForm{.default_system = std::string(known.default_system)};
        }
    }

    // The forms are short; nothing long is one of them.
    constexpr std::size_t kMaxOutlineBytes = 16384;
    if (jinja.size() > kMaxOutlineBytes) {
        return std::nullopt;
    }
    const auto found = template_outline(jinja);
    if (!found) {
        return std::nullopt;
    }
    static const std::vector<Form> forms = all_forms();  // the same for every file
    for (const Form& form : forms) {
        std::optional<std::string> any;
        if (matches(form.outline, *found, any)) {
            return ChatMlForm{.starts_with_bos = form.starts_with_bos,
                              .default_system = std::move(any),
                              .leaves_last_open = form.leaves_last_open,
                              .continues_assistant = form.continues_assistant};
        }
    }
    return std::nullopt;
}

bool knows_chatml_text(std::uint64_t bytes, std::uint64_t fnv1a) {
    return std::any_of(kKnownTexts.begin(), kKnownTexts.end(), [&](const KnownText& known) {
        return known.bytes == bytes && known.fnv == fnv1a;
    });
}

std::unique_ptr<ChatTemplate> make_chatml(ChatMlForm form, std::string bos, bool has_tokens) {
    return std::make_unique<ChatMl>(std::move(form), std::move(bos), has_tokens);
}

}  // namespace hearth
