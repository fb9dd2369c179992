// Makes GGUF files byte by byte, good and broken ones, without the writer under test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "gguf/dtype.h"
#include "gguf/metadata.h"

namespace hearth::test {

using Bytes = std::vector<std::byte>;

template <class T>
requires std::is_arithmetic_v<T>
void append(Bytes& out, T value) {
    const std::size_t at = out.size();
    out.resize(at + sizeof value);
    std::memcpy(out.data() + at, &value, sizeof value);
}
void append(Bytes& out, std::string_view text);              // the characters alone
void append_gguf_string(Bytes& out, std::string_view text);  // u64 length, characters

// The bytes of a vector of numbers.
template <class T>
Bytes bytes_of(const std::vector<T>& values) {
    Bytes out(values.size() * sizeof(T));
    if (!out.empty()) {
        std::memcpy(out.data(), values.data(), out.size());
    }
    return out;
}

// Every call returns the builder. What is not overridden is right: counts, offsets, padding.
//     GgufBuilder().key("general.architecture", "llama").tensor_f32("a", {2, 2}, {1, 2, 3,
//     4}).bytes()
class GgufBuilder {
public:
    GgufBuilder& magic(std::string_view four_bytes);
    GgufBuilder& version(std::uint32_t number);
    // Lays the file out with this alignment; adds the key general.alignment.
    GgufBuilder& alignment(std::uint32_t bytes);

    // The metadata type is the C++ type's: std::uint32_t makes a u32.
    GgufBuilder& key(std::string_view name, const char* text);
    GgufBuilder& key(std::string_view name, const std::string& text);
    template <class T>
    requires std::is_arithmetic_v<T> GgufBuilder& key(std::string_view name, T value) {
        Bytes raw;
        if constexpr (std::is_same_v<T, bool>) {
            append(raw, static_cast<std::uint8_t>(value));
        } else {
            append(raw, value);
        }
        return raw_key(name, type_number<T>(), raw);
    }
    template <class T>
    requires std::is_arithmetic_v<T> GgufBuilder& array(std::string_view name,
                                                        const std::vector<T>& values) {
        return raw_key(name, array_number(), array_value(values));
    }
    GgufBuilder& array(std::string_view name, const std::vector<std::string>& values);
    // Any type number and any bytes after it.
    GgufBuilder& raw_key(std::string_view name, std::uint32_t type, const Bytes& value);

    // Takes the key or tensor of that name out again: to leave it away, or to put another in.
    GgufBuilder& without(std::string_view name);

    // Element type, count and items, as they stand in a file: to nest arrays with raw_key().
    template <class T>
    static Bytes array_value(const std::vector<T>& values) {
        Bytes out;
        append(out, type_number<T>());
        append(out, static_cast<std::uint64_t>(values.size()));
        for (const auto value : values) {
            append(out, static_cast<T>(value));
        }
        return out;
    }
    static std::uint32_t array_number() { return static_cast<std::uint32_t>(MetadataType::Array); }

    // shape: outermost first. data: the tensor's bytes; empty: zeros of the right size.
    GgufBuilder& tensor(std::string_view name, std::vector<std::uint64_t> shape, DType type,
                        Bytes data = {});
    GgufBuilder& tensor_f32(std::string_view name, std::vector<std::uint64_t> shape,
                            const std::vector<float>& values);
    // F16, each value rounded.
    GgufBuilder& tensor_f16(std::string_view name, std::vector<std::uint64_t> shape,
                            const std::vector<float>& values);

    // What the header says instead of the truth. with_: of the last tensor added.
    GgufBuilder& claim_tensors(std::uint64_t count);
    GgufBuilder& claim_keys(std::uint64_t count);
    GgufBuilder& with_offset(std::uint64_t bytes_from_data_start);
    GgufBuilder& with_type(std::uint32_t number);
    GgufBuilder& with_rank(std::uint32_t dimensions);

    Bytes bytes() const;
    // The header, padded up to where data begins.
    Bytes header() const;
    // False if the file could not be written.
    bool write(const std::string& path) const;

private:
    struct Tensor {
        std::string name;
        std::vector<std::uint64_t> shape;
        std::uint32_t type = 0;
        Bytes data;
        std::optional<std::uint64_t> offset;
        std::optional<std::uint32_t> rank;
    };

    template <class T>
    static constexpr std::uint32_t type_number() {
        MetadataType type = MetadataType::F64;
        if constexpr (std::is_same_v<T, bool>) {
            type = MetadataType::Bool;
        } else if constexpr (std::is_same_v<T, std::uint8_t>) {
            type = MetadataType::U8;
        } else if constexpr (std::is_same_v<T, std::int8_t>) {
            type = MetadataType::I8;
        } else if constexpr (std::is_same_v<T, std::uint16_t>) {
            type = MetadataType::U16;
        } else if constexpr (std::is_same_v<T, std::int16_t>) {
            type = MetadataType::I16;
        } else if constexpr (std::is_same_v<T, std::uint32_t>) {
            type = MetadataType::U32;
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            type = MetadataType::I32;
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            type = MetadataType::U64;
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
            type = MetadataType::I64;
        } else if constexpr (std::is_same_v<T, float>) {
            type = MetadataType::F32;
        } else {
            static_assert(std::is_same_v<T, double>, "no metadata type for this");
        }
        return static_cast<std::uint32_t>(type);
    }

    std::string magic_ = "GGUF";
    std::uint32_t version_ = 3;
    std::uint64_t alignment_ = 32;
    std::vector<std::pair<std::string, Bytes>> keys_;  // name, and the whole entry
    std::vector<Tensor> tensors_;
    std::optional<std::uint64_t> claimed_tensors_;
    std::optional<std::uint64_t> claimed_keys_;
};

bool write_file(const std::string& path, std::span<const std::byte> data);
// Empty if it cannot be read.
Bytes read_file(const std::string& path);

}  // namespace hearth::test
