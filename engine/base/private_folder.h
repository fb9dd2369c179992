// Folders that only their user may look into.
#pragma once

#include <string>

namespace hearth {

// Both: path is UTF-8. Errors are not reported: whoever writes there finds them. On Windows the
// user's profile has such rights already, and they stay as they are.

// Makes the folder, and those above it that are missing, without rights for others. One that is
// there stays as it is.
void make_private_folder(const std::string& path);
// Others lose their rights on a folder that is there, if it is this user's.
void close_to_others(const std::string& path);

}  // namespace hearth
