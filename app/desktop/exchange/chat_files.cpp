#include "exchange/chat_files.h"

#include <zip.h>

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "exchange/chat_json.h"
#include "exchange/foreign_chats.h"
#include "system/durable_file.h"

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

std::optional<ChatRecord> chatFrom(const QJsonObject& json) {
    if (auto chat = chatFromJson(json)) {
        return chat;
    }
    if (auto chat = chatFromChatGpt(json)) {
        return chat;
    }
    return chatFromLmStudio(json);
}

void take(const QJsonObject& json, ChatsRead* read) {
    if (auto chat = chatFrom(json)) {
        read->chats.append(*std::move(chat));
    } else {
        ++read->refused;
    }
}

QJsonObject parsed(QByteArrayView text) {
    return QJsonDocument::fromJson(QByteArray::fromRawData(text.data(), text.size())).object();
}

void readInto(const QByteArray& bytes, const std::atomic<bool>& cancelled, ChatsRead* read) {
    const QList<QByteArrayView> items = itemsOf(bytes);
    for (const QByteArrayView item : items) {
        if (cancelled) {
            return;
        }
        if (const QJsonObject json = parsed(item); !json.isEmpty()) {
            take(json, read);
        }
    }
    if (items.isEmpty()) {
        take(parsed(bytes), read);
    }
}

void finish(ChatsRead* read) {
    if (read->chats.isEmpty()) {
        read->trouble = noChat();
    }
}

struct CloseZip {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};

// An entry's bytes; what it claims of its size is not believed. Empty: it is damaged or too large.
std::optional<QByteArray> bytesOf(zip_t* archive, zip_uint64_t index,
                                  const std::atomic<bool>& cancelled) {
    const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen_index(archive, index, 0));
    if (file == nullptr) {
        return std::nullopt;
    }
    constexpr qsizetype kStep = 256 * 1024;
    QByteArray bytes;
    while (!cancelled) {
        const qsizetype before = bytes.size();
        if (before > kMostChatBytes) {
            return std::nullopt;
        }
        bytes.resize(before + kStep);
        const zip_int64_t got = zip_fread(file.get(), bytes.data() + before, kStep);
        if (got < 0) {
            return std::nullopt;  // also where the check sum is another
        }
        bytes.resize(before + static_cast<qsizetype>(got));
        if (got == 0) {
            return bytes;
        }
    }
    return std::nullopt;
}

ChatsRead readArchive(const QString& path, const std::atomic<bool>& cancelled) {
    ChatsRead read;
    int error = 0;
    const std::unique_ptr<zip_t, CloseZip> archive(
        zip_open(QFile::encodeName(path).constData(), ZIP_RDONLY, &error));
    if (archive == nullptr) {
        read.trouble = Words::tr("The archive is damaged.");
        return read;
    }
    const zip_int64_t count = zip_get_num_entries(archive.get(), 0);
    if (count > kMostEntries) {
        read.trouble = Words::tr("The archive has too many files.");
        return read;
    }
    qint64 total = 0;
    for (zip_int64_t i = 0; i < count && !cancelled; ++i) {
        const auto index = static_cast<zip_uint64_t>(i);
        const QString name = QString::fromUtf8(zip_get_name(archive.get(), index, 0));
        if (!name.endsWith(QLatin1String(".json"), Qt::CaseInsensitive)) {
            continue;
        }
        const auto bytes = bytesOf(archive.get(), index, cancelled);
        total += bytes ? bytes->size() : 0;
        if (!bytes || total > kMostChatBytes) {
            ++read.refused;
            break;
        }
        ChatsRead one;
        readInto(*bytes, cancelled, &one);
        read.chats += one.chats;
        // Other files of an export hold no chats: the account, its settings.
        read.refused += one.chats.isEmpty() ? 0 : one.refused;
    }
    finish(&read);
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

ChatsRead readChats(const QByteArray& bytes) {
    ChatsRead read;
    readInto(bytes, false, &read);
    finish(&read);
    return read;
}

ChatsRead readChatFile(const QString& path, const std::atomic<bool>& cancelled) {
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
        return readArchive(path, cancelled);
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
    readInto(bytes, cancelled, &read);
    finish(&read);
    return read;
}

QString writeChatArchive(const QString& path,
                         const std::function<std::optional<ChatRecord>()>& next,
                         const std::atomic<bool>& cancelled) {
    int error = 0;
    std::unique_ptr<zip_t, CloseZip> archive(
        zip_open(QFile::encodeName(path).constData(), ZIP_CREATE | ZIP_EXCL, &error));
    const QString trouble = Words::tr("The archive could not be written: %1");
    if (archive == nullptr) {
        return trouble.arg(QString::fromLocal8Bit(std::strerror(errno)));
    }
    int number = 0;
    while (!cancelled) {
        const auto chat = next();
        if (!chat) {
            break;
        }
        const QByteArray json = chatToJson(*chat);
        const auto size = static_cast<std::size_t>(json.size());
        void* copy = std::malloc(size);  // zip_source_buffer() frees it
        if (copy != nullptr) {
            std::memcpy(copy, json.constData(), size);
        }
        zip_source_t* source =
            copy == nullptr ? nullptr : zip_source_buffer(archive.get(), copy, size, 1);
        const QByteArray name =
            QStringLiteral("chats/%1.json").arg(++number, 6, 10, QLatin1Char('0')).toUtf8();
        if (source == nullptr) {
            std::free(copy);
            return trouble.arg(QString::fromUtf8(zip_strerror(archive.get())));
        }
        if (zip_file_add(archive.get(), name.constData(), source, ZIP_FL_ENC_UTF_8) < 0) {
            zip_source_free(source);
            return trouble.arg(QString::fromUtf8(zip_strerror(archive.get())));
        }
    }
    if (cancelled) {
        return Words::tr("It was stopped.");
    }
    if (zip_close(archive.get()) != 0) {
        return trouble.arg(QString::fromUtf8(zip_strerror(archive.get())));
    }
    static_cast<void>(archive.release());
    QFile written(path);
    if (!written.open(QIODevice::ReadWrite)) {
        return trouble.arg(written.errorString());
    }
    if (const DiskTrouble disk = syncFile(written)) {
        written.close();
        QFile::remove(path);
        return trouble.arg(disk.sentence());
    }
    syncFolder(QFileInfo(path).path());
    return {};
}

}  // namespace hearth::ui
