// The program of plan/split_program.h as an integer program for CBC, which shares no line with the
// dynamic program.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/integer_program.h"
#include "plan/split_program.h"

namespace hearth::test {

struct MilpAnswer {
    std::optional<double> seconds;  // empty: CBC proved that there is none
    std::string failed;             // empty: it is proven
};

// spared: what a choice counts for towards bytes_min, [layer][choice]; empty: its bytes. Seconds
// are those of CBC's choices, added up here: at most 1e-6 of them above the least there are, since
// CBC asks for so much before it calls an answer better.
inline MilpAnswer solve_as_milp(
    const SplitProgram& program, const std::vector<std::vector<std::uint64_t>>& spared_in_ram = {},
    const std::vector<std::vector<std::uint64_t>>& spared_in_vram = {}) {
    const std::size_t n_layer = program.in_ram.size();
    const auto number = [](std::uint64_t bytes) { return static_cast<double>(bytes); };
    std::vector<double> seconds_of;  // [columns]
    // Columns: z of every frame, then x of every layer, side and choice. Rows: one frame, most
    // bytes, least bytes spared, and one a layer and side that ties x to z.
    IntegerProgram milp;
    constexpr double kNone = IntegerProgram::kNoBound;
    milp.lower = {1, -kNone, 0};
    milp.upper = {1, number(program.bytes_max), kNone};
    milp.lower.resize(3 + 2 * n_layer, 0);
    milp.upper.resize(3 + 2 * n_layer, 0);
    const auto entry = [&](std::size_t row, double value) {
        if (value != 0) {
            milp.rows.push_back(static_cast<int>(row));
            milp.values.push_back(value);
        }
    };
    const auto end_column = [&](double seconds) {
        seconds_of.push_back(seconds);
        milp.starts.push_back(static_cast<int>(milp.rows.size()));
    };
    for (const SplitFrame& frame : program.frames) {
        entry(0, 1);
        entry(1, number(frame.fixed_bytes));
        entry(2, -number(frame.bytes_min));
        for (std::size_t l = 0; l < n_layer; ++l) {
            const bool in_vram = static_cast<int>(l) >= frame.n_in_ram;
            entry(3 + 2 * l + (in_vram ? 1 : 0), -1);
        }
        end_column(frame.seconds);
    }
    for (std::size_t l = 0; l < n_layer; ++l) {
        for (const bool in_vram : {false, true}) {
            const LayerChoices& layer = (in_vram ? program.in_vram : program.in_ram)[l];
            const auto& spared = in_vram ? spared_in_vram : spared_in_ram;
            for (std::size_t c = 0; c < layer.bytes.size(); ++c) {
                entry(1, number(layer.bytes[c]));
                entry(2, number(spared.empty() ? layer.bytes[c] : spared[l][c]));
                entry(3 + 2 * l + (in_vram ? 1 : 0), 1);
                end_column(layer.seconds[c]);
            }
        }
    }
    const double most = *std::max_element(seconds_of.begin(), seconds_of.end());
    for (const double seconds : seconds_of) {
        milp.objective.push_back(most > 0 ? -seconds / most * 1000 : 0);
    }
    milp.n_binary = static_cast<int>(milp.objective.size());
    const auto solution = solve(milp, 60, 1'000'000);
    if (!solution) {
        return {{}, solution.error().message};
    }
    if (solution->x.empty()) {
        return {};
    }
    if (!solution->optimal) {
        return {{}, "CBC proved nothing"};
    }
    double seconds = 0;
    for (std::size_t c = 0; c < milp.objective.size(); ++c) {
        if (std::abs(solution->x[c] - std::round(solution->x[c])) > 1e-6) {
            return {{}, "CBC's answer is not whole"};
        }
        seconds += std::round(solution->x[c]) * seconds_of[c];
    }
    return {seconds, {}};
}

}  // namespace hearth::test
