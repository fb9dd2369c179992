#include "model/architectures/keys.h"

#include <cmath>

namespace hearth {

int Keys::integer(std::string_view name, std::int64_t least, std::int64_t most) {
    return keep(file_.metadata().integer(key(name), least, most), 0);
}

int Keys::integer_or(std::string_view name, std::int64_t least, std::int64_t most, int otherwise) {
    return has(name) ? integer(name, least, most) : otherwise;
}

std::vector<int> Keys::per_layer(std::string_view name, std::int64_t least, std::int64_t most,
                                 int n_layer) {
    const auto count = static_cast<std::size_t>(n_layer);
    const MetadataValue* value = file_.metadata().find(key(name));
    if (value == nullptr || value->type != MetadataType::Array) {
        return std::vector<int>(count, integer(name, least, most));
    }
    const auto& array = std::get<MetadataArray>(value->value);
    std::vector<std::int64_t> numbers = array.signed_values;
    for (const std::uint64_t number : array.unsigned_values) {
        numbers.push_back(number > static_cast<std::uint64_t>(most)
                              ? most + 1
                              : static_cast<std::int64_t>(number));
    }
    std::vector<int> out(count, static_cast<int>(least));
    if (numbers.size() != array.size() || numbers.size() != count) {
        bad(name, "has " + std::to_string(numbers.size()) + " integers, the model has " +
                      std::to_string(n_layer) + " layers");
        return out;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (numbers[i] < least || numbers[i] > most) {
            bad(name, "number " + std::to_string(i) + " is not from " + std::to_string(least) +
                          " to " + std::to_string(most));
            return out;
        }
        out[i] = static_cast<int>(numbers[i]);
    }
    return out;
}

float Keys::positive(std::string_view name) {
    const auto value = static_cast<float>(keep(file_.metadata().number(key(name)), 1.0));
    if (!std::isfinite(value) || value <= 0.0F) {
        bad(name, "is " + std::to_string(value) + ", must be positive");
    }
    return value;
}

float Keys::positive_or(std::string_view name, float otherwise) {
    return has(name) ? positive(name) : otherwise;
}

void Keys::fail(ErrorCode code, const std::string& field, const std::string& what) {
    if (!failure_) {
        failure_ = Error{code, what, file_.path(), field};
    }
}

}  // namespace hearth
