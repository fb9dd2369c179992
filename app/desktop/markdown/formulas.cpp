#include "markdown/formulas.h"

#include <QSet>
#include <algorithm>

#include "markdown/formula_tag.h"
#include "markdown/math_parser.h"
#include "markdown/math_text.h"

namespace hearth::ui {

namespace {

// Noncharacters: valid in a string, part of no text.
constexpr QChar kMarkBegin(0xFDD0);
constexpr QChar kMarkEnd(0xFDD1);

bool isBlankUpToLineEnd(QStringView text, qsizetype from) {
    while (from < text.size() && text[from] != QLatin1Char('\n')) {
        if (!text[from].isSpace()) {
            return false;
        }
        ++from;
    }
    return true;
}

// The next blank line, or the end.
qsizetype paragraphEnd(QStringView text, qsizetype from) {
    for (qsizetype at = text.indexOf(QLatin1Char('\n'), from); at >= 0;
         at = text.indexOf(QLatin1Char('\n'), at + 1)) {
        if (isBlankUpToLineEnd(text, at + 1)) {
            return at;
        }
    }
    return text.size();
}

// The position after a backslash and `mark`, if no backslash precedes that backslash. -1: none.
qsizetype behindEscaped(QStringView text, qsizetype from, QChar mark) {
    for (qsizetype at = from; at + 1 < text.size(); ++at) {
        if (text[at] == QLatin1Char('\\')) {
            ++at;
            if (text[at] == mark) {
                return at + 1;
            }
        }
    }
    return -1;
}

qsizetype behind(QStringView text, qsizetype from, QStringView word) {
    const qsizetype at = text.indexOf(word, from);
    return at < 0 ? -1 : at + word.size();
}

bool startsAt(QStringView text, qsizetype at, QStringView word) {
    return text.mid(at).startsWith(word);
}

bool isFirstOfItsLine(QStringView text, qsizetype at) {
    while (at > 0 && (text[at - 1] == QLatin1Char(' ') || text[at - 1] == QLatin1Char('\t'))) {
        --at;
    }
    return at == 0 || text[at - 1] == QLatin1Char('\n');
}

// True for what may stand between dollars without any mark of TeX: "x", "f(x)", "a + b > 0", "3.5".
// Prices and names of variables of a shell are none: "5 and ", "HOME/".
bool isShortFormula(QStringView content) {
    constexpr qsizetype kLongest = 40;
    if (content.isEmpty() || content.size() > kLongest) {
        return false;
    }
    const bool spaced = content.contains(QLatin1Char(' '));
    const qsizetype longestWord = spaced ? 1 : 3;
    qsizetype letters = 0;
    bool number = true;
    for (const QChar c : content) {
        letters = c.isLetter() ? letters + 1 : 0;
        number = number && (c.isDigit() || c == QLatin1Char('.'));
        const bool known =
            c.isLetterOrNumber() || QStringView(u" +-/<>()[]|,.'!:≤≥≠≈∈→·×±").contains(c);
        if (!known || letters > longestWord) {
            return false;
        }
    }
    return number || !content.front().isDigit();
}

// Scans one text from its beginning to its end.
class Scanner {
public:
    explicit Scanner(QStringView text) : text_(text) {}

    // The position after the code span, or the backticks, that begin here.
    qsizetype behindCode(qsizetype at) const {
        const qsizetype length = runLength(at);
        for (qsizetype next = text_.indexOf(QLatin1Char('`'), at + length); next >= 0;
             next = text_.indexOf(QLatin1Char('`'), next)) {
            const qsizetype other = runLength(next);
            next += other;
            if (other == length) {
                return next;
            }
        }
        return at + length;
    }

