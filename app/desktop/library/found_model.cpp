#include "library/found_model.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace hearth::ui {

FileFormat fileFormatOf(const QString& path) {
    // Reading a pipe would wait for its other end; a device never ends.
    if (!QFileInfo(path).isFile()) {
        return FileFormat::Other;
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) {
        return FileFormat::Other;
    }
    const QByteArray magic = file.read(4);
    return magic == "GGUF"   ? FileFormat::Gguf
           : magic == "PWRI" ? FileFormat::Pwri
                             : FileFormat::Other;
}

std::optional<FilePart> filePart(const QString& fileName) {
    static const QRegularExpression kParts(QStringLiteral(R"(^(.+)-(\d{5})-of-(\d{5})\.gguf$)"),
                                           QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = kParts.match(fileName);
    if (!match.hasMatch()) {
        return std::nullopt;
    }
    const FilePart part{match.captured(1), match.captured(2).toInt(), match.captured(3).toInt()};
    const bool sensible = part.index >= 1 && part.index <= part.count;
    return sensible ? std::optional(part) : std::nullopt;
}

}  // namespace hearth::ui
