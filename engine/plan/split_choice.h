// Chooses how a model is split between VRAM and RAM.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/budget.h"
#include "plan/cost_model.h"
#include "plan/memory_costs.h"
#include "plan/plan.h"

namespace hearth {

// Neurons are placed in groups of so many, so that kernels never see part of a block of 32 and no
// block of a down projection that is stored by output is cut. (PowerInfer groups 64.) Only a layer
// that goes whole gives its last neurons too, if they are too few for a group.
int group_neurons(int n_ff, int block = 1);
// The same of a layer; a mixture's experts are placed whole.
int group_neurons(const LayerBytes& layer, int n_ff);

struct SplitTask {
    const TokenCosts& tokens;
    const MemoryCosts& memory;  // with the GPU's
    const Speeds& speeds;
    int n_ctx = 0;
    int n_batch = 0;
    int positions = 0;  // the forecast's
    std::uint64_t ram_bytes = 0;
    std::uint64_t vram_bytes = 0;
    SplitPolicy policy = SplitPolicy::Auto;
    SplitSolver solver = SplitSolver::Forecast;
    // The RAM budget if the GPU gets nothing. A smaller one than ram_bytes counts as ram_bytes.
    std::uint64_t alone_ram_bytes = 0;
    WeightUpload upload{};  // of the batches of a prompt; `memory` has what it takes
};

struct SplitChoice {
    Placement placement;  // nothing in VRAM: the processor alone is faster
    MemoryBytes vram;     // of it
    SolverReport solver;
    std::vector<std::string> reasons;
};

// Attention of the last layers, with its KV cache, the output head, and neurons of any layer: the
// parts that both budgets hold and that the policy asks for. Auto: those that make an exchange
// fastest, a token with its share of a prompt (batch_costs.h), whole layers and the processor alone
// among them; so with more of either budget an exchange never takes longer. split_program.h states
// the program that is solved. For each layer it chooses among at most 128 numbers of neurons, and
// it counts RAM as spared only by what neurons spare for certain: where they take more VRAM than
// they spare RAM, the GPU may get a few more than RAM needs. Empty: RAM cannot hold what VRAM
// leaves.
//
// SplitSolver::Paper: attention and output head lie as Neurons or Auto would place them beside
// neurons (no whole layers), and the neurons are PowerInfer's, slower or not. The reasons say what
// they cost. Precondition: the policy is not Layers.
std::optional<SplitChoice> choose_split(const SplitTask& task);

}  // namespace hearth
