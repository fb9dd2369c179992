// Which model a side file (a profile, predictors, a cache) belongs to.
#pragma once

#include <string>

#include <hearth/result.h>

#include "gguf/reader.h"

namespace hearth {

// Returns 32 lower-case hex digits. A file that carries the key hearth.model_hash (a packed file, a
// side file) gives that key. Any other file is hashed: its architecture, and for every tensor, in
// order of name, the name, shape, type and 8 KiB of its data. Tokenizer, chat template, the order
// of the tensors and activation predictors (blk.N.fc1, blk.N.fc2) do not count, so a file that
// gains those keeps its hash. Hashing is fast: it reads two pages per tensor. BadFile: the key is
// no hash. ReadFailed.
Result<std::string> model_hash(const GgufFile& file);

// Gives an error that names both hashes, unless they are the same. `file`: the kind of side file,
// for example "the profile". `path`: where the side file is.
Result<void> check_model_hash(const std::string& model, const std::string& of_file,
                              const std::string& file, const std::string& path);

}  // namespace hearth
