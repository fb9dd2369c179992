// A model on the disk, known by its first bytes alone.
#pragma once

#include <QDateTime>
#include <QList>
#include <QString>
#include <QStringList>
#include <optional>

namespace hearth::ui {

enum class FileFormat { Other, Gguf, Pwri };
// Other: also a path that is no file or cannot be read.
FileFormat fileFormatOf(const QString& path);

// "llama-00002-of-00003.gguf" is part 2 of 3 of "llama".
struct FilePart {
    QString whole;
    int index = 0;  // from 1
    int count = 0;
};
std::optional<FilePart> filePart(const QString& fileName);

struct FoundModel {
    QStringList paths;  // as found: one file, or the parts of a split one, in order
    QString name;       // of the file, or as its application calls it
    QString app;        // the application that owns the file; empty: it is the user's own
    quint64 bytes = 0;  // of all parts
    int partsMissing = 0;
    QDateTime changed;

    QString path() const { return paths.constFirst(); }

    friend bool operator==(const FoundModel&, const FoundModel&) = default;
};

}  // namespace hearth::ui
