#include "text/sentence_piece.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/merge_symbols.h"
#include "text/string_index.h"
#include "text/tokenizer_base.h"
#include "text/utf8.h"

namespace hearth {
namespace {

constexpr std::string_view kSpace = "\xE2\x96\x81";  // U+2581 stands for a space

class SentencePiece final : public TokenizerBase {
public:
    static Result<std::unique_ptr<Tokenizer>> create(Vocab vocab, bool add_space_prefix) {
        std::unique_ptr<SentencePiece> made(new SentencePiece(std::move(vocab), add_space_prefix));
        auto prepared = made->prepare();
        if (!prepared) {
            return prepared.error();
        }
        made->index_texts();
        made->rank_scores();
        return std::unique_ptr<Tokenizer>(std::move(made));
    }

private:
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
        std::vector<Symbol> symbols;
        symbols.reserve(escaped.size());
        for (std::size_t at = 0; at < escaped.size();) {
            const Utf8Step step = utf8_step(escaped, at);
            const std::size_t bytes = step.kind == Utf8Step::Kind::Valid ? step.bytes : 1;
            const std::string_view character(escaped.data() + at, bytes);
            symbols.push_back({static_cast<std::uint32_t>(at),
                               static_cast<std::uint32_t>(at + bytes), find(character)});
            at += bytes;
        }
        // Two characters merge if what they make is a token, whether they are tokens or not.
        const std::string_view whole = escaped;
        MergeScratch scratch;
        merge_symbols(
            symbols,
            [&](const Symbol& left, const Symbol& right) {
                const TokenId id = find(whole.substr(left.begin, right.end - left.begin));
                return id < 0 ? MergeResult{}
                              : MergeResult{ranks_[static_cast<std::size_t>(id)], id};
            },
            scratch);
        for (const Symbol& symbol : symbols) {
            if (symbol.id >= 0) {
                out.push_back(symbol.id);
                continue;
            }
            for (const char c : whole.substr(symbol.begin, symbol.end - symbol.begin)) {
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
    std::vector<std::uint32_t> ranks_;
    std::array<TokenId, 256> byte_tokens_{};
};

}  // namespace

Result<std::unique_ptr<Tokenizer>> make_sentence_piece(const Metadata& metadata) {
    auto vocab = Vocab::read(metadata, {.wants_scores = true, .add_bos = true});
    if (!vocab) {
        return vocab.error();
    }
    bool add_space_prefix = true;
    constexpr std::string_view kPrefix = "tokenizer.ggml.add_space_prefix";
    if (metadata.contains(kPrefix)) {
        const auto flag = metadata.boolean(kPrefix);
        if (!flag) {
            return flag.error();
        }
        add_space_prefix = *flag;
    }
    return SentencePiece::create(std::move(vocab).value(), add_space_prefix);
}

}  // namespace hearth
