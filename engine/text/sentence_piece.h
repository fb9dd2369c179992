// SentencePiece's BPE with byte fallback: by scores, tokenizer.ggml.model "llama", or by a list of
// merges, "gemma4".
#pragma once

#include <memory>

#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/tokenizer.h"

namespace hearth {

// As Tokenizer::create().
Result<std::unique_ptr<Tokenizer>> make_sentence_piece(const Metadata& metadata);
Result<std::unique_ptr<Tokenizer>> make_merged_pieces(const Metadata& metadata);

}  // namespace hearth
