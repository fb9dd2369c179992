#include "text/vocab.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace hearth {
namespace {

constexpr std::string_view kTokens = "tokenizer.ggml.tokens";
constexpr std::string_view kTypes = "tokenizer.ggml.token_type";
constexpr std::string_view kScores = "tokenizer.ggml.scores";
constexpr std::size_t kMaxVocabBytes = std::size_t{1} << 30;

// What models end their turn with, as published models spell it.
constexpr std::array<std::string_view, 24> kEndOfTurn = {
    "<|im_end|>",
    "<|eot_id|>",
    "<|eom_id|>",
    "<end_of_turn>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|end|>",
    "</s>",
    "<|end_of_turn|>",
    "<eos>",
    "<|eot|>",
    "<EOT>",
    "<|END_OF_TURN_TOKEN|>",
    "<|return|>",
    "<|end_of_role|>",
    "<turn|>",
    "<|tool_response>",
    "<|call|>",
    "<|tools_suffix|>",
    "<end_of_utterance>",
    "_<EOT>",
    "[EOT]",
    "[e~[",
    "<\xEF\xBD\x9C"
    "end\xE2\x96\x81of\xE2\x96\x81sentence\xEF\xBD\x9C>"};

// Message formats whose <|end|> only closes a part of the answer have <|return|> for its end.
constexpr std::string_view kPartEnd = "<|end|>";
constexpr std::string_view kAnswerEnd = "<|return|>";

// In Gemma's vocabularies </s> ends struck-out text in HTML, and these end a turn.
constexpr std::string_view kHtmlEnd = "</s>";
constexpr std::array<std::string_view, 2> kTurnEnds = {"<end_of_turn>", "<turn|>"};

Error bad(std::string_view key, const std::string& what) {
    return Error{.code = ErrorCode::BadFile,
                 .message = std::string(key) + ": " + what,
                 .path = {},
                 .field = std::string(key)};
}

std::string entry(std::string_view key, std::size_t index) {
    return std::string(key) + "[" + std::to_string(index) + "]";
}

bool is_usual_end(std::string_view text) {
    return std::find(kEndOfTurn.begin(), kEndOfTurn.end(), text) != kEndOfTurn.end();
}

bool is_chat_markup(std::string_view text) {
    return text == "<|im_start|>" || is_usual_end(text);
}

// Written as I32 by most, as U32 by some.
Result<std::vector<TokenType>> read_types(const Metadata& metadata, std::size_t count) {
    std::vector<TokenType> types(count, TokenType::Normal);
    const MetadataValue* value = metadata.find(kTypes);
    if (value == nullptr) {
        return types;
    }
    const auto* array = std::get_if<MetadataArray>(&value->value);
    if (array == nullptr ||
        array->size() != array->signed_values.size() + array->unsigned_values.size()) {
        return bad(kTypes, "wanted an array of integers");
    }
    if (array->size() != count) {
        return bad(kTypes, std::to_string(array->size()) + " types for " + std::to_string(count) +
                               " tokens");
    }
    for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t number =
            array->signed_values.empty()
                ? static_cast<std::int64_t>(std::min<std::uint64_t>(array->unsigned_values[i], 255))
                : array->signed_values[i];
        if (number < 0 || number > 6) {
            return bad(kTypes,
                       entry("type", i) + " is " + std::to_string(number) + ", wanted 0 to 6");
        }
        types[i] = static_cast<TokenType>(number);
    }
    return types;
}

Result<std::vector<float>> read_scores(const Metadata& metadata, std::size_t count) {
    const auto array = metadata.array(kScores, MetadataType::F32);
    if (!array) {
        return array.error();
    }
    const std::vector<double>& values = (*array)->floating;
    if (values.size() != count) {
        return bad(kScores, std::to_string(values.size()) + " scores for " + std::to_string(count) +
                                " tokens");
    }
    std::vector<float> scores;
    scores.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (std::isnan(values[i])) {
            return bad(kScores, entry("score", i) + " is not a number");
        }
        scores.push_back(static_cast<float>(values[i]));
    }
    return scores;
}

// -1 if the file does not have the key.
Result<TokenId> read_id(const Metadata& metadata, std::string_view key, std::size_t count) {
    if (!metadata.contains(key)) {
        return TokenId{-1};
    }
    const auto id = metadata.integer(key, 0, static_cast<std::int64_t>(count) - 1);
    if (!id) {
        return id.error();
    }
    return static_cast<TokenId>(*id);
}

Result<bool> read_flag(const Metadata& metadata, std::string_view key, bool fallback) {
    return metadata.contains(key) ? metadata.boolean(key) : Result<bool>(fallback);
}

}  // namespace

