// The folders that hold what is the user's: nobody else looks into them.
#pragma once

#include "app_paths.h"

namespace hearth::ui {

// Makes the folders of `paths` that are missing, and those above them, for this user alone. Those
// that are there and are this user's lose the rights of others: earlier versions left them
// readable. A folder that the user named (--data-dir, HEARTH_DATA_DIR) keeps the rights it has.
// What cannot be made is left to whoever writes there. On Windows it does nothing: a profile's
// folders are private there. Call it before anything else writes.
void keepFoldersPrivate(const AppPaths& paths);

}  // namespace hearth::ui
