// Any text with small vocabularies of every kind, and vocabularies made of the input itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/vocab_fixture.h"
#include "fuzz/fuzz_input.h"
#include "text/compose.h"
#include "text/pre_tokenizer.h"
#include "text/tokenizer.h"
#include "text/utf8.h"
#include "text/utf8_stream.h"

namespace {

using namespace hearth;
using fuzz::FuzzInput;

// Bits of the first byte.
constexpr unsigned kSentencePiece = 1;
constexpr unsigned kOwnTokens = 2;      // the input brings tokens
constexpr unsigned kNoFixture = 4;      // and no others are there: bytes may have none
constexpr unsigned kAddSpecial = 8;     // tokenize(add_special)
constexpr unsigned kParseSpecial = 16;  // tokenize(parse_special)
constexpr unsigned kMergedPieces = 32;  // and not kSentencePiece
constexpr unsigned kBroken = 64;        // one of the file's arrays is too short

bool spells_characters(unsigned bits) {
    return (bits & (kSentencePiece | kMergedPieces)) != 0;
}

// The last pick is a name that nobody knows.
std::string_view pre_tokenizer_name(std::uint8_t pick) {
    const auto rows = pre_tokenizers();
    const std::size_t i = pick % (rows.size() + 1);
    return i < rows.size() ? rows[i].name : "no such";
}

test::VocabFixture fixture(unsigned bits) {
    return (bits & kSentencePiece) != 0  ? test::sentence_piece_fixture()
           : (bits & kMergedPieces) != 0 ? test::merged_pieces_fixture()
                                         : test::byte_level_fixture();
}

// The fixed vocabularies are made once: to compile a pre-tokenizer's patterns takes longer than all
// the rest.
const Tokenizer& fixed_tokenizer(unsigned bits, std::uint8_t pick) {
    static const std::unique_ptr<Tokenizer> pieces =
        test::make_tokenizer(test::sentence_piece_fixture());
    static const std::unique_ptr<Tokenizer> merged =
        test::make_tokenizer(test::merged_pieces_fixture());
    if (spells_characters(bits)) {
        return (bits & kSentencePiece) != 0 ? *pieces : *merged;
    }
    static std::vector<std::unique_ptr<Tokenizer>> by_row(pre_tokenizers().size() + 1);
    std::unique_ptr<Tokenizer>& made = by_row[pick % by_row.size()];
    if (made == nullptr) {
        auto vocab = test::byte_level_fixture();
        vocab.set("pre", test::text_value(std::string(pre_tokenizer_name(pick))));
        made = test::make_tokenizer(vocab);
        FUZZ_CHECK(made != nullptr);
    }
    return *made;
}

// tokens: type, score, text; then merges; then where the file's special tokens are.
// n_own: how many tokens the input brought.
test::VocabFixture own_vocabulary(unsigned bits, std::uint8_t pick, FuzzInput& input, int& n_own) {
    test::VocabFixture vocab;
    if ((bits & kNoFixture) == 0) {
        vocab = fixture(bits);
    }
    vocab.model = fixture(bits).model;
    n_own = input.byte() % 64;
    for (int left = n_own; left > 0; --left) {
        const std::int64_t type = input.byte() % 8;  // 7 is none
        const std::uint8_t score = input.byte();
        vocab.add(input.text(), type, score == 255 ? std::nan("") : -static_cast<double>(score));
    }
    for (unsigned left = input.byte() % 64U; left > 0; --left) {
        vocab.merges.push_back(input.text());
    }
    constexpr std::array kIds = {"bos_token_id", "eos_token_id", "unknown_token_id",
                                 "eot_token_id"};
    for (const char* key : kIds) {
        if (const std::uint8_t id = input.byte(); id != 0) {
            vocab.set(key, test::id_value(id - 1U));
        }
    }
    const std::uint8_t flags = input.byte();
    vocab.set("add_bos_token", test::flag_value((flags & 1U) != 0));
    vocab.set("add_eos_token", test::flag_value((flags & 2U) != 0));
    vocab.set("add_space_prefix", test::flag_value((flags & 4U) != 0));
    if ((bits & kBroken) != 0 && !vocab.types.empty()) {
        ((flags & 8U) != 0 ? vocab.types.pop_back() : vocab.scores.pop_back());
    }
    if (!spells_characters(bits)) {
        vocab.set("pre", test::text_value(std::string(pre_tokenizer_name(pick))));
    }
    return vocab;
}

bool is_valid_utf8(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const Utf8Step step = utf8_step(text, at);
        if (step.kind != Utf8Step::Kind::Valid) {
            return false;
        }
        at += step.bytes;
    }
    return true;
}

