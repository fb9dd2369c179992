#include "base/cache_file.h"

#include <cstdint>
#include <span>

#include "base/input_file.h"
#include "base/output_file.h"
#include "base/private_folder.h"

namespace hearth {
namespace {

constexpr std::uint64_t kFileBytes = 256 << 10;

std::string path_in(const std::string& folder, std::string_view name) {
    return folder + "/" + std::string(name);
}

}  // namespace

std::string read_cache_file(const std::string& folder, std::string_view name) {
    if (folder.empty()) {
        return {};
    }
    const auto file = InputFile::open(path_in(folder, name));
    if (!file || file->size_bytes() > kFileBytes) {
        return {};
    }
    std::string text(static_cast<std::size_t>(file->size_bytes()), '\0');
    if (!file->read_at(0, std::as_writable_bytes(std::span(text)))) {
        return {};
    }
    return text;
}

Result<void> write_cache_file(const std::string& folder, std::string_view name,
                              std::string_view text) {
    make_private_folder(folder);
    close_to_others(folder);  // earlier versions let them in
    auto file = OutputFile::create(path_in(folder, name), text.size());
    if (!file) {
        return std::move(file).error();
    }
    if (auto written = file->write(std::as_bytes(std::span(text))); !written) {
        return written;
    }
    return file->commit();
}

}  // namespace hearth
