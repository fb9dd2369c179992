#include "exchange/chat_json.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>

#include "documents/document_text.h"
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

QString toString(Attachment::Use use) {
    return use == Attachment::Use::Whole      ? QStringLiteral("whole")
           : use == Attachment::Use::Passages ? QStringLiteral("passages")
                                              : QString();
}

Attachment::Use useFrom(const QString& text) {
    return text == QLatin1String("whole")      ? Attachment::Use::Whole
           : text == QLatin1String("passages") ? Attachment::Use::Passages
                                               : Attachment::Use::Undecided;
}

QJsonObject toJson(const RecordedFile& file) {
    return {{QStringLiteral("name"), file.name},
            {QStringLiteral("kind"), file.kind},
            {QStringLiteral("document"), file.document},
            {QStringLiteral("bytes"), file.bytes},
            {QStringLiteral("characters"), file.characters},
            {QStringLiteral("cut"), file.cut},
            {QStringLiteral("tokens"), file.tokens},
            {QStringLiteral("use"), toString(file.use)}};
}

RecordedFile fileFrom(const QJsonObject& json) {
    constexpr qsizetype kLongestName = 255;
    RecordedFile file;
    // A name is shown, and told to the model.
    file.name = json.value(QLatin1String("name")).toString().simplified().left(kLongestName);
    // In the spelling of a kind that is known.
    file.kind = toString(documentKindFromString(json.value(QLatin1String("kind")).toString()));
    file.document = json.value(QLatin1String("document")).toString();
    file.bytes = std::max(qint64{0}, json.value(QLatin1String("bytes")).toInteger());
    file.characters = std::max(qint64{0}, json.value(QLatin1String("characters")).toInteger());
    file.cut = json.value(QLatin1String("cut")).toBool();
    file.tokens = std::max(0, json.value(QLatin1String("tokens")).toInt());
    file.use = useFrom(json.value(QLatin1String("use")).toString());
    return file;
}

QJsonObject toJson(const RecordedPassage& used) {
    return {{QStringLiteral("message"), used.message},
            {QStringLiteral("file"), used.file},
            {QStringLiteral("passage"), used.passage},
            {QStringLiteral("page"), used.page}};
}

RecordedPassage passageFrom(const QJsonObject& json) {
    return {.message = json.value(QLatin1String("message")).toInt(-1),
            .file = json.value(QLatin1String("file")).toInt(-1),
            .passage = json.value(QLatin1String("passage")).toInt(-1),
            .page = json.value(QLatin1String("page")).toInt()};
}

QJsonObject toJson(const RecordedMessage& message);

// Nothing where the list is empty.
template <typename Item>
void insertList(QJsonObject* json, const QString& key, const QList<Item>& items) {
    QJsonArray list;
    for (const Item& item : items) {
        list.append(toJson(item));
    }
    if (!list.isEmpty()) {
        json->insert(key, list);
    }
}

template <typename Item>
QList<Item> listFrom(const QJsonObject& json, const QString& key,
                     Item (*read)(const QJsonObject& json)) {
    QList<Item> items;
    const QJsonArray list = json.value(key).toArray();
    for (const QJsonValue& item : list) {
        items.append(read(item.toObject()));
    }
    return items;
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
    insertList(&json, QStringLiteral("calls"), message.calls);
    insertList(&json, QStringLiteral("files"), message.files);
    insertList(&json, QStringLiteral("passages"), message.passages);
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
    message.calls = listFrom(json, QStringLiteral("calls"), callFrom);
    message.files = listFrom(json, QStringLiteral("files"), fileFrom);
    message.passages = listFrom(json, QStringLiteral("passages"), passageFrom);
    return message;
}

}  // namespace

QByteArray chatToJson(const ChatRecord& chat, const QJsonObject& documents) {
    QJsonObject json{{QStringLiteral("form"), kForm},
                     {QStringLiteral("version"), kVersion},
                     {QStringLiteral("title"), chat.title},
                     {QStringLiteral("created"), chat.createdMs},
                     {QStringLiteral("updated"), chat.updatedMs},
                     {QStringLiteral("pinned"), chat.isPinned},
                     {QStringLiteral("instructions"), chat.instructions},
                     {QStringLiteral("shown"), chat.shown}};
    insertList(&json, QStringLiteral("messages"), chat.messages);
    if (!documents.isEmpty()) {
        json.insert(QStringLiteral("documents"), documents);
    }
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
    chat.messages = listFrom(json, QStringLiteral("messages"), messageFrom);
    return makeSound(&chat) ? std::optional(chat) : std::nullopt;
}

}  // namespace hearth::ui
