// Converts weights. Which tensor becomes which type, the first that holds:
//
//   one dimension (norms, biases)       F32: they are few, and every token adds or multiplies them
//   its name has an exception's part    that exception's type
//   the embedding, the output head      QuantizeOptions::embedding_type, if there is one
//   all others                          as the mix says (tools/weight_mix.h)
//
// Exceptions stand behind the mix: "Q4_0,attn_v=Q8_0,blk.0.=F16". Rows that are no whole number of
// a type's blocks become another (type_that_fits()). A tensor that has its type already is copied
// byte for byte.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/tools.h>

#include "base/guarded.h"
#include "gguf/encoding.h"
#include "gguf/fit_searched.h"
#include "gguf/printable.h"
#include "gguf/reader.h"
#include "gguf/recipes.h"
#include "gguf/rows.h"
#include "gguf/writer.h"
#include "model/tensor_names.h"
#include "tools/convert_tensors.h"
#include "tools/importance_matrix.h"
#include "tools/weight_mix.h"

namespace hearth::tools {
namespace {

constexpr int kMostThreads = 64;

Error invalid(std::string what, std::string field) {
    return Error{.code = ErrorCode::InvalidArgument,
                 .message = std::move(what),
                 .path = {},
                 .field = std::move(field)};
}

Error unknown_type(std::string_view name, const std::string& possible, const char* option) {
    std::string message = "weights cannot be written as \"";
    message.append(name).append("\"; ").append(possible).append(" are possible");
    return invalid(std::move(message), option);
}

Result<DType> target_type(std::string_view name, const char* option) {
    const auto type = dtype_from_name(name);
    if (!type || !is_weight_type(*type)) {
        return unknown_type(name, weight_type_names(), option);
    }
    return *type;
}

// QuantizeOptions, its names resolved.
struct Recipe {
    struct Exception {
        std::string_view name_part;
        DType type;
    };
    const WeightMix* mix = nullptr;
    std::vector<Exception> exceptions;    // the first that fits a tensor counts
    std::optional<DType> embedding_type;  // also of the output head