Result<Vocab> Vocab::read(const Metadata& metadata, const Defaults& defaults) {
    const auto tokens = metadata.array(kTokens, MetadataType::String);
    if (!tokens) {
        return tokens.error();
    }
    const std::vector<std::string>& list = (*tokens)->strings;
    if (list.empty()) {
        return bad(kTokens, "the vocabulary is empty");
    }
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (list[i].size() > kMaxTokenBytes) {
            return bad(kTokens, entry("token", i) + " has " + std::to_string(list[i].size()) +
                                    " bytes, at most " + std::to_string(kMaxTokenBytes) +
                                    " are allowed");
        }
        bytes += list[i].size();
    }
    if (bytes > kMaxVocabBytes || list.size() > kMaxVocabBytes) {
        return bad(kTokens, std::to_string(bytes) + " bytes of tokens, at most " +
                                std::to_string(kMaxVocabBytes) + " are allowed");
    }

    Vocab vocab;
    vocab.texts.reserve(list.size(), bytes);
    for (const std::string& text : list) {
        vocab.texts.add(text);
    }
    auto types = read_types(metadata, list.size());
    if (!types) {
        return types.error();
    }
    vocab.types = std::move(types).value();
    if (defaults.wants_scores) {
        auto scores = read_scores(metadata, list.size());
        if (!scores) {
            return scores.error();
        }
        vocab.scores = std::move(scores).value();
    }

    const std::array<std::pair<std::string_view, TokenId*>, 3> kept = {{
        {"tokenizer.ggml.bos_token_id", &vocab.bos},
        {"tokenizer.ggml.eos_token_id", &vocab.eos},
        {"tokenizer.ggml.unknown_token_id", &vocab.unknown},
    }};
    for (const auto& [key, target] : kept) {
        const auto id = read_id(metadata, key, list.size());
        if (!id) {
            return id.error();
        }
        *target = *id;
    }
    // Some files name a control token here; text must not turn into one.
    if (vocab.unknown >= 0 && vocab.type(vocab.unknown) != TokenType::Unknown) {
        vocab.unknown = -1;
    }
    std::array<TokenId, 2> ends{};
    for (std::size_t i = 0; i < ends.size(); ++i) {
        constexpr std::array<std::string_view, 2> kKeys = {"tokenizer.ggml.eot_token_id",
                                                           "tokenizer.ggml.eom_token_id"};
        const auto id = read_id(metadata, kKeys[i], list.size());
        if (!id) {
            return id.error();
        }
        ends[i] = *id;
    }
    const auto add_bos = read_flag(metadata, "tokenizer.ggml.add_bos_token", defaults.add_bos);
    const auto add_eos = read_flag(metadata, "tokenizer.ggml.add_eos_token", false);
    if (!add_bos || !add_eos) {
        return !add_bos ? add_bos.error() : add_eos.error();
    }
    vocab.add_bos = *add_bos;
    vocab.add_eos = *add_eos;

    // Files from before converters marked chat tokens as control have them as user-defined ones,
    // which would be recognised inside messages too.
    const auto promote = [&](TokenId id) {
        TokenType& type = vocab.types[static_cast<std::size_t>(id)];
        if (type == TokenType::UserDefined) {
            type = TokenType::Control;
        }
    };
    vocab.end_of_turn.assign(list.size(), false);
    for (const TokenId id : {vocab.bos, vocab.eos, ends[0], ends[1]}) {
        if (id >= 0 && !metadata.contains(kTypes)) {
            vocab.types[static_cast<std::size_t>(id)] = TokenType::Control;
        } else if (id >= 0) {
            promote(id);
        }
    }
    for (const TokenId id : {vocab.eos, ends[0], ends[1]}) {
        if (id >= 0) {
            vocab.end_of_turn[static_cast<std::size_t>(id)] = true;
        }
    }
    const bool has_turn_ends = std::find_first_of(list.begin(), list.end(), kTurnEnds.begin(),
                                                  kTurnEnds.end()) != list.end();
    std::optional<std::size_t> part_end;
    bool has_answer_end = false;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (vocab.types[i] != TokenType::Control && vocab.types[i] != TokenType::UserDefined) {
            continue;
        }
        if (!is_chat_markup(list[i]) || (has_turn_ends && list[i] == kHtmlEnd)) {
            continue;
        }
        promote(static_cast<TokenId>(i));
        if (is_usual_end(list[i])) {
            vocab.end_of_turn[i] = true;
        }
        if (list[i] == kPartEnd) {
            part_end = i;
        }
        has_answer_end = has_answer_end || list[i] == kAnswerEnd;
    }
    if (part_end && has_answer_end && static_cast<TokenId>(*part_end) != vocab.eos) {
        vocab.end_of_turn[*part_end] = false;
    }
    return vocab;
}

int byte_of_token(std::string_view text) {
    if (text.size() != 6 || !text.starts_with("<0x") || text[5] != '>') {
        return -1;
    }
    int value = 0;
    for (const char c : text.substr(3, 2)) {
        int digit = 0;
        if (c >= '0' && c <= '9') {
            digit = c - '0';
        } else if (c >= 'A' && c <= 'F') {
            digit = c - 'A' + 10;
        } else if (c >= 'a' && c <= 'f') {
            digit = c - 'a' + 10;
        } else {
            return -1;
        }
        value = value * 16 + digit;
    }
    return value;
}

bool has_control_token(const Metadata& metadata, std::string_view text) {
    const auto tokens = metadata.array(kTokens, MetadataType::String);
    if (!tokens || !metadata.contains(kTypes)) {
        return false;
    }
    const std::vector<std::string>& list = (*tokens)->strings;
    const auto types = read_types(metadata, list.size());
    if (!types) {
        return false;
    }
    for (std::size_t i = 0; i < list.size(); ++i) {
        const TokenType type = (*types)[i];
        if (list[i] == text && (type == TokenType::Control ||
                                (type == TokenType::UserDefined && is_chat_markup(text)))) {
            return true;
        }
    }
    return false;
}

}  // namespace hearth
