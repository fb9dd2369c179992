// Made-up vocabularies that tokenizers accept: every token unique, every merge of tokens there are.
#pragma once

#include "bench/random_model.h"
#include "gguf/metadata.h"

namespace hearth::bench {

// The tokens that are words: a run of ids.
struct WordRange {
    int first = 0, count = 0;
};
// Precondition: n_vocab >= least_vocab(kind).
WordRange words_of(VocabKind kind, int n_vocab);

// Adds all tokenizer.ggml.* keys. Precondition: n_vocab >= least_vocab(kind).
void add_vocab(Metadata& metadata, VocabKind kind, int n_vocab);

}  // namespace hearth::bench