    // The position after the formula that begins here with a backslash or a dollar. -1: none does.
    qsizetype behindFormula(qsizetype at) {
        if (at >= paragraphEnd_) {
            paragraphEnd_ = paragraphEnd(text_, at);
            std::fill(std::begin(unclosed_), std::end(unclosed_), false);
            unclosedNames_.clear();
        }
        const QStringView paragraph = text_.left(paragraphEnd_);
        if (text_[at] == QLatin1Char('$')) {
            return startsAt(text_, at, u"$$") ? behindDollars(paragraph, at)
                                              : behindDollar(paragraph, at);
        }
        if (startsAt(text_, at, u"\\(")) {
            return closed(0, [&] { return behindEscaped(paragraph, at + 2, QLatin1Char(')')); });
        }
        if (startsAt(text_, at, u"\\[")) {
            return closed(1, [&] { return behindEscaped(paragraph, at + 2, QLatin1Char(']')); });
        }
        if (startsAt(text_, at, u"\\begin{")) {
            constexpr qsizetype kLongestName = 32;
            const qsizetype name = at + 7;
            const qsizetype end = paragraph.indexOf(QLatin1Char('}'), name);
            if (end <= name || end - name > kLongestName) {
                return -1;
            }
            return behindEnvironment(paragraph, end, text_.mid(name, end - name).toString());
        }
        return -1;
    }

private:
    qsizetype runLength(qsizetype at) const {
        qsizetype length = 0;
        while (at + length < text_.size() && text_[at + length] == QLatin1Char('`')) {
            ++length;
        }
        return length;
    }

    // An opening without an end in its paragraph proves that later ones have none either: many of
    // them cost one search.
    template <typename Search>
    qsizetype closed(int kind, const Search& search) {
        const qsizetype end = unclosed_[kind] ? -1 : search();
        unclosed_[kind] = end < 0;
        return end;
    }

    // The same for each name of an environment. Names that nobody closes are few where a person or
    // a model writes.
    qsizetype behindEnvironment(QStringView paragraph, qsizetype from, const QString& name) {
        constexpr qsizetype kMostUnclosed = 16;
        if (unclosedNames_.size() >= kMostUnclosed || unclosedNames_.contains(name)) {
            return -1;
        }
        const qsizetype end =
            behind(paragraph, from, QStringLiteral("\\end{") + name + QLatin1Char('}'));
        if (end < 0) {
            unclosedNames_.insert(name);
        }
        return end;
    }

    qsizetype behindDollars(QStringView paragraph, qsizetype at) const {
        if (!isFirstOfItsLine(paragraph, at)) {
            const qsizetype lineEnd = paragraph.indexOf(QLatin1Char('\n'), at);
            paragraph = paragraph.left(lineEnd < 0 ? paragraph.size() : lineEnd);
        }
        const qsizetype end = behind(paragraph, at + 2, u"$$");
        return end > at + 4 ? end : -1;
    }

    // Accepts "$x_1$" and "$x$", and neither "$5 and $10" nor "$HOME/$USER".
    static qsizetype behindDollar(QStringView paragraph, qsizetype at) {
        const bool afterWord = at > 0 && paragraph[at - 1].isLetterOrNumber();
        bool looksLikeOne = false;
        for (qsizetype i = at + 1; i < paragraph.size() && paragraph[i] != QLatin1Char('\n'); ++i) {
            const QChar c = paragraph[i];
            if (i == at + 1 && (c.isSpace() || c == QLatin1Char('$'))) {
                return -1;
            }
            if (c == QLatin1Char('$')) {
                const bool closes = !paragraph[i - 1].isSpace() &&
                                    (i + 1 == paragraph.size() || !paragraph[i + 1].isDigit());
                const bool beforeWord =
                    i + 1 < paragraph.size() && paragraph[i + 1].isLetterOrNumber();
                looksLikeOne = looksLikeOne || (!afterWord && !beforeWord &&
                                                isShortFormula(paragraph.mid(at + 1, i - at - 1)));
                return closes && looksLikeOne ? i + 1 : -1;
            }
            looksLikeOne = looksLikeOne || QStringView(u"\\^_{=*").contains(c);
            if (c == QLatin1Char('\\')) {
                ++i;
            }
        }
        return -1;
    }

