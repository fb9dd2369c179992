// A Vulkan driver that kills the process it is loaded into.
#include <cstdlib>

namespace {

struct Dying {
    Dying() { std::abort(); }
} dying;

}  // namespace
