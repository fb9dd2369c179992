#include "flash/reader.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "base/guarded.h"
#include "base/system_error.h"

namespace hearth {

namespace {

// A disk that is busy, or wakes up, may fail more than once before it reads.
constexpr int kTriesAgain = 2;

}  // namespace

void Reader::read() noexcept {
    counts_ = {};
    if (plan_.parts.size() == 1) {
        ReadPart& part = plan_.parts.front();
        part.status = read_part(part);
        return;
    }
    const Result<void> all = guarded(facts().path, [&] { return read_together(); });
    if (all) {
        return;
    }
    // One place that cannot be read must not cost the others.
    ++counts_.retries;
    for (ReadPart& part : plan_.parts) {
        part.status = read_part(part);
    }
}

Result<void> Reader::read_together() {
    const ReadPart& first = plan_.parts.front();
    const ReadPart& last = plan_.parts.back();
    bool as_in_the_file = true;
    std::uint64_t end = first.end();
    for (std::size_t i = 1; i < plan_.parts.size(); ++i) {
        const ReadPart& before = plan_.parts[i - 1];
        const ReadPart& part = plan_.parts[i];
        as_in_the_file = as_in_the_file && before.end() == part.offset &&
                         before.to.data() + before.to.size() == part.to.data();
        end = std::max(end, part.end());
    }
    if (as_in_the_file &&
        in_place(plan_.begin, plan_.end, first.offset, last.end(), first.to.data())) {
        const auto bytes = static_cast<std::size_t>(plan_.end - plan_.begin);
        return read_range(plan_.begin, {first.to.data(), bytes}, bytes, Tries::Once);
    }
    auto got = read_bounced(plan_.begin, plan_.end, end, Tries::Once);
    if (!got) {
        return std::move(got).error();
    }
    for (const ReadPart& part : plan_.parts) {
        std::memcpy(part.to.data(), *got + (part.offset - plan_.begin), part.to.size());
    }
    return {};
}

Result<void> Reader::read_part(const ReadPart& part) noexcept {
    return guarded(facts().path, [&]() -> Result<void> {
        const std::uint64_t begin = round_down(part.offset, facts().alignment);
        const std::uint64_t end = round_up(part.end(), facts().alignment);
        if (in_place(begin, end, part.offset, part.end(), part.to.data())) {
            return read_range(begin, part.to, part.to.size(), Tries::Thrice);
        }
        auto got = read_bounced(begin, end, part.end(), Tries::Thrice);
        if (!got) {
            return std::move(got).error();
        }
        std::memcpy(part.to.data(), *got + (part.offset - begin), part.to.size());
        return {};
    });
}

bool Reader::in_place(std::uint64_t begin, std::uint64_t end, std::uint64_t wanted_begin,
                      std::uint64_t wanted_end, const std::byte* to) const {
    return begin == wanted_begin && end == wanted_end &&
           reinterpret_cast<std::uintptr_t>(to) % facts().memory_alignment == 0;
}

// [begin, end) into the buffer, of which up to `wanted_end` must be there.
Result<const std::byte*> Reader::read_bounced(std::uint64_t begin, std::uint64_t end,
                                              std::uint64_t wanted_end, Tries tries) {
    const std::uint64_t bytes = end - begin;
    const std::uint64_t room = facts().memory_alignment - 1;
    if (buffer_.bytes() < bytes + room) {
        constexpr std::uint64_t kGrain = 16 << 10;  // the buffer grows a few times only
        const std::uint64_t most = buffer_bytes_max(facts(), largest_read_bytes_);
        buffer_ = {};
        auto buffer = AlignedBuffer::create(std::min(round_up(bytes + room, kGrain), most),
                                            "buffer for reads");
        if (!buffer) {
            buffer.error().message +=
                ", wanted to read byte " + std::to_string(begin) + " of " + facts().path;
            buffer.error().path = facts().path;
            return std::move(buffer).error();
        }
        buffer_ = *std::move(buffer);
    }
    const auto at = reinterpret_cast<std::uintptr_t>(buffer_.data());
    const std::uint64_t skip = round_up(at, facts().memory_alignment) - at;
    const auto to = buffer_.span<std::byte>(skip, static_cast<std::size_t>(bytes));
    if (auto read = read_range(begin, to, wanted_end - begin, tries); !read) {
        return std::move(read).error();
    }
    return static_cast<const std::byte*>(to.data());
}

// Reads until the first `wanted` bytes of `to` are there. A read that brings less goes on where it
// stopped; one that brings nothing is tried again if `tries` allows.
Result<void> Reader::read_range(std::uint64_t begin, std::span<std::byte> to, std::uint64_t wanted,
                                Tries tries) {
    std::uint64_t got = 0;
    int again = tries == Tries::Thrice ? kTriesAgain : 0;
    for (;;) {
        const ReadOutcome outcome =
            file_->read(begin + got, to.subspan(static_cast<std::size_t>(got)));
        ++counts_.reads;
        counts_.bytes += outcome.bytes;
        if (outcome.error == 0 && got + outcome.bytes >= wanted) {
            return {};
        }
        const std::uint64_t more = round_down(outcome.bytes, facts().alignment);
        if (more == 0 && again-- == 0) {
            return failed(begin + got, wanted - got, outcome);
        }
        got += more;
        ++counts_.retries;
    }
}

Error Reader::failed(std::uint64_t offset, std::uint64_t bytes, const ReadOutcome& outcome) const {
    Error error{ErrorCode::ReadFailed, {}, facts().path, {}};
    error.message = facts().path + ": " + std::to_string(bytes) + " bytes at byte " +
                    std::to_string(offset) + " cannot be read: ";
    if (outcome.error != 0) {
        error.code = system_error(FileAction::Read, outcome.error, facts().path).code;
        error.message += std::system_category().message(outcome.error);
    } else {
        error.message += "the file ends at byte " + std::to_string(offset + outcome.bytes);
    }
    for (const std::string& change : {file_->change(), file_->change_of_name()}) {
        if (!change.empty()) {
            error.message += "; " + change;
        }
    }
    return error;
}

}  // namespace hearth
