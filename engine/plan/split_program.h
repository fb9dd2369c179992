// The one solver of splits: which layers keep their attention in VRAM, whether the output head
// lies there, and how many neurons of each layer do.
//
// The program, as an integer program would state it:
//
//   z_f in {0, 1}         frame f is taken: a number of layers whose attention stays in RAM (the
//                         first ones), and a place for the output head
//   x_{l,s,c} in {0, 1}   layer l takes choice c, a number of neurons in VRAM, with its attention
//                         in s, RAM or VRAM
//
//   minimise    sum_f seconds_f z_f + sum_{l,s,c} seconds_{l,s,c} x_{l,s,c}
//   subject to  sum_f z_f = 1
//               sum_c x_{l,ram,c}  = sum of z_f over the frames with n_in_ram > l     for every l
//               sum_c x_{l,vram,c} = sum of z_f over the frames with n_in_ram <= l    for every l
//               sum bytes_{l,s,c} x_{l,s,c} + sum_f fixed_bytes_f z_f <= bytes_max
//               sum bytes_{l,s,c} x_{l,s,c} >= sum_f bytes_min_f z_f
//
// Seconds are the forecast's, so the objective is the time of an exchange, a decoded token with its
// share of a prompt (batch_costs.h): split_choice.h fills them in. bytes_min stands for the budget
// of RAM: neurons that take so many bytes of VRAM spare enough of it. PowerInfer's own program
// (firing_split.h) has another objective and is solved only where it is asked for.
//
// A dynamic program over bytes finds the optimum (split_program_test proves it against CBC). It is
// exact if the bytes over their greatest common divisor are few enough, and else up to rounding,
// see SplitTable.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hearth {

// Ways to split one layer: each is so many bytes of VRAM and takes so many seconds a token.
struct LayerChoices {
    std::vector<std::uint64_t> bytes;
    std::vector<double> seconds;  // as many, finite
};

// One choice for every layer, so that the sum of seconds is least while that of bytes keeps its
// bounds; found exactly, by a dynamic programme over bytes whose answer depends on nothing but the
// choices and the bounds. So what it finds with more bytes_max, or less bytes_min, never takes
// longer: its choices include all that were there before.
//
// A layer has its choices twice, with its attention in RAM and in VRAM: the layers before some
// layer take the first, the others the second, and best() is asked for each such layer without
// computing anew.
//
// What a layer takes in any case, its smallest choice, is counted to the byte. Time: choices x K,
// K being the bytes above that over their greatest common divisor, at most 2^14. Beyond that those
// bytes are rounded up to a multiple of the layers' sum / 2^14, the same for every bound.
class SplitTable {
public:
    // Each [n_layer], no layer without a choice. bytes_max: the most that best() will be asked for.
    SplitTable(std::vector<LayerChoices> in_ram, std::vector<LayerChoices> in_vram,
               std::uint64_t bytes_max);

    struct Answer {
        std::vector<int> choices;  // [n_layer]
        double seconds = 0;
    };
    // Layers [0, n_in_ram) take from in_ram. Empty: no choice keeps the bounds.
    std::optional<Answer> best(int n_in_ram, std::uint64_t bytes_min,
                               std::uint64_t bytes_max) const;
    // True if no sum is overstated. Otherwise the answer takes no longer than the best one within
    // bounds that are tighter by that on either side.
    bool exact() const { return rounding_ == 0; }

private:
    using Row = std::vector<double>;  // [units + 1]: least seconds of exactly so many units

    void choose_unit(std::uint64_t bytes_max);
    std::size_t units(std::uint64_t bytes) const;
    Row join(const Row& others, const LayerChoices& layer) const;
    int choice_at(const Row& others, const LayerChoices& layer, double seconds,
                  std::size_t& at) const;

    std::vector<LayerChoices> in_ram_, in_vram_;  // bytes above the least that the layer takes
    // [n_layer + 1]: what the layers before and from l on take at least. Never rounded.
    std::vector<std::uint64_t> certain_before_, certain_after_;
    std::uint64_t unit_ = 1;
    std::uint64_t rounding_ = 0;  // by how many bytes units can overstate a sum
    std::size_t last_ = 0;        // units
    std::vector<Row> before_;     // [n_layer + 1]: of layers [0, i), from in_ram
    std::vector<Row> after_;      // [n_layer + 1]: of layers [i, n_layer), from in_vram
};

struct SplitFrame {
    int n_in_ram = 0;               // layers [0, n_in_ram) have their attention in RAM
    std::uint64_t fixed_bytes = 0;  // of VRAM, for what is no neuron
    std::uint64_t bytes_min = 0;    // of neurons
    double seconds = 0;             // of what is no layer's
};

struct SplitProgram {
    std::vector<LayerChoices> in_ram, in_vram;  // [n_layer]
    std::vector<SplitFrame> frames;             // fixed_bytes <= bytes_max
    std::uint64_t bytes_max = 0;                // of VRAM
    bool first_frame = false;  // the first frame that has an answer, not the fastest one
};

struct SplitAnswer {
    std::size_t frame = 0;
    std::vector<int> choices;     // [n_layer]
    double layer_seconds = 0;     // without the frame's
    double unforced_seconds = 0;  // likewise, in the same frame without bytes_min
    bool exact = false;           // no bytes were rounded: nothing is faster
};

// The earlier frame wins among equally fast ones. Empty: no choice keeps the bounds.
std::optional<SplitAnswer> solve_split(SplitProgram program);

}  // namespace hearth
