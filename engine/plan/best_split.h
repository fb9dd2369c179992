// The fastest way to share layers out between two units, for every number of bytes at once.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace hearth {

// Ways to share one layer out: each is so many bytes of VRAM and takes so many seconds a token.
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
// Time: choices x K, K being bytes over their greatest common divisor, at most 2^14. Beyond that a
// choice's bytes are rounded up to a multiple of the layers' sum / 2^14, the same for every bound.
class BestSplit {
public:
    // Each [n_layer]. bytes_max: the most that best() will be asked for.
    BestSplit(std::vector<LayerChoices> in_ram, std::vector<LayerChoices> in_vram,
              std::uint64_t bytes_max);

    struct Answer {
        std::vector<int> choices;  // [n_layer]
        double seconds = 0;
    };
    // Layers [0, n_in_ram) take from in_ram. Empty: no choice keeps the bounds.
    std::optional<Answer> best(int n_in_ram, std::uint64_t bytes_min,
                               std::uint64_t bytes_max) const;
    bool exact() const { return rounding_ == 0; }

private:
    using Row = std::vector<double>;  // [units + 1]: least seconds of exactly so many units

    void choose_unit(std::uint64_t bytes_max);
    std::size_t units(std::uint64_t bytes) const;
    Row join(const Row& others, const LayerChoices& layer) const;
    int choice_at(const Row& others, const LayerChoices& layer, double seconds,
                  std::size_t& at) const;

    std::vector<LayerChoices> in_ram_, in_vram_;
    std::uint64_t unit_ = 1;
    std::uint64_t rounding_ = 0;  // by how many bytes units can overstate a sum
    std::size_t last_ = 0;        // units
    std::vector<Row> before_;     // [n_layer + 1]: of layers [0, i), from in_ram
    std::vector<Row> after_;      // [n_layer + 1]: of layers [i, n_layer), from in_vram
};

}  // namespace hearth
