#include "plan/size_choice.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "plan/batch_costs.h"
#include "plan/flash_split_choice.h"
#include "plan/weight_upload.h"

namespace hearth {
namespace {

constexpr int kSmallestBatch = 32;
constexpr int kSmallestContext = 512;
// A context that nobody asked for is cut so far to keep all weights in RAM: reading some for each
// token costs most of the speed. Below it a chat soon forgets its beginning, which costs more.
constexpr int kSmallestForWeights = 2048;

// A batch's scratch may take this part of a GPU's memory, or of RAM where weights are read from
// flash, before the batch is made smaller.
constexpr std::uint64_t kScratchPart = 8;

// A larger batch uploads weights less often. It is worth so much of a
// GPU's memory as makes prompts this much faster. No layer of it may keep the GPU for longer:
// drivers take that for a hang, and a stopped prompt should stop.
constexpr std::array kTimesAsLarge{4, 2};
constexpr std::uint64_t kLargerPart = 16;
constexpr double kLargerGain = 1.25;
constexpr double kLayerSecondsMost = 0.1;

// Sums of numbers that may come from anywhere stay at the greatest there is, which fits nowhere.
constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a > kMostBytes - b ? kMostBytes : a + b;
}
std::uint64_t total_of(const MemoryBytes& bytes) {
    return add(add(bytes.weights, bytes.kv), bytes.scratch);
}

MemoryBytes memory_for(const MemoryCosts& costs, const Placement& placement, int n_ctx,
                       int n_batch) {
    return {costs.weights_bytes(placement), costs.kv_bytes(n_ctx, placement),
            costs.scratch_bytes(n_ctx, n_batch)};
}

struct Size {
    int n_ctx;
    int n_batch;
};

// What may be tried, in this order: a smaller context costs the user, unless he asked for no
// certain one.
std::vector<Size> sizes_to_try(int wanted_ctx, bool fixed_ctx) {
    std::vector<Size> sizes{{wanted_ctx, std::min(kMostBatch, wanted_ctx)}};
    while (sizes.back().n_batch / 2 >= kSmallestBatch) {
        sizes.push_back({wanted_ctx, sizes.back().n_batch / 2});
    }
    while (!fixed_ctx && sizes.back().n_ctx / 2 >= kSmallestContext) {
        sizes.push_back({sizes.back().n_ctx / 2, sizes.back().n_batch});
    }
    return sizes;
}

bool has_every_layer(const Placement& placement, const TokenCosts& tokens) {
    bool all = true;
    for (std::size_t l = 0; l < tokens.heat.layers.size(); ++l) {
        const auto layer = static_cast<int>(l);
        all = all && placement.attention_in_vram(layer) &&
              static_cast<std::size_t>(placement.hot(layer)) == tokens.heat.layers[l].rates.size();
    }
    return all;
}

class Sizes {
public:
    explicit Sizes(const SizeTask& task)
        : task_(task),
          costs_(task.costs),
          sizes_(sizes_to_try(task.wanted_ctx, task.fixed_ctx)),
          n_usual_(static_cast<std::size_t>(
              std::find_if(sizes_.begin(), sizes_.end(),
                           [&](const Size& size) {
                               return size.n_ctx < std::min(task.wanted_ctx, kSmallestForWeights);
                           }) -
              sizes_.begin())) {}

    SizeChoice run() {
        choice_.fits = fits_in_memory(0, n_usual_) || fits_with_flash() ||
                       fits_in_memory(n_usual_, sizes_.size());
        return std::move(choice_);
    }

private:
    bool fits_in_memory(std::size_t first, std::size_t end) {
        choice_.split = {};
        return fits_split(first, end) || fits_alone(first, end);
    }
    bool fits_with_flash() {
        choice_.split = {};
        return fits_split_with_flash() || fits_alone_with_flash();
    }

    void take(const Size& size, const MemoryBytes& ram, std::uint64_t budget) {
        choice_.n_ctx = size.n_ctx;
        choice_.n_batch = size.n_batch;
        choice_.ram = ram;
        choice_.ram_budget_bytes = budget;
    }

    // The processor alone, with all weights in RAM.
    bool fits_alone(std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end; ++i) {
            take(sizes_[i], memory_for(costs_, {}, sizes_[i].n_ctx, sizes_[i].n_batch),
                 task_.alone_ram_bytes);
            const std::uint64_t bytes = total_of(choice_.ram);
            if (bytes <= task_.alone_ram_bytes && bytes < kMostBytes) {
                return true;
            }
        }
        return false;
    }

