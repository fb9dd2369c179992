// Cuts growing markdown into pieces at the borders of top-level blocks, line by line.
//
// The result depends on the whole text alone, not on how it was split into append() calls: the
// last, incomplete line is treated as if it were complete, on a copy of the state. A piece may hold
// several blocks where the rules here are coarser than markdown's; the renderer separates them.
#pragma once

#include <QList>
#include <QString>

namespace hearth::ui {

// A run of source lines that holds whole top-level blocks.
struct SourcePiece {
    bool isCode = false;     // fenced: `text` is the code itself; else markdown
    bool isFormula = false;  // a formula of its own lines with its delimiters; else markdown
    QString text;            // every line ends in \n
    QString language;        // code: the fence's first word, lower case
    // Code: whether the fence begins with this piece, and how it ends with it. A long one is cut
    // into several pieces.
    enum class End { Open, Closed, Cut };
    bool isFirst = true;
    End end = End::Open;

    friend bool operator==(const SourcePiece&, const SourcePiece&) = default;
};

class BlockSplitter {
public:
    // A longer piece is cut, so that parsing the open one again has a bounded cost.
    static constexpr qsizetype kMaxTextPiece = qsizetype{16} * 1024;
    // A longer line of a paragraph is cut after a sentence, if that place is outside of all markup.
    // The rest becomes a paragraph of its own.
    static constexpr qsizetype kLongLine = qsizetype{4} * 1024;
    // A longer list is cut at the start of an item: drawing so much takes a third of a frame.
    static constexpr qsizetype kLongList = qsizetype{4} * 1024;
    static constexpr qsizetype kMaxCodePiece = qsizetype{64} * 1024;

    void clear();
    void append(QStringView text);
    // No more text will follow: settles all pieces.
    void finish();

    // Returns the pieces that were settled since the last call; they will not change any more.
    QList<SourcePiece> takeSettled();
    // Returns the pieces after the settled ones: the open piece, with the incomplete line. The next
    // append() may change them. Empty after finish().
    QList<SourcePiece> open() const;

private:
    enum class In { Nothing, Paragraph, Fence, IndentedCode, List, Quote, Formula };

    struct Fence {
        QChar mark;
        qsizetype length = 0;
        qsizetype indent = 0;
        QString language;
    };
    struct State {
        In in = In::Nothing;
        SourcePiece piece;            // the open one
        Fence fence;                  // Fence: its opening line
        Fence inner;                  // List, Quote: a fence inside, length 0 if there is none
        QString formula;              // Formula: its opening
        bool afterBlank = false;      // List: the last line was blank
        QChar listMark;               // List: - + * . )
        qsizetype contentIndent = 0;  // List: the column at which its current item's content starts
    };
    using Pieces = QList<SourcePiece>;

    static void takeLine(State& state, QStringView line, Pieces& out);
    static void takeListLine(State& state, QStringView line, Pieces& out);
    static void takeQuoteLine(State& state, QStringView line, Pieces& out);
    static void takeFormulaLine(State& state, QStringView line, Pieces& out);
    static void startBlock(State& state, QStringView line, Pieces& out);
    static void addLine(State& state, QStringView line, Pieces& out);
    static void endPiece(State& state, Pieces& out);
    static bool startsBlock(QStringView line);
    static bool startsFormula(QStringView line);
    static bool opensFence(QStringView line, Fence* fence);
    static bool closesFence(QStringView line, const Fence& fence);
    static void followInnerFence(State& state, QStringView content);
    void endLine();
    void cutLongLine();

    State state_;
    QString pending_;           // the incomplete last line
    bool afterReturn_ = false;  // the last character was \r: a following \n belongs to it
    Pieces settled_;
};

}  // namespace hearth::ui
