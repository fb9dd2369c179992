// Reads the TeX source of a formula. It may come from a model or the clipboard and is not trusted.
#pragma once

#include <QString>
#include <optional>

#include "markdown/math_node.h"

namespace hearth::ui {

constexpr qsizetype kLongestFormula = 8000;  // characters
constexpr int kDeepestFormula = 32;          // groups within groups
constexpr int kMostFormulaNodes = 4000;

// The formula as a tree. `source` has its delimiters: \( \), \[ \], $ $, $$ $$, or an environment.
// None: it is not complete, beyond the limits above, or has a part that is not known here. Then the
// source has to be shown: a formula is drawn right or not at all. Any thread.
std::optional<MathNode> parseFormula(const QString& source);

// True for a source that is set in display style: all but \( \) and $ $.
bool isDisplayFormula(const QString& source);

// True for an environment that is a formula of its own: "align", "pmatrix*" is none.
bool isFormulaEnvironment(const QString& name);

}  // namespace hearth::ui
