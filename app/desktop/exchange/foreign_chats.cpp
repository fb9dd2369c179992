#include "exchange/foreign_chats.h"

#include <QHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSet>
#include <algorithm>

#include "exchange/chat_building.h"
#include "store/conversation_store.h"

namespace hearth::ui {

namespace {

constexpr qsizetype kMostMessages = 200'000;  // of a chat

QString textOf(const QJsonObject& json, const char* key) {
    return json.value(QLatin1String(key)).toString();
}

bool isAnswer(const QString& role) {
    return role == QLatin1String("assistant");
}

// ---- ChatGPT

// The words of a node; empty: there are none to show.
QString chatGptText(const QJsonObject& content) {
    const QString type = textOf(content, "content_type");
    if (type == QLatin1String("code")) {
        const QString language = textOf(content, "language");
        const bool isKnown = !language.isEmpty() && language != QLatin1String("unknown");
        const QString code = textOf(content, "text");
        return code.trimmed().isEmpty()
                   ? QString()
                   : QStringLiteral("```%1\n%2\n```").arg(isKnown ? language : QString(), code);
    }
    if (!type.isEmpty() && type != QLatin1String("text") &&
        type != QLatin1String("multimodal_text")) {
        return {};  // its memory, its thoughts, results of its tools
    }
    QStringList parts;
    const QJsonArray given = content.value(QLatin1String("parts")).toArray();
    for (const QJsonValue& part : given) {
        if (part.isString() && !part.toString().isEmpty()) {
            parts << part.toString();
        }
    }
    return parts.join(QStringLiteral("\n\n"));
}

class ChatGptReader {
public:
    explicit ChatGptReader(const QJsonObject& json)
        : json_(json), mapping_(json.value(QLatin1String("mapping")).toObject()) {}

    ChatRecord read() {
        chat_.title = textOf(json_, "title");
        chat_.createdMs = timeOf(json_.value(QLatin1String("create_time")));
        chat_.updatedMs = timeOf(json_.value(QLatin1String("update_time")));
        chat_.isPinned = json_.value(QLatin1String("is_starred")).toBool();
        // Not recursive: a chat is as deep as it is long.
        struct Visit {
            QString node;
            int parent;
        };
        QList<Visit> open;
        for (auto node = mapping_.constEnd(); node != mapping_.constBegin();) {
            --node;
            if (!mapping_.contains(textOf(node->toObject(), "parent"))) {
                open.append({node.key(), -1});
            }
        }
        QSet<QString> seen;
        while (!open.isEmpty() && chat_.messages.size() < kMostMessages) {
            const Visit visit = open.takeLast();
            if (seen.contains(visit.node) || !mapping_.contains(visit.node)) {
                continue;
            }
            seen.insert(visit.node);
            const QJsonObject node = mapping_.value(visit.node).toObject();
            const int place = take(node.value(QLatin1String("message")).toObject(), visit.parent);
            if (visit.node == textOf(json_, "current_node")) {
                chat_.shown = place;
            }
            const QJsonArray children = node.value(QLatin1String("children")).toArray();
            for (auto child = children.constEnd(); child != children.constBegin();) {
                --child;
                open.append({child->toString(), place});
            }
        }
        return chat_;
    }

private:
    // The place of the message, or that of its parent where there is nothing to show.
    int take(const QJsonObject& message, int parent) {
        const QString role = textOf(message.value(QLatin1String("author")).toObject(), "role");
        const QString text = chatGptText(message.value(QLatin1String("content")).toObject());
        if (text.isEmpty()) {
            return parent;
        }
        if (role == QLatin1String("system")) {
            if (parent < 0 && chat_.instructions.isEmpty()) {
                chat_.instructions = text;
            }
            return parent;
        }
        if (role != QLatin1String("user") && !isAnswer(role)) {
            return parent;
        }
        const QString model =
            textOf(message.value(QLatin1String("metadata")).toObject(), "model_slug");
        // Steps of one answer, between which it used a tool.
        if (isAnswer(role) && parent >= 0 && !hasChildren_.contains(parent) &&
            chat_.messages.at(parent).role == MessageRole::Assistant) {
            chat_.messages[parent].content += QStringLiteral("\n\n") + text;
            return parent;
        }
        RecordedMessage made;
        made.parent = parent;
        made.role = roleFromString(role);
        made.content = text;
        made.createdMs = timeOf(message.value(QLatin1String("create_time")));
        made.model = isAnswer(role) ? model : QString();
        hasChildren_.insert(parent);
        chat_.messages.append(made);
        return static_cast<int>(chat_.messages.size()) - 1;
    }

