// A part of a formula with its place on the base line: x grows to the right, y downwards, the base
// line is y = 0. Lengths are pixels.
#pragma once

#include <QList>
#include <QPainterPath>
#include <QRectF>

namespace hearth::ui {

// Something to fill with the colour of text.
struct MathInk {
    QPainterPath path;  // shared with others of its kind
    QRectF bounds;      // of `path`
    QPointF at;
    qreal scale = 1;

    QRectF area() const { return {at + bounds.topLeft() * scale, bounds.size() * scale}; }
};

struct MathBox {
    QList<MathInk> ink;
    qreal width = 0;
    qreal ascent = 0;    // above the base line
    qreal descent = 0;   // below it
    qreal overhang = 0;  // the part of `width` into which a subscript may move

    qreal height() const { return ascent + descent; }
    // The ink of `other` with its base line's beginning at (x, y); grows in height, not in width.
    void place(const MathBox& other, qreal x, qreal y = 0);
    // A path in the box's own coordinates; changes no measure.
    void draw(const QPainterPath& path);
    // Up by `y`, with all it holds.
    void raise(qreal y);
    // The area that the ink covers.
    QRectF inkArea() const;
};

}  // namespace hearth::ui
