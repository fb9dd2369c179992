// Files of chats: which program wrote one, and all chats in it.
#pragma once

#include <QByteArray>
#include <QList>
#include <QString>
#include <atomic>

#include "store/chat_record.h"

namespace hearth::ui {

class DocumentShelf;

struct ChatsRead {
    QList<ChatRecord> chats = {};
    int refused = 0;       // chats in the file that could not be read
    int lostFiles = 0;     // attached files whose text is missing or broken
    QString trouble = {};  // for people: why there is none; empty: there are some
};

// Chats of one JSON text: Hearth's own, a list or an entry of ChatGPT's, LM Studio's, a line or a
// list of lines of Jan's. Any thread. Each chat is read for itself, so that a large list takes the
// memory of its chats and no more.
// shelf: takes the texts of attached files; null: they are dropped.
ChatsRead readChats(const QByteArray& bytes, const DocumentShelf* shelf = nullptr);

// The same of a file: also an archive of such texts, a chat of GPT4All's, and for a thread.json or
// a messages.jsonl of Jan's the other one beside it. Any thread; looks at `cancelled` between
// chats.
ChatsRead readChatFile(const QString& path, const DocumentShelf* shelf,
                       const std::atomic<bool>& cancelled);

// Larger files, and larger texts in an archive, are refused.
constexpr qint64 kMostChatBytes = qint64{512} * 1024 * 1024;
// Texts of attached files in an archive count for themselves: one, and all together. Those beyond
// are lost.
constexpr qint64 kMostDocumentBytes = qint64{64} * 1024 * 1024;
constexpr qint64 kMostDocumentsBytes = qint64{4} * 1024 * 1024 * 1024;

}  // namespace hearth::ui
