#include "text/chat_template.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "text/fallback_template.h"
#include "text/jinja_template.h"
#include "text/vocab.h"

namespace hearth {
namespace {

constexpr std::string_view kKey = "tokenizer.chat_template";

// The texts of the file's special tokens, by the names that templates have for them. A tokenizer
// says what is wrong with a broken vocabulary; here it has none.
std::vector<std::pair<std::string, std::string>> special_tokens(const Metadata& metadata) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kNames = {{
        {"bos_token", "bos_token_id"},
        {"eos_token", "eos_token_id"},
        {"unk_token", "unknown_token_id"},
        {"sep_token", "seperator_token_id"},  // spelled so in the format
        {"pad_token", "padding_token_id"},
        {"cls_token", "cls_token_id"},
        {"mask_token", "mask_token_id"},
    }};
    std::vector<std::pair<std::string, std::string>> out;
    const auto tokens = metadata.array("tokenizer.ggml.tokens", MetadataType::String);
    for (const auto& [name, key] : kNames) {
        std::string text;
        const std::string full = "tokenizer.ggml." + std::string(key);
        if (tokens && !(*tokens)->strings.empty() && metadata.contains(full)) {
            const std::vector<std::string>& list = (*tokens)->strings;
            const auto id = metadata.integer(full, 0, static_cast<std::int64_t>(list.size()) - 1);
            text = id ? list[static_cast<std::size_t>(*id)] : std::string{};
        }
        if (!text.empty() || name == "bos_token" || name == "eos_token") {
            out.emplace_back(name, std::move(text));
        }
    }
    return out;
}

// Empty: there is no such key.
Result<std::optional<std::string>> text_of(const Metadata& metadata, const std::string& key) {
    if (!metadata.contains(key)) {
        return std::optional<std::string>();
    }
    const auto text = metadata.string(key);
    if (!text) {
        return text.error();
    }
    return std::optional<std::string>(std::string(*text));
}

}  // namespace

Result<std::unique_ptr<ChatTemplate>> ChatTemplate::create(const Metadata& metadata) {
    const bool has_chatml =
        has_control_token(metadata, "<|im_start|>") && has_control_token(metadata, "<|im_end|>");
    auto plain = text_of(metadata, std::string(kKey));
    if (plain && !*plain) {
        plain = text_of(metadata, std::string(kKey) + ".default");
    }
    if (!plain) {
        return std::move(plain).error();
    }
    if (!*plain) {
        if (has_chatml) {
            return make_chatml({});
        }
        return Error{.code = ErrorCode::Unsupported,
                     .message =
                         "the file has no chat template, and its vocabulary does not have "
                         "ChatML's tokens either; it can continue text, but it was not made "
                         "for chatting or does not say how",
                     .path = {},
                     .field = std::string(kKey)};
    }
    auto with_tools = text_of(metadata, std::string(kKey) + ".tool_use");
    if (!with_tools) {
        return std::move(with_tools).error();
    }
    JinjaSources sources;
    sources.plain = std::move(**plain);
    sources.with_tools = std::move(*with_tools);
    sources.special_tokens = special_tokens(metadata);
    sources.has_chatml_tokens = has_chatml;
    if (!has_chatml && sources.plain.find("<|im_end|>") != std::string::npos) {
        // These texts end an answer where they are no tokens. If they are, they could only be an
        // answer about ChatML itself.
        sources.stop_strings = {"<|im_end|>", "<|im_start|>"};
    }
    auto made = make_jinja_template(std::move(sources));
    if (made) {
        return made;
    }
    const std::string why = "its chat template cannot be run (" + made.error().message +
                            "); prompts are written as " + (has_chatml ? "ChatML" : "plain text") +
                            " instead, which the model may understand less well";
    return has_chatml ? make_chatml(why) : make_plain_chat(why);
}

}  // namespace hearth
