// Keeps the folders of the user's files from everybody else.
#pragma once

#include "system/app_paths.h"

namespace hearth::ui {

// Creates the missing folders of `paths`, and those above them, for this user alone. Existing
// folders of this user lose the rights of others: earlier versions left them readable. A folder
// that the user named (--data-dir, HEARTH_DATA_DIR) keeps its rights. A folder that cannot be
// created is left to the code that writes there. On Windows this does nothing: a profile's folders
// are private there. Call it before anything else writes.
void keepFoldersPrivate(const AppPaths& paths);

}  // namespace hearth::ui
