#include "markdown/math_layout.h"

#include <algorithm>

#include "markdown/math_shapes.h"
#include "markdown/math_spacing.h"

namespace hearth::ui {

namespace {

// A letter, also one in braces: its scripts stand at a fixed height.
bool isLetter(const MathNode& node) {
    if (node.kind == MathKind::Row && node.parts.size() == 1) {
        return isLetter(node.parts.front());
    }
    return node.kind == MathKind::Symbol || node.kind == MathKind::Word;
}

bool isPrimes(const MathNode& row) {
    return !row.parts.empty() &&
           std::all_of(row.parts.begin(), row.parts.end(), [](const MathNode& node) {
               const MathNode& part =
                   node.kind == MathKind::Row && node.parts.size() == 1 ? node.parts.front() : node;
               return part.kind == MathKind::Symbol && part.text == QStringLiteral("′");
           });
}

bool hasLimits(const MathNode& node, MathStyle style) {
    return node.limits == MathLimits::Always ||
           (node.limits == MathLimits::Display && style == MathStyle::Display);
}

}  // namespace

MathStyle scriptStyle(MathStyle style) {
    return isScript(style) ? MathStyle::ScriptScript : MathStyle::Script;
}

MathStyle fractionStyle(MathStyle style) {
    return style == MathStyle::Display ? MathStyle::Text : scriptStyle(style);
}

bool isScript(MathStyle style) {
    return style == MathStyle::Script || style == MathStyle::ScriptScript;
}

qreal MathLayout::em(MathStyle style) const {
    return size_ * (style == MathStyle::Script         ? 0.72
                    : style == MathStyle::ScriptScript ? 0.56
                                                       : 1.0);
}

std::optional<MathBox> MathLayout::layOut(const MathNode& formula, MathStyle style) {
    known_ = true;
    MathBox box = this->box(formula, style);
    if (!known_) {
        return std::nullopt;
    }
    // A slanted letter reaches over its width on both sides.
    const QRectF area = box.inkArea();
    const qreal left = std::max(0.0, -area.left());
    MathBox whole;
    whole.place(box, left);
    whole.width = std::max(box.width, area.right()) + left;
    whole.ascent = std::max({whole.ascent, -area.top(), xHeight(style)});
    whole.descent = std::max({whole.descent, area.bottom(), 0.0});
    return whole;
}

MathBox MathLayout::box(const MathNode& node, MathStyle style) {
    switch (node.kind) {
        case MathKind::Symbol:
        case MathKind::Word:
            return letters(node.text, node.face, style);
        case MathKind::Operator:
            return operatorSign(node, style);
        case MathKind::Row:
            return row(node.parts, style);
        case MathKind::Scripts:
            return scripts(node, style);
        case MathKind::Fraction:
            return fraction(node, style);
        case MathKind::Radical:
            return radical(node, style);
        case MathKind::Fence:
            return fence(node, style);
        case MathKind::Delimiter:
            return delimiter(node.text, node.amount * em(style), style);
        case MathKind::Accent:
            return accent(node, style);
        case MathKind::Stack:
            return stack(node, style);
        case MathKind::Arrow:
            return arrow(node, style);
        case MathKind::Space: {
            MathBox space;
            space.width = node.amount * em(style);
            return space;
        }
        case MathKind::Array:
            return array(node, style);
        case MathKind::Styled:
            return box(node.parts.front(), node.style);
    }
    return {};
}

MathBox MathLayout::letters(const QString& text, MathFace face, MathStyle style) {
    bool known = true;
    MathBox box = font_.letters(text, face, em(style), &known);
    known_ = known_ && known;
    return box;
}

// Delimiters of height 0 become as tall as all others of the row.
MathBox MathLayout::row(const std::vector<MathNode>& parts, MathStyle style) {
    const std::vector<MathClass> classes = classesIn(parts);
    std::vector<MathBox> boxes;
    boxes.reserve(parts.size());
    MathBox tallest;
    for (const MathNode& part : parts) {
        const bool grows = part.kind == MathKind::Delimiter && part.amount == 0;
        boxes.push_back(grows ? MathBox() : box(part, style));
        tallest.ascent = std::max(tallest.ascent, boxes.back().ascent);
        tallest.descent = std::max(tallest.descent, boxes.back().descent);
    }
    MathBox row;
    std::optional<MathClass> before;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].kind == MathKind::Delimiter && parts[i].amount == 0) {
            boxes[i] = delimiter(parts[i].text, fenceHeight(tallest, style), style);
        }
        if (parts[i].kind != MathKind::Space) {
            row.width += before ? mathSpace(*before, classes[i], isScript(style)) * em(style) : 0;
            before = classes[i];
        }
        row.place(boxes[i], row.width);
        row.width += boxes[i].width;
        row.overhang = boxes[i].overhang;
    }
    return row;
}

