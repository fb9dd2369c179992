// The environments of formulas, \begin{name} to \end{name}.
#pragma once

#include <QString>
#include <optional>

#include "markdown/math_node.h"

namespace hearth::ui {

struct MathEnvironment {
    QString open{};  // delimiters around it
    QString close{};
    QString columns{};  // their alignment; the last one counts for all that follow
    double columnGap = 1;
    bool aligned = false;
    bool displayed = false;
    bool small = false;
    bool ownFormula = false;  // it needs no delimiters of a formula around it
    bool argument = false;    // braces follow its name: columns or a number
    bool columnsAreArgument = false;
};

// By its name, with a star or without; none: there is none of this name.
std::optional<MathEnvironment> mathEnvironment(const QString& name);

}  // namespace hearth::ui
