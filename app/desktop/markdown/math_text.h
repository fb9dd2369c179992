// Formulas within a line of text, where nothing stands above a line or below it.
#pragma once

#include <QString>
#include <optional>

#include "markdown/math_node.h"

namespace hearth::ui {

// Rich text of i, b, sub and sup: fractions as a/b, roots as √(x). None: the formula has a part
// that needs more than a line, such as a matrix, or a mark over several letters.
std::optional<QString> mathHtml(const MathNode& formula);

// Plain text for screen readers: "x = (-b ± √(b^2 - 4ac))/(2a)".
QString mathWords(const MathNode& formula);

}  // namespace hearth::ui
