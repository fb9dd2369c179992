#include "text/tokenizer.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "text/byte_level_bpe.h"
#include "text/pre_tokenizer.h"
#include "text/quoted.h"
#include "text/sentence_piece.h"
#include "text/tokenizer_base.h"
#include "text/utf8.h"

namespace hearth {
namespace {
// Positions in a run are 32 bits wide, with room for the characters SentencePiece puts in. Longer
// runs without a special token are cut here.
constexpr std::size_t kMaxRunBytes = std::size_t{1} << 28;

constexpr std::string_view kModel = "tokenizer.ggml.model";

Result<std::string> pre_tokenizer_name(const Metadata& metadata) {
    constexpr std::string_view kPre = "tokenizer.ggml.pre";
    return metadata.contains(kPre) ? metadata.string(kPre)
                                   : Result<std::string>(std::string(kFirstPreTokenizer));
}

// Files of the kind "gpt2" whose vocabulary is spelled in characters, not in bytes.
bool is_merged_pieces(std::string_view pre) {
    return pre == kMergedPiecesName || pre == "sarvam-moe";
}

}  // namespace

Result<std::unique_ptr<Tokenizer>> Tokenizer::create(const Metadata& metadata) {
    const auto model = metadata.string(kModel);
    if (!model) {
        return model.error();
    }
    if (*model == kByteLevelBpeName) {
        const auto pre = pre_tokenizer_name(metadata);
        if (!pre) {
            return pre.error();
        }
        return is_merged_pieces(*pre) ? make_merged_pieces(metadata)
                                      : make_byte_level_bpe(metadata, *pre);
    }
    if (*model == kSentencePieceName) {
        return make_sentence_piece(metadata);
    }
    if (*model == kMergedPiecesName) {
        return make_merged_pieces(metadata);
    }
    return Error{.code = ErrorCode::Unsupported,
                 .message = std::string(kModel) + ": this version has no tokenizer of the kind " +
                            in_quotes(*model) + " (it has " + in_quotes(kByteLevelBpeName) + ", " +
                            in_quotes(kSentencePieceName) + " and " + in_quotes(kMergedPiecesName) +
                            ")",
                 .path = {},
                 .field = std::string(kModel)};
}

std::string Tokenizer::fallback_of(const Metadata& metadata) {
    const auto model = metadata.string(kModel);
    const auto pre = pre_tokenizer_name(metadata);
    const bool has_words = model && pre && *model == kByteLevelBpeName && !is_merged_pieces(*pre);
    return has_words ? std::string(pre_tokenizer_fallback(*pre)) : std::string();
}

Result<void> TokenizerBase::prepare() {
    auto specials = SpecialTokens::build(vocab_);
    if (!specials) {
        return specials.error();
    }
    specials_ = std::move(specials).value();
    std::size_t bytes = 0;
    for (TokenId id = 0; id < vocab_.size(); ++id) {
        bytes += vocab_.texts[id].size();
    }
    pieces_.reserve(static_cast<std::size_t>(vocab_.size()), bytes);
    std::string piece;
    for (TokenId id = 0; id < vocab_.size(); ++id) {
        const TokenType type = vocab_.type(id);
        if (type == TokenType::UserDefined || vocab_.is_special(id)) {
            pieces_.add(vocab_.texts[id]);
            continue;
        }
        piece.clear();
        const int byte = type == TokenType::Byte ? byte_of_token(vocab_.texts[id]) : -1;
        if (byte >= 0) {
            piece.push_back(static_cast<char>(byte));
        } else {
            decode(id, piece);
        }
        pieces_.add(piece);
    }
    return {};
}

std::vector<TokenId> TokenizerBase::tokenize(std::string_view text, bool add_special,
                                             bool parse_special) const {
    const Range all{0, text.size()};
    return tokenize(text, std::span(&all, parse_special ? 1 : 0), add_special);
}

std::vector<TokenId> TokenizerBase::tokenize(std::span<const TextSegment> segments,
                                             bool add_special) const {
    std::string text;
    std::vector<Range> markup;
    for (const TextSegment& segment : segments) {
        if (segment.markup) {
            markup.push_back({text.size(), text.size() + segment.text.size()});
        }
        text += segment.text;
    }
    return tokenize(text, markup, add_special);
}

std::vector<TokenId> TokenizerBase::tokenize(std::string_view text, std::span<const Range> markup,
                                             bool add_special) const {
    std::vector<TokenId> out;
    out.reserve(text.size() / 3 + 2);
    if (add_special && vocab_.add_bos && vocab_.bos >= 0) {
        out.push_back(vocab_.bos);
    }
    bool is_start = true;
    std::size_t run = 0;  // where the text since the last special token begins
    std::size_t at = 0;
    while (at < text.size()) {
        while (!markup.empty() && markup.front().end <= at) {
            markup = markup.subspan(1);
        }
        const bool in_markup = !markup.empty() && markup.front().begin <= at;
        const SpecialTokens::Match match =
            specials_.starts_with(text[at])
                ? specials_.match(text, at, in_markup ? markup.front().end : 0)
                : SpecialTokens::Match{};
        if (match.bytes == 0) {
            ++at;
            continue;
        }
        if (run < at) {
            encode_run(text.substr(run, at - run), is_start, out);
            is_start = false;
        }
        out.push_back(match.id);
        is_start = is_start || vocab_.type(match.id) == TokenType::Control;
        at += match.bytes;
        run = at;
    }
    if (run < text.size()) {
        encode_run(text.substr(run), is_start, out);
    }
    if (add_special && vocab_.add_eos && vocab_.eos >= 0) {
        out.push_back(vocab_.eos);
    }
    return out;
}

void TokenizerBase::encode_run(std::string_view text, bool is_start,
                               std::vector<TokenId>& out) const {
    while (text.size() > kMaxRunBytes) {
        std::size_t cut = 0;
        // From a little before the limit on, so that no character is cut.
        for (std::size_t at = kMaxRunBytes - 64; at <= kMaxRunBytes;) {
            cut = at;
            at += utf8_step(text, at).bytes;
        }
        encode(text.substr(0, cut), is_start, out);
        text.remove_prefix(cut);
        is_start = false;
    }
    encode(text, is_start, out);
}

void TokenizerBase::append_piece(TokenId token, bool special, std::string& out) const {
    HEARTH_ASSERT(token >= 0 && token < n_vocab());
    if (special || !is_special(token)) {
        out += pieces_[token];
    }
}

std::string TokenizerBase::detokenize(std::span<const TokenId> tokens) const {
    std::string out;
    bool is_start = true;
    for (const TokenId token : tokens) {
        HEARTH_ASSERT(token >= 0 && token < n_vocab());
        const TokenType type = vocab_.type(token);
        std::string_view piece = pieces_[token];
        if (type == TokenType::Control) {
            is_start = true;
        } else if (type != TokenType::UserDefined) {
            if (is_start && adds_space() && piece.starts_with(' ')) {
                piece.remove_prefix(1);
            }
            is_start = false;
        }
        out += piece;
    }
    return out;
}

}  // namespace hearth
