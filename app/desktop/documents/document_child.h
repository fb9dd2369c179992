// Hearth starts itself to read a document: a hostile file takes only that process along.
#pragma once

#include <optional>

namespace hearth::ui {

// Handles the arguments "read-document PATH" alone: limits this process, reads the file, writes a
// DocumentReading to standard output, and returns the exit status. Empty: this is an ordinary
// start. Needs no display; call it before anything else.
std::optional<int> documentReading(int argc, char** argv);

}  // namespace hearth::ui
