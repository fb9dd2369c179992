// Bounds for a process that handles what strangers made.
#pragma once

#include <QtGlobal>

namespace hearth::ui {

// From now on this process gets no more memory than that in all, no more seconds of a processor,
// writes no file, and leaves no image of its memory when it crashes. Nothing where the system has
// no such limits, and no limit of memory under a sanitizer, which needs terabytes of addresses.
void limitThisProcess(quint64 memoryBytes, int processorSeconds);

}  // namespace hearth::ui
