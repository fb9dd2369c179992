// Archives (zip) of chats: entries out of any program's, and Hearth's own.
#pragma once

#include <QByteArray>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>

#include "store/chat_record.h"

namespace hearth::ui {

class DocumentShelf;

// An archive that is read. One thread.
class ChatArchive {
public:
    // Null: it is none, or is damaged.
    static std::unique_ptr<ChatArchive> open(const QString& path);
    ~ChatArchive();
    ChatArchive(const ChatArchive&) = delete;
    ChatArchive& operator=(const ChatArchive&) = delete;

    qint64 count() const;
    QString name(qint64 index) const;
    // Of an entry; what it claims of its size is not believed. Empty: it is damaged or has more
    // than `most` bytes, or `cancelled`.
    std::optional<QByteArray> bytes(qint64 index, qint64 most,
                                    const std::atomic<bool>& cancelled) const;
    // The number of an entry; -1: there is none of that name.
    qint64 find(const QString& name) const;

private:
    struct Handle;
    explicit ChatArchive(std::unique_ptr<Handle> handle);
    std::unique_ptr<Handle> handle_;
};

// Where the archive has the document of that name.
QString documentEntry(const QString& name);

// Writes an archive with a JSON text for each chat, and one for each document of them. next: gives
// the chats one after the other, empty at the end. Empty: it was written, whole and synced; else
// for people, and no file is left. Any thread; looks at `cancelled` between chats.
QString writeChatArchive(const QString& path,
                         const std::function<std::optional<ChatRecord>()>& next,
                         const DocumentShelf& shelf, const std::atomic<bool>& cancelled);

}  // namespace hearth::ui
