// The faces of letters, and words within formulas, of math_reader.h.
#include <QHash>
#include <utility>

#include "markdown/math_parser.h"
#include "markdown/math_reader.h"

namespace hearth::ui {

namespace {

// "\{" and "\&" of a text in words; null: anything else.
QString escapedInWords(QChar letter) {
    if (QStringView(u"%$&#_{}").contains(letter)) {
        return QString(letter);
    }
    return QStringView(u" ,;:").contains(letter) ? QStringLiteral(" ") : QString();
}

}  // namespace

MathNode MathReader::withFace(Face face) {
    const Face before = std::exchange(face_, std::move(face));
    MathNode node = argument();
    face_ = before;
    return node;
}

std::optional<MathNode> MathReader::facesOf(const QString& name) {
    static const QHash<QString, MathFace> faces = {{QStringLiteral("mathrm"), MathFace::Upright},
                                                   {QStringLiteral("mathup"), MathFace::Upright},
                                                   {QStringLiteral("mathit"), MathFace::Italic},
                                                   {QStringLiteral("mathbf"), MathFace::Bold},
                                                   {QStringLiteral("mathsf"), MathFace::Sans},
                                                   {QStringLiteral("mathtt"), MathFace::Mono}};
    static const QHash<QString, MathFace> texts = {
        {QStringLiteral("text"), MathFace::Upright},
        {QStringLiteral("textrm"), MathFace::Upright},
        {QStringLiteral("textnormal"), MathFace::Upright},
        {QStringLiteral("mbox"), MathFace::Upright},
        {QStringLiteral("hbox"), MathFace::Upright},
        {QStringLiteral("textbf"), MathFace::Bold},
        {QStringLiteral("textit"), MathFace::Italic},
        {QStringLiteral("emph"), MathFace::Italic},
        {QStringLiteral("textsf"), MathFace::Sans},
        {QStringLiteral("texttt"), MathFace::Mono}};
    if (const auto face = faces.constFind(name); face != faces.cend()) {
        return withFace({.face = *face});
    }
    if (const auto face = texts.constFind(name); face != texts.cend()) {
        const QString text = tokens_.bracedText();
        return text.isNull() ? fail() : words(text, *face);
    }
    if (name == QLatin1String("mathbb") || name == QLatin1String("mathfrak") ||
        name == QLatin1String("mathcal")) {
        return withFace({.alphabet = name});
    }
    if (name == QLatin1String("mathscr")) {
        return withFace({.alphabet = QStringLiteral("mathcal")});
    }
    if (name == QLatin1String("boldsymbol") || name == QLatin1String("bm") ||
        name == QLatin1String("pmb")) {
        return withFace({.bold = true});
    }
    if (name == QLatin1String("mathnormal")) {
        return withFace({});
    }
    if (name == QLatin1String("operatorname")) {
        const bool star = tokens_.takeStar();
        MathNode node{.cls = MathClass::Op};
        node.parts.push_back(withFace({.face = MathFace::Upright}));
        node.limits = star ? MathLimits::Display : MathLimits::Never;
        return node;
    }
    return std::nullopt;
}

// The words of \text: blanks count, and $ $ holds a formula.
MathNode MathReader::words(const QString& text, MathFace face) {
    MathNode node;
    QString plain;
    const auto flush = [&] {
        if (!plain.isEmpty() && count()) {
            node.parts.push_back({.kind = MathKind::Word, .face = face, .text = plain});
        }
        plain.clear();
    };
    for (qsizetype at = 0; at < text.size() && !failed_; ++at) {
        const QChar c = text[at];
        if (c == QLatin1Char('\\')) {
            const QString letter = ++at < text.size() ? escapedInWords(text[at]) : QString();
            if (letter.isNull()) {
                return fail();
            }
            plain += letter;
        } else if (c == QLatin1Char('$')) {
            const qsizetype end = text.indexOf(QLatin1Char('$'), at + 1);
            if (end < 0 || depth_ >= kDeepestFormula) {
                return fail();
            }
            flush();
            MathReader inner(QStringView(text).mid(at + 1, end - at - 1), depth_ + 1, nodes_);
            auto formula = inner.read();
            if (!formula) {
                return fail();
            }
            nodes_ = inner.nodes_;
            node.parts.push_back(std::move(*formula));
            at = end;
        } else if (c == QLatin1Char('%')) {
            return fail();
        } else if (c == QLatin1Char('~') || c.isSpace()) {
            plain += QLatin1Char(' ');
        } else if (c != QLatin1Char('{') && c != QLatin1Char('}')) {
            plain += c;
        }
    }
    flush();
    return node;
}

}  // namespace hearth::ui
