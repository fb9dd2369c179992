// The weights that a plan gives the GPU, in the GPU's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "vulkan/matrix.h"
#include "vulkan/upload.h"

namespace hearth::vulkan {

// What the GPU holds of a layer. Views of vectors are floats; empty: the layer has none.
struct GpuLayer {
    bool attention = false;
    int n_neurons = 0;           // its hot ones
    ByRole<BufferView> vectors;  // FfnNorm: with attention, what comes after it is normed here
    // Up: [2 n, n_embd], gate and up of each neuron side by side; [n, n_embd], up alone, where
    // there are no gates, or they are of another type and in Gate. PredictorFc2: the rows of all
    // neurons in the plan's order, the hot ones' first.
    ByRole<GpuMatrix> matrices;
    bool down_by_neuron = false;  // Down is [n, n_embd], not [n_embd, n]
    // The neurons of one expert; 0: the block is no mixture. Up and Gate are as above, and
    // Down is [experts here * n_embd, expert_neurons], each expert's rows one after the other.
    // SharedUp is like Up, with SharedGate.
    int expert_neurons = 0;
    BufferView places;  // [the layer's experts] words: where each is among those here, or NOWHERE
    float predictor_threshold = 0;

    const GpuMatrix& operator[](Role role) const { return matrices[role]; }
    int n_experts() const { return expert_neurons > 0 ? n_neurons / expert_neurons : 0; }

    std::uint64_t attention_bytes() const;  // what a token reads
    std::uint32_t gates() const;            // GATES_*: where the shaders find them
    std::uint32_t shared_gates() const;     // of the shared expert
};

// The limits of a driver that decide how weights are laid out.
struct GpuLimits {
    std::uint64_t range_bytes_max = std::uint64_t{128} << 20;  // of one binding
};

// Says why these shaders cannot compute a model. Empty: they can.
std::string why_not_on_gpu(const ModelSpec& spec, const ModelTensors& tensors);

// The bytes that each part will take, exactly: sums of Arena pieces.
std::uint64_t attention_bytes(const LayerSpec& spec, const LayerTensors& layer,
                              const GpuLimits& limits);
std::uint64_t neurons_bytes(const LayerSpec& spec, const LayerTensors& layer, int n_neurons,
                            const GpuLimits& limits);
// Only where Placement::predictor_in_vram() is true.
std::uint64_t predictor_bytes(const LayerTensors& layer, const GpuLimits& limits);
std::uint64_t output_bytes(const ModelTensors& tensors, const GpuLimits& limits);

class WeightLoader;

class GpuWeights {
public:
    // Takes memory for the GPU part of slice.plan and fills it. The pool's threads read the file.
    // Returns the first error of any of them. Cancelled.
    static Result<GpuWeights> load(const PlanSlice& slice, const std::shared_ptr<Device>& device,
                                   ThreadPool& pool, LoadMonitor& monitor);

    // As Executor::exchange().
    Result<void> exchange(const PlanSlice& slice, std::span<const PlaceExchange> pairs,
                          const std::shared_ptr<Device>& device, ThreadPool& pool);

    std::vector<GpuLayer> layers;  // [n_layer]
    // Of the model's roles. Output is empty where it stays with the processor.
    ByRole<BufferView> vectors;
    ByRole<GpuMatrix> matrices;
    std::uint64_t bytes() const { return arena_.bytes(); }

private:
    Result<void> exchange_expert(const PlanSlice& slice, const PlaceExchange& two,
                                 const GpuLimits& limits, WeightLoader& loader);

    Arena arena_;
};

}  // namespace hearth::vulkan
