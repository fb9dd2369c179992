// A fast hash for telling contents apart: model files, settings, blocks of a file. No protection
// against somebody who wants two contents to look alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace hearth {

// The result depends on what was added and where one add() ended: add("ab") differs from add("a"),
// add("b"). The same on every platform, and never changed: files carry it.
class Hash128 {
public:
    void add(std::span<const std::byte> bytes);
    void add(std::string_view text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
    void add(std::uint64_t number);

    std::string hex() const;  // 32 lower-case digits

private:
    std::array<std::uint64_t, 2> lanes_ = {0x6A09E667F3BCC908U, 0xBB67AE8584CAA73BU};
};

}  // namespace hearth
