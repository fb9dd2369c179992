// Which model a side file (a profile, predictors, a cache) belongs to.
#pragma once

#include <string>

#include <hearth/result.h>

#include "gguf/reader.h"

namespace hearth {

// 32 lower-case hex digits. A file that carries the key hearth.model_hash (a packed file, a side
// file) returns that; any other is hashed: architecture, and of every tensor, by name, its shape,
// type and 8 KiB of its data. Tokenizer, chat template, the order of the tensors and activation
// predictors (blk.N.fc1, blk.N.fc2) do not count, so a file that gains those keeps its hash. Fast:
// reads two pages a tensor. BadFile: the key is no such text. ReadFailed.
Result<std::string> model_hash(const GgufFile& file);

// An error that names both, unless they are the same. `file`: of what kind the side file is, "the
// profile". `path`: where it is.
Result<void> check_model_hash(const std::string& model, const std::string& of_file,
                              const std::string& file, const std::string& path);

}  // namespace hearth
