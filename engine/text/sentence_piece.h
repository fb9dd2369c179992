// SentencePiece's BPE with byte fallback: tokenizer.ggml.model "llama".
#pragma once

#include <memory>

#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/tokenizer.h"

namespace hearth {

// As Tokenizer::create().
Result<std::unique_ptr<Tokenizer>> make_sentence_piece(const Metadata& metadata);

}  // namespace hearth