    // Null: as the mix has it.
    std::optional<DType> named(std::string_view name, bool of_words) const {
        for (const Exception& exception : exceptions) {
            if (name.find(exception.name_part) != std::string_view::npos) {
                return exception.type;
            }
        }
        return of_words ? embedding_type : std::nullopt;
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
    recipe.mix = find_weight_mix(text.substr(0, end));
    if (recipe.mix == nullptr) {
        return unknown_type(text.substr(0, end), weight_mix_names(), "type");
    }
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

// A tensor, and what becomes of it.
struct Conversion {
    const TensorInfo* source = nullptr;
    DType target{};
    bool weighed = false;  // by its entry of the importance matrix
};

std::uint64_t matrices_of(const TensorInfo& tensor) {
    const std::size_t n = tensor.shape.size();
    return n < 3 ? 1 : tensor.shape[n - 3];
}

// How much columns count: a little less than proportionally to their inputs' mean squares. These
// are estimates from a sample, and another text's differ
// (docs/decisions/0066-weights-are-rounded-by-a-search.md).
Result<std::vector<float>> column_importance(const ImportanceMatrix& matrix,
                                             const TensorInfo& tensor) {
    constexpr float kTrust = 0.9F;
    auto values = matrix.read(tensor.name, matrices_of(tensor), tensor.cols());
    if (values) {
        for (float& value : *values) {
            value = std::pow(value, kTrust);
        }
    }
    return values;
}

// Plans all tensors of the output, and fills in what the report says of them.
Result<std::vector<Conversion>> plan_conversions(const GgufFile& file, const Recipe& recipe,
                                                 const WordTensors& words,
                                                 const ImportanceMatrix* importance,
                                                 QuantizeReport& report) {
    std::vector<TensorInfo> kept;
    for (const TensorInfo& tensor : file.tensors().entries()) {
        if (!report.shared_output || &tensor != words.output) {
            kept.push_back(tensor);
        }
    }
    const bool tied = report.shared_output || words.output == nullptr;
    const auto types = mixed_types(*recipe.mix, read_mix_model(file, tied), kept);
    std::vector<Conversion> conversions;
    std::map<DType, TypeSummary> by_type;
    std::size_t next = 0;
    bool any_weighed = false;
    for (const TensorInfo& tensor : file.tensors().entries()) {
        if (report.shared_output && &tensor == words.output) {
            continue;
        }
        Conversion conversion{&tensor, types[next++].value_or(tensor.type)};
        const auto named = recipe.named(tensor.name, words.have(tensor));
        if (named && tensor.shape.size() > 1) {
            conversion.target = type_that_fits(*named, tensor.cols());
        }
        if (!is_computable(tensor.type)) {
            return Error{.code = ErrorCode::Unsupported,
                         .message = printable(tensor.name) + ": is of type " +
                                    std::string(dtype_info(tensor.type).name) +
                                    ", which cannot be converted",
                         .path = file.path(),
                         .field = tensor.name};
        }
        const bool changes = conversion.target != tensor.type;
        const Encoding& target = encoding_of(conversion.target);
        if (importance != nullptr && changes && has_search(target)) {
            conversion.weighed = importance->has(tensor.name);
            any_weighed = any_weighed || conversion.weighed;
            if (!conversion.weighed) {
                report.without_importance.push_back(printable(tensor.name));
            }
        }
        if (changes && !is_float(encoding_of(tensor.type).codes) && !is_float(target.codes)) {
            ++report.quantised_before;
        }
        TypeSummary& summary = by_type[conversion.target];
        summary.type = dtype_info(conversion.target).name;
        ++summary.tensors;
        summary.bytes += row_bytes(conversion.target, tensor.cols()) * tensor.rows();
        conversions.push_back(conversion);
    }
    if (importance != nullptr && !any_weighed && !report.without_importance.empty()) {
        return invalid("the importance matrix has no entry for any tensor of this model",
                       "importance_path");
    }
    for (const auto& [type, summary] : by_type) {
        report.types.push_back(summary);
    }
    std::stable_sort(report.types.begin(), report.types.end(),
                     [](const TypeSummary& a, const TypeSummary& b) { return a.bytes > b.bytes; });
    return conversions;
}

// Before anything is written: a bad entry shall not end an hour's work.
Result<void> check_importance(const ImportanceMatrix& matrix,
                              const std::vector<Conversion>& conversions) {
    for (const Conversion& conversion : conversions) {
        if (conversion.weighed) {
            if (auto values = column_importance(matrix, *conversion.source); !values) {
                return std::move(values).error();
            }
        }
    }
    return {};
}

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
    std::optional<ImportanceMatrix> importance;
    if (!options.importance_path.empty()) {
        auto opened = ImportanceMatrix::open(options.importance_path);
        if (!opened) {
            return std::move(opened).error();
        }
        importance.emplace(*std::move(opened));
    }

    QuantizeReport report;
    report.input_bytes = file->file_bytes();
    const WordTensors words(*file);
    const auto repeats = output_repeats_embedding(*file, words);
    if (!repeats) {
        return repeats.error();
    }
    report.shared_output = *repeats;
    const auto conversions =
        plan_conversions(*file, *recipe, words, importance ? &*importance : nullptr, report);
    if (!conversions) {
        return conversions.error();
    }
    if (importance) {
        if (auto checked = check_importance(*importance, *conversions); !checked) {
            return std::move(checked).error();
        }
    }
    std::vector<TensorInfo> targets;
    std::uint64_t total_values = 0;
    for (const Conversion& conversion : *conversions) {
        targets.push_back(*conversion.source);
        targets.back().type = conversion.target;
        total_values += conversion.source->values();
    }
    auto writer =
        GgufWriter::create(options.output_path, converted_metadata(*file, recipe->mix->type),
                           targets, file->container());
    if (!writer) {
        return std::move(writer).error();
    }
    report.output_bytes = writer->file_bytes();
    const int cores = static_cast<int>(std::thread::hardware_concurrency());
    const int n_threads =
        std::clamp(options.threads > 0 ? options.threads : cores, 1, kMostThreads);
    TensorConverter converter(*file, *writer, n_threads, total_values, progress, cancellation);
    for (const Conversion& conversion : *conversions) {
        std::vector<float> columns;
        if (conversion.weighed) {
            auto values = column_importance(*importance, *conversion.source);
            if (!values) {
                return std::move(values).error();
            }
            columns = *std::move(values);
        }
        if (auto done = converter.convert(*conversion.source, conversion.target, columns); !done) {
            return std::move(done).error();
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
