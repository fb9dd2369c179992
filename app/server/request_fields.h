// The fields of a request's JSON, each checked as it is read. Requests come from strangers: every
// mistake becomes one sentence with the field's name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <hearth/result.h>
#include <nlohmann/json.hpp>

namespace hearth::server {

// Members keep their order, since schemas of tools become part of the prompt.
using ApiJson = nlohmann::ordered_json;

// InvalidArgument: no JSON, nested deeper than 64, an object with more than 512 members, or no
// object at all.
Result<ApiJson> read_json_object(std::string_view body);

// As text for the network; what is no UTF-8 is replaced.
std::string to_bytes(const ApiJson& json);

// The first mistake of a request.
class FieldFault {
public:
    void add(const std::string& field, const std::string& message,
             ErrorCode code = ErrorCode::InvalidArgument);
    bool is_set() const { return fault_.has_value(); }
    const Error& error() const { return *fault_; }

private:
    std::optional<Error> fault_;
};

// Reads the members of one object. A member that is null counts as missing. A member of another
// kind than asked for is a mistake and reads as missing. The object and the fault must outlive it.
class FieldReader {
public:
    // place: where the object stands, "messages[2]"; empty: it is the request.
    FieldReader(const ApiJson& object, std::string place, FieldFault& fault);

    const ApiJson* find(const char* name) const;
    bool has(const char* name) const { return find(name) != nullptr; }
    std::string place_of(std::string_view name) const;

    std::optional<std::string> text(const char* name);
    std::string needed_text(const char* name);
    std::optional<bool> flag(const char* name);
    // Both bounds included.
    std::optional<double> number(const char* name, double least, double most);
    std::optional<std::int64_t> whole(const char* name, std::int64_t least, std::int64_t most);
    const ApiJson* object(const char* name);
    // At most `most` elements.
    const ApiJson* array(const char* name, std::size_t most);
    // Calls `each` with a reader for every element, which must be an object. True: there is such
    // an array.
    bool objects(const char* name, std::size_t most, const std::function<void(FieldReader&)>& each);

    // A mistake of this member.
    void refuse(std::string_view name, const std::string& message);
    // Members that would change the answer, and that nothing here can do.
    void refuse_if_present(std::initializer_list<const char*> names);
    FieldFault& fault() { return fault_; }
    const ApiJson& json() const { return object_; }

private:
    const ApiJson& object_;
    std::string place_;
    FieldFault& fault_;
};

}  // namespace hearth::server