// Centred on the axis, and larger in display style.
MathBox MathLayout::operatorSign(const MathNode& node, MathStyle style) {
    const bool display = style == MathStyle::Display;
    const bool integral = QStringView(u"∫∬∭∮∯∰").contains(node.text.front());
    MathBox sign = letters(node.text, MathFace::Upright, style);
    const qreal height = em(style) * (integral ? (display ? 2.15 : 1.35) : (display ? 1.5 : 1.05));
    if (sign.height() > 0) {
        bool known = true;
        const qreal grown = em(style) * height / sign.height();
        sign = font_.letters(node.text, MathFace::Upright, grown, &known);
    }
    const qreal middle = (sign.ascent - sign.descent) / 2;
    sign.raise(axis(style) - middle);
    // The lower end of an integral lies further to the left.
    sign.overhang = integral ? std::min(0.25 * sign.width, 0.16 * em(style)) : 0;
    return sign;
}

MathBox MathLayout::limits(const MathBox& base, const MathBox& below, const MathBox& above,
                           MathStyle style) const {
    const qreal gap = 0.16 * em(style);
    MathBox whole;
    whole.width = std::max({base.width, below.width, above.width});
    whole.place(base, (whole.width - base.width) / 2);
    if (!above.ink.isEmpty()) {
        whole.place(above, (whole.width - above.width) / 2,
                    -(base.ascent + gap + std::max(0.0, above.descent)));
    }
    if (!below.ink.isEmpty()) {
        const qreal drop = std::max(below.ascent, xHeight(scriptStyle(style)));
        whole.place(below, (whole.width - below.width) / 2, base.descent + gap + drop);
    }
    return whole;
}

MathBox MathLayout::scripts(const MathNode& node, MathStyle style) {
    const MathNode& base = node.parts[0];
    const MathStyle small = scriptStyle(style);
    const MathBox body = box(base, style);
    const MathBox sub = box(node.parts[1], small);
    if (hasLimits(node, style)) {
        return limits(body, sub, box(node.parts[2], small), style);
    }
    const bool primes = isPrimes(node.parts[2]);
    const MathBox sup = box(node.parts[2], primes ? style : small);
    const bool letter = isLetter(base);
    qreal up = letter ? 0 : body.ascent - 0.42 * em(small);
    if (primes) {
        up = std::max(0.0, body.ascent - sup.ascent);
    } else {
        up = std::max({up, (style == MathStyle::Display ? 0.43 : 0.40) * em(style),
                       sup.descent + 0.25 * xHeight(style)});
    }
    qreal down = letter ? 0 : body.descent + 0.1 * em(small);
    MathBox whole;
    whole.place(body, 0);
    whole.width = body.width;
    const qreal behind = 0.04 * em(style);
    if (!sup.ink.isEmpty()) {
        down = std::max(down, 0.22 * em(style));
    } else {
        down = std::max({down, 0.17 * em(style), sub.ascent - 0.8 * xHeight(style)});
    }
    if (!sub.ink.isEmpty()) {
        if (!sup.ink.isEmpty()) {
            const qreal gap = (up - sup.descent) - (sub.ascent - down);
            down += std::max(0.0, 4 * rule(small) - gap);
        }
        const qreal x = body.width - body.overhang;
        whole.place(sub, x, down);
        whole.width = std::max(whole.width, x + sub.width + behind);
    }
    if (!sup.ink.isEmpty()) {
        const qreal x = body.width + (body.overhang > 0 || !letter ? 0 : behind);
        whole.place(sup, x, -up);
        whole.width = std::max(whole.width, x + sup.width + behind);
    }
    return whole;
}

