// A past in a file: what a conversation has left in the model, so that its tokens need not be
// computed again after the program was ended. A copy that may be thrown away at any time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/cancellation.h>
#include <hearth/result.h>

#include "memory/past.h"

namespace hearth {

// Writes what `tokens` left; the file is there whole or not at all. key: what the past is of. Pasts
// whose keys are equal are of the same model, computed alike by the same version of this program,
// and lie alike (Past::layout_text()). Cancelled, and errors of OutputFile and
// of Past::get().
Result<void> write_past(const std::string& path, std::string_view key,
                        std::span<const std::int32_t> tokens, Past& past,
                        const Cancellation& cancellation = {});

// Fills the past and returns the tokens; none if the file's key is another one, and then the past
// is as it was. n_vocab: tokens are below it. NotFound, NotAFile, PermissionDenied, ReadFailed.
// BadFile: it was cut short or changed; then, and after any error of Past::put(), the past holds
// nothing.
Result<std::vector<std::int32_t>> read_past(const std::string& path, std::string_view key,
                                            int n_vocab, Past& past);

}  // namespace hearth
