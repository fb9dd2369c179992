// The schema of hearth.db, as the steps that lead to it. A released step never changes; a new
// version adds one at the end.
#pragma once

#include <QList>
#include <QStringList>

namespace hearth::ui {

// Step i leads from version i to i + 1 (PRAGMA user_version).
const QList<QStringList>& migrations();

inline int currentSchemaVersion() {
    return static_cast<int>(migrations().size());
}

}  // namespace hearth::ui
