// Converts weights. Which tensor becomes which type, the first that holds:
//
//   one dimension (norms, biases)       F32: they are few, and every token adds or multiplies them
//   its name has an exception's part    that exception's type
//   the embedding, the output head      QuantizeOptions::embedding_type
//   all others                          QuantizeOptions::type
//
// Exceptions stand behind the type: "Q4_0,attn_v=Q8_0,blk.0.=F16". Rows that are no whole number of
// a type's blocks become F16 instead. A tensor that has its type already is copied byte for byte.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/tools.h>

#include "base/guarded.h"
#include "base/thread_pool.h"
#include "gguf/finite.h"
#include "gguf/printable.h"
#include "gguf/reader.h"
#include "gguf/recipes.h"
#include "gguf/rows.h"
#include "gguf/writer.h"
#include "model/tensor_names.h"

namespace hearth::tools {
namespace {

// Of one thread's share between two looks at the cancellation: a few milliseconds of work. A
// multiple of every block, so that a tensor can be cut anywhere between two shares.
constexpr std::uint64_t kShareValues = 64 * 1024;
constexpr int kMostThreads = 64;

Error invalid(std::string what, std::string field) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = std::move(what),
                 .path = {},
                 .field = std::move(field)};
}

Result<DType> target_type(std::string_view name, const char* option) {
    const auto type = dtype_from_name(name);
    if (!type || !is_written(*type)) {
        return invalid("weights cannot be written as \"" + std::string(name) + "\"; " +
                           written_types() + " are possible",
                       option);
    }
    return *type;
}

// QuantizeOptions, its names resolved.
struct Recipe {
    struct Exception {
        std::string_view name_part;
        DType type;
    };
    DType type{};
    std::vector<Exception> exceptions;  // the first that fits a tensor counts
    DType embedding_type{};             // also of the output head

    DType wanted(std::string_view name, bool of_words) const {
        for (const Exception& exception : exceptions) {
            if (name.find(exception.name_part) != std::string_view::npos) {
                return exception.type;
            }
        }
        return of_words ? embedding_type : type;
    }
};

// The tensors that have a row a word. Null: the file has none.
struct WordTensors {
    explicit WordTensors(const GgufFile& file)
        : embedding(TensorFinder(file).find(Role::TokenEmbd).tensor),
          output(TensorFinder(file).find(Role::Output).tensor) {}

    bool have(const TensorInfo& tensor) const { return &tensor == embedding || &tensor == output; }

    const TensorInfo* embedding;
    const TensorInfo* output;
};

// Keeps views into `options`.
Result<Recipe> parse_recipe(const QuantizeOptions& options) {
    Recipe recipe;
    const std::string_view text = options.type;
    const std::size_t end = text.find(',');
    const auto type = target_type(text.substr(0, end), "type");
    if (!type) {
        return type.error();
    }
    recipe.type = *type;
    recipe.embedding_type = *type;
    for (std::size_t comma = end; comma != std::string_view::npos;) {
        const std::size_t next = text.find(',', comma + 1);
        const std::string_view item = text.substr(comma + 1, next - comma - 1);
        const std::size_t equals = item.find('=');
        if (equals == 0 || equals == std::string_view::npos) {
            // Appended, since GCC 12 warns of "literal" + std::string (its bug 105651).
            std::string message = "\"";
            message.append(item).append(
                "\" is no exception like attn_v=Q8_0: part of a name, a type");
            return invalid(std::move(message), "type");
        }
        const auto other = target_type(item.substr(equals + 1), "type");
        if (!other) {
            return other.error();
        }
        recipe.exceptions.push_back({.name_part = item.substr(0, equals), .type = *other});
        comma = next;
    }
    if (!options.embedding_type.empty()) {
        const auto other = target_type(options.embedding_type, "embedding_type");
        if (!other) {
            return other.error();
        }
        recipe.embedding_type = *other;
    }
    return recipe;
}

