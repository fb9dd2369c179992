#include <utility>

#include <hearth/tools.h>

#include "base/guarded.h"
#include "gguf/reader.h"
#include "text/chat_template.h"
#include "text/tokenizer.h"

namespace hearth::tools {

struct Vocabulary::Impl {
    std::string path;
    std::string pre;
    std::unique_ptr<Tokenizer> tokenizer;
    // A file whose template cannot be run still has words: its error comes when it is asked for.
    Result<std::unique_ptr<ChatTemplate>> chat_template;
};

namespace {

Error at_path(Error error, const std::string& path) {
    if (error.path.empty()) {
        error.path = path;
    }
    return error;
}

}  // namespace

Vocabulary::Vocabulary(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Vocabulary::~Vocabulary() = default;
Vocabulary::Vocabulary(Vocabulary&&) noexcept = default;
Vocabulary& Vocabulary::operator=(Vocabulary&&) noexcept = default;

Result<Vocabulary> Vocabulary::open(const std::string& path) {
    return guarded(path, [&]() -> Result<Vocabulary> {
        auto file = GgufFile::open(path);
        if (!file) {
            return at_path(std::move(file).error(), path);
        }
        auto tokenizer = Tokenizer::create(file->metadata());
        if (!tokenizer) {
            return at_path(std::move(tokenizer).error(), path);
        }
        auto chat_template = ChatTemplate::create(file->metadata());
        if (!chat_template) {
            chat_template = at_path(std::move(chat_template).error(), path);
        }
        auto pre = file->metadata().string("tokenizer.ggml.pre");
        return Vocabulary(
            std::make_unique<Impl>(Impl{path, pre ? std::move(pre).value() : std::string(),
                                        std::move(tokenizer).value(), std::move(chat_template)}));
    });
}

const std::string& Vocabulary::tokenizer_pre() const {
    return impl_->pre;
}

const std::string& Vocabulary::tokenizer_fallback() const {
    return impl_->tokenizer->fallback();
}

Result<std::vector<std::int32_t>> Vocabulary::tokenize(std::string_view text, bool add_special,
                                                       bool parse_special) const {
    return guarded(impl_->path, [&]() -> Result<std::vector<std::int32_t>> {
        return impl_->tokenizer->tokenize(text, add_special, parse_special);
    });
}

Result<std::string> Vocabulary::detokenize(std::span<const std::int32_t> tokens) const {
    return guarded(impl_->path, [&]() -> Result<std::string> {
        const int n_vocab = impl_->tokenizer->n_vocab();
        for (const std::int32_t token : tokens) {
            if (token < 0 || token >= n_vocab) {
                return Error{.code = ErrorCode::InvalidArgument,
                             .message = "token " + std::to_string(token) +
                                        " is outside the vocabulary, which has ids 0 to " +
                                        std::to_string(n_vocab - 1),
                             .path = {},
                             .field = "tokens"};
            }
        }
        return impl_->tokenizer->detokenize(tokens);
    });
}

Result<Prompt> Vocabulary::apply_template(std::span<const ChatMessage> messages,
                                          const PromptOptions& options) const {
    return guarded(impl_->path, [&]() -> Result<Prompt> {
        if (!impl_->chat_template) {
            return impl_->chat_template.error();
        }
        auto chat = (*impl_->chat_template)
                        ->apply(messages, {.add_generation_prompt = options.add_generation_prompt,
                                           .thinking = options.thinking,
                                           .reasoning_effort = options.reasoning_effort,
                                           .tools = options.tools});
        if (!chat) {
            return std::move(chat).error();
        }
        Prompt prompt;
        for (const TextSegment& segment : chat->segments) {
            prompt.text += segment.text;
        }
        const std::string& fallback = (*impl_->chat_template)->traits().fallback;
        prompt.notice = chat->notice.empty() ? fallback : chat->notice;
        return prompt;
    });
}

}  // namespace hearth::tools
