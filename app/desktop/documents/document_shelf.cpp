#include "documents/document_shelf.h"

#include <QDir>
#include <QFile>
#include <QSet>
#include <mutex>

#include "downloads/sha256.h"

namespace hearth::ui {

namespace {

const QString kEnding = QStringLiteral(".document");

// Two threads may keep the same document: one that reads files, one that imports chats.
std::mutex adding;

QString pathIn(const QString& folder, const QString& hash) {
    return folder + QLatin1Char('/') + hash + kEnding;
}

// The database of chats may be damaged, and a path comes of this.
bool isHash(const QString& hash) {
    return hash.size() == 2 * Sha256::kBytes && std::all_of(hash.begin(), hash.end(), [](QChar c) {
               return (c >= QLatin1Char('0') && c <= QLatin1Char('9')) ||
                      (c >= QLatin1Char('a') && c <= QLatin1Char('f'));
           });
}

}  // namespace

DocumentShelf::DocumentShelf(const QString& folder, const QString& older)
    : folder_(folder), older_(older) {}

QString DocumentShelf::add(const DocumentReading& reading) const {
    if (!QDir(folder_).exists()) {
        if (!QDir().mkpath(folder_)) {
            return {};
        }
        QFile::setPermissions(folder_, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    const QString hash = QString::fromLatin1(Sha256::of(reading.toBytes()).toHex());
    const std::lock_guard lock(adding);
    const QString path = pathIn(folder_, hash);
    if (DocumentFile::open(path) != nullptr) {
        return hash;
    }
    QFile::remove(path);  // a damaged one
    return DocumentFile::write(path, reading.document) ? hash : QString();
}

std::unique_ptr<DocumentFile> DocumentShelf::open(const QString& hash) const {
    if (!isHash(hash)) {
        return nullptr;
    }
    for (const QString& folder : {folder_, older_}) {
        if (!folder.isEmpty()) {
            if (auto file = DocumentFile::open(pathIn(folder, hash))) {
                return file;
            }
        }
    }
    return nullptr;
}

void DocumentShelf::keepOnly(const QStringList& hashes) const {
    const QSet<QString> wanted(hashes.begin(), hashes.end());
    const QDir folder(folder_);
    for (const QString& name :
         folder.entryList({QLatin1Char('*') + kEnding + QLatin1Char('*')}, QDir::Files)) {
        const QString hash = name.section(QLatin1Char('.'), 0, 0);
        if (name != hash + kEnding || !wanted.contains(hash)) {
            QFile::remove(folder.filePath(name));
        }
    }
}

}  // namespace hearth::ui
