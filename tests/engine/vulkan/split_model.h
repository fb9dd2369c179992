// A tiny model, all of it with the processor or split between that and a GPU, and what it computes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "memory/ledger.h"
#include "memory/past.h"
#include "plan/plan.h"
#include "plan/self_profile.h"
#include "session/decoder.h"
#include "vulkan/vulkan_executor.h"

namespace hearth::test {

// Sizes of what is computed at once.
struct SplitSizes {
    int n_ctx = 160;
    int n_batch = 48;
    int threads = 2;
    int n_pasts = 1;
};

// Split as the placement says; of no layers: all in RAM. It gives VRAM nothing if there is no
// device. file, spec and tensors must outlive it. After every step `problem` says what went wrong;
// empty: nothing.
class SplitModel {
public:
    SplitModel(const GgufFile& file, const ModelSpec& spec, const ModelTensors& tensors,
               FeedForwardMode mode, const Placement& placement,
               const std::shared_ptr<vulkan::Device>& device, const WeightUpload& upload = {},
               const SplitSizes& sizes = {});

    // Logits: the last row of a batch of all but the last n_single tokens, of each of these passed
    // alone, and every row of a batch of the first 20. The GPU's candidates are compared on the
    // way, and a pass is given up half way. If there may be drafts, the tokens that are passed
    // alone are passed together first: their bits are compared.
    std::vector<std::vector<float>> run(const std::vector<std::int32_t>& tokens, int n_single);

    // Experts change places, on both units, between two calls of run(). The counts begin
    // anew.
    void exchange(std::span<const PlaceExchange> pairs);

    Plan plan;
    Ledger ledger;
    ThreadPool pool;
    std::unique_ptr<Executor> executor;
    std::unique_ptr<vulkan::VulkanExecutor> gpu;
    std::optional<Decoder> decoder;
    std::vector<Past> pasts;  // as many as are planned
    SelfProfile profile;
    std::string problem;

private:
    const GgufFile& file_;
    const ModelSpec& spec_;
    const ModelTensors& tensors_;
};

// The worst row's root mean square of differences by that of the expected values; a NaN is the
// worst.
struct RowError {
    double error = 0;
    std::size_t row = 0;
};
RowError worst_row(const std::vector<std::vector<float>>& expected,
                   const std::vector<std::vector<float>>& seen);

}  // namespace hearth::test
