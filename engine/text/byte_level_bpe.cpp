#include "text/byte_level_bpe.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/byte_level.h"
#include "text/compose.h"
#include "text/merge_symbols.h"
#include "text/merge_table.h"
#include "text/pre_tokenizer.h"
#include "text/string_index.h"
#include "text/tokenizer_base.h"
#include "text/utf8.h"
#include "text/word_cache.h"

namespace hearth {
namespace {

class ByteLevelBpe final : public TokenizerBase {
public:
    static Result<std::unique_ptr<Tokenizer>> create(const PreTokenizerRow& row, Vocab vocab,
                                                     const std::vector<std::string>& merges) {
        auto words = PreTokenizer::create(row);
        if (!words) {
            return words.error();
        }
        std::unique_ptr<ByteLevelBpe> made(
            new ByteLevelBpe(std::move(vocab), std::move(words).value()));
        made->composes_ = row.has(PreTokenizerRow::kNfc);
        auto table = MergeTable::build(merges, made->vocab_);
        if (!table) {
            return table.error();
        }
        made->merges_ = std::move(table).value();
        auto prepared = made->prepare();
        if (!prepared) {
            return prepared.error();
        }
        made->find_bytes();
        if (row.has(PreTokenizerRow::kIgnoreMerges)) {
            made->index_words();
        }
        return std::unique_ptr<Tokenizer>(std::move(made));
    }

private:
    struct Scratch {
        MergeScratch merge;
        std::vector<Symbol> symbols;
        WordCache cache;
    };

    ByteLevelBpe(Vocab vocab, PreTokenizer words)
        : TokenizerBase(std::move(vocab)), words_(std::move(words)) {}

    bool is_plain(TokenId id) const {
        const TokenType type = vocab_.type(id);
        return type == TokenType::Normal || type == TokenType::Undefined ||
               type == TokenType::Unused || type == TokenType::Byte;
    }

    std::string_view piece(TokenId id) const { return plain_pieces_[id]; }

    // The token of every single byte. User-defined tokens are none of them: "ø" as such a token
    // means that character, not the byte it stands for in a byte-level vocabulary.
    void find_bytes() {
        byte_tokens_.fill(-1);
        std::string bytes;
        for (TokenId id = 0; id < vocab_.size(); ++id) {
            if (!is_plain(id) || vocab_.texts[id].size() > 6) {
                continue;
            }
            bytes.clear();
            append_piece(id, true, bytes);
            if (bytes.size() == 1) {
                TokenId& token = byte_tokens_[static_cast<std::uint8_t>(bytes[0])];
                token = token < 0 ? id : token;
            }
        }
        for (TokenId& token : byte_tokens_) {
            token = token < 0 ? vocab_.unknown : token;
        }
    }

    void index_words() {
        std::string bytes;
        for (TokenId id = 0; id < vocab_.size(); ++id) {
            bytes.clear();
            append_piece(id, true, bytes);
            plain_pieces_.add(bytes);
        }
        word_index_.reset(plain_pieces_.size());
        for (TokenId id = 0; id < vocab_.size(); ++id) {
            if (is_plain(id) && !piece(id).empty()) {
                word_index_.add(id, [this](TokenId i) { return piece(i); });
            }
        }
    }

    void decode(TokenId token, std::string& out) const override {
        // A token with characters no byte is written as was added as plain text.
        if (!append_byte_level(vocab_.texts[token], out)) {
            out += vocab_.texts[token];
        }
    }

    bool adds_space() const override { return false; }

    void encode(std::string_view text, bool /*is_start*/,
                std::vector<TokenId>& out) const override {
        if (composes_ && may_need_composing(text)) {
            encode_composed(compose(text), out);
        } else {
            encode_composed(text, out);
        }
    }

    void encode_composed(std::string_view text, std::vector<TokenId>& out) const {
        Scratch scratch{{}, {}, WordCache(text.size())};
        std::vector<std::string_view> words;
        std::size_t valid = 0;  // where the run of whole characters begins
        const auto flush = [&](std::size_t end) {
            if (valid < end) {
                words.clear();
                words_.split(text.substr(valid, end - valid), words);
                for (const std::string_view word : words) {
                    if (!scratch.cache.append(word, out)) {
                        const std::size_t first = out.size();
                        encode_word(word, scratch, out);
                        scratch.cache.remember(word, first, out);
                    }
                }
            }
        };
        std::size_t at = 0;
        while (at < text.size()) {
            const Utf8Step step = utf8_step(text, at);
            if (step.kind == Utf8Step::Kind::Valid) {
                at += step.bytes;
                continue;
            }
            // The patterns are about characters; what is none stands alone, byte by byte.
            flush(at);
            for (const char c : text.substr(at, step.bytes)) {
                const TokenId token = byte_tokens_[static_cast<std::uint8_t>(c)];
                if (token >= 0) {
                    out.push_back(token);
                }
            }
            at += step.bytes;
            valid = at;
        }
        flush(text.size());
    }

    void encode_word(std::string_view word, Scratch& scratch, std::vector<TokenId>& out) const {
        const TokenId whole = word_index_.find(word, [this](TokenId i) { return piece(i); });
        if (whole >= 0) {
            out.push_back(whole);
            return;
        }
        std::vector<Symbol>& symbols = scratch.symbols;
        symbols.clear();
        for (std::uint32_t i = 0; i < word.size(); ++i) {
            symbols.push_back({i, i + 1, byte_tokens_[static_cast<std::uint8_t>(word[i])]});
        }
        merge_symbols(
            symbols,
            [this](const Symbol& left, const Symbol& right) {
                return merges_.find(left.id, right.id);
            },
            scratch.merge);
        for (const Symbol& symbol : symbols) {
            if (symbol.id >= 0) {
                out.push_back(symbol.id);
            }
        }
    }

    PreTokenizer words_;
    bool composes_ = false;
    MergeTable merges_;
    std::array<TokenId, 256> byte_tokens_{};
    // Only for rows that ignore merges: the pieces by text.
    TextPool plain_pieces_;
    StringIndex word_index_;
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_byte_level_bpe(const Metadata& metadata,
                                                       std::string_view pre) {
    const PreTokenizerRow& row = pre_tokenizer_of(pre);
    const auto merges = metadata.array("tokenizer.ggml.merges", MetadataType::String);
    if (!merges) {
        return merges.error();
    }
    auto vocab = Vocab::read(metadata,
                             {.wants_scores = false, .add_bos = row.has(PreTokenizerRow::kAddBos)});
    if (!vocab) {
        return vocab.error();
    }
    vocab->fallback = pre_tokenizer_fallback(pre);
    return ByteLevelBpe::create(row, std::move(vocab).value(), (*merges)->strings);
}

}  // namespace hearth
