// Marks, stacks and arrays of math_layout.h.
#include <algorithm>
#include <numeric>

#include "markdown/math_layout.h"
#include "markdown/math_shapes.h"

namespace hearth::ui {

namespace {

// The letter that an accent stands on; null: it stands on more than a letter.
const MathNode* letterOf(const MathNode& node) {
    if (node.kind == MathKind::Row && node.parts.size() == 1) {
        return letterOf(node.parts.front());
    }
    return node.kind == MathKind::Symbol ? &node : nullptr;
}

bool isSlanted(const MathNode* letter) {
    return letter != nullptr &&
           (letter->face == MathFace::Italic || letter->face == MathFace::BoldItalic);
}

QPainterPath dots(int count, QPointF middle, qreal radius) {
    QPainterPath path;
    path.setFillRule(Qt::WindingFill);
    const qreal apart = 3.4 * radius;
    for (int i = 0; i < count; ++i) {
        path.addEllipse(middle + QPointF((i - (count - 1) / 2.0) * apart, 0), radius, radius);
    }
    return path;
}

}  // namespace

MathBox MathLayout::accent(const MathNode& node, MathStyle style) {
    MathBox base = box(node.parts.front(), style);
    switch (node.mark) {
        case MathMark::Overline:
        case MathMark::Underline:
        case MathMark::RightArrow:
        case MathMark::LeftArrow:
        case MathMark::BothArrow:
        case MathMark::Overbrace:
        case MathMark::Underbrace:
            return lineAlong(node.mark, std::move(base), style);
        case MathMark::Box:
        case MathMark::Cancel:
        case MathMark::BackCancel:
        case MathMark::CrossCancel:
            return struck(node.mark, std::move(base), style);
        case MathMark::Phantom:
        case MathMark::HorizontalPhantom:
        case MathMark::VerticalPhantom:
            base.ink.clear();
            if (node.mark == MathMark::HorizontalPhantom) {
                base.ascent = base.descent = 0;
            } else if (node.mark == MathMark::VerticalPhantom) {
                base.width = base.overhang = 0;
            }
            return base;
        default:
            return markAbove(node, std::move(base), style);
    }
}

MathBox MathLayout::markAbove(const MathNode& node, MathBox base, MathStyle style) const {
    const qreal size = em(style);
    const qreal line = rule(style);
    const MathNode* letter = letterOf(node.parts.front());
    const QRectF ink =
        base.ink.isEmpty() ? QRectF(0, -size / 2, size / 2, size / 2) : base.inkArea();
    // The top of a slanted letter lies further to the right.
    const qreal middle =
        ink.center().x() + (isSlanted(letter) ? 0.1 * std::min(ink.height(), size) : 0);
    const qreal bottom = std::min(ink.top(), -xHeight(style)) - 0.09 * size;
    const bool wide = node.mark == MathMark::WideHat || node.mark == MathMark::WideTilde;
    const qreal width = wide ? std::max(0.45 * size, ink.width()) : 0.42 * size;
    const qreal height = (wide ? 0.2 : 0.17) * size;
    const QRectF area(middle - width / 2, bottom - height, width, height);
    QPainterPath path;
    switch (node.mark) {
        case MathMark::Hat:
        case MathMark::WideHat:
            path = hatShape(area, line, false);
            break;
        case MathMark::Check:
            path = hatShape(area, line, true);
            break;
        case MathMark::Tilde:
        case MathMark::WideTilde:
            path = tildeShape(area, line);
            break;
        case MathMark::Bar: {
            const qreal length = std::max(0.36 * size, 0.9 * ink.width());
            path = ruleShape({middle - length / 2, bottom - line, length, line});
            break;
        }
        case MathMark::Breve:
            path = breveShape(area, line);
            break;
        case MathMark::Vector: {
            const qreal length = std::max(0.5 * size, ink.width());
            path = arrowShape(QStringLiteral("→"),
                              {middle - length / 2, bottom - 0.22 * size, length, 0.22 * size},
                              0.85 * line);
            break;
        }
        case MathMark::Dot:
        case MathMark::TwoDots:
        case MathMark::ThreeDots: {
            const int count = node.mark == MathMark::Dot       ? 1
                              : node.mark == MathMark::TwoDots ? 2
                                                               : 3;
            path = dots(count, {middle, bottom - 0.06 * size}, 0.06 * size);
            break;
        }
        case MathMark::Ring: {
            const QRectF ring(middle - 0.1 * size, bottom - 0.2 * size, 0.2 * size, 0.2 * size);
            path.addEllipse(ring);
            path.addEllipse(ring.adjusted(line, line, -line, -line));
            break;
        }
        case MathMark::Acute:
            path = strokeShape({middle - 0.07 * size, bottom}, {middle + 0.1 * size, area.top()},
                               line);
            break;
        default:  // Grave
            path = strokeShape({middle + 0.07 * size, bottom}, {middle - 0.1 * size, area.top()},
                               line);
            break;
    }
    base.draw(path);
    base.ascent = std::max(base.ascent, -path.boundingRect().top());
    return base;
}

MathBox MathLayout::lineAlong(MathMark mark, MathBox base, MathStyle style) const {
    const qreal size = em(style);
    const qreal line = rule(style);
    const bool below = mark == MathMark::Underline || mark == MathMark::Underbrace;
    const bool brace = mark == MathMark::Overbrace || mark == MathMark::Underbrace;
    const bool arrow =
        mark == MathMark::RightArrow || mark == MathMark::LeftArrow || mark == MathMark::BothArrow;
    const qreal height = brace ? 0.36 * size : arrow ? 0.28 * size : line;
    const qreal gap = (brace ? 0.08 : 0.12) * size;
    base.width = std::max(base.width, (brace ? 1.2 : 0.4) * size);
    base.ascent = std::max(base.ascent, xHeight(style));
    const qreal top = below ? std::max(0.0, base.descent) + gap : -base.ascent - gap - height;
    const QRectF area(0, top, base.width, height);
    if (brace) {
        base.draw(lyingBrace(area, line, below));
    } else if (arrow) {
        const QString kind = mark == MathMark::RightArrow  ? QStringLiteral("→")
                             : mark == MathMark::LeftArrow ? QStringLiteral("←")
                                                           : QStringLiteral("↔");
        base.draw(arrowShape(kind, area, line));
    } else {
        base.draw(ruleShape(area));
    }
    base.ascent = std::max(base.ascent, -top + (brace ? 0 : line));
    base.descent = std::max(base.descent, area.bottom());
    return base;
}

MathBox MathLayout::struck(MathMark mark, MathBox base, MathStyle style) const {
    const qreal line = rule(style);
    const QRectF area(0, -base.ascent, base.width, base.height());
    if (mark == MathMark::Box) {
        const qreal inset = 0.3 * em(style) + line;
        MathBox whole;
        whole.place(base, inset);
        whole.width = base.width + 2 * inset;
        whole.ascent = base.ascent + inset;
        whole.descent = base.descent + inset;
        whole.draw(frameShape({0, -whole.ascent, whole.width, whole.height()}, line));
        return whole;
    }
    if (mark != MathMark::BackCancel) {
        base.draw(strokeShape(area.bottomLeft(), area.topRight(), line));
    }
    if (mark != MathMark::Cancel) {
        base.draw(strokeShape(area.topLeft(), area.bottomRight(), line));
    }
    return base;
}

MathBox MathLayout::stack(const MathNode& node, MathStyle style) {
    const MathStyle small = scriptStyle(style);
    return limits(box(node.parts[0], style), box(node.parts[2], small), box(node.parts[1], small),
                  style);
}

MathBox MathLayout::arrow(const MathNode& node, MathStyle style) {
    const qreal size = em(style);
    const MathBox above = box(node.parts[0], scriptStyle(style));
    const MathBox below = box(node.parts[1], scriptStyle(style));
    const qreal width = std::max({1.7 * size, above.width + size, below.width + size});
    const qreal half = 0.2 * size;
    MathBox sign;
    sign.width = width;
    sign.draw(arrowShape(node.text, {0, -axis(style) - half, width, 2 * half}, rule(style)));
    sign.ascent = axis(style) + 0.5 * half;
    sign.descent = -axis(style) + 0.5 * half;
    MathBox whole = limits(sign, below, above, style);
    const QRectF ink = sign.inkArea();
    whole.ascent = std::max(whole.ascent, -ink.top());
    whole.descent = std::max(whole.descent, ink.bottom());
    return whole;
}

MathBox MathLayout::array(const MathNode& node, MathStyle style) {
    const qreal size = em(style);
    const MathStyle inner = node.displayed && !isScript(style) ? MathStyle::Display
                            : style == MathStyle::Display      ? MathStyle::Text
                                                               : style;
    const auto columns = static_cast<std::size_t>(node.width);
    const std::size_t rows = columns == 0 ? 0 : node.parts.size() / columns;
    QList<QChar> sides;
    QList<int> bars;  // columns with a line before them
    for (const QChar c : node.columns) {
        if (c == QLatin1Char('|')) {
            bars.append(static_cast<int>(sides.size()));
        } else {
            sides.append(c);
        }
    }

    std::vector<MathBox> cells;
    std::vector<qreal> widths(columns);
    std::vector<MathBox> lines(rows);  // their heights alone
    for (std::size_t i = 0; i < node.parts.size(); ++i) {
        const std::size_t column = i % columns;
        std::vector<MathNode> parts;
        // An empty part before a relation gives it its space.
        if (node.aligned && column % 2 == 1 && node.parts[i].kind == MathKind::Row) {
            parts.emplace_back();
            parts.insert(parts.end(), node.parts[i].parts.begin(), node.parts[i].parts.end());
        }
        cells.push_back(parts.empty() ? box(node.parts[i], inner) : row(parts, inner));
        widths[column] = std::max(widths[column], cells.back().width);
        MathBox& line = lines[i / columns];
        line.ascent = std::max(line.ascent, cells.back().ascent);
        line.descent = std::max(line.descent, cells.back().descent);
    }
    const bool small = isScript(style);
    const qreal between = (node.displayed ? 0.45 : small ? 0.1 : 0.24) * size;
    std::vector<qreal> tops;  // of each row, and the end
    qreal y = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        lines[i].ascent = std::max(lines[i].ascent, 0.74 * size);
        lines[i].descent = std::max(lines[i].descent, 0.24 * size);
        tops.push_back(y);
        y += lines[i].height() + between;
        if (i + 1 < rows) {
            y += static_cast<qreal>(node.rowGaps.value(static_cast<int>(i), 0)) * size;
        }
    }
    tops.push_back(y);
    const qreal height = std::max(0.0, y - between);
    const qreal up = axis(style) + height / 2;  // the middle lies on the axis
    const qreal edge = bars.isEmpty() && node.lines.isEmpty() ? 0 : 0.5 * node.columnGap * size;

