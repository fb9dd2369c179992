// The Vulkan executor with a tiny model, and nobody on the processor's side but to give
// weights: what it has of a block is zeros.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <hearth/result.h>

#include "base/thread_pool.h"
#include "compute/executor.h"
#include "gguf/reader.h"
#include "memory/past.h"
#include "support/temp_dir.h"
#include "vulkan/device.h"

namespace hearth::vulkan {
class VulkanExecutor;
}

namespace hearth::test {

// Two layers whose neurons are shared out, with predictors: every kind of thing is loaded.
class TinyGpuModel {
public:
    TinyGpuModel();  // aborts where it cannot be written and read back

private:
    friend class TinyExecutor;
    TempDir dir_;
    std::optional<GgufFile> file_;
    ModelSpec spec_;
    ModelTensors tensors_;
    Plan plan_;
};

class TinyExecutor {
public:
    using Logits = std::vector<float>;

    // give_up_at: the call of the monitor that says no, from 1 on; 0: none does.
    static Result<TinyExecutor> load(const std::shared_ptr<vulkan::Device>& device,
                                     TinyGpuModel& model, int give_up_at);
    // Everything an executor does: loads, computes a batch, rows of its logits, two tokens and a
    // batch whose weights are uploaded, and says what fired.
    static Result<Logits> run_all(const std::shared_ptr<vulkan::Device>& device,
                                  TinyGpuModel& model, int give_up_at = 0);

    TinyExecutor(TinyExecutor&&) noexcept;
    ~TinyExecutor();

    // The logits of the last of so many random rows.
    Result<Logits> pass(int n_tokens, int position, bool uploaded = false,
                        const Cancellation* cancellation = nullptr);
    Result<void> pass_without_logits(int n_tokens, int position);
    // Those of the latest pass.
    Result<Logits> rows(int first, int count);
    // The latest pass, of one token, counts.
    void count_token();
    // [n_layer * n_ff]: how often each neuron fired for tokens that counted, since the last time.
    Result<std::vector<std::uint32_t>> fired();

    // The next rows that are read to be uploaded fail, from the call that is this number on, 1
    // being the next; 0: none do.
    void fail_reads_from(int call);

private:
    class Reads;
    TinyExecutor(const std::shared_ptr<vulkan::Device>& device, TinyGpuModel& model);
    Result<void> run(PassTask task);

    TinyGpuModel* model_;
    std::unique_ptr<ThreadPool> pool_;
    std::unique_ptr<Executor> processor_;
    std::unique_ptr<Reads> reads_;
    std::unique_ptr<vulkan::VulkanExecutor> gpu_;
    std::unique_ptr<Past> past_;
    std::vector<std::vector<Step>> steps_;  // by PassKind
};

}  // namespace hearth::test
