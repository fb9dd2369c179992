// How languages write comments, texts and their own words: a row each.
#pragma once

#include <QHash>
#include <QString>
#include <QStringList>
#include <array>

#include "markdown/code_lexer.h"

namespace hearth::ui {

enum class CodeForm : unsigned char {
    Words,   // comments, texts, numbers, words
    Keys,    // the same, and the text or word before a colon or an equals sign is a name
    Markup,  // tags
    Changes  // each line is one kind, by how it begins
};

// A text or a comment from `open` to `close`.
struct CodeSpan {
    const char* open = "";
    const char* close = "";
    WordKind kind = WordKind::Text;
    bool hasLines = false;    // it may go on over several lines
    bool hasEscapes = false;  // a backslash takes the next character with it
};

struct CodeLanguage {
    const char* names = "";  // of a fence, separated by blanks
    const char* keywords = "";
    const char* types = "";
    std::array<const char*, 2> lineComments = {"", ""};
    std::array<CodeSpan, 6> spans = {};  // a longer opening before a shorter one
    CodeForm form = CodeForm::Words;
    bool ignoresCase = false;
    const char* inWords = "";  // characters of words beside letters, digits and _
    char directive = 0;        // begins a line whose first word is a keyword; 0: none
};

// Null: not known.
const CodeLanguage* codeLanguage(const QString& name);
// The words of a language, in lower case where it ignores case.
const QHash<QString, WordKind>& codeWords(const CodeLanguage& language);
// All names of a fence that are known, for tests.
QStringList codeLanguageNames();

}  // namespace hearth::ui
