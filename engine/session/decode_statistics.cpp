#include "session/decode_statistics.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "session/loaded_model.h"

namespace hearth {
namespace {

double share(std::uint64_t part, std::uint64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
}

// On the dense path of a layer that has no other, every neuron is computed and nobody counts which
// of them fire.
LayerActivity with_neurons(LayerActivity seen) {
    if (seen.path == FeedForwardMode::Dense && seen.tokens == 0) {
        seen.neurons = seen.examined = seen.opened = seen.fired = seen.computed;
    }
    return seen;
}

// n_experts_ff: the neurons of all experts, if the layer is a mixture; else 0.
LayerStatistics both(const LayerActivity& of_cpu, const LayerActivity& of_gpu, bool cpu_has_some,
                     int n_experts_ff) {
    LayerStatistics layer;
    layer.path = to_string(cpu_has_some ? of_cpu.path : of_gpu.path);
    layer.tokens = std::max(of_cpu.tokens, of_gpu.tokens);
    if (of_cpu.blocks > 0) {
        layer.block_us =
            static_cast<double>(of_cpu.block_ns) / 1e3 / static_cast<double>(of_cpu.blocks);
    }
    const LayerActivity a = with_neurons(of_cpu);
    const LayerActivity b = with_neurons(of_gpu);
    const std::uint64_t all = n_experts_ff > 0 ? std::max(of_cpu.passed, of_gpu.passed) *
                                                     static_cast<std::uint64_t>(n_experts_ff)
                                               : a.neurons + b.neurons;
    if (all > 0) {
        layer.examined = share(a.examined + b.examined, all);
        layer.opened = share(a.opened + b.opened, all);
        layer.fired = share(a.fired + b.fired, all);
    }
    if (a.inputs > 0) {
        layer.inputs = share(a.inputs_kept, a.inputs);
    }
    return layer;
}

}  // namespace

Result<DecodeStatistics> decode_statistics(LoadedModel& impl) {
    if (impl.executor == nullptr) {
        return Error{ErrorCode::Internal, "the model's weights are not loaded"};
    }
    const std::span<const LayerActivity> of_cpu = *impl.executor->activity();
    const std::vector<LayerActivity> nothing(of_cpu.size());
    std::span<const LayerActivity> of_gpu = nothing;
    DecodeStatistics sum;
    sum.ram_weight_bytes = impl.executor->decode_weight_bytes();
    if (impl.gpu_executor != nullptr) {
        auto counted = impl.gpu_executor->activity();
        if (!counted) {
            return std::move(counted).error();
        }
        of_gpu = *counted;
        sum.vram_weight_bytes = impl.gpu_executor->decode_weight_bytes();
    }
    std::uint64_t cpu = 0;
    std::uint64_t gpu = 0;
    for (std::size_t i = 0; i < of_cpu.size(); ++i) {
        const bool cpu_has_some =
            impl.plan.placement.hot(static_cast<int>(i)) < impl.spec.layers[i].n_ff;
        const LayerSpec& spec = impl.spec.layers[i];
        sum.layers.push_back(
            both(of_cpu[i], of_gpu[i], cpu_has_some, spec.is_mixture() ? spec.n_ff : 0));
        sum.tokens = std::max({sum.tokens, of_cpu[i].passed, of_gpu[i].passed});
        cpu += of_cpu[i].computed;
        gpu += of_gpu[i].computed;
    }
    if (cpu + gpu > 0) {
        sum.cpu_share = share(cpu, cpu + gpu);
        sum.gpu_share = share(gpu, cpu + gpu);
    } else if (impl.gpu_executor == nullptr) {
        sum.cpu_share = 1.0;
        sum.gpu_share = 0.0;
    }
    return sum;
}

void reset_decode_statistics(LoadedModel& impl) {
    if (impl.executor != nullptr) {
        impl.executor->reset_activity();
    }
    if (impl.gpu_executor != nullptr) {
        impl.gpu_executor->reset_activity();
    }
}

}  // namespace hearth
