#include "gguf/writer.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/output_file.h"
#include "gguf/header_parser.h"

namespace hearth {
namespace {

Error invalid(std::string field, const std::string& what) {
    Error error = bad_file(std::move(field), what);
    error.code = ErrorCode::InvalidArgument;
    return error;
}

class HeaderBytes {
public:
    template <class T>
    requires std::is_arithmetic_v<T>
    void put(T value) {
        const std::size_t at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }
    void put_string(std::string_view text) {
        put(static_cast<std::uint64_t>(text.size()));
        const auto* from = reinterpret_cast<const std::byte*>(text.data());
        bytes_.insert(bytes_.end(), from, from + text.size());
    }
    void pad_to(std::uint64_t alignment) {
        bytes_.resize((bytes_.size() + alignment - 1) / alignment * alignment);
    }
    std::vector<std::byte> take() { return std::move(bytes_); }

private:
    std::vector<std::byte> bytes_;
};

// Writes values of one key; false if a value does not match its stated type.
class ValueWriter {
public:
    ValueWriter(HeaderBytes& out, std::uint64_t& items_left) : out_(out), items_left_(items_left) {}

    bool value(const MetadataValue& value) {
        out_.put(static_cast<std::uint32_t>(value.type));
        if (const auto* array = std::get_if<MetadataArray>(&value.value)) {
            return value.type == MetadataType::Array && this->array(*array, 1);
        }
        if (const auto* text = std::get_if<std::string>(&value.value)) {
            out_.put_string(*text);
            return value.type == MetadataType::String;
        }
        if (const auto* b = std::get_if<bool>(&value.value)) {
            out_.put(static_cast<std::uint8_t>(*b ? 1 : 0));
            return value.type == MetadataType::Bool;
        }
        if (const auto* u = std::get_if<std::uint64_t>(&value.value)) {
            return value.type != MetadataType::Bool && integer_value(value.type, *u);
        }
        if (const auto* i = std::get_if<std::int64_t>(&value.value)) {
            return integer_value(value.type, *i);
        }
        return floating_value(value.type, *std::get_if<double>(&value.value));
    }

private:
    template <class Raw, class Wide>
    bool narrow(Wide wide) {
        if (!std::in_range<Raw>(wide)) {
            return false;
        }
        out_.put(static_cast<Raw>(wide));
        return true;
    }

    // Wide: std::uint64_t for types without a sign, std::int64_t for those with one.
    template <class Wide>
    bool integer_value(MetadataType type, Wide value) {
        constexpr bool kSigned = std::is_signed_v<Wide>;
        switch (type) {
            case MetadataType::U8:
                return !kSigned && narrow<std::uint8_t>(value);
            case MetadataType::U16:
                return !kSigned && narrow<std::uint16_t>(value);
            case MetadataType::U32:
                return !kSigned && narrow<std::uint32_t>(value);
            case MetadataType::U64:
                return !kSigned && narrow<std::uint64_t>(value);
            case MetadataType::I8:
                return kSigned && narrow<std::int8_t>(value);
            case MetadataType::I16:
                return kSigned && narrow<std::int16_t>(value);
            case MetadataType::I32:
                return kSigned && narrow<std::int32_t>(value);
            case MetadataType::I64:
                return kSigned && narrow<std::int64_t>(value);
            case MetadataType::Bool:
                return !kSigned && value <= 1 && narrow<std::uint8_t>(value);
            case MetadataType::F32:
            case MetadataType::F64:
            case MetadataType::String:
            case MetadataType::Array:
                break;
        }
        return false;
    }

    bool floating_value(MetadataType type, double value) {
        if (type == MetadataType::F32) {
            out_.put(static_cast<float>(value));
            return true;
        }
        out_.put(value);
        return type == MetadataType::F64;
    }

    bool array(const MetadataArray& array, int depth) {
        if (depth > kMaxArrayDepth || array.size() > items_left_) {
            return false;
        }
        items_left_ -= array.size();
        out_.put(static_cast<std::uint32_t>(array.element));
        out_.put(array.size());
        bool fine = true;
        for (const std::string& text : array.strings) {
            fine = fine && array.element == MetadataType::String;
            out_.put_string(text);
        }
        for (const std::uint64_t value : array.unsigned_values) {
            fine = fine && integer_value(array.element, value);
        }
        for (const std::int64_t value : array.signed_values) {
            fine = fine && integer_value(array.element, value);
        }
        for (const double value : array.floating) {
            fine = fine && floating_value(array.element, value);
        }
        for (const MetadataArray& inner : array.nested) {
            fine = fine && array.element == MetadataType::Array && this->array(inner, depth + 1);
        }
        return fine;
    }

