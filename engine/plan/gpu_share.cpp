#include "plan/gpu_share.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "plan/best_split.h"
#include "plan/placement.h"

namespace hearth {
namespace {

constexpr int kGroupNeurons = 64;
constexpr int kBlockNeurons = 32;
// Ways to cut one layer that are looked at: finer steps change no forecast one could measure.
constexpr int kCuts = 128;

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a > kMostBytes - b ? kMostBytes : a + b;
}
std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a - std::min(a, b);
}

// One way to place attention and output head; neurons get what is left.
struct Frame {
    int n_in_ram = 0;  // layers [0, n_in_ram) have their attention in RAM
    bool output_in_vram = false;
    std::uint64_t fixed_bytes = 0;  // of VRAM
    std::uint64_t bytes_min = 0;    // of neurons, which RAM has no room for
    double seconds = 0;             // of what is no layer's
};

class Sharing {
public:
    explicit Sharing(const ShareTask& task)
        : task_(task),
          gpu_(*task.memory.gpu),
          n_layer_(static_cast<int>(task.tokens.bytes.layers.size())) {
        for (std::size_t l = 0; l < task.tokens.bytes.layers.size(); ++l) {
            sums_.push_back(neuron_bytes_sums(task.tokens, l));
            widths_.push_back(group_neurons(n_ff(l), task.tokens.bytes.layers[l].neuron.block));
        }
        nothing_.attention_in_vram.assign(static_cast<std::size_t>(n_layer_), false);
        nothing_.hot_neurons.assign(static_cast<std::size_t>(n_layer_), 0);
        ram_bytes_ = ram_for(nothing_);
        compare_bytes();
    }

    std::optional<GpuShare> run() {
        if (ram_bytes_ == kMostBytes) {
            return std::nullopt;
        }
        std::optional<GpuShare> share;
        const std::uint64_t scratch = gpu_.scratch_bytes(task_.n_ctx, task_.n_batch);
        if (task_.vram_bytes > scratch) {
            make_frames(task_.vram_bytes - scratch, scratch);
            share = choose();
        }
        const bool alone = ram_bytes_ <= task_.ram_bytes;
        const bool slower = share && task_.policy == SplitPolicy::Auto &&
                            seconds_of(share->part) >= seconds_of(nothing_);
        if (!share || (alone && slower)) {
            if (!alone) {
                return std::nullopt;
            }
            share = GpuShare{};
            share->reasons.push_back(
                "the GPU gets nothing: no share that fits its budget would save more than "
                "synchronising costs");
        }
        return share;
    }

private:
    int n_ff(std::size_t l) const {
        return static_cast<int>(task_.tokens.heat.layers[l].rates.size());
    }
    std::uint64_t ram_for(const GpuPart& part) const {
        const MemoryCosts& memory = task_.memory;
        return add(add(memory.weights_bytes(part), memory.kv_bytes(task_.n_ctx, part)),
                   memory.scratch_bytes(task_.n_ctx, task_.n_batch));
    }
    // What RAM is spared by itself; together things spare no less.
    std::uint64_t spared(const GpuPart& part) const { return less(ram_bytes_, ram_for(part)); }

    double seconds_of(const GpuPart& part) const {
        return decode_seconds(task_.tokens, part, task_.positions, task_.speeds)
            .value_or(std::numeric_limits<double>::max());
    }

    std::uint64_t group_bytes(std::size_t l) const {
        const int width = std::min(widths_[l], n_ff(l));
        const int twice = std::min(2 * widths_[l], n_ff(l));
        const auto layer = static_cast<int>(l);
        const std::uint64_t step = less(gpu_.neurons_bytes(layer, twice),  //
                                        gpu_.neurons_bytes(layer, width));
        return twice == 2 * width ? step : gpu_.neurons_bytes(layer, width);
    }
    // What the first of a layer's neurons brings along.
    std::uint64_t opening_bytes(std::size_t l) const {
        const int width = std::min(widths_[l], n_ff(l));
        return less(gpu_.neurons_bytes(static_cast<int>(l), width), group_bytes(l));
    }