    const QJsonObject& json_;
    const QJsonObject mapping_;
    ChatRecord chat_;
    QSet<int> hasChildren_;
};

// ---- LM Studio

QString joinedText(const QJsonArray& content) {
    QStringList parts;
    for (const QJsonValue& part : content) {
        const QJsonObject block = part.toObject();
        if (textOf(block, "type") == QLatin1String("text")) {
            parts << textOf(block, "text");
        }
    }
    return parts.join(QLatin1Char('\n'));
}

QString contentText(const QJsonObject& from) {
    const QJsonValue content = from.value(QLatin1String("content"));
    return content.isString() ? content.toString() : joinedText(content.toArray());
}

void takeFigures(const QJsonObject& info, RecordedMessage* message) {
    if (message->model.isEmpty()) {
        message->model = textOf(info, "identifier");
    }
    const QJsonObject stats = info.value(QLatin1String("stats")).toObject();
    message->tokenCount += stats.value(QLatin1String("predictedTokensCount")).toInt();
    message->tokensPerSecond = stats.value(QLatin1String("tokensPerSecond")).toDouble();
    if (message->firstTokenMs == 0) {
        message->firstTokenMs = 1000 * stats.value(QLatin1String("timeToFirstTokenSec")).toDouble();
    }
    const QString reason = textOf(stats, "stopReason");
    if (reason == QLatin1String("userStopped")) {
        message->state = MessageState::Stopped;
    }
    message->isCut = reason == QLatin1String("maxPredictedTokensReached") ||
                     reason == QLatin1String("contextLengthReached");
}

RecordedMessage lmStudioMessage(const QJsonObject& version) {
    RecordedMessage message;
    const QString role = textOf(version, "role");
    message.role = roleFromString(role);
    message.content = contentText(version);
    const QJsonArray steps = version.value(QLatin1String("steps")).toArray();
    if (isAnswer(role)) {
        message.model = textOf(version.value(QLatin1String("senderInfo")).toObject(), "senderName");
    }
    QString reasoning;
    QStringList texts;
    for (const QJsonValue& value : steps) {
        const QJsonObject step = value.toObject();
        if (textOf(step, "type") != QLatin1String("contentBlock")) {
            continue;
        }
        const QString text = contentText(step);
        const QString style = textOf(step.value(QLatin1String("style")).toObject(), "type");
        if (style == QLatin1String("thinking")) {
            reasoning += text;
        } else if (!text.isEmpty()) {
            texts << text;
        }
        if (isAnswer(role)) {
            takeFigures(step.value(QLatin1String("genInfo")).toObject(), &message);
        }
    }
    if (!texts.isEmpty() || !reasoning.isEmpty()) {
        message.content = withReasoning(reasoning, texts.join(QStringLiteral("\n\n")));
    }
    return message;
}

QString lmStudioInstructions(const QJsonObject& json) {
    const QJsonArray fields = json.value(QLatin1String("perChatPredictionConfig"))
                                  .toObject()
                                  .value(QLatin1String("fields"))
                                  .toArray();
    for (const QJsonValue& field : fields) {
        if (textOf(field.toObject(), "key") == QLatin1String("llm.prediction.systemPrompt")) {
            return textOf(field.toObject(), "value");
        }
    }
    return textOf(json, "systemPrompt");
}

// ---- Jan

QString janText(const QJsonObject& message, QString* reasoning) {
    const QJsonValue content = message.value(QLatin1String("content"));
    if (content.isString()) {
        return content.toString();
    }
    QStringList parts;
    const QJsonArray list = content.toArray();
    for (const QJsonValue& value : list) {
        const QJsonObject part = value.toObject();
        const QJsonValue text = part.value(QLatin1String("text"));
        const QString words = text.isString() ? text.toString() : textOf(text.toObject(), "value");
        const QString type = textOf(part, "type");
        if (type == QLatin1String("reasoning")) {
            *reasoning += words;
        } else if (type == QLatin1String("text") && !words.isEmpty()) {
            parts << words;
        }
    }
    return parts.join(QStringLiteral("\n\n"));
}

}  // namespace

bool completeChat(ChatRecord* chat) {
    if (!makeSound(chat)) {
        return false;
    }
    if (chat->title.simplified().isEmpty()) {
        chat->title = titleFrom(chat->messages.first().content);
    }
    chat->title = chat->title.simplified().left(200);
    for (const RecordedMessage& message : std::as_const(chat->messages)) {
        if (message.createdMs > 0 &&
            (chat->createdMs <= 0 || message.createdMs < chat->createdMs)) {
            chat->createdMs = message.createdMs;
        }
        chat->updatedMs = std::max(chat->updatedMs, message.createdMs);
    }
    chat->updatedMs = std::max(chat->updatedMs, chat->createdMs);
    for (RecordedMessage& message : chat->messages) {
        if (message.createdMs <= 0) {
            message.createdMs = chat->createdMs;
        }
    }
    return true;
}

std::optional<ChatRecord> chatFromChatGpt(const QJsonObject& json) {
    if (!json.value(QLatin1String("mapping")).isObject()) {
        return std::nullopt;
    }
    ChatRecord chat = ChatGptReader(json).read();
    return completeChat(&chat) ? std::optional(chat) : std::nullopt;
}

std::optional<ChatRecord> chatFromLmStudio(const QJsonObject& json) {
    const QJsonArray messages = json.value(QLatin1String("messages")).toArray();
    if (messages.isEmpty() ||
        !messages.first().toObject().value(QLatin1String("versions")).isArray()) {
        return std::nullopt;
    }
    ChatRecord chat;
    chat.title = textOf(json, "name");
    chat.createdMs = timeOf(json.value(QLatin1String("createdAt")));
    chat.updatedMs = std::max(timeOf(json.value(QLatin1String("assistantLastMessagedAt"))),
                              timeOf(json.value(QLatin1String("userLastMessagedAt"))));
    chat.isPinned = json.value(QLatin1String("pinned")).toBool();
    chat.instructions = lmStudioInstructions(json);
    int parent = -1;
    for (const QJsonValue& value : messages) {
        const QJsonObject message = value.toObject();
        const QJsonArray versions = message.value(QLatin1String("versions")).toArray();
        const int selected = message.value(QLatin1String("currentlySelected")).toInt();
        int next = parent;
        for (int i = 0; i < versions.size() && chat.messages.size() < kMostMessages; ++i) {
            RecordedMessage made = lmStudioMessage(versions.at(i).toObject());
            if (made.content.isEmpty()) {
                continue;
            }
            if (made.role == MessageRole::System) {
                chat.instructions = chat.instructions.isEmpty() ? made.content : chat.instructions;
                continue;
            }
            made.parent = parent;
            if (i == selected || next == parent) {
                next = static_cast<int>(chat.messages.size());
            }
            chat.messages.append(made);
        }
        parent = next;
    }
    chat.shown = parent;
    return completeChat(&chat) ? std::optional(chat) : std::nullopt;
}

std::optional<ChatRecord> chatFromJan(const QJsonObject& thread, const QByteArray& lines) {
    ChatRecord chat;
    chat.title = textOf(thread, "title");
    if (chat.title.isEmpty()) {
        chat.title = textOf(thread, "summary");
    }
    chat.createdMs = timeOf(thread.value(QLatin1String("created")));
    chat.updatedMs = timeOf(thread.value(QLatin1String("updated")));
    chat.isPinned = thread.value(QLatin1String("isFavorite")).toBool();
    const QJsonObject assistant =
        thread.value(QLatin1String("assistants")).toArray().first().toObject();
    chat.instructions = textOf(assistant, "instructions");
    const QString model = textOf(assistant.value(QLatin1String("model")).toObject(), "id");
    bool isJan = textOf(thread, "object") == QLatin1String("thread") || !assistant.isEmpty();
    qsizetype at = 0;
    while (at < lines.size() && chat.messages.size() < kMostMessages) {
        const qsizetype end = lines.indexOf('\n', at);
        const qsizetype size = (end < 0 ? lines.size() : end) - at;
        const QJsonObject line =
            QJsonDocument::fromJson(QByteArray::fromRawData(lines.constData() + at, size)).object();
        at += size + 1;
        isJan = isJan || textOf(line, "object") == QLatin1String("thread.message");
        const QString role = textOf(line, "role");
        QString reasoning;
        const QString text = janText(line, &reasoning);
        if (role == QLatin1String("system") && !text.isEmpty() && chat.instructions.isEmpty()) {
            chat.instructions = text;
        }
        if ((role != QLatin1String("user") && !isAnswer(role)) ||
            (text.isEmpty() && reasoning.isEmpty())) {
            continue;
        }
        RecordedMessage made;
        made.role = roleFromString(role);
        made.content = withReasoning(reasoning, text);
        made.createdMs = timeOf(line.value(QLatin1String("created_at")));
        made.model = isAnswer(role) ? model : QString();
        const QString status = textOf(line, "status");
        if (status == QLatin1String("stopped")) {
            made.state = MessageState::Stopped;
        } else if (status == QLatin1String("error")) {
            made.state = MessageState::Failed;
        }
        chat.messages.append(made);
    }
    std::stable_sort(chat.messages.begin(), chat.messages.end(),
                     [](const RecordedMessage& a, const RecordedMessage& b) {
                         return a.createdMs < b.createdMs;
                     });
    for (int i = 0; i < chat.messages.size(); ++i) {
        chat.messages[i].parent = i - 1;
    }
    return isJan && completeChat(&chat) ? std::optional(chat) : std::nullopt;
}

}  // namespace hearth::ui
