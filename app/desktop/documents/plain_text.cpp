#include "documents/plain_text.h"

#include <QStringDecoder>
#include <algorithm>
#include <array>

namespace hearth::ui {

namespace {

// Windows-1252 where it differs from Latin-1: the bytes from 0x80 to 0x9F. 0: no letter.
constexpr std::array<char16_t, 32> kWindows = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

bool isTextByte(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 || (byte >= 0x08 && byte <= 0x0D) || byte == 0x1B;
}

// The length without a character whose last bytes are cut off.
qsizetype wholeUtf8(const QByteArray& bytes) {
    for (qsizetype back = 1; back <= std::min<qsizetype>(3, bytes.size()); ++back) {
        const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
        const int wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 0;
        if (wanted != 0) {
            return back < wanted ? bytes.size() - back : bytes.size();
        }
        if (byte < 0x80) {
            break;
        }
    }
    return bytes.size();
}

std::optional<QString> decodedAs(QStringConverter::Encoding encoding, const QByteArray& bytes) {
    QStringDecoder decoder(encoding);
    QString text = decoder(bytes);
    if (decoder.hasError()) {
        return std::nullopt;
    }
    return text;
}

}  // namespace

std::optional<QString> decodeText(const QByteArray& bytes, bool isBegin) {
    if (bytes.startsWith("\xFF\xFE") || bytes.startsWith("\xFE\xFF")) {
        const qsizetype whole = bytes.size() & ~qsizetype{1};
        QString text = QStringDecoder(QStringConverter::Utf16)(QByteArrayView(bytes).first(whole));
        // A text has few characters that no text has.
        const auto odd = std::count_if(text.begin(), text.end(), [](QChar c) {
            return c.isNull() || c == QChar::ReplacementCharacter;
        });
        if (odd * 100 > text.size()) {
            return std::nullopt;
        }
        return text;
    }
    if (!std::all_of(bytes.begin(), bytes.end(), isTextByte)) {
        return std::nullopt;
    }
    const QByteArray whole = isBegin ? bytes.first(wholeUtf8(bytes)) : bytes;
    if (auto text = decodedAs(QStringConverter::Utf8, whole)) {
        return text;
    }
    QString text = QString::fromLatin1(bytes);
    for (QChar& c : text) {
        if (c.unicode() >= 0x80 && c.unicode() < 0xA0) {
            const char16_t letter = kWindows.at(c.unicode() - 0x80U);
            c = letter == 0 ? QChar(QChar::ReplacementCharacter) : QChar(letter);
        }
    }
    return text;
}

}  // namespace hearth::ui
