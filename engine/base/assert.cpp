#include "base/assert.h"

#include <cstdio>
#include <cstdlib>

namespace hearth {

void assertion_failed(const char* expression, const char* file, int line) {
    std::fprintf(stderr, "hearth: %s:%d: assertion failed: %s\n", file, line, expression);
    std::fflush(stderr);
    std::abort();
}

}  // namespace hearth
