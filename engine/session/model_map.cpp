#include "session/model_map.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "plan/cost_model.h"
#include "session/decode_statistics.h"
#include "session/loaded_model.h"

namespace hearth {
namespace {

// Divides the layer's bytes of the file among the memories.
void place_bytes(const LayerBytes& bytes, std::uint64_t n_ff, std::uint64_t hot,
                 bool attention_in_vram, bool predicts, std::uint64_t not_held, LayerMap& layer) {
    const std::uint64_t with_attention = bytes.attention + (predicts ? bytes.predictor : 0);
    const std::uint64_t all = with_attention + bytes.block + n_ff * bytes.neuron.total();
    layer.vram_bytes = (attention_in_vram ? with_attention : 0) + (hot > 0 ? bytes.block : 0) +
                       hot * bytes.neuron.total();
    layer.flash_bytes = std::min(not_held, all - layer.vram_bytes);
    layer.ram_bytes = all - layer.vram_bytes - layer.flash_bytes;
}

// gpu: null where no GPU takes part.
ExpertsServed served(const LayerActivity& cpu, const LayerActivity* gpu, int n_ff) {
    return {.vram = gpu == nullptr ? 0 : gpu->computed / static_cast<std::uint64_t>(n_ff),
            .ram = cpu.experts - std::min(cpu.experts, cpu.experts_read),
            .disk = std::min(cpu.experts, cpu.experts_read)};
}

}  // namespace

Result<ModelMap> model_map(LoadedModel& impl) {
    auto statistics = decode_statistics(impl);
    if (!statistics) {
        return std::move(statistics).error();
    }
    const std::span<const LayerActivity> of_cpu = *impl.executor->activity();
    std::span<const LayerActivity> of_gpu;
    if (impl.gpu_executor != nullptr) {
        auto counted = impl.gpu_executor->activity();
        if (!counted) {
            return std::move(counted).error();
        }
        of_gpu = *counted;
    }
    const ModelBytes bytes = model_bytes(impl.spec, impl.tensors);
    const Placement& placement = impl.plan.placement;
    const std::vector<FlashOfLayer> flash = impl.executor->flash_of_layers();
    ModelMap map{.tokens = statistics->tokens, .loads = impl.n_loads};
    for (std::size_t i = 0; i < bytes.layers.size(); ++i) {
        const LayerSpec& spec = impl.spec.layers[i];
        const auto index = static_cast<int>(i);
        LayerMap& layer = map.layers.emplace_back();
        layer.statistics = statistics->layers[i];
        if (spec.is_mixture()) {
            layer.experts = spec.experts.n;
            layer.experts_per_token = spec.experts.n_used;
            layer.served =
                served(of_cpu[i], of_gpu.empty() ? nullptr : &of_gpu[i], spec.experts.n_ff);
        } else {
            layer.neurons = spec.n_ff;
        }
        if (!flash.empty()) {
            layer.hits = flash[i].neuron_hits;
            layer.misses = flash[i].neuron_misses;
            layer.read_bytes = flash[i].bytes;
        }
        place_bytes(bytes.layers[i], static_cast<std::uint64_t>(spec.n_ff),
                    static_cast<std::uint64_t>(placement.hot(index)),
                    placement.attention_in_vram(index),
                    impl.plan.mode == FeedForwardMode::Predicted,
                    flash.empty() ? 0 : flash[i].bytes_not_held, layer);
    }
    map.other_read_bytes = flash.empty() ? 0 : flash.back().bytes;
    return map;
}

}  // namespace hearth
