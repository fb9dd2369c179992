// A formula as a tree: math_parser.h makes it, math_layout.h draws it, math_text.h writes it in a
// line.
#pragma once

#include <QList>
#include <QString>
#include <vector>

namespace hearth::ui {

// How a part behaves beside others: spaces follow from it (math_spacing.h).
enum class MathClass : quint8 { Ord, Op, Bin, Rel, Open, Close, Punct, Inner };

enum class MathFace : quint8 { Upright, Italic, Bold, BoldItalic, Sans, Mono };

enum class MathStyle : quint8 { Display, Text, Script, ScriptScript };

// Styles in which scripts stand above and below their base, not behind it.
enum class MathLimits : quint8 { Never, Display, Always };

enum class MathKind : quint8 {
    Symbol,     // text: one character, and combining ones
    Word,       // text: a function's name, a number or words; its blanks count
    Operator,   // text: a sum, an integral: drawn large
    Row,        // parts: one after another
    Scripts,    // parts: base, subscript, superscript; a missing one is an empty row
    Fraction,   // parts: numerator, denominator; text and closing: delimiters around it
    Radical,    // parts: radicand, index
    Fence,      // parts: body; text and closing: delimiters as tall as it; empty: none
    Delimiter,  // text, amount: its height in em; 0: as tall as the fence around it
    Accent,     // parts: base; mark
    Stack,      // parts: base, above, below
    Arrow,      // parts: above, below; text: an arrow as long as they are
    Space,      // amount: its width in em
    Array,      // parts: cells, row by row; text and closing: delimiters
    Styled,     // parts: content; style
};

enum class MathMark : quint8 {
    Hat,
    Check,
    Tilde,
    Bar,
    Breve,
    Vector,
    Dot,
    TwoDots,
    ThreeDots,
    Ring,
    Acute,
    Grave,
    WideHat,
    WideTilde,
    Overline,
    Underline,
    RightArrow,
    LeftArrow,
    BothArrow,
    Overbrace,
    Underbrace,
    Box,
    Cancel,
    BackCancel,
    CrossCancel,
    Phantom,            // takes room and is not seen
    HorizontalPhantom,  // takes its width alone
    VerticalPhantom,    // takes its height alone
};

struct MathNode {
    MathKind kind = MathKind::Row;
    MathClass cls = MathClass::Ord;
    MathFace face = MathFace::Upright;
    MathLimits limits = MathLimits::Never;
    MathMark mark = MathMark::Hat;
    MathStyle style = MathStyle::Text;  // Styled
    bool line = true;                   // Fraction: it has a rule
    double amount = 0;
    QString text{};
    QString closing{};
    std::vector<MathNode> parts{};

    // Array. `columns` has l, c or r for each column, and | for a line between columns.
    int width = 0;  // cells of each row
    QString columns{};
    double columnGap = 1;        // em
    bool aligned = false;        // pairs of columns without a gap within a pair
    bool displayed = false;      // cells in display style
    QList<int> lines{};          // rows with a line above them
    QList<double> rowGaps{};     // em more below each row
    QList<QString> rowLabels{};  // behind each row, "(1)"

    bool isEmptyRow() const { return kind == MathKind::Row && parts.empty(); }
};

}  // namespace hearth::ui
