#include "bench/random_vocab.h"

#include <string>
#include <utility>
#include <vector>

#include "text/byte_level.h"

namespace hearth::bench {
namespace {

constexpr int kBytes = 256;
constexpr int kByteLevelSpecial = 256;
constexpr int kPieceSpecial = 3;
constexpr int kLetters = 26;

// Written as published files number them.
constexpr std::int64_t kNormal = 1;
constexpr std::int64_t kUnknown = 2;
constexpr std::int64_t kControl = 3;
constexpr std::int64_t kByte = 6;

MetadataValue strings(std::vector<std::string> values) {
    MetadataArray array;
    array.element = MetadataType::String;
    array.strings = std::move(values);
    return {MetadataType::Array, std::move(array)};
}

MetadataValue integers(std::vector<std::int64_t> values) {
    MetadataArray array;
    array.element = MetadataType::I32;
    array.signed_values = std::move(values);
    return {MetadataType::Array, std::move(array)};
}

MetadataValue floats(std::vector<double> values) {
    MetadataArray array;
    array.element = MetadataType::F32;
    array.floating = std::move(values);
    return {MetadataType::Array, std::move(array)};
}

MetadataValue text(std::string value) {
    return {MetadataType::String, std::move(value)};
}

MetadataValue id(int value) {
    return {MetadataType::U32, static_cast<std::uint64_t>(value)};
}

std::string letter(int index) {
    return std::string(1, static_cast<char>('a' + index));
}

// `count` words, shortest first: each is a word before it, or one of 27 first pieces (the word
// boundary and the letters), with a letter after it. So all differ, and each is one merge.
struct Words {
    std::vector<std::string> words;
    std::vector<std::string> merges;  // "left right"
};
Words make_words(int count, const std::string& boundary) {
    std::vector<std::string> stems{boundary};
    for (int i = 0; i < kLetters; ++i) {
        stems.push_back(letter(i));
    }
    Words made;
    for (std::size_t next = 0; made.words.size() < static_cast<std::size_t>(count); ++next) {
        for (int i = 0; i < kLetters && made.words.size() < static_cast<std::size_t>(count); ++i) {
            made.merges.push_back(stems[next] + " " + letter(i));
            made.words.push_back(stems[next] + letter(i));
            stems.push_back(made.words.back());
        }
    }
    return made;
}

void append_utf8(unsigned character, std::string& out) {
    if (character < 0x80) {
        out += static_cast<char>(character);
    } else {  // byte-level characters end below U+0800
        out += static_cast<char>(0xC0U | character >> 6);
        out += static_cast<char>(0x80U | (character & 0x3FU));
    }
}

void add_byte_level(Metadata& metadata, int n_vocab) {
    std::vector<std::string> tokens;
    const auto characters = byte_level_characters();
    for (const std::uint16_t character : characters) {
        append_utf8(character, tokens.emplace_back());
    }
    std::string boundary;
    append_utf8(characters[' '], boundary);
    Words words = make_words(words_of(VocabKind::ByteLevel, n_vocab).count, boundary);
    tokens.insert(tokens.end(), words.words.begin(), words.words.end());
    const int first_special = n_vocab - kByteLevelSpecial;
    for (int i = 0; i < kByteLevelSpecial; ++i) {
        tokens.push_back("<|reserved_special_token_" + std::to_string(i) + "|>");
    }
    constexpr int kBegin = 0;
    constexpr int kEnd = 1;
    constexpr int kEndOfTurn = 9;
    const auto special = [&](int index) -> std::string& {
        return tokens[static_cast<std::size_t>(first_special + index)];
    };
    special(kBegin) = "<|begin_of_text|>";
    special(kEnd) = "<|end_of_text|>";
    special(kEndOfTurn) = "<|eot_id|>";
    std::vector<std::int64_t> types(static_cast<std::size_t>(first_special), kNormal);
    types.resize(tokens.size(), kControl);

    metadata.add("tokenizer.ggml.model", text("gpt2"));
    metadata.add("tokenizer.ggml.pre", text("llama-bpe"));
    metadata.add("tokenizer.ggml.tokens", strings(std::move(tokens)));
    metadata.add("tokenizer.ggml.token_type", integers(std::move(types)));
    metadata.add("tokenizer.ggml.merges", strings(std::move(words.merges)));
    metadata.add("tokenizer.ggml.bos_token_id", id(first_special + kBegin));
    metadata.add("tokenizer.ggml.eos_token_id", id(first_special + kEndOfTurn));
}

void add_sentence_piece(Metadata& metadata, int n_vocab) {
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
    std::vector<std::int64_t> types{kUnknown, kControl, kControl};
    for (int byte = 0; byte < kBytes; ++byte) {
        constexpr std::string_view kHex = "0123456789ABCDEF";
        tokens.push_back(std::string("<0x") + kHex[static_cast<std::size_t>(byte / 16)] +
                         kHex[static_cast<std::size_t>(byte % 16)] + ">");
        types.push_back(kByte);
    }
    const std::string boundary = "\xE2\x96\x81";
    const int n_words = words_of(VocabKind::SentencePiece, n_vocab).count;
    for (std::string& word : make_words(n_words, boundary).words) {
        tokens.push_back(std::move(word));
    }
    tokens.push_back(boundary);
    for (int i = 0; i < kLetters; ++i) {
        tokens.push_back(letter(i));
    }
    types.resize(tokens.size(), kNormal);
    // The earlier a piece, the sooner it is merged.
    std::vector<double> scores(tokens.size());
    for (std::size_t i = kPieceSpecial + kBytes; i < scores.size(); ++i) {
        scores[i] = -static_cast<double>(i - kPieceSpecial - kBytes);
    }

    metadata.add("tokenizer.ggml.model", text("llama"));
    metadata.add("tokenizer.ggml.pre", text("default"));
    metadata.add("tokenizer.ggml.tokens", strings(std::move(tokens)));
    metadata.add("tokenizer.ggml.scores", floats(std::move(scores)));
    metadata.add("tokenizer.ggml.token_type", integers(std::move(types)));
    metadata.add("tokenizer.ggml.bos_token_id", id(1));
    metadata.add("tokenizer.ggml.eos_token_id", id(2));
    metadata.add("tokenizer.ggml.unknown_token_id", id(0));
}

}  // namespace

int least_vocab(VocabKind kind) {
    return kind == VocabKind::ByteLevel ? kBytes + kByteLevelSpecial
                                        : kPieceSpecial + kBytes + kLetters + 1;
}

WordRange words_of(VocabKind kind, int n_vocab) {
    return {kind == VocabKind::ByteLevel ? kBytes : kPieceSpecial + kBytes,
            n_vocab - least_vocab(kind)};
}

void add_vocab(Metadata& metadata, VocabKind kind, int n_vocab) {
    if (kind == VocabKind::ByteLevel) {
        add_byte_level(metadata, n_vocab);
    } else {
        add_sentence_piece(metadata, n_vocab);
    }
}

}  // namespace hearth::bench
