#include "cpu/cpu_forms.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include "base/assert.h"
#include "cpu/convert_input_columns.h"
#include "cpu/kernels/kernels.h"
#include "cpu/neuron_rows_to_tile.h"
#include "cpu/pack_rows.h"
#include "gguf/blocks.h"
#include "gguf/float_rows.h"
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

class Turned final : public WeightForm {
public:
    void put(const FormRows& rows, std::byte* base) const override {
        const Weight& weight = rows.weight;
        constexpr std::uint64_t kPiece = kSuperBlockValues;
        std::array<float, kPiece> values;
        auto* to = reinterpret_cast<float*>(base);
        for (std::uint64_t i = 0; i < rows.count; ++i) {
            const std::byte* from = rows.rows + i * rows.stride;
            for (std::uint64_t first = 0; first < weight.cols; first += kPiece) {
                const std::uint64_t n = std::min(kPiece, weight.cols - first);
                dequantize_row(weight.type, from + row_bytes(weight.type, first),
                               std::span(values).first(n));
                for (std::uint64_t k = 0; k < n; ++k) {
                    const std::uint64_t tile = (first + k) / kernels::kTileRows;
                    to[(tile * weight.rows + rows.first + i) * kernels::kTileRows +
                       (first + k) % kernels::kTileRows] = values[k];
                }
            }
        }
    }
};

}  // namespace

const WeightForm& form_of(CpuForm form) {
    static const Tiles tiles;
    static const Rows rows;
    static const Columns columns;
    static const Turned turned;
    switch (form) {
        case CpuForm::Rows:
            return rows;
        case CpuForm::Columns:
            return columns;
        case CpuForm::Turned:
            return turned;
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

WeightJob parts_job(const Weight& weight, std::uint64_t at) {
    HEARTH_ASSERT(weight.stride == weight.row_size());
    const WeightForm& form = form_of(weight.turned ? CpuForm::Turned : CpuForm::Tiles);
    Weight part = weight;
    part.rows = weight.rows / weight.n_parts;
    part.n_parts = 1;
    const std::uint64_t held = weight.turned ? packed_bytes(kFloatRows, part.cols, part.rows)
                                             : packed_bytes(part.type, part.rows, part.cols);
    std::vector<WeightJob::Source> sources;
    std::vector<WeightJob::Matrix> matrices;
    for (std::uint64_t i = 0; i < weight.n_parts; ++i) {
        part.offset = weight.offset + i * weight.part_stride;
        sources.push_back({part.in_file(), part.stride, part.stride, {part.rows}});
        matrices.push_back({part, static_cast<std::size_t>(i), &form, at + i * held, 0, part.cols});
    }
    return {std::move(sources), std::move(matrices), whole_tiles(weight.stride * weight.n_parts)};
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
