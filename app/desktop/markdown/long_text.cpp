#include "markdown/long_text.h"

#include <QCoreApplication>
#include <QLocale>
#include <algorithm>

#include "system/window_locale.h"

namespace hearth::ui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LongText)
};

// A text field lays out its text anew at each change: below this size nobody notices.
constexpr qsizetype kEditedChars = qsizetype{16} * 1024;
constexpr qsizetype kEditedLines = 600;
constexpr qsizetype kWholeChars = 6000;  // a message a little longer than the part needs no button
constexpr qsizetype kWholeLines = 60;
constexpr qsizetype kFoldedChars = 3000;
constexpr qsizetype kFoldedLines = 30;
constexpr qsizetype kPartChars = 4000;
constexpr qsizetype kPartLines = 60;

// The position after `lines` lines from `from` on, or after `chars` characters if that comes first.
qsizetype behindLines(const QString& text, qsizetype from, qsizetype lines, qsizetype chars) {
    const qsizetype most = std::min(text.size(), from + chars);
    qsizetype at = from;
    qsizetype lineEnd = -1;
    for (; lines > 0; --lines) {
        const qsizetype end = text.indexOf(QLatin1Char('\n'), at);
        if (end < 0 || end >= most) {
            break;
        }
        at = lineEnd = end + 1;
    }
    if (lines == 0 || (lineEnd > from + chars / 2 && most < text.size())) {
        return lineEnd;
    }
    // The cut is in the middle of a line, but not of a character.
    return most < text.size() && text[most].isLowSurrogate() ? most - 1 : most;
}

}  // namespace

bool isTooLongToEdit(const QString& text) {
    return behindLines(text, 0, kEditedLines, kEditedChars) < text.size();
}

qsizetype foldedLength(const QString& text) {
    return behindLines(text, 0, kWholeLines, kWholeChars) >= text.size()
               ? -1
               : behindLines(text, 0, kFoldedLines, kFoldedChars);
}

QString describeSize(const QString& text) {
    const QLocale locale = windowLocale();
    const qsizetype lines =
        text.count(QLatin1Char('\n')) + (text.endsWith(QLatin1Char('\n')) ? 0 : 1);
    const QString chars = locale.toString(text.size());
    return Words::tr("%1 characters, %Ln lines", nullptr, static_cast<int>(lines)).arg(chars);
}

QStringList partsToShow(const QString& text) {
    QStringList parts;
    for (qsizetype from = 0; from < text.size();) {
        const qsizetype to = behindLines(text, from, kPartLines, kPartChars);
        const bool atLineEnd = text[to - 1] == QLatin1Char('\n');
        parts.append(text.mid(from, to - from - (atLineEnd ? 1 : 0)));
        from = to;
    }
    return parts;
}

}  // namespace hearth::ui
