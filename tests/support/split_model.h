// A model in several files, as other tools split one.
#pragma once

#include <functional>
#include <string>

#include "gguf/metadata.h"

namespace hearth::test {

// Writes the parts of the model at `path` beside it, "STEM-00001-of-0000N.gguf" and so on, each
// with about as many tensors. Returns the first one's path; empty: something went wrong. change:
// may alter what a part says, counted from 1.
std::string split_model(const std::string& path, int parts,
                        const std::function<void(int part, Metadata& metadata)>& change = {});

// The path of another part of it.
std::string part_of(const std::string& first, int part);

}  // namespace hearth::test
