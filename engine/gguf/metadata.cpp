#include "gguf/metadata.h"

#include <cmath>
#include <utility>

namespace hearth {
namespace {

std::string key_prefix(std::string_view key) {
    return std::string(key) + ": ";
}

Error bad_key(std::string_view key, const std::string& what) {
    return Error{.code = ErrorCode::BadFile,
                 .message = key_prefix(key) + what,
                 .path = {},
                 .field = std::string(key)};
}

Error missing(std::string_view key) {
    return bad_key(key, "the file does not have this metadata key");
}

std::string found_type(const MetadataValue& value) {
    std::string text(to_string(value.type));
    if (const auto* array = std::get_if<MetadataArray>(&value.value)) {
        text += " of " + std::string(to_string(array->element));
    }
    return text;
}

Error wrong_type(std::string_view key, const std::string& wanted, const MetadataValue& value) {
    return bad_key(key, "wanted " + wanted + ", found " + found_type(value));
}

}  // namespace

std::string_view to_string(MetadataType type) {
    switch (type) {
        case MetadataType::U8:
            return "u8";
        case MetadataType::I8:
            return "i8";
        case MetadataType::U16:
            return "u16";
        case MetadataType::I16:
            return "i16";
        case MetadataType::U32:
            return "u32";
        case MetadataType::I32:
            return "i32";
        case MetadataType::F32:
            return "f32";
        case MetadataType::Bool:
            return "bool";
        case MetadataType::String:
            return "str";
        case MetadataType::Array:
            return "array";
        case MetadataType::U64:
            return "u64";
        case MetadataType::I64:
            return "i64";
        case MetadataType::F64:
            return "f64";
    }
    return "unknown";
}

bool Metadata::add(std::string key, MetadataValue value) {
    if (!by_key_.try_emplace(key, entries_.size()).second) {
        return false;
    }
    entries_.emplace_back(std::move(key), std::move(value));
    return true;
}

const MetadataValue* Metadata::find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : &entries_[found->second].second;
}

Result<std::string> Metadata::string(std::string_view key) const {
    const MetadataValue* value = find(key);
    if (value == nullptr) {
        return missing(key);
    }
    if (const auto* text = std::get_if<std::string>(&value->value)) {
        return *text;
    }
    return wrong_type(key, "a str", *value);
}

Result<std::int64_t> Metadata::integer(std::string_view key, std::int64_t least,
                                       std::int64_t most) const {
    const MetadataValue* value = find(key);
    if (value == nullptr) {
        return missing(key);
    }
    std::string found;
    if (const auto* u = std::get_if<std::uint64_t>(&value->value)) {
        if (std::in_range<std::int64_t>(*u) && static_cast<std::int64_t>(*u) >= least &&
            static_cast<std::int64_t>(*u) <= most) {
            return static_cast<std::int64_t>(*u);
        }
        found = std::to_string(*u);
    } else if (const auto* i = std::get_if<std::int64_t>(&value->value)) {
        if (*i >= least && *i <= most) {
            return *i;
        }
        found = std::to_string(*i);
    } else {
        return wrong_type(key, "an integer", *value);
    }
    return bad_key(key, "wanted a number from " + std::to_string(least) + " to " +
                            std::to_string(most) + ", found " + found);
}

Result<double> Metadata::number(std::string_view key) const {
    const MetadataValue* value = find(key);
    if (value == nullptr) {
        return missing(key);
    }
    if (const auto* d = std::get_if<double>(&value->value)) {
        if (!std::isfinite(*d)) {
            return bad_key(key, "wanted a finite number, found " +
                                    std::string(std::isnan(*d) ? "NaN" : "infinity"));
        }
        return *d;
    }
    if (const auto* u = std::get_if<std::uint64_t>(&value->value)) {
        return static_cast<double>(*u);
    }
    if (const auto* i = std::get_if<std::int64_t>(&value->value)) {
        return static_cast<double>(*i);
    }
    return wrong_type(key, "a number", *value);
}

Result<bool> Metadata::boolean(std::string_view key) const {
    const MetadataValue* value = find(key);
    if (value == nullptr) {
        return missing(key);
    }
    if (const auto* b = std::get_if<bool>(&value->value)) {
        return *b;
    }
    return wrong_type(key, "a bool", *value);
}

Result<const MetadataArray*> Metadata::array(std::string_view key, MetadataType element) const {
    const MetadataValue* value = find(key);
    if (value == nullptr) {
        return missing(key);
    }
    const auto* array = std::get_if<MetadataArray>(&value->value);
    if (array == nullptr || array->element != element) {
        return wrong_type(key, "an array of " + std::string(to_string(element)), *value);
    }
    return array;
}

}  // namespace hearth
