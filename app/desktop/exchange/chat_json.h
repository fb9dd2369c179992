// Hearth's own form of a chat: JSON with all that is kept of it. docs/formats/chats.md describes
// it.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <optional>

#include "store/chat_record.h"

namespace hearth::ui {

// Any thread. What chatToJson() wrote, chatFromJson() reads as it was. documents: texts of attached
// files (chat_documents.h), which lie within the chat's own JSON; may be empty.
QByteArray chatToJson(const ChatRecord& chat, const QJsonObject& documents = {});
// Empty: it is no chat of this form, is of a later version of it, or has no message.
std::optional<ChatRecord> chatFromJson(const QJsonObject& json);

}  // namespace hearth::ui
