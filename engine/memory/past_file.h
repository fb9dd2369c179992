// A past in a file: what a conversation has left in the model, so that its tokens need not be
// computed again after the program was ended. A copy that may be thrown away at any time. It grows
// by parts, one for each time that it was written, so that an answer costs the disk no more than
// what it left.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "base/hash128.h"
#include "memory/past.h"

namespace hearth {

// The content of the file at `path`, for whoever wrote or read it last. Empty: not known.
struct PastFile {
    struct End {  // of a part
        std::size_t tokens = 0;
        std::uint64_t bytes = 0;
        Hash128 hash;  // of all before it
    };
    std::string path = {};
    std::string key = {};
    std::vector<std::int32_t> tokens = {};
    std::vector<End> ends = {};
};

// Writes what `tokens` left. key: what the past is of. Pasts whose keys are equal are of the same
// model, computed alike by the same version of this program, and lie alike (Past::layout_text()).
// file: what it holds, before and after. If it begins with a part of the tokens, and the past
// forgets nothing, the others are appended; else all are written, and the file is there whole or
// not at all. After an error the file is as it was, or begins so. Cancelled, errors of OutputFile
// and of Past::get().
Result<void> write_past(const std::string& path, std::string_view key,
                        std::span<const std::int32_t> tokens, Past& past, PastFile& file,
                        const Cancellation& cancellation = {});

// Fills the past and returns the tokens; none if the file's key is another one, and then the past
// is as it was. A part that was cut short or changed is not read, nor what stands behind it.
// n_vocab: tokens are below it. NotFound, NotAFile, PermissionDenied, ReadFailed. BadFile: so is
// the first part; then, and after any error of Past::put(), the past holds nothing.
Result<std::vector<std::int32_t>> read_past(const std::string& path, std::string_view key,
                                            int n_vocab, Past& past, PastFile& file);

}  // namespace hearth
