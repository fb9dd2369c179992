#include <optional>
#include <utility>

#include "gguf/header_parser.h"

namespace hearth {
namespace {

// Fewest bytes a key-value pair takes: name length, one character, type, one value byte.
constexpr std::uint64_t kMinPairBytes = 8 + 1 + 4 + 1;

// Bytes of one array item; for strings and arrays the fewest it can take.
std::uint64_t min_item_bytes(MetadataType type) {
    switch (type) {
        case MetadataType::U8:
        case MetadataType::I8:
        case MetadataType::Bool:
            return 1;
        case MetadataType::U16:
        case MetadataType::I16:
            return 2;
        case MetadataType::U32:
        case MetadataType::I32:
        case MetadataType::F32:
            return 4;
        case MetadataType::U64:
        case MetadataType::I64:
        case MetadataType::F64:
        case MetadataType::String:
            return 8;
        case MetadataType::Array:
            return 12;
    }
    return 1;
}

std::optional<MetadataType> metadata_type(std::uint32_t number) {
    if (number > static_cast<std::uint32_t>(MetadataType::F64)) {
        return std::nullopt;
    }
    return static_cast<MetadataType>(number);
}

// Reads values for one key; every error names that key.
class ValueParser {
public:
    ValueParser(ByteCursor& cursor, const std::string& key, std::uint64_t& items_left)
        : cursor_(cursor), key_(key), items_left_(items_left) {}

    Result<MetadataValue> value(std::uint32_t type_number) {
        const auto type = metadata_type(type_number);
        if (!type) {
            return unknown_type(type_number);
        }
        MetadataValue out{.type = *type, .value = false};
        switch (*type) {
            case MetadataType::U8:
                return scalar<std::uint8_t, std::uint64_t>(std::move(out));
            case MetadataType::U16:
                return scalar<std::uint16_t, std::uint64_t>(std::move(out));
            case MetadataType::U32:
                return scalar<std::uint32_t, std::uint64_t>(std::move(out));
            case MetadataType::U64:
                return scalar<std::uint64_t, std::uint64_t>(std::move(out));
            case MetadataType::I8:
                return scalar<std::int8_t, std::int64_t>(std::move(out));
            case MetadataType::I16:
                return scalar<std::int16_t, std::int64_t>(std::move(out));
            case MetadataType::I32:
                return scalar<std::int32_t, std::int64_t>(std::move(out));
            case MetadataType::I64:
                return scalar<std::int64_t, std::int64_t>(std::move(out));
            case MetadataType::F32:
                return scalar<float, double>(std::move(out));
            case MetadataType::F64:
                return scalar<double, double>(std::move(out));
            case MetadataType::Bool: {
                std::uint8_t byte = 0;
                if (!cursor_.take(byte)) {
                    return truncated();
                }
                if (byte > 1) {
                    return bad_bool(byte);
                }
                out.value = byte == 1;
                return out;
            }
            case MetadataType::String: {
                std::string text;
                if (auto read = string(text); !read) {
                    return std::move(read).error();
                }
                out.value = std::move(text);
                return out;
            }
            case MetadataType::Array: {
                auto items = array(1);
                if (!items) {
                    return std::move(items).error();
                }
                out.value = *std::move(items);
                return out;
            }
        }
        return unknown_type(type_number);
    }

private:
    Error error(const std::string& what) const { return bad_file(printable(key_), what); }
    Error truncated() const {
        return error("the file ends inside its value, at byte " + std::to_string(cursor_.size()));
    }
    Error unknown_type(std::uint32_t number) const {
        return error("metadata type " + std::to_string(number) + " is not known");
    }
    Error bad_bool(std::uint64_t byte) const {
        return error("a bool is 0 or 1, found " + std::to_string(byte));
    }

    template <class Raw, class Wide>
    Result<MetadataValue> scalar(MetadataValue out) {
        Raw raw{};
        if (!cursor_.take(raw)) {
            return truncated();
        }
        out.value = static_cast<Wide>(raw);
        return out;
    }

    Result<void> string(std::string& out) {
        std::uint64_t length = 0;
        if (!cursor_.take(length)) {
            return truncated();
        }
        if (!cursor_.take_string(length, out)) {
            return error("claims a string of " + std::to_string(length) + " bytes, file has " +
                         std::to_string(cursor_.left()) + " left");
        }
        return {};
    }

    template <class Raw, class Wide>
    Result<void> scalars(std::uint64_t count, std::vector<Wide>& out) {
        out.reserve(static_cast<std::size_t>(count));
        for (std::uint64_t i = 0; i < count; ++i) {
            Raw raw{};
            if (!cursor_.take(raw)) {
                return truncated();
            }
            out.push_back(static_cast<Wide>(raw));
        }
        return {};
    }

