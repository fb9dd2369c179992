#include "text/fallback_template.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "text/jinja/marked_text.h"
#include "text/quoted.h"

namespace hearth {
namespace {

class Fallback final : public ChatTemplate {
public:
    Fallback(bool is_chatml, std::string why) : is_chatml_(is_chatml) {
        traits_.fallback = std::move(why);
    }

    Result<TemplatedChat> apply(std::span<const ChatMessage> messages,
                                const TemplateOptions& options) const override {
        if (auto checked = check_messages(messages); !checked) {
            return std::move(checked).error();
        }
        jinja::MarkedText out;
        for (const ChatMessage& message : messages) {
            out.append(head(message.role), true);
            out.append(message.content, false);
            out.append(is_chatml_ ? "<|im_end|>\n" : "\n\n", true);
        }
        if (options.add_generation_prompt) {
            // A blank after the colon would be part of the answer's first word.
            out.append(is_chatml_ ? head("assistant") : "Assistant:", true);
        }
        return TemplatedChat{out.segments(), {}};
    }

    std::vector<std::string> stop_strings() const override {
        // ChatML's are tokens here, so that these texts can only be an answer about it.
        return is_chatml_ ? std::vector<std::string>{} : std::vector<std::string>{"\nUser:"};
    }

    const ChatTraits& traits() const override { return traits_; }

private:
    std::string head(std::string_view role) const {
        if (is_chatml_) {
            return "<|im_start|>" + std::string(role) + "\n";
        }
        std::string name(role);
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
        return name + ": ";
    }

    bool is_chatml_;
    ChatTraits traits_;
};

}  // namespace

Result<void> check_messages(std::span<const ChatMessage> messages) {
    if (messages.empty()) {
        return Error{
            ErrorCode::InvalidArgument, "a chat needs at least one message", {}, "messages"};
    }
    constexpr std::array<std::string_view, 5> kRoles = {"system", "developer", "user", "assistant",
                                                        "tool"};
    for (std::size_t i = 0; i < messages.size(); ++i) {
        if (std::find(kRoles.begin(), kRoles.end(), messages[i].role) == kRoles.end()) {
            return Error{ErrorCode::InvalidArgument,
                         "message " + std::to_string(i) + " has the role " +
                             in_quotes(messages[i].role) +
                             ", wanted system, user, assistant, tool or developer",
                         {},
                         "messages[" + std::to_string(i) + "].role"};
        }
    }
    return {};
}

std::unique_ptr<ChatTemplate> make_chatml(std::string why) {
    return std::make_unique<Fallback>(true, std::move(why));
}

std::unique_ptr<ChatTemplate> make_plain_chat(std::string why) {
    return std::make_unique<Fallback>(false, std::move(why));
}

}  // namespace hearth
