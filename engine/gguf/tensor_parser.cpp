#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

#include "gguf/header_parser.h"

namespace hearth {
namespace {

// Fewest bytes a tensor info takes: name length, one character, rank, one dimension, type, offset.
constexpr std::uint64_t kMinInfoBytes = 8 + 1 + 4 + 8 + 4 + 8;
constexpr std::uint32_t kMaxDimensions = 4;
constexpr std::uint64_t kMaxValues = std::numeric_limits<std::int64_t>::max();

std::string shape_text(const std::vector<std::uint64_t>& shape) {
    std::string text = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    }
    return text + "]";
}

Result<TensorInfo> parse_tensor_info(ByteCursor& cursor, const std::string& where) {
    const auto ends_in = [&](const std::string& field, const char* part) {
        return bad_file(field, std::string("the file ends inside its ") + part + ", at byte " +
                                   std::to_string(cursor.size()));
    };
    TensorInfo tensor;
    std::uint64_t length = 0;
    if (!cursor.take(length)) {
        return ends_in(where, "name");
    }
    if (length == 0 || length > kMaxNameBytes) {
        return bad_file(where, "its name is " + std::to_string(length) + " bytes long; 1 to " +
                                   std::to_string(kMaxNameBytes) + " can be");
    }
    if (!cursor.take_string(length, tensor.name)) {
        return bad_file(where, "its name is " + std::to_string(length) + " bytes long, file has " +
                                   std::to_string(cursor.left()) + " left");
    }
    const std::string name = printable(tensor.name);
    std::uint32_t dimensions = 0;
    if (!cursor.take(dimensions)) {
        return ends_in(name, "shape");
    }
    if (dimensions == 0 || dimensions > kMaxDimensions) {
        return bad_file(name, "has " + std::to_string(dimensions) + " dimensions; 1 to " +
                                  std::to_string(kMaxDimensions) + " can be");
    }
    tensor.shape.resize(dimensions);
    for (std::uint64_t& dimension : tensor.shape) {
        if (!cursor.take(dimension)) {
            return ends_in(name, "shape");
        }
    }
    // The file names the contiguous dimension first.
    std::reverse(tensor.shape.begin(), tensor.shape.end());
    std::uint32_t type = 0;
    if (!cursor.take(type) || !cursor.take(tensor.offset)) {
        return ends_in(name, "type and offset");
    }
    const DTypeInfo* info = find_dtype(type);
    if (info == nullptr) {
        Error error = bad_file(name, unknown_dtype(type));
        error.code = ErrorCode::Unsupported;
        return error;
    }
    tensor.type = info->type;
    auto bytes = tensor_bytes(name, tensor.shape, *info);
    if (!bytes) {
        return std::move(bytes).error();
    }
    tensor.bytes = *bytes;
    return tensor;
}

}  // namespace

Result<std::uint64_t> tensor_bytes(const std::string& name, const std::vector<std::uint64_t>& shape,
                                   const DTypeInfo& type) {
    // With zeros counted as ones, so that no partial product overflows either.
    std::uint64_t bound = 1;
    bool empty = false;
    for (const std::uint64_t dimension : shape) {
        empty = empty || dimension == 0;
        const std::uint64_t factor = std::max<std::uint64_t>(dimension, 1);
        if (factor > kMaxValues / bound) {
            return bad_file(name, "its shape " + shape_text(shape) + " has too many values");
        }
        bound *= factor;
    }
    if (shape.back() % type.block_values != 0) {
        return bad_file(name, "its rows of " + std::to_string(shape.back()) +
                                  " values are no whole number of " + std::string(type.name) +
                                  " blocks (" + std::to_string(type.block_values) + " values)");
    }
    if (empty) {
        return 0;
    }
    const std::uint64_t blocks = bound / type.block_values;
    if (blocks > kMaxValues / type.block_bytes) {
        return bad_file(name, "its shape " + shape_text(shape) + " has too many values");
    }
    return blocks * type.block_bytes;
}

Result<std::vector<TensorInfo>> parse_tensor_infos(ByteCursor& cursor, std::uint64_t count) {
    if (count > kMaxTensors) {
        return bad_file("header", "claims " + std::to_string(count) + " tensors, more than " +
                                      std::to_string(kMaxTensors) + " cannot be");
    }
    if (count > cursor.left() / kMinInfoBytes) {
        return bad_file("header", "claims " + std::to_string(count) + " tensors, file has " +
                                      std::to_string(cursor.left()) + " bytes left");
    }
    std::vector<TensorInfo> tensors;
    tensors.reserve(static_cast<std::size_t>(count));
    for (std::uint64_t i = 0; i < count; ++i) {
        auto tensor = parse_tensor_info(
            cursor, "tensor " + std::to_string(i + 1) + " of " + std::to_string(count));
        if (!tensor) {
            return std::move(tensor).error();
        }
        tensors.push_back(*std::move(tensor));
    }
    return tensors;
}

Result<void> place_tensors(std::vector<TensorInfo>& tensors, std::uint64_t data_start,
                           std::uint64_t alignment, std::uint64_t file_bytes) {
    for (TensorInfo& tensor : tensors) {
        if (tensor.offset % alignment != 0) {
            return bad_file(printable(tensor.name), "its offset " + std::to_string(tensor.offset) +
                                                        " is no multiple of the alignment " +
                                                        std::to_string(alignment));
        }
        // Each sum is taken only where it cannot wrap.
        if (tensor.offset > kMaxValues - data_start ||
            tensor.bytes > kMaxValues - data_start - tensor.offset) {
            return bad_file(printable(tensor.name),
                            "starts at byte " + std::to_string(tensor.offset) +
                                " of the data, file has " + std::to_string(file_bytes));
        }
        tensor.offset += data_start;
        const std::uint64_t end = tensor.offset + tensor.bytes;
        if (tensor.bytes > 0 && end > file_bytes) {
            return bad_file(printable(tensor.name), "ends at byte " + std::to_string(end) +
                                                        ", file has " + std::to_string(file_bytes));
        }
    }
    std::vector<std::size_t> order(tensors.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::erase_if(order, [&](std::size_t i) { return tensors[i].bytes == 0; });
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return tensors[a].offset < tensors[b].offset;
    });
    for (std::size_t i = 1; i < order.size(); ++i) {
        const TensorInfo& before = tensors[order[i - 1]];
        const TensorInfo& after = tensors[order[i]];
        if (after.offset < before.offset + before.bytes) {
            return bad_file(printable(after.name),
                            "starts at byte " + std::to_string(after.offset) + ", before " +
                                printable(before.name) + " ends at " +
                                std::to_string(before.offset + before.bytes));
        }
    }
    return {};
}

}  // namespace hearth
