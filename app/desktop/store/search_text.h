// How words are looked for in messages: without regard to case, and anywhere in a text. The index
// narrows the messages down; whether one has the words is decided here, on its text.
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

namespace hearth::ui {

// Letters without their case, white space and control characters as one space each. As long as the
// text, so that places in one are places in the other.
QString foldForSearch(const QString& text);

// The words of a query, folded: all of them must be in a message. Text in "quotes" is one word.
// Empty: there is nothing to look for.
QStringList searchWords(const QString& query);

// For the index of short words: each letter and each pair of neighbours once, between spaces. Pairs
// with a space in them are left out. For phrases: each space with two letters on both sides, where
// U+00A0 stands for a space.
QString gramsOf(const QString& folded);

// The question to FTS5. Empty: no word is of that length.
struct SearchMatch {
    QString triples;  // the trigrams of words of three letters and more
    QString grams;    // shorter words, and where words of a phrase meet
};
SearchMatch matchFor(const QStringList& words);

// A line around the first word that was found, and the word in it, as written.
struct FoundLine {
    QString before;
    QString match;
    QString after;
};
// Empty: not all words are in the text.
std::optional<FoundLine> lineAround(const QString& text, const QStringList& words);

}  // namespace hearth::ui
