#include "text/chat_template.h"

#include <optional>
#include <utility>

#include "text/chatml.h"
#include "text/vocab.h"

namespace hearth {
namespace {

constexpr std::string_view kKey = "tokenizer.chat_template";

// What bos_token prints. A tokenizer says what is wrong with a broken vocabulary; here it has none.
std::string bos_text(const Metadata& metadata) {
    const auto tokens = metadata.array("tokenizer.ggml.tokens", MetadataType::String);
    if (!tokens || (*tokens)->strings.empty()) {
        return {};
    }
    const std::vector<std::string>& list = (*tokens)->strings;
    const auto id = metadata.integer("tokenizer.ggml.bos_token_id", 0,
                                     static_cast<std::int64_t>(list.size()) - 1);
    return id ? list[static_cast<std::size_t>(*id)] : std::string{};
}

Error unsupported(std::string message) {
    return Error{.code = ErrorCode::Unsupported,
                 .message = std::move(message),
                 .path = {},
                 .field = std::string(kKey)};
}

}  // namespace

bool ChatTemplate::runs(std::string_view jinja) {
    return recognise_chatml(jinja).has_value();
}

Result<std::unique_ptr<ChatTemplate>> ChatTemplate::create(const Metadata& metadata) {
    const bool has_tokens =
        has_control_token(metadata, "<|im_start|>") && has_control_token(metadata, "<|im_end|>");
    if (!metadata.contains(kKey)) {
        if (has_tokens) {
            return make_chatml({}, {}, true);
        }
        return unsupported(
            "the file has no chat template, and its vocabulary does not have ChatML's tokens "
            "either; it can continue text, but it was not made for chatting or does not say how");
    }
    const auto jinja = metadata.string(kKey);
    if (!jinja) {
        return jinja.error();
    }
    auto form = recognise_chatml(*jinja);
    if (!form) {
        return unsupported(
            "its chat template is not one this version can run; it runs ChatML, the format of "
            "<|im_start|> and <|im_end|>. The model can still continue text as it stands");
    }
    std::string bos = form->starts_with_bos ? bos_text(metadata) : std::string{};
    return make_chatml(std::move(*form), std::move(bos), has_tokens);
}

}  // namespace hearth
