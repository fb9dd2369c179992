// Runs of values as codes on a line: the search that the fits of quantised blocks share.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace hearth {

// value = step * code - below
struct CodeLine {
    float step = 0.0F;
    float below = 0.0F;
};

// Codes are whole numbers from `least` to `most`.
struct CodeRange {
    float least = 0.0F;
    float most = 0.0F;
};

// The values that `below` may have.
enum class Below {
    Zero,         // the line goes through zero
    NotNegative,  // the lowest code stands for zero or less
    Any,
};

// Values of one scale, and how much the squared error of each counts.
struct CodeRun {
    static constexpr std::size_t kMost = 32;

    // values: a multiple of 8, at most kMost, none beyond 1. weights: as many, positive.
    CodeRun(std::span<const float> values, std::span<const float> weights);

    std::size_t size;
    std::array<float, kMost> x, w;
    double sum_w = 0.0;
};

// Weighted sums over the codes of a run and over what they leave of its values, rest = value - step
// * code + below. Sums of rests keep their precision where one value counts a thousand times as
// much as the others; differences of sums of values would not.
struct CodeSums {
    double q = 0.0, qq = 0.0;
    double rest = 0.0, rest_q = 0.0;
    double error = 0.0;  // sum of squared rests
};

// Sets the codes, run.size of them, that are nearest to the run's values on the line.
CodeSums nearest_codes(const CodeRun& run, CodeRange range, CodeLine line, float* codes);

// The line that errs least for the codes that `line` gave these sums.
CodeLine refitted(const CodeRun& run, const CodeSums& sums, CodeLine line, Below below);

// The line that errs least with the codes nearest to it, as far as a search finds it.
struct BestLine {
    CodeLine line;
    CodeSums sums;
};
BestLine best_line(const CodeRun& run, CodeRange range, Below below);

}  // namespace hearth
