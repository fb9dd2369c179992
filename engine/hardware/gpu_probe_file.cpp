#include "hardware/gpu_probe_file.h"

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/input_file.h"
#include "base/output_file.h"

namespace hearth {
namespace {

constexpr std::uint64_t kFileBytes = 64 << 10;  // what a file of ours never reaches

std::string path_in(const std::string& cache_folder) {
    return cache_folder + "/gpus.txt";
}

}  // namespace

std::vector<GpuProbe> read_gpu_probes(const std::string& cache_folder, std::string_view version) {
    if (cache_folder.empty()) {
        return {};
    }
    const auto file = InputFile::open(path_in(cache_folder));
    if (!file || file->size_bytes() > kFileBytes) {
        return {};
    }
    std::string text(static_cast<std::size_t>(file->size_bytes()), '\0');
    if (!file->read_at(0, std::as_writable_bytes(std::span(text)))) {
        return {};
    }
    return parse_gpu_probes(text, version).value_or(std::vector<GpuProbe>());
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
    const std::string text = format_gpu_probes(probes, version);
    std::error_code said_by_create;
    std::filesystem::create_directories(
        std::filesystem::path(std::u8string(cache_folder.begin(), cache_folder.end())),
        said_by_create);
    auto file = OutputFile::create(path_in(cache_folder), text.size());
    if (!file) {
        return std::move(file).error();
    }
    if (auto written = file->write(std::as_bytes(std::span(text))); !written) {
        return written;
    }
    return file->commit();
}

}  // namespace hearth
