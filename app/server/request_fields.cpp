#include "request_fields.h"

#include <array>
#include <cmath>
#include <utility>

namespace hearth::server {
namespace {

constexpr std::size_t kMostDepth = 64;
// An object looks through its members for each new one.
constexpr int kMostMembers = 512;

// Why the text must not be parsed; null: it may.
const char* why_too_large(std::string_view text) {
    std::array<int, kMostDepth + 1> members{};
    std::size_t depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (in_string) {
            i += c == '\\' ? 1U : 0U;
            in_string = c != '"';
        } else if (c == '"') {
            in_string = true;
        } else if (c == '{' || c == '[') {
            if (++depth > kMostDepth) {
                return "the body is nested deeper than 64";
            }
            members[depth] = 0;
        } else if ((c == '}' || c == ']') && depth > 0) {
            --depth;
        } else if (c == ':' && ++members[depth] > kMostMembers) {
            return "an object of the body has more than 512 members";
        }
    }
    return nullptr;
}

// The parser's words name a place, and then quote bytes of the body, which are left out.
std::string place_in(const std::string& what) {
    const std::size_t begin = what.find("at line");
    const std::size_t end = what.find(':', begin == std::string::npos ? 0 : begin);
    return begin == std::string::npos || end == std::string::npos
               ? std::string()
               : " (" + what.substr(begin, end - begin) + ")";
}

}  // namespace

Result<ApiJson> read_json_object(std::string_view body) {
    const auto refused = [](const std::string& message) {
        return Error{ErrorCode::InvalidArgument, message, {}, {}};
    };
    if (const char* why = why_too_large(body)) {
        return refused(why);
    }
    try {
        ApiJson json = ApiJson::parse(body.begin(), body.end());
        if (!json.is_object()) {
            return refused("the body is no JSON object");
        }
        return json;
    } catch (const nlohmann::json::exception& error) {
        return refused("the body is no JSON" + place_in(error.what()));
    }
}

std::string to_bytes(const ApiJson& json) {
    return json.dump(-1, ' ', false, ApiJson::error_handler_t::replace);
}

void FieldFault::add(const std::string& field, const std::string& message, ErrorCode code) {
    if (!fault_) {
        fault_ = Error{code, field.empty() ? message : field + ": " + message, {}, field};
    }
}

FieldReader::FieldReader(const ApiJson& object, std::string place, FieldFault& fault)
    : object_(object), place_(std::move(place)), fault_(fault) {}

const ApiJson* FieldReader::find(const char* name) const {
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
}

std::string FieldReader::place_of(std::string_view name) const {
    if (name.empty()) {
        return place_;
    }
    return place_.empty() ? std::string(name) : (place_ + ".").append(name);
}

void FieldReader::refuse(std::string_view name, const std::string& message) {
    fault_.add(place_of(name), message);
}

void FieldReader::refuse_if_present(std::initializer_list<const char*> names) {
    for (const char* name : names) {
        if (has(name)) {
            refuse(name, "is not supported");
        }
    }
}

std::optional<std::string> FieldReader::text(const char* name) {
    const ApiJson* value = find(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!value->is_string()) {
        refuse(name, "must be a string");
        return std::nullopt;
    }
    return value->get<std::string>();
}

std::string FieldReader::needed_text(const char* name) {
    if (!has(name)) {
        refuse(name, "is missing");
    }
    return text(name).value_or(std::string());
}

std::optional<bool> FieldReader::flag(const char* name) {
    const ApiJson* value = find(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    if (!value->is_boolean()) {
        refuse(name, "must be true or false");
        return std::nullopt;
    }
    return value->get<bool>();
}

std::optional<double> FieldReader::number(const char* name, double least, double most) {
    const ApiJson* value = find(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    const double number = value->is_number() ? value->get<double>() : std::nan("");
    if (!(number >= least && number <= most)) {
        refuse(name, "must be a number from " + to_bytes(least) + " to " + to_bytes(most));
        return std::nullopt;
    }
    return number;
}

std::optional<std::int64_t> FieldReader::whole(const char* name, std::int64_t least,
                                               std::int64_t most) {
    const ApiJson* value = find(name);
    if (value == nullptr) {
        return std::nullopt;
    }
    // Above the greatest, an unsigned number would read as a negative one.
    const bool is_large = value->is_number_unsigned() &&
                          value->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX);
    if (!value->is_number_integer() || is_large || value->get<std::int64_t>() < least ||
        value->get<std::int64_t>() > most) {
        refuse(name, "must be a whole number from " + std::to_string(least) + " to " +
                         std::to_string(most));
        return std::nullopt;
    }
    return value->get<std::int64_t>();
}

const ApiJson* FieldReader::object(const char* name) {
    const ApiJson* value = find(name);
    if (value != nullptr && !value->is_object()) {
        refuse(name, "must be an object");
        return nullptr;
    }
    return value;
}

const ApiJson* FieldReader::array(const char* name, std::size_t most) {
    const ApiJson* value = find(name);
    if (value == nullptr) {
        return nullptr;
    }
    if (!value->is_array()) {
        refuse(name, "must be an array");
        return nullptr;
    }
    if (value->size() > most) {
        refuse(name, "has more than " + std::to_string(most) + " elements");
        return nullptr;
    }
    return value;
}

bool FieldReader::objects(const char* name, std::size_t most,
                          const std::function<void(FieldReader&)>& each) {
    const ApiJson* elements = array(name, most);
    if (elements == nullptr) {
        return false;
    }
    for (std::size_t i = 0; i < elements->size() && !fault_.is_set(); ++i) {
        const std::string place = place_of(name) + "[" + std::to_string(i) + "]";
        if (!(*elements)[i].is_object()) {
            fault_.add(place, "must be an object");
            break;
        }
        FieldReader reader((*elements)[i], place, fault_);
        each(reader);
    }
    return true;
}

}  // namespace hearth::server
