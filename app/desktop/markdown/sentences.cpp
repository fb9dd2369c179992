#include "markdown/sentences.h"

#include <QList>
#include <algorithm>
#include <utility>

namespace hearth::ui {

namespace {

bool isAnyOf(QChar c, QStringView set) {
    return set.contains(c);
}

// Tracks the open markup of a line: code, emphasis, brackets.
class InlineMarkup {
public:
    // Takes the run of marks, or the character, at `at`; returns the position of the next one.
    qsizetype take(QStringView text, qsizetype at) {
        const QChar mark = text[at];
        if (mark == QLatin1Char('\\')) {
            return std::min(at + 2, text.size());
        }
        if (isAnyOf(mark, u"([")) {
            ++brackets_;
        } else if (isAnyOf(mark, u")]")) {
            brackets_ = std::max(0, brackets_ - 1);
        }
        if (!isAnyOf(mark, u"`*_~")) {
            return at + 1;
        }
        qsizetype end = at;
        while (end < text.size() && text[end] == mark) {
            ++end;
        }
        const bool blankBefore = at == 0 || text[at - 1].isSpace();
        const bool blankAfter = end == text.size() || text[end].isSpace();
        const bool inWord = mark == QLatin1Char('_') && at > 0 && end < text.size() &&
                            text[at - 1].isLetterOrNumber() && text[end].isLetterOrNumber();
        if (!inWord && !(blankBefore && blankAfter)) {
            const auto run = std::pair(mark, end - at);
            if (!open_.isEmpty() && open_.constLast() == run) {
                open_.removeLast();
            } else {
                open_.append(run);
            }
        }
        return end;
    }
    bool none() const { return open_.isEmpty() && brackets_ == 0; }

private:
    QList<std::pair<QChar, qsizetype>> open_;
    int brackets_ = 0;
};

}  // namespace

qsizetype sentenceEnd(QStringView text) {
    InlineMarkup markup;
    qsizetype found = 0;
    for (qsizetype at = 0; at + 2 < text.size(); at = markup.take(text, at)) {
        const bool ends = isAnyOf(text[at], u".!?") && text[at + 1] == QLatin1Char(' ') &&
                          text[at + 2].isLetter() && !text[at + 2].isLower();
        const bool endsWide = isAnyOf(text[at], u"\u3002\uff01\uff1f") && text[at + 1].isLetter();
        if ((ends || endsWide) && markup.none()) {
            found = at + 1;
        }
    }
    return found;
}

}  // namespace hearth::ui
