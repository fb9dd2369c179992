#include "support/test_family.h"

#include <algorithm>

namespace hearth::test {

std::span<const TestFamily> test_families() {
    static const std::vector<TestFamily> kFamilies{
        {.arch = "llama"},
        {.arch = "bamboo", .dense = "drelu", .sparse = "drelu"},
        {.arch = "falcon",
         .dense = "gelu",
         .sparse = "relu",
         .gated = false,
         .dense_by_neuron = true,
         .layer_norm = true,
         .parallel = true,
         .fused_qkv = true,
         .halves = true,
         .keys = {{"tensor_data_layout", "jploski"}}},
        {.arch = "opt",
         .dense = "relu",
         .sparse = "relu",
         .gated = false,
         .layer_norm = true,
         .biases = true,
         .rotates = false,
         .has_positions = true},
        {.arch = "qwen2", .qkv_bias = true, .halves = true},
        {.arch = "qwen3", .head_norm = true, .halves = true},
        {.arch = "gemma", .dense = "geglu", .scaled_embedding = true, .halves = true},
    };
    return kFamilies;
}

bool has_test_family(std::string_view arch) {
    return std::any_of(test_families().begin(), test_families().end(),
                       [&](const TestFamily& family) { return family.arch == arch; });
}

TestFamily test_family(std::string_view arch) {
    for (const TestFamily& family : test_families()) {
        if (family.arch == arch) {
            return family;
        }
    }
    return {.arch = std::string(arch)};
}

std::string test_family_names() {
    const std::span<const TestFamily> all = test_families();
    std::string names = all.front().arch;
    for (const TestFamily& family : all.subspan(1)) {
        names += (&family == &all.back() ? " and " : ", ") + family.arch;
    }
    return names;
}

std::string TestFamily::name_of(const std::string& usual) const {
    const std::size_t begin = usual.starts_with("blk.") ? usual.find('.', 4) + 1 : 0;
    const std::size_t end = usual.rfind('.');
    for (const auto& [from, to] : names) {
        if (usual.compare(begin, end - begin, from) == 0) {
            return usual.substr(0, begin) + to + usual.substr(end);
        }
    }
    return usual;
}

}  // namespace hearth::test
