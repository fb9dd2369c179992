#include "plan/flash_split_choice.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "plan/batch_costs.h"
#include "plan/split.h"

namespace hearth {
namespace {

constexpr int kSteps = 256;  // of the neurons of a layer
constexpr int kBackSteps = 32;

// A disk of a PC of these years.
constexpr double kUsualDiskGbPerS = 2;
constexpr double kUsualReadsPerS = 50'000;

class FlashSplitChooser {
public:
    explicit FlashSplitChooser(const SplitTask& task)
        : task_(task),
          gpu_(*task.memory.gpu),
          n_layer_(static_cast<int>(task.tokens.heat.layers.size())),
          scratch_(gpu_.scratch_bytes(task.n_ctx, task.n_batch)),
          room_(task.vram_bytes - std::min(task.vram_bytes, scratch_)),
          speeds_(task.speeds),
          prompts_count_(task.speeds.gflop_per_s > 0 && task.speeds.vram_gflop_per_s > 0) {
        if (speeds_.flash.bandwidth_gb_per_s <= 0) {
            speeds_.flash.bandwidth_gb_per_s = kUsualDiskGbPerS;
        }
        if (speeds_.flash_reads_per_s <= 0) {
            speeds_.flash_reads_per_s = kUsualReadsPerS;
        }
    }

    std::optional<FlashSplitChoice> run() {
        const auto alone =
            look_at({n_layer_, false, nothing()}, std::max(task_.ram_bytes, task_.alone_ram_bytes));
        look_at_splits();
        const bool must = task_.policy != SplitPolicy::Auto;
        if (best_ && (must || !alone || best_->seconds < alone->seconds)) {
            return std::move(best_->choice);
        }
        if (!alone) {
            return std::nullopt;
        }
        FlashSplitChoice choice = alone->choice;
        choice.reasons.emplace_back(
            best_ ? "the GPU gets nothing: no share that fits its budget would spare the disk more "
                    "than synchronising costs"
                  : "the GPU gets nothing: its budget holds no layer's attention");
        return choice;
    }

private:
    struct Looked {
        FlashSplitChoice choice;
        double seconds = 0;
    };
    // Layers from the last one on.
    struct TailSplit {
        int n_layers = 0;
        bool output = false;
        bool whole = false;  // all but the first of these layers go whole
        int steps = 0;       // of the neurons of each layer, or of that first one
    };

    int n_ff(std::size_t l) const {
        return static_cast<int>(task_.tokens.heat.layers[l].rates.size());
    }
    std::vector<int> nothing() const {
        return std::vector<int>(static_cast<std::size_t>(n_layer_), 0);
    }

    Split split_of(const TailSplit& tail) const {
        Split split{border_of_pasts(task_.tokens.bytes, n_layer_ - tail.n_layers), tail.output,
                    nothing()};
        for (int layer = split.n_in_ram; layer < n_layer_; ++layer) {
            const auto l = static_cast<std::size_t>(layer);
            const int width = group_neurons(task_.tokens.bytes.layers[l], n_ff(l));
            const int steps = tail.whole && layer > split.n_in_ram ? kSteps : tail.steps;
            split.hot[l] = steps == kSteps ? n_ff(l) : n_ff(l) * steps / kSteps / width * width;
        }
        return split;
    }
    bool fits(const TailSplit& tail) const {
        return vram_of(split_of(tail), gpu_, task_.n_ctx, 0).total() <= room_;
    }
    // The most neurons; -1: not even attention fits.
    int most_steps(TailSplit tail) const {
        tail.steps = 0;
        if (!fits(tail)) {
            return -1;
        }
        int fitting = 0;
        for (int most = kSteps; fitting < most;) {
            tail.steps = most - (most - fitting) / 2;
            if (fits(tail)) {
                fitting = tail.steps;
            } else {
                most = tail.steps - 1;
            }
        }
        return fitting;
    }
    // The most layers that fit so.
    int most_layers(TailSplit tail) const {
        tail.n_layers = 0;
        while (tail.n_layers < n_layer_) {
            ++tail.n_layers;
            if (most_steps(tail) < 0) {
                return tail.n_layers - 1;
            }
        }
        return n_layer_;
    }

