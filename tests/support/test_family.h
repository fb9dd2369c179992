// How the test models of an architecture look: what TinyModel writes, ReferenceModel computes and
// the fuzz targets' corpus holds. An architecture is an entry of test_family.cpp. It says again, in
// other words, what engine/model/architectures says, and shares nothing with it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::test {

struct TestFamily {
    std::string arch;
    // The feed-forward block's function, by the names of hearth.activation.
    std::string dense = "silu";
    std::string sparse = "reglu";  // in PowerInfer's files
    bool gated = true;
    bool dense_by_neuron = false;  // a down projection by neuron does not make it PowerInfer's

    bool layer_norm = false;  // norms less the mean, with a bias
    bool parallel = false;    // both blocks read the layer's input, by one norm or by two
    bool biases = false;      // of every matrix of a layer
    bool qkv_bias = false;
    bool head_norm = false;
    bool fused_qkv = false;
    bool fused_gate_up = false;
    bool scaled_embedding = false;

    bool rotates = true;
    bool halves = false;         // pairs half a head apart
    bool has_positions = false;  // learned ones; the first two are no token's

    std::vector<std::pair<std::string, std::string>> keys{};  // more texts, behind "ARCH."
    // The usual names of tensors and its own, without "blk.N." and ".weight".
    std::vector<std::pair<std::string, std::string>> names{};

    // The name in its files of the tensor that most files call `usual`.
    std::string name_of(const std::string& usual) const;
};

std::span<const TestFamily> test_families();
// An architecture without an entry has what is common, under its name.
TestFamily test_family(std::string_view arch);
bool has_test_family(std::string_view arch);
// "llama, bamboo and opt", as messages list them.
std::string test_family_names();

}  // namespace hearth::test
