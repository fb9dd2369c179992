// Outlines of what grows with a formula: delimiters, roots, arrows, braces, marks above letters.
// Each lies in a rectangle; `line` is the thickness of its strokes.
#pragma once

#include <QPainterPath>
#include <QRectF>
#include <QString>

namespace hearth::ui {

// A tall delimiter; empty: it has no shape here and a letter has to be stretched.
QPainterPath delimiterShape(const QString& delimiter, const QRectF& area, qreal line);
// How wide a delimiter of this height is.
qreal delimiterWidth(const QString& delimiter, qreal height, qreal em);

// The sign of a root with the line over its radicand. sign: the width of the part on the left.
QPainterPath rootShape(const QRectF& area, qreal sign, qreal line);

// Along the middle of the area; "→", "←", "↔", "⇒", "⇐", "⇌".
QPainterPath arrowShape(const QString& arrow, const QRectF& area, qreal line);

// A brace that lies above something, its tip upwards; below: below it.
QPainterPath lyingBrace(const QRectF& area, qreal line, bool below);

QPainterPath hatShape(const QRectF& area, qreal line, bool upsideDown);
QPainterPath tildeShape(const QRectF& area, qreal line);
QPainterPath breveShape(const QRectF& area, qreal line);
// A straight stroke from a corner to the other.
QPainterPath strokeShape(QPointF from, QPointF to, qreal line);
QPainterPath frameShape(const QRectF& area, qreal line);
QPainterPath ruleShape(const QRectF& area);

}  // namespace hearth::ui
