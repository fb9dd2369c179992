#include "remote/chat_request.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "markdown/reasoning.h"

namespace hearth::ui {

namespace {

QString text(const char* latin) {
    return QString::fromLatin1(latin);
}

QJsonObject callOf(const ModelCall& call) {
    return {
        {text("id"), call.id},
        {text("type"), text("function")},
        {text("function"), QJsonObject{{text("name"), call.name},
                                       {text("arguments"), QString::fromUtf8(call.arguments)}}}};
}

QJsonObject messageOf(const ChatTurn& turn) {
    const bool isAnswer = turn.role == QLatin1String("assistant");
    const QString content = isAnswer ? answerIn(turn.content) : turn.content;
    QJsonObject message{{text("role"), turn.role}, {text("content"), content}};
    if (turn.role == QLatin1String("tool")) {
        message.insert(text("tool_call_id"), turn.callId);
    }
    if (!turn.calls.isEmpty()) {
        QJsonArray calls;
        for (const ModelCall& call : turn.calls) {
            calls.append(callOf(call));
        }
        message.insert(text("tool_calls"), calls);
        if (content.isEmpty()) {
            message.insert(text("content"), QJsonValue::Null);
        }
    }
    return message;
}

QJsonObject declarationOf(const ModelTool& tool) {
    return {{text("type"), text("function")},
            {text("function"),
             QJsonObject{{text("name"), tool.name},
                         {text("description"), tool.description},
                         {text("parameters"), QJsonDocument::fromJson(tool.schema).object()}}}};
}

}  // namespace

QByteArray chatRequest(const QString& model, const QList<ChatTurn>& turns,
                       const GenerationSettings& settings, bool asksUsage) {
    QJsonArray messages;
    for (const ChatTurn& turn : turns) {
        messages.append(messageOf(turn));
    }
    QJsonObject body{{text("model"), model},
                     {text("messages"), messages},
                     {text("stream"), true},
                     {text("temperature"), settings.temperature},
                     {text("top_p"), settings.topP}};
    if (asksUsage) {
        body.insert(text("stream_options"), QJsonObject{{text("include_usage"), true}});
    }
    if (settings.presencePenalty != 0) {
        body.insert(text("presence_penalty"), settings.presencePenalty);
    }
    if (settings.frequencyPenalty != 0) {
        body.insert(text("frequency_penalty"), settings.frequencyPenalty);
    }
    if (settings.seed != 0) {
        // Servers read it as a signed number.
        body.insert(text("seed"), static_cast<qint64>(settings.seed & 0x7FFF'FFFF'FFFF'FFFF));
    }
    if (settings.maxTokens > 0) {
        body.insert(text("max_tokens"), settings.maxTokens);
    }
    for (const char* effort : {"low", "medium", "high"}) {
        if (settings.reasoning == QLatin1String(effort)) {
            body.insert(text("reasoning_effort"), settings.reasoning);
        }
    }
    if (!settings.tools.isEmpty()) {
        QJsonArray tools;
        for (const ModelTool& tool : settings.tools) {
            tools.append(declarationOf(tool));
        }
        body.insert(text("tools"), tools);
    }
    return QJsonDocument(body).toJson(QJsonDocument::Compact);
}

}  // namespace hearth::ui
