// A whole file mapped read-only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <hearth/result.h>

namespace hearth {

// Move-only. The mapping is shared and read-only: pages come from the page cache and go back to it.
// A file that another program cuts short while it is mapped can still raise SIGBUS; readers that
// must survive that use read_at().
class MappedFile {
public:
    MappedFile() = default;
    ~MappedFile();
    MappedFile(MappedFile&& other) noexcept;
    MappedFile& operator=(MappedFile&& other) noexcept;

    // path: UTF-8. NotFound, NotAFile, PermissionDenied, ReadFailed. An empty file maps to an
    // empty span.
    static Result<MappedFile> open(const std::string& path);

    std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
    const std::string& path() const noexcept { return path_; }

    // Reads [offset, offset + out.size()) with the system's read call. ReadFailed names the offset
    // if the file is shorter now. Any thread.
    Result<void> read_at(std::uint64_t offset, std::span<std::byte> out) const;

    // Tells the system that [offset, offset + bytes) is not needed soon, so that the pages do not
    // count as this process's memory.
    void release(std::uint64_t offset, std::uint64_t bytes) const noexcept;

private:
    const std::byte* data_ = nullptr;
    std::size_t size_ = 0;
    std::string path_;
#ifdef _WIN32
    void* file_ = nullptr;
    void* mapping_ = nullptr;
#else
    int fd_ = -1;
#endif
};

}  // namespace hearth
