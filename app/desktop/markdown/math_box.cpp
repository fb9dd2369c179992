#include "markdown/math_box.h"

#include <algorithm>

namespace hearth::ui {

void MathBox::place(const MathBox& other, qreal x, qreal y) {
    for (MathInk part : other.ink) {
        part.at += QPointF(x, y);
        ink.append(part);
    }
    ascent = std::max(ascent, other.ascent - y);
    descent = std::max(descent, other.descent + y);
}

void MathBox::draw(const QPainterPath& path) {
    ink.append({.path = path, .bounds = path.boundingRect(), .at = {}});
}

void MathBox::raise(qreal y) {
    for (MathInk& part : ink) {
        part.at -= QPointF(0, y);
    }
    ascent += y;
    descent -= y;
}

QRectF MathBox::inkArea() const {
    QRectF area;
    for (const MathInk& part : ink) {
        area |= part.area();
    }
    return area;
}

}  // namespace hearth::ui
