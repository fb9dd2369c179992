#include "gguf/fit_six.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/half.h"
#include "gguf/fit.h"

namespace hearth {
namespace {

constexpr std::size_t kRuns = RowPiece::kValues / kBlockValues;
constexpr float kMostSix = 63.0F;

using Run = std::span<const float, kBlockValues>;

Run run_of(std::span<const float> values, std::size_t run) {
    return Run(values.subspan(run * kBlockValues, kBlockValues));
}

// How much an error at x counts: as of Q4_0 (gguf/fit.cpp).
float importance(float x) {
    return std::sqrt(std::fabs(x));
}

float greatest_of(Run x) {
    float greatest = 0.0F;
    for (const float value : x) {
        greatest = std::max(greatest, std::fabs(value));
    }
    return greatest;
}

// value = step * code - below
struct Line {
    double step = 0.0;
    double below = 0.0;
};

double code_of(double x, const Line& line, double most) {
    return line.step > 0.0 ? std::clamp(std::nearbyint((x + line.below) / line.step), 0.0, most)
                           : 0.0;
}

// Codes of x on a line, then the line that errs least for these codes; its error is set.
Line refit(Run x, const Line& line, double most, double& error) {
    double w1 = 0.0;
    double wq = 0.0;
    double wqq = 0.0;
    double wx = 0.0;
    double wxq = 0.0;
    double wxx = 0.0;
    for (const float each : x) {
        const double value = static_cast<double>(each);
        const double w = static_cast<double>(importance(each));
        const double q = code_of(value, line, most);
        w1 += w;
        wq += w * q;
        wqq += w * q * q;
        wx += w * value;
        wxq += w * value * q;
        wxx += w * value * value;
    }
    Line best;
    const double determinant = w1 * wqq - wq * wq;
    if (determinant > 0.0) {
        best.step = (w1 * wxq - wx * wq) / determinant;
        best.below = (wq * wxq - wqq * wx) / determinant;
    }
    // Neither may be negative.
    if (determinant <= 0.0 || best.below < 0.0 || best.step <= 0.0) {
        best = {wqq > 0.0 ? std::max(0.0, wxq / wqq) : 0.0, 0.0};
    }
    error = wxx + best.step * best.step * wqq + best.below * best.below * w1 -
            2.0 * (best.step * wxq - best.below * wx + best.step * best.below * wq);
    return best;
}

// Tries steps from the one that spans all values down to one that cuts the ends off.
Line best_line(Run x, double most) {
    constexpr int kSteps = 24;
    const auto [least, greatest] = std::minmax_element(x.begin(), x.end());
    const double below = -std::min(0.0, static_cast<double>(*least));
    const double range = static_cast<double>(*greatest) + below;
    if (!(range > 0.0)) {
        return {0.0, below};
    }
    Line best;
    double least_error = -1.0;
    for (int i = 0; i < kSteps; ++i) {
        Line line{range / (most - 1.0 + 0.15 * i), below};
        double error = 0.0;
        for (int round = 0; round < 2; ++round) {
            line = refit(x, line, most, error);
            if (least_error < 0.0 || error < least_error) {
                least_error = error;
                best = line;
            }
        }
    }
    return best;
}

std::int8_t six_of(double share) {
    return static_cast<std::int8_t>(
        std::lround(std::clamp(share, 0.0, static_cast<double>(kMostSix))));
}

// The step of a table of 16 that errs least: places of the extreme value from its end inwards.
float best_table_step(const std::int8_t* table, Run x) {
    constexpr int kPlaces = 10;
    const float greatest = greatest_of(x);
    float best = 0.0F;
    double most_gain = 0.0;
    for (int i = 0; greatest > 0.0F && i < 2 * kPlaces; ++i) {
        const int pair = i / 2;
        const float place = std::fabs(static_cast<float>(table[i % 2 == 0 ? 0 : 15])) *
                            (1.05F - 0.03F * static_cast<float>(pair));
        for (const float sign : {1.0F, -1.0F}) {
            const float step = sign * greatest / place;
            double xq = 0.0;
            double qq = 0.0;
            for (const float value : x) {
                const auto off = [&](std::size_t code) {
                    return std::fabs(value - step * static_cast<float>(table[code]));
                };
                std::size_t code = 0;
                for (std::size_t other = 1; other < 16; ++other) {
                    code = off(other) < off(code) ? other : code;
                }
                const double nearest = table[code];
                const double w = static_cast<double>(importance(value)) * nearest;
                xq += w * static_cast<double>(value);
                qq += w * nearest;
            }
            if (qq > 0.0 && xq * xq > most_gain * qq) {
                most_gain = xq * xq / qq;
                best = static_cast<float>(xq / qq);
            }
        }
    }
    return best;
}

}  // namespace

void fit_six_min(int most, std::span<const float> values, RowPiece& piece) {
    std::array<Line, kRuns> lines;
    Line greatest;
    for (std::size_t run = 0; run < kRuns; ++run) {
        lines[run] = best_line(run_of(values, run), most);
        greatest.step = std::max(greatest.step, lines[run].step);
        greatest.below = std::max(greatest.below, lines[run].below);
    }
    piece.halves[0][0] = saturated_half(static_cast<float>(greatest.step) / kMostSix);
    piece.halves[1][0] = saturated_half(-static_cast<float>(greatest.below) / kMostSix);
    // Rounded against the numbers that are stored.
    const double d = static_cast<double>(half_to_float(piece.halves[0][0]));
    const double d_below = -static_cast<double>(half_to_float(piece.halves[1][0]));
    for (std::size_t run = 0; run < kRuns; ++run) {
        std::int8_t* scales = piece.scales + 2 * run;
        scales[0] = six_of(d > 0.0 ? lines[run].step / d : 0.0);
        scales[1] = six_of(d_below > 0.0 ? lines[run].below / d_below : 0.0);
        const Line line{d * scales[0], d_below * scales[1]};
        const Run x = run_of(values, run);
        for (std::size_t i = 0; i < x.size(); ++i) {
            piece.codes[run * kBlockValues + i] =
                static_cast<std::uint8_t>(code_of(static_cast<double>(x[i]), line, most));
        }
    }
}

void fit_six_table(const std::int8_t* table, std::span<const float> values, RowPiece& piece) {
    constexpr float kMostSigned = 31.0F;
    std::array<float, kRuns> steps;
    float greatest = 0.0F;
    for (std::size_t run = 0; run < kRuns; ++run) {
        steps[run] = best_table_step(table, run_of(values, run));
        greatest = std::max(greatest, std::fabs(steps[run]));
    }
    piece.halves[0][0] = saturated_half(greatest / kMostSigned);
    const float d = half_to_float(piece.halves[0][0]);
    for (std::size_t run = 0; run < kRuns; ++run) {
        const float share = d > 0.0F ? steps[run] / d : 0.0F;
        const long scale = std::lround(std::clamp(share, -kMostSigned - 1.0F, kMostSigned));
        piece.scales[2 * run] = static_cast<std::int8_t>(scale);
        const float step = d * static_cast<float>(scale);
        for (std::size_t i = run * kBlockValues; i < (run + 1) * kBlockValues; ++i) {
            const auto off = [&](std::uint8_t code) {
                return std::fabs(values[i] - step * static_cast<float>(table[code]));
            };
            std::uint8_t nearest = 0;
            for (std::uint8_t code = 1; code < 16; ++code) {
                nearest = off(code) < off(nearest) ? code : nearest;
            }
            piece.codes[i] = nearest;
        }
    }
}

}  // namespace hearth
