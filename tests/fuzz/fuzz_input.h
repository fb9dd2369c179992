// What a fuzz target takes its decisions from.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

// One input, in the form libFuzzer calls every target in. Always returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace hearth::fuzz {

// Ends the program with the property that did not hold: how a fuzzer learns of wrong results.
[[noreturn]] inline void broken(const char* property, const char* file, int line) {
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, property);
    std::abort();
}
#define FUZZ_CHECK(property)                                     \
    do {                                                         \
        if (!(property)) {                                       \
            hearth::fuzz::broken(#property, __FILE__, __LINE__); \
        }                                                        \
    } while (false)

// Reads the input from its front. Behind its end everything is 0 or empty.
class FuzzInput {
public:
    FuzzInput(const std::uint8_t* data, std::size_t size) : left_(data, size) {}

    std::uint8_t byte() {
        if (left_.empty()) {
            return 0;
        }
        const std::uint8_t value = left_.front();
        left_ = left_.subspan(1);
        return value;
    }
    // One byte of length, then the text.
    std::string text() { return take(byte()); }
    std::string rest() { return take(left_.size()); }

private:
    std::string take(std::size_t bytes) {
        const auto part = left_.first(std::min(bytes, left_.size()));
        left_ = left_.subspan(part.size());
        return {part.begin(), part.end()};
    }

    std::span<const std::uint8_t> left_;
};

// A message goes to a terminal and a log: never empty, never with control bytes of the file in it.
inline bool is_fit_message(std::string_view message) {
    return !message.empty() && std::none_of(message.begin(), message.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
    });
}

}  // namespace hearth::fuzz
