#include "found_model.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace hearth::ui {

Container containerOf(const QString& path) {
    // A pipe would wait for its other end, a device never ends.
    if (!QFileInfo(path).isFile()) {
        return Container::Other;
    }
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly | QIODevice::Unbuffered)) {
        return Container::Other;
    }
    const QByteArray magic = file.read(4);
    return magic == "GGUF" ? Container::Gguf : magic == "PWRI" ? Container::Pwri : Container::Other;
}

std::optional<PartName> partName(const QString& fileName) {
    static const QRegularExpression kParts(QStringLiteral(R"(^(.+)-(\d{5})-of-(\d{5})\.gguf$)"),
                                           QRegularExpression::CaseInsensitiveOption);
    const QRegularExpressionMatch match = kParts.match(fileName);
    if (!match.hasMatch()) {
        return std::nullopt;
    }
    const PartName part{match.captured(1), match.captured(2).toInt(), match.captured(3).toInt()};
    const bool sensible = part.index >= 1 && part.index <= part.count;
    return sensible ? std::optional(part) : std::nullopt;
}

}  // namespace hearth::ui
