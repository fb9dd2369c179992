#include "text/sentence_piece.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/merge_symbols.h"
#include "text/merge_table.h"
#include "text/pre_tokenizer.h"
#include "text/string_index.h"
#include "text/tokenizer_base.h"
#include "text/utf8.h"
#include "text/word_cache.h"

namespace hearth {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581 stands for a space

// True if `right` begins with a space and `left` does not end with one.
bool starts_word(std::string_view left, std::string_view right) {
    return right.starts_with(kSpace) && !left.empty() && !left.ends_with(kSpace);
}

class SentencePiece final : public TokenizerBase {
public:
    // merges: null where the vocabulary has scores instead.
    static Result<std::unique_ptr<Tokenizer>> create(Vocab vocab, bool add_space_prefix,
                                                     const std::vector<std::string>* merges) {
        std::unique_ptr<SentencePiece> made(new SentencePiece(std::move(vocab), add_space_prefix));
        auto prepared = made->prepare();
        if (!prepared) {
            return prepared.error();
        }
        made->index_texts();
        if (merges == nullptr) {
            made->rank_scores();
            made->find_joints_of_tokens();
            return std::unique_ptr<Tokenizer>(std::move(made));
        }
        auto table = MergeTable::build(*merges, made->vocab_);
        if (!table) {
            return table.error();
        }
        made->has_merges_ = true;
        made->merges_ = std::move(table).value();
        made->find_joints_of_merges(*merges);
        return std::unique_ptr<Tokenizer>(std::move(made));
    }

private:
    struct Scratch {
        MergeScratch merge;
        std::vector<Symbol> symbols;
        WordCache cache;
    };

    SentencePiece(Vocab vocab, bool add_space_prefix)
        : TokenizerBase(std::move(vocab)), add_space_prefix_(add_space_prefix) {
        if (vocab_.unknown < 0) {
            const auto unknown =
                std::find(vocab_.types.begin(), vocab_.types.end(), TokenType::Unknown);
            if (unknown != vocab_.types.end()) {
                vocab_.unknown = static_cast<TokenId>(unknown - vocab_.types.begin());
            }
        }
    }

    // True for tokens that merging may make: not unused ones, which the model never saw.
    bool is_plain(TokenId id) const {
        const TokenType type = vocab_.type(id);
        return type == TokenType::Normal || type == TokenType::Undefined ||
               type == TokenType::UserDefined;
    }

    void index_texts() {
        byte_tokens_.fill(-1);
        index_.reset(static_cast<std::size_t>(vocab_.size()));
        for (TokenId id = 0; id < vocab_.size(); ++id) {
            const std::string_view text = vocab_.texts[id];
            if (is_plain(id) && !text.empty()) {
                index_.add(id, [this](TokenId i) { return vocab_.texts[i]; });
                longest_ = std::max(longest_, text.size());
            } else if (vocab_.type(id) == TokenType::Byte && byte_of_token(text) >= 0) {
                TokenId& token = byte_tokens_[static_cast<std::size_t>(byte_of_token(text))];
                token = token < 0 ? id : token;
            }
        }
        for (TokenId& token : byte_tokens_) {
            token = token < 0 ? vocab_.unknown : token;
        }
    }

    // Scores to ranks: the best score is rank 0, equal scores share one.
    void rank_scores() {
        std::vector<float> sorted = vocab_.scores;
        std::sort(sorted.begin(), sorted.end(), std::greater<>());
        sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
        ranks_.reserve(vocab_.scores.size());
        for (const float score : vocab_.scores) {
            const auto at = std::lower_bound(sorted.begin(), sorted.end(), score, std::greater<>());
            ranks_.push_back(static_cast<std::uint32_t>(at - sorted.begin()));
        }
        vocab_.scores = {};
    }

    // Merging never reaches over a space that no token has inside, so text may be cut there and a
    // word looked up: joints_ has the bytes in front of spaces where that is not so.
    void find_joints_of_tokens() {
        for (TokenId id = 0; id < vocab_.size(); ++id) {
            if (is_plain(id)) {
                add_joints(vocab_.texts[id]);
            }
        }
    }
    // The halves of merges count: a token may have spaces inside that no merge puts there.
    void find_joints_of_merges(const std::vector<std::string>& merges) {
        for (const std::string_view merge : merges) {
            const std::size_t space =
                merge.find(' ', 1);  // MergeTable::build() saw that it is there
            const std::string_view left = merge.substr(0, space);
            if (starts_word(left, merge.substr(space + 1))) {
                joints_[static_cast<std::uint8_t>(left.back())] = true;
            }
        }
    }
    void add_joints(std::string_view text) {
        for (std::size_t at = text.find(kSpace, 1); at < text.size();
             at = text.find(kSpace, at + 1)) {
            if (starts_word(text.substr(0, at), text.substr(at))) {
                joints_[static_cast<std::uint8_t>(text[at - 1])] = true;
            }
        }
    }

    TokenId find(std::string_view text) const {
        return text.size() > longest_
                   ? -1
                   : index_.find(text, [this](TokenId id) { return vocab_.texts[id]; });
    }

    void decode(TokenId token, std::string& out) const override {
        std::string_view text = vocab_.texts[token];
        while (!text.empty()) {
            const std::size_t space = text.find(kSpace);
            out += text.substr(0, space);
            if (space == std::string_view::npos) {
                return;
            }
            out += ' ';
            text.remove_prefix(space + kSpace.size());
        }
    }

