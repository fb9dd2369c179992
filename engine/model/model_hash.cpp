#include "model/model_hash.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include "base/hash128.h"
#include "gguf/printable.h"

namespace hearth {
namespace {

constexpr std::string_view kKey = "hearth.model_hash";
constexpr std::size_t kSampleBytes = 4096;

bool is_hash(std::string_view text) {
    return text.size() == 32 && std::all_of(text.begin(), text.end(), [](char c) {
               return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
           });
}

Result<void> add_sample(Hash128& hash, const GgufFile& file, const TensorInfo& tensor,
                        std::uint64_t offset) {
    std::array<std::byte, kSampleBytes> sample;
    const auto bytes = std::span(sample).first(
        static_cast<std::size_t>(std::min<std::uint64_t>(kSampleBytes, tensor.bytes - offset)));
    if (auto read = file.read(tensor, offset, bytes); !read) {
        return read;
    }
    hash.add(bytes);
    return {};
}

}  // namespace

Result<std::string> model_hash(const GgufFile& file) {
    if (file.metadata().contains(kKey)) {
        auto text = file.metadata().string(kKey);
        if (text && !is_hash(*text)) {
            return Error{.code = ErrorCode::BadFile,
                         .message = std::string(kKey) + ": is \"" + printable(*text) +
                                    "\", must be 32 hex digits",
                         .path = file.path(),
                         .field = std::string(kKey)};
        }
        return text;
    }
    Hash128 hash;
    const auto arch = file.metadata().string("general.architecture");
    hash.add(arch ? std::string_view(*arch) : std::string_view());
    std::vector<const TensorInfo*> tensors;
    for (const TensorInfo& tensor : file.tensors().entries()) {
        if (!tensor.name.ends_with(".fc1.weight") && !tensor.name.ends_with(".fc2.weight")) {
            tensors.push_back(&tensor);
        }
    }
    std::sort(tensors.begin(), tensors.end(),
              [](const TensorInfo* a, const TensorInfo* b) { return a->name < b->name; });
    for (const TensorInfo* tensor : tensors) {
        hash.add(tensor->name);
        hash.add(static_cast<std::uint64_t>(tensor->shape.size()));
        for (const std::uint64_t size : tensor->shape) {
            hash.add(size);
        }
        hash.add(static_cast<std::uint64_t>(tensor->type));
        // The second sample is from the middle, because a matrix may begin with rows that nobody
        // trained.
        for (const std::uint64_t offset : {std::uint64_t{0}, tensor->bytes / 2}) {
            if (auto added = add_sample(hash, file, *tensor, offset); !added) {
                return std::move(added).error();
            }
        }
    }
    return hash.hex();
}

Result<void> check_model_hash(const std::string& model, const std::string& of_file,
                              const std::string& file, const std::string& path) {
    if (model == of_file) {
        return {};
    }
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = file + " was made for the model " + printable(of_file) +
                            ", this model is " + printable(model),
                 .path = path,
                 .field = std::string(kKey)};
}

}  // namespace hearth
