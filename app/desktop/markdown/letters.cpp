#include "markdown/letters.h"

#include <QChar>
#include <QFontMetrics>
#include <QGuiApplication>
#include <QStringList>

namespace hearth::ui {

namespace {

constexpr qsizetype kLongestLook = 100'000;  // characters
constexpr char32_t kLatinEnd = 0x250;        // every font has the characters before it
constexpr qsizetype kMostKnown = 50'000;

bool isEmoji(char32_t letter) {
    return (letter >= 0x1F000 && letter <= 0x1FBFF) || (letter >= 0x2600 && letter <= 0x27BF);
}

bool isEastAsian(char32_t letter) {
    switch (QChar::script(letter)) {
        case QChar::Script_Han:
        case QChar::Script_Hiragana:
        case QChar::Script_Katakana:
        case QChar::Script_Hangul:
        case QChar::Script_Bopomofo:
            return true;
        default:
            return letter >= 0x3000 && letter <= 0x303F;  // the punctuation of these scripts
    }
}

// True for marks without a shape of their own, and for characters that no font is expected to have.
bool isShapeless(char32_t letter) {
    switch (QChar::category(letter)) {
        case QChar::Other_Control:
        case QChar::Other_Format:
        case QChar::Other_NotAssigned:
        case QChar::Other_PrivateUse:
        case QChar::Other_Surrogate:
        case QChar::Mark_NonSpacing:
        case QChar::Mark_Enclosing:
        case QChar::Separator_Space:
        case QChar::Separator_Line:
        case QChar::Separator_Paragraph:
            return true;
        default:
            return false;
    }
}

}  // namespace

Letters::Letters(QObject* parent)
    : Letters(
          [](char32_t letter) {
              // True if any font provides it.
              return QFontMetrics(QGuiApplication::font()).inFontUcs4(letter);
          },
          parent) {}

Letters::Letters(std::function<bool(char32_t)> drawn, QObject* parent)
    : QObject(parent), drawn_(std::move(drawn)) {}

bool Letters::isDrawn(char32_t letter) {
    if (letter < kLatinEnd || isShapeless(letter)) {
        return true;
    }
    const auto known = known_.constFind(letter);
    if (known != known_.cend()) {
        return *known;
    }
    if (known_.size() >= kMostKnown) {
        known_.clear();
    }
    return *known_.insert(letter, drawn_(letter));
}

QString Letters::missing(const QString& text) {
    bool eastAsian = false;
    bool emoji = false;
    bool other = false;
    for (const char32_t letter : QStringView(text).left(kLongestLook).toUcs4()) {
        if (!isDrawn(letter)) {
            (isEmoji(letter) ? emoji : isEastAsian(letter) ? eastAsian : other) = true;
        }
    }
    QStringList names;
    QStringList fonts;
    if (eastAsian) {
        names << tr("Chinese, Japanese or Korean characters");
        fonts << QStringLiteral("Noto Sans CJK");
    }
    if (emoji) {
        names << tr("emoji");
        fonts << QStringLiteral("Noto Color Emoji");
    }
    if (other) {
        names << tr("other characters");
    }
    if (names.isEmpty()) {
        return {};
    }
    const QString sentence =
        tr("No font on this computer has the %1 in this message.").arg(names.join(tr(" and ")));
    return fonts.isEmpty()
               ? sentence
               : tr("%1 Install %2 to see them.").arg(sentence, fonts.join(tr(" and ")));
}

}  // namespace hearth::ui
