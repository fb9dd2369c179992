#include "answer_model.h"

#include <filesystem>

namespace hearth::server {

ServedModel served_model(const ModelInfo& model) {
    const std::u8string stem =
        std::filesystem::path(std::u8string(model.path.begin(), model.path.end()))
            .stem()
            .u8string();
    return {std::string(stem.begin(), stem.end()), {model.name, "default"}, model.n_ctx};
}

Result<GenerationResult> answer_with(Engine& engine, AnswerRequest request,
                                     const PieceCallback& on_piece,
                                     const Cancellation& cancellation) {
    const ChatTraits& chat = engine.model().chat;
    add_tools(request, chat.has_tools, chat.has_calls);
    return request.is_raw ? engine.complete(request.prompt, request.options, on_piece, cancellation)
                          : engine.chat(request.messages, request.options, on_piece, cancellation);
}

}  // namespace hearth::server
