#include "base/heap.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace hearth {

// glibc keeps a heap for each of several threads and seldom gives any of it back: those of the
// threads that read grew by some MB with each model that was loaded.
void give_back_free_heap() {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

}  // namespace hearth
