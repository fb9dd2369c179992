// Text typed at Windows' console, in the form in which the program reads all text: UTF-8, lines
// that end with \n.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace hearth::cli {

// The console hands over UTF-16, in pieces that may end anywhere: between the halves of a
// character, or between \r and \n. One thread at a time.
class ConsoleReader {
public:
    // Returns the units that it put into the span; 0: the end of input, -1: failed, with errno.
    using Source = std::function<std::ptrdiff_t(std::span<char16_t>)>;

    explicit ConsoleReader(Source source);

    // Returns the bytes that it put into `out`, which is not empty; 0: the end of input, -1:
    // failed, with errno. Ctrl+Z at the start of a line ends the input for good. Half a character
    // becomes U+FFFD.
    std::ptrdiff_t read(std::span<char> out);

private:
    void take(char16_t unit);
    void put(char32_t character);
    void put_half();
    std::ptrdiff_t refill();

    Source source_;
    std::u16string piece_;
    std::string ready_;
    std::size_t given_ = 0;    // bytes of ready_ that were read
    char16_t first_half_ = 0;  // of a character, until the second one comes
    bool after_return_ = false;
    bool at_line_start_ = true;
    bool ended_ = false;
};

}  // namespace hearth::cli
