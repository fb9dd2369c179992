#include <hearth/engine.h>

namespace hearth {

std::string_view version() {
    return HEARTH_VERSION;
}

}  // namespace hearth
