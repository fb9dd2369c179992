#include "markdown/math_text.h"

#include <QHash>
#include <algorithm>

#include "markdown/math_spacing.h"

namespace hearth::ui {

namespace {

constexpr QChar kNarrow(0x202F);  // both of these do not break
constexpr QChar kBlank(0x00A0);

// The one part of rows within rows.
const MathNode& core(const MathNode& node) {
    const bool alone =
        (node.kind == MathKind::Row || node.kind == MathKind::Styled) && node.parts.size() == 1;
    return alone ? core(node.parts.front()) : node;
}

bool isSymbol(const MathNode& node, QStringView text) {
    const MathNode& inner = core(node);
    return inner.kind == MathKind::Symbol && inner.text == text;
}

// True for parts that would fall apart beside a "/" or in a root.
bool isLoose(const MathNode& node, bool behindSlash) {
    const MathNode& inner = core(node);
    if (inner.kind == MathKind::Fraction || inner.kind == MathKind::Operator) {
        return true;
    }
    if (inner.kind == MathKind::Scripts) {
        return isLoose(inner.parts[0], behindSlash);
    }
    if (inner.kind != MathKind::Row && inner.kind != MathKind::Styled) {
        return inner.cls == MathClass::Bin || inner.cls == MathClass::Rel;
    }
    const std::vector<MathClass> classes = classesIn(inner.parts);
    int depth = 0;    // of parentheses, which hold their content together
    int letters = 0;  // outside of them; a number counts as one
    bool digits = false;
    for (std::size_t i = 0; i < inner.parts.size(); ++i) {
        const MathNode& part = inner.parts[i];
        const MathClass cls = classes[i];
        if (cls == MathClass::Open || cls == MathClass::Close) {
            // "f(x)" is one thing, "2(x)" is two.
            const bool applied = i > 0 && classes[i - 1] == MathClass::Ord && !digits &&
                                 inner.parts[i - 1].kind != MathKind::Space;
            letters += cls == MathClass::Open && depth == 0 && !applied ? 1 : 0;
            depth = std::max(0, depth + (cls == MathClass::Open ? 1 : -1));
            digits = false;
            continue;
        }
        if (depth > 0 || part.kind == MathKind::Space) {
            continue;
        }
        const bool joined = cls == MathClass::Ord || part.kind == MathKind::Fence;
        if (!joined || isSymbol(part, u"−") || isLoose(part, false)) {
            return true;
        }
        const bool digit = part.kind == MathKind::Symbol &&
                           (part.text.front().isDigit() || part.text == QLatin1String("."));
        letters += digit && digits ? 0 : 1;
        digits = digit;
    }
    return behindSlash && letters > 1;
}

// The character above or below the line; 0: Unicode has none.
QChar raised(QChar letter, bool above) {
    static const QString kFrom = QStringLiteral("0123456789+−=()ni");
    static const QString kAbove = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ");
    static const QString kBelow = QStringLiteral("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢ");
    const qsizetype at = kFrom.indexOf(letter);
    return at < 0 ? QChar() : (above ? kAbove : kBelow).at(at);
}

QChar combining(MathMark mark) {
    switch (mark) {
        case MathMark::Hat:
        case MathMark::WideHat:
            return QChar(0x302);
        case MathMark::Check:
            return QChar(0x30C);
        case MathMark::Tilde:
        case MathMark::WideTilde:
            return QChar(0x303);
        case MathMark::Bar:
        case MathMark::Overline:
            return QChar(0x304);
        case MathMark::Breve:
            return QChar(0x306);
        case MathMark::Vector:
        case MathMark::RightArrow:
            return QChar(0x20D7);
        case MathMark::Dot:
            return QChar(0x307);
        case MathMark::TwoDots:
            return QChar(0x308);
        case MathMark::Ring:
            return QChar(0x30A);
        case MathMark::Acute:
            return QChar(0x301);
        case MathMark::Grave:
            return QChar(0x300);
        default:
            return {};
    }
}

// Writes one formula, as rich or as plain text.
class MathLine {
public:
    explicit MathLine(bool rich) : rich_(rich) {}

    QString write(const MathNode& node);
    bool failed() const { return failed_; }

private:
    QString letters(const QString& text, MathFace face) const;
    QString row(const std::vector<MathNode>& parts);
    QString space(double em) const;
    QString scripts(const MathNode& node);
    QString script(const MathNode& node, bool above);
    QString fraction(const MathNode& node);
    QString radical(const MathNode& node);
    QString accent(const MathNode& node);
    QString array(const MathNode& node);
    QString inParentheses(const MathNode& node, bool needed);
    QString fail() {
        failed_ = true;
        return {};
    }

