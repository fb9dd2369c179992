// One line of markdown for places that show no markup: titles and previews.
#pragma once

#include <QString>

namespace hearth::ui {

// "See [this](https://x.example) *now*: `a_b`" -> "See this now: a_b". Text that only looks like
// markup stays: "2 * 3 * 4", "snake_case". For lines of a title's length, work is bounded by a
// constant times the length.
QString withoutMarkup(const QString& line);

}  // namespace hearth::ui
