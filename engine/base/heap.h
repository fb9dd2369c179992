// The C library's heap.
#pragma once

namespace hearth {

// Gives the system what is free in it. Where the library does so by itself, or cannot, nothing is
// done. Milliseconds.
void give_back_free_heap();

}  // namespace hearth
