#include "exchange/chat_archive.h"

#include <zip.h>

#include <QCoreApplication>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSet>
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "documents/document_shelf.h"
#include "exchange/chat_documents.h"
#include "exchange/chat_json.h"
#include "system/durable_file.h"

namespace hearth::ui {

namespace {

struct CloseZip {
    void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ChatFiles)
};

// A document as a source of libzip's. Its text is read when the archive is written, and not before:
// all documents of all chats need not fit in memory.
struct DocumentSource {
    RecordedFile file;
    const DocumentShelf& shelf;
    QByteArray bytes = {};
    qsizetype at = 0;
};

zip_int64_t readDocument(void* user, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    auto* source = static_cast<DocumentSource*>(user);
    switch (command) {
        case ZIP_SOURCE_OPEN:
            source->bytes = QJsonDocument(documentOf(source->file, source->shelf))
                                .toJson(QJsonDocument::Compact);
            source->at = 0;
            return 0;
        case ZIP_SOURCE_READ: {
            const qsizetype left = source->bytes.size() - source->at;
            const auto step =
                static_cast<qsizetype>(std::min(length, static_cast<zip_uint64_t>(left)));
            std::memcpy(data, source->bytes.constData() + source->at,
                        static_cast<std::size_t>(step));
            source->at += step;
            return zip_int64_t{step};
        }
        case ZIP_SOURCE_CLOSE:
            source->bytes.clear();
            return 0;
        case ZIP_SOURCE_STAT:  // its size is not known
            zip_stat_init(static_cast<zip_stat_t*>(data));
            return sizeof(zip_stat_t);
        case ZIP_SOURCE_ERROR: {
            const int none[2] = {ZIP_ER_OK, 0};
            std::memcpy(data, none, sizeof none);
            return sizeof none;
        }
        case ZIP_SOURCE_FREE:
            delete source;
            return 0;
        case ZIP_SOURCE_SUPPORTS:
            return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ,
                                                  ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                                  ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, -1);
        default:
            return -1;
    }
}

// Takes the source. False: the archive refuses it.
bool addEntry(zip_t* archive, const QString& name, zip_source_t* source) {
    if (source == nullptr) {
        return false;
    }
    if (zip_file_add(archive, name.toUtf8().constData(), source, ZIP_FL_ENC_UTF_8) < 0) {
        zip_source_free(source);
        return false;
    }
    return true;
}

bool addText(zip_t* archive, const QString& name, const QByteArray& text) {
    const auto size = static_cast<std::size_t>(text.size());
    void* copy = std::malloc(size);  // zip_source_buffer() frees it
    if (copy == nullptr) {
        return false;
    }
    std::memcpy(copy, text.constData(), size);
    zip_source_t* source = zip_source_buffer(archive, copy, size, 1);
    if (source == nullptr) {
        std::free(copy);
    }
    return addEntry(archive, name, source);
}

bool addDocument(zip_t* archive, const RecordedFile& file, const DocumentShelf& shelf) {
    auto owned = std::make_unique<DocumentSource>(DocumentSource{file, shelf});
    zip_source_t* source = zip_source_function(archive, readDocument, owned.get());
    if (source != nullptr) {
        static_cast<void>(owned.release());  // ZIP_SOURCE_FREE deletes it
    }
    return addEntry(archive, documentEntry(file.document), source);
}

bool addChat(zip_t* archive, int number, const ChatRecord& chat, const DocumentShelf& shelf,
             QSet<QString>* documents) {
    if (!addText(archive, QStringLiteral("chats/%1.json").arg(number, 6, 10, QLatin1Char('0')),
                 chatToJson(chat))) {
        return false;
    }
    for (const RecordedMessage& message : chat.messages) {
        for (const RecordedFile& file : message.files) {
            if (documents->contains(file.document) || shelf.open(file.document) == nullptr) {
                continue;
            }
            documents->insert(file.document);
            if (!addDocument(archive, file, shelf)) {
                return false;
            }
        }
    }
    return true;
}

}  // namespace

struct ChatArchive::Handle {
    std::unique_ptr<zip_t, CloseZip> zip;
};

ChatArchive::ChatArchive(std::unique_ptr<Handle> handle) : handle_(std::move(handle)) {}
ChatArchive::~ChatArchive() = default;

std::unique_ptr<ChatArchive> ChatArchive::open(const QString& path) {
    int error = 0;
    auto handle = std::make_unique<Handle>();
    handle->zip.reset(zip_open(QFile::encodeName(path).constData(), ZIP_RDONLY, &error));
    return handle->zip == nullptr
               ? nullptr
               : std::unique_ptr<ChatArchive>(new ChatArchive(std::move(handle)));
}

qint64 ChatArchive::count() const {
    return qint64{zip_get_num_entries(handle_->zip.get(), 0)};
}

QString ChatArchive::name(qint64 index) const {
    return QString::fromUtf8(zip_get_name(handle_->zip.get(), static_cast<zip_uint64_t>(index), 0));
}

std::optional<QByteArray> ChatArchive::bytes(qint64 index, qint64 most,
                                             const std::atomic<bool>& cancelled) const {
    const std::unique_ptr<zip_file_t, CloseEntry> file(
        zip_fopen_index(handle_->zip.get(), static_cast<zip_uint64_t>(index), 0));
    if (file == nullptr) {
        return std::nullopt;
    }
    constexpr qsizetype kStep = 256 * 1024;
    QByteArray bytes;
    while (!cancelled) {
        const qsizetype before = bytes.size();
        if (before > most) {
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

qint64 ChatArchive::find(const QString& name) const {
    return qint64{zip_name_locate(handle_->zip.get(), name.toUtf8().constData(), 0)};
}

QString documentEntry(const QString& name) {
    return QStringLiteral("documents/%1.json").arg(name);
}

QString writeChatArchive(const QString& path,
                         const std::function<std::optional<ChatRecord>()>& next,
                         const DocumentShelf& shelf, const std::atomic<bool>& cancelled) {
    int error = 0;
    std::unique_ptr<zip_t, CloseZip> archive(
        zip_open(QFile::encodeName(path).constData(), ZIP_CREATE | ZIP_EXCL, &error));
    const QString trouble = Words::tr("The archive could not be written: %1");
    if (archive == nullptr) {
        return trouble.arg(QString::fromLocal8Bit(std::strerror(errno)));
    }
    QSet<QString> documents;
    int number = 0;
    while (!cancelled) {
        const auto chat = next();
        if (!chat) {
            break;
        }
        if (!addChat(archive.get(), ++number, *chat, shelf, &documents)) {
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
