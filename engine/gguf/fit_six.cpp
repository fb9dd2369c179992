#include "gguf/fit_six.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/half.h"
#include "gguf/fit.h"

namespace hearth {
namespace {

constexpr std::size_t kRuns = RowPiece::kValues / kBlockValues;

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
