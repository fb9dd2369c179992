#include "markdown/math_reader.h"

#include <QHash>
#include <QScopeGuard>
#include <utility>

#include "markdown/math_parser.h"

namespace hearth::ui {

namespace {

using Kind = MathToken::Kind;

MathNode prime() {
    return {.kind = MathKind::Symbol, .text = QStringLiteral("′")};
}

MathNode styled(MathStyle style, MathNode content) {
    MathNode node{.kind = MathKind::Styled, .style = style};
    node.parts.push_back(std::move(content));
    return node;
}

}  // namespace

std::optional<MathNode> MathReader::read() {
    MathNode whole = readRow(Until::End);
    if (!label_.isEmpty()) {
        whole.parts.push_back({.kind = MathKind::Space, .amount = 2});
        whole.parts.push_back({.kind = MathKind::Word, .text = label_});
    }
    return failed_ ? std::nullopt : std::optional(std::move(whole));
}

MathNode MathReader::fail() {
    failed_ = true;
    return {};
}

bool MathReader::count(int more) {
    nodes_ += more;
    failed_ = failed_ || nodes_ > kMostFormulaNodes;
    return !failed_;
}

// Takes the token that ends the row, but for those of a cell.
bool MathReader::ends(const MathToken& token, Until until) {
    switch (until) {
        case Until::End:
            return token.kind == Kind::End;
        case Until::Brace:
            return token.kind == Kind::Close;
        case Until::Right:
            return token.isCommand("right");
        case Until::Bracket:
            return token.isCharacter(']');
        case Until::CellOrBrace:
            return token.kind == Kind::Cell || token.kind == Kind::Line ||
                   token.kind == Kind::Close;
        case Until::Cell:
            return token.kind == Kind::Cell || token.kind == Kind::Line || token.isCommand("end");
    }
    return true;
}

MathNode MathReader::readRow(Until until) {
    MathNode row;
    if (depth_ >= kDeepestFormula) {
        return fail();
    }
    ++depth_;
    const auto leave = qScopeGuard([this, face = face_] {
        --depth_;
        face_ = face;
    });
    while (!failed_) {
        const MathToken token = tokens_.peek();
        if (ends(token, until)) {
            if (until != Until::Cell && until != Until::CellOrBrace) {
                tokens_.next();
            }
            return row;
        }
        if (token.kind == Kind::End) {
            return fail();
        }
        if (token.kind == Kind::Command && takeSwitch(token.text, row, until)) {
            return row;
        }
        if (!failed_ && tokens_.peek().kind != Kind::End) {
            element(row);
        }
    }
    return row;
}

// Commands that act on the rest of their row. True: the row is complete with it.
bool MathReader::takeSwitch(const QString& command, MathNode& row, Until until) {
    static const QHash<QString, MathStyle> styles = {
        {QStringLiteral("displaystyle"), MathStyle::Display},
        {QStringLiteral("textstyle"), MathStyle::Text},
        {QStringLiteral("scriptstyle"), MathStyle::Script},
        {QStringLiteral("scriptscriptstyle"), MathStyle::ScriptScript}};
    if (const auto style = styles.constFind(command); style != styles.cend()) {
        tokens_.next();
        row.parts.push_back(styled(*style, readRow(until)));
        return true;
    }
    if (command == QLatin1String("over") || command == QLatin1String("choose") ||
        command == QLatin1String("atop")) {
        tokens_.next();
        MathNode left = std::exchange(row, MathNode());
        row.parts.push_back(infix(command, left, until));
        return true;
    }
    static const QHash<QString, MathFace> faces = {{QStringLiteral("rm"), MathFace::Upright},
                                                   {QStringLiteral("bf"), MathFace::Bold},
                                                   {QStringLiteral("it"), MathFace::Italic},
                                                   {QStringLiteral("sf"), MathFace::Sans},
                                                   {QStringLiteral("tt"), MathFace::Mono}};
    if (const auto face = faces.constFind(command); face != faces.cend()) {
        tokens_.next();
        face_ = {.face = *face};
        row.parts.push_back(readRow(until));
        return true;
    }
    return false;
}

MathNode MathReader::infix(const QString& command, MathNode& left, Until until) {
    MathNode node{.kind = MathKind::Fraction, .cls = MathClass::Inner};
    node.line = command == QLatin1String("over");
    if (command == QLatin1String("choose")) {
        node.text = QStringLiteral("(");
        node.closing = QStringLiteral(")");
    }
    node.parts.push_back(std::move(left));
    node.parts.push_back(readRow(until));
    return node;
}

void MathReader::element(MathNode& row) {
    const MathToken token = tokens_.peek();
    const bool bare = token.kind == Kind::Sup || token.kind == Kind::Sub || token.isCharacter('\'');
    if (!count()) {
        return;
    }
    if (bare) {
        row.parts.emplace_back();  // scripts of nothing, as in {}^{14}C
    } else {
        tokens_.next();
        row.parts.push_back(nucleus(token));
    }
    if (!failed_) {
        scripts(row);
    }
}

MathNode MathReader::nucleus(const MathToken& token) {
    switch (token.kind) {
        case Kind::Open:
            return readRow(Until::Brace);
        case Kind::Character:
            return character(token.text);
        case Kind::Command:
            return command(token.text);
        default:
            return fail();
    }
}

// An argument in braces, or the one character or command that comes next.
MathNode MathReader::argument() {
    const MathToken token = tokens_.next();
    if (!count() || depth_ >= kDeepestFormula) {
        return fail();
    }
    ++depth_;
    MathNode node = nucleus(token);
    --depth_;
    return node;
}

// Scripts, primes and \limits behind the last part of the row.
void MathReader::scripts(MathNode& row) {
    MathNode sub;
    MathNode sup;
    bool hasSub = false;
    bool hasSup = false;
    MathNode& base = row.parts.back();
    while (!failed_) {
        const MathToken token = tokens_.peek();
        if (token.isCommand("limits") || token.isCommand("nolimits")) {
            tokens_.next();
            base.limits =
                token.text == QLatin1String("limits") ? MathLimits::Always : MathLimits::Never;
        } else if (token.isCharacter('\'')) {
            tokens_.next();
            sup.parts.push_back(prime());
            count();
        } else if (token.kind == Kind::Sup || token.kind == Kind::Sub) {
            tokens_.next();
            bool& has = token.kind == Kind::Sup ? hasSup : hasSub;
            if (std::exchange(has, true)) {
                failed_ = true;
                return;
            }
            (token.kind == Kind::Sup ? sup : sub).parts.push_back(argument());
        } else {
            break;
        }
    }
    if (!hasSub && sup.parts.empty()) {
        return;
    }
    MathNode node{.kind = MathKind::Scripts, .cls = base.cls, .limits = base.limits};
    node.parts.push_back(std::move(base));
    node.parts.push_back(std::move(sub));
    node.parts.push_back(std::move(sup));
    row.parts.back() = std::move(node);
}

MathNode MathReader::character(const QString& letter) {
    const char32_t code = letter.toUcs4().constFirst();
    const auto known = mathCharacter(code);
    return known ? symbol(*known) : fail();
}

MathNode MathReader::symbol(const MathSymbol& symbol) {
    char32_t code = symbol.code;
    MathNode node{.kind = symbol.kind, .cls = symbol.cls, .limits = symbol.limits};
    if (!face_.alphabet.isEmpty() && symbol.cls == MathClass::Ord) {
        code = mathAlphabet(face_.alphabet, code);
        if (code == 0) {
            return fail();
        }
    } else if (symbol.cls == MathClass::Ord) {
        const bool slanted = isMathVariable(code);
        if (face_.bold) {
            node.face = slanted ? MathFace::BoldItalic : MathFace::Bold;
        } else {
            node.face = face_.face.value_or(slanted ? MathFace::Italic : MathFace::Upright);
        }
    }
    node.text = QString::fromUcs4(&code, 1);
    return node;
}

}  // namespace hearth::ui