void check_pieces(const Tokenizer& tokenizer, std::span<const TokenId> tokens) {
    Utf8Stream stream;
    std::string piece;
    for (const TokenId token : tokens) {
        FUZZ_CHECK(token >= 0 && token < tokenizer.n_vocab());
        piece.clear();
        tokenizer.append_piece(token, false, piece);
        FUZZ_CHECK(piece.empty() || !tokenizer.is_special(token));
        FUZZ_CHECK(is_valid_utf8(stream.push(piece)));
    }
    FUZZ_CHECK(is_valid_utf8(stream.finish()));
}

// One segment is the text itself; several without markup are their text joined.
void check_segments(const Tokenizer& tokenizer, const std::string& text, std::size_t cut) {
    const std::array whole = {TextSegment{text, true}};
    FUZZ_CHECK(tokenizer.tokenize(whole, false) == tokenizer.tokenize(text, false, true));
    const std::array parts = {TextSegment{text.substr(0, cut), false},
                              TextSegment{text.substr(cut), false}};
    FUZZ_CHECK(tokenizer.tokenize(parts, false) == tokenizer.tokenize(text, false, false));
    const std::array mixed = {TextSegment{text.substr(0, cut), true},
                              TextSegment{text.substr(cut), false}};
    check_pieces(tokenizer, tokenizer.tokenize(mixed, true));
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    FuzzInput input(data, size);
    const unsigned bits = input.byte();
    const std::uint8_t pick = input.byte();
    std::unique_ptr<Tokenizer> own;
    int n_own = 0;
    if ((bits & kOwnTokens) != 0) {
        auto made = Tokenizer::create(own_vocabulary(bits, pick, input, n_own).metadata());
        if (!made) {
            FUZZ_CHECK(fuzz::is_fit_message(made.error().message));
            FUZZ_CHECK(made.error().code == ErrorCode::BadFile);
            return 0;
        }
        own = std::move(made).value();
    }
    const Tokenizer& tokenizer = own != nullptr ? *own : fixed_tokenizer(bits, pick);
    const std::uint8_t cut = input.byte();
    const std::string text = input.rest();

    const bool parse_special = (bits & kParseSpecial) != 0;
    check_pieces(tokenizer, tokenizer.tokenize(text, (bits & kAddSpecial) != 0, parse_special));
    check_segments(tokenizer, text, text.empty() ? 0 : cut % text.size());
    // The input's own tokens come last.
    for (TokenId token = std::max(0, tokenizer.n_vocab() - n_own); token < tokenizer.n_vocab();
         ++token) {
        const std::array one = {token};
        check_pieces(tokenizer, one);
    }

    // Every byte has a token, so text comes back whole: always from byte-level vocabularies, but
    // for those that compose it; from SentencePiece but for U+2581, which it cannot tell from a
    // space.
    const bool complete = (bits & kOwnTokens) == 0 || (bits & kNoFixture) == 0;
    const bool has_own_space = spells_characters(bits) &&
                               (own != nullptr || text.find("\xE2\x96\x81") != std::string::npos);
    const bool composes = !spells_characters(bits) && may_need_composing(text) &&
                          pre_tokenizer_of(pre_tokenizer_name(pick)).has(PreTokenizerRow::kNfc);
    if (complete && !has_own_space && !composes) {
        const auto tokens = tokenizer.tokenize(text, false, parse_special);
        FUZZ_CHECK(tokenizer.detokenize(tokens) == text);
    }
    return 0;
}
