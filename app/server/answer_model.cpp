#include "answer_model.h"

#include <filesystem>
#include <utility>

namespace hearth::server {

EngineModel::EngineModel(Engine& engine) : engine_(engine) {
    const ModelInfo& model = engine.model();
    const std::u8string stem =
        std::filesystem::path(std::u8string(model.path.begin(), model.path.end()))
            .stem()
            .u8string();
    served_.id = std::string(stem.begin(), stem.end());
    served_.names = {model.name, "default"};
    served_.n_ctx = model.n_ctx;
}

Result<GenerationResult> EngineModel::answer(AnswerRequest request, const PieceCallback& on_piece,
                                             const Cancellation& cancellation) {
    const ChatTraits& chat = engine_.model().chat;
    add_tools(request, chat.has_tools, chat.has_calls);
    return request.is_raw
               ? engine_.complete(request.prompt, request.options, on_piece, cancellation)
               : engine_.chat(request.messages, request.options, on_piece, cancellation);
}

void EngineModel::rest(const Cancellation& cancellation) {
    // After an error the next answer loads the weights again, or fails with what is wrong.
    static_cast<void>(engine_.adapt(cancellation).has_value());
}

}  // namespace hearth::server