    MathBox whole;
    std::vector<qreal> lefts;
    qreal x = edge;
    for (std::size_t column = 0; column < columns; ++column) {
        lefts.push_back(x);
        const bool pair = node.aligned && column % 2 == 0;
        x += widths[column] + (column + 1 == columns || pair ? 0 : node.columnGap * size);
    }
    whole.width = x + edge;
    qreal labels = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::size_t column = i % columns;
        const QChar side =
            node.aligned ? QLatin1Char(column % 2 == 0 ? 'r' : 'l')
            : sides.isEmpty()
                ? QLatin1Char('c')
                : sides.at(std::min(static_cast<qsizetype>(column), sides.size() - 1));
        const qreal room = widths[column] - cells[i].width;
        const qreal shift = side == QLatin1Char('r')   ? room
                            : side == QLatin1Char('l') ? 0
                                                       : room / 2;
        const MathBox& line = lines[i / columns];
        whole.place(cells[i], lefts[column] + shift, tops[i / columns] + line.ascent - up);
    }
    for (std::size_t i = 0; i < rows; ++i) {
        const QString label = node.rowLabels.value(static_cast<int>(i));
        if (!label.isEmpty()) {
            const MathBox text = letters(label, MathFace::Upright, inner);
            whole.place(text, whole.width + 2 * size, tops[i] + lines[i].ascent - up);
            labels = std::max(labels, text.width + 2 * size);
        }
    }
    const qreal line = rule(style);
    for (const int bar : bars) {
        const auto column = static_cast<std::size_t>(bar);
        const qreal at = column == 0         ? line / 2
                         : column >= columns ? whole.width - line / 2
                                             : lefts[column] - node.columnGap * size / 2;
        whole.draw(ruleShape({at - line / 2, -up - between / 2, line, height + between}));
    }
    for (const int row : node.lines) {
        const auto index = std::min(static_cast<std::size_t>(row), rows);
        const qreal at = tops[index] - between / 2 - up;
        whole.draw(ruleShape({0, at - line / 2, whole.width, line}));
    }
    whole.ascent = std::max(whole.ascent, up + (edge > 0 ? between : 0));
    whole.descent = std::max(whole.descent, height - up + (edge > 0 ? between : 0));
    whole.width += labels;
    return fenced(std::move(whole), node.text, node.closing, style);
}

}  // namespace hearth::ui
