// The commands of math_reader.h that take arguments.
#include <QHash>
#include <QScopeGuard>
#include <algorithm>
#include <cmath>
#include <utility>

#include "markdown/math_parser.h"
#include "markdown/math_reader.h"

namespace hearth::ui {

namespace {

MathNode space(double em) {
    return {.kind = MathKind::Space, .amount = em};
}

MathNode row(std::initializer_list<MathNode> parts, MathClass cls = MathClass::Ord) {
    MathNode node{.cls = cls};
    node.parts = parts;
    return node;
}

}  // namespace

MathNode MathReader::command(const QString& name) {
    if (const auto known = mathSymbol(name)) {
        return symbol(*known);
    }
    if (const auto function = mathFunction(name)) {
        return {.kind = MathKind::Word,
                .cls = MathClass::Op,
                .limits = function->limits,
                .text = function->words};
    }
    if (const auto mark = mathMark(name)) {
        const bool brace = *mark == MathMark::Overbrace || *mark == MathMark::Underbrace;
        MathNode node{.kind = MathKind::Accent,
                      .limits = brace ? MathLimits::Always : MathLimits::Never,
                      .mark = *mark};
        node.parts.push_back(argument());
        return node;
    }
    using Reader = std::optional<MathNode> (MathReader::*)(const QString&);
    for (const Reader reader :
         {&MathReader::fractionOf, &MathReader::facesOf, &MathReader::delimitersOf,
          &MathReader::stacksOf, &MathReader::spaceOf, &MathReader::otherOf}) {
        if (auto node = (this->*reader)(name)) {
            return std::move(*node);
        }
    }
    return fail();
}

std::optional<MathNode> MathReader::fractionOf(const QString& name) {
    const QStringView kind = QStringView(name).mid(name.startsWith(QLatin1Char('d')) ||
                                                           name.startsWith(QLatin1Char('t')) ||
                                                           name == QLatin1String("cfrac")
                                                       ? 1
                                                       : 0);
    const bool binomial = kind == QLatin1String("binom");
    if (!binomial && kind != QLatin1String("frac")) {
        return name == QLatin1String("sqrt") ? std::optional(radical()) : std::nullopt;
    }
    MathNode node{.kind = MathKind::Fraction, .cls = MathClass::Inner, .line = !binomial};
    if (binomial) {
        node.text = QStringLiteral("(");
        node.closing = QStringLiteral(")");
    }
    node.parts.push_back(argument());
    node.parts.push_back(argument());
    if (kind.size() == name.size()) {
        return node;
    }
    MathNode styled{.kind = MathKind::Styled, .cls = MathClass::Inner};
    styled.style = name.startsWith(QLatin1Char('t')) ? MathStyle::Text : MathStyle::Display;
    styled.parts.push_back(std::move(node));
    return styled;
}

MathNode MathReader::radical() {
    MathNode node{.kind = MathKind::Radical};
    MathNode index;
    if (tokens_.peek().isCharacter('[')) {
        tokens_.next();
        index = readRow(Until::Bracket);
    }
    node.parts.push_back(argument());
    node.parts.push_back(std::move(index));
    return node;
}

std::optional<QString> MathReader::delimiter() {
    const MathToken token = tokens_.next();
    if (token.kind == MathToken::Kind::Character) {
        return mathDelimiter(token.text);
    }
    return token.kind == MathToken::Kind::Command ? mathDelimiter(QLatin1Char('\\') + token.text)
                                                  : std::nullopt;
}

std::optional<MathNode> MathReader::delimitersOf(const QString& name) {
    if (name == QLatin1String("left")) {
        return fence();
    }
    if (name == QLatin1String("middle") && fences_ > 0) {
        const auto text = delimiter();
        return text ? MathNode{.kind = MathKind::Delimiter, .cls = MathClass::Rel, .text = *text}
                    : fail();
    }
    static const QHash<QString, double> sizes = {{QStringLiteral("big"), 1.2},
                                                 {QStringLiteral("Big"), 1.8},
                                                 {QStringLiteral("bigg"), 2.4},
                                                 {QStringLiteral("Bigg"), 3.0}};
    MathClass cls = MathClass::Ord;
    auto size = sizes.constFind(name);
    if (size == sizes.cend() && !name.isEmpty()) {
        size = sizes.constFind(name.chopped(1));
        cls = name.endsWith(QLatin1Char('l'))   ? MathClass::Open
              : name.endsWith(QLatin1Char('r')) ? MathClass::Close
                                                : MathClass::Rel;
        const bool known = QStringView(u"lrm").contains(name.back());
        size = known ? size : sizes.cend();
    }
    if (size == sizes.cend()) {
        return std::nullopt;
    }
    const auto text = delimiter();
    return text ? MathNode{.kind = MathKind::Delimiter, .cls = cls, .amount = *size, .text = *text}
                : fail();
}

MathNode MathReader::fence() {
    MathNode node{.kind = MathKind::Fence, .cls = MathClass::Inner};
    const auto open = delimiter();
    ++fences_;
    node.parts.push_back(readRow(Until::Right));
    --fences_;
    const auto close = failed_ ? std::nullopt : delimiter();
    if (!open || !close) {
        return fail();
    }
    node.text = *open;
    node.closing = *close;
    return node;
}

std::optional<MathNode> MathReader::stacksOf(const QString& name) {
    static const QHash<QString, QString> arrows = {
        {QStringLiteral("xrightarrow"), QStringLiteral("→")},
        {QStringLiteral("xleftarrow"), QStringLiteral("←")},
        {QStringLiteral("xleftrightarrow"), QStringLiteral("↔")},
        {QStringLiteral("xRightarrow"), QStringLiteral("⇒")},
        {QStringLiteral("xLeftarrow"), QStringLiteral("⇐")},
        {QStringLiteral("xrightleftharpoons"), QStringLiteral("⇌")}};
    const bool above = name == QLatin1String("overset");
    if (above || name == QLatin1String("underset") || name == QLatin1String("stackrel")) {
        MathNode mark = argument();
        MathNode base = argument();
        const bool single = base.kind == MathKind::Row && base.parts.size() == 1;
        MathNode node{.kind = MathKind::Stack,
                      .cls = name == QLatin1String("stackrel") ? MathClass::Rel
                             : single                          ? base.parts.front().cls
                                                               : base.cls};
        node.parts.push_back(std::move(base));
        node.parts.emplace_back();
        node.parts.emplace_back();
        node.parts[name == QLatin1String("underset") ? 2 : 1] = std::move(mark);
        return node;
    }
    if (const auto arrow = arrows.constFind(name); arrow != arrows.cend()) {
        MathNode node{.kind = MathKind::Arrow, .cls = MathClass::Rel, .text = *arrow};
        MathNode below;
        if (tokens_.peek().isCharacter('[')) {
            tokens_.next();
            below = readRow(Until::Bracket);
        }
        node.parts.push_back(argument());
        node.parts.push_back(std::move(below));
        return node;
    }
    if (name == QLatin1String("substack")) {
        if (tokens_.next().kind != MathToken::Kind::Open) {
            return fail();
        }
        return array({.columns = QStringLiteral("c"), .small = true}, QString());
    }
    return std::nullopt;
}

std::optional<MathNode> MathReader::spaceOf(const QString& name) {
    static const QHash<QString, double> widths = {{QStringLiteral(","), 3.0 / 18},
                                                  {QStringLiteral("thinspace"), 3.0 / 18},
                                                  {QStringLiteral(":"), 4.0 / 18},
                                                  {QStringLiteral(">"), 4.0 / 18},
                                                  {QStringLiteral("medspace"), 4.0 / 18},
                                                  {QStringLiteral(";"), 5.0 / 18},
                                                  {QStringLiteral("thickspace"), 5.0 / 18},
                                                  {QStringLiteral("!"), -3.0 / 18},
                                                  {QStringLiteral("negthinspace"), -3.0 / 18},
                                                  {QStringLiteral(" "), 0.3},
                                                  {QStringLiteral("enspace"), 0.5},
                                                  {QStringLiteral("enskip"), 0.5},
                                                  {QStringLiteral("quad"), 1},
                                                  {QStringLiteral("qquad"), 2},
                                                  {QStringLiteral("nobreakspace"), 0.3},
                                                  {QStringLiteral("space"), 0.3}};
    if (const auto width = widths.constFind(name); width != widths.cend()) {
        return space(*width);
    }
    if (name == QLatin1String("hspace") || name == QLatin1String("mspace")) {
        tokens_.takeStar();
        const auto length = mathLength(tokens_.bracedText());
        return length ? space(*length) : fail();
    }
    return std::nullopt;
}

std::optional<MathNode> MathReader::otherOf(const QString& name) {
    if (name == QLatin1String("begin")) {
        return environment();
    }
    if (name == QLatin1String("not")) {
        return struck();
    }
    if (name == QLatin1String("bmod")) {
        return MathNode{
            .kind = MathKind::Word, .cls = MathClass::Bin, .text = QStringLiteral("mod")};
    }
    if (name == QLatin1String("pmod") || name == QLatin1String("mod") ||
        name == QLatin1String("pod")) {
        return modulo(name);
    }
    if (name == QLatin1String("color")) {  // the theme decides on colours
        return tokens_.bracedText().isNull() ? fail() : MathNode();
    }
    if (name == QLatin1String("textcolor")) {
        return tokens_.bracedText().isNull() ? fail() : argument();
    }
    if (name == QLatin1String("nonumber") || name == QLatin1String("notag") ||
        name == QLatin1String("allowbreak") || name == QLatin1String("nobreak")) {
        return MathNode();
    }
    if (name == QLatin1String("label")) {
        return tokens_.bracedText().isNull() ? fail() : MathNode();
    }
    if (name == QLatin1String("tag")) {
        const bool bare = tokens_.takeStar();
        const QString label = tokens_.bracedText();
        static const auto isPlain = [](QChar c) { return !QStringView(u"\\${}").contains(c); };
        if (label.isEmpty() || !label_.isEmpty() ||
            !std::all_of(label.begin(), label.end(), isPlain)) {
            return fail();
        }
        label_ = bare ? label : QLatin1Char('(') + label + QLatin1Char(')');
        return MathNode();
    }
    static const QHash<QString, MathClass> classes = {
        {QStringLiteral("mathord"), MathClass::Ord},
        {QStringLiteral("mathop"), MathClass::Op},
        {QStringLiteral("mathbin"), MathClass::Bin},
        {QStringLiteral("mathrel"), MathClass::Rel},
        {QStringLiteral("mathopen"), MathClass::Open},
        {QStringLiteral("mathclose"), MathClass::Close},
        {QStringLiteral("mathpunct"), MathClass::Punct},
        {QStringLiteral("mathinner"), MathClass::Inner}};
    if (const auto cls = classes.constFind(name); cls != classes.cend()) {
        MathNode node = row({argument()}, *cls);
        node.limits = *cls == MathClass::Op ? MathLimits::Display : MathLimits::Never;
        return node;
    }
    return std::nullopt;
}

MathNode MathReader::struck() {
    const MathToken token = tokens_.next();
    const auto known = token.kind == MathToken::Kind::Command ? mathSymbol(token.text)
                       : token.kind == MathToken::Kind::Character
                           ? mathCharacter(token.text.toUcs4().constFirst())
                           : std::nullopt;
    const QString text = known ? struckOut(known->code) : QString();
    return text.isEmpty() ? fail()
                          : MathNode{.kind = MathKind::Symbol, .cls = MathClass::Rel, .text = text};
}

MathNode MathReader::modulo(const QString& name) {
    const MathNode word{.kind = MathKind::Word, .text = QStringLiteral("mod")};
    const MathNode open{
        .kind = MathKind::Symbol, .cls = MathClass::Open, .text = QStringLiteral("(")};
    const MathNode close{
        .kind = MathKind::Symbol, .cls = MathClass::Close, .text = QStringLiteral(")")};
    count(6);
    if (name == QLatin1String("mod")) {
        return row({space(0.6), word, space(0.33), argument()});
    }
    if (name == QLatin1String("pod")) {
        return row({space(0.6), open, argument(), close});
    }
    return row({space(0.6), open, word, space(0.33), argument(), close});
}

std::optional<double> mathLength(const QString& text) {
    static const QHash<QString, double> units = {
        {QStringLiteral("em"), 1.0}, {QStringLiteral("ex"), 0.43}, {QStringLiteral("mu"), 1.0 / 18},
        {QStringLiteral("pt"), 0.1}, {QStringLiteral("px"), 0.07}, {QStringLiteral("mm"), 0.28},
        {QStringLiteral("cm"), 2.85}};
    constexpr double kMost = 20;
    const QString trimmed = text.trimmed();
    const auto unit = units.constFind(trimmed.right(2));
    bool ok = false;
    const double number = trimmed.chopped(std::min<qsizetype>(2, trimmed.size())).toDouble(&ok);
    if (!ok || unit == units.cend() || !(std::abs(number * *unit) <= kMost)) {
        return std::nullopt;
    }
    return number * *unit;
}

}  // namespace hearth::ui
