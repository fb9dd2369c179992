#include "tools/pack_source.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/assert.h"
#include "gguf/blocks.h"
#include "gguf/convert_neuron_row.h"
#include "gguf/printable.h"
#include "gguf/recipes.h"
#include "gguf/rows.h"
#include "model/tensor_names.h"

namespace hearth::tools {
namespace {

// Read at once: long enough for a disk to be at its fastest.
constexpr std::uint64_t kRunBytes = 4 << 20;
// Rows of a matrix that are transposed together: the values of one block of the result.
constexpr std::size_t kTileRows = kBlockValues;
// Neurons of one task.
constexpr std::size_t kTaskNeurons = 256;

// Packing a block with a tensor of an unknown kind would give a file that computes something else.
Result<void> refuse_unknown(const GgufFile& file, const ModelSpec& spec) {
    const TensorFinder finder(file);
    std::unordered_set<const TensorInfo*> known;
    for (int i = 0; i < spec.n_layer(); ++i) {
        for (const RoleRow& row : layer_roles()) {
            known.insert(finder.find(row.role, block_of(row.role, spec.layer(i))).tensor);
        }
    }
    for (const TensorInfo& tensor : file.tensors().entries()) {
        // The binder of predictors says more about their parts.
        const bool of_predictor = tensor.name.find(".fc") != std::string::npos;
        if (tensor.name.starts_with("blk.") && !of_predictor && !known.contains(&tensor)) {
            const std::string name = printable(tensor.name);
            return Error{.code = ErrorCode::Unsupported,
                         .message = name + ": is a tensor this version does not know how to pack",
                         .path = file.path(),
                         .field = name};
        }
    }
    return {};
}

bool is_whole_blocks(DType type, std::uint64_t cols) {
    return cols % dtype_info(type).block_values == 0;
}

}  // namespace

Result<std::vector<PackSourceLayer>> find_pack_source(const GgufFile& file, const ModelSpec& spec,
                                                      std::optional<DType> down_type) {
    if (auto known = refuse_unknown(file, spec); !known) {
        return std::move(known).error();
    }
    ModelSpec parted = spec;
    if (auto fits = part_experts(parted, "packing"); !fits) {
        return std::move(fits).error();
    }
    if (auto fits = need_feed_forward_blocks(parted, "packing"); !fits) {
        return std::move(fits).error();
    }
    const auto n_embd = static_cast<std::uint64_t>(spec.n_embd);
    if (down_type && !is_whole_blocks(*down_type, n_embd)) {
        return Error{.code = ErrorCode::InvalidArgument,
                     .message = "rows of " + std::to_string(n_embd) +
                                " values are no whole blocks of " +
                                std::string(dtype_info(*down_type).name),
                     .path = file.path(),
                     .field = "down_type"};
    }
    auto blocks = bind_neurons(file, spec);
    if (!blocks) {
        return std::move(blocks).error();
    }
    std::vector<PackSourceLayer> layers;
    for (const LayerTensors& block : *blocks) {
        const Weight& down = block[Role::Down];
        if (block[Role::Up].expert_step > 0) {
            const std::string& name = block[Role::Up].tensor->name;
            return Error{.code = ErrorCode::Unsupported,
                         .message = name +
                                    ": has gates and ups of experts in one tensor, which "
                                    "this version does not know how to pack",
                         .path = file.path(),
                         .field = name};
        }
        layers.push_back(
            {.gate = block[Role::Gate],
             .up = block[Role::Up],
             .down = down,
             .down_type = down_type.value_or(neuron_down_type(down.type, down.by_neuron, n_embd))});
    }
    return layers;
}

RecordBuilder::RecordBuilder(const GgufFile& file, const ModelSpec& spec, ThreadPool& pool,
                             const Cancellation& cancellation)
    : file_(file),
      n_embd_(static_cast<std::size_t>(spec.n_embd)),
      pool_(pool),
      cancellation_(cancellation) {}

Result<void> RecordBuilder::build(const PackSourceLayer& layer, const RecordShape& shape,
                                  std::span<const std::int32_t> order,
                                  std::span<std::byte> records) {
    n_ff_ = order.size();
    place_.resize(n_ff_);
    HEARTH_ASSERT(records.size() % shape.neuron_bytes == 0 &&
                  records.size() / shape.neuron_bytes >= n_ff_);
    for (std::size_t i = 0; i < n_ff_; ++i) {
        place_[static_cast<std::size_t>(order[i])] = i;
    }
    std::fill(records.begin(), records.end(), std::byte{0});
    auto built = build_file_rows(layer, shape, records);
    if (built && shape.in_neuron_rows) {
        to_neuron_rows(layer, shape, records);
    }
    return built;
}

Result<void> RecordBuilder::build_file_rows(const PackSourceLayer& layer, const RecordShape& shape,
                                            std::span<std::byte> records) {
    if (layer.gate.present()) {
        if (auto done = place_rows(layer.gate, 0, shape, records); !done) {
            return done;
        }
    }
    if (auto done = place_rows(layer.up, shape.up_offset, shape, records); !done) {
        return done;
    }
    if (layer.down.by_neuron) {
        return layer.down.type == layer.down_type
                   ? place_rows(layer.down, shape.down_offset, shape, records)
                   : convert_rows(layer.down, layer.down_type, shape, records);
    }
    return turn_down(layer, shape, records);
}

// A mixture has a matrix an expert, one behind the other.
Result<void> RecordBuilder::turn_down(const PackSourceLayer& layer, const RecordShape& shape,
                                      std::span<std::byte> records) {
    const bool same =
        layer.down.type == layer.down_type && dtype_info(layer.down_type).block_values == 1;
    n_ff_down_ = n_ff_ / layer.down.n_experts;
    Weight matrix = layer.down;
    matrix.rows = layer.down.expert_rows();
    Result<void> done;
    for (first_ = 0; first_ < n_ff_ && done; first_ += n_ff_down_) {
        done = same ? transpose_values(matrix, shape, records)
                    : transpose_blocks(matrix, layer.down_type, shape, records);
        matrix.offset += matrix.bytes();
    }
    return done;
}

// Where they are: a neuron row is never shorter.
void RecordBuilder::to_neuron_rows(const PackSourceLayer& layer, const RecordShape& shape,
                                   std::span<std::byte> records) {
    struct Row {
        DType type;
        std::uint64_t offset;
    };
    std::vector<Row> rows{{layer.up.type, shape.up_offset}, {layer.down_type, shape.down_offset}};
    if (layer.gate.present()) {
        rows.push_back({layer.gate.type, 0});
    }
    const std::size_t most = n_embd_ * sizeof(float);
    input_.resize(most * static_cast<std::size_t>(pool_.n_threads()));
    pool_.run(static_cast<int>(n_ff_), [&](int neuron, int worker) {
        std::byte* file_row = input_.data() + most * static_cast<std::size_t>(worker);
        std::byte* record = records.data() + static_cast<std::size_t>(neuron) * shape.neuron_bytes;
        for (const Row& row : rows) {
            std::memcpy(file_row, record + row.offset, row_bytes(row.type, n_embd_));
            to_neuron_row(row.type, file_row, static_cast<int>(n_embd_), record + row.offset);
        }
    });
}

Result<std::span<const std::byte>> RecordBuilder::read(const Weight& matrix,
                                                       std::uint64_t first_row,
                                                       std::uint64_t rows) {
    if (cancellation_.requested()) {
        return Error{.code = ErrorCode::Cancelled,
                     .message = "stopped; the same command goes on from here",
                     .path = {},
                     .field = {}};
    }
    const std::uint64_t bytes = matrix.row_size();
    input_.resize(static_cast<std::size_t>(bytes * rows));
    // The disk works on the next run while this one is laid out.
    const std::uint64_t end = (first_row + rows) * bytes;
    file_.file().will_read(matrix.in_file() + end, std::min(kRunBytes, matrix.bytes() - end));
    if (auto read = file_.read(*matrix.tensor, matrix.offset + first_row * bytes, input_); !read) {
        return std::move(read).error();
    }
    return std::span<const std::byte>(input_);
}

Result<void> RecordBuilder::place_rows(const Weight& matrix, std::uint64_t offset,
                                       const RecordShape& shape, std::span<std::byte> records) {
    const std::uint64_t bytes = row_bytes(matrix.type, n_embd_);
    const std::uint64_t run = std::max<std::uint64_t>(1, kRunBytes / bytes);
    for (std::uint64_t first = 0; first < n_ff_; first += run) {
        const std::uint64_t rows = std::min<std::uint64_t>(run, n_ff_ - first);
        const auto input = read(matrix, first, rows);
        if (!input) {
            return input.error();
        }
        for (std::uint64_t r = 0; r < rows; ++r) {
            std::memcpy(records.data() + place_[first + r] * shape.neuron_bytes + offset,
                        input->data() + r * bytes, static_cast<std::size_t>(bytes));
        }
    }
    return {};
}

Result<void> RecordBuilder::convert_rows(const Weight& matrix, DType type, const RecordShape& shape,
                                         std::span<std::byte> records) {
    const std::uint64_t bytes = row_bytes(matrix.type, n_embd_);
    const std::uint64_t run =
        std::clamp<std::uint64_t>(kRunBytes / (n_embd_ * sizeof(float)), 1, n_ff_);
    floats_.resize(static_cast<std::size_t>(run) * n_embd_);
    for (std::uint64_t first = 0; first < n_ff_; first += run) {
        const std::uint64_t rows = std::min<std::uint64_t>(run, n_ff_ - first);
        const auto input = read(matrix, first, rows);
        if (!input) {
            return input.error();
        }
        pool_.run(static_cast<int>(rows), [&](int task, int) {
            const auto r = static_cast<std::size_t>(task);
            const auto values = std::span(floats_).subspan(r * n_embd_, n_embd_);
            dequantize_row(matrix.type, input->data() + r * bytes, values);
            quantize_row(
                type, values,
                records.data() + place_[first + r] * shape.neuron_bytes + shape.down_offset);
        });
    }
    return {};
}

Result<void> RecordBuilder::transpose_values(const Weight& matrix, const RecordShape& shape,
                                             std::span<std::byte> records) {
    const std::size_t value_bytes = dtype_info(matrix.type).block_bytes;
    const auto n_tasks = static_cast<int>((n_ff_down_ + kTaskNeurons - 1) / kTaskNeurons);
    for (std::size_t first = 0; first < n_embd_; first += kTileRows) {
        const std::size_t rows = std::min(kTileRows, n_embd_ - first);
        const auto input = read(matrix, first, rows);
        if (!input) {
            return input.error();
        }
        const auto gather = [&](auto value) {
            using Value = decltype(value);
            pool_.run(n_tasks, [&](int task, int) {
                const std::size_t begin = static_cast<std::size_t>(task) * kTaskNeurons;
                const std::size_t end = std::min(begin + kTaskNeurons, n_ff_down_);
                std::array<Value, kTileRows> column;
                for (std::size_t n = begin; n < end; ++n) {
                    for (std::size_t r = 0; r < rows; ++r) {
                        std::memcpy(&column[r],
                                    input->data() + (r * n_ff_down_ + n) * sizeof(Value),
                                    sizeof(Value));
                    }
                    std::memcpy(records.data() + place_[first_ + n] * shape.neuron_bytes +
                                    shape.down_offset + first * sizeof(Value),
                                column.data(), rows * sizeof(Value));
                }
            });
        };
        if (value_bytes == 2) {
            gather(std::uint16_t{});
        } else {
            HEARTH_ASSERT(value_bytes == 4);
            gather(std::uint32_t{});
        }
    }
    return {};
}

Result<void> RecordBuilder::transpose_blocks(const Weight& matrix, DType type,
                                             const RecordShape& shape,
                                             std::span<std::byte> records) {
    const std::uint64_t bytes = row_bytes(matrix.type, n_ff_down_);
    const auto n_tasks = static_cast<int>((n_ff_down_ + kTaskNeurons - 1) / kTaskNeurons);
    floats_.resize(kTileRows * n_ff_down_);
    for (std::size_t first = 0; first < n_embd_; first += kTileRows) {
        const std::size_t rows = std::min(kTileRows, n_embd_ - first);
        const auto input = read(matrix, first, rows);
        if (!input) {
            return input.error();
        }
        pool_.run(static_cast<int>(rows), [&](int task, int) {
            const auto r = static_cast<std::size_t>(task);
            dequantize_row(matrix.type, input->data() + r * bytes,
                           std::span(floats_).subspan(r * n_ff_down_, n_ff_down_));
        });
        const std::uint64_t at = shape.down_offset + row_bytes(type, first);
        pool_.run(n_tasks, [&](int task, int) {
            const std::size_t begin = static_cast<std::size_t>(task) * kTaskNeurons;
            const std::size_t end = std::min(begin + kTaskNeurons, n_ff_down_);
            std::array<float, kTileRows> column{};
            for (std::size_t n = begin; n < end; ++n) {
                for (std::size_t r = 0; r < rows; ++r) {
                    column[r] = floats_[r * n_ff_down_ + n];
                }
                quantize_row(type, std::span(column).first(rows),
                             records.data() + place_[first_ + n] * shape.neuron_bytes + at);
            }
        });
    }
    return {};
}

}  // namespace hearth::tools
