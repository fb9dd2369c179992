// An answer in which the model may call tools, in the words of the engine: tools go into the prompt
// by the model's own template, and its calls come out of the text, whatever form the model writes.
// A call that breaks the tool's schema is written once more, under the grammar of that schema.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <hearth/engine.h>
#include <hearth/result.h>

#include "bridge/inference_service.h"
#include "server/answer_parts.h"
#include "server/answer_request.h"

namespace hearth::ui {

// As Engine::chat().
using AskModel = std::function<Result<GenerationResult>(const std::vector<ChatMessage>& messages,
                                                        const GenerationOptions& options,
                                                        const PieceCallback& onPiece)>;

struct ToolAnswer {
    GenerationResult result;
    std::vector<server::ToolCall> calls;
};

// The engine's thread. onPiece gets the answer without its calls, with reasoning between <think>
// and </think>. chat: of the model's template.
Result<ToolAnswer> answerWithTools(const server::AnswerRequest& request, const ChatTraits& chat,
                                   const AskModel& ask, const PieceCallback& onPiece);

// The messages and tools of a request. InvalidArgument: a schema is no JSON object.
Result<server::AnswerRequest> requestWithTools(const QList<ChatTurn>& turns,
                                               const QList<ModelTool>& tools);
bool usesTools(const QList<ChatTurn>& turns, const GenerationSettings& settings);

}  // namespace hearth::ui
