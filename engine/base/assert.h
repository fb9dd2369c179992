// HEARTH_ASSERT: what must not happen. Kept in release: a wrong answer costs more than a branch.
// HEARTH_DCHECK: the same for hot loops, in debug and sanitizer builds only.
#pragma once

namespace hearth {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}

#define HEARTH_ASSERT(expression)        \
    ((expression) ? static_cast<void>(0) \
                  : ::hearth::assertion_failed(#expression, __FILE__, __LINE__))

#ifdef NDEBUG
#define HEARTH_DCHECK(expression) static_cast<void>(0)
#else
#define HEARTH_DCHECK(expression) HEARTH_ASSERT(expression)
#endif
