// An expert that a router chose for a token.
#pragma once

#include <cstdint>

namespace hearth {

// A GPU writes these too: route.comp.
struct ChosenExpert {
    std::int32_t expert = 0;
    float weight = 0.0F;  // of what it computes
};

}  // namespace hearth
