// Tells the kinds of words in a line of code, for their colours. It knows how a language writes
// comments, texts, numbers and its own words, and nothing of its grammar.
#pragma once

#include <QList>
#include <QString>
#include <QStringView>

namespace hearth::ui {

enum class WordKind : unsigned char { Keyword, Type, Text, Number, Comment };

struct WordRun {
    qsizetype start = 0;
    qsizetype length = 0;
    WordKind kind = WordKind::Keyword;

    friend bool operator==(const WordRun&, const WordRun&) = default;
};

struct CodeLanguage;  // a row of code_languages.cpp

// Any thread.
class CodeLexer {
public:
    // language: the word behind a fence, in lower case ("cpp", "c++", "py"). A language that is not
    // known has no runs.
    explicit CodeLexer(const QString& language);
    bool isKnown() const { return language_ != nullptr; }

    // Appends the runs of a line, in order, and returns the state at its end, which is the state
    // before the next line. Before the first it is 0. Time is linear in the line; runs beyond
    // kMostRuns are left out.
    int lex(QStringView line, int state, QList<WordRun>* runs) const;

    static constexpr int kMostRuns = 2000;

private:
    const CodeLanguage* language_ = nullptr;
};

}  // namespace hearth::ui
