// Small vocabularies as metadata, made in code.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gguf/metadata.h"
#include "text/byte_level.h"
#include "text/tokenizer.h"

namespace hearth::test {

inline MetadataValue text_value(std::string text) {
    return {MetadataType::String, std::move(text)};
}
inline MetadataValue id_value(std::uint64_t id) {
    return {MetadataType::U32, id};
}
inline MetadataValue flag_value(bool flag) {
    return {MetadataType::Bool, flag};
}
inline MetadataValue texts_value(std::vector<std::string> texts) {
    MetadataArray array;
    array.element = MetadataType::String;
    array.strings = std::move(texts);
    return {MetadataType::Array, std::move(array)};
}
inline MetadataValue types_value(std::vector<std::int64_t> types) {
    MetadataArray array;
    array.element = MetadataType::I32;
    array.signed_values = std::move(types);
    return {MetadataType::Array, std::move(array)};
}
inline MetadataValue scores_value(std::vector<double> scores) {
    MetadataArray array;
    array.element = MetadataType::F32;
    array.floating = std::move(scores);
    return {MetadataType::Array, std::move(array)};
}

// `bytes` as a byte-level vocabulary spells them.
inline std::string spelled(std::string_view bytes) {
    constexpr auto kCharacters = byte_level_characters();
    std::string out;
    for (const char c : bytes) {
        append_utf8(out, kCharacters[static_cast<std::uint8_t>(c)]);
    }
    return out;
}

// A vocabulary that can be changed before it becomes metadata.
struct VocabFixture {
    std::string model;
    std::vector<std::string> tokens;
    std::vector<std::int64_t> types;
    std::vector<double> scores;
    std::vector<std::string> merges;
    std::vector<std::pair<std::string, MetadataValue>> more;  // replaces what has the same key

    TokenId add(std::string text, std::int64_t type = 1, double score = 0) {
        tokens.push_back(std::move(text));
        types.push_back(type);
        scores.push_back(score);
        return static_cast<TokenId>(tokens.size() - 1);
    }
    // The two halves in bytes; the token they make is added if it is new.
    void merge(std::string_view left, std::string_view right) {
        merges.push_back(spelled(left) + " " + spelled(right));
        const std::string made = spelled(left) + spelled(right);
        for (const std::string& token : tokens) {
            if (token == made) {
                return;
            }
        }
        add(made);
    }
    VocabFixture& set(std::string key, MetadataValue value) {
        more.emplace_back("tokenizer.ggml." + std::move(key), std::move(value));
        return *this;
    }
    TokenId id(std::string_view text) const {
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (tokens[i] == text) {
                return static_cast<TokenId>(i);
            }
        }
        return -1;
    }

    Metadata metadata() const {
        Metadata out;
        for (auto it = more.rbegin(); it != more.rend(); ++it) {
            out.add(it->first, it->second);
        }
        out.add("tokenizer.ggml.model", text_value(model));
        out.add("tokenizer.ggml.tokens", texts_value(tokens));
        out.add("tokenizer.ggml.token_type", types_value(types));
        if (model == "llama") {
            out.add("tokenizer.ggml.scores", scores_value(scores));
        } else {
            out.add("tokenizer.ggml.merges", texts_value(merges));
        }
        return out;
    }
};

// Byte-level BPE. 0 <|endoftext|>, 1 <|im_start|>, 2 <|im_end|> (control), 3 to 258 the bytes 0 to
// 255, then what the merges make: he ll hell hello " w" " wo" or " wor" 12 ab bc.
inline VocabFixture byte_level_fixture() {
    VocabFixture v;
    v.model = "gpt2";
    v.add("<|endoftext|>", 3);
    v.add("<|im_start|>", 3);
    v.add("<|im_end|>", 3);
    for (int byte = 0; byte < 256; ++byte) {
        v.add(spelled(std::string(1, static_cast<char>(byte))));
    }
    v.merge("h", "e");
    v.merge("l", "l");
    v.merge("he", "ll");
    v.merge("hell", "o");
    v.merge(" ", "w");
    v.merge("o", "r");
    v.merge(" w", "or");
    v.merge(" w", "o");
    v.merge("1", "2");
    v.merge("b", "c");
    v.merge("a", "b");
    v.set("bos_token_id", id_value(0)).set("eos_token_id", id_value(2));
    return v;
}

// SentencePiece. 0 <unk>, 1 <s>, 2 </s>, 3 to 258 the bytes, then pieces with scores.
inline VocabFixture sentence_piece_fixture() {
    VocabFixture v;
    v.model = "llama";
    v.add("<unk>", 2);
    v.add("<s>", 3);
    v.add("</s>", 3);
    for (int byte = 0; byte < 256; ++byte) {
        constexpr std::string_view kHex = "0123456789ABCDEF";
        std::string text = "<0x";
        text += kHex[static_cast<std::size_t>(byte / 16)];
        text += kHex[static_cast<std::size_t>(byte % 16)];
        v.add(text + ">", 6);
    }
    const std::string space = "\xE2\x96\x81";
    v.add(space + "h", 1, -1);
    v.add("el", 1, -2);
    v.add("lo", 1, -3);
    v.add(space + "hel", 1, -4);
    v.add(space + "hello", 1, -5);
    v.add("aa", 1, -6);
    v.add("aaa", 1, -6);
    v.add(space, 1, -20);
    for (const char* letter : {"h", "e", "l", "o", "a", "\xC3\xA9"}) {
        v.add(letter, 1, -30);
    }
    v.set("bos_token_id", id_value(1)).set("eos_token_id", id_value(2));
    return v;
}

// Characters with merges. 0 <unk>, 1 <bos>, 2 <eos>, 3 to 258 the bytes, then characters and what
// the merges make of them. One merge joins a space to what stands before it: ">" and the space.
inline VocabFixture merged_pieces_fixture() {
    VocabFixture v;
    v.model = "gemma4";
    v.add("<unk>", 2);
    v.add("<bos>", 3);
    v.add("<eos>", 3);
    for (int byte = 0; byte < 256; ++byte) {
        constexpr std::string_view kHex = "0123456789ABCDEF";
        std::string text = "<0x";
        text += kHex[static_cast<std::size_t>(byte / 16)];
        text += kHex[static_cast<std::size_t>(byte % 16)];
        v.add(text + ">", 6);
    }
    const std::string space = "\xE2\x96\x81";
    for (const char* letter : {"h", "e", "l", "o", "a", "b", "<", ">", "/", "\n", "\xC3\xA9"}) {
        v.add(letter);
    }
    v.add(space);
    const auto merge = [&](const std::string& left, const std::string& right) {
        v.merges.push_back(left + " " + right);
        v.add(left + right);
    };
    merge("\n", "\n");
    merge(space, space);
    merge("l", "l");
    merge("h", "e");
    merge("he", "ll");
    merge("hell", "o");
    merge(space, "hello");
    merge(">", space);
    merge(space, "b");
    v.set("bos_token_id", id_value(1)).set("eos_token_id", id_value(2));
    return v;
}

inline std::unique_ptr<Tokenizer> make_tokenizer(const VocabFixture& v) {
    auto made = Tokenizer::create(v.metadata());
    return made ? std::move(made).value() : nullptr;
}

}  // namespace hearth::test
