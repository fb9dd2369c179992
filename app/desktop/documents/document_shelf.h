// The folder of the documents that chats have read: files by the hash of their text.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>

#include "documents/document_file.h"

namespace hearth::ui {

class DocumentShelf {
public:
    // folder: written to, and made when it is first needed. older: also read from; may be empty.
    explicit DocumentShelf(const QString& folder, const QString& older = {});

    // Keeps a document and returns its name there, 64 hex digits. Empty: the disk refused. Two
    // equal documents are one. Any thread.
    QString add(const DocumentReading& reading) const;
    // Null: it is not there. Any thread.
    std::unique_ptr<DocumentFile> open(const QString& hash) const;
    // Deletes all documents but these, and what an interrupted add() left. Not during add().
    void keepOnly(const QStringList& hashes) const;

private:
    QString folder_;
    QString older_;
};

}  // namespace hearth::ui
