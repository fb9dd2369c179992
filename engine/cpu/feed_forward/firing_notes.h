// Which of the processor's neurons fired for the latest token alone, while somebody wants counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cpu/cpu_weights.h"
#include "plan/self_profile.h"

namespace hearth {

// Belongs to the engine's thread, but for note().
class FiringNotes {
public:
    // As Executor::count_firing(). layers: [n_layer]. Allocates.
    void count_firing(SelfProfile* profile, std::span<const CpuLayer> layers);
    // As Executor::count_token(). Precondition: count_firing() with these layers.
    void count_token(std::span<const CpuLayer> layers) const;

    // Notes that of the layer's neurons, or experts, [first, end) those at first + index[i], i <
    // n_fired, fired for the running token. first: a multiple of 32. Any thread.
    void note(int layer, int first, int end, const std::uint16_t* index, int n_fired);

private:
    SelfProfile* profile_ = nullptr;  // null: nobody wants counts
    // [n_layer][neurons / 32]: bit n % 32 of word n / 32 says whether the layer's neuron n, or
    // expert, fired.
    std::vector<std::vector<std::uint32_t>> fired_;
};

}  // namespace hearth