Metadata converted_metadata(const GgufFile& file, DType type) {
    struct Replacement {
        std::string_view key;
        std::uint64_t value;
        bool used;
    };
    Replacement replacements[] = {
        {"general.file_type", encoding_of(type).file_type, false},
        {"general.quantization_version", 2, false},
        {"general.alignment", file.alignment(), true},  // only where there is one, then as a U32
    };
    Metadata metadata;
    for (const auto& [key, value] : file.metadata().entries()) {
        const auto replacement =
            std::find_if(std::begin(replacements), std::end(replacements),
                         [&wanted = key](const Replacement& r) { return r.key == wanted; });
        if (replacement == std::end(replacements)) {
            metadata.add(key, value);
        } else {
            metadata.add(key, {MetadataType::U32, replacement->value});
            replacement->used = true;
        }
    }
    for (const Replacement& replacement : replacements) {
        if (!replacement.used) {
            metadata.add(std::string(replacement.key), {MetadataType::U32, replacement.value});
        }
    }
    return metadata;
}

// Both tensors there, and the same to the last byte.
Result<bool> output_repeats_embedding(const GgufFile& file, const WordTensors& words) {
    const TensorInfo* embedding = words.embedding;
    const TensorInfo* output = words.output;
    if (embedding == nullptr || output == nullptr || embedding->type != output->type ||
        embedding->shape != output->shape) {
        return false;
    }
    constexpr std::uint64_t kPieceBytes = 256 * 1024;
    std::vector<std::byte> a;
    std::vector<std::byte> b;
    for (std::uint64_t at = 0; at < embedding->bytes; at += kPieceBytes) {
        const std::uint64_t count = std::min(kPieceBytes, embedding->bytes - at);
        a.resize(static_cast<std::size_t>(count));
        b.resize(static_cast<std::size_t>(count));
        if (auto read = file.file().read_at(embedding->offset + at, a); !read) {
            return std::move(read).error();
        }
        if (auto read = file.file().read_at(output->offset + at, b); !read) {
            return std::move(read).error();
        }
        if (a != b) {
            return false;
        }
    }
    return true;
}

DType type_for(const TensorInfo& tensor, const Recipe& recipe, const WordTensors& words) {
    return tensor.shape.size() == 1
               ? kVectorType
               : type_that_fits(recipe.wanted(tensor.name, words.have(tensor)), tensor.cols());
}

// A name nobody has is a slip of the pen, and would only show as a worse model.
Result<void> check_exceptions(const GgufFile& file, const Recipe& recipe) {
    const auto& tensors = file.tensors().entries();
    for (const Recipe::Exception& exception : recipe.exceptions) {
        if (std::none_of(tensors.begin(), tensors.end(), [&](const TensorInfo& tensor) {
                return tensor.name.find(exception.name_part) != std::string::npos;
            })) {
            return invalid("no tensor of the file has \"" + std::string(exception.name_part) +
                               "\" in its name",
                           "type");
        }
    }
    return {};
}

// Carries tensors from the input to the writer, a bounded piece at a time.
class Converter {
public:
    Converter(const GgufFile& file, GgufWriter& writer, std::uint64_t total_values,
              const std::function<void(double)>& progress, const Cancellation& cancellation)
        : file_(file),
          writer_(writer),
          total_values_(std::max<std::uint64_t>(total_values, 1)),
          progress_(progress),
          cancellation_(cancellation),
          pool_(std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMostThreads)),
          floats_(static_cast<std::size_t>(pool_.n_threads()) * kShareValues) {}

    // Rows are whole blocks, so a tensor is one run of blocks and is cut without regard to rows.
    Result<void> convert(const TensorInfo& tensor, DType target) {
        const std::uint64_t piece_values =
            static_cast<std::uint64_t>(pool_.n_threads()) * kShareValues;
        for (std::uint64_t at = 0; at < tensor.values(); at += piece_values) {
            if (cancellation_.requested()) {
                return Error{.code = ErrorCode::Cancelled,
                             .message = "stopped; nothing was written",
                             .path = {},
                             .field = {}};
            }
            const std::uint64_t count = std::min(piece_values, tensor.values() - at);
            const std::uint64_t offset = tensor.offset + row_bytes(tensor.type, at);
            input_.resize(static_cast<std::size_t>(row_bytes(tensor.type, count)));
            if (auto read = file_.file().read_at(offset, input_); !read) {
                return read;
            }
            // What is no number would become 0 here, and nobody would know.
            if (!rows_are_finite(tensor.type, input_.data(), 1, 0, count)) {
                return Error{.code = ErrorCode::BadFile,
                             .message = printable(tensor.name) + ": holds Inf or NaN",
                             .path = file_.path(),
                             .field = printable(tensor.name)};
            }
            if (auto written = writer_.write(converted(tensor.type, target, count)); !written) {
                return written;
            }
            done_values_ += count;
            if (progress_) {
                progress_(static_cast<double>(done_values_) / static_cast<double>(total_values_));
            }
        }
        return {};
    }

