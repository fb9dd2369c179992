// Hearth starts itself to list GPUs and to try one: a crashing driver takes its whole process
// along.
#pragma once

#include <optional>

namespace hearth::ui {

// Handles the arguments "probe-gpu list" or "probe-gpu INDEX" alone: lists the GPUs or tries that
// one, prints the outcome for the process that started this one, and returns the exit status.
// Empty: this is an ordinary start. Needs no display; call it before anything else.
std::optional<int> gpuTrial(int argc, char** argv);

}  // namespace hearth::ui
