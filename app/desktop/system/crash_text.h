// The text of a crash report. It allocates nothing, so a signal handler may call all of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hearth::ui {

template <std::size_t Size>
class FixedText {
public:
    void clear() { size_ = 0; }
    // Text beyond Size is left out.
    void add(std::string_view text) {
        const std::size_t fits = std::min(text.size(), Size - size_);
        for (std::size_t i = 0; i < fits; ++i) {
            bytes_[size_ + i] = text[i];
        }
        size_ += fits;
    }
    void addHex(std::uint64_t number) {
        add("0x");
        int shift = 60;
        while (shift > 0 && (number >> shift) == 0) {
            shift -= 4;
        }
        for (; shift >= 0; shift -= 4) {
            const char digit = "0123456789abcdef"[(number >> shift) & 15U];
            add({&digit, 1});
        }
    }
    std::string_view text() const { return {bytes_.data(), size_}; }

private:
    std::array<char, Size> bytes_{};
    std::size_t size_ = 0;
};

// A library in memory, or the program itself.
struct LoadedModule {
    std::uintptr_t from = 0;  // of its code
    std::uintptr_t to = 0;
    std::uintptr_t base = 0;  // offsets count from here
    std::array<char, 64> name{};
};

class ModuleTable {
public:
    static constexpr std::size_t kMost = 512;

    void clear() { count_ = 0; }
    // Keeps only the part of `path` after its last slash: the folders may name the user.
    void add(std::uintptr_t from, std::uintptr_t to, std::uintptr_t base, std::string_view path) {
        if (count_ == kMost) {
            return;
        }
        LoadedModule& module = modules_[count_++];
        module = {from, to, base};
        const std::string_view name = path.substr(path.find_last_of("/\\") + 1);
        std::copy_n(name.begin(), std::min(name.size(), module.name.size() - 1),
                    module.name.begin());
    }
    // "libQt6Core.so.6+0x1234", or the bare address outside of all modules.
    template <std::size_t Size>
    void describe(std::uintptr_t address, FixedText<Size>& text) const {
        for (std::size_t i = 0; i < count_; ++i) {
            const LoadedModule& module = modules_[i];
            if (address >= module.from && address < module.to) {
                text.add(module.name.data());
                text.add("+");
                text.addHex(address - module.base);
                return;
            }
        }
        text.addHex(address);
    }

private:
    std::array<LoadedModule, kMost> modules_{};
    std::size_t count_ = 0;
};

}  // namespace hearth::ui
