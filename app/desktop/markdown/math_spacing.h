// Spaces between the parts of a formula, by their classes: the rules of The TeXbook, chapter 18.
#pragma once

#include <vector>

#include "markdown/math_node.h"

namespace hearth::ui {

// The class that each node of a row takes in its company: "-" is no binary operator in "= -1".
std::vector<MathClass> classesIn(const std::vector<MathNode>& row);
// The space between two neighbours, in em. inScript: of a row within a script.
double mathSpace(MathClass left, MathClass right, bool inScript);

}  // namespace hearth::ui