private:
    std::span<const std::byte> converted(DType source, DType target, std::uint64_t count) {
        if (source == target) {
            return input_;
        }
        output_.resize(static_cast<std::size_t>(row_bytes(target, count)));
        const auto shares = static_cast<int>((count + kShareValues - 1) / kShareValues);
        pool_.run(shares, [&](int share, int) {
            const std::uint64_t first = static_cast<std::uint64_t>(share) * kShareValues;
            const auto values = std::span(floats_).subspan(
                static_cast<std::size_t>(first),
                static_cast<std::size_t>(std::min(kShareValues, count - first)));
            dequantize_row(source, input_.data() + row_bytes(source, first), values);
            quantize_row(target, values, output_.data() + row_bytes(target, first));
        });
        return output_;
    }

    const GgufFile& file_;
    GgufWriter& writer_;
    const std::uint64_t total_values_;
    const std::function<void(double)>& progress_;
    const Cancellation& cancellation_;
    ThreadPool pool_;
    std::vector<float> floats_;
    std::vector<std::byte> input_;
    std::vector<std::byte> output_;
    std::uint64_t done_values_ = 0;
};

Result<QuantizeReport> quantize_file(const std::string& input_path, const QuantizeOptions& options,
                                     const std::function<void(double fraction)>& progress,
                                     const Cancellation& cancellation) {
    const auto recipe = parse_recipe(options);
    if (!recipe) {
        return recipe.error();
    }
    auto file = GgufFile::open(input_path);
    if (!file) {
        return std::move(file).error();
    }
    std::error_code unknown;
    if (std::filesystem::equivalent(
            std::u8string(input_path.begin(), input_path.end()),
            std::u8string(options.output_path.begin(), options.output_path.end()), unknown)) {
        return invalid(options.output_path + ": input and output are the same file", "output_path");
    }
    if (file->tensors().entries().empty()) {
        Error error = invalid(input_path + " holds a vocabulary and no weights", "input_path");
        error.path = input_path;
        return error;
    }
    if (auto named = check_exceptions(*file, *recipe); !named) {
        return std::move(named).error();
    }

    QuantizeReport report;
    report.input_bytes = file->file_bytes();
    const WordTensors words(*file);
    const auto repeats = output_repeats_embedding(*file, words);
    if (!repeats) {
        return repeats.error();
    }
    report.shared_output = *repeats;
    std::vector<const TensorInfo*> sources;
    std::vector<TensorInfo> targets;
    std::uint64_t total_values = 0;
    for (const TensorInfo& tensor : file->tensors().entries()) {
        if (!is_computable(tensor.type)) {
            return Error{.code = ErrorCode::Unsupported,
                         .message = printable(tensor.name) + ": is of type " +
                                    std::string(dtype_info(tensor.type).name) +
                                    ", which cannot be converted",
                         .path = input_path,
                         .field = tensor.name};
        }
        if (report.shared_output && &tensor == words.output) {
            continue;
        }
        TensorInfo target = tensor;
        target.type = type_for(tensor, *recipe, words);
        sources.push_back(&tensor);
        targets.push_back(std::move(target));
        total_values += tensor.values();
    }
    auto writer = GgufWriter::create(options.output_path, converted_metadata(*file, recipe->type),
                                     targets, file->container());
    if (!writer) {
        return std::move(writer).error();
    }
    report.output_bytes = writer->file_bytes();
    Converter converter(*file, *writer, total_values, progress, cancellation);
    for (std::size_t i = 0; i < sources.size(); ++i) {
        if (auto converted = converter.convert(*sources[i], targets[i].type); !converted) {
            return std::move(converted).error();
        }
    }
    if (auto finished = writer->finish(); !finished) {
        return std::move(finished).error();
    }
    return report;
}

}  // namespace

Result<QuantizeReport> quantize(const std::string& input_path, const QuantizeOptions& options,
                                const std::function<void(double fraction)>& progress,
                                const Cancellation& cancellation) {
    return guarded(input_path,
                   [&] { return quantize_file(input_path, options, progress, cancellation); });
}

}  // namespace hearth::tools
