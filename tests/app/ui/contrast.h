// How far two colours are apart, by the formula of WCAG 2: 1 to 21.
#pragma once

#include <QColor>

namespace hearth::ui::test {

double contrast(const QColor& one, const QColor& other);

}  // namespace hearth::ui::test
