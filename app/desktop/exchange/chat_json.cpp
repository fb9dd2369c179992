#include "exchange/chat_json.h"

#include <QJsonArray>
#include <QJsonDocument>

#include "store/project.h"

namespace hearth::ui {

namespace {

constexpr int kVersion = 1;
const QLatin1String kForm("hearth-chat");

QJsonObject toJson(const CallRecord& call) {
    return {{QStringLiteral("round"), call.round},
            {QStringLiteral("place"), qint64{call.place}},
            {QStringLiteral("id"), call.callId},
            {QStringLiteral("tool"), call.tool},
            {QStringLiteral("source"), call.source},
            {QStringLiteral("arguments"), call.arguments},
            {QStringLiteral("state"), toString(call.state)},
            {QStringLiteral("result"), call.result},
            {QStringLiteral("thought"), call.thought}};
}

CallRecord callFrom(const QJsonObject& json) {
    CallRecord call;
    call.round = json.value(QLatin1String("round")).toInt();
    call.place = qsizetype{json.value(QLatin1String("place")).toInteger()};
    call.callId = json.value(QLatin1String("id")).toString();
    call.tool = json.value(QLatin1String("tool")).toString();
    call.source = json.value(QLatin1String("source")).toString();
    call.arguments = json.value(QLatin1String("arguments")).toString();
    call.state = callStateFromString(json.value(QLatin1String("state")).toString());
    call.result = json.value(QLatin1String("result")).toString();
    call.thought = json.value(QLatin1String("thought")).toString();
    return call;
}

QJsonObject toJson(const RecordedMessage& message) {
    QJsonObject json{{QStringLiteral("parent"), message.parent},
                     {QStringLiteral("role"), toString(message.role)},
                     {QStringLiteral("content"), message.content},
                     {QStringLiteral("state"), toString(message.state)},
                     {QStringLiteral("created"), message.createdMs}};
    // Only what says something: most messages have few of these.
    if (!message.errorText.isEmpty()) {
        json.insert(QStringLiteral("error"), message.errorText);
    }
    if (!message.model.isEmpty()) {
        json.insert(QStringLiteral("model"), message.model);
    }
    if (message.tokenCount != 0) {
        json.insert(QStringLiteral("tokens"), message.tokenCount);
    }
    if (message.firstTokenMs != 0) {
        json.insert(QStringLiteral("first_token_ms"), message.firstTokenMs);
    }
    if (message.tokensPerSecond != 0) {
        json.insert(QStringLiteral("tokens_per_second"), message.tokensPerSecond);
    }
    if (message.isCut) {
        json.insert(QStringLiteral("cut"), true);
    }
    if (message.readsFrom >= 0) {
        json.insert(QStringLiteral("reads_from"), message.readsFrom);
    }
    QJsonArray calls;
    for (const CallRecord& call : message.calls) {
        calls.append(toJson(call));
    }
    if (!calls.isEmpty()) {
        json.insert(QStringLiteral("calls"), calls);
    }
    return json;
}

RecordedMessage messageFrom(const QJsonObject& json) {
    RecordedMessage message;
    message.parent = json.value(QLatin1String("parent")).toInt(-1);
    message.role = roleFromString(json.value(QLatin1String("role")).toString());
    message.content = json.value(QLatin1String("content")).toString();
    message.state = messageStateFromString(json.value(QLatin1String("state")).toString());
    message.errorText = json.value(QLatin1String("error")).toString();
    message.createdMs = json.value(QLatin1String("created")).toInteger();
    message.model = json.value(QLatin1String("model")).toString();
    message.tokenCount = json.value(QLatin1String("tokens")).toInt();
    message.firstTokenMs = json.value(QLatin1String("first_token_ms")).toDouble();
    message.tokensPerSecond = json.value(QLatin1String("tokens_per_second")).toDouble();
    message.isCut = json.value(QLatin1String("cut")).toBool();
    message.readsFrom = json.value(QLatin1String("reads_from")).toInt(-1);
    const QJsonArray calls = json.value(QLatin1String("calls")).toArray();
    for (const QJsonValue& call : calls) {
        message.calls.append(callFrom(call.toObject()));
    }
    return message;
}

}  // namespace

QByteArray chatToJson(const ChatRecord& chat) {
    QJsonArray messages;
    for (const RecordedMessage& message : chat.messages) {
        messages.append(toJson(message));
    }
    QJsonObject json{{QStringLiteral("form"), kForm},
                     {QStringLiteral("version"), kVersion},
                     {QStringLiteral("title"), chat.title},
                     {QStringLiteral("created"), chat.createdMs},
                     {QStringLiteral("updated"), chat.updatedMs},
                     {QStringLiteral("pinned"), chat.isPinned},
                     {QStringLiteral("instructions"), chat.instructions},
                     {QStringLiteral("shown"), chat.shown},
                     {QStringLiteral("messages"), messages}};
    if (!chat.project.isEmpty()) {
        json.insert(QStringLiteral("project"), chat.project);
    }
    return QJsonDocument(json).toJson(QJsonDocument::Indented);
}

std::optional<ChatRecord> chatFromJson(const QJsonObject& json) {
    const int version = json.value(QLatin1String("version")).toInt();
    if (json.value(QLatin1String("form")).toString() != kForm || version < 1 ||
        version > kVersion) {
        return std::nullopt;
    }
    ChatRecord chat;
    chat.title = json.value(QLatin1String("title")).toString();
    chat.createdMs = json.value(QLatin1String("created")).toInteger();
    chat.updatedMs = json.value(QLatin1String("updated")).toInteger();
    chat.isPinned = json.value(QLatin1String("pinned")).toBool();
    chat.instructions = json.value(QLatin1String("instructions")).toString();
    chat.project =
        json.value(QLatin1String("project")).toString().simplified().left(Project::kLongestName);
    chat.shown = json.value(QLatin1String("shown")).toInt(-1);
    const QJsonArray messages = json.value(QLatin1String("messages")).toArray();
    for (const QJsonValue& message : messages) {
        chat.messages.append(messageFrom(message.toObject()));
    }
    return makeSound(&chat) ? std::optional(chat) : std::nullopt;
}

}  // namespace hearth::ui
