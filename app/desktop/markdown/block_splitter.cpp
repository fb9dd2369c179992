#include "markdown/block_splitter.h"

#include <algorithm>
#include <utility>

#include "markdown/formulas.h"
#include "markdown/sentences.h"

namespace hearth::ui {

namespace {

constexpr qsizetype kCodeIndent = 4;  // columns from which on a line is code, not structure

bool isBlank(QStringView line) {
    return std::all_of(line.begin(), line.end(),
                       [](QChar c) { return c == QLatin1Char(' ') || c == QLatin1Char('\t'); });
}

struct Indent {
    qsizetype columns = 0;
    qsizetype chars = 0;
};

// from: the column in which `line` begins; a tab reaches to the next stop from there.
Indent indentOf(QStringView line, qsizetype from = 0) {
    Indent indent;
    for (QChar c : line) {
        if (c == QLatin1Char(' ')) {
            ++indent.columns;
        } else if (c == QLatin1Char('\t')) {
            indent.columns += 4 - (from + indent.columns) % 4;
        } else {
            break;
        }
        ++indent.chars;
    }
    return indent;
}

// The line without the first `columns` columns of white space. The part of a tab that reaches
// beyond them stays as blanks.
QString dropColumns(QStringView line, qsizetype columns) {
    qsizetype at = 0;
    qsizetype seen = 0;
    while (at < line.size() && seen < columns) {
        if (line[at] == QLatin1Char(' ')) {
            ++seen;
        } else if (line[at] == QLatin1Char('\t')) {
            seen += 4 - seen % 4;
        } else {
            break;
        }
        ++at;
    }
    return QString(std::max<qsizetype>(0, seen - columns), QLatin1Char(' ')) +
           line.mid(at).toString();
}

// True for three or more of one of * - _, and blanks.
bool isRule(QStringView line) {
    const QStringView text = line.trimmed();
    if (text.isEmpty()) {
        return false;
    }
    const QChar mark = text.front();
    if (mark != QLatin1Char('*') && mark != QLatin1Char('-') && mark != QLatin1Char('_')) {
        return false;
    }
    int count = 0;
    for (QChar c : text) {
        if (c == mark) {
            ++count;
        } else if (c != QLatin1Char(' ') && c != QLatin1Char('\t')) {
            return false;
        }
    }
    return count >= 3;
}

bool isHeading(QStringView text) {
    qsizetype level = 0;
    while (level < text.size() && text[level] == QLatin1Char('#')) {
        ++level;
    }
    return level >= 1 && level <= 6 &&
           (level == text.size() || text[level] == QLatin1Char(' ') ||
            text[level] == QLatin1Char('\t'));
}

// True for the underline that turns a paragraph into a heading.
bool isUnderline(QStringView line) {
    if (indentOf(line).columns >= kCodeIndent) {
        return false;
    }
    const QStringView text = line.trimmed();
    return !text.isEmpty() &&
           (text.front() == QLatin1Char('=') || text.front() == QLatin1Char('-')) &&
           std::all_of(text.begin(), text.end(), [&](QChar c) { return c == text.front(); });
}

struct ListMarker {
    QChar mark;                   // - + * . ) ; null: no marker
    bool startsAtOne = true;      // bullets do, and "1."
    bool hasContent = false;      // something follows the marker
    qsizetype contentIndent = 0;  // columns, from the start of the line
    qsizetype contentChars = 0;   // characters, from the start of the line
};

ListMarker listMarkerOf(QStringView line) {
    const Indent indent = indentOf(line);
    ListMarker marker;
    if (indent.columns >= kCodeIndent || indent.chars >= line.size()) {
        return marker;
    }
    const QStringView text = line.mid(indent.chars);
    qsizetype width = 0;
    QChar mark = text.front();
    if (mark == QLatin1Char('-') || mark == QLatin1Char('+') || mark == QLatin1Char('*')) {
        width = 1;
    } else {
        qsizetype digits = 0;
        while (digits < text.size() && digits < 10 && text[digits] >= QLatin1Char('0') &&
               text[digits] <= QLatin1Char('9')) {
            ++digits;
        }
        if (digits < 1 || digits > 9 || digits >= text.size()) {
            return marker;
        }
        mark = text[digits];
        if (mark != QLatin1Char('.') && mark != QLatin1Char(')')) {
            return marker;
        }
        marker.startsAtOne = text.left(digits) == QLatin1String("1");
        width = digits + 1;
    }
    const QStringView rest = text.mid(width);
    if (!rest.isEmpty() && rest.front() != QLatin1Char(' ') && rest.front() != QLatin1Char('\t')) {
        return marker;
    }
    marker.mark = mark;
    marker.hasContent = !isBlank(rest);
    const Indent gap = indentOf(rest, indent.columns + width);
    const bool oneBlank = !marker.hasContent || gap.columns > kCodeIndent;
    marker.contentIndent = indent.columns + width + (oneBlank ? 1 : gap.columns);
    marker.contentChars = std::min(line.size(), indent.chars + width + (oneBlank ? 1 : gap.chars));
    return marker;
}

bool startsQuote(QStringView line) {
    const Indent indent = indentOf(line);
    return indent.columns < kCodeIndent && indent.chars < line.size() &&
           line[indent.chars] == QLatin1Char('>');
}

QString languageOf(QStringView info) {
    constexpr qsizetype kLongest = 32;
    qsizetype length = 0;
    while (length < info.size() && length < kLongest && !info[length].isSpace()) {
        ++length;
    }
    return info.left(length).toString().toLower();
}

}  // namespace

void BlockSplitter::clear() {
    *this = BlockSplitter();
}

void BlockSplitter::append(QStringView text) {
    qsizetype from = 0;
    while (from < text.size()) {
        if (std::exchange(afterReturn_, false) && text[from] == QLatin1Char('\n')) {
            ++from;
            continue;
        }
        qsizetype end = from;
        while (end < text.size() && text[end] != QLatin1Char('\n') &&
               text[end] != QLatin1Char('\r')) {
            ++end;
        }
        pending_.append(text.mid(from, end - from));
        cutLongLine();
        if (end == text.size()) {
            return;
        }
        afterReturn_ = text[end] == QLatin1Char('\r');
        endLine();
        from = end + 1;
    }
}

void BlockSplitter::finish() {
    if (!pending_.isEmpty()) {
        endLine();
    }
    if (state_.in != In::Nothing) {
        endPiece(state_, settled_);
    }
}

QList<SourcePiece> BlockSplitter::takeSettled() {
    return std::exchange(settled_, {});
}

QList<SourcePiece> BlockSplitter::open() const {
    State state = state_;
    Pieces pieces;
    if (!pending_.isEmpty()) {
        // Half of a closing fence would flash as code for a frame, so it is not shown.
        const QStringView text = QStringView(pending_).trimmed();
        const bool fenceBegun =
            state.in == In::Fence && !text.isEmpty() &&
            std::all_of(text.begin(), text.end(), [&](QChar c) { return c == state.fence.mark; });
        if (!fenceBegun) {
            takeLine(state, pending_, pieces);
        }
    }
    if (state.in != In::Nothing) {
        state.piece.isFormula = state.in == In::Formula;  // its end will come
        endPiece(state, pieces);
    }
    return pieces;
}

void BlockSplitter::endLine() {
    const QString line = std::exchange(pending_, {});
    takeLine(state_, line, settled_);
}

// A line without end (a megabyte of one word) is cut after a fixed number of characters, whatever
// follows.
void BlockSplitter::cutLongLine() {
    for (;;) {
        const qsizetype limit = state_.in == In::Fence ? kMaxCodePiece : kMaxTextPiece;
        const bool ofParagraph = state_.in == In::Nothing || state_.in == In::Paragraph;
        const qsizetype sentence = ofParagraph && pending_.size() > kLongLine &&
                                           !startsBlock(pending_) &&
                                           indentOf(pending_).columns < kCodeIndent
                                       ? sentenceEnd(QStringView(pending_).left(kLongLine))
                                       : 0;
        if (pending_.size() <= limit && sentence == 0) {
            return;
        }
        qsizetype cut = limit;
        const qsizetype space = QStringView(pending_).left(limit).lastIndexOf(QLatin1Char(' '));
        if (sentence > 0) {
            cut = sentence;
        } else if (space > limit / 2) {
            cut = space;
        } else if (pending_[cut].isLowSurrogate()) {
            --cut;
        }
        const QString head = pending_.left(cut);
        pending_.remove(0, cut);
        takeLine(state_, head, settled_);
        if (state_.in != In::Nothing && state_.in != In::Fence) {
            endPiece(state_, settled_);
        }
    }
}

bool BlockSplitter::opensFence(QStringView line, Fence* fence) {
    const Indent indent = indentOf(line);
    if (indent.columns >= kCodeIndent || indent.chars >= line.size()) {
        return false;
    }
    const QStringView text = line.mid(indent.chars);
    const QChar mark = text.front();
    if (mark != QLatin1Char('`') && mark != QLatin1Char('~')) {
        return false;
    }
    qsizetype length = 0;
    while (length < text.size() && text[length] == mark) {
        ++length;
    }
    const QStringView info = text.mid(length).trimmed();
    if (length < 3 || (mark == QLatin1Char('`') && info.contains(mark))) {
        return false;
    }
    *fence = {mark, length, indent.columns, languageOf(info)};
    return true;
}

bool BlockSplitter::closesFence(QStringView line, const Fence& fence) {
    if (indentOf(line).columns >= kCodeIndent) {
        return false;
    }
    const QStringView text = line.trimmed();
    return text.size() >= fence.length &&
           std::all_of(text.begin(), text.end(), [&](QChar c) { return c == fence.mark; });
}

// True if a line that follows a paragraph without a blank line is not part of the paragraph.
bool BlockSplitter::startsBlock(QStringView line) {
    const Indent indent = indentOf(line);
    if (indent.columns >= kCodeIndent) {
        return false;
    }
    Fence fence;
    if (isHeading(line.mid(indent.chars)) || isRule(line) || startsQuote(line) ||
        opensFence(line, &fence) || startsFormula(line)) {
        return true;
    }
    const ListMarker marker = listMarkerOf(line);
    return !marker.mark.isNull() && marker.hasContent && marker.startsAtOne;
}

void BlockSplitter::takeLine(State& state, QStringView line, Pieces& out) {
    switch (state.in) {
        case In::Nothing:
            if (!isBlank(line)) {
                startBlock(state, line, out);
            }
            return;
        case In::Paragraph:
            if (isBlank(line)) {
                endPiece(state, out);
            } else if (isUnderline(line)) {
                addLine(state, line, out);
                if (state.in != In::Nothing) {
                    endPiece(state, out);
                }
            } else if (startsBlock(line)) {
                endPiece(state, out);
                startBlock(state, line, out);
            } else {
                addLine(state, line, out);
            }
            return;
        case In::Fence:
            if (closesFence(line, state.fence)) {
                state.piece.end = SourcePiece::End::Closed;
                endPiece(state, out);
            } else {
                addLine(state, dropColumns(line, state.fence.indent), out);
            }
            return;
        case In::IndentedCode:
            if (isBlank(line) || indentOf(line).columns >= kCodeIndent) {
                addLine(state, line, out);
            } else {
                endPiece(state, out);
                startBlock(state, line, out);
            }
            return;
        case In::List:
            takeListLine(state, line, out);
            return;
        case In::Quote:
            takeQuoteLine(state, line, out);
            return;
        case In::Formula:
            takeFormulaLine(state, line, out);
            return;
    }
}

void BlockSplitter::takeListLine(State& state, QStringView line, Pieces& out) {
    if (isBlank(line)) {
        state.afterBlank = true;
        addLine(state, line, out);
        return;
    }
    const bool afterBlank = std::exchange(state.afterBlank, false);
    if (indentOf(line).columns >= state.contentIndent) {
        followInnerFence(state, dropColumns(line, state.contentIndent));
        addLine(state, line, out);
        return;
    }
    const bool wasInFence = state.inner.length > 0;
    const ListMarker marker = isRule(line) ? ListMarker{} : listMarkerOf(line);
    if (!marker.mark.isNull() && marker.mark == state.listMark) {
        if (state.piece.text.size() > kLongList) {
            endPiece(state, out);
            startBlock(state, line, out);
            return;
        }
        state.contentIndent = marker.contentIndent;
        state.inner = {};
        followInnerFence(state, line.mid(marker.contentChars));
        addLine(state, line, out);
        return;
    }
    // Text right below an item's paragraph belongs to it, wherever it starts.
    if (!afterBlank && !wasInFence && marker.mark.isNull() && !startsBlock(line)) {
        addLine(state, line, out);
        return;
    }
    endPiece(state, out);
    startBlock(state, line, out);
}

void BlockSplitter::takeQuoteLine(State& state, QStringView line, Pieces& out) {
    if (isBlank(line)) {
        endPiece(state, out);
        return;
    }
    if (startsQuote(line)) {
        followInnerFence(state, line.mid(indentOf(line).chars + 1));
        addLine(state, line, out);
        return;
    }
    if (state.inner.length > 0 || startsBlock(line)) {
        endPiece(state, out);
        startBlock(state, line, out);
    } else {
        addLine(state, line, out);
    }
}

// True for a formula that begins here and ends at the end of a line, this one or a later one.
bool BlockSplitter::startsFormula(QStringView line) {
    if (indentOf(line).columns >= kCodeIndent) {
        return false;
    }
    const QString opening = formulaOpening(line);
    const QStringView text = line.trimmed();
    const qsizetype end = opening.isEmpty() ? 0 : formulaEnd(text, opening.size(), opening);
    return end < 0 || (end == text.size() && end > opening.size() + formulaClosing(opening).size());
}

// Within a formula, lines like "=" and "- b" are no structure. A blank line, or text after its end,
// shows that it was no formula.
void BlockSplitter::takeFormulaLine(State& state, QStringView line, Pieces& out) {
    if (isBlank(line)) {
        endPiece(state, out);
        return;
    }
    const QStringView text = line.trimmed();
    const qsizetype from = state.piece.text.isEmpty() ? state.formula.size() : 0;
    const qsizetype end = formulaEnd(text, from, state.formula);
    if (end >= 0 && end < text.size()) {
        state.in = In::Paragraph;
    }
    addLine(state, line, out);
    if (end == text.size() && state.in == In::Formula) {
        state.piece.isFormula = true;
        endPiece(state, out);
    }
}

void BlockSplitter::followInnerFence(State& state, QStringView content) {
    constexpr int kLevels = 8;  // "- - > ```": only the renderer follows deeper nests
    for (int level = 0; level < kLevels; ++level) {
        if (startsQuote(content)) {
            content = content.mid(indentOf(content).chars + 1);
            continue;
        }
        const ListMarker marker = listMarkerOf(content);
        if (marker.mark.isNull() || state.inner.length > 0) {
            break;
        }
        content = content.mid(marker.contentChars);
    }
    const QStringView text = content.trimmed();
    if (state.inner.length > 0) {
        if (closesFence(text, state.inner)) {
            state.inner = {};
        }
    } else {
        opensFence(text, &state.inner);
    }
}

// The line is not blank and no block is open.
void BlockSplitter::startBlock(State& state, QStringView line, Pieces& out) {
    const Indent indent = indentOf(line);
    if (indent.columns >= kCodeIndent) {
        state.in = In::IndentedCode;
        addLine(state, line, out);
        return;
    }
    if (opensFence(line, &state.fence)) {
        state.in = In::Fence;
        state.piece.isCode = true;
        state.piece.language = state.fence.language;
        return;
    }
    if (isHeading(line.mid(indent.chars)) || isRule(line)) {
        state.in = In::Paragraph;
        addLine(state, line, out);
        if (state.in != In::Nothing) {
            endPiece(state, out);
        }
        return;
    }
    if (startsFormula(line)) {
        state.in = In::Formula;
        state.formula = formulaOpening(line);
        takeFormulaLine(state, line, out);
        return;
    }
    if (startsQuote(line)) {
        state.in = In::Quote;
        state.inner = {};
        followInnerFence(state, line.mid(indent.chars + 1));
        addLine(state, line, out);
        return;
    }
    const ListMarker marker = listMarkerOf(line);
    if (!marker.mark.isNull()) {
        state.in = In::List;
        state.listMark = marker.mark;
        state.contentIndent = marker.contentIndent;
        state.afterBlank = false;
        state.inner = {};
        followInnerFence(state, line.mid(marker.contentChars));
        addLine(state, line, out);
        return;
    }
    state.in = In::Paragraph;
    addLine(state, line, out);
}

void BlockSplitter::addLine(State& state, QStringView line, Pieces& out) {
    state.piece.text.append(line);
    state.piece.text.append(QLatin1Char('\n'));
    const qsizetype limit = state.piece.isCode ? kMaxCodePiece : kMaxTextPiece;
    if (state.piece.text.size() <= limit) {
        return;
    }
    const bool inFence = state.in == In::Fence;
    state.piece.end = inFence ? SourcePiece::End::Cut : SourcePiece::End::Open;
    endPiece(state, out);
    if (inFence) {  // continues in another code block
        state.in = In::Fence;
        state.piece.isCode = true;
        state.piece.isFirst = false;
        state.piece.language = state.fence.language;
    }
}

void BlockSplitter::endPiece(State& state, Pieces& out) {
    out.append(std::exchange(state.piece, {}));
    state.in = In::Nothing;
}

}  // namespace hearth::ui
