#include "plan/split_choice.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "plan/batch_costs.h"
#include "plan/firing_split.h"
#include "plan/split.h"
#include "plan/split_program.h"

namespace hearth {
namespace {

constexpr int kGroupNeurons = 64;
constexpr int kBlockNeurons = 32;
// Ways to split one layer that are looked at: finer steps change no forecast one could measure.
constexpr int kCounts = 128;

constexpr std::uint64_t kMostBytes = std::numeric_limits<std::uint64_t>::max();

std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    return a > kMostBytes - b ? kMostBytes : a + b;
}
std::uint64_t less(std::uint64_t a, std::uint64_t b) {
    return a - std::min(a, b);
}

// One way to place attention and output head; neurons get what is left.
struct Frame : SplitFrame {
    bool output_in_vram = false;
};

class SplitChooser {
public:
    explicit SplitChooser(const SplitTask& task)
        : task_(task),
          gpu_(*task.memory.gpu),
          exchange_(task.tokens, task.speeds, task.upload, task.n_batch),
          n_layer_(static_cast<int>(task.tokens.bytes.layers.size())) {
        for (std::size_t l = 0; l < task.tokens.bytes.layers.size(); ++l) {
            sums_.push_back(neuron_bytes_sums(task.tokens, l));
            widths_.push_back(group_neurons(task.tokens.bytes.layers[l], n_ff(l)));
        }
        std::vector<int> n_ff_all;
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            n_ff_all.push_back(n_ff(l));
        }
        nothing_ = all_in_ram(n_ff_all);
        ram_bytes_ = ram_for(nothing_);
        compare_bytes();
    }

    std::optional<SplitChoice> run() {
        if (ram_bytes_ == kMostBytes) {
            return std::nullopt;
        }
        std::optional<SplitChoice> choice;
        const std::uint64_t scratch = gpu_.scratch_bytes(task_.n_ctx, task_.n_batch);
        if (task_.vram_bytes > scratch) {
            make_frames(task_.vram_bytes - scratch, scratch);
            choice = choose();
        }
        const bool alone = ram_bytes_ <= std::max(task_.ram_bytes, task_.alone_ram_bytes);
        const bool slower = choice && task_.policy == SplitPolicy::Auto &&
                            task_.solver == SplitSolver::Forecast &&
                            seconds_of(choice->placement) >= seconds_of(nothing_);
        if (!choice || (alone && slower)) {
            if (!alone) {
                return std::nullopt;
            }
            choice = SplitChoice{};
            choice->reasons.emplace_back(
                "the GPU gets nothing: no share that fits its budget would save more than "
                "synchronising costs");
        }
        return choice;
    }

private:
    int n_ff(std::size_t l) const {
        return static_cast<int>(task_.tokens.heat.layers[l].rates.size());
    }
    std::uint64_t ram_for(const Placement& part) const {
        const MemoryCosts& memory = task_.memory;
        return add(add(memory.weights_bytes(part), memory.kv_bytes(task_.n_ctx, part)),
                   memory.scratch_bytes(task_.n_ctx, task_.n_batch));
    }
    // The RAM that this part alone spares; several together spare no less.
    std::uint64_t spared(const Placement& part) const { return less(ram_bytes_, ram_for(part)); }

