// The forms in which the processor holds matrices, and the jobs that bring weights into them.
#pragma once

#include <cstdint>
#include <vector>

#include "cpu/cpu_layout.h"
#include "memory/weight_job.h"

namespace hearth {

// Any form but Floats. It lives as long as the program.
const WeightForm& form_of(CpuForm form);

// All columns of the rows, or n_cols of them from first_col on, in tiles.
WeightJob tiles_job(const Weight& weight, const RowChoice& rows, std::uint64_t first_col,
                    std::uint64_t n_cols, std::uint64_t at);
// A weight of several parts, one behind the other, in tiles or turned. Parts become whole tiles.
WeightJob parts_job(const Weight& weight, std::uint64_t at);
WeightJob columns_job(const Weight& weight, std::uint64_t at);
struct NeuronMatrix {
    Weight weight;
    CpuForm form{};  // Rows or Tiles
    std::uint64_t at = 0;
};
// matrices: one, or some of the same records, since reading one reads the others.
WeightJob neurons_job(const std::vector<NeuronMatrix>& matrices, const RowChoice& rows);

}  // namespace hearth
