// Bytes of a text file as text.
#pragma once

#include <QByteArray>
#include <QString>
#include <optional>

namespace hearth::ui {

// UTF-16 by its mark, else UTF-8, else Windows-1252. Empty: these are no bytes of a text. isBegin:
// more bytes follow, and the last character may be cut.
std::optional<QString> decodeText(const QByteArray& bytes, bool isBegin = false);

}  // namespace hearth::ui
