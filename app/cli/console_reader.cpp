#include "console_reader.h"

#include <algorithm>
#include <utility>

namespace hearth::cli {
namespace {

// The console limits a typed line to the length that is asked for: a smaller buffer would cut
// pasted text. Older consoles refuse requests of 64 KiB.
constexpr std::size_t kPieceUnits = std::size_t{16} * 1024;

constexpr char16_t kCtrlZ = 0x1A;
constexpr char32_t kReplacement = 0xFFFD;

bool is_first_half(char16_t unit) {
    return unit >= 0xD800 && unit < 0xDC00;
}

bool is_second_half(char16_t unit) {
    return unit >= 0xDC00 && unit < 0xE000;
}

}  // namespace

ConsoleReader::ConsoleReader(Source source) : source_(std::move(source)) {}

void ConsoleReader::put(char32_t character) {
    const auto byte = [&](char32_t value) { ready_ += static_cast<char>(value); };
    const auto rest = [&](int shift) { byte(0x80 | ((character >> shift) & 0x3F)); };
    if (character < 0x80) {
        byte(character);
    } else if (character < 0x800) {
        byte(0xC0 | (character >> 6));
        rest(0);
    } else if (character < 0x10000) {
        byte(0xE0 | (character >> 12));
        rest(6);
        rest(0);
    } else {
        byte(0xF0 | (character >> 18));
        rest(12);
        rest(6);
        rest(0);
    }
}

// Replaces a first half whose second half will not come.
void ConsoleReader::put_half() {
    if (std::exchange(first_half_, u'\0') != 0) {
        put(kReplacement);
    }
}

void ConsoleReader::take(char16_t unit) {
    if (first_half_ != 0 && is_second_half(unit)) {
        put(0x10000 + ((char32_t{std::exchange(first_half_, u'\0')} - 0xD800) << 10) +
            (char32_t{unit} - 0xDC00));
        return;
    }
    put_half();
    if (std::exchange(after_return_, false) && unit != u'\n') {
        put(U'\r');
    }
    if (at_line_start_ && unit == kCtrlZ) {
        ended_ = true;
        return;
    }
    at_line_start_ = unit == u'\n';
    if (unit == u'\r') {
        after_return_ = true;
    } else if (is_first_half(unit)) {
        first_half_ = unit;
    } else {
        put(is_second_half(unit) ? kReplacement : char32_t{unit});
    }
}

// Results are those of read().
std::ptrdiff_t ConsoleReader::refill() {
    ready_.clear();
    given_ = 0;
    while (ready_.empty() && !ended_) {
        piece_.resize(kPieceUnits);
        const std::ptrdiff_t units = source_(piece_);
        if (units < 0) {
            return -1;
        }
        for (std::size_t i = 0; i < static_cast<std::size_t>(units) && !ended_; ++i) {
            take(piece_[i]);
        }
        if (units == 0) {
            ended_ = true;
            put_half();
            if (std::exchange(after_return_, false)) {
                put(U'\r');
            }
        }
    }
    return static_cast<std::ptrdiff_t>(ready_.size());
}

std::ptrdiff_t ConsoleReader::read(std::span<char> out) {
    if (given_ == ready_.size()) {
        if (const std::ptrdiff_t bytes = refill(); bytes <= 0) {
            return bytes;
        }
    }
    const std::size_t bytes = std::min(out.size(), ready_.size() - given_);
    std::copy_n(ready_.begin() + static_cast<std::ptrdiff_t>(given_), bytes, out.begin());
    given_ += bytes;
    return static_cast<std::ptrdiff_t>(bytes);
}

}  // namespace hearth::cli