    bool rich_;
    bool failed_ = false;
    int depth_ = 0;  // scripts around
};

QString MathLine::letters(const QString& text, MathFace face) const {
    if (!rich_) {
        return text;
    }
    QString html = text.toHtmlEscaped();
    if (html.startsWith(QLatin1Char(' '))) {
        html.replace(0, 1, kBlank);
    }
    if (html.endsWith(QLatin1Char(' '))) {
        html.replace(html.size() - 1, 1, kBlank);
    }
    switch (face) {
        case MathFace::Italic:
            return QStringLiteral("<i>%1</i>").arg(html);
        case MathFace::Bold:
            return QStringLiteral("<b>%1</b>").arg(html);
        case MathFace::BoldItalic:
            return QStringLiteral("<b><i>%1</i></b>").arg(html);
        default:
            return html;
    }
}

QString MathLine::space(double em) const {
    if (em <= 0) {
        return {};
    }
    if (!rich_) {
        return QStringLiteral(" ");
    }
    return em < 0.25 ? QString(kNarrow) : em < 0.8 ? QString(kBlank) : QString(2, kBlank);
}

QString MathLine::inParentheses(const MathNode& node, bool needed) {
    const QString text = write(node);
    return needed ? QLatin1Char('(') + text + QLatin1Char(')') : text;
}

QString MathLine::row(const std::vector<MathNode>& parts) {
    const std::vector<MathClass> classes = classesIn(parts);
    const auto joins = [&](std::size_t i, bool before) {
        const MathClass cls = classes[i];
        return parts[i].kind != MathKind::Space && cls != MathClass::Bin && cls != MathClass::Rel &&
               cls != MathClass::Punct && cls != (before ? MathClass::Open : MathClass::Close);
    };
    QString text;
    std::optional<MathClass> last;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].kind == MathKind::Space) {
            text += space(parts[i].amount);
            continue;
        }
        if (last && mathSpace(*last, classes[i], depth_ > 0) > 0) {
            // A line may break behind a sign, not before it.
            const bool mayBreak =
                *last == MathClass::Bin || *last == MathClass::Rel || *last == MathClass::Punct;
            const bool wide =
                mayBreak || classes[i] == MathClass::Bin || classes[i] == MathClass::Rel;
            text += !rich_ || (mayBreak && depth_ == 0) ? QStringLiteral(" ")
                                                        : QString(wide ? kBlank : kNarrow);
        }
        const bool fraction = core(parts[i]).kind == MathKind::Fraction && core(parts[i]).line;
        const bool touches =
            (i > 0 && joins(i - 1, true)) || (i + 1 < parts.size() && joins(i + 1, false));
        text += inParentheses(parts[i], fraction && touches);
        last = classes[i];
    }
    return text;
}

QString MathLine::script(const MathNode& node, bool above) {
    if (!rich_) {
        const QString text = write(node);
        const QString sign = above ? QStringLiteral("^") : QStringLiteral("_");
        return sign + (text.size() > 1 ? QLatin1Char('(') + text + QLatin1Char(')') : text);
    }
    if (depth_ == 0) {
        ++depth_;
        const QString text = write(node);
        --depth_;
        return QStringLiteral("<%1>%2</%1>")
            .arg(above ? QStringLiteral("sup") : QStringLiteral("sub"), text);
    }
    // Qt raises a script of a script no further than the script.
    MathLine plain(false);
    QString text;
    for (const QChar letter : plain.write(node)) {
        const QChar small = raised(letter, above);
        if (!letter.isSpace() && small.isNull()) {
            return fail();
        }
        text += letter.isSpace() ? QString() : QString(small);
    }
    return text;
}

QString MathLine::scripts(const MathNode& node) {
    const bool loose = core(node.parts[0]).kind == MathKind::Fraction;
    QString text = inParentheses(node.parts[0], loose);
    if (node.parts[0].kind == MathKind::Accent && node.limits == MathLimits::Always && rich_) {
        return fail();  // what stands below a brace explains it
    }
    MathNode above = node.parts[2];
    while (!above.parts.empty() && isSymbol(above.parts.front(), u"′")) {
        text += QStringLiteral("′");
        above.parts.erase(above.parts.begin());
    }
    if (isSymbol(above, u"∘")) {
        text += QStringLiteral("°");
        above.parts.clear();
    }
    if (!node.parts[1].isEmptyRow()) {
        text += script(node.parts[1], false);
    }
    return above.isEmptyRow() ? text : text + script(above, true);
}

QString MathLine::fraction(const MathNode& node) {
    if (!node.line) {
        if (rich_) {
            return fail();
        }
        return QStringLiteral("%1%2, %3%4")
            .arg(node.text.isEmpty() ? QString() : QStringLiteral("binomial("),
                 write(node.parts[0]), write(node.parts[1]),
                 node.text.isEmpty() ? QString() : QStringLiteral(")"));
    }
    const MathNode& under = core(node.parts[1]);
    // "dx" and "∂x" are one thing.
    const bool differential =
        under.kind == MathKind::Row && under.parts.size() == 2 &&
        (isSymbol(under.parts.front(), u"d") || isSymbol(under.parts.front(), u"∂"));
    return inParentheses(node.parts[0], isLoose(node.parts[0], false)) + QLatin1Char('/') +
           inParentheses(under, !differential && isLoose(under, true));
}

