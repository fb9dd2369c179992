// The token list of a GGUF file, checked. Shared by the tokenizers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/result.h>

#include "gguf/metadata.h"
#include "text/tokenizer.h"

namespace hearth {

// Numbers: GGUF specification, tokenizer.ggml.token_type. Undefined counts as normal.
enum class TokenType : std::uint8_t {
    Undefined = 0,
    Normal = 1,
    Unknown = 2,
    Control = 3,
    UserDefined = 4,
    Unused = 5,
    Byte = 6,
};

// Many short texts in one piece of memory.
class TextPool {
public:
    TextPool() : ends_{0} {}
    void reserve(std::size_t texts, std::size_t bytes) {
        ends_.reserve(texts + 1);
        bytes_.reserve(bytes);
    }
    // Precondition: all texts together stay under 4 GiB (Vocab::read bounds them).
    void add(std::string_view text) {
        bytes_ += text;
        ends_.push_back(static_cast<std::uint32_t>(bytes_.size()));
    }
    std::string_view operator[](std::int32_t index) const {
        const auto i = static_cast<std::size_t>(index);
        return std::string_view(bytes_).substr(ends_[i], ends_[i + 1] - ends_[i]);
    }
    std::size_t size() const { return ends_.size() - 1; }

private:
    std::string bytes_;
    std::vector<std::uint32_t> ends_;
};

struct Vocab {
    TextPool texts;  // as the file spells them
    std::vector<TokenType> types;
    std::vector<float> scores;  // empty unless asked for
    std::vector<bool> end_of_turn;
    TokenId bos = -1;
    TokenId eos = -1;
    TokenId unknown = -1;  // only if its type is Unknown
    bool add_bos = false;
    bool add_eos = false;
    std::string fallback;  // Tokenizer::fallback()

    int size() const { return static_cast<int>(types.size()); }
    TokenType type(TokenId id) const { return types[static_cast<std::size_t>(id)]; }
    bool is_special(TokenId id) const {
        return type(id) == TokenType::Control || type(id) == TokenType::Unknown;
    }

    // What the file may leave unsaid, by kind of tokenizer.
    struct Defaults {
        bool wants_scores = false;
        bool add_bos = false;
    };
    // BadFile: no tokens, arrays of different lengths, a type or an id out of range, a score that
    // is not a number, a token over kMaxTokenBytes.
    static Result<Vocab> read(const Metadata& metadata, const Defaults& defaults);
};

// Published vocabularies stay below 1 KiB.
inline constexpr std::size_t kMaxTokenBytes = 8192;

// The byte of "<0x41>", or -1.
int byte_of_token(std::string_view text);

// Whether the file's vocabulary has `text` as a control token (by Tokenizer's meaning of it).
bool has_control_token(const Metadata& metadata, std::string_view text);

}  // namespace hearth
