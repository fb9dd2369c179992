#include "model/key_head_rows.h"

#include <numeric>

#include "base/assert.h"

namespace hearth {
namespace {

// Rows of a key head's parts. The rows of a role are those of the first part of all heads, then
// those of the next part.
std::vector<std::uint64_t> parts_of(Role role, const DeltaNetSpec& net) {
    const auto group = static_cast<std::uint64_t>(net.group());
    const auto key = static_cast<std::uint64_t>(net.key_dim);
    const std::uint64_t values = group * static_cast<std::uint64_t>(net.value_dim);
    switch (role) {
        case Role::Q:
            return {key, key, values};
        case Role::DeltaGate:
            return {values};
        case Role::K:
        case Role::V:
            return {group};
        default:
            break;
    }
    HEARTH_ASSERT(role == Role::Q);
    return {};
}

}  // namespace

KeyHeadRuns key_head_runs(const HeldRoles& roles, Role role, const DeltaNetSpec& net) {
    KeyHeadRuns runs{.first = 0, .rows = 0, .order = {}};
    std::uint64_t of_head = 0;  // rows of all roles
    for (const Role held : roles.all()) {
        runs.first = held == role ? of_head : runs.first;
        for (const std::uint64_t rows : parts_of(held, net)) {
            runs.rows = std::gcd(runs.rows, rows);
            of_head += rows;
        }
    }
    std::uint64_t begin = 0;  // of a part, among the role's own rows of a head
    for (const std::uint64_t rows : parts_of(role, net)) {
        for (int head = 0; head < net.n_key_heads; ++head) {
            const std::uint64_t first = static_cast<std::uint64_t>(head) * of_head + begin;
            for (std::uint64_t row = 0; row < rows; row += runs.rows) {
                runs.order.push_back(static_cast<int>((first + row) / runs.rows));
            }
        }
        begin += rows;
    }
    return runs;
}

}  // namespace hearth
