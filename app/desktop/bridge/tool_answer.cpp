#include "bridge/tool_answer.h"

#include <algorithm>
#include <utility>

#include "toolbox/schema_check.h"

namespace hearth::ui {

namespace {

using server::AnswerRequest;
using server::ToolCall;

// Gives reasoning its marks back, by which the window's readers find it.
class ReasoningMarks {
public:
    explicit ReasoningMarks(const PieceCallback& onPiece) : onPiece_(onPiece) {}

    void reasoning(std::string_view piece) {
        if (!std::exchange(isOpen_, true)) {
            onPiece_("<think>\n");
        }
        onPiece_(piece);
    }
    void text(std::string_view piece) {
        close();
        onPiece_(piece);
    }
    void close() {
        if (std::exchange(isOpen_, false)) {
            onPiece_("\n</think>\n\n");
        }
    }

private:
    const PieceCallback& onPiece_;
    bool isOpen_ = false;
};

const server::ToolDeclaration* toolOf(const AnswerRequest& request, const std::string& name) {
    const auto found = std::find_if(request.tools.begin(), request.tools.end(),
                                    [&](const auto& tool) { return tool.name == name; });
    return found == request.tools.end() ? nullptr : &*found;
}

bool keepsTheSchema(const ToolCall& call, const server::ToolDeclaration& tool) {
    const auto arguments = server::read_json_object(call.arguments);
    return arguments && toolbox::schema_fault(*arguments, tool.parameters).empty();
}

}  // namespace

Result<ToolAnswer> answerWithTools(const AnswerRequest& request, const ChatTraits& chat,
                                   const AskModel& ask, const PieceCallback& onPiece) {
    AnswerRequest free = request;
    free.tool_use = request.tools.empty() ? server::ToolUse::None : server::ToolUse::Auto;
    add_tools(free, chat.has_tools, chat.has_calls);
    ToolAnswer answer;
    ReasoningMarks marked(onPiece);
    const server::AnswerParts::Sink sink{
        [&](std::string_view piece) { marked.reasoning(piece); },
        [&](std::string_view piece) { marked.text(piece); },
        [&](const ToolCall& call) { answer.calls.push_back(call); }};
    server::AnswerParts parts(free, sink);
    auto result =
        ask(free.messages, free.options, [&](std::string_view piece) { parts.push(piece); });
    if (!result) {
        return std::move(result).error();
    }
    parts.finish();
    marked.close();
    answer.result = std::move(*result);
    for (ToolCall& call : answer.calls) {
        const server::ToolDeclaration* tool = toolOf(request, call.name);
        if (answer.result.finish == FinishReason::Cancelled || tool == nullptr ||
            keepsTheSchema(call, *tool)) {
            continue;
        }
        AnswerRequest forced = request;
        forced.tool_use = server::ToolUse::Required;
        forced.forced_tool = call.name;
        add_tools(forced, chat.has_tools, chat.has_calls);
        auto again = ask(forced.messages, forced.options, [](std::string_view) {});
        if (!again) {
            // Not every schema has a grammar. The server says then what it misses.
            if (again.error().code == ErrorCode::InvalidArgument ||
                again.error().code == ErrorCode::Unsupported) {
                continue;
            }
            return std::move(again).error();
        }
        answer.result.token_ids.insert(answer.result.token_ids.end(), again->token_ids.begin(),
                                       again->token_ids.end());
        if (again->finish == FinishReason::Cancelled) {
            answer.result.finish = FinishReason::Cancelled;
        }
        const auto calls = server::read_calls(again->text, request.tools);
        if (calls.size() == 1 && calls.front().name == call.name) {
            call = calls.front();
        }
    }
    if (answer.result.finish == FinishReason::Cancelled) {
        answer.calls.clear();
    }
    return answer;
}

Result<AnswerRequest> requestWithTools(const QList<ChatTurn>& turns,
                                       const QList<ModelTool>& tools) {
    AnswerRequest request;
    for (const ModelTool& tool : tools) {
        auto schema = server::read_json_object(tool.schema.toStdString());
        if (!schema) {
            return std::move(schema).error();
        }
        request.tools.push_back(
            {tool.name.toStdString(), tool.description.toStdString(), std::move(*schema)});
    }
    for (const ChatTurn& turn : turns) {
        ChatMessage message{turn.role.toStdString(), turn.content.toStdString()};
        server::ApiJson calls = server::ApiJson::array();
        for (const ModelCall& call : turn.calls) {
            calls.push_back(server::call_json(call.id.toStdString(), call.name.toStdString(),
                                              call.arguments.toStdString()));
        }
        if (!calls.empty()) {
            message.tool_calls = server::to_bytes(calls);
        }
        message.tool_call_id = turn.callId.toStdString();
        message.name = turn.toolName.toStdString();
        request.messages.push_back(std::move(message));
    }
    return request;
}

bool usesTools(const QList<ChatTurn>& turns, const GenerationSettings& settings) {
    return !settings.tools.isEmpty() ||
           std::any_of(turns.begin(), turns.end(), [](const ChatTurn& turn) {
               return !turn.calls.isEmpty() || !turn.callId.isEmpty();
           });
}

}  // namespace hearth::ui
