// The patterns as the models' published tokenizer.json (or, before there was one, OpenAI's
// tiktoken) state them. A row stands here only if its pattern is known for certain: a wrong one
// would give a model text it was never trained on, and nothing would say so.
#include <algorithm>
#include <array>

#include "text/pre_tokenizer.h"

namespace hearth {
namespace {

using Pattern = std::string_view;

// ByteLevel with use_regex.
#define HEARTH_GPT2 R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"

constexpr std::array<Pattern, 1> kGpt2 = {HEARTH_GPT2};

// Digits (individual_digits), then ByteLevel with use_regex.
constexpr std::array<Pattern, 2> kDigitsGpt2 = {R"(\p{N})", HEARTH_GPT2};

// cl100k, the pattern of GPT-4.
constexpr std::array<Pattern, 1> kLlama3 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

// The same with digits one by one.
constexpr std::array<Pattern, 1> kQwen2 = {
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

// o200k.
constexpr std::array<Pattern, 1> kGpt4o = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

// Mistral Nemo.
constexpr std::array<Pattern, 1> kTekken = {
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"};

// Punctuation (contiguous: ASCII punctuation and \p{P}), ByteLevel with use_regex, digits in
// threes. The file has Digits (contiguous) before the last step, which there sees bytes written as
// characters; no merge of the vocabulary crosses such a border, so it makes no difference.
constexpr std::array<Pattern, 3> kFalcon = {R"([!-/:-@\[-`{-~\p{P}]+)", HEARTH_GPT2,
                                            R"([0-9][0-9][0-9])"};

// U+4E00 to U+9FA5, U+0800 to U+4E00, U+AC00 to U+D7FF: as published, in one class.
#define HEARTH_DEEPSEEK_CJK R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)"

constexpr std::array<Pattern, 5> kDeepseekCoder = {R"([\r\n])", R"(\s?\p{L}+)", R"(\s?\p{P}+)",
                                                   HEARTH_DEEPSEEK_CJK, R"(\p{N})"};

// The letters that have case, as of the Unicode version the tokenizer was made with. The fourth
// is \s+$ in the file; a run of spaces can only begin where none stands before it, and saying so
// keeps the search linear.
constexpr std::array<Pattern, 6> kDeepseekLlm = {
    R"([\r\n])",
    R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293})"
    R"(\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386}\x{388}-\x{38A})"
    R"(\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F}\x{531}-\x{556})"
    R"(\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA}\x{1CBD}-\x{1CBF})"
    R"(\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15}\x{1F18}-\x{1F1D})"
    R"(\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D})"
    R"(\x{1F5F}-\x{1F7D})"
    R"(\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4}\x{1FC6}-\x{1FCC})"
    R"(\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4}\x{1FF6}-\x{1FFC})"
    R"(\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126}\x{2128})"
    R"(\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E})"
    R"(\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3})"
    R"(\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787}\x{A78B}-\x{A78E})"
    R"(\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A})"
    R"(\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2})"
    R"(\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+)",
    R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)",
    R"((?<!\s)\s+$)",
    HEARTH_DEEPSEEK_CJK,
    R"(\p{N})"};

constexpr std::array<Pattern, 3> kDeepseekV3 = {
    R"(\p{N}{1,3})", R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)",
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|)"
    R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)"};

#undef HEARTH_GPT2
#undef HEARTH_DEEPSEEK_CJK

constexpr std::array kRows = {
    PreTokenizerRow{"gpt-2", kGpt2},
    PreTokenizerRow{"phi-2", kGpt2},
    PreTokenizerRow{"mpt", kGpt2},
    PreTokenizerRow{"olmo", kGpt2},
    PreTokenizerRow{"starcoder", kDigitsGpt2},
    PreTokenizerRow{"refact", kDigitsGpt2},
    PreTokenizerRow{"command-r", kDigitsGpt2},
    PreTokenizerRow{"smollm", kDigitsGpt2},
    PreTokenizerRow{"llama3", kLlama3, true, true},
    PreTokenizerRow{"llama-v3", kLlama3, true, true},
    PreTokenizerRow{"llama-bpe", kLlama3, true, true},
    PreTokenizerRow{"dbrx", kLlama3},
    PreTokenizerRow{"qwen2", kQwen2},
    PreTokenizerRow{"deepseek-r1-qwen", kQwen2},
    PreTokenizerRow{"gpt-4o", kGpt4o},
    PreTokenizerRow{"tekken", kTekken, true, true},
    PreTokenizerRow{"falcon", kFalcon},
    PreTokenizerRow{"deepseek-llm", kDeepseekLlm},
    PreTokenizerRow{"deepseek-coder", kDeepseekCoder},
    PreTokenizerRow{"deepseek-v3", kDeepseekV3},
};

}  // namespace

constinit const std::string_view kByteLevelBpeName = "gpt2";
constinit const std::string_view kSentencePieceName = "llama";

std::span<const PreTokenizerRow> pre_tokenizers() {
    return kRows;
}

const PreTokenizerRow* find_pre_tokenizer(std::string_view name) {
    const auto row = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const PreTokenizerRow& r) { return r.name == name; });
    return row == kRows.end() ? nullptr : &*row;
}

}  // namespace hearth
