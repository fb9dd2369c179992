// Reads an architecture's metadata keys, "{arch}.{name}", and finds tensors by their roles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <hearth/result.h>

#include "gguf/reader.h"
#include "model/tensor_names.h"

namespace hearth {

// Remembers the first failure, so that a reader of ten keys takes ten lines. What follows a failure
// is of no use and harms nothing.
class Keys {
public:
    Keys(const GgufFile& file, std::string arch)
        : file_(file), arch_(std::move(arch)), tensors_(file) {}

    const GgufFile& file() const { return file_; }
    const std::string& arch() const { return arch_; }
    std::string key(std::string_view name) const { return arch_ + "." + std::string(name); }
    bool has(std::string_view name) const { return file_.metadata().contains(key(name)); }
    // Tells what keys do not: see TensorFinder.
    RoleTensor tensor(Role role, int block = 0) const { return tensors_.find(role, block); }

    int integer(std::string_view name, std::int64_t least, std::int64_t most);
    int integer_or(std::string_view name, std::int64_t least, std::int64_t most, int otherwise);
    // One number a layer, or one for all: [n_layer].
    std::vector<int> per_layer(std::string_view name, std::int64_t least, std::int64_t most,
                               int n_layer);
    float positive(std::string_view name);
    float positive_or(std::string_view name, float otherwise);

    const std::optional<Error>& failure() const { return failure_; }
    void fail(ErrorCode code, const std::string& field, const std::string& what);
    void bad(std::string_view name, const std::string& what) {
        fail(ErrorCode::BadFile, key(name), key(name) + ": " + what);
    }
    void unsupported(std::string_view name, const std::string& what) {
        fail(ErrorCode::Unsupported, key(name), key(name) + ": " + what);
    }

private:
    template <class T, class U>
    U keep(Result<T> result, U otherwise) {
        if (result) {
            return static_cast<U>(*result);
        }
        if (!failure_) {
            failure_ = std::move(result).error();
        }
        return otherwise;
    }

    const GgufFile& file_;
    std::string arch_;
    TensorFinder tensors_;
    std::optional<Error> failure_;
};

}  // namespace hearth
