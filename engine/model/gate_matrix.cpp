#include "model/gate_matrix.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/assert.h"
#include "model/stored_rows.h"

namespace hearth {

Result<void> check_gate_samples(const GgufFile& file, const LayerTensors& layer) {
    const Weight& matrix = layer.gate_matrix;
    const Weight& record = layer[Role::Gate];
    HEARTH_ASSERT(matrix.present() && record.present() && matrix.rows == record.rows);
    std::vector<std::byte> row(matrix.row_size());
    std::vector<std::byte> stored(stored_row_bytes(record));
    std::vector<std::byte> room(record.row_size());
    for (std::uint64_t i = 0; i < kGateSamples; ++i) {
        const std::uint64_t n = (2 * i + 1) * matrix.rows / (std::uint64_t{2} * kGateSamples);
        if (auto read = file.read(*matrix.tensor, n * matrix.stride, row); !read) {
            return read;
        }
        if (auto read = file.read(*record.tensor, record.offset + n * record.stride, stored);
            !read) {
            return read;
        }
        const std::byte* gate = file_row(record, stored.data(), room.data());
        if (!std::equal(row.begin(), row.end(), gate)) {
            return Error{ErrorCode::BadFile,
                         matrix.tensor->name + ": row " + std::to_string(n) +
                             " is not the gate of record " + std::to_string(n) + " of " +
                             record.tensor->name,
                         file.path(), matrix.tensor->name};
        }
    }
    return {};
}

}  // namespace hearth