    // How bytes of VRAM and of RAM compare, in the layer where VRAM's spare least.
    void compare_bytes() {
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            GpuPart group = nothing_;
            group.hot_neurons[l] = std::min(widths_[l], n_ff(l));
            const std::uint64_t ram = spared(group);
            const std::uint64_t vram = group_bytes(l);
            openings_ = add(openings_, opening_bytes(l));
            if (ram < vram) {
                const double here = static_cast<double>(vram) / static_cast<double>(ram);
                vram_per_ram_ = std::max(vram_per_ram_, here);
            }
        }
    }
    // Bytes of VRAM that neurons must take, for certain, so that RAM is spared `short_by` bytes.
    std::uint64_t neurons_for(std::uint64_t short_by) const {
        if (short_by == 0) {
            return 0;
        }
        if (vram_per_ram_ == 1) {
            return add(short_by, openings_);
        }
        const double bytes = std::ceil(static_cast<double>(short_by) * vram_per_ram_);
        return bytes < 1e18 ? add(static_cast<std::uint64_t>(bytes), openings_) : kMostBytes;
    }

    void make_frames(std::uint64_t room, std::uint64_t scratch) {
        GpuPart part = nothing_;
        part.output_in_vram = true;
        const std::uint64_t output_spares = spared(part);
        std::uint64_t attention_bytes = 0;
        std::uint64_t attention_spares = 0;
        part.output_in_vram = false;
        for (int n_in_ram = n_layer_; n_in_ram >= 0; --n_in_ram) {
            if (n_in_ram < n_layer_) {
                const auto l = static_cast<std::size_t>(n_in_ram);
                GpuPart alone = nothing_;
                alone.attention_in_vram[l] = true;
                attention_spares = add(attention_spares, spared(alone));
                attention_bytes = add(attention_bytes, add(gpu_.attention_bytes(n_in_ram),
                                                           gpu_.kv_bytes(task_.n_ctx, n_in_ram)));
                part.attention_in_vram[l] = true;
            }
            for (const bool output : {false, true}) {
                Frame frame{.n_in_ram = n_in_ram, .output_in_vram = output};
                frame.fixed_bytes = add(attention_bytes, output ? gpu_.output_bytes : 0);
                if (frame.fixed_bytes > room) {
                    continue;
                }
                part.output_in_vram = output;
                const std::uint64_t spares = add(attention_spares, output ? output_spares : 0);
                frame.bytes_min = neurons_for(less(less(ram_bytes_, spares), task_.ram_bytes));
                frame.seconds = other_seconds(task_.tokens, part, task_.speeds);
                frames_.push_back(frame);
            }
        }
        room_ = room;
        scratch_ = scratch;
    }

    // The ways to cut a layer: of its neurons so many, in steps, or all.
    std::vector<int> counts(std::size_t l, bool attention_in_vram, bool whole_layers) const {
        const int n = n_ff(l);
        if (!attention_in_vram && (whole_layers || !gpu_.neurons_alone)) {
            return {0};  // else the residual stream would cross the bus for them alone
        }
        if (whole_layers) {
            return {n};
        }
        const int groups = n / widths_[l];
        const int step = widths_[l] * std::max(1, (groups + kCuts - 1) / kCuts);
        std::vector<int> counts;
        for (int count = 0; count < n; count += step) {
            counts.push_back(count);
        }
        counts.push_back(n);
        return counts;
    }

    double seconds_of_layer(std::size_t l, bool attention_in_vram, int hot) const {
        return layer_seconds(
            layer_work(task_.tokens, l, sums_[l], attention_in_vram, hot, task_.positions),
            task_.tokens, task_.speeds);
    }

    // A frame, and the neurons of each layer.
    struct Answer {
        Frame frame;
        std::vector<int> hot;
        double seconds = 0;   // of layers
        bool forced = false;  // with more RAM other neurons would have gone
        double all_seconds() const { return frame.seconds + seconds; }
    };

    std::optional<Answer> find(bool whole_layers) const {
        std::vector<std::vector<int>> counts_of[2];
        std::vector<LayerChoices> choices_of[2];
        for (const bool in_vram : {false, true}) {
            for (std::size_t l = 0; l < widths_.size(); ++l) {
                counts_of[in_vram].push_back(counts(l, in_vram, whole_layers));
                LayerChoices layer;
                for (const int count : counts_of[in_vram].back()) {
                    layer.bytes.push_back(gpu_.neurons_bytes(static_cast<int>(l), count));
                    layer.seconds.push_back(seconds_of_layer(l, in_vram, count));
                }
                choices_of[in_vram].push_back(std::move(layer));
            }
        }
        const BestSplit table(std::move(choices_of[0]), std::move(choices_of[1]), room_);
        std::optional<Answer> best;
        BestSplit::Answer chosen;
        // Of what is equally fast the one with more in VRAM; Neurons takes the most that fits.
        for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
            auto answer = table.best(frame->n_in_ram, frame->bytes_min, room_ - frame->fixed_bytes);
            if (!answer) {
                continue;
            }
            if (!best || frame->seconds + answer->seconds < best->all_seconds()) {
                best = Answer{.frame = *frame, .hot = {}, .seconds = answer->seconds};
                chosen = std::move(*answer);
            }
            if (task_.policy == SplitPolicy::Neurons) {
                break;
            }
        }
        if (!best) {
            return std::nullopt;
        }
        const Frame& frame = best->frame;
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            const std::vector<int>& layer = counts_of[static_cast<int>(l) >= frame.n_in_ram][l];
            best->hot.push_back(layer[static_cast<std::size_t>(chosen.choices[l])]);
        }
        const auto unforced = table.best(frame.n_in_ram, 0, room_ - frame.fixed_bytes);
        best->forced = frame.bytes_min > 0 && unforced->seconds < best->seconds;
        return best;
    }

    std::optional<GpuShare> choose() const {
        // Whole layers are among the other ways to cut; but looked at alone no byte is lost to
        // rounding, so that what fits exactly is found.
        std::optional<Answer> layers;
        std::optional<Answer> neurons;
        if (task_.policy != SplitPolicy::Neurons) {
            layers = find(true);
        }
        if (task_.policy != SplitPolicy::Layers) {
            neurons = find(false);
        }
        GpuShare share;
        if (layers && (!neurons || layers->all_seconds() <= neurons->all_seconds())) {
            share.solver.chosen = "layers";
            fill_in(layers->frame, std::move(layers->hot), share);
            return share;
        }
        if (!neurons) {
            return std::nullopt;
        }
        ask_power_infer(neurons->frame, neurons->seconds, neurons->hot, share);
        if (neurons->forced) {
            share.reasons.push_back(
                "the GPU takes neurons that RAM has no room for, some of which would be faster "
                "there");
        }
        fill_in(neurons->frame, std::move(neurons->hot), share);
        return share;
    }

    // PowerInfer's placement of the same bytes, carried out where it is as fast.
    void ask_power_infer(const Frame& frame, double seconds, std::vector<int>& hot,
                         GpuShare& share) const {
        PlacementProblem problem;
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            problem.layers.push_back(firings_of(l));
            if (static_cast<int>(l) < frame.n_in_ram && !gpu_.neurons_alone) {
                problem.layers.back().values.clear();
            }
        }
        const std::uint64_t room = room_ - frame.fixed_bytes;
        problem.bytes_max = less(room, openings_);
        problem.bytes_min = frame.bytes_min;
        const Placement placement = place(problem);
        share.solver.integer_value = placement.integer_value;
        share.solver.greedy_value = placement.greedy_value;
        share.solver.optimal = placement.optimal;
        share.solver.ms = placement.ms;
        share.solver.chosen = "forecast";
        std::optional<double> slower;
        if (placement.split) {
            std::vector<int> theirs;
            double theirs_seconds = 0;
            std::uint64_t bytes = 0;
            for (std::size_t l = 0; l < widths_.size(); ++l) {
                theirs.push_back((*placement.split)[l] * widths_[l]);
                theirs_seconds +=
                    seconds_of_layer(l, static_cast<int>(l) >= frame.n_in_ram, theirs.back());
                bytes = add(bytes, gpu_.neurons_bytes(static_cast<int>(l), theirs.back()));
            }
            constexpr double kRounding = 1e-12;  // of two sums
            slower = theirs_seconds - seconds;
            if (theirs_seconds <= seconds * (1 + kRounding) && bytes <= room) {
                hot = std::move(theirs);
                share.solver.chosen = std::string(placement.chosen);
            }
        }
        explain(placement, slower, share);
    }

    PlacementLayer firings_of(std::size_t l) const {
        const std::vector<double>& rates = task_.tokens.heat.layers[l].rates;
        const NeuronBytes& neuron = task_.tokens.bytes.layers[l].neuron;
        const auto width = static_cast<std::size_t>(widths_[l]);
        PlacementLayer layer;
        layer.group_bytes = std::max<std::uint64_t>(1, group_bytes(l));
        const auto smallest =
            smallest_worthwhile(neuron.total(), task_.speeds.ram, task_.speeds.vram);
        constexpr std::uint64_t kMostGroups = std::numeric_limits<int>::max();
        layer.smallest_groups = static_cast<int>(
            smallest ? std::min(kMostGroups, (*smallest + width - 1) / width) : kMostGroups);
        for (std::size_t first = 0; first + width <= rates.size() && smallest; first += width) {
            const auto from = rates.begin() + static_cast<std::ptrdiff_t>(first);
            layer.values.push_back(
                std::accumulate(from, from + static_cast<std::ptrdiff_t>(width), 0.0));
        }
        if (neuron.down_whole && !layer.values.empty()) {  // in no order, so all as the mean
            const double mean = std::accumulate(layer.values.begin(), layer.values.end(), 0.0) /
                                static_cast<double>(layer.values.size());
            std::fill(layer.values.begin(), layer.values.end(), mean);
        }
        return layer;
    }

    static void explain(const Placement& placement, std::optional<double> slower, GpuShare& share) {
        if (!placement.absent.empty()) {
            share.reasons.push_back(placement.absent + ": the placement is greedy");
        } else if (!placement.integer_value) {
            share.reasons.push_back("the integer program found no placement");
        } else if (!placement.optimal) {
            share.reasons.push_back(
                "the integer program stopped at its limit of time or nodes before "
                "its answer was proven to be the best");
        }
        if (share.solver.chosen == "forecast") {
            std::string by;
            if (slower) {
                std::array<char, 32> text{};
                std::snprintf(text.data(), text.size(), " by %.3g us a token", *slower * 1e6);
                by = text.data();
            }
            share.reasons.push_back(
                "the placement is neither the greedy nor the integer program's: those count "
                "firings, and by the forecast, which also counts rows read for every neuron, what "
                "synchronising costs and that both units work at once, another is faster" +
                by);
        }
    }

    void fill_in(const Frame& frame, std::vector<int> hot, GpuShare& share) const {
        GpuPart& part = share.part;
        part.attention_in_vram.resize(widths_.size());
        part.output_in_vram = frame.output_in_vram;
        MemoryBytes& vram = share.vram;
        vram.weights = frame.output_in_vram ? gpu_.output_bytes : 0;
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            const auto layer = static_cast<int>(l);
            vram.weights += gpu_.neurons_bytes(layer, hot[l]);
            part.attention_in_vram[l] = layer >= frame.n_in_ram;
            if (part.attention_in_vram[l]) {
                vram.weights += gpu_.attention_bytes(layer);
                vram.kv += gpu_.kv_bytes(task_.n_ctx, layer);
            }
            part.neuron_order.push_back(in_two_runs(task_.tokens.heat.layers[l].order, hot[l]));
        }
        if (std::all_of(part.neuron_order.begin(), part.neuron_order.end(),
                        [](const std::vector<int>& order) { return order.empty(); })) {
            part.neuron_order.clear();
        }
        part.hot_neurons = std::move(hot);
        if (vram.total() > 0) {
            vram.scratch = scratch_;
        }
    }

    // Each unit's neurons as they stand in the file: a load is then one pass over it.
    static std::vector<int> in_two_runs(std::vector<int> order, int hot) {
        if (!order.empty()) {
            std::sort(order.begin(), order.begin() + hot);
            std::sort(order.begin() + hot, order.end());
        }
        return order;
    }

    const ShareTask& task_;
    const GpuMemoryCosts& gpu_;
    const int n_layer_;
    std::vector<std::vector<double>> sums_;  // [n_layer]
    std::vector<int> widths_;                // [n_layer] neurons of a group
    GpuPart nothing_;
    std::uint64_t ram_bytes_ = 0;  // of the processor alone
    std::uint64_t openings_ = 0;   // of VRAM, if every layer gives some of its neurons
    double vram_per_ram_ = 1;
    std::uint64_t room_ = 0;  // of VRAM, without scratch
    std::uint64_t scratch_ = 0;
    std::vector<Frame> frames_;  // by rising use of VRAM
};

}  // namespace

int group_neurons(int n_ff, int block) {
    const int width =
        n_ff % kGroupNeurons != 0 && n_ff % kBlockNeurons == 0 ? kBlockNeurons : kGroupNeurons;
    return std::lcm(width, block);
}

std::optional<GpuShare> gpu_share(const ShareTask& task) {
    return Sharing(task).run();
}

}  // namespace hearth
