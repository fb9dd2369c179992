#include "gguf/code_line.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/assert.h"

namespace hearth {
namespace {

constexpr std::size_t kLanes = 8;

// Steps below this have no use as a divisor: nothing that a block stores is so small.
constexpr float kLeastStep = 1e-36F;

double sum_of(const std::array<float, kLanes>& lanes) {
    return static_cast<double>(((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
                               ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7])));
}

// Adding and taking away 1.5 * 2^23 rounds to an integer, ties to even. Loops of this form, over a
// length that they know, become vector code; a single one that also sums does not. Eight sums stand
// side by side, since compilers may not reorder the additions of one.
template <std::size_t kSize>
CodeSums nearest_of(const CodeRun& run, CodeRange range, CodeLine line, float* out) {
    constexpr float kMagic = 12582912.0F;
    const float inverse = std::fabs(line.step) > kLeastStep ? 1.0F / line.step : 0.0F;
    std::array<float, kSize> codes;
    for (std::size_t i = 0; i < kSize; ++i) {
        float q = (run.x[i] + line.below) * inverse;
        q = q > range.least ? q : range.least;  // in this form one instruction each
        q = q < range.most ? q : range.most;
        codes[i] = (q + kMagic) - kMagic;
    }
    std::array<float, kLanes> q_sums{};
    std::array<float, kLanes> qq_sums{};
    std::array<float, kLanes> rest_sums{};
    std::array<float, kLanes> rest_q_sums{};
    std::array<float, kLanes> errors{};
    for (std::size_t i = 0; i < kSize; i += kLanes) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const float q = codes[i + lane];
            const float rest = (run.x[i + lane] + line.below) - line.step * q;
            const float w_q = run.w[i + lane] * q;
            const float w_rest = run.w[i + lane] * rest;
            q_sums[lane] += w_q;
            qq_sums[lane] += w_q * q;
            rest_sums[lane] += w_rest;
            rest_q_sums[lane] += w_rest * q;
            errors[lane] += w_rest * rest;
        }
    }
    std::copy(codes.begin(), codes.end(), out);
    return {sum_of(q_sums), sum_of(qq_sums), sum_of(rest_sums), sum_of(rest_q_sums),
            sum_of(errors)};
}

}  // namespace

CodeRun::CodeRun(std::span<const float> values, std::span<const float> weights)
    : size(values.size()) {
    HEARTH_DCHECK(size <= kMost && size % kLanes == 0 && weights.size() == size);
    for (std::size_t i = 0; i < size; ++i) {
        x[i] = values[i];
        w[i] = weights[i];
        sum_w += static_cast<double>(weights[i]);
    }
}

CodeSums nearest_codes(const CodeRun& run, CodeRange range, CodeLine line, float* codes) {
    return run.size == CodeRun::kMost ? nearest_of<CodeRun::kMost>(run, range, line, codes)
                                      : nearest_of<CodeRun::kMost / 2>(run, range, line, codes);
}

CodeLine refitted(const CodeRun& run, const CodeSums& sums, CodeLine line, Below below) {
    const auto moved = [&](double step, double under) {
        return CodeLine{static_cast<float>(static_cast<double>(line.step) + step),
                        static_cast<float>(static_cast<double>(line.below) + under)};
    };
    const double determinant = run.sum_w * sums.qq - sums.q * sums.q;
    if (below != Below::Zero && determinant > 1e-5 * run.sum_w * sums.qq) {
        const CodeLine fitted = moved((run.sum_w * sums.rest_q - sums.rest * sums.q) / determinant,
                                      (sums.q * sums.rest_q - sums.qq * sums.rest) / determinant);
        if (fitted.step > 0.0F && (below == Below::Any || fitted.below >= 0.0F)) {
            return fitted;
        }
    }
    const double to_zero = -static_cast<double>(line.below);
    return moved(sums.qq > 0.0 ? (sums.rest_q + to_zero * sums.q) / sums.qq : 0.0, to_zero);
}

namespace {

// Keeps the best of the lines that it is shown.
class Search {
public:
    Search(const CodeRun& run, CodeRange range, Below below)
        : run_(run), range_(range), below_(below) {
        best_.sums.error = std::numeric_limits<double>::infinity();
    }

    // The line itself and, where it is not much worse than the best, the one that is refitted to
    // its codes. Errors are counted, never computed from sums: where one value counts a thousand
    // times as much as the others, such a difference is noise.
    void show(CodeLine line) {
        const CodeSums sums = nearest_codes(run_, range_, line, codes_.data());
        keep(line, sums);
        if (sums.error <= 1.25 * best_.sums.error) {
            follow(line, sums);
        }
    }

    void refine() {
        constexpr int kRefinements = 3;
        for (int i = 0; i < kRefinements && follow(best_.line, best_.sums); ++i) {}
    }

    const BestLine& best() const { return best_; }

private:
    bool keep(CodeLine line, const CodeSums& sums) {
        const bool better = sums.error < best_.sums.error;
        if (better) {
            best_ = {line, sums};
        }
        return better;
    }
    bool follow(CodeLine line, const CodeSums& sums) {
        const CodeLine fitted = refitted(run_, sums, line, below_);
        return keep(fitted, nearest_codes(run_, range_, fitted, codes_.data()));
    }

    const CodeRun& run_;
    CodeRange range_;
    Below below_;
    BestLine best_;
    std::array<float, CodeRun::kMost> codes_;
};

}  // namespace

// Begins with lines that reach from the least to the greatest value (exactly, since weights that
// were quantised before lie on such a line), or end half a step or more before or behind them: near
// in clips, far out wastes codes, and where the optimum lies differs by run.
BestLine best_line(const CodeRun& run, CodeRange range, Below below) {
    const auto [least_at, greatest_at] =
        std::minmax_element(run.x.begin(), run.x.begin() + static_cast<std::ptrdiff_t>(run.size));
    Search search(run, range, below);
    if (below == Below::Zero) {
        struct Places {
            float first, apart;
            int count;
        };
        constexpr Places kOfSixBits{0.90F, 0.04F, 4};
        constexpr Places kOfFewer{0.76F, 0.06F, 6};
        const Places places = range.most > 16.0F ? kOfSixBits : kOfFewer;
        const float extreme = -*least_at > *greatest_at ? *least_at : *greatest_at;
        for (int i = 0; i < places.count; ++i) {
            const float share = places.first + places.apart * static_cast<float>(i);
            const float step = extreme / (-range.least * share);
            search.show({-step, 0.0F});
            search.show({step, 0.0F});
        }
    } else {
        constexpr int kReaches = 6;
        constexpr float kFirst = -0.9F;
        constexpr float kApart = 0.45F;
        const float under = below == Below::Any ? -*least_at : std::max(0.0F, -*least_at);
        const float reach = *greatest_at + under;
        for (int i = 0; i < kReaches; ++i) {
            const float step = reach / (range.most + kFirst + kApart * static_cast<float>(i));
            const float lower = under - step / 2;
            search.show({step, under});
            search.show({step, below == Below::Any ? lower : std::max(0.0F, lower)});
        }
    }
    search.refine();
    return search.best();
}

}  // namespace hearth