    double seconds_of(const Placement& part) const {
        return exchange_.seconds(part, task_.positions)
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
    // The bytes that the first of a layer's neurons costs beside its own.
    std::uint64_t opening_bytes(std::size_t l) const {
        const int width = std::min(widths_[l], n_ff(l));
        return less(gpu_.neurons_bytes(static_cast<int>(l), width), group_bytes(l));
    }

    // How bytes of VRAM and of RAM compare, in the layer where VRAM's spare least.
    void compare_bytes() {
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            Placement group = nothing_;
            place_neurons(group, static_cast<int>(l), n_ff(l), std::min(widths_[l], n_ff(l)));
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
        Placement part = nothing_;
        part.output = Home::Vram;
        const std::uint64_t output_spares = spared(part);
        std::uint64_t attention_bytes = 0;
        std::uint64_t attention_spares = 0;
        part.output = Home::Ram;
        for (int n_in_ram = n_layer_; n_in_ram >= 0; --n_in_ram) {
            if (n_in_ram < n_layer_) {
                const auto l = static_cast<std::size_t>(n_in_ram);
                Placement alone = nothing_;
                alone.layers[l].attention = Unit::Gpu;
                attention_spares = add(attention_spares, spared(alone));
                attention_bytes = add(attention_bytes, add(gpu_.attention_bytes(n_in_ram),
                                                           gpu_.kv_bytes(task_.n_ctx, n_in_ram)));
                part.layers[l].attention = Unit::Gpu;
            }
            if (border_of_pasts(task_.tokens.bytes, n_in_ram) != n_in_ram) {
                continue;
            }
            for (const bool output : {false, true}) {
                Frame frame;
                frame.n_in_ram = n_in_ram;
                frame.output_in_vram = output;
                frame.fixed_bytes = add(attention_bytes, output ? gpu_.output_bytes : 0);
                if (frame.fixed_bytes > room) {
                    continue;
                }
                part.output = output ? Home::Vram : Home::Ram;
                const std::uint64_t spares = add(attention_spares, output ? output_spares : 0);
                frame.bytes_min = neurons_for(less(less(ram_bytes_, spares), task_.ram_bytes));
                if (frame.bytes_min > room - frame.fixed_bytes) {
                    continue;
                }
                frame.seconds =
                    exchange_.other_seconds(other_seconds(task_.tokens, part, task_.speeds));
                frames_.push_back(frame);
            }
        }
        // The split with more in VRAM wins among equally fast ones; Neurons takes the most that
        // fits.
        std::reverse(frames_.begin(), frames_.end());
        room_ = room;
        scratch_ = scratch;
    }

    // The ways to split a layer: of its neurons so many, in steps, or all.
    std::vector<int> counts(std::size_t l, bool attention_in_vram, bool whole_layers) const {
        const int n = n_ff(l);
        if (!attention_in_vram && (whole_layers || !gpu_.neurons_alone)) {
            return {0};  // else the residual stream would cross the bus for them alone
        }
        if (whole_layers) {
            return {n};
        }
        const int groups = n / widths_[l];
        const int step = widths_[l] * std::max(1, (groups + kCounts - 1) / kCounts);
        std::vector<int> counts;
        for (int count = 0; count < n; count += step) {
            counts.push_back(count);
        }
        counts.push_back(n);
        return counts;
    }

    double seconds_of_layer(std::size_t l, bool attention_in_vram, int hot) const {
        const double decode = layer_seconds(
            layer_work(task_.tokens, l, sums_[l], attention_in_vram, hot, task_.positions),
            task_.tokens, task_.speeds);
        return exchange_.layer_seconds(decode, l, attention_in_vram, hot);
    }

    // A frame, and the neurons of each layer.
    struct Answer {
        Frame frame;
        std::vector<int> hot;
        double layer_seconds = 0;
        bool forced = false;  // with more RAM other neurons would have gone
        bool exact = false;
        double seconds() const { return frame.seconds + layer_seconds; }
    };

    std::optional<Answer> find(bool whole_layers) const {
        std::vector<std::vector<int>> counts_of[2];
        SplitProgram program;
        for (const bool in_vram : {false, true}) {
            for (std::size_t l = 0; l < widths_.size(); ++l) {
                counts_of[in_vram].push_back(counts(l, in_vram, whole_layers));
                LayerChoices layer;
                for (const int count : counts_of[in_vram].back()) {
                    layer.bytes.push_back(gpu_.neurons_bytes(static_cast<int>(l), count));
                    layer.seconds.push_back(seconds_of_layer(l, in_vram, count));
                }
                (in_vram ? program.in_vram : program.in_ram).push_back(std::move(layer));
            }
        }
        program.frames.assign(frames_.begin(), frames_.end());
        program.bytes_max = room_;
        program.first_frame = task_.policy == SplitPolicy::Neurons;
        const auto found = solve_split(std::move(program));
        if (!found) {
            return std::nullopt;
        }
        Answer answer{.frame = frames_[found->frame],
                      .hot = {},
                      .layer_seconds = found->layer_seconds,
                      .exact = found->exact};
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            const bool in_vram = static_cast<int>(l) >= answer.frame.n_in_ram;
            answer.hot.push_back(
                counts_of[in_vram][l][static_cast<std::size_t>(found->choices[l])]);
        }
        answer.forced =
            answer.frame.bytes_min > 0 && found->unforced_seconds < found->layer_seconds;
        return answer;
    }

