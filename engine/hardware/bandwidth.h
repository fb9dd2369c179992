// Measured memory bandwidth.
#pragma once

namespace hearth {

// Median GB/s (1e9 bytes) at which `threads` threads together read a buffer far larger than any
// cache; takes about 0.3 s and 256 MiB. 0 if the memory could not be had.
double measure_ram_read_gb_per_s(int threads);

}  // namespace hearth
