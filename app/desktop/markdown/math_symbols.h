// The characters and commands of formulas.
#pragma once

#include <QString>
#include <optional>

#include "markdown/math_node.h"

namespace hearth::ui {

struct MathSymbol {
    char32_t code = 0;
    MathClass cls = MathClass::Ord;
    MathKind kind = MathKind::Symbol;  // or Operator
    MathLimits limits = MathLimits::Never;
};

// "alpha", "leq", "sum": a command without its backslash.
std::optional<MathSymbol> mathSymbol(const QString& command);
// A character as it stands in a formula, "+" or "≤"; none: it has no place in one.
std::optional<MathSymbol> mathCharacter(char32_t letter);
// True for letters that are set slanted unless a command says otherwise.
bool isMathVariable(char32_t letter);

// "sin", "lim": set upright.
struct MathFunction {
    QString words;
    MathLimits limits = MathLimits::Never;
};
std::optional<MathFunction> mathFunction(const QString& command);

// The delimiter for what follows \left, \big and the like: "(", "\\langle"; none: it is no
// delimiter. "." is the empty one.
std::optional<QString> mathDelimiter(const QString& token);

// "hat", "overline", "boxed": a command that marks its argument.
std::optional<MathMark> mathMark(const QString& command);

// A letter or digit of an alphabet of its own: "mathbb", "mathcal", "mathfrak". 0: it has none.
char32_t mathAlphabet(const QString& command, char32_t letter);

// The character struck out, as \not makes it; empty: Unicode has none.
QString struckOut(char32_t letter);

}  // namespace hearth::ui
