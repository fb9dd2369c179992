#include "memory/row_source.h"

namespace hearth {

Result<std::span<const std::byte>> FileRows::take(std::size_t, const FilePiece& piece,
                                                  std::span<std::byte> room) {
    std::uint64_t used = 0;
    for (const FileRange& run : piece) {
        if (auto read = reader_.read(run.offset, room.subspan(used, run.bytes)); !read) {
            return std::move(read).error();
        }
        used += run.bytes;
    }
    return std::span<const std::byte>(room.first(used));
}

Result<std::span<const std::byte>> AheadRows::take(std::size_t task, const FilePiece&,
                                                   std::span<std::byte>) {
    auto rows = ahead_.take(first_ + task);
    if (!rows) {
        ahead_.give_back(first_ + task);
    }
    return rows;
}

}  // namespace hearth
