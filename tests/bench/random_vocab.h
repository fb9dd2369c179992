// Made-up vocabularies that tokenizers accept: every token unique, every merge of tokens there are.
#pragma once

#include "bench/random_model.h"
#include "gguf/metadata.h"

namespace hearth::bench {

// Adds all tokenizer.ggml.* keys. Precondition: n_vocab >= least_vocab(kind).
void add_vocab(Metadata& metadata, VocabKind kind, int n_vocab);

}  // namespace hearth::bench
