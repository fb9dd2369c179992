#include "flash/disk_sample.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <random>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/resumable_file.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <sys/stat.h>
#endif

namespace hearth {
namespace {

constexpr int kFilesMost = 10'000;  // looked at in a folder

// What takes less of the disk than its length has holes, or is compressed: neither reads as a model
// does. Windows marks both.
bool is_whole_on_disk(const std::filesystem::path& path, std::uint64_t bytes) {
#ifdef _WIN32
    const DWORD marks = GetFileAttributesW(path.c_str());
    return bytes > 0 && marks != INVALID_FILE_ATTRIBUTES &&
           (marks & (FILE_ATTRIBUTE_SPARSE_FILE | FILE_ATTRIBUTE_COMPRESSED)) == 0;
#else
    struct stat facts {};
    constexpr std::uint64_t kBlock = 512;  // whatever the file system's own is
    return stat(path.c_str(), &facts) == 0 &&
           static_cast<std::uint64_t>(facts.st_blocks) * kBlock >= bytes;
#endif
}

// Empty: there is none.
std::string largest_model(const std::string& folder, std::uint64_t least_bytes) {
    std::string largest;
    std::uint64_t most = 0;
    std::error_code wrong;
    std::filesystem::directory_iterator entry(native_path(folder), wrong);
    for (int seen = 0;
         !wrong && entry != std::filesystem::directory_iterator() && seen < kFilesMost;
         entry.increment(wrong), ++seen) {
        std::error_code unknown;
        const std::filesystem::path& path = entry->path();
        if (path.extension() != ".gguf" || !entry->is_regular_file(unknown)) {
            continue;
        }
        const std::uint64_t bytes = entry->file_size(unknown);
        if (!unknown && bytes >= least_bytes && bytes > most && is_whole_on_disk(path, bytes)) {
            const std::u8string name = path.u8string();
            largest.assign(name.begin(), name.end());
            most = bytes;
        }
    }
    return largest;
}

// Bytes that no disk can make smaller.
Result<void> write_sample(ResumableFile& file, std::uint64_t bytes) {
    std::vector<std::uint64_t> words(std::size_t{1} << 17);
    std::mt19937_64 random(1);
    while (file.written_bytes() < bytes) {
        std::generate(words.begin(), words.end(), std::ref(random));
        auto part = std::as_bytes(std::span(words));
        part = part.first(static_cast<std::size_t>(
            std::min<std::uint64_t>(part.size(), bytes - file.written_bytes())));
        if (auto written = file.write(part); !written) {
            return written;
        }
    }
    return file.settle();
}

Result<DiskProbe> probe_written(const std::string& folder, std::chrono::milliseconds limit,
                                std::uint64_t bytes) {
    // A name of its own, so that what a crash leaves is overwritten and not added to.
    auto file = ResumableFile::open(folder + "/.hearth-disk-sample", "sample", bytes);
    if (!file) {
        return std::move(file).error();
    }
    struct Discard {
        ResumableFile& file;
        ~Discard() { file.discard(); }
    } discard{*file};
    if (auto begun = file->cut(0); !begun) {
        return std::move(begun).error();
    }
    if (auto written = write_sample(*file, bytes); !written) {
        return std::move(written).error();
    }
    return probe_disk(file->partial_path(), limit);
}

}  // namespace

Result<DiskProbe> probe_folder(const std::string& folder, std::chrono::milliseconds limit,
                               std::uint64_t sample_bytes) {
    return guarded(folder, [&]() -> Result<DiskProbe> {
        const std::string model = largest_model(folder, sample_bytes);
        return model.empty() ? probe_written(folder, limit, sample_bytes)
                             : probe_disk(model, limit);
    });
}

}  // namespace hearth
