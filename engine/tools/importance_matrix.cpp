#include "tools/importance_matrix.h"

#include <array>
#include <cmath>
#include <cstring>
#include <span>
#include <utility>

#include "gguf/printable.h"
#include "gguf/recipes.h"

namespace hearth::tools {
namespace {

constexpr std::string_view kSums = ".in_sum2";
constexpr std::string_view kCounts = ".counts";
// Far beyond what models have: a bound for a file that claims anything.
constexpr std::int32_t kMostEntries = 1 << 20;
constexpr std::int32_t kMostNameBytes = 1024;

std::string text(double value) {
    return std::isnan(value) ? "NaN" : std::isinf(value) ? "Inf" : std::to_string(value);
}

// The numbers and names of the older form, one after another.
class EntryReader {
public:
    explicit EntryReader(const InputFile& file) : file_(file) {}

    std::uint64_t position() const { return at_; }
    std::uint64_t left() const { return file_.size_bytes() - at_; }
    void skip(std::uint64_t bytes) { at_ += bytes; }

    // Empty: the file ends before.
    Result<std::optional<std::int32_t>> number() {
        std::int32_t value = 0;
        if (left() < sizeof value) {
            return std::optional<std::int32_t>();
        }
        if (auto read = file_.read_at(at_, std::as_writable_bytes(std::span(&value, 1))); !read) {
            return std::move(read).error();
        }
        at_ += sizeof value;
        return std::optional(value);
    }

private:
    const InputFile& file_;
    std::uint64_t at_ = 0;
};

}  // namespace

Error ImportanceMatrix::bad(std::string_view name, const std::string& what) const {
    return Error{.code = ErrorCode::BadFile,
                 .message = printable(std::string(name)) + ": " + what,
                 .path = path_,
                 .field = printable(std::string(name))};
}

Result<ImportanceMatrix> ImportanceMatrix::open(const std::string& path) {
    ImportanceMatrix matrix;
    matrix.path_ = path;
    auto file = InputFile::open(path);
    if (!file) {
        return std::move(file).error();
    }
    std::array<char, 4> magic{};
    if (file->size_bytes() >= magic.size()) {
        if (auto read = file->read_at(0, std::as_writable_bytes(std::span(magic))); !read) {
            return std::move(read).error();
        }
    }
    if (std::memcmp(magic.data(), "GGUF", magic.size()) == 0) {
        auto gguf = GgufFile::open(path);
        if (!gguf) {
            return std::move(gguf).error();
        }
        matrix.gguf_ = *std::move(gguf);
        if (auto listed = matrix.list_gguf(); !listed) {
            return std::move(listed).error();
        }
    } else {
        matrix.file_ = *std::move(file);
        if (auto listed = matrix.list_entries(); !listed) {
            return std::move(listed).error();
        }
    }
    if (matrix.entries_.empty()) {
        return matrix.bad(path, "has no entries of an importance matrix");
    }
    return matrix;
}

Result<void> ImportanceMatrix::list_gguf() {
    const auto type = gguf_->metadata().string("general.type");
    if (!type || *type != "imatrix") {
        return bad(path_,
                   type ? "is no importance matrix: general.type is \"" + printable(*type) + "\""
                        : "is no importance matrix: it has no general.type");
    }
    for (const TensorInfo& sums : gguf_->tensors().entries()) {
        if (!sums.name.ends_with(kSums)) {
            continue;
        }
        const std::string name = sums.name.substr(0, sums.name.size() - kSums.size());
        const TensorInfo* counts = gguf_->tensors().find(name + std::string(kCounts));
        if (counts == nullptr) {
            return bad(sums.name, "there is no " + printable(name) + std::string(kCounts));
        }
        if (sums.type != kImportanceType || counts->type != kImportanceType) {
            const TensorInfo& other = sums.type != kImportanceType ? sums : *counts;
            return bad(other.name,
                       "is of type " + std::string(dtype_info(other.type).name) + ", not F32");
        }
        if (counts->values() == 0 || sums.values() % counts->values() != 0) {
            return bad(counts->name, "has " + std::to_string(counts->values()) + " counts for " +
                                         std::to_string(sums.values()) + " sums");
        }
        Entry entry{sums.offset, sums.values(), {}};
        entry.counts.resize(static_cast<std::size_t>(counts->values()));
        if (auto read = gguf_->read(*counts, 0, std::as_writable_bytes(std::span(entry.counts)));
            !read) {
            return read;
        }
        for (std::size_t i = 0; i < entry.counts.size(); ++i) {
            if (!std::isfinite(entry.counts[i]) || entry.counts[i] < 0.0F) {
                return bad(counts->name, "count " + std::to_string(i) + " is " +
                                             text(static_cast<double>(entry.counts[i])));
            }
        }
        entries_.emplace(name, std::move(entry));
    }
    return {};
}

// A number of calls and the name of a text follow the entries; they are of no use here.
Result<void> ImportanceMatrix::list_entries() {
    EntryReader reader(file_);
    const auto ends = [&](std::int32_t entry) {
        return bad(path_, "ends within entry " + std::to_string(entry) + ", at byte " +
                              std::to_string(file_.size_bytes()));
    };
    const auto n_entries = reader.number();
    if (!n_entries) {
        return n_entries.error();
    }
    if (!*n_entries || **n_entries < 1 || **n_entries > kMostEntries) {
        return bad(path_, "is no importance matrix");
    }
    for (std::int32_t i = 0; i < **n_entries; ++i) {
        const auto length = reader.number();
        if (!length) {
            return length.error();
        }
        if (!*length) {
            return ends(i);
        }
        if (**length < 1 || **length > kMostNameBytes) {
            return bad(path_, "the name of entry " + std::to_string(i) + " has " +
                                  std::to_string(**length) + " bytes");
        }
        std::string name(static_cast<std::size_t>(**length), '\0');
        if (reader.left() < name.size()) {
            return ends(i);
        }
        if (auto read = file_.read_at(reader.position(), std::as_writable_bytes(std::span(name)));
            !read) {
            return read;
        }
        reader.skip(name.size());
        const auto calls = reader.number();
        if (!calls) {
            return calls.error();
        }
        const auto n_values = reader.number();
        if (!n_values) {
            return n_values.error();
        }
        if (!*calls || !*n_values) {
            return ends(i);
        }
        if (**calls < 0 || **n_values < 1) {
            return bad(name, "has " + std::to_string(**n_values) + " values of " +
                                 std::to_string(**calls) + " calls");
        }
        const auto count = static_cast<std::uint64_t>(**n_values);
        if (reader.left() / sizeof(float) < count) {
            return ends(i);
        }
        Entry entry{reader.position(), count, {static_cast<float>(std::max(**calls, 1))}};
        reader.skip(count * sizeof(float));
        if (!entries_.emplace(name, std::move(entry)).second) {
            return bad(name, "stands there twice");
        }
    }
    return {};
}

Result<std::vector<float>> ImportanceMatrix::read(std::string_view tensor, std::uint64_t n_matrices,
                                                  std::uint64_t cols) const {
    const Entry& entry = entries_.find(tensor)->second;
    const std::uint64_t n_counts = entry.counts.size();
    // Both come from a file that was checked, so the product is that of a tensor's dimensions.
    if (entry.n_values != n_matrices * cols || (n_counts != 1 && n_counts != n_matrices)) {
        return bad(tensor, "the importance matrix has " + std::to_string(entry.n_values) +
                               " values and " + std::to_string(n_counts) + " counts for " +
                               std::to_string(n_matrices) + " x " + std::to_string(cols) +
                               " columns");
    }
    std::vector<float> values(static_cast<std::size_t>(entry.n_values));
    if (auto read = file().read_at(entry.offset, std::as_writable_bytes(std::span(values)));
        !read) {
        return std::move(read).error();
    }
    const std::size_t counted = values.size() / entry.counts.size();
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i]) || values[i] < 0.0F) {
            return bad(tensor, "value " + std::to_string(i) + " of the importance matrix is " +
                                   text(static_cast<double>(values[i])));
        }
        const float count = entry.counts[i / counted];
        values[i] = count > 0.0F ? values[i] / std::max(count, 1.0F) : 1.0F;
    }
    return values;
}

}  // namespace hearth::tools
