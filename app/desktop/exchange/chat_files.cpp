#include "exchange/chat_files.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>

#include "exchange/chat_archive.h"
#include "exchange/chat_documents.h"
#include "exchange/chat_json.h"
#include "exchange/foreign_chats.h"

namespace hearth::ui {

namespace {

constexpr qint64 kMostEntries = 100'000;  // of an archive

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ChatFiles)
};

QString noChat() {
    return Words::tr("There is no chat in it that Hearth can read.");
}

// The texts between the brackets of a JSON list, as they stand; empty: it is no list. The whole is
// not parsed: a list may be much larger than each of its chats.
QList<QByteArrayView> itemsOf(QByteArrayView text) {
    const auto isBlank = [](char letter) {
        return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
    };
    qsizetype at = 0;
    while (at < text.size() && isBlank(text[at])) {
        ++at;
    }
    QList<QByteArrayView> items;
    if (at == text.size() || text[at] != '[') {
        return items;
    }
    qsizetype begin = ++at;
    int depth = 0;
    for (bool isInText = false; at < text.size(); ++at) {
        const char letter = text[at];
        if (isInText) {
            at += letter == '\\' ? 1 : 0;
            isInText = letter != '"';
        } else if (letter == '"') {
            isInText = true;
        } else if (letter == '{' || letter == '[') {
            ++depth;
        } else if ((letter == ',' || letter == ']') && depth == 0) {
            items.append(text.sliced(begin, at - begin));
            begin = at + 1;
            if (letter == ']') {
                break;
            }
        } else if (letter == '}' || letter == ']') {
            --depth;
        }
    }
    return items;
}

std::optional<ChatRecord> chatFrom(const QJsonObject& json, DocumentIntake& intake) {
    if (auto chat = chatFromJson(json)) {
        intake.take(json.value(QLatin1String("documents")).toObject(), &*chat);
        return chat;
    }
    if (auto chat = chatFromChatGpt(json)) {
        return chat;
    }
    return chatFromLmStudio(json);
}

void take(const QJsonObject& json, DocumentIntake& intake, ChatsRead* read) {
    if (auto chat = chatFrom(json, intake)) {
        read->chats.append(*std::move(chat));
    } else {
        ++read->refused;
    }
}

QJsonObject parsed(QByteArrayView text) {
    return QJsonDocument::fromJson(QByteArray::fromRawData(text.data(), text.size())).object();
}

void readInto(const QByteArray& bytes, DocumentIntake& intake, const std::atomic<bool>& cancelled,
              ChatsRead* read) {
    const QList<QByteArrayView> items = itemsOf(bytes);
    for (const QByteArrayView item : items) {
        if (cancelled) {
            return;
        }
        if (const QJsonObject json = parsed(item); !json.isEmpty()) {
            take(json, intake, read);
        }
    }
    if (items.isEmpty()) {
        take(parsed(bytes), intake, read);
    }
}

void finish(const DocumentIntake& intake, ChatsRead* read) {
    read->lostFiles = intake.lost();
    if (read->chats.isEmpty()) {
        read->trouble = noChat();
    }
}

ChatsRead readArchive(const QString& path, const DocumentShelf* shelf,
                      const std::atomic<bool>& cancelled) {
    ChatsRead read;
    const auto archive = ChatArchive::open(path);
    if (archive == nullptr) {
        read.trouble = Words::tr("The archive is damaged.");
        return read;
    }
    if (archive->count() > kMostEntries) {
        read.trouble = Words::tr("The archive has too many files.");
        return read;
    }
    qint64 documents = 0;
    DocumentIntake intake(shelf, [&](const QString& name) {
        const qint64 index = archive->find(documentEntry(name));
        if (index < 0 || documents > kMostDocumentsBytes) {
            return QJsonObject();
        }
        const auto bytes = archive->bytes(index, kMostDocumentBytes, cancelled);
        documents += bytes ? bytes->size() : kMostDocumentBytes;  // it may have cost as much
        return bytes ? parsed(*bytes) : QJsonObject();
    });
    qint64 total = 0;
    for (qint64 index = 0; index < archive->count() && !cancelled; ++index) {
        const QString name = archive->name(index);
        if (!name.endsWith(QLatin1String(".json"), Qt::CaseInsensitive) ||
            name.startsWith(QLatin1String("documents/"))) {
            continue;
        }
        const auto bytes = archive->bytes(index, kMostChatBytes, cancelled);
        total += bytes ? bytes->size() : 0;
        if (!bytes || total > kMostChatBytes) {
            ++read.refused;
            break;
        }
        ChatsRead one;
        readInto(*bytes, intake, cancelled, &one);
        read.chats += one.chats;
        // Other files of an export hold no chats: the account, its settings.
        read.refused += one.chats.isEmpty() ? 0 : one.refused;
    }
    finish(intake, &read);
    return read;
}

QByteArray bytesOf(const QString& path) {
    QFile file(path);
    return file.size() <= kMostChatBytes && file.open(QIODevice::ReadOnly)
               ? file.read(kMostChatBytes)
               : QByteArray();
}

// A chat of Jan's: both files lie in its folder.
std::optional<ChatRecord> readJan(const QString& path, const QByteArray& bytes) {
    const QFileInfo file(path);
    const bool isLines = file.suffix() == QLatin1String("jsonl");
    const QByteArray other = bytesOf(file.dir().filePath(
        isLines ? QStringLiteral("thread.json") : QStringLiteral("messages.jsonl")));
    return chatFromJan(parsed(isLines ? other : bytes), isLines ? bytes : other);
}

}  // namespace

ChatsRead readChats(const QByteArray& bytes, const DocumentShelf* shelf) {
    ChatsRead read;
    DocumentIntake intake(shelf);
    readInto(bytes, intake, false, &read);
    finish(intake, &read);
    return read;
}

ChatsRead readChatFile(const QString& path, const DocumentShelf* shelf,
                       const std::atomic<bool>& cancelled) {
    ChatsRead read;
    QFile file(path);
    if (file.size() > kMostChatBytes) {
        read.trouble = Words::tr("It is too large: Hearth reads chats from files of up to 512 MB.");
        return read;
    }
    if (!file.open(QIODevice::ReadOnly)) {
        read.trouble = Words::tr("It cannot be read: %1.").arg(file.errorString());
        return read;
    }
    const QByteArray bytes = file.read(kMostChatBytes);
    if (bytes.startsWith("PK\x03\x04") || bytes.startsWith("PK\x05\x06")) {
        return readArchive(path, shelf, cancelled);
    }
    if (isGpt4All(bytes)) {
        if (auto chat = chatFromGpt4All(bytes)) {
            read.chats.append(*std::move(chat));
        } else {
            read.trouble =
                Words::tr("Hearth reads chats of GPT4All 3.5 and later, without calls of tools.");
        }
        return read;
    }
    if (auto chat = readJan(path, bytes)) {
        read.chats.append(*std::move(chat));
        return read;
    }
    DocumentIntake intake(shelf);
    readInto(bytes, intake, cancelled, &read);
    finish(intake, &read);
    return read;
}

}  // namespace hearth::ui
