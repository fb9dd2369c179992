// One block of a message, ready to be shown.
#pragma once

#include <QString>

namespace hearth::ui {

enum class BlockKind { Paragraph, Heading, Code, List, Quote, Table, Rule, Formula };

enum class DrawingCode { None, Whole, TooLong };

struct Block {
    BlockKind kind = BlockKind::Paragraph;
    // A safe subset of HTML, made from the markdown only: p br strong em s code pre a ul ol li
    // blockquote table thead tbody tr th td, and for formulas span i b sub sup. Raw HTML of the
    // source is shown as text, an image as its description; links lead to http, https and mailto
    // only. A paragraph and a heading have
    // inline content without the tag around it, a quote has its inside, a list and a table include
    // their tag.
    QString html;
    QString code;      // code: without the fence; formula: its source
    QString language;  // code: the fence's first word, lower case
    // Code that is a drawing (drawing_source.h) and complete, or begins as one and is longer than a
    // block.
    DrawingCode drawing = DrawingCode::None;
    int level = 0;  // heading: 1 to 6
    bool closed = true;

    friend bool operator==(const Block&, const Block&) = default;
};

// "paragraph" ...
QString toString(BlockKind kind);
// "" "whole" "tooLong"
QString toString(DrawingCode drawing);

}  // namespace hearth::ui
