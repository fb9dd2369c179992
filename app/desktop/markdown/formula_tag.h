// The tag around a formula within rich text. It holds the formula's source, which stands for the
// formula where the text is copied or searched.
#pragma once

#include <QString>
#include <QStringView>

namespace hearth::ui {

// `html` within the tag. index: tells the formula from others in its block.
QString formulaTag(const QString& source, const QString& html, qsizetype index);
// The source that "span title=…" holds, the inside of an opening tag; null: it is no formula's.
QString formulaOfTag(QStringView tag);
// The same from the tag's title, which Qt keeps as the tool tip of the letters.
QString formulaOfTitle(const QString& title);

}  // namespace hearth::ui
