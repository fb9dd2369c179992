// Chats of other programs, from their own files. The readers are written after what is published of
// the formats, take anything else without harm, and skip what is no text.
#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QList>
#include <optional>

#include "store/chat_record.h"

namespace hearth::ui {

// All: any thread; empty where it is no such chat, or has no message.

// An entry of ChatGPT's conversations.json: a tree of nodes under "mapping".
std::optional<ChatRecord> chatFromChatGpt(const QJsonObject& json);

// A file of LM Studio's (*.conversation.json): messages with versions.
std::optional<ChatRecord> chatFromLmStudio(const QJsonObject& json);

// A folder of Jan's: thread.json (empty: it is not there) and the lines of messages.jsonl.
std::optional<ChatRecord> chatFromJan(const QJsonObject& thread, const QByteArray& lines);

// A gpt4all-*.chat of the versions 11 and 12 (GPT4All 3.5 and later).
std::optional<ChatRecord> chatFromGpt4All(const QByteArray& bytes);
// True: the bytes begin as those of such a file, of whatever version.
bool isGpt4All(const QByteArray& bytes);

}  // namespace hearth::ui