    QStringView text_;
    qsizetype paragraphEnd_ = -1;
    bool unclosed_[2] = {};
    QSet<QString> unclosedNames_;
};

}  // namespace

QString Formulas::hide(const QString& markdown) {
    hidden_.clear();
    if (!markdown.contains(QLatin1Char('\\')) && !markdown.contains(QLatin1Char('$')) &&
        !markdown.contains(kMarkBegin) && !markdown.contains(kMarkEnd)) {
        return markdown;
    }
    QString text = markdown;
    text.replace(kMarkBegin, QChar(QChar::ReplacementCharacter));
    text.replace(kMarkEnd, QChar(QChar::ReplacementCharacter));
    QString out;
    out.reserve(text.size());
    const auto mark = [&](qsizetype from, qsizetype to, bool isFormula) {
        out += kMarkBegin + QString::number(hidden_.size()) + kMarkEnd;
        hidden_.append({text.mid(from, to - from), isFormula});
    };
    Scanner scanner(text);
    qsizetype at = 0;
    while (at < text.size()) {
        qsizetype next = at + 1;
        const QChar c = text[at];
        if (c == QLatin1Char('`')) {
            next = scanner.behindCode(at);
        } else if (c == QLatin1Char('\\') || c == QLatin1Char('$')) {
            const qsizetype end = scanner.behindFormula(at);
            if (end >= 0) {
                mark(at, end, true);
                at = end;
                continue;
            }
            if (c == QLatin1Char('\\') && next < text.size()) {
                ++next;
                const QChar escaped = text[at + 1];
                const bool image = startsAt(text, at, u"\\![");
                if (QStringView(u"(),;:!").contains(escaped) && !image) {
                    mark(at, next, false);
                    at = next;
                    continue;
                }
            }
        }
        out += QStringView(text).mid(at, next - at);
        at = next;
    }
    return out;
}

template <typename Text, typename Mark>
void Formulas::split(const QString& marked, const Text& text, const Mark& mark) const {
    qsizetype from = 0;
    for (;;) {
        const qsizetype begin = hidden_.isEmpty() ? -1 : marked.indexOf(kMarkBegin, from);
        const qsizetype end = begin < 0 ? -1 : marked.indexOf(kMarkEnd, begin);
        bool ok = end > 0;
        const int index = ok ? QStringView(marked).mid(begin + 1, end - begin - 1).toInt(&ok) : 0;
        if (!ok || index < 0 || index >= hidden_.size()) {
            text(marked.mid(from));
            return;
        }
        text(marked.mid(from, begin - from));
        mark(hidden_.at(index), index);
        from = end + 1;
    }
}

QString Formulas::source(const QString& marked) const {
    QString out;
    split(
        marked, [&](const QString& text) { out += text; },
        [&](const Hidden& hidden, qsizetype) { out += hidden.source; });
    return out;
}

QString Formulas::htmlOf(const Hidden& hidden, qsizetype index) {
    if (hidden.isFormula) {
        const auto formula = parseFormula(hidden.source);
        const auto line = formula ? mathHtml(*formula) : std::nullopt;
        if (line) {
            return formulaTag(hidden.source, *line, index);
        }
    }
    QString html = hidden.source.toHtmlEscaped();
    html.replace(QLatin1Char('\n'), QLatin1String("<br>"));
    return hidden.isFormula ? QStringLiteral("<code>") + html + QStringLiteral("</code>") : html;
}

QString Formulas::html(const QString& marked) const {
    QString out;
    split(
        marked, [&](const QString& text) { out += text.toHtmlEscaped(); },
        [&](const Hidden& hidden, qsizetype index) { out += htmlOf(hidden, index); });
    return out;
}

QString formulaOpening(QStringView line) {
    const QStringView text = line.trimmed();
    for (const char* opening : {"\\[", "$$"}) {
        if (text.startsWith(QLatin1String(opening))) {
            return QString::fromLatin1(opening);
        }
    }
    const QLatin1String begin("\\begin{");
    if (!text.startsWith(begin)) {
        return {};
    }
    const qsizetype end = text.indexOf(QLatin1Char('}'));
    const bool known =
        end > 0 && isFormulaEnvironment(text.mid(begin.size(), end - begin.size()).toString());
    return known ? text.left(end + 1).toString() : QString();
}

QString formulaClosing(const QString& opening) {
    if (opening == QLatin1String("$$")) {
        return opening;
    }
    return opening == QLatin1String("\\[") ? QStringLiteral("\\]")
                                           : QStringLiteral("\\end") + opening.mid(6);
}

qsizetype formulaEnd(QStringView line, qsizetype from, const QString& opening) {
    return opening == QLatin1String("\\[") ? behindEscaped(line, from, QLatin1Char(']'))
                                           : behind(line, from, formulaClosing(opening));
}

}  // namespace hearth::ui
