#include "markdown/math_shapes.h"

#include <QPainterPathStroker>
#include <algorithm>

namespace hearth::ui {

namespace {

QPainterPath stroked(const QPainterPath& middle, qreal line, Qt::PenCapStyle cap = Qt::FlatCap) {
    QPainterPathStroker stroker;
    stroker.setWidth(line);
    stroker.setCapStyle(cap);
    stroker.setJoinStyle(Qt::MiterJoin);
    stroker.setCurveThreshold(0.05);
    QPainterPath path = stroker.createStroke(middle);
    path.setFillRule(Qt::WindingFill);
    return path;
}

QPainterPath mirrored(const QPainterPath& path, const QRectF& area) {
    return QTransform(-1, 0, 0, 1, area.left() + area.right(), 0).map(path);
}

// The area that the middle of a stroke may reach.
QRectF within(const QRectF& area, qreal line) {
    const qreal half = line / 2;
    return area.adjusted(half, half, -half, -half);
}

QPainterPath parenthesis(const QRectF& area, qreal line) {
    // Two arcs, apart in the middle by twice a line, so that it is thin at its ends.
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    const qreal top = area.top();
    const qreal bottom = area.bottom();
    const qreal left = area.left();
    const qreal right = area.right();
    const qreal third = area.height() * 0.3;
    // The middle of a cubic curve lies three quarters of the way to its controls.
    const qreal outer = right - (right - left) * 4 / 3;
    const qreal inner = right - (right - left - 1.25 * line) * 4 / 3;
    path.moveTo(right - line * 0.7, top);
    path.cubicTo(outer, top + third, outer, bottom - third, right - line * 0.7, bottom);
    path.lineTo(right, bottom);
    path.cubicTo(inner, bottom - third, inner, top + third, right, top);
    path.closeSubpath();
    return path;
}

QPainterPath bracket(const QRectF& area, qreal line, bool foot, bool head) {
    const QRectF inner = within(area, line);
    QPainterPath middle;
    if (head) {
        middle.moveTo(area.right(), inner.top());
        middle.lineTo(inner.left(), inner.top());
    } else {
        middle.moveTo(inner.left(), area.top());
    }
    middle.lineTo(inner.left(), foot ? inner.bottom() : area.bottom());
    if (foot) {
        middle.lineTo(area.right(), inner.bottom());
    }
    return stroked(middle, line);
}

QPainterPath brace(const QRectF& area, qreal line) {
    const QRectF inner = within(area, line);
    const qreal x = inner.center().x();
    const qreal y = inner.center().y();
    const qreal bend = std::min(inner.height() / 4, inner.width() * 1.1);
    QPainterPath middle;
    middle.moveTo(inner.right(), inner.top());
    middle.quadTo(x, inner.top(), x, inner.top() + bend);
    middle.lineTo(x, y - bend);
    middle.quadTo(x, y, inner.left(), y);
    middle.quadTo(x, y, x, y + bend);
    middle.lineTo(x, inner.bottom() - bend);
    middle.quadTo(x, inner.bottom(), inner.right(), inner.bottom());
    return stroked(middle, line);
}

QPainterPath angle(const QRectF& area, qreal line) {
    const QRectF inner = within(area, line);
    QPainterPath middle;
    middle.moveTo(inner.right(), inner.top());
    middle.lineTo(inner.left() + line / 2, inner.center().y());
    middle.lineTo(inner.right(), inner.bottom());
    return stroked(middle, line);
}

// One head of an arrow whose tip is at the right end of the area.
void addHead(QPainterPath& middle, const QRectF& area, bool upper, bool lower) {
    const qreal reach = area.height() / 2;
    const QPointF tip(area.right(), area.center().y());
    if (upper) {
        middle.moveTo(tip.x() - reach, area.top());
        middle.lineTo(tip);
    }
    if (lower) {
        middle.moveTo(tip.x() - reach, area.bottom());
        middle.lineTo(tip);
    }
}

QPainterPath rightArrow(const QRectF& area, qreal line, bool isDouble) {
    const QRectF inner = within(area, line);
    const qreal y = inner.center().y();
    QPainterPath middle;
    if (isDouble) {
        const qreal apart = inner.height() / 4;
        for (const qreal shift : {-apart, apart}) {
            middle.moveTo(area.left(), y + shift);
            middle.lineTo(inner.right() - apart, y + shift);
        }
    } else {
        middle.moveTo(area.left(), y);
        middle.lineTo(inner.right(), y);
    }
    addHead(middle, inner, true, true);
    return stroked(middle, line, Qt::RoundCap);
}

QPainterPath harpoons(const QRectF& area, qreal line) {
    const QRectF inner = within(area, line);
    const qreal quarter = inner.height() / 4;
    const QRectF upper(inner.left(), inner.top(), inner.width(), 2 * quarter);
    QPainterPath middle;
    middle.moveTo(upper.left(), upper.center().y());
    middle.lineTo(upper.right(), upper.center().y());
    addHead(middle, upper, true, false);
    QPainterPath both = middle;
    // The lower one is the upper one turned around.
    both.addPath(QTransform(-1, 0, 0, -1, area.left() + area.right(), area.top() + area.bottom())
                     .map(middle));
    return stroked(both, line, Qt::RoundCap);
}

}  // namespace

QPainterPath delimiterShape(const QString& delimiter, const QRectF& area, qreal line) {
    if (delimiter.size() != 1) {
        return {};
    }
    switch (delimiter.front().unicode()) {
        case u'(':
            return parenthesis(area, line);
        case u')':
            return mirrored(parenthesis(area, line), area);
        case u'[':
            return bracket(area, line, true, true);
        case u']':
            return mirrored(bracket(area, line, true, true), area);
        case u'⌊':
            return bracket(area, line, true, false);
        case u'⌋':
            return mirrored(bracket(area, line, true, false), area);
        case u'⌈':
            return bracket(area, line, false, true);
        case u'⌉':
            return mirrored(bracket(area, line, false, true), area);
        case u'{':
            return brace(area, line);
        case u'}':
            return mirrored(brace(area, line), area);
        case u'⟨':
            return angle(area, line);
        case u'⟩':
            return mirrored(angle(area, line), area);
        case u'|':
            return ruleShape({area.center().x() - line / 2, area.top(), line, area.height()});
        case u'‖': {
            QPainterPath path = ruleShape({area.left() + line, area.top(), line, area.height()});
            path.addRect(area.right() - 2 * line, area.top(), line, area.height());
            return path;
        }
        case u'/':
            return strokeShape(area.bottomLeft(), area.topRight(), line);
        case u'\\':
            return strokeShape(area.topLeft(), area.bottomRight(), line);
        default:
            return {};
    }
}

qreal delimiterWidth(const QString& delimiter, qreal height, qreal em) {
    const QChar letter = delimiter.isEmpty() ? QChar() : delimiter.front();
    const qreal grown = std::min(0.25 * em, 0.06 * height);
    if (QStringView(u"()").contains(letter)) {
        return 0.24 * em + grown;
    }
    if (QStringView(u"{}").contains(letter)) {
        return 0.40 * em + 0.6 * grown;
    }
    if (QStringView(u"⟨⟩").contains(letter)) {
        return 0.22 * em + grown;
    }
    if (QStringView(u"/\\").contains(letter)) {
        return std::min(height * 0.4, em);
    }
    return letter == QLatin1Char('|') ? 0.2 * em : letter == QChar(u'‖') ? 0.36 * em : 0.28 * em;
}

QPainterPath rootShape(const QRectF& area, qreal sign, qreal line) {
    const qreal right = area.left() + sign;
    const qreal bottom = area.bottom();
    const qreal tick = area.top() + area.height() * 0.56;
    const qreal thick = line * 1.5;
    // The outline: along the upper side of all strokes, and back along the lower side.
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    const qreal foot = area.left() + sign * 0.45;
    path.moveTo(area.left(), tick + line * 0.9);
    path.lineTo(area.left() + sign * 0.22, tick);
    path.lineTo(foot + thick * 0.25, bottom - line * 2.2);
    path.lineTo(right - line * 0.35, area.top());
    path.lineTo(area.right(), area.top());
    path.lineTo(area.right(), area.top() + line);
    path.lineTo(right + line * 0.35, area.top() + line);
    path.lineTo(foot + thick * 0.55, bottom);
    path.lineTo(foot - thick * 0.35, bottom);
    path.lineTo(area.left() + sign * 0.22 - thick * 0.75, tick + line * 1.2);
    path.lineTo(area.left() + line * 0.3, tick + line * 1.7);
    path.closeSubpath();
    return path;
}

QPainterPath arrowShape(const QString& arrow, const QRectF& area, qreal line) {
    switch (arrow.isEmpty() ? u'→' : arrow.front().unicode()) {
        case u'←':
            return mirrored(rightArrow(area, line, false), area);
        case u'⇒':
            return rightArrow(area, line, true);
        case u'⇐':
            return mirrored(rightArrow(area, line, true), area);
        case u'↔': {
            QPainterPath path = rightArrow(area, line, false);
            path.addPath(mirrored(path, area).toReversed());
            return path;
        }
        case u'⇌':
            return harpoons(area, line);
        default:
            return rightArrow(area, line, false);
    }
}

QPainterPath lyingBrace(const QRectF& area, qreal line, bool below) {
    const QRectF standing(0, 0, area.height(), area.width());
    QPainterPath path = brace(standing, line);
    // The tip of a standing brace is on its left: a quarter turn takes it to the top.
    path = QTransform(0, 1, 1, 0, area.left(), area.top()).map(path);
    if (below) {
        path = QTransform(1, 0, 0, -1, 0, area.top() + area.bottom()).map(path);
    }
    return path;
}

QPainterPath hatShape(const QRectF& area, qreal line, bool upsideDown) {
    const QRectF inner = within(area, line);
    const qreal ends = upsideDown ? inner.top() : inner.bottom();
    const qreal tip = upsideDown ? inner.bottom() : inner.top();
    QPainterPath middle;
    middle.moveTo(inner.left(), ends);
    middle.lineTo(inner.center().x(), tip);
    middle.lineTo(inner.right(), ends);
    return stroked(middle, line);
}

QPainterPath tildeShape(const QRectF& area, qreal line) {
    const QRectF inner = within(area, line);
    const qreal third = inner.width() / 3;
    QPainterPath middle;
    middle.moveTo(inner.left(), inner.bottom());
    middle.cubicTo(inner.left() + third, inner.top() - inner.height(), inner.right() - third,
                   inner.bottom() + inner.height(), inner.right(), inner.top());
    return stroked(middle, line);
}

QPainterPath breveShape(const QRectF& area, qreal line) {
    const QRectF inner = within(area, line);
    QPainterPath middle;
    middle.moveTo(inner.topLeft());
    middle.quadTo(inner.center().x(), 2 * inner.bottom() - inner.top(), inner.right(), inner.top());
    return stroked(middle, line);
}

QPainterPath strokeShape(QPointF from, QPointF to, qreal line) {
    QPainterPath middle;
    middle.moveTo(from);
    middle.lineTo(to);
    return stroked(middle, line);
}

QPainterPath frameShape(const QRectF& area, qreal line) {
    QPainterPath path;  // odd and even: the inner area stays free
    path.addRect(area);
    path.addRect(area.adjusted(line, line, -line, -line));
    return path;
}

QPainterPath ruleShape(const QRectF& area) {
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    path.addRect(area);
    return path;
}

}  // namespace hearth::ui
