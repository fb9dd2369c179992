// The GPUs that the drivers list, as a text: a child process asks the drivers and prints it, and it
// is kept until the drivers change.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/gpu_info.h"

namespace hearth {

struct GpuList {
    std::vector<GpuInfo> gpus;  // in the drivers' order
    std::string none;           // no devices: why, a sentence without its end
    int failures = 0;           // starts in a row at which a driver crashed or took too long
    // Set when some drivers crashed or took too long: the others' manifests, separated by colons,
    // which are all that the loader may open, and a sentence without its end about the ones left
    // out.
    std::string drivers{}, left_out{};
};

// A first line "hearth gpu list 1", a line a value, and a last line "end". Texts of drivers lose
// control characters and what is beyond 300 bytes.
std::string format_gpu_list(const GpuList& list);

// Reads what stands from the last first line in `text` on: drivers print things of their own before
// it. Empty: there is no such line, or what follows is not as format_gpu_list() writes it.
std::optional<GpuList> parse_gpu_list(std::string_view text);

// The list kept in "<cache_folder>/gpu_list.txt" by the same version of the engine under the same
// driver_state(). Empty: there is none; whatever is wrong with the file is no error.
std::optional<GpuList> read_gpu_list(const std::string& cache_folder, std::string_view version,
                                     std::string_view state);

// Writes that file anew, whole or not at all. Makes the folder. What cannot be kept is no error:
// the drivers are asked again next time.
void keep_gpu_list(const std::string& cache_folder, std::string_view version,
                   std::string_view state, const GpuList& list);

}  // namespace hearth
