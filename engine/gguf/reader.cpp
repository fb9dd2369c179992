#include "gguf/reader.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "gguf/header_parser.h"

namespace hearth {
namespace {

constexpr std::uint64_t kHeaderBytes = 24;   // magic, version, tensor count, metadata count
constexpr std::size_t kLookalikeBytes = 64;  // tell what a file is that is no GGUF file

struct Lookalike {
    std::string_view start;
    std::string_view name;
};

// What people take for a model file, by its first bytes.
constexpr std::array kLookalikes{
    Lookalike{"PK\x03\x04", "a ZIP archive"},
    Lookalike{"\x1F\x8B", "a gzip archive"},
    Lookalike{"version https://git-lfs", "a Git LFS pointer, not the file itself"},
    Lookalike{"<!", "a web page"},
    Lookalike{"<html", "a web page"},
    Lookalike{"lmgg", "an old GGML file"},
    Lookalike{"fmgg", "an old GGML file"},
    Lookalike{"tjgg", "an old GGML file"},
};

std::string_view lookalike(std::string_view head) {
    for (const Lookalike& candidate : kLookalikes) {
        if (head.starts_with(candidate.start)) {
            return candidate.name;
        }
    }
    if (head.size() > 9 && head.substr(8, 2) == "{\"") {
        return "a safetensors file";
    }
    return {};
}

// start: up to kLookalikeBytes.
Error not_gguf(std::span<const std::byte> start, const std::string& path) {
    std::string message = path;
    if (start.empty()) {
        message += " is empty, not a GGUF model file";
    } else {
        message += " is not a GGUF model file (it starts with";
        for (const std::byte byte : start.first(std::min<std::size_t>(start.size(), 4))) {
            char text[8];
            std::snprintf(text, sizeof text, " %02X", std::to_integer<unsigned>(byte));
            message += text;
        }
        const std::string_view head(reinterpret_cast<const char*>(start.data()), start.size());
        if (const std::string_view name = lookalike(head); !name.empty()) {
            message += ", like " + std::string(name);
        }
        message += ")";
    }
    return Error{
        .code = ErrorCode::BadFile, .message = std::move(message), .path = {}, .field = {}};
}

Result<std::uint64_t> read_alignment(const Metadata& metadata) {
    constexpr std::string_view kKey = "general.alignment";
    if (!metadata.contains(kKey)) {
        return kDefaultAlignment;
    }
    const auto value = metadata.integer(kKey, kMinAlignment, kMaxAlignment);
    if (!value) {
        return value.error();
    }
    const auto alignment = static_cast<std::uint64_t>(*value);
    if ((alignment & (alignment - 1)) != 0) {
        return bad_file(std::string(kKey), std::to_string(alignment) + " is no power of two");
    }
    return alignment;
}

Error unsupported_version(const std::string& what) {
    Error error = bad_file("header", what);
    error.code = ErrorCode::Unsupported;
    return error;
}

Error with_path(Error error, const std::string& path) {
    error.path = path;
    return error;
}

// What a part says beside its tensors, where it says anything.
Result<void> check_part(const GgufFile& part, const GgufFile& first) {
    constexpr std::string_view kArchitecture = "general.architecture";
    if (part.container() != first.container()) {
        return bad_file("header", "the parts of the model are of two formats");
    }
    if (part.metadata().contains(kArchitecture) && first.metadata().contains(kArchitecture)) {
        const auto own = part.metadata().string(kArchitecture);
        const auto wanted = first.metadata().string(kArchitecture);
        if (!own || !wanted || *own != *wanted) {
            return bad_file(std::string(kArchitecture),
                            "the file is of another model than the first part");
        }
    }
    return {};
}

}  // namespace

Result<GgufFile> GgufFile::read_header(ByteCursor& cursor, const std::string& path) {
    GgufFile file;
    file.file_bytes_ = cursor.size();
    file.path_ = path;
    const auto start = cursor.peek(kLookalikeBytes);
    const std::string_view magic(reinterpret_cast<const char*>(start.data()),
                                 std::min<std::size_t>(start.size(), 4));
    if (magic == "PWRI") {
        file.container_ = Container::Pwri;
    } else if (magic != "GGUF") {
        return not_gguf(start, path);
    }
    if (cursor.size() < kHeaderBytes) {
        return bad_file("header", "needs " + std::to_string(kHeaderBytes) + " bytes, file has " +
                                      std::to_string(cursor.size()));
    }
    std::uint32_t magic_number = 0;
    std::uint64_t tensor_count = 0;
    std::uint64_t metadata_count = 0;
    cursor.take(magic_number);
    cursor.take(file.version_);
    cursor.take(tensor_count);
    cursor.take(metadata_count);
    if (file.version_ != 0 && (file.version_ & 0xFFFFU) == 0) {
        return unsupported_version("the file is big-endian; only little-endian files can be read");
    }
    if (file.version_ != 2 && file.version_ != 3) {
        return unsupported_version("GGUF version " + std::to_string(file.version_) +
                                   "; versions 2 and 3 can be read");
    }
    auto metadata = parse_metadata(cursor, metadata_count);
    if (!metadata) {
        return std::move(metadata).error();
    }
    file.metadata_ = *std::move(metadata);
    const auto alignment = read_alignment(file.metadata_);
    if (!alignment) {
        return alignment.error();
    }
    file.alignment_ = *alignment;
    auto tensors = parse_tensor_infos(cursor, tensor_count);
    if (!tensors) {
        return std::move(tensors).error();
    }
    const std::uint64_t data_start =
        (cursor.position() + file.alignment_ - 1) / file.alignment_ * file.alignment_;
    if (auto placed = place_tensors(*tensors, data_start, file.alignment_, file.file_bytes_);
        !placed) {
        return std::move(placed).error();
    }
    for (TensorInfo& tensor : *tensors) {
        std::string name = printable(tensor.name);
        if (!file.tensors_.add(std::move(tensor))) {
            return bad_file(std::move(name), "this tensor appears twice");
        }
    }
    return file;
}

Result<GgufFile> GgufFile::parse(std::span<const std::byte> bytes, const std::string& path) {
    ByteCursor cursor(bytes);
    auto file = read_header(cursor, path);
    if (file) {
        file->bytes_ = bytes;
    } else {
        file.error().path = path;
    }
    return file;
}

Result<GgufFile> GgufFile::open(const std::string& path) {
    auto file = open_one(path);
    if (!file) {
        return file;
    }
    const auto keys = read_split_keys(file->metadata_);
    if (!keys) {
        return with_path(keys.error(), path);
    }
    return keys->count > 1 ? join(path, *keys) : std::move(file);
}

// Opens all parts, the one that was named among them: it is one of several.
Result<GgufFile> GgufFile::join(const std::string& path, const SplitKeys& keys) {
    const auto name = part_name(path);
    if (!name || name->number != keys.number || name->count != keys.count) {
        return with_path(
            bad_file("split.count", "the file is part " + std::to_string(keys.number) + " of " +
                                        std::to_string(keys.count) +
                                        " of a model, whose parts are found by their names, as in "
                                        "NAME-00001-of-00003.gguf; its name says otherwise"),
            path);
    }
    GgufFile whole;
    std::vector<InputFile> files;
    std::vector<std::vector<TensorInfo>> tensors;
    for (std::uint32_t number = 1; number <= keys.count; ++number) {
        const std::string part_path = name->path_of(number);
        auto part = open_one(part_path);
        if (!part) {
            Error error = std::move(part).error();
            if (error.code == ErrorCode::NotFound) {
                error.message = part_path + ": part " + std::to_string(number) + " of " +
                                std::to_string(keys.count) + " of the model is missing";
            }
            return error;
        }
        const auto own = read_split_keys(part->metadata_);
        if (!own) {
            return with_path(own.error(), part_path);
        }
        if (own->number != number || own->count != keys.count || own->n_tensors != keys.n_tensors) {
            return with_path(
                bad_file("split.no", "the file says it is part " + std::to_string(own->number) +
                                         " of " + std::to_string(own->count) +
                                         ", and it stands for part " + std::to_string(number) +
                                         " of " + std::to_string(keys.count) +
                                         ": it is of another model"),
                part_path);
        }
        if (auto same = check_part(*part, number == 1 ? *part : whole); !same) {
            return with_path(std::move(same).error(), part_path);
        }
        tensors.push_back(part->tensors_.entries());
        whole.file_bytes_ += part->file_bytes_;
        files.push_back(std::move(part->file_));
        if (number == 1) {
            whole.container_ = part->container_;
            whole.version_ = part->version_;
            whole.alignment_ = part->alignment_;
            whole.metadata_ = without_split_keys(part->metadata_);
        }
    }
    whole.path_ = path;
    whole.file_ = InputFile::join(std::move(files));
    for (std::size_t part = 0; part < tensors.size(); ++part) {
        for (TensorInfo& tensor : tensors[part]) {
            tensor.offset += whole.file_.begin_of(part);
            std::string tensor_name = printable(tensor.name);
            if (!whole.tensors_.add(std::move(tensor))) {
                return with_path(
                    bad_file(std::move(tensor_name), "this tensor is in two parts of the model"),
                    whole.file_.parts()[part].path());
            }
        }
    }
    if (keys.n_tensors && whole.tensors_.entries().size() != *keys.n_tensors) {
        return with_path(
            bad_file("split.tensors.count",
                     "the parts hold " + std::to_string(whole.tensors_.entries().size()) +
                         " tensors, the model has " + std::to_string(*keys.n_tensors)),
            path);
    }
    return whole;
}

Result<GgufFile> GgufFile::open_one(const std::string& path) {
    auto input = InputFile::open(path);
    if (!input) {
        return std::move(input).error();
    }
    ByteCursor cursor(*input, kMaxHeaderBytes);
    auto file = read_header(cursor, path);
    if (file) {
        file->file_ = *std::move(input);
        return file;
    }
    // What could not be read looks like an end to the parser.
    Error error = cursor.failure() ? *cursor.failure() : std::move(file).error();
    error.path = path;
    return error;
}

std::span<const std::byte> GgufFile::data(const TensorInfo& tensor) const {
    if (tensor.bytes == 0) {
        return {};
    }
    HEARTH_ASSERT(!bytes_.empty());
    return bytes_.subspan(static_cast<std::size_t>(tensor.offset),
                          static_cast<std::size_t>(tensor.bytes));
}

Result<void> GgufFile::read(const TensorInfo& tensor, std::uint64_t offset,
                            std::span<std::byte> out) const {
    HEARTH_ASSERT(offset <= tensor.bytes && out.size() <= tensor.bytes - offset);
    if (out.empty()) {
        return {};
    }
    if (bytes_.empty()) {
        return file_.read_at(tensor.offset + offset, out);
    }
    const auto from = data(tensor).subspan(static_cast<std::size_t>(offset), out.size());
    std::memcpy(out.data(), from.data(), out.size());
    return {};
}

}  // namespace hearth
