#include "markdown/code_lexer.h"

#include <algorithm>

#include "markdown/code_languages.h"

namespace hearth::ui {

namespace {

// States between lines. 0: nothing is open; 1 + i: span i is; behind them:
constexpr int kInTag = 100;

bool isWordLetter(QChar letter) {
    return letter.isLetterOrNumber() || letter == QLatin1Char('_');
}

bool isTagLetter(QChar letter) {
    return isWordLetter(letter) || QLatin1String("/!?:-.@").contains(letter);
}

// One line.
class LineLexer {
public:
    LineLexer(const CodeLanguage& language, QStringView line, QList<WordRun>* runs)
        : language_(language), words_(codeWords(language)), line_(line), runs_(*runs) {}

    int run(int state) {
        if (language_.form == CodeForm::Changes) {
            change();
            return 0;
        }
        if (state > 0 && state <= static_cast<int>(language_.spans.size())) {
            if (!goOn(span(state - 1), 0)) {
                return state;
            }
            state = 0;
        }
        return language_.form == CodeForm::Markup ? markup(state == kInTag) : words();
    }

private:
    const CodeSpan& span(int index) const {
        return language_.spans[static_cast<std::size_t>(index)];
    }
    bool at(const char* text) const {
        return *text != '\0' && line_.mid(at_).startsWith(QLatin1String(text));
    }
    bool isAt(char letter) const { return line_[at_] == QLatin1Char(letter); }

    void add(qsizetype start, qsizetype end, WordKind kind) {
        if (end > start && runs_.size() < CodeLexer::kMostRuns) {
            runs_.append({start, end - start, kind});
        }
    }

    // From at_ to the end of a span that began at `start`. False: it is open at the line's end.
    bool goOn(const CodeSpan& open, qsizetype start) {
        const QLatin1String close(open.close);
        while (at_ < line_.size()) {
            if (open.hasEscapes && isAt('\\')) {
                at_ += 2;
            } else if (line_.mid(at_).startsWith(close)) {
                at_ += close.size();
                add(start, at_, kindOf(open));
                return true;
            } else {
                ++at_;
            }
        }
        at_ = line_.size();
        add(start, at_, kindOf(open));
        return false;
    }

    // A text before a colon is a key.
    WordKind kindOf(const CodeSpan& open) const {
        return open.kind == WordKind::Text && isKeyEnd() ? WordKind::Type : open.kind;
    }
    bool isKeyEnd() const {
        if (language_.form != CodeForm::Keys) {
            return false;
        }
        qsizetype from = at_;
        while (from < line_.size() && line_[from] == QLatin1Char(' ')) {
            ++from;
        }
        return from < line_.size() &&
               (line_[from] == QLatin1Char(':') || line_[from] == QLatin1Char('='));
    }

    // -1: none begins here.
    int spanHere() const {
        for (int i = 0; i < static_cast<int>(language_.spans.size()); ++i) {
            if (at(span(i).open)) {
                return i;
            }
        }
        return -1;
    }

    bool isWordPart(QChar letter) const {
        return isWordLetter(letter) || (letter.unicode() > 0 && letter.unicode() < 128 &&
                                        QLatin1String(language_.inWords).contains(letter));
    }

    bool isExponent() const {
        const QChar before = line_[at_ - 1];
        return (isAt('+') || isAt('-')) &&
               (before == QLatin1Char('e') || before == QLatin1Char('E'));
    }

    void number() {
        const qsizetype start = at_++;
        const bool isHex = line_.mid(start).startsWith(QLatin1String("0x"));
        while (at_ < line_.size() &&
               (isWordLetter(line_[at_]) || isAt('.') || (!isHex && isExponent()))) {
            ++at_;
        }
        add(start, at_, WordKind::Number);
    }

    void word() {
        const qsizetype start = at_;
        while (at_ < line_.size() && isWordPart(line_[at_])) {
            ++at_;
        }
        const QString text = line_.mid(start, at_ - start).toString();
        const auto known = words_.constFind(language_.ignoresCase ? text.toLower() : text);
        if (known != words_.constEnd()) {
            add(start, at_, *known);
        } else if (isKeyEnd()) {
            add(start, at_, WordKind::Type);
        }
    }

    bool isLineComment() const {
        // "#" in "a#b" and in "$#" begins none.
        const bool isInsideWord = isAt('#') && at_ > 0 && !line_[at_ - 1].isSpace();
        return !isInsideWord &&
               std::any_of(language_.lineComments.begin(), language_.lineComments.end(),
                           [this](const char* mark) { return at(mark); });
    }