    std::optional<SplitChoice> choose() const {
        if (frames_.empty()) {
            return std::nullopt;
        }
        const auto start = std::chrono::steady_clock::now();
        const auto ms = [start] {
            return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() -
                                                             start)
                .count();
        };
        // Whole layers are among the other ways to split; but looked at alone no byte is lost to
        // rounding, so that what fits exactly is found.
        std::optional<Answer> layers;
        std::optional<Answer> neurons;
        if (task_.policy != SplitPolicy::Neurons && task_.solver != SplitSolver::Paper) {
            layers = find(true);
        }
        if (task_.policy != SplitPolicy::Layers) {
            neurons = find(false);
        }
        SplitChoice choice;
        if (layers && (!neurons || layers->seconds() <= neurons->seconds())) {
            choice.solver.chosen = "layers";
            choice.solver.optimal = neurons ? neurons->exact : layers->exact;
            choice.solver.ms = ms();
            fill_in(layers->frame, std::move(layers->hot), choice);
            return choice;
        }
        if (!neurons) {
            return std::nullopt;
        }
        choice.solver.chosen = "forecast";
        choice.solver.optimal = neurons->exact;
        choice.solver.ms = ms();
        const bool papers =
            task_.solver == SplitSolver::Paper && take_papers_neurons(*neurons, choice);
        if (!papers && neurons->forced) {
            choice.reasons.emplace_back(
                "the GPU takes neurons that RAM has no room for, some of which would be faster "
                "there");
        }
        fill_in(neurons->frame, std::move(neurons->hot), choice);
        return choice;
    }

    // PowerInfer's placement of the same bytes. False: it has none that fits, the answer stays.
    bool take_papers_neurons(Answer& answer, SplitChoice& choice) const {
        FiringProblem problem;
        for (std::size_t l = 0; l < widths_.size(); ++l) {
            problem.layers.push_back(firings_of(l));
            if (static_cast<int>(l) < answer.frame.n_in_ram && !gpu_.neurons_alone) {
                problem.layers.back().values.clear();
            }
        }
        const std::uint64_t room = room_ - answer.frame.fixed_bytes;
        problem.bytes_max = less(room, openings_);
        problem.bytes_min = answer.frame.bytes_min;
        const FiringAnswer placement = split_by_firings(problem);
        choice.solver.integer_value = placement.integer_value;
        choice.solver.greedy_value = placement.greedy_value;
        choice.solver.optimal = placement.optimal;
        choice.solver.ms = placement.ms;
        explain(placement, choice);
        std::vector<int> hot;
        double seconds = 0;
        std::uint64_t bytes = 0;
        for (std::size_t l = 0; l < widths_.size() && placement.split; ++l) {
            hot.push_back((*placement.split)[l] * widths_[l]);
            seconds +=
                seconds_of_layer(l, static_cast<int>(l) >= answer.frame.n_in_ram, hot.back());
            bytes = add(bytes, gpu_.neurons_bytes(static_cast<int>(l), hot.back()));
        }
        const Placement part = placement_of(
            {answer.frame.n_in_ram, answer.frame.output_in_vram, hot}, task_.tokens.heat);
        if (!placement.split || bytes > room || ram_for(part) > task_.ram_bytes) {
            choice.reasons.emplace_back(
                "the paper's objective has no placement that fits: the neurons are those forecast "
                "to be fastest");
            return false;
        }
        choice.solver.chosen = std::string(placement.chosen);
        std::array<char, 160> text{};
        std::snprintf(text.data(), text.size(),
                      "the neurons are placed by the paper's objective, the firings on the GPU; by "
                      "the forecast this costs %.3g us a token more than the default placement",
                      std::max(0.0, seconds - answer.layer_seconds) * 1e6);
        choice.reasons.emplace_back(text.data());
        answer.hot = std::move(hot);
        return true;
    }

    FiringLayer firings_of(std::size_t l) const {
        const std::vector<double>& rates = task_.tokens.heat.layers[l].rates;
        const NeuronBytes& neuron = task_.tokens.bytes.layers[l].neuron;
        const auto width = static_cast<std::size_t>(widths_[l]);
        FiringLayer layer;
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
        // In no order, so all as the mean.
        if (neuron.down_whole && !neuron.of_expert && !layer.values.empty()) {
            const double mean = std::accumulate(layer.values.begin(), layer.values.end(), 0.0) /
                                static_cast<double>(layer.values.size());
            std::fill(layer.values.begin(), layer.values.end(), mean);
        }
        return layer;
    }

    static void explain(const FiringAnswer& placement, SplitChoice& choice) {
        if (!placement.absent.empty()) {
            choice.reasons.emplace_back(placement.absent + ": the placement is greedy");
        } else if (!placement.integer_value) {
            choice.reasons.emplace_back("the integer program found no placement");
        } else if (!placement.optimal) {
            choice.reasons.emplace_back(
                "the integer program stopped at its limit of time or nodes before "
                "its answer was proven to be the best");
        }
    }

    void fill_in(const Frame& frame, std::vector<int> hot, SplitChoice& choice) const {
        const Split split{frame.n_in_ram, frame.output_in_vram, std::move(hot)};
        choice.placement = placement_of(split, task_.tokens.heat);
        choice.vram = vram_of(split, gpu_, task_.n_ctx, scratch_);
    }

    const SplitTask& task_;
    const GpuMemoryCosts& gpu_;
    const ExchangeCosts exchange_;
    const int n_layer_;
    std::vector<std::vector<double>> sums_;  // [n_layer]
    std::vector<int> widths_;                // [n_layer] neurons of a group
    Placement nothing_;                      // in VRAM
    std::uint64_t ram_bytes_ = 0;            // of the processor alone
    std::uint64_t openings_ = 0;             // of VRAM, if every layer gives some of its neurons
    double vram_per_ram_ = 1;
    std::uint64_t room_ = 0;  // of VRAM, without scratch
    std::uint64_t scratch_ = 0;
    std::vector<Frame> frames_;  // by falling use of VRAM
};

}  // namespace

int group_neurons(int n_ff, int block) {
    const int width =
        n_ff % kGroupNeurons != 0 && n_ff % kBlockNeurons == 0 ? kBlockNeurons : kGroupNeurons;
    return std::lcm(width, block);
}

int group_neurons(const LayerBytes& layer, int n_ff) {
    return layer.is_mixture() ? layer.expert_neurons : group_neurons(n_ff, layer.neuron.block);
}

std::optional<SplitChoice> choose_split(const SplitTask& task) {
    return SplitChooser(task).run();
}

}  // namespace hearth
