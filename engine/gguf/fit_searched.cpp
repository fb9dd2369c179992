#include "gguf/fit_searched.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/assert.h"
#include "base/half.h"
#include "gguf/code_line.h"
#include "gguf/fit.h"

namespace hearth {
namespace {

using Values = std::array<float, RowPiece::kValues>;

// A block's values divided by the greatest, so that nothing below can overflow, and the weights of
// their errors.
struct FitBlock {
    float greatest = 0.0F;  // 0: all values are as good as zero
    std::size_t size = 0;
    Values x;
    Values weights;

    CodeRun run(std::size_t first, std::size_t n) const {
        return {std::span(x).subspan(first, n), std::span(weights).subspan(first, n)};
    }
};

// Scales of this much or less are zero as a half, even under the most codes.
constexpr float kAsGoodAsZero = 1e-30F;
// The lowest value that six bits times a half can say, without its sign.
constexpr float kMostMinimum = 65504.0F * 63.0F;
// A value counts at least this share of the mean, so that no run is without weight.
constexpr float kLeastWeight = 1e-4F;

// Values beyond `most` count as that.
FitBlock block_of(std::span<const float> values, std::span<const float> importance, bool by_size,
                  float most) {
    FitBlock block;
    block.size = values.size();
    for (const float value : values) {
        block.greatest = std::max(block.greatest, std::min(std::fabs(value), most));
    }
    if (block.greatest < kAsGoodAsZero) {
        block.greatest = 0.0F;
        return block;
    }
    float squares = 0.0F;
    for (std::size_t i = 0; i < block.size; ++i) {
        block.x[i] = std::clamp(values[i], -most, most) / block.greatest;
        squares += block.x[i] * block.x[i];
    }
    const float level = 2.0F * squares / static_cast<float>(block.size);
    double total = 0.0;
    for (const float each : importance) {
        total += static_cast<double>(each);
    }
    const auto mean = static_cast<float>(total / static_cast<double>(block.size));
    for (std::size_t i = 0; i < block.size; ++i) {
        const float counts = mean > 0.0F ? std::max(importance[i] / mean, kLeastWeight) : 1.0F;
        block.weights[i] = counts * (by_size ? std::sqrt(level + block.x[i] * block.x[i]) : 1.0F);
    }
    return block;
}

void store_codes(const float* codes, std::size_t n, float zero, std::uint8_t* out) {
    for (std::size_t i = 0; i < n; ++i) {
        out[i] = static_cast<std::uint8_t>(static_cast<int>(codes[i] + zero));
    }
}

// A run as it is stored, under the d and the minimum of its block.
struct StoredRun {
    int scale = 0;
    int minimum = 0;
    double error = -1.0;
    CodeSums sums;
    std::array<float, CodeRun::kMost> codes;
};

// The codes of one scale for a whole block of 32: d, and with `below` the minimum.
void fit_single(CodeRange range, Below below, const FitBlock& block, std::uint8_t* out,
                std::uint16_t& out_d, std::uint16_t* out_minimum) {
    constexpr int kRounds = 4;
    const CodeRun run = block.run(0, block.size);
    CodeLine line = best_line(run, range, below).line;
    double least_error = -1.0;
    for (int round = 0; round < kRounds; ++round) {
        const std::uint16_t d = saturated_half(line.step * block.greatest);
        const std::uint16_t minimum = saturated_half(-line.below * block.greatest);
        const CodeLine stored{half_to_float(d) / block.greatest,
                              -half_to_float(minimum) / block.greatest};
        std::array<float, CodeRun::kMost> codes;
        const CodeSums sums = nearest_codes(run, range, stored, codes.data());
        if (least_error >= 0.0 && sums.error >= least_error) {
            break;
        }
        least_error = sums.error;
        out_d = d;
        if (out_minimum != nullptr) {
            *out_minimum = minimum;
        }
        store_codes(codes.data(), block.size, -range.least, out);
        line = refitted(run, sums, stored, below);
    }
}

// Scale and minimum of a run, in numbers of six bits, and its codes.
StoredRun best_six_min(const CodeRun& run, CodeRange range, CodeLine wanted, CodeLine unit) {
    constexpr int kMostSix = 63;
    const auto number = [](double share) {
        return static_cast<int>(std::lround(std::clamp(share, 0.0, static_cast<double>(kMostSix))));
    };
    const auto share = [](float of, float unit_of) {
        return unit_of > 0.0F ? static_cast<double>(of) / static_cast<double>(unit_of) : 0.0;
    };
    const int centre = number(share(wanted.step, unit.step));
    StoredRun best;
    StoredRun trial;
    for (int scale = std::max(0, centre - 1); scale <= std::min(kMostSix, centre + 1); ++scale) {
        trial.scale = scale;
        CodeLine line{unit.step * static_cast<float>(scale), wanted.below};
        trial.sums = nearest_codes(run, range, line, trial.codes.data());
        // The best for these codes.
        const double below = static_cast<double>(line.below) - trial.sums.rest / run.sum_w;
        trial.minimum = number(share(static_cast<float>(below), unit.below));
        line.below = unit.below * static_cast<float>(trial.minimum);
        trial.sums = nearest_codes(run, range, line, trial.codes.data());
        trial.error = trial.sums.error;
        if (best.error < 0.0 || trial.error < best.error) {
            best = trial;
        }
    }
    return best;
}

// d and minimum that err least for the numbers and codes of all runs under `unit`.
template <std::size_t kRuns>
CodeLine refitted_units(const std::array<StoredRun, kRuns>& runs,
                        const std::array<double, kRuns>& w, CodeLine unit) {
    double dd = 0.0;
    double dm = 0.0;
    double mm = 0.0;
    double rest_d = 0.0;
    double rest_m = 0.0;
    for (std::size_t r = 0; r < kRuns; ++r) {
        const double scale = runs[r].scale;
        const double minimum = runs[r].minimum;
        dd += scale * scale * runs[r].sums.qq;
        dm += scale * minimum * runs[r].sums.q;
        mm += minimum * minimum * w[r];
        rest_d += scale * runs[r].sums.rest_q;
        rest_m += minimum * runs[r].sums.rest;
    }
    const double determinant = dd * mm - dm * dm;
    if (determinant > 1e-6 * dd * mm) {
        const double step =
            static_cast<double>(unit.step) + (rest_d * mm - dm * rest_m) / determinant;
        const double below =
            static_cast<double>(unit.below) + (rest_d * dm - dd * rest_m) / determinant;
        if (step > 0.0 && below >= 0.0) {
            return {static_cast<float>(step), static_cast<float>(below)};
        }
    }
    return unit;
}

constexpr std::size_t kSixRuns = RowPiece::kValues / kBlockValues;
constexpr float kMostSix = 63.0F;
using OfRuns = std::array<float, kSixRuns>;

// The whole number up to kMostSix that is nearest to `share`, which is not negative. Rounds as
// gguf/code_line.cpp does.
float six_of(float share) {
    constexpr float kMagic = 12582912.0F;
    return (std::min(share, kMostSix) + kMagic) - kMagic;
}

// The error where multiples of `unit` stand for what is wanted.
float loss_of(float unit, const OfRuns& wanted, const OfRuns& weights) {
    float loss = 0.0F;
    for (std::size_t r = 0; r < kSixRuns; ++r) {
        const float off = wanted[r] - unit * six_of(wanted[r] / unit);
        loss += weights[r] * off * off;
    }
    return loss;
}

// The units that lose least, the best one first: the greatest of what is wanted lies at kMostSix,
// or off it, so that the others come to lie better. 0: nothing is wanted.
template <std::size_t kKept>
std::array<float, kKept> best_units(const OfRuns& wanted, const OfRuns& weights) {
    constexpr int kTries = 48;
    constexpr float kFirst = 0.4F;
    constexpr float kApart = 0.25F;
    std::array<float, kKept> units{};
    std::array<float, kKept> losses;
    losses.fill(std::numeric_limits<float>::infinity());
    const float greatest = *std::max_element(wanted.begin(), wanted.end());
    for (int i = 0; greatest > 0.0F && i < kTries; ++i) {
        float unit = greatest / (kMostSix + kFirst - kApart * static_cast<float>(i));
        float loss = loss_of(unit, wanted, weights);
        for (std::size_t k = 0; k < kKept; ++k) {
            if (loss < losses[k]) {
                std::swap(loss, losses[k]);
                std::swap(unit, units[k]);
            }
        }
    }
    return units;
}

// The step and the minimum that the runs' lines are best told in multiples of. A minimum makes good
// for a part of what a rounded step loses, so it is chosen to go with the step.
CodeLine best_unit(const std::array<CodeLine, kSixRuns>& lines,
                   const std::array<CodeSums, kSixRuns>& sums,
                   const std::array<double, kSixRuns>& w) {
    constexpr std::size_t kKept = 6;
    OfRuns steps;
    OfRuns spreads;  // of the codes: what a step counts beside a minimum that follows it
    OfRuns means;
    OfRuns weights;
    for (std::size_t r = 0; r < kSixRuns; ++r) {
        steps[r] = lines[r].step;
        weights[r] = static_cast<float>(w[r]);
        means[r] = static_cast<float>(sums[r].q / w[r]);
        spreads[r] = static_cast<float>(std::max(0.0, sums[r].qq - sums[r].q * sums[r].q / w[r]));
    }
    CodeLine best;
    float least_loss = std::numeric_limits<float>::infinity();
    for (const float step : best_units<kKept>(steps, spreads)) {
        OfRuns belows;
        for (std::size_t r = 0; r < kSixRuns; ++r) {
            const float stored = step > 0.0F ? step * six_of(steps[r] / step) : 0.0F;
            belows[r] = std::max(0.0F, lines[r].below + (stored - steps[r]) * means[r]);
        }
        const float below = best_units<1>(belows, weights)[0];
        const float loss = (step > 0.0F ? loss_of(step, steps, spreads) : 0.0F) +
                           (below > 0.0F ? loss_of(below, belows, weights) : 0.0F);
        if (loss < least_loss) {
            least_loss = loss;
            best = {step, below};
        }
    }
    return best;
}

void fit_six_min(CodeRange range, const FitBlock& block, RowPiece& piece) {
    constexpr int kRounds = 2;
    std::array<CodeLine, kSixRuns> lines;
    std::array<CodeSums, kSixRuns> sums;
    std::array<double, kSixRuns> w;
    for (std::size_t r = 0; r < kSixRuns; ++r) {
        const CodeRun run = block.run(r * kBlockValues, kBlockValues);
        const BestLine best = best_line(run, range, Below::NotNegative);
        lines[r] = best.line;
        sums[r] = best.sums;
        w[r] = run.sum_w;
    }
    CodeLine unit = best_unit(lines, sums, w);
    double least_error = -1.0;
    for (int round = 0; round < kRounds; ++round) {
        const std::uint16_t d = saturated_half(unit.step * block.greatest);
        const std::uint16_t minimum = saturated_half(-unit.below * block.greatest);
        unit = {half_to_float(d) / block.greatest, -half_to_float(minimum) / block.greatest};
        std::array<StoredRun, kSixRuns> runs;
        double error = 0.0;
        for (std::size_t r = 0; r < kSixRuns; ++r) {
            runs[r] =
                best_six_min(block.run(r * kBlockValues, kBlockValues), range, lines[r], unit);
            error += runs[r].error;
        }
        if (least_error >= 0.0 && error >= least_error) {
            break;
        }
        least_error = error;
        piece.halves[0][0] = d;
        piece.halves[1][0] = minimum;
        for (std::size_t r = 0; r < kSixRuns; ++r) {
            piece.scales[2 * r] = static_cast<std::int8_t>(runs[r].scale);
            piece.scales[2 * r + 1] = static_cast<std::int8_t>(runs[r].minimum);
            store_codes(runs[r].codes.data(), kBlockValues, 0.0F, piece.codes + r * kBlockValues);
        }
        unit = refitted_units(runs, w, unit);
    }
}

StoredRun best_signed(const CodeRun& run, CodeRange range, float wanted, float unit) {
    const float share = unit != 0.0F ? std::clamp(wanted / unit, -128.0F, 127.0F) : 0.0F;
    const auto centre = static_cast<int>(std::lround(share));
    StoredRun best;
    StoredRun trial;
    for (int scale = std::max(-128, centre - 1); scale <= std::min(127, centre + 1); ++scale) {
        trial.scale = scale;
        const CodeLine line{unit * static_cast<float>(scale), 0.0F};
        trial.sums = nearest_codes(run, range, line, trial.codes.data());
        trial.error = trial.sums.error;
        if (best.error < 0.0 || trial.error < best.error) {
            best = trial;
        }
    }
    return best;
}

void fit_bytes_of_16(CodeRange range, const FitBlock& block, RowPiece& piece) {
    constexpr std::size_t kRun = 16;
    constexpr std::size_t kRuns = RowPiece::kValues / kRun;
    constexpr int kRounds = 2;
    std::array<float, kRuns> steps;
    float greatest = 0.0F;
    for (std::size_t r = 0; r < kRuns; ++r) {
        steps[r] = best_line(block.run(r * kRun, kRun), range, Below::Zero).line.step;
        greatest = std::fabs(steps[r]) > std::fabs(greatest) ? steps[r] : greatest;
    }
    float unit = greatest / -128.0F;
    double least_error = -1.0;
    for (int round = 0; round < kRounds; ++round) {
        const std::uint16_t d = saturated_half(unit * block.greatest);
        unit = half_to_float(d) / block.greatest;
        std::array<StoredRun, kRuns> runs;
        double error = 0.0;
        double dd = 0.0;
        double rest_d = 0.0;
        for (std::size_t r = 0; r < kRuns; ++r) {
            runs[r] = best_signed(block.run(r * kRun, kRun), range, steps[r], unit);
            error += runs[r].error;
            dd += runs[r].scale * runs[r].scale * runs[r].sums.qq;
            rest_d += runs[r].scale * runs[r].sums.rest_q;
        }
        if (least_error >= 0.0 && error >= least_error) {
            break;
        }
        least_error = error;
        piece.halves[0][0] = d;
        for (std::size_t r = 0; r < kRuns; ++r) {
            piece.scales[r] = static_cast<std::int8_t>(runs[r].scale);
            store_codes(runs[r].codes.data(), kRun, -range.least, piece.codes + r * kRun);
        }
        unit += dd > 0.0 ? static_cast<float>(rest_d / dd) : 0.0F;
    }
}

// A block without values to speak of.
void store_zeros(const Encoding& encoding, RowPiece& piece, std::size_t first) {
    const std::size_t block = first / encoding.block_values;
    piece.halves[0][block] = 0;
    piece.halves[1][block] = 0;
    std::fill_n(piece.codes + first, encoding.block_values,
                static_cast<std::uint8_t>(encoding.stored_zero()));
    std::fill_n(piece.scales + first / 16, (encoding.block_values + 15) / 16, std::int8_t{0});
}

}  // namespace

bool has_search(const Encoding& encoding) {
    return !is_float(encoding.codes) && !has_code_table(encoding.codes) &&
           encoding.codes != CodeKind::Bits8 && encoding.codes != CodeKind::Packed;
}

void fit_searched(const Encoding& encoding, std::span<const float> values,
                  std::span<const float> importance, RowPiece& piece) {
    HEARTH_ASSERT(has_search(encoding));
    const auto most = static_cast<float>(most_unpacked(encoding.codes));
    const auto zero = static_cast<float>(encoding.zero);
    const CodeRange range{-zero, most - zero};
    const std::size_t size = encoding.block_values;
    for (std::size_t first = 0; first < values.size(); first += size) {
        const bool has_six = encoding.scales == ScaleKind::SixMin;
        const FitBlock block =
            block_of(values.subspan(first, size),
                     importance.empty() ? importance : importance.subspan(first, size),
                     encoding.scales != ScaleKind::Bytes16,
                     has_six ? kMostMinimum : std::numeric_limits<float>::max());
        const std::size_t index = first / size;
        if (block.greatest == 0.0F) {
            store_zeros(encoding, piece, first);
        } else if (encoding.scales == ScaleKind::SixMin) {
            fit_six_min(range, block, piece);
        } else if (encoding.scales == ScaleKind::Bytes16) {
            fit_bytes_of_16(range, block, piece);
        } else if (has_minimum(encoding.scales)) {
            fit_single(range, Below::Any, block, piece.codes + first, piece.halves[0][index],
                       &piece.halves[1][index]);
        } else {
            fit_single(range, Below::Zero, block, piece.codes + first, piece.halves[0][index],
                       nullptr);
        }
    }
}

}  // namespace hearth
