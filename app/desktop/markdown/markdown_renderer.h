// Markdown (CommonMark with tables, strikethrough and task lists) to blocks. The text may come from
// a model or the clipboard and is not trusted; Block::html bounds the output.
#pragma once

#include <QList>
#include <QString>

#include "markdown/block.h"

namespace hearth::ui {

// Never empty for text that is not blank: text that markdown would swallow is shown as it stands.
// Work and output are bounded by a constant times the length of the text.
QList<Block> renderMarkdown(const QString& text);

// The address of a link, percent-encoded; empty if the link must lead nowhere.
QString safeLink(const QString& target);

}  // namespace hearth::ui