    void directive() {
        const qsizetype start = at_++;
        while (at_ < line_.size() && isAt(' ')) {
            ++at_;
        }
        while (at_ < line_.size() && isWordLetter(line_[at_])) {
            ++at_;
        }
        add(start, at_, WordKind::Keyword);
    }

    int words() {
        qsizetype first = at_;
        while (first < line_.size() && line_[first].isSpace()) {
            ++first;
        }
        while (at_ < line_.size()) {
            const int here = spanHere();
            if (here >= 0 && (span(here).kind == WordKind::Comment || !isLineComment())) {
                if (const int state = open(here); state != 0) {
                    return state;
                }
            } else if (isLineComment()) {
                add(at_, line_.size(), WordKind::Comment);
                return 0;
            } else if (at_ == first && language_.directive != 0 && isAt(language_.directive)) {
                directive();
            } else if (line_[at_].isDigit()) {
                number();
            } else if (isWordPart(line_[at_])) {
                word();
            } else {
                ++at_;
            }
        }
        return 0;
    }

    // 0: it ended in this line.
    int open(int index) {
        const qsizetype start = at_;
        at_ += static_cast<qsizetype>(qstrlen(span(index).open));
        return goOn(span(index), start) || !span(index).hasLines ? 0 : index + 1;
    }

    int markup(bool isInTag) {
        while (at_ < line_.size()) {
            if (isInTag) {
                isInTag = !tagPart();
            } else if (const int here = spanHere(); here >= 0) {
                if (const int state = open(here); state != 0) {
                    return state;
                }
            } else if (isAt('<')) {
                isInTag = tagName();
            } else if (isAt('&')) {
                entity();
            } else {
                ++at_;
            }
        }
        return isInTag ? kInTag : 0;
    }
    // False: "<" alone.
    bool tagName() {
        const qsizetype start = at_++;
        while (at_ < line_.size() && isTagLetter(line_[at_])) {
            ++at_;
        }
        if (at_ == start + 1) {
            return false;
        }
        add(start, at_, WordKind::Keyword);
        return true;
    }
    // True: the tag has ended.
    bool tagPart() {
        const qsizetype start = at_;
        const QChar letter = line_[at_];
        if (letter == QLatin1Char('>')) {
            ++at_;
            add(start, at_, WordKind::Keyword);
            return true;
        }
        if (letter == QLatin1Char('"') || letter == QLatin1Char('\'')) {
            const qsizetype end = line_.indexOf(letter, at_ + 1);
            at_ = end < 0 ? line_.size() : end + 1;
            add(start, at_, WordKind::Text);
            return false;
        }
        if (!isTagLetter(letter)) {
            ++at_;
            return false;
        }
        while (at_ < line_.size() && isTagLetter(line_[at_])) {
            ++at_;
        }
        add(start, at_, letter == QLatin1Char('/') ? WordKind::Keyword : WordKind::Type);
        return false;
    }
    void entity() {
        const qsizetype start = at_++;
        while (at_ < line_.size() && (isWordLetter(line_[at_]) || isAt('#'))) {
            ++at_;
        }
        if (at_ < line_.size() && isAt(';')) {
            ++at_;
            add(start, at_, WordKind::Number);
        }
    }

    void change() {
        const auto begins = [this](const char* mark) {
            return line_.startsWith(QLatin1String(mark));
        };
        if (begins("@@")) {
            add(0, line_.size(), WordKind::Type);
        } else if (begins("+++") || begins("---") || begins("diff ") || begins("index ")) {
            add(0, line_.size(), WordKind::Comment);
        } else if (begins("+")) {
            add(0, line_.size(), WordKind::Text);
        } else if (begins("-")) {
            add(0, line_.size(), WordKind::Number);
        }
    }

    const CodeLanguage& language_;
    const QHash<QString, WordKind>& words_;
    QStringView line_;
    QList<WordRun>& runs_;
    qsizetype at_ = 0;
};

}  // namespace

CodeLexer::CodeLexer(const QString& language) : language_(codeLanguage(language)) {}

int CodeLexer::lex(QStringView line, int state, QList<WordRun>* runs) const {
    return language_ == nullptr ? 0 : LineLexer(*language_, line, runs).run(std::max(0, state));
}

}  // namespace hearth::ui