QString MathLine::radical(const MathNode& node) {
    const bool loose = isLoose(node.parts[0], true);
    QString sign = QStringLiteral("√");
    if (isSymbol(node.parts[1], u"3")) {
        sign = QStringLiteral("∛");
    } else if (isSymbol(node.parts[1], u"4")) {
        sign = QStringLiteral("∜");
    } else if (!node.parts[1].isEmptyRow()) {
        sign = rich_ ? script(node.parts[1], true) + sign
                     : QStringLiteral("root[%1]").arg(write(node.parts[1]));
    }
    return sign +
           inParentheses(node.parts[0], loose || (!rich_ && sign.endsWith(QLatin1Char(']'))));
}

QString MathLine::accent(const MathNode& node) {
    const MathNode& base = core(node.parts[0]);
    const QChar mark = combining(node.mark);
    if (base.kind == MathKind::Symbol && !mark.isNull()) {
        return letters(base.text + mark, base.face);
    }
    if (rich_) {
        return fail();
    }
    static const QHash<MathMark, QString> names = {{MathMark::Hat, QStringLiteral("hat")},
                                                   {MathMark::WideHat, QStringLiteral("hat")},
                                                   {MathMark::Tilde, QStringLiteral("tilde")},
                                                   {MathMark::WideTilde, QStringLiteral("tilde")},
                                                   {MathMark::Bar, QStringLiteral("bar")},
                                                   {MathMark::Overline, QStringLiteral("bar")},
                                                   {MathMark::Vector, QStringLiteral("vector")},
                                                   {MathMark::RightArrow, QStringLiteral("vector")},
                                                   {MathMark::Dot, QStringLiteral("dot")},
                                                   {MathMark::TwoDots, QStringLiteral("ddot")},
                                                   {MathMark::Cancel, QStringLiteral("cancelled")}};
    const QString name = names.value(node.mark);
    const QString inner = write(node.parts[0]);
    return name.isEmpty() ? inner : name + QLatin1Char('(') + inner + QLatin1Char(')');
}

QString MathLine::array(const MathNode& node) {
    if (rich_) {
        return fail();
    }
    const bool cells = !node.aligned;
    QStringList rows;
    for (std::size_t from = 0; from < node.parts.size();
         from += static_cast<std::size_t>(node.width)) {
        QStringList row;
        for (std::size_t i = 0; i < static_cast<std::size_t>(node.width); ++i) {
            const QString cell = write(node.parts[from + i]);
            if (cells || !cell.isEmpty()) {
                row << cell;
            }
        }
        rows << row.join(cells ? QStringLiteral(", ") : QStringLiteral(" "));
    }
    return node.text + rows.join(QStringLiteral("; ")) + node.closing;
}

QString MathLine::write(const MathNode& node) {
    switch (node.kind) {
        case MathKind::Symbol:
        case MathKind::Word:
        case MathKind::Operator:
        case MathKind::Delimiter:
            return letters(node.text, node.face);
        case MathKind::Row:
        case MathKind::Styled:
            return row(node.parts);
        case MathKind::Scripts:
            return scripts(node);
        case MathKind::Fraction:
            return fraction(node);
        case MathKind::Radical:
            return radical(node);
        case MathKind::Fence:
            return letters(node.text, MathFace::Upright) +
                   inParentheses(node.parts.front(),
                                 node.text.isEmpty() && isLoose(node.parts.front(), false)) +
                   letters(node.closing, MathFace::Upright);
        case MathKind::Accent:
            return accent(node);
        case MathKind::Stack:
            return rich_ ? fail()
                         : write(node.parts[0]) +
                               (node.parts[1].isEmptyRow() ? QString()
                                                           : script(node.parts[1], true)) +
                               (node.parts[2].isEmptyRow() ? QString()
                                                           : script(node.parts[2], false));
        case MathKind::Arrow:
            return rich_ ? fail() : node.text + script(node.parts[0], true);
        case MathKind::Space:
            return space(node.amount);
        case MathKind::Array:
            return array(node);
    }
    return {};
}

}  // namespace

std::optional<QString> mathHtml(const MathNode& formula) {
    MathLine line(true);
    QString html = line.write(formula);
    if (line.failed() || html.isEmpty()) {
        return std::nullopt;
    }
    html.remove(QLatin1String("</i><i>"));
    return html;
}

QString mathWords(const MathNode& formula) {
    return MathLine(false).write(formula).simplified();
}

}  // namespace hearth::ui
