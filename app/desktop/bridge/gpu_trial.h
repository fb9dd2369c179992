// Hearth starts itself to list GPUs and to try one: a driver may take the process along.
#pragma once

#include <optional>

namespace hearth::ui {

// The arguments "probe-gpu list" or "probe-gpu INDEX" alone: lists the GPUs or tries that one,
// prints what came of it for whoever started this, and gives the exit status. Empty: this is a
// start like any other. Needs no display; call it before anything else.
std::optional<int> gpuTrial(int argc, char** argv);

}  // namespace hearth::ui
