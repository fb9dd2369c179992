// The time that the processor spent on this process.
#pragma once

namespace hearth {

// Seconds of all its threads together, in the system's calls too; 0 if the system does not say.
double process_seconds();

}  // namespace hearth
