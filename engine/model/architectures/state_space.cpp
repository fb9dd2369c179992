#include "model/architectures/state_space.h"

#include <cstdint>
#include <string>

namespace hearth {
namespace {

constexpr std::int64_t kMostHeads = 4096;
constexpr std::int64_t kMostWidth = 1 << 20;
constexpr std::int64_t kMostKernel = 16;
// States are kept in panels of values, the last one of a head in half a panel
// (cpu/kernels/kernels.h).
constexpr int kHalfPanel = 16;
constexpr int kStateStep = 32;
constexpr int kMostStateDim = 256;

}  // namespace

StateSpaceSpec read_state_space(Keys& keys) {
    StateSpaceSpec state_space;
    state_space.n_heads = keys.integer("ssm.time_step_rank", 1, kMostHeads);
    state_space.n_groups = keys.integer("ssm.group_count", 1, kMostHeads);
    state_space.state_dim = keys.integer("ssm.state_size", 1, kMostWidth);
    state_space.conv_kernel = keys.integer("ssm.conv_kernel", 2, kMostKernel);
    const int width = keys.integer("ssm.inner_size", 1, kMostWidth);
    if (keys.failure()) {
        return {};
    }
    state_space.head_dim = width / state_space.n_heads;
    if (state_space.width() != width) {
        keys.bad("ssm.inner_size", "is " + std::to_string(width) + ", no multiple of " +
                                       std::to_string(state_space.n_heads) + " heads");
    } else if (state_space.head_dim % kHalfPanel != 0) {
        keys.unsupported("ssm.inner_size", "heads of " + std::to_string(state_space.head_dim) +
                                               " are no multiple of " + std::to_string(kHalfPanel));
    } else if (state_space.state_dim % kStateStep != 0 || state_space.state_dim > kMostStateDim) {
        keys.unsupported("ssm.state_size", "states of " + std::to_string(state_space.state_dim) +
                                               " are no multiple of " + std::to_string(kStateStep) +
                                               " up to " + std::to_string(kMostStateDim));
    } else if (state_space.n_heads % state_space.n_groups != 0) {
        keys.bad("ssm.group_count", std::to_string(state_space.n_heads) + " heads do not share " +
                                        std::to_string(state_space.n_groups) + " groups evenly");
    } else if (static_cast<std::int64_t>(state_space.n_groups) * state_space.state_dim >
               kMostWidth) {
        keys.bad("ssm.group_count", std::to_string(state_space.n_groups) + " groups of " +
                                        std::to_string(state_space.state_dim) + " are too wide");
    }
    return keys.failure() ? StateSpaceSpec{} : state_space;
}

void make_state_space(Keys& keys, int, LayerSpec& layer) {
    if (layer.attention.n_head_kv == 0) {
        layer.state_space = read_state_space(keys);
        layer.attention.n_head_kv = layer.attention.n_head;  // no head is computed
    }
}

}  // namespace hearth
