#include "model/architectures/delta_nets.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace hearth {
namespace {

constexpr std::int64_t kMostLayers = 4096;
constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostKernel = 16;
// States are kept in panels of so many values (cpu/kernels/kernels.h).
constexpr int kPanel = 32;
constexpr int kMostStateDim = 256;

}  // namespace

DeltaNetSpec read_delta_net(Keys& keys) {
    DeltaNetSpec net;
    net.n_key_heads = keys.integer("ssm.group_count", 1, kMostHeads);
    net.n_value_heads = keys.integer("ssm.time_step_rank", 1, kMostHeads);
    net.key_dim = net.value_dim = keys.integer("ssm.state_size", 1, kMostWidth);
    net.conv_kernel = keys.integer("ssm.conv_kernel", 1, kMostKernel);
    const int width = keys.integer("ssm.inner_size", 1, kMostWidth);
    if (keys.failure()) {
        return {};
    }
    if (net.key_dim % kPanel != 0 || net.key_dim > kMostStateDim) {
        keys.unsupported("ssm.state_size", "heads of " + std::to_string(net.key_dim) +
                                               " are no multiple of " + std::to_string(kPanel) +
                                               " up to " + std::to_string(kMostStateDim));
        return {};
    }
    if (net.value_width() != width) {
        keys.bad("ssm.inner_size", "is " + std::to_string(width) + ", " +
                                       std::to_string(net.n_value_heads) + " heads of " +
                                       std::to_string(net.value_dim) + " are " +
                                       std::to_string(net.value_width()) + " wide");
    }
    if (net.n_value_heads % net.n_key_heads != 0) {
        keys.bad("ssm.group_count", std::to_string(net.n_value_heads) +
                                        " value heads do not share " +
                                        std::to_string(net.n_key_heads) + " key heads evenly");
    }
    return net;
}

bool is_delta_net(Keys& keys, int block) {
    constexpr std::string_view kRecurrent = "attention.recurrent_layers";
    if (keys.has(kRecurrent)) {
        const int n_layer = keys.integer("block_count", 1, kMostLayers);
        return keys.per_layer(kRecurrent, 0, 1, n_layer)[static_cast<std::size_t>(block)] != 0;
    }
    const int interval = keys.integer_or("full_attention_interval", 1, kMostLayers, 4);
    return !keys.failure() && (block + 1) % interval != 0;
}

}  // namespace hearth