    HeaderBytes& out_;
    std::uint64_t& items_left_;
};

Result<std::uint64_t> alignment_of(const Metadata& metadata) {
    const MetadataValue* value = metadata.find("general.alignment");
    if (value == nullptr) {
        return kDefaultAlignment;
    }
    const auto* number = std::get_if<std::uint64_t>(&value->value);
    if (number == nullptr || *number < kMinAlignment || *number > kMaxAlignment ||
        (*number & (*number - 1)) != 0) {
        return invalid("general.alignment", "is no power of two from " +
                                                std::to_string(kMinAlignment) + " to " +
                                                std::to_string(kMaxAlignment));
    }
    return *number;
}

bool name_fits(const std::string& name) {
    return !name.empty() && name.size() <= kMaxNameBytes;
}

Result<void> put_metadata(HeaderBytes& header, const Metadata& metadata) {
    if (metadata.entries().size() > kMaxMetadataKeys) {
        return invalid("header",
                       "more than " + std::to_string(kMaxMetadataKeys) + " metadata keys");
    }
    std::uint64_t items_left = kMaxArrayItems;
    for (const auto& [key, value] : metadata.entries()) {
        if (!name_fits(key)) {
            return invalid(printable(key), "a metadata key is 1 to " +
                                               std::to_string(kMaxNameBytes) + " bytes long");
        }
        header.put_string(key);
        if (!ValueWriter(header, items_left).value(value)) {
            return invalid(printable(key), "its value does not fit its type, " +
                                               std::string(to_string(value.type)));
        }
    }
    return {};
}

// Sets offsets (from the start of the data) and byte counts; returns the bytes of all data.
Result<std::uint64_t> lay_out(std::vector<TensorInfo>& tensors, std::uint64_t alignment) {
    if (tensors.size() > kMaxTensors) {
        return invalid("header", "more than " + std::to_string(kMaxTensors) + " tensors");
    }
    std::uint64_t end = 0;
    for (TensorInfo& tensor : tensors) {
        std::string name = printable(tensor.name);
        if (!name_fits(tensor.name) || tensor.shape.empty() || tensor.shape.size() > 4) {
            return invalid(std::move(name), "a tensor has a name of 1 to " +
                                                std::to_string(kMaxNameBytes) +
                                                " bytes and 1 to 4 dimensions");
        }
        auto bytes = tensor_bytes(name, tensor.shape, dtype_info(tensor.type));
        if (!bytes) {
            Error error = std::move(bytes).error();
            error.code = ErrorCode::InvalidArgument;
            return error;
        }
        // Sums of two numbers below 2^62 cannot wrap.
        constexpr std::uint64_t kMost = std::uint64_t{1} << 62;
        const std::uint64_t offset = (end + alignment - 1) / alignment * alignment;
        if (*bytes > kMost || offset > kMost) {
            return invalid(std::move(name), "the file would be too large");
        }
        tensor.offset = offset;
        tensor.bytes = *bytes;
        end = offset + *bytes;
    }
    return end;
}

}  // namespace

Result<GgufLayout> lay_out_gguf(const Metadata& metadata, std::vector<TensorInfo> tensors,
                                Container container) {
    const auto alignment = alignment_of(metadata);
    if (!alignment) {
        return alignment.error();
    }
    const auto data_bytes = lay_out(tensors, *alignment);
    if (!data_bytes) {
        return data_bytes.error();
    }
    HeaderBytes header;
    for (const char c : std::string_view(container == Container::Pwri ? "PWRI" : "GGUF")) {
        header.put(c);
    }
    header.put(std::uint32_t{3});
    header.put(static_cast<std::uint64_t>(tensors.size()));
    header.put(static_cast<std::uint64_t>(metadata.entries().size()));
    if (auto put = put_metadata(header, metadata); !put) {
        return std::move(put).error();
    }
    for (const TensorInfo& tensor : tensors) {
        header.put_string(tensor.name);
        header.put(static_cast<std::uint32_t>(tensor.shape.size()));
        std::for_each(tensor.shape.rbegin(), tensor.shape.rend(),
                      [&](std::uint64_t size) { header.put(size); });
        header.put(static_cast<std::uint32_t>(tensor.type));
        header.put(tensor.offset);
    }
    header.pad_to(*alignment);
    GgufLayout layout;
    layout.header = header.take();
    layout.file_bytes = layout.header.size() + *data_bytes;
    for (TensorInfo& tensor : tensors) {
        tensor.offset += layout.header.size();
        std::string name = printable(tensor.name);
        if (!layout.tensors.add(std::move(tensor))) {
            return invalid(std::move(name), "this tensor appears twice");
        }
    }
    return layout;
}

struct GgufWriter::Impl {
    OutputFile file;
    TensorTable tensors;
    std::uint64_t file_bytes = 0;
    std::size_t current = 0;          // the tensor that takes the next byte
    std::uint64_t current_bytes = 0;  // of it, already written
    bool broken = false;