    bool can_shrink(std::size_t i) const {
        return i + 1 < sizes_.size() && sizes_[i + 1].n_batch < sizes_[i].n_batch;
    }
    // Whether a smaller batch is tried before its scratch may take so much.
    bool shrinks(std::size_t i, std::uint64_t scratch, std::uint64_t memory) const {
        return can_shrink(i) && scratch > memory / kScratchPart;
    }
    std::uint64_t scratch_bytes(std::size_t i) const {
        return costs_.scratch_bytes(sizes_[i].n_ctx, sizes_[i].n_batch);
    }
    std::uint64_t gpu_scratch_bytes(std::size_t i) const {
        return costs_.gpu->scratch_bytes(sizes_[i].n_ctx, sizes_[i].n_batch);
    }

    // The processor alone, which reads some of the weights in each pass. The context is the wanted
    // one, unless its cache alone is too large.
    bool fits_alone_with_flash() {
        const std::uint64_t budget = task_.alone_ram_bytes;
        for (std::size_t i = 0; i < sizes_.size() && costs_.stream_to_fit; ++i) {
            const Size& size = sizes_[i];
            const std::uint64_t scratch = scratch_bytes(i);
            const std::uint64_t rest = add(scratch, costs_.kv_bytes(size.n_ctx, {}));
            if (rest >= budget || shrinks(i, scratch, budget)) {
                continue;
            }
            if (auto flash = costs_.stream_near({}, budget - rest)) {
                MemoryBytes ram = memory_for(costs_, {}, size.n_ctx, size.n_batch);
                ram.weights = flash->weights_bytes;
                take(size, ram, budget);
                choice_.flash = std::move(flash);
                return true;
            }
        }
        return false;
    }

    SplitTask split_task(const Size& size, const MemoryCosts& costs,
                         const WeightUpload& upload = {}) const {
        return {*task_.tokens,         costs,
                task_.speeds,          size.n_ctx,
                size.n_batch,          std::min(kForecastPositions, size.n_ctx),
                task_.ram_bytes,       task_.vram_bytes,
                task_.budget.split,    task_.budget.solver,
                task_.alone_ram_bytes, upload};
    }

    // A split that both budgets hold.
    struct Fitting {
        Size size;
        SplitChoice split;
        MemoryBytes ram;
        WeightUpload upload;
        double seconds = 0;  // of an exchange
    };

    // Empty: there is none with this batch, or the GPU would get nothing.
    std::optional<Fitting> fitting(const Size& size, const WeightUpload& upload) {
        const bool uploads = upload.slot_bytes > 0;
        const MemoryCosts costs = uploads ? with_weight_upload(costs_, upload.slot_bytes) : costs_;
        std::optional<SplitChoice> found = choose_split(split_task(size, costs, upload));
        if (!found) {
            return std::nullopt;
        }
        if (found->vram.total() == 0) {
            gets_nothing_ = std::move(*found);
            return std::nullopt;
        }
        const MemoryBytes ram = memory_for(costs, found->placement, size.n_ctx, size.n_batch);
        if (total_of(ram) > task_.ram_bytes) {
            return std::nullopt;
        }
        const ExchangeCosts exchange(*task_.tokens, task_.speeds, upload, size.n_batch);
        const double seconds =
            exchange.seconds(found->placement, std::min(kForecastPositions, size.n_ctx))
                .value_or(std::numeric_limits<double>::max());
        return Fitting{size, std::move(*found), ram, upload, seconds};
    }

    // With a GPU that gets something. Where it is better to give it nothing the reasons say so.
    bool fits_split(std::size_t first, std::size_t end) {
        for (std::size_t i = first; i < end && task_.vram_bytes > 0; ++i) {
            const Size& size = sizes_[i];
            if (shrinks(i, gpu_scratch_bytes(i), task_.vram_bytes)) {
                continue;
            }
            gets_nothing_.reset();
            std::optional<Fitting> best = fitting(size, {});
            const bool parted = best ? !has_every_layer(best->split.placement, *task_.tokens)
                                     : gets_nothing_.has_value();
            auto uploads = parted ? with_uploads(size, best) : std::nullopt;
            if (uploads && (!best || uploads->seconds < best->seconds)) {
                best = std::move(uploads);
            }
            if (best) {
                take(best->size, best->ram, task_.ram_bytes);
                choice_.upload = best->upload;
                choice_.split = std::move(best->split);
                return true;
            }
            if (gets_nothing_) {
                choice_.split = std::move(*gets_nothing_);
                return false;
            }
        }
        return false;
    }

    // In the largest batches that are worth their memory. without: the split without uploads.
    std::optional<Fitting> with_uploads(const Size& size, const std::optional<Fitting>& without) {
        const auto usual = upload_for(size, false);
        if (!usual) {
            return std::nullopt;
        }
        for (const int times : kTimesAsLarge) {
            const Size larger{size.n_ctx, times * size.n_batch};
            const auto upload = without ? upload_for(larger, false) : std::nullopt;
            if (upload && is_worth(larger, size, without->split.placement, *upload)) {
                if (auto found = fitting(larger, *upload)) {
                    return found;
                }
            }
        }
        return fitting(size, *usual);
    }

