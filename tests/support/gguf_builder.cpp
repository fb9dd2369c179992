#include "support/gguf_builder.h"

#include <fstream>
#include <iterator>

#include "base/assert.h"
#include "base/half.h"

namespace hearth::test {
namespace {

void pad(Bytes& out, std::uint64_t alignment) {
    out.resize((out.size() + alignment - 1) / alignment * alignment);
}

}  // namespace

void append(Bytes& out, std::string_view text) {
    const auto* from = reinterpret_cast<const std::byte*>(text.data());
    out.insert(out.end(), from, from + text.size());
}

void append_gguf_string(Bytes& out, std::string_view text) {
    append(out, static_cast<std::uint64_t>(text.size()));
    append(out, text);
}

GgufBuilder& GgufBuilder::magic(std::string_view four_bytes) {
    magic_ = four_bytes;
    return *this;
}

GgufBuilder& GgufBuilder::version(std::uint32_t number) {
    version_ = number;
    return *this;
}

GgufBuilder& GgufBuilder::alignment(std::uint32_t bytes) {
    alignment_ = bytes;
    return key("general.alignment", bytes);
}

GgufBuilder& GgufBuilder::key(std::string_view name, const char* text) {
    return key(name, std::string(text));
}

GgufBuilder& GgufBuilder::key(std::string_view name, const std::string& text) {
    Bytes raw;
    append_gguf_string(raw, text);
    return raw_key(name, static_cast<std::uint32_t>(MetadataType::String), raw);
}

GgufBuilder& GgufBuilder::array(std::string_view name, const std::vector<std::string>& values) {
    Bytes raw;
    append(raw, static_cast<std::uint32_t>(MetadataType::String));
    append(raw, static_cast<std::uint64_t>(values.size()));
    for (const std::string& value : values) {
        append_gguf_string(raw, value);
    }
    return raw_key(name, array_number(), raw);
}

GgufBuilder& GgufBuilder::raw_key(std::string_view name, std::uint32_t type, const Bytes& value) {
    Bytes entry;
    append_gguf_string(entry, name);
    append(entry, type);
    entry.insert(entry.end(), value.begin(), value.end());
    keys_.emplace_back(std::string(name), std::move(entry));
    return *this;
}

GgufBuilder& GgufBuilder::without(std::string_view name) {
    const auto keys = std::erase_if(keys_, [&](const auto& key) { return key.first == name; });
    const auto tensors =
        std::erase_if(tensors_, [&](const Tensor& tensor) { return tensor.name == name; });
    HEARTH_ASSERT(keys + tensors == 1);  // or the test does not do what it says
    return *this;
}

GgufBuilder& GgufBuilder::tensor(std::string_view name, std::vector<std::uint64_t> shape,
                                 DType type, Bytes data) {
    if (data.empty()) {
        const DTypeInfo& info = dtype_info(type);
        std::uint64_t values = 1;
        for (const std::uint64_t dimension : shape) {
            values *= dimension;
        }
        data.resize(values / info.block_values * info.block_bytes);
    }
    tensors_.push_back({.name = std::string(name),
                        .shape = std::move(shape),
                        .type = static_cast<std::uint32_t>(type),
                        .data = std::move(data),
                        .offset = {},
                        .rank = {}});
    return *this;
}

GgufBuilder& GgufBuilder::tensor_f32(std::string_view name, std::vector<std::uint64_t> shape,
                                     const std::vector<float>& values) {
    return tensor(name, std::move(shape), DType::F32, bytes_of(values));
}

GgufBuilder& GgufBuilder::tensor_f16(std::string_view name, std::vector<std::uint64_t> shape,
                                     const std::vector<float>& values) {
    std::vector<std::uint16_t> halves;
    for (const float value : values) {
        halves.push_back(float_to_half(value));
    }
    return tensor(name, std::move(shape), DType::F16, bytes_of(halves));
}

GgufBuilder& GgufBuilder::claim_tensors(std::uint64_t count) {
    claimed_tensors_ = count;
    return *this;
}

GgufBuilder& GgufBuilder::claim_keys(std::uint64_t count) {
    claimed_keys_ = count;
    return *this;
}

GgufBuilder& GgufBuilder::with_offset(std::uint64_t bytes_from_data_start) {
    tensors_.back().offset = bytes_from_data_start;
    return *this;
}

GgufBuilder& GgufBuilder::with_type(std::uint32_t number) {
    tensors_.back().type = number;
    return *this;
}

GgufBuilder& GgufBuilder::with_rank(std::uint32_t dimensions) {
    tensors_.back().rank = dimensions;
    return *this;
}

Bytes GgufBuilder::header() const {
    Bytes out;
    append(out, magic_);
    append(out, version_);
    append(out, claimed_tensors_.value_or(tensors_.size()));
    append(out, claimed_keys_.value_or(keys_.size()));
    for (const auto& [name, entry] : keys_) {
        out.insert(out.end(), entry.begin(), entry.end());
    }
    std::uint64_t offset = 0;
    for (const Tensor& tensor : tensors_) {
        append_gguf_string(out, tensor.name);
        append(out, tensor.rank.value_or(static_cast<std::uint32_t>(tensor.shape.size())));
        for (auto it = tensor.shape.rbegin(); it != tensor.shape.rend(); ++it) {
            append(out, *it);
        }
        append(out, tensor.type);
        append(out, tensor.offset.value_or(offset));
        offset = (offset + tensor.data.size() + alignment_ - 1) / alignment_ * alignment_;
    }
    if (!tensors_.empty()) {
        pad(out, alignment_);
    }
    return out;
}

Bytes GgufBuilder::bytes() const {
    Bytes out = header();
    for (const Tensor& tensor : tensors_) {
        pad(out, alignment_);
        out.insert(out.end(), tensor.data.begin(), tensor.data.end());
    }
    return out;
}

bool GgufBuilder::write(const std::string& path) const {
    return write_file(path, bytes());
}

bool write_file(const std::string& path, std::span<const std::byte> data) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(data.data()),
              static_cast<std::streamsize>(data.size()));
    out.close();
    return !out.fail();
}

Bytes read_file(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    Bytes out;
    append(out, text);
    return out;
}

}  // namespace hearth::test
