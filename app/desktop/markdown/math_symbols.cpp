#include "markdown/math_symbols.h"

#include <QHash>
#include <QStringList>

#include "markdown/math_symbol_rows.h"

namespace hearth::ui {

namespace {

using SymbolTable = QHash<QString, MathSymbol>;

SymbolTable symbolTable() {
    SymbolTable table;
    const auto add = [&table](const auto& rows, MathClass cls, MathKind kind, MathLimits limits) {
        for (const MathSymbolRow& row : rows) {
            const QStringList names = QString::fromLatin1(row.names).split(QLatin1Char(' '));
            for (const QString& name : names) {
                table.insert(name, {row.code, cls, kind, limits});
            }
        }
    };
    const auto plain = [&add](const auto& rows, MathClass cls) {
        add(rows, cls, MathKind::Symbol, MathLimits::Never);
    };
    plain(kOrdinary, MathClass::Ord);
    plain(kUpright, MathClass::Ord);
    plain(kInner, MathClass::Inner);
    plain(kBinary, MathClass::Bin);
    plain(kRelations, MathClass::Rel);
    plain(kOpen, MathClass::Open);
    plain(kClose, MathClass::Close);
    plain(kPunctuation, MathClass::Punct);
    add(kOperators, MathClass::Op, MathKind::Operator, MathLimits::Display);
    add(kIntegrals, MathClass::Op, MathKind::Operator, MathLimits::Never);
    return table;
}

const SymbolTable& symbols() {
    static const SymbolTable table = symbolTable();
    return table;
}

// The characters of the tables, for a formula that holds them as such.
const QHash<char32_t, MathSymbol>& characters() {
    static const QHash<char32_t, MathSymbol> table = [] {
        QHash<char32_t, MathSymbol> made;
        for (const MathSymbol& symbol : symbols()) {
            // A character of two classes, as the triangle, is a sign.
            const auto known = made.constFind(symbol.code);
            if (known == made.cend() || symbol.cls == MathClass::Ord) {
                made.insert(symbol.code, symbol);
            }
        }
        for (const char32_t letter : U"0123456789.@\"`|") {
            made.insert(letter, {letter, MathClass::Ord});
        }
        for (const char32_t letter : U"([") {
            made.insert(letter, {letter, MathClass::Open});
        }
        for (const char32_t letter : U")]!?") {
            made.insert(letter, {letter, MathClass::Close});
        }
        for (const char32_t letter : U",;") {
            made.insert(letter, {letter, MathClass::Punct});
        }
        for (const char32_t letter : U"=<>:") {
            made.insert(letter, {letter, MathClass::Rel});
        }
        made.insert(U'+', {U'+', MathClass::Bin});
        made.insert(U'-', {U'−', MathClass::Bin});
        made.insert(U'−', {U'−', MathClass::Bin});
        made.insert(U'*', {U'∗', MathClass::Bin});
        made.insert(U'·', {U'⋅', MathClass::Bin});
        made.insert(U'/', {U'/', MathClass::Ord});
        made.insert(U'⊥', {U'⊥', MathClass::Rel});
        // The end of the texts above, and what a formula writes with a backslash.
        for (const char32_t special : {U'\0', U'#', U'$', U'%', U'&', U'_', U'{', U'}', U'\\'}) {
            made.remove(special);
        }
        return made;
    }();
    return table;
}

}  // namespace

std::optional<MathSymbol> mathSymbol(const QString& command) {
    const auto found = symbols().constFind(command);
    return found == symbols().cend() ? std::nullopt : std::optional(*found);
}

std::optional<MathSymbol> mathCharacter(char32_t letter) {
    const auto found = characters().constFind(letter);
    if (found != characters().cend()) {
        return *found;
    }
    const bool isLetter = QChar::isLetterOrNumber(letter);
    return isLetter ? std::optional(MathSymbol{letter, MathClass::Ord}) : std::nullopt;
}

bool isMathVariable(char32_t letter) {
    const bool latin = (letter >= U'a' && letter <= U'z') || (letter >= U'A' && letter <= U'Z');
    const bool greek = letter >= U'α' && letter <= U'ω';
    return latin || greek ||
           QStringView(u"ϵϑϰϖϱϕϝıȷ")
               .contains(QChar(static_cast<char16_t>(letter > 0xFFFF ? 0 : letter)));
}

}  // namespace hearth::ui
