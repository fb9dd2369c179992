// Reads importance matrices: how large the inputs of each matrix's columns are on sample text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "base/input_file.h"
#include "base/string_map.h"
#include "gguf/reader.h"

namespace hearth::tools {

// Move-only. Files that llama.cpp's llama-imatrix writes: GGUF with general.type "imatrix", whose
// tensors NAME.in_sum2 are sums of squared inputs and NAME.counts the number of inputs; or the
// older form without a magic, entries of name, number of calls and mean squares times that number.
class ImportanceMatrix {
public:
    // Reads the list of entries, no values. NotFound, NotAFile, PermissionDenied, ReadFailed;
    // BadFile with the entry and the numbers: no importance matrix, or one that is cut short.
    static Result<ImportanceMatrix> open(const std::string& path);

    bool has(std::string_view tensor) const { return entries_.find(tensor) != entries_.end(); }

    // The mean square of each column's input: [n_matrices, cols], one matrix after another of a
    // tensor that holds several. 1 where nothing was seen. BadFile: an entry of another size, or a
    // value that is negative or no number. Precondition: has(tensor).
    Result<std::vector<float>> read(std::string_view tensor, std::uint64_t n_matrices,
                                    std::uint64_t cols) const;

private:
    struct Entry {
        std::uint64_t offset = 0;
        std::uint64_t n_values = 0;
        std::vector<float> counts;  // one a matrix, or one for all
    };

    ImportanceMatrix() = default;
    const InputFile& file() const { return gguf_ ? gguf_->file() : file_; }
    Error bad(std::string_view name, const std::string& what) const;
    Result<void> list_gguf();
    Result<void> list_entries();

    std::string path_;
    std::optional<GgufFile> gguf_;
    InputFile file_;  // of the older form
    StringMap<Entry> entries_;
};

}  // namespace hearth::tools