    Result<void> pad_to(std::uint64_t position) {
        static constexpr std::array<std::byte, 4096> kZeros{};
        while (file.written_bytes() < position) {
            const std::uint64_t missing = position - file.written_bytes();
            const std::size_t take =
                missing < kZeros.size() ? static_cast<std::size_t>(missing) : kZeros.size();
            if (auto done = file.write(std::span(kZeros).first(take)); !done) {
                return done;
            }
        }
        return {};
    }

    // Steps over tensors that have no bytes left to come.
    void skip_whole() {
        while (current < tensors.entries().size() &&
               current_bytes == tensors.entries()[current].bytes) {
            ++current;
            current_bytes = 0;
        }
    }

    Result<void> write(std::span<const std::byte> data) {
        if (broken) {
            return invalid("writer", "an earlier write failed");
        }
        if (data.empty()) {
            return {};
        }
        skip_whole();
        if (current == tensors.entries().size()) {
            return invalid("writer", "all tensors are written already");
        }
        const TensorInfo& tensor = tensors.entries()[current];
        if (data.size() > tensor.bytes - current_bytes) {
            return invalid(printable(tensor.name),
                           "takes " + std::to_string(tensor.bytes - current_bytes) +
                               " more bytes, got " + std::to_string(data.size()));
        }
        if (current_bytes == 0) {
            if (auto padded = pad_to(tensor.offset); !padded) {
                return padded;
            }
        }
        current_bytes += data.size();
        return file.write(data);
    }

    Result<void> finish() {
        if (broken) {
            return invalid("writer", "an earlier write failed");
        }
        skip_whole();
        if (current < tensors.entries().size()) {
            const TensorInfo& tensor = tensors.entries()[current];
            return invalid(printable(tensor.name), "got " + std::to_string(current_bytes) + " of " +
                                                       std::to_string(tensor.bytes) + " bytes");
        }
        if (auto padded = pad_to(file_bytes); !padded) {
            return padded;
        }
        return file.commit();
    }
};

GgufWriter::GgufWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GgufWriter::~GgufWriter() = default;
GgufWriter::GgufWriter(GgufWriter&&) noexcept = default;
GgufWriter& GgufWriter::operator=(GgufWriter&&) noexcept = default;

Result<GgufWriter> GgufWriter::create(const std::string& path, const Metadata& metadata,
                                      std::vector<TensorInfo> tensors, Container container) {
    auto layout = lay_out_gguf(metadata, std::move(tensors), container);
    if (!layout) {
        Error error = std::move(layout).error();
        error.path = path;
        return error;
    }
    auto impl = std::make_unique<Impl>();
    impl->tensors = std::move(layout->tensors);
    impl->file_bytes = layout->file_bytes;
    auto file = OutputFile::create(path, impl->file_bytes);
    if (!file) {
        return std::move(file).error();
    }
    impl->file = *std::move(file);
    if (auto written = impl->file.write(layout->header); !written) {
        return std::move(written).error();
    }
    return GgufWriter(std::move(impl));
}

Result<void> GgufWriter::write(std::span<const std::byte> data) {
    auto written = impl_->write(data);
    impl_->broken = impl_->broken || !written;
    return written;
}

Result<void> GgufWriter::finish() {
    auto finished = impl_->finish();
    impl_->broken = true;  // done or failed: nothing more is taken
    return finished;
}

std::uint64_t GgufWriter::file_bytes() const {
    return impl_->file_bytes;
}

}  // namespace hearth
