// A file that is read and never mapped: one that another program cuts short meanwhile is an Error
// here, where a mapping of it would end the program with SIGBUS.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hearth/result.h>

namespace hearth {

// Move-only. Open as long as it lives.
class InputFile {
public:
    InputFile() = default;
    ~InputFile();
    InputFile(InputFile&& other) noexcept;
    InputFile& operator=(InputFile&& other) noexcept;

    // path: UTF-8. NotFound, NotAFile, PermissionDenied, ReadFailed, OutOfMemory (larger than this
    // system can address).
    static Result<InputFile> open(const std::string& path);

    // Several open files as one: the parts of a model. Each begins at a multiple of kPartAlignment,
    // behind a gap of at least as much that belongs to none: no read that merges neighbours reaches
    // over it. Precondition: there is one, and none is joined itself.
    static constexpr std::uint64_t kPartAlignment = std::uint64_t{1} << 20;
    static InputFile join(std::vector<InputFile> parts);
    // Empty: it is one file.
    const std::vector<InputFile>& parts() const noexcept { return parts_; }
    std::uint64_t begin_of(std::size_t part) const { return begins_[part]; }

    std::uint64_t size_bytes() const noexcept { return size_bytes_; }  // when it was opened
    const std::string& path() const noexcept { return path_; }         // of parts, the first one's

    // Reads [offset, offset + out.size()). ReadFailed names the offset if the file is shorter now;
    // what the disk could not read was tried again twice. OutOfMemory if there is none left to say
    // so with. Any thread.
    Result<void> read_at(std::uint64_t offset, std::span<std::byte> out) const noexcept;

    // Tells the system that [offset, offset + bytes) will be read soon, so that a disk that is
    // fastest with many requests gets them. A hint; any range, any thread.
    void will_read(std::uint64_t offset, std::uint64_t bytes) const noexcept;

private:
    Result<void> read(std::uint64_t offset, std::span<std::byte> out) const;
    std::size_t part_at(std::uint64_t offset) const noexcept;

    std::vector<InputFile> parts_;
    std::vector<std::uint64_t> begins_;  // as many
    std::uint64_t size_bytes_ = 0;
    std::string path_;
#ifdef _WIN32
    void* file_ = nullptr;
#else
    int fd_ = -1;
#endif
};

}  // namespace hearth
