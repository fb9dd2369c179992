// What the user allows.
#pragma once

#include <cstdint>
#include <optional>

namespace hearth {

struct Budget {
    std::optional<std::uint64_t> ram_bytes{};   // empty: what the machine has to spare
    std::optional<std::uint64_t> vram_bytes{};  // empty: what the desktop can spare
    int n_ctx = 0;                              // tokens; 0: the model's own, at most kAutoContext
    int threads = 0;                            // 0: one per physical core
};

// A context nobody asked for should not cost gigabytes: 4096 tokens are some ten pages of
// conversation.
inline constexpr int kAutoContext = 4096;

}  // namespace hearth