    // True if a batch that is larger than the usual one gains enough from uploading less often.
    bool is_worth(const Size& larger, const Size& usual, const Placement& placement,
                  const WeightUpload& upload) const {
        const std::vector<LayerBytes>& layers = task_.tokens->bytes.layers;
        // Pasts that move have room for a usual batch.
        const bool moves = std::any_of(layers.begin(), layers.end(),
                                       [](const LayerBytes& layer) { return layer.kept > 0; });
        if (moves || usual.n_batch != kMostBatch || larger.n_batch > larger.n_ctx) {
            return false;
        }
        const auto bytes = [&](const Size& size) {
            return add(costs_.gpu->scratch_bytes(size.n_ctx, size.n_batch),
                       costs_.gpu->upload_bytes(size.n_batch, upload.slot_bytes));
        };
        const double layer_seconds = 2e-9 * static_cast<double>(task_.tokens->bytes.multiply_adds) *
                                     larger.n_batch / static_cast<double>(layers.size()) /
                                     task_.speeds.vram_gflop_per_s;
        if (bytes(larger) - bytes(usual) > task_.vram_bytes / kLargerPart ||
            layer_seconds > kLayerSecondsMost) {
            return false;
        }
        const auto speed = [&](const Size& size) {
            return forecast(*task_.tokens, placement, std::min(kForecastPositions, size.n_ctx),
                            task_.speeds, upload, size.n_batch)
                .prefill_per_s.value_or(0);
        };
        return speed(larger) >= kLargerGain * speed(usual);
    }

    std::optional<WeightUpload> upload_for(const Size& size, bool reads_flash) const {
        return weight_upload_for(*task_.tokens, task_.speeds, *costs_.gpu,
                                 {task_.vram_bytes, size.n_batch, reads_flash});
    }

    // Likewise where flash holds what neither of the memories does.
    bool fits_split_with_flash() {
        for (std::size_t i = 0; i < sizes_.size() && task_.vram_bytes > 0 && costs_.stream_to_fit;
             ++i) {
            const Size& size = sizes_[i];
            if (shrinks(i, scratch_bytes(i), task_.ram_bytes) ||
                shrinks(i, gpu_scratch_bytes(i), task_.vram_bytes)) {
                continue;
            }
            const auto upload = upload_for(size, true);
            if (upload &&
                takes_flash_split(size, with_weight_upload(costs_, upload->slot_bytes), *upload)) {
                choice_.upload = *upload;
                return true;
            }
            if (takes_flash_split(size, costs_, {})) {
                return true;
            }
            if (!choice_.split.reasons.empty()) {  // the GPU is of no use at any size
                return false;
            }
        }
        return false;
    }

    bool takes_flash_split(const Size& size, const MemoryCosts& costs, const WeightUpload& upload) {
        auto found = choose_flash_split(split_task(size, costs, upload));
        choice_.split = {};
        if (found) {
            choice_.split.reasons = std::move(found->reasons);
        }
        if (!found || found->vram.total() == 0) {
            return false;
        }
        MemoryBytes ram = memory_for(costs, found->placement, size.n_ctx, size.n_batch);
        ram.weights = found->flash ? found->flash->weights_bytes : ram.weights;
        take(size, ram, task_.ram_bytes);
        choice_.split.placement = std::move(found->placement);
        choice_.split.vram = found->vram;
        choice_.split.solver.chosen = "flash";
        choice_.flash = std::move(found->flash);
        return true;
    }

    const SizeTask& task_;
    const MemoryCosts& costs_;
    const std::vector<Size> sizes_;
    // Of the sizes, those that are tried before anything is left on flash.
    const std::size_t n_usual_;
    SizeChoice choice_;
    std::optional<SplitChoice> gets_nothing_;  // why, of the latest size
};

}  // namespace

SizeChoice choose_sizes(const SizeTask& task) {
    return Sizes(task).run();
}

std::optional<std::uint64_t> least_streamed_bytes(const SizeTask& task) {
    const MemoryCosts& costs = task.costs;
    if (!costs.stream_to_fit) {
        return std::nullopt;
    }
    std::uint64_t most = costs.weights_bytes({});
    if (!costs.stream_to_fit({}, most)) {
        return std::nullopt;
    }
    for (std::uint64_t least = 0; most - least > most / 100 + 1;) {
        const std::uint64_t middle = least + (most - least) / 2;
        (costs.stream_to_fit({}, middle) ? most : least) = middle;
    }
    const Size size = sizes_to_try(task.wanted_ctx, task.fixed_ctx).back();
    return add(most,
               add(costs.kv_bytes(size.n_ctx, {}), costs.scratch_bytes(size.n_ctx, size.n_batch)));
}

}  // namespace hearth
