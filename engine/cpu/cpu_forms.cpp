#include "cpu/cpu_forms.h"

#include <algorithm>
#include <cstring>

#include "base/assert.h"
#include "cpu/convert_input_columns.h"
#include "cpu/kernels/kernels.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/rows.h"

namespace hearth {
namespace {

// One task's bytes: half of a small L2, so that packing finds the rows still there.
constexpr std::uint64_t kTaskBytes = 256 * 1024;

std::uint64_t whole_tiles(std::uint64_t stride) {
    return std::max<std::uint64_t>(1, kTaskBytes / (stride * kernels::kTileRows)) *
           kernels::kTileRows;
}

class Tiles final : public WeightForm {
public:
    void put(const FormRows& rows, std::byte* base) const override {
        const Weight& weight = rows.weight;
        const std::uint64_t skipped = row_bytes(weight.type, rows.first_col);
        const std::uint64_t held = row_bytes(weight.type, rows.n_cols);
        const auto cols = static_cast<int>(rows.n_cols);
        for (std::uint64_t i = 0; i < rows.count; i += kernels::kTileRows) {
            const std::byte* from = rows.rows + i * rows.stride + skipped;
            std::byte* to = base + (rows.first + i) * held;
            const auto n =
                static_cast<int>(std::min<std::uint64_t>(kernels::kTileRows, rows.count - i));
            if (weight.in_neuron_rows) {
                neuron_rows_to_tile(weight.type, from, rows.stride, n, cols, to);
            } else {
                pack_tile(weight.type, from, rows.stride, n, cols, to);
            }
        }
    }
};

class Rows final : public WeightForm {
public:
    void put(const FormRows& rows, std::byte* base) const override {
        const Weight& weight = rows.weight;
        const auto cols = static_cast<int>(weight.cols);
        const std::uint64_t held = neuron_row_bytes(weight.type, cols);
        for (std::uint64_t i = 0; i < rows.count; ++i) {
            const std::byte* from = rows.rows + i * rows.stride;
            std::byte* to = base + (rows.first + i) * held;
            if (!weight.in_neuron_rows) {
                to_neuron_row(weight.type, from, cols, to);
            } else {
                std::memcpy(to, from, held);
            }
        }
    }
};

class Columns final : public WeightForm {
public:
    void put(const FormRows& rows, std::byte* base) const override {
        const Weight& weight = rows.weight;
        to_input_columns(weight.type, rows.rows, static_cast<int>(rows.first),
                         static_cast<int>(rows.count), static_cast<int>(weight.rows),
                         static_cast<int>(weight.cols), base);
    }
};

}  // namespace

const WeightForm& form_of(CpuForm form) {
    static const Tiles tiles;
    static const Rows rows;
    static const Columns columns;
    switch (form) {
        case CpuForm::Rows:
            return rows;
        case CpuForm::Columns:
            return columns;
        case CpuForm::Tiles:
        case CpuForm::Floats:
            break;
    }
    HEARTH_ASSERT(form == CpuForm::Tiles);
    return tiles;
}

WeightJob tiles_job(const Weight& weight, const RowChoice& rows, std::uint64_t first_col,
                    std::uint64_t n_cols, std::uint64_t at) {
    HEARTH_ASSERT(weight.stride == weight.row_size());
    return {{{weight.in_file(), weight.stride, weight.stride, rows}},
            {{weight, 0, &form_of(CpuForm::Tiles), at, first_col, n_cols}},
            whole_tiles(weight.stride)};
}

WeightJob columns_job(const Weight& weight, std::uint64_t at) {
    return {{{weight.in_file(), weight.row_size(), weight.row_size(), {weight.rows}}},
            {{weight, 0, &form_of(CpuForm::Columns), at, 0, weight.cols}},
            kernels::kColumnGroup};
}

WeightJob neurons_job(const std::vector<NeuronMatrix>& matrices, const RowChoice& rows) {
    const Weight& first = matrices.front().weight;
    std::vector<WeightJob::Matrix> held;
    for (const NeuronMatrix& matrix : matrices) {
        held.push_back({matrix.weight, 0, &form_of(matrix.form), matrix.at, 0, matrix.weight.cols});
    }
    const std::uint64_t offset = first.in_records() ? first.tensor->offset : first.in_file();
    return {
        {{offset, first.stride, first.stride, rows}}, std::move(held), whole_tiles(first.stride)};
}

}  // namespace hearth
