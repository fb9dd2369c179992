// Byte-level BPE: tokenizer.ggml.model "gpt2".
#pragma once

#include <memory>

#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/tokenizer.h"

namespace hearth {

// As Tokenizer::create().
Result<std::unique_ptr<Tokenizer>> make_byte_level_bpe(const Metadata& metadata);

}  // namespace hearth
