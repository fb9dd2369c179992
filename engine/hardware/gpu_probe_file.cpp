#include "hardware/gpu_probe_file.h"

#include <algorithm>
#include <span>

#include "base/cache_file.h"

namespace hearth {
namespace {

constexpr std::string_view kName = "gpus.txt";

}  // namespace

std::vector<GpuProbe> read_gpu_probes(const std::string& cache_folder, std::string_view version) {
    return parse_gpu_probes(read_cache_file(cache_folder, kName), version)
        .value_or(std::vector<GpuProbe>());
}

Result<void> keep_gpu_probe(const std::string& cache_folder, std::string_view version,
                            const GpuProbe& probe) {
    if (cache_folder.empty()) {
        return Error{ErrorCode::NotFound, "there is no cache folder to keep a probe in"};
    }
    std::vector<GpuProbe> probes = read_gpu_probes(cache_folder, version);
    std::erase_if(probes, [&](const GpuProbe& one) {
        return one.uuid == probe.uuid && one.without == probe.without;
    });
    probes.insert(probes.begin(), probe);
    constexpr std::size_t kKept = 32;  // a machine whose driver is new every week
    probes.resize(std::min(probes.size(), kKept));
    return write_cache_file(cache_folder, kName, format_gpu_probes(probes, version));
}

}  // namespace hearth
