// What the GPU gets of a model's neurons.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/cost_model.h"
#include "plan/placement.h"
#include "plan/plan.h"

namespace hearth {

// Neurons are placed in groups of so many, so that kernels never see part of a block of 32.
// (PowerInfer groups 64.) A layer's last neurons, too few for a group, stay in RAM.
int group_neurons(int n_ff);

struct GpuShare {
    std::vector<int> hot;  // [n_layer] neurons
    std::uint64_t bytes = 0;
    SolverReport solver;
    std::vector<std::string> reasons;
};

// The split that carries out the plan for `bytes_max` of VRAM, of which at least `bytes_min` must
// be used, since RAM has no room for them. Empty: there is none.
std::optional<GpuShare> gpu_share(const TokenCosts& costs, const Speeds& speeds,
                                  std::uint64_t bytes_max, std::uint64_t bytes_min);

}  // namespace hearth