    bool adds_space() const override { return add_space_prefix_; }

    void encode(std::string_view text, bool is_start, std::vector<TokenId>& out) const override {
        std::string escaped;
        escaped.reserve(text.size() + text.size() / 2 + kSpace.size());
        if (is_start && add_space_prefix_) {
            escaped += kSpace;
        }
        for (const char c : text) {
            if (c == ' ') {
                escaped += kSpace;
            } else {
                escaped += c;
            }
        }
        Scratch scratch{{}, {}, WordCache(escaped.size())};
        const std::string_view whole = escaped;
        std::size_t begin = 0;
        while (begin < whole.size()) {
            const std::size_t end = end_of_word(whole, begin);
            const std::string_view word = whole.substr(begin, end - begin);
            if (!scratch.cache.append(word, out)) {
                const std::size_t first = out.size();
                encode_word(word, scratch, out);
                scratch.cache.remember(word, first, out);
            }
            begin = end;
        }
    }

    // The end of the word that begins at `begin`: before a space that nothing joins to it.
    std::size_t end_of_word(std::string_view text, std::size_t begin) const {
        for (std::size_t at = text.find(kSpace, begin + 1); at < text.size();
             at = text.find(kSpace, at + 1)) {
            if (starts_word(text.substr(begin, at - begin), text.substr(at)) &&
                !joints_[static_cast<std::uint8_t>(text[at - 1])]) {
                return at;
            }
        }
        return text.size();
    }

    void encode_word(std::string_view word, Scratch& scratch, std::vector<TokenId>& out) const {
        std::vector<Symbol>& symbols = scratch.symbols;
        symbols.clear();
        for (std::size_t at = 0; at < word.size();) {
            const Utf8Step step = utf8_step(word, at);
            const std::size_t bytes = step.kind == Utf8Step::Kind::Valid ? step.bytes : 1;
            symbols.push_back({static_cast<std::uint32_t>(at),
                               static_cast<std::uint32_t>(at + bytes),
                               find(word.substr(at, bytes))});
            at += bytes;
        }
        if (has_merges_) {
            merge_symbols(
                symbols,
                [this](const Symbol& left, const Symbol& right) {
                    return merges_.find(left.id, right.id);
                },
                scratch.merge);
        } else {
            // Two characters merge if what they make is a token, whether they are tokens or not.
            merge_symbols(
                symbols,
                [&](const Symbol& left, const Symbol& right) {
                    const TokenId id = find(word.substr(left.begin, right.end - left.begin));
                    return id < 0 ? MergeResult{}
                                  : MergeResult{ranks_[static_cast<std::size_t>(id)], id};
                },
                scratch.merge);
        }
        for (const Symbol& symbol : symbols) {
            if (symbol.id >= 0) {
                out.push_back(symbol.id);
                continue;
            }
            for (const char c : word.substr(symbol.begin, symbol.end - symbol.begin)) {
                const TokenId token = byte_tokens_[static_cast<std::uint8_t>(c)];
                if (token >= 0) {
                    out.push_back(token);
                }
            }
        }
    }

    bool add_space_prefix_;
    StringIndex index_;
    std::size_t longest_ = 0;
    std::vector<std::uint32_t> ranks_;  // by scores
    bool has_merges_ = false;
    MergeTable merges_;
    std::bitset<256> joints_;
    std::array<TokenId, 256> byte_tokens_{};
};

Result<bool> adds_space_prefix(const Metadata& metadata, bool unless_said) {
    constexpr std::string_view kPrefix = "tokenizer.ggml.add_space_prefix";
    return metadata.contains(kPrefix) ? metadata.boolean(kPrefix) : Result<bool>(unless_said);
}

bool always_begins(const Metadata& metadata) {
    const auto model = metadata.string("tokenizer.ggml.model");
    const auto pre = metadata.string("tokenizer.ggml.pre");
    return (model && *model == kMergedPiecesName) || (pre && *pre == kMergedPiecesName);
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_sentence_piece(const Metadata& metadata) {
    auto vocab = Vocab::read(metadata, {.wants_scores = true, .add_bos = true});
    if (!vocab) {
        return vocab.error();
    }
    const auto prefix = adds_space_prefix(metadata, true);
    if (!prefix) {
        return prefix.error();
    }
    return SentencePiece::create(std::move(vocab).value(), *prefix, nullptr);
}

Result<std::unique_ptr<Tokenizer>> make_merged_pieces(const Metadata& metadata) {
    const auto merges = metadata.array("tokenizer.ggml.merges", MetadataType::String);
    if (!merges) {
        return merges.error();
    }
    auto vocab = Vocab::read(metadata, {.wants_scores = false, .add_bos = true});
    if (!vocab) {
        return vocab.error();
    }
    const auto prefix = adds_space_prefix(metadata, false);
    if (!prefix) {
        return prefix.error();
    }
    // Gemma 4 was never trained without it; files of its first weeks say that it is not added.
    if (always_begins(metadata)) {
        vocab->add_bos = true;
    }
    return SentencePiece::create(std::move(vocab).value(), *prefix, &(*merges)->strings);
}

}  // namespace hearth
