#include "model/architectures/architectures.h"

#include <array>

namespace hearth {
namespace {

constexpr std::array kArchitectures{
    Architecture{"llama", read_llama},   Architecture{"bamboo", read_bamboo},
    Architecture{"falcon", read_falcon}, Architecture{"opt", read_opt},
    Architecture{"qwen2", read_qwen2},   Architecture{"qwen3", read_qwen3},
    Architecture{"gemma", read_gemma},
};

}  // namespace

const Architecture* find_architecture(std::string_view name) {
    for (const Architecture& row : kArchitectures) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

std::string architecture_names() {
    std::string names;
    for (std::size_t i = 0; i < kArchitectures.size(); ++i) {
        names += i == 0 ? "" : i + 1 < kArchitectures.size() ? ", " : " and ";
        names += kArchitectures[i].name;
    }
    return names;
}

}  // namespace hearth
