#include "memory/segments.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/assert.h"

namespace hearth {

Result<Segments> Segments::create(std::span<const std::uint64_t> bytes, std::uint64_t tail_bytes,
                                  std::string_view what, bool apart) {
    Segments made;
    made.apart_ = apart;
    made.segments_.resize(bytes.size());
    if (apart) {
        for (std::size_t s = 0; s < bytes.size(); ++s) {
            if (auto taken = made.replace(s, bytes[s], what, [](const std::byte*, std::byte*) {});
                !taken) {
                return std::move(taken).error();
            }
        }
        auto tail = made.make_tail(tail_bytes, what);
        return tail ? Result<Segments>(std::move(made)) : std::move(tail).error();
    }
    auto all = AlignedBuffer::create(std::accumulate(bytes.begin(), bytes.end(), tail_bytes), what);
    if (!all) {
        return std::move(all).error();
    }
    made.all_ = std::move(*all);
    std::uint64_t at = 0;
    for (std::size_t s = 0; s < bytes.size(); ++s) {
        HEARTH_ASSERT(bytes[s] % AlignedBuffer::kAlignment == 0);
        made.segments_[s].memory =
            made.all_.span<std::byte>(at, static_cast<std::size_t>(bytes[s]));
        at += bytes[s];
    }
    made.tail_.memory = made.all_.span<std::byte>(at, static_cast<std::size_t>(tail_bytes));
    return made;
}

void Segments::give_back(Segment& segment) {
    if (segment.own.bytes() > 0) {
        segment.own = {};
    } else {
        give_back_pages(segment.memory);
    }
    segment.memory = {};
}

void Segments::shrink(std::size_t segment, std::uint64_t bytes) {
    std::span<std::byte>& memory = segments_[segment].memory;
    HEARTH_ASSERT(bytes <= memory.size());
    if (bytes == memory.size()) {
        return;
    }
    if (apart_ &&
        replace(segment, bytes, "a smaller segment",
                [bytes](const std::byte* from, std::byte* to) { std::copy_n(from, bytes, to); })) {
        return;
    }
    give_back_pages(memory.subspan(static_cast<std::size_t>(bytes)));
    memory = memory.first(static_cast<std::size_t>(bytes));
}

Result<void> Segments::replace(std::size_t segment, std::uint64_t bytes, std::string_view what,
                               const Copy& copy) {
    auto own = AlignedBuffer::create(bytes, what);
    if (!own) {
        return std::move(own).error();
    }
    Segment& old = segments_[segment];
    copy(old.memory.data(), own->data());
    give_back(old);
    old.own = std::move(*own);
    old.memory = old.own.span<std::byte>(0, static_cast<std::size_t>(bytes));
    return {};
}

void Segments::drop_tail() {
    give_back(tail_);
}

Result<void> Segments::make_tail(std::uint64_t bytes, std::string_view what) {
    HEARTH_ASSERT(tail_.memory.empty());
    auto own = AlignedBuffer::create(bytes, what);
    if (!own) {
        return std::move(own).error();
    }
    tail_.own = std::move(*own);
    tail_.memory = tail_.own.span<std::byte>(0, static_cast<std::size_t>(bytes));
    return {};
}

}  // namespace hearth
