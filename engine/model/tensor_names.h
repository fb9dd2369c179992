// The names that files have for the tensors of a role, and the roles whose rows a tensor holds.
// Most files agree; what a family calls otherwise is in its own file of architectures/. Everybody
// who looks for a role's tensor asks here.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "gguf/reader.h"
#include "model/roles.h"

namespace hearth {

// The roles whose rows a tensor holds, those of one behind those of the other.
class HeldRoles {
public:
    static constexpr std::size_t kMost = 4;

    constexpr HeldRoles(Role first, std::same_as<Role> auto... others)
        : roles_{first, others...}, count_(1 + sizeof...(others)) {
        static_assert(1 + sizeof...(others) <= kMost);
    }

    constexpr std::span<const Role> all() const { return std::span(roles_).first(count_); }
    constexpr bool fused() const { return count_ > 1; }
    constexpr bool has(Role role) const {
        return std::find(roles_.begin(), roles_.begin() + count_, role) != roles_.begin() + count_;
    }

private:
    std::array<Role, kMost> roles_;
    std::size_t count_;
};

// A row of a table of names.
struct TensorName {
    std::string_view name;  // of a layer: behind "blk.N."
    HeldRoles roles;
    bool by_neuron = false;  // of Down: its rows are neurons, not outputs
    // The row counts in layers that have this tensor; empty: that have `name`.
    std::string_view where = {};
    bool by_key_head = false;  // it holds rows as key_head_rows.h says
};

// The place of a role's rows.
struct RoleTensor {
    std::string name;                    // in the file
    const TensorInfo* tensor = nullptr;  // of the file's table; null: it has none of that name
    HeldRoles roles;
    bool by_neuron = false;
    bool by_key_head = false;
};

// Looks for tensors in a file, as its architecture calls them. An architecture's own names of a
// role stand instead of the common ones. The first name counts whose row of the table says so, else
// the last, which is the usual one.
class TensorFinder {
public:
    // file: outlives it. The common names count where nobody knows its architecture.
    explicit TensorFinder(const GgufFile& file);

    // block: the N of "blk.N."; of the model's own roles, any.
    RoleTensor find(Role role, int block = 0) const;

private:
    const GgufFile* file_;
    std::span<const TensorName> own_;
};

}  // namespace hearth