    std::optional<Looked> look_at(const Split& split, std::uint64_t ram_bytes) const {
        Looked looked;
        looked.choice.placement = placement_of(split, task_.tokens.heat);
        looked.choice.vram = vram_of(split, gpu_, task_.n_ctx, scratch_);
        const Placement& part = looked.choice.placement;
        const MemoryCosts& memory = task_.memory;
        const std::uint64_t kv = memory.kv_bytes(task_.n_ctx, part);
        const std::uint64_t scratch = memory.scratch_bytes(task_.n_ctx, task_.n_batch);
        if (kv > ram_bytes || scratch >= ram_bytes - kv) {
            return std::nullopt;
        }
        const std::uint64_t room = ram_bytes - kv - scratch;
        FlashWork work;
        if (memory.weights_bytes(part) > room) {
            looked.choice.flash = memory.stream_near(part, room);
            if (!looked.choice.flash) {
                return std::nullopt;
            }
            const FlashChoice& flash = *looked.choice.flash;
            work =
                flash_work(task_.tokens, flash.placement, flash.streamed_bytes, flash.batch_bytes);
        }
        const Forecast forecast =
            hearth::forecast(task_.tokens, part, task_.positions, speeds_, task_.upload,
                             std::min(task_.n_batch, kUsualPrompt), work);
        looked.seconds = forecast.decode_per_s ? 1 / forecast.decode_per_s->mid
                                               : std::numeric_limits<double>::max();
        if (prompts_count_ && forecast.prefill_per_s) {
            looked.seconds += kPromptPerWritten / *forecast.prefill_per_s;
        }
        return looked;
    }

    bool keep_if_better(const TailSplit& tail) {
        auto looked = look_at(split_of(tail), task_.ram_bytes);
        if (!looked || (best_ && best_->seconds <= looked->seconds)) {
            return false;
        }
        best_ = std::move(looked);
        best_tail_ = tail;
        return true;
    }
    // With as many neurons as fit.
    void try_tail(TailSplit tail) {
        tail.steps = tail.n_layers > 0 ? most_steps(tail) : -1;
        if (tail.steps >= 0) {
            keep_if_better(tail);
        }
    }
    // Tries the given numbers of layers, and the most that fit. Leaves the head out where it does
    // not fit beside any layer, and where that is better.
    void try_layers(std::vector<int> numbers, bool whole) {
        for (const bool output : {true, false}) {
            const int most = most_layers({.output = output, .whole = whole});
            std::vector<int> tried;
            for (int number : numbers) {
                number = std::min(number, most);
                if (std::find(tried.begin(), tried.end(), number) == tried.end()) {
                    tried.push_back(number);
                    try_tail({.n_layers = number, .output = output, .whole = whole});
                }
            }
            if (best_ && !whole) {  // bytes are bytes: the best of them is worth another look
                numbers = {best_tail_.n_layers};
            }
        }
    }

    bool has_mixture() const {
        const std::vector<LayerBytes>& layers = task_.tokens.bytes.layers;
        return std::any_of(layers.begin(), layers.end(),
                           [](const LayerBytes& layer) { return layer.is_mixture(); });
    }

    void look_at_splits() {
        if (task_.vram_bytes <= scratch_) {
            return;
        }
        switch (task_.policy) {
            case SplitPolicy::Layers:
                return try_whole_layers_only();
            case SplitPolicy::Neurons:
                return try_layers({n_layer_}, false);
            case SplitPolicy::Auto:
                break;
        }
        if (task_.tokens.mode != FeedForwardMode::Dense || has_mixture()) {
            const auto part = [&](int quarters) { return (n_layer_ * quarters + 3) / 4; };
            try_layers({n_layer_, part(3), part(2), part(1)}, false);
        }
        try_layers({n_layer_}, true);
        // Fewer neurons, where the GPU would be waited for.
        while (best_ && best_tail_.steps > 0) {
            TailSplit fewer = best_tail_;
            fewer.steps = (fewer.steps - 1) / kBackSteps * kBackSteps;
            if (!keep_if_better(fewer)) {
                break;
            }
        }
    }

    void try_whole_layers_only() {
        for (const bool output : {true, false}) {
            TailSplit tail{.output = output, .whole = true, .steps = kSteps};
            while (tail.n_layers < n_layer_) {
                ++tail.n_layers;
                if (!fits(tail)) {
                    --tail.n_layers;
                    break;
                }
            }
            if (tail.n_layers > 0) {
                keep_if_better(tail);
            }
        }
    }

    const SplitTask& task_;
    const GpuMemoryCosts& gpu_;
    const int n_layer_;
    const std::uint64_t scratch_;
    const std::uint64_t room_;  // of VRAM, without scratch
    Speeds speeds_;
    const bool prompts_count_;  // the arithmetic of both units is known
    std::optional<Looked> best_;
    TailSplit best_tail_;
};

}  // namespace

std::optional<FlashSplitChoice> choose_flash_split(const SplitTask& task) {
    return FlashSplitChooser(task).run();
}

}  // namespace hearth
