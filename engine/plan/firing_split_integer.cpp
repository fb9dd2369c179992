// PowerInfer's integer program over groups of neurons.
//
// A layer's first C_l groups are placed together, so they are one column, y_l. Each further group
// is a column x <= y_l. That is the paper's sum(a) >= C_l y_l, sum(a) <= K y_l with the smallest K
// that suffices. There is one row per 16 groups. One row per group would be tighter and take four
// times as long at the largest shape. One row per layer leaves the bound too loose to prove
// anything.
#include <algorithm>
#include <cstddef>
#include <numeric>

#include "plan/firing_split.h"
#include "plan/integer_program.h"

namespace hearth {
namespace {

constexpr int kGroupsPerRow = 16;

struct Column {
    std::size_t layer;
    int group;
};

// The columns of the program, in its order: y of every layer that counts, then the groups after
// C_l.
std::vector<Column> columns_of(const FiringProblem& problem) {
    std::vector<Column> columns;
    for (std::size_t l = 0; l < problem.layers.size(); ++l) {
        if (problem.layers[l].smallest_groups <= problem.layers[l].groups()) {
            columns.push_back({l, 0});
        }
    }
    const std::size_t n_layers = columns.size();
    for (std::size_t i = 0; i < n_layers; ++i) {
        const FiringLayer& layer = problem.layers[columns[i].layer];
        for (int g = layer.smallest_groups; g < layer.groups(); ++g) {
            columns.push_back({columns[i].layer, g});
        }
    }
    return columns;
}

class Builder {
public:
    Builder(const FiringProblem& problem, const std::vector<Column>& columns)
        : problem_(problem), columns_(columns) {}

    IntegerProgram build(const std::optional<FiringSplit>& start) {
        program_.n_binary = static_cast<int>(columns_.size());
        for (const Column& column : columns_) {
            unit_ = std::gcd(unit_, layer(column).group_bytes);
        }
        // Bytes are in units of which all groups are multiples. Small whole numbers keep sums
        // exact.
        program_.lower.push_back(static_cast<double>((problem_.bytes_min + unit_ - 1) / unit_));
        program_.upper.push_back(static_cast<double>(problem_.bytes_max / unit_));
        add_layer_rows();
        for (const Column& column : columns_) {
            add_column(column);
            if (start) {
                const int groups = (*start)[column.layer];
                program_.start.push_back(groups > column.group ? 1 : 0);
            }
        }
        return std::move(program_);
    }

private:
    const FiringLayer& layer(const Column& column) const { return problem_.layers[column.layer]; }
    bool is_y(const Column& column) const { return column.group < layer(column).smallest_groups; }

    // Rows sum(x of 16 groups) - 16 y <= 0.
    void add_layer_rows() {
        first_row_.assign(problem_.layers.size(), 0);
        for (const Column& column : columns_) {
            if (is_y(column)) {
                first_row_[column.layer] = static_cast<int>(program_.lower.size());
                for (int g = layer(column).smallest_groups; g < layer(column).groups();
                     g += kGroupsPerRow) {
                    program_.lower.push_back(-IntegerProgram::kNoBound);
                    program_.upper.push_back(0);
                }
            }
        }
    }

    void add_entry(int row, double value) {
        program_.rows.push_back(row);
        program_.values.push_back(value);
    }

    void add_column(const Column& column) {
        const FiringLayer& of = layer(column);
        const double units = static_cast<double>(of.group_bytes / unit_);
        int row = first_row_[column.layer];
        if (is_y(column)) {
            program_.objective.push_back(
                std::accumulate(of.values.begin(), of.values.begin() + of.smallest_groups, 0.0));
            add_entry(0, units * of.smallest_groups);
            for (int g = of.smallest_groups; g < of.groups(); g += kGroupsPerRow) {
                add_entry(row++, -std::min(kGroupsPerRow, of.groups() - g));
            }
        } else {
            program_.objective.push_back(of.values[static_cast<std::size_t>(column.group)]);
            add_entry(0, units);
            add_entry(row + (column.group - of.smallest_groups) / kGroupsPerRow, 1);
        }
        program_.starts.push_back(static_cast<int>(program_.rows.size()));
    }

    const FiringProblem& problem_;
    const std::vector<Column>& columns_;
    IntegerProgram program_;
    std::vector<int> first_row_;  // [layers]
    std::uint64_t unit_ = 0;
};

}  // namespace

IntegerAnswer integer_split(const FiringProblem& problem, const std::optional<FiringSplit>& start,
                            const IntegerLimits& limits) {
    IntegerAnswer answer;
    FiringSplit split(problem.layers.size(), 0);
    const std::vector<Column> columns = columns_of(problem);
    if (columns.empty()) {
        if (problem.bytes_min == 0) {
            answer.split = std::move(split);
            answer.optimal = true;
        }
        return answer;
    }
    const IntegerProgram program = Builder(problem, columns).build(start);
    const Result<IntegerSolution> solution = solve(program, limits.seconds, limits.nodes);
    if (!solution) {
        answer.absent = solution.error().message;
        return answer;
    }
    if (solution->x.empty()) {
        return answer;
    }
    // Only the number of groups of a layer counts. The hottest groups are worth no less.
    for (std::size_t c = 0; c < columns.size(); ++c) {
        if (solution->x[c] > 0.5) {
            const FiringLayer& layer = problem.layers[columns[c].layer];
            const bool y = columns[c].group < layer.smallest_groups;
            split[columns[c].layer] += y ? layer.smallest_groups : 1;
        }
    }
    if (is_feasible(problem, split)) {  // the solver rounds, this check does not
        answer.split = std::move(split);
        answer.optimal = solution->optimal;
    }
    return answer;
}

}  // namespace hearth
