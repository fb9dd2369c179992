// Files of chats: which program wrote one, and all chats in it.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <atomic>
#include <functional>

#include "store/chat_record.h"

namespace hearth::ui {

struct ChatsRead {
    QList<ChatRecord> chats = {};
    int refused = 0;       // chats in the file that could not be read
    QString trouble = {};  // for people: why there is none; empty: there are some
};

// Chats of one JSON text: Hearth's own, a list or an entry of ChatGPT's, LM Studio's, a line or a
// list of lines of Jan's. Any thread. Each chat is read for itself, so that a large list takes the
// memory of its chats and no more.
ChatsRead readChats(const QByteArray& bytes);

// The same of a file: also an archive of such texts, a chat of GPT4All's, and for a thread.json or
// a messages.jsonl of Jan's the other one beside it. Any thread; looks at `cancelled` between
// chats.
ChatsRead readChatFile(const QString& path, const std::atomic<bool>& cancelled);

// An archive (zip) with a JSON text for each chat. next: gives the chats one after the other, empty
// at the end. Empty: it was written, whole and synced; else for people, and no file is left.
QString writeChatArchive(const QString& path,
                         const std::function<std::optional<ChatRecord>()>& next,
                         const std::atomic<bool>& cancelled);

// Larger files, and larger texts in an archive, are refused.
constexpr qint64 kMostChatBytes = qint64{512} * 1024 * 1024;

}  // namespace hearth::ui