MathBox MathLayout::fraction(const MathNode& node, MathStyle style) {
    const bool display = style == MathStyle::Display;
    const MathBox over = box(node.parts[0], fractionStyle(style));
    const MathBox under = box(node.parts[1], fractionStyle(style));
    const qreal line = node.line ? rule(style) : 0;
    const qreal gap = em(style) * (display ? 0.18 : 0.1);
    const qreal middle = axis(style);
    const qreal beside = node.line ? 0.1 * em(style) : 0;
    const qreal up =
        std::max(middle + line / 2 + gap + over.descent, (display ? 0.68 : 0.44) * em(style));
    const qreal down =
        std::max(under.ascent + gap + line / 2 - middle, (display ? 0.72 : 0.38) * em(style));
    MathBox whole;
    const qreal width = std::max(over.width, under.width) + 2 * beside;
    whole.width = width + 2 * beside;
    whole.place(over, (whole.width - over.width) / 2, -up);
    whole.place(under, (whole.width - under.width) / 2, down);
    if (node.line) {
        whole.draw(ruleShape({beside, -middle - line / 2, width, line}));
    }
    return fenced(std::move(whole), node.text, node.closing, style);
}

MathBox MathLayout::radical(const MathNode& node, MathStyle style) {
    const MathBox body = box(node.parts[0], style);
    const MathBox index = box(node.parts[1], MathStyle::ScriptScript);
    const qreal line = rule(style);
    const qreal gap = style == MathStyle::Display ? line + 0.12 * em(style) : 2 * line;
    const qreal ascent = std::max(body.ascent, xHeight(style)) + gap + line;
    const qreal descent = std::max(body.descent, 0.1 * em(style)) + line;
    const qreal height = ascent + descent;
    const qreal sign = 0.42 * em(style) + std::min(0.12 * height, 0.4 * em(style));
    const qreal lift =
        descent - 0.55 * height - index.descent;  // the index sits on the sign's tick
    const qreal left = std::max(0.0, index.width - 0.45 * sign);
    MathBox whole;
    whole.draw(
        rootShape({left, -ascent, sign + body.width + 0.12 * em(style), height}, sign, line));
    whole.ascent = ascent + line;
    whole.descent = descent;
    whole.place(index, left + 0.45 * sign - index.width > 0 ? left + 0.45 * sign - index.width : 0,
                lift - 0.06 * em(style));
    whole.place(body, left + sign + 0.05 * em(style));
    whole.width = left + sign + body.width + 0.15 * em(style);
    return whole;
}

qreal MathLayout::fenceHeight(const MathBox& body, MathStyle style) const {
    const qreal half = std::max(body.ascent - axis(style), body.descent + axis(style));
    return std::max(2 * half * 0.95, 2 * half - 0.3 * em(style));
}

// A letter where that is tall enough, else a shape; centred on the axis.
MathBox MathLayout::delimiter(const QString& text, qreal height, MathStyle style) {
    if (text.isEmpty()) {
        MathBox nothing;
        nothing.width = 0.12 * em(style);
        return nothing;
    }
    MathBox sign = letters(text, MathFace::Upright, style);
    if (height > 1.12 * sign.height() && sign.height() > 0) {
        const qreal width = delimiterWidth(text, height, em(style));
        const QRectF area(0.08 * em(style), -height / 2, width, height);
        QPainterPath path = delimiterShape(text, area, 1.15 * rule(style));
        MathBox tall;
        tall.width = width + 0.16 * em(style);
        if (path.isEmpty()) {
            const QRectF ink = sign.inkArea();
            for (const MathInk& part : sign.ink) {
                path.addPath(
                    QTransform(part.scale, 0, 0, part.scale * height / ink.height(), part.at.x(), 0)
                        .map(part.path));
            }
            path.setFillRule(Qt::WindingFill);
            tall.width = sign.width;
        }
        tall.draw(path);
        const QRectF ink = path.boundingRect();
        tall.ascent = -ink.top();
        tall.descent = ink.bottom();
        sign = tall;
    }
    sign.raise(axis(style) - (sign.ascent - sign.descent) / 2);
    return sign;
}

MathBox MathLayout::fenced(MathBox body, const QString& open, const QString& close,
                           MathStyle style) {
    if (open.isEmpty() && close.isEmpty()) {
        return body;
    }
    const qreal height = fenceHeight(body, style);
    const MathBox left = delimiter(open, height, style);
    const MathBox right = delimiter(close, height, style);
    MathBox whole;
    whole.place(left, 0);
    whole.place(body, left.width);
    whole.place(right, left.width + body.width);
    whole.width = left.width + body.width + right.width;
    return whole;
}

MathBox MathLayout::fence(const MathNode& node, MathStyle style) {
    MathBox body = row(node.parts.front().parts, style);
    if (node.text.isEmpty() && node.closing.isEmpty()) {
        return body;
    }
    return fenced(std::move(body), node.text, node.closing, style);
}

}  // namespace hearth::ui
