// The conversations that can still be read of a damaged file.
#pragma once

#include <QSqlDatabase>
#include <QString>

namespace hearth::ui {

struct Rescued {
    int conversations = 0;  // without those in the bin, which are rescued as well
    bool complete = true;   // false: something was there that could not be read
};

// Copies conversations, messages and drafts from `damaged` into `to`, an open database of the
// current schema that has none. Reads a copy of the file, which stays as it is. A message whose
// parent is lost follows the one that was written before it in its conversation. Nothing is copied
// where `to` cannot be written.
Rescued rescueConversations(const QString& damaged, const QSqlDatabase& to);

}  // namespace hearth::ui
