#include <array>
#include <cstring>

#include "cpu/kernels/tables.h"

namespace hearth::kernels {
namespace {

constexpr std::array kTables {
    &kGeneric,
#if defined(__x86_64__) || defined(_M_X64)
        &kAvx2, &kAvxVnni, &kAvx512,
#elif defined(__aarch64__) || defined(_M_ARM64)
        &kNeon,
#endif
};

bool runs_here(const KernelTable& table, std::uint32_t cpu_flags) {
    return (table.needs & cpu_flags) == table.needs;
}

}  // namespace

int available(std::uint32_t cpu_flags, const KernelTable** out) {
    int count = 0;
    for (const KernelTable* table : kTables) {
        if (runs_here(*table, cpu_flags)) {
            out[count++] = table;
        }
    }
    return count;
}

const KernelTable* select(std::uint32_t cpu_flags, const char* name) {
    const KernelTable* best = nullptr;
    for (const KernelTable* table : kTables) {
        const bool wanted =
            name == nullptr || name[0] == '\0' || std::strcmp(name, table->name) == 0;
        if (wanted && runs_here(*table, cpu_flags)) {
            best = table;
        }
    }
    return best;
}

}  // namespace hearth::kernels
