// The patterns as the models' published tokenizer.json (or, before there was one, their own code)
// state them. docs/decisions/0065 says which rows rest on a second source, and where that source
// differs from what a model publishes.
#include <algorithm>
#include <array>

#include "text/pre_tokenizer.h"

namespace hearth {
namespace {

using Step = PreTokenizerStep;
using Cut = PreTokenizerStep::Cut;

// ByteLevel with use_regex.
#define HEARTH_GPT2 R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)"

constexpr std::array<Step, 1> kGpt2 = {{{HEARTH_GPT2}}};

// Digits (individual_digits), then ByteLevel with use_regex.
constexpr std::array<Step, 2> kDigitsGpt2 = {{{R"(\p{N})"}, {HEARTH_GPT2}}};

// Parts of cl100k, the pattern of GPT-4, which many others share.
#define HEARTH_ENDINGS R"((?i:'s|'t|'re|'ve|'m|'ll|'d))"
#define HEARTH_WORD R"([^\r\n\p{L}\p{N}]?\p{L}+)"
#define HEARTH_SIGNS R"( ?[^\s\p{L}\p{N}]+[\r\n]*)"
#define HEARTH_SPACES R"(\s*[\r\n]+|\s+(?!\S)|\s+)"

constexpr std::array<Step, 1> kLlama3 = {
    {{HEARTH_ENDINGS "|" HEARTH_WORD R"(|\p{N}{1,3}|)" HEARTH_SIGNS "|" HEARTH_SPACES}}};

// The same with digits one by one.
#define HEARTH_QWEN2 HEARTH_ENDINGS "|" HEARTH_WORD R"(|\p{N}|)" HEARTH_SIGNS "|" HEARTH_SPACES
constexpr std::array<Step, 1> kQwen2 = {{{HEARTH_QWEN2}}};

// Marks belong to the letters.
constexpr std::array<Step, 1> kQwen35 = {
    {{HEARTH_ENDINGS R"(|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
                     R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|)" HEARTH_SPACES}}};

// Lines, then as Qwen2.
constexpr std::array<Step, 2> kLaguna = {{{R"([^\n]+|[\n]+)"}, {HEARTH_QWEN2}}};

// Qwen2 without the English endings.
constexpr std::array<Step, 1> kUfakzeka = {
    {{HEARTH_WORD R"(|\p{N}|)" HEARTH_SIGNS "|" HEARTH_SPACES}}};

constexpr std::array<Step, 2> kMiniCpm5 = {
    {{R"(\p{N}{1,3})"},
     {HEARTH_ENDINGS "|" HEARTH_WORD R"(|\p{N}+|)" HEARTH_SIGNS "|" HEARTH_SPACES}}};

constexpr std::array<Step, 1> kSeedCoder = {
    {{HEARTH_ENDINGS "|" HEARTH_WORD R"(|\p{N}{1}| ?[^\s\p{L}\p{N}\r\n]+|)" HEARTH_SPACES}}};

constexpr std::array<Step, 1> kBailingMoe = {
    {{R"('(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}|)"
      R"( ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)"}}};

// The words with the spaces between them are published as (?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+, which
// keeps a way back for every letter.
constexpr std::array<Step, 1> kExaoneMoe = {
    {{HEARTH_ENDINGS R"(|[^\r\n\p{L}\p{N}]?\p{L}\p{M}*+(?: ?\p{L}\p{M}*+)*+|\p{N}|)"
                     R"( ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)"}}};

// A run of spaces is cut into powers of two. The published \s*[\r\n]+ has nothing in front; a place
// inside a run has been searched for a line's end before, and saying so keeps the time linear.
constexpr std::array<Step, 1> kJais2 = {
    {{HEARTH_ENDINGS "|" HEARTH_WORD R"(|\p{N}{1,3}|)" HEARTH_SIGNS
                     R"(|(?<![\t\x0B\f\x{85}\p{Z}])\s*[\r\n]+|)"
                     R"(\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|)"
                     R"(\s{16}(?!\S)|\s{8}(?!\S)|\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})"}}};

// Words of o200k, the pattern of GPT-4o: letters with a change from small to capital between them.
#define HEARTH_CAPITALS R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])"
#define HEARTH_SMALLS R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])"
#define HEARTH_SLASH_SIGNS R"( ?[^\s\p{L}\p{N}]+[\r\n/]*)"
#define HEARTH_O200K_WORDS                                                       \
    R"([^\r\n\p{L}\p{N}]?)" HEARTH_CAPITALS "*" HEARTH_SMALLS "+" HEARTH_ENDINGS \
    "?|"                                                                         \
    R"([^\r\n\p{L}\p{N}]?)" HEARTH_CAPITALS "+" HEARTH_SMALLS "*" HEARTH_ENDINGS "?"
#define HEARTH_O200K HEARTH_O200K_WORDS R"(|\p{N}{1,3}|)" HEARTH_SLASH_SIGNS "|" HEARTH_SPACES

constexpr std::array<Step, 1> kGpt4o = {{{HEARTH_O200K}}};

// Mistral Nemo: no endings, digits one by one.
constexpr std::array<Step, 1> kTekken = {
    {{R"([^\r\n\p{L}\p{N}]?)" HEARTH_CAPITALS "*" HEARTH_SMALLS "+|"
      R"([^\r\n\p{L}\p{N}]?)" HEARTH_CAPITALS "+" HEARTH_SMALLS R"(*|\p{N}|)" HEARTH_SLASH_SIGNS
      "|" HEARTH_SPACES}}};

// Digits in threes from the end of a number, where no letter follows: \d{1,3}(?=(?:\d{3})*\b) as
// published, which looks at the rest of the number for each three digits.
constexpr std::array<Step, 2> kTinyAya = {{
    {R"((?<!\p{Nd})\p{Nd}++(?![\p{L}\p{M}\p{Nd}\p{Nl}\p{Pc}\x{200C}\x{200D}\x{24B6}-\x{24E9})"
     R"(\x{1F130}-\x{1F149}\x{1F150}-\x{1F169}\x{1F170}-\x{1F189}]))",
     Cut::InThrees},
    {HEARTH_O200K},
}};

// Moonshot's Kimi K2: o200k with Han apart from all other letters. [A&&[^\p{Han}]] as published is
// written as all that is in neither; the script, not the extensions of it.
#define HEARTH_NOT_HAN R"(\p{N}\p{P}\p{S}\p{Z}\p{C}\p{sc:Han}])"
#define HEARTH_KIMI_CAPITALS R"([^\p{Ll})" HEARTH_NOT_HAN
#define HEARTH_KIMI_SMALLS R"([^\p{Lu}\p{Lt})" HEARTH_NOT_HAN
constexpr std::array<Step, 1> kKimiK2 = {
    {{R"([\p{sc:Han}]+|)"
      R"([^\r\n\p{L}\p{N}]?)" HEARTH_KIMI_CAPITALS "*" HEARTH_KIMI_SMALLS "+" HEARTH_ENDINGS "?|"
      R"([^\r\n\p{L}\p{N}]?)" HEARTH_KIMI_CAPITALS "+" HEARTH_KIMI_SMALLS "*" HEARTH_ENDINGS "?|"
      R"(\p{N}{1,3}|)" HEARTH_SIGNS "|" HEARTH_SPACES}}};

// Korean, Chinese punctuation, Bopomofo, Han with Kana; then o200k with digits one by one.
constexpr std::array<Step, 2> kYoutu = {
    {{R"([\x{AC00}-\x{D7A3}\x{3131}-\x{318E}]+|)"
      R"([\x{FF01}\x{2026}\x{201C}\x{201D}\x{2018}\x{2019}\x{2014}\x{FF1A}\x{FF1B}\x{FF0C})"
      R"(\x{3001}-\x{303F}\x{FE30}-\x{FE4F}]+|)"
      R"([\x{3105}-\x{312F}]+|[\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)"},
     {HEARTH_O200K_WORDS R"(|\p{N}|)" HEARTH_SLASH_SIGNS "|" HEARTH_SPACES}}};

// Punctuation (contiguous: ASCII punctuation and \p{P}), ByteLevel with use_regex, digits in
// threes. The file has Digits (contiguous) before the last step, which there sees bytes written as
// characters; no merge of the vocabulary crosses such a border, so it makes no difference.
constexpr std::array<Step, 3> kFalcon = {
    {{R"([!-/:-@\[-`{-~\p{P}]+)"}, {HEARTH_GPT2}, {R"([0-9][0-9][0-9])"}}};

// U+4E00 to U+9FA5, U+0800 to U+4E00, U+AC00 to U+D7FF: as published, in one class.
#define HEARTH_DEEPSEEK_CJK R"([\x{4E00}-\x{9FA5}\x{800}-\x{4E00}\x{AC00}-\x{D7FF}]+)"

constexpr std::array<Step, 5> kDeepseekCoder = {
    {{R"([\r\n])"}, {R"(\s?\p{L}+)"}, {R"(\s?\p{P}+)"}, {HEARTH_DEEPSEEK_CJK}, {R"(\p{N})"}}};

// The letters that have case, as of the Unicode version the tokenizer was made with. The fourth
// is \s+$ in the file; a run of spaces can only begin where none stands before it, and saying so
// keeps the search linear.
constexpr std::array<Step, 6> kDeepseekLlm = {
    {{R"([\r\n])"},
     {R"(\s?[A-Za-z\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF}\x{1C4}-\x{293})"
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
      R"(\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943}]+)"},
     {R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)"},
     {R"((?<!\s)\s+$)"},
     {HEARTH_DEEPSEEK_CJK},
     {R"(\p{N})"}}};

#define HEARTH_HAN_KANA R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)"
#define HEARTH_V3_WORDS                                   \
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|)" \
    R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
#define HEARTH_V3 HEARTH_V3_WORDS R"( ?[\p{P}\p{S}]+[\r\n]*|)" HEARTH_SPACES

constexpr std::array<Step, 3> kDeepseekV3 = {{{R"(\p{N}{1,3})"}, {HEARTH_HAN_KANA}, {HEARTH_V3}}};

constexpr std::array<Step, 4> kSpark25 = {
    {{R"(\p{N}{1,3})"},
     {HEARTH_HAN_KANA},
     {HEARTH_V3_WORDS R"( ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)"},
     {R"(\p{N})"}}};

// Numbers in threes from their end, the scripts of East and South-East Asia, then as DeepSeek V3.
constexpr std::array<Step, 3> kAfmoe = {
    {{R"(\p{N}+)", Cut::InThrees},
     {R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{F900}-\x{FAFF}\x{3040}-\x{309F}\x{30A0}-\x{30FF})"
      R"(\x{FF65}-\x{FF9F}\x{2F00}-\x{2FDF}\x{E40}-\x{E7F}\x{E80}-\x{EFF}\x{1780}-\x{17FF})"
      R"(\x{1000}-\x{109F}\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF}\x{AC00}-\x{D7AF})"
      R"(\x{1100}-\x{11FF}]+)"},
     {HEARTH_V3}}};

// Numbers apart, and their last digits in threes: (?=(\d{3})+(?!\d)) as published, which matches
// nothing but the place between two of them.
constexpr std::array<Step, 2> kSuperBpe = {
    {{R"(\p{N}+)"}, {R"((?:\p{Nd}{3})++(?!\p{Nd}))", Cut::BeforeThrees}}};

// Published with a class inside the class, [^(\s|[.,!?...])]: the same set.
#define HEARTH_BLOOM R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{964}\x{6D4}\x{60C})]+)"
constexpr std::array<Step, 1> kBloom = {{{HEARTH_BLOOM}}};
constexpr std::array<Step, 2> kViking = {{{HEARTH_BLOOM}, {R"(\p{N})"}}};

constexpr std::array<Step, 6> kChameleon = {{{R"(<sentinel:[0-9]+>)"},
                                             {R"((IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z)"},
                                             {R"([\t\n]|    |  )"},
                                             {R"(\p{N})"},
                                             {R"([\p{P}!-/:-@\[-`{-~])"},
                                             {HEARTH_GPT2}}};

// Flags of the rows.
constexpr unsigned kWhole = PreTokenizerRow::kIgnoreMerges;
constexpr unsigned kBos = PreTokenizerRow::kAddBos;
constexpr unsigned kNfc = PreTokenizerRow::kNfc;
constexpr unsigned kGuess = PreTokenizerRow::kGuess;

constexpr std::array kRows = {
    PreTokenizerRow{"gpt-2", kGpt2},
    PreTokenizerRow{"default", kGpt2, kGuess},
    PreTokenizerRow{"phi-2", kGpt2},
    PreTokenizerRow{"mpt", kGpt2, kNfc},
    PreTokenizerRow{"gpt-neox", kGpt2, kNfc},
    PreTokenizerRow{"olmo", kGpt2, kNfc},
    PreTokenizerRow{"jais", kGpt2},
    PreTokenizerRow{"trillion", kGpt2},
    PreTokenizerRow{"granite-docling", kGpt2},
    PreTokenizerRow{"gigachat", kGpt2},
    PreTokenizerRow{"a.x-4.0", kGpt2},
    PreTokenizerRow{"mellum", kGpt2},
    PreTokenizerRow{"exaone4", kGpt2},
    PreTokenizerRow{"starcoder", kDigitsGpt2},
    PreTokenizerRow{"refact", kDigitsGpt2},
    PreTokenizerRow{"command-r", kDigitsGpt2, kNfc},
    PreTokenizerRow{"smollm", kDigitsGpt2},
    PreTokenizerRow{"codeshell", kDigitsGpt2},
    PreTokenizerRow{"exaone", kDigitsGpt2},
    PreTokenizerRow{"minerva-7b", kDigitsGpt2},
    PreTokenizerRow{"mellum2", kDigitsGpt2},
    PreTokenizerRow{"llama3", kLlama3, kWhole | kBos},
    PreTokenizerRow{"llama-v3", kLlama3, kWhole | kBos},
    PreTokenizerRow{"llama-bpe", kLlama3, kWhole | kBos},
    PreTokenizerRow{"falcon3", kLlama3, kWhole | kBos},
    PreTokenizerRow{"falcon-h1", kLlama3, kWhole | kBos},
    PreTokenizerRow{"pixtral", kLlama3, kWhole | kBos},
    PreTokenizerRow{"midm-2.0", kLlama3, kWhole | kBos},
    PreTokenizerRow{"lfm2", kLlama3, kWhole | kBos},
    PreTokenizerRow{"chatglm-bpe", kLlama3, kWhole},
    PreTokenizerRow{"glm4", kLlama3, kWhole},
    PreTokenizerRow{"glm5", kLlama3, kWhole},
    PreTokenizerRow{"dbrx", kLlama3},
    PreTokenizerRow{"smaug-bpe", kLlama3},
    PreTokenizerRow{"qwen2", kQwen2, kNfc},
    PreTokenizerRow{"deepseek-r1-qwen", kQwen2, kNfc},
    PreTokenizerRow{"f2llmv2", kQwen2, kNfc},
    PreTokenizerRow{"stablelm2", kQwen2, kNfc},
    PreTokenizerRow{"hunyuan", kQwen2, kNfc | kWhole},
    PreTokenizerRow{"kormo", kQwen2},
    PreTokenizerRow{"megrez", kQwen2},
    PreTokenizerRow{"solar-open", kQwen2},
    PreTokenizerRow{"grok-2", kQwen2},
    PreTokenizerRow{"qwen35", kQwen35, kNfc},
    PreTokenizerRow{"laguna", kLaguna},
    PreTokenizerRow{"ufakzeka", kUfakzeka},
    PreTokenizerRow{"minicpm5", kMiniCpm5, kWhole},
    PreTokenizerRow{"seed-coder", kSeedCoder},
    PreTokenizerRow{"bailingmoe", kBailingMoe},
    PreTokenizerRow{"bailingmoe2", kBailingMoe},
    PreTokenizerRow{"llada-moe", kBailingMoe},
    PreTokenizerRow{"exaone-moe", kExaoneMoe},
    PreTokenizerRow{"jais-2", kJais2},
    PreTokenizerRow{"gpt-4o", kGpt4o, kWhole},
    PreTokenizerRow{"llama4", kGpt4o, kWhole},
    PreTokenizerRow{"kanana2", kGpt4o},
    PreTokenizerRow{"talkie", kGpt4o},
    PreTokenizerRow{"minimax-m2", kGpt4o},
    PreTokenizerRow{"tekken", kTekken, kWhole | kBos},
    PreTokenizerRow{"tiny_aya", kTinyAya},
    PreTokenizerRow{"cohere2moe", kTinyAya},
    PreTokenizerRow{"kimi-k2", kKimiK2, kWhole},
    PreTokenizerRow{"youtu", kYoutu, kWhole},
    PreTokenizerRow{"falcon", kFalcon},
    PreTokenizerRow{"deepseek-llm", kDeepseekLlm},
    PreTokenizerRow{"deepseek-coder", kDeepseekCoder},
    PreTokenizerRow{"deepseek-v3", kDeepseekV3},
    PreTokenizerRow{"hunyuan-dense", kDeepseekV3},
    PreTokenizerRow{"hy_v4", kDeepseekV3},
    PreTokenizerRow{"joyai-llm", kDeepseekV3},
    PreTokenizerRow{"spark2_5", kSpark25},
    PreTokenizerRow{"afmoe", kAfmoe},
    PreTokenizerRow{"superbpe", kSuperBpe},
    PreTokenizerRow{"bloom", kBloom},
    PreTokenizerRow{"poro-chat", kBloom},
    PreTokenizerRow{"gpt3-finnish", kBloom},
    PreTokenizerRow{"viking", kViking},
    PreTokenizerRow{"chameleon", kChameleon, kBos},
};

// The row of a name that is not known. Words and signs as in most vocabularies of these years.
// Digits in threes do no harm to a vocabulary that has them one by one: there no merge joins two.
constexpr PreTokenizerRow kUnknown = {"llama-bpe", kLlama3, kGuess};

}  // namespace

constinit const std::string_view kByteLevelBpeName = "gpt2";
constinit const std::string_view kSentencePieceName = "llama";
constinit const std::string_view kMergedPiecesName = "gemma4";
constinit const std::string_view kFirstPreTokenizer = "gpt-2";

std::span<const PreTokenizerRow> pre_tokenizers() {
    return kRows;
}

const PreTokenizerRow* find_pre_tokenizer(std::string_view name) {
    const auto row = std::find_if(kRows.begin(), kRows.end(),
                                  [&](const PreTokenizerRow& r) { return r.name == name; });
    return row == kRows.end() ? nullptr : &*row;
}

const PreTokenizerRow& pre_tokenizer_of(std::string_view name) {
    const PreTokenizerRow* row = find_pre_tokenizer(name);
    return row != nullptr ? *row : kUnknown;
}

std::string_view pre_tokenizer_fallback(std::string_view name) {
    const PreTokenizerRow& row = pre_tokenizer_of(name);
    if (!row.has(PreTokenizerRow::kGuess)) {
        return {};
    }
    return &row == &kUnknown ? row.name : kFirstPreTokenizer;
}

}  // namespace hearth