    Result<void> items(MetadataArray& out, std::uint64_t count, int depth) {
        switch (out.element) {
            case MetadataType::U8:
                return scalars<std::uint8_t>(count, out.unsigned_values);
            case MetadataType::U16:
                return scalars<std::uint16_t>(count, out.unsigned_values);
            case MetadataType::U32:
                return scalars<std::uint32_t>(count, out.unsigned_values);
            case MetadataType::U64:
                return scalars<std::uint64_t>(count, out.unsigned_values);
            case MetadataType::I8:
                return scalars<std::int8_t>(count, out.signed_values);
            case MetadataType::I16:
                return scalars<std::int16_t>(count, out.signed_values);
            case MetadataType::I32:
                return scalars<std::int32_t>(count, out.signed_values);
            case MetadataType::I64:
                return scalars<std::int64_t>(count, out.signed_values);
            case MetadataType::F32:
                return scalars<float>(count, out.floating);
            case MetadataType::F64:
                return scalars<double>(count, out.floating);
            case MetadataType::Bool: {
                if (auto read = scalars<std::uint8_t>(count, out.unsigned_values); !read) {
                    return read;
                }
                for (const std::uint64_t byte : out.unsigned_values) {
                    if (byte > 1) {
                        return bad_bool(byte);
                    }
                }
                return {};
            }
            case MetadataType::String:
                out.strings.resize(static_cast<std::size_t>(count));
                for (std::string& text : out.strings) {
                    if (auto read = string(text); !read) {
                        return read;
                    }
                }
                return {};
            case MetadataType::Array:
                out.nested.reserve(static_cast<std::size_t>(count));
                for (std::uint64_t i = 0; i < count; ++i) {
                    auto inner = array(depth + 1);
                    if (!inner) {
                        return std::move(inner).error();
                    }
                    out.nested.push_back(*std::move(inner));
                }
                return {};
        }
        return {};
    }

    Result<MetadataArray> array(int depth) {
        if (depth > kMaxArrayDepth) {
            return error("arrays are nested deeper than " + std::to_string(kMaxArrayDepth));
        }
        std::uint32_t number = 0;
        std::uint64_t count = 0;
        if (!cursor_.take(number) || !cursor_.take(count)) {
            return truncated();
        }
        const auto element = metadata_type(number);
        if (!element) {
            return unknown_type(number);
        }
        // Both checks stand before anything is reserved: memory follows the bytes that are there.
        if (count > cursor_.left() / min_item_bytes(*element)) {
            return error("claims " + std::to_string(count) + " items of type " +
                         std::string(to_string(*element)) + ", file has " +
                         std::to_string(cursor_.left()) + " bytes left");
        }
        if (count > items_left_) {
            return error("arrays hold more than " + std::to_string(kMaxArrayItems) +
                         " items together");
        }
        items_left_ -= count;
        MetadataArray out;
        out.element = *element;
        if (auto read = items(out, count, depth); !read) {
            return std::move(read).error();
        }
        return out;
    }

    ByteCursor& cursor_;
    const std::string& key_;
    std::uint64_t& items_left_;
};

}  // namespace

Error bad_file(std::string field, const std::string& what) {
    std::string message = field + ": " + what;
    return Error{.code = ErrorCode::BadFile,
                 .message = std::move(message),
                 .path = {},
                 .field = std::move(field)};
}

Result<Metadata> parse_metadata(ByteCursor& cursor, std::uint64_t count) {
    if (count > kMaxMetadataKeys) {
        return bad_file("header", "claims " + std::to_string(count) + " metadata keys, more than " +
                                      std::to_string(kMaxMetadataKeys) + " cannot be");
    }
    if (count > cursor.left() / kMinPairBytes) {
        return bad_file("header", "claims " + std::to_string(count) + " metadata keys, file has " +
                                      std::to_string(cursor.left()) + " bytes left");
    }
    Metadata metadata;
    std::uint64_t items_left = kMaxArrayItems;
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto where = [&] {
            return "metadata key " + std::to_string(i + 1) + " of " + std::to_string(count);
        };
        std::uint64_t length = 0;
        std::string key;
        if (!cursor.take(length)) {
            return bad_file(
                where(), "the file ends inside its name, at byte " + std::to_string(cursor.size()));
        }
        if (length == 0 || length > kMaxNameBytes) {
            return bad_file(where(), "its name is " + std::to_string(length) +
                                         " bytes long; 1 to " + std::to_string(kMaxNameBytes) +
                                         " can be");
        }
        if (!cursor.take_string(length, key)) {
            return bad_file(where(), "its name is " + std::to_string(length) +
                                         " bytes long, file has " + std::to_string(cursor.left()) +
                                         " left");
        }
        std::uint32_t type = 0;
        if (!cursor.take(type)) {
            return bad_file(printable(key), "the file ends inside its type, at byte " +
                                                std::to_string(cursor.size()));
        }
        auto value = ValueParser(cursor, key, items_left).value(type);
        if (!value) {
            return std::move(value).error();
        }
        std::string shown = printable(key);
        if (!metadata.add(std::move(key), *std::move(value))) {
            return bad_file(std::move(shown), "this metadata key appears twice");
        }
    }
    return metadata;
}

}  // namespace hearth
