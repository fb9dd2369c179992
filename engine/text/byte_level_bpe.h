// Byte-level BPE: tokenizer.ggml.model "gpt2".
#pragma once

#include <memory>
#include <string_view>

#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/tokenizer.h"

namespace hearth {

// As Tokenizer::create(). pre: the pre-tokenizer's name; one that is not known is guessed.
Result<std::unique_ptr<Tokenizer>> make_byte_level_bpe(const Metadata& metadata,
                                                       std::string_view pre);

}  // namespace hearth
