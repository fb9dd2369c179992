// A whole message as plain text, for places that know no markdown: a mail, a form.
#pragma once

#include <QString>

namespace hearth::ui {

// "# A *list*" and "- one" become "A list" and "- one". Code stays as it stands, without its fence;
// a table has a line for each row, with tabs between cells; of a link its words stay. Any thread;
// work is that of showing the message.
QString plainText(const QString& markdown);

}  // namespace hearth::ui
