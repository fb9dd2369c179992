// A document that was read, on disk: one SQLite file with its passages and their index. Only this
// program writes it, and once; it is deleted as a whole.
#pragma once

#include <QString>
#include <QStringList>
#include <memory>
#include <optional>

#include "documents/document_text.h"
#include "documents/passage_search.h"

namespace hearth::ui {

class DocumentFile {
public:
    struct Part {
        QString text;
        int page = 0;  // from 1; 0: the document has no pages
    };

    // Writes the file; when it returns, it is whole and on the disk. False: the disk refused, and
    // nothing is left.
    static bool write(const QString& path, const DocumentText& document);
    // Null: it is not there, or is no such file.
    static std::unique_ptr<DocumentFile> open(const QString& path);
    ~DocumentFile();
    DocumentFile(const DocumentFile&) = delete;
    DocumentFile& operator=(const DocumentFile&) = delete;

    // All passages in order; together they are the text.
    QList<Part> parts() const;
    QString text() const;
    // The text with its pages, but for empty ones at its end; `cut` is not known.
    DocumentText document() const;
    // Empty: there is no such passage.
    std::optional<Part> part(int passage) const;
    PassageSearch& search() { return *search_; }

private:
    explicit DocumentFile(const QString& connection);

    QString connection_;
    std::unique_ptr<PassageSearch> search_;
};

}  // namespace hearth::ui
