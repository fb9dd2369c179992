#include "model/architectures/not_for_chat.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "gguf/printable.h"

namespace hearth {

namespace {

// Each continues "it is ".
constexpr std::string_view kProjector =
    "a projector, which lets another model see pictures or hear, and has no language model itself";
constexpr std::string_view kAdapter = "an adapter (LoRA), which changes another model";
constexpr std::string_view kImportance =
    "an importance matrix, which \"quantize --imatrix\" takes, and no model";
constexpr std::string_view kControl = "a control vector, which steers another model";
constexpr std::string_view kEmbedding =
    "an embedding model, which turns texts into vectors for a search and writes none";
constexpr std::string_view kReranker = "a reranker, which orders texts by a question";
constexpr std::string_view kEncoder =
    "a model of an encoder and a decoder, made to translate and not to chat";
constexpr std::string_view kDraft =
    "a draft, which guesses ahead for a larger model and cannot chat by itself";
constexpr std::string_view kDiffusion =
    "a diffusion language model, which fills in whole texts and does not write token by token";
constexpr std::string_view kSpeech = "a model of speech, which makes or hears sounds";
constexpr std::string_view kPictures = "a model that makes pictures or films";

struct KindOfName {
    std::string_view name;
    std::string_view kind;
};

// By general.type.
constexpr std::array kByType{
    KindOfName{"adapter", kAdapter},
    KindOfName{"imatrix", kImportance},
    KindOfName{"mmproj", kProjector},
};

// By general.architecture.
constexpr std::array kByArchitecture{
    KindOfName{"clip", kProjector},
    KindOfName{"controlvector", kControl},
    KindOfName{"bert", kEmbedding},
    KindOfName{"modern-bert", kEmbedding},
    KindOfName{"nomic-bert", kEmbedding},
    KindOfName{"nomic-bert-moe", kEmbedding},
    KindOfName{"neo-bert", kEmbedding},
    KindOfName{"jina-bert-v2", kEmbedding},
    KindOfName{"jina-bert-v3", kEmbedding},
    KindOfName{"eurobert", kEmbedding},
    KindOfName{"gemma-embedding", kEmbedding},
    KindOfName{"llama-embed", kEmbedding},
    KindOfName{"t5", kEncoder},
    KindOfName{"t5encoder", kEncoder},
    KindOfName{"eagle3", kDraft},
    KindOfName{"dflash", kDraft},
    KindOfName{"gemma4-assistant", kDraft},
    KindOfName{"dream", kDiffusion},
    KindOfName{"llada", kDiffusion},
    KindOfName{"llada-moe", kDiffusion},
    KindOfName{"rnd1", kDiffusion},
    KindOfName{"wavtokenizer-dec", kSpeech},
    KindOfName{"whisper", kSpeech},
    KindOfName{"qwen3tts", kSpeech},
    KindOfName{"pockettts", kSpeech},
    KindOfName{"flux", kPictures},
    KindOfName{"sd1", kPictures},
    KindOfName{"sdxl", kPictures},
    KindOfName{"sd3", kPictures},
    KindOfName{"aura", kPictures},
    KindOfName{"lumina2", kPictures},
    KindOfName{"hidream", kPictures},
    KindOfName{"qwen_image", kPictures},
    KindOfName{"ltxv", kPictures},
    KindOfName{"hyvid", kPictures},
    KindOfName{"wan", kPictures},
    KindOfName{"cosmos", kPictures},
};

template <std::size_t n>
std::string_view kind_in(const std::array<KindOfName, n>& table, std::string_view name) {
    for (const KindOfName& row : table) {
        if (row.name == name) {
            return row.kind;
        }
    }
    return {};
}

// {arch}.pooling_type: how a model's vectors become one. Chat models have 0, or no such key.
constexpr std::int64_t kRanks = 4;
constexpr std::int64_t kMostCount = 1 << 20;

Error not_for_chat(const GgufFile& file, const std::string& field, std::string_view kind) {
    return Error{ErrorCode::Unsupported, "it is " + std::string(kind), file.path(), field};
}

Result<std::int64_t> count_or_zero(const GgufFile& file, const std::string& key) {
    if (!file.metadata().contains(key)) {
        return std::int64_t{0};
    }
    auto count = file.metadata().integer(key, 0, kMostCount);
    if (!count) {
        count.error().path = file.path();
    }
    return count;
}

}  // namespace

std::optional<Error> why_not_for_chat(const GgufFile& file, const std::string& arch) {
    if (const auto type = file.metadata().string("general.type")) {
        if (const std::string_view kind = kind_in(kByType, *type); !kind.empty()) {
            return not_for_chat(file, "general.type", kind);
        }
    }
    if (const std::string_view kind = kind_in(kByArchitecture, arch); !kind.empty()) {
        return not_for_chat(file, "general.architecture", kind);
    }
    const std::string pooling_key = arch + ".pooling_type";
    const auto pooling = count_or_zero(file, pooling_key);
    if (!pooling) {
        return pooling.error();
    }
    if (*pooling > 0) {
        return not_for_chat(file, pooling_key, *pooling == kRanks ? kReranker : kEmbedding);
    }
    return std::nullopt;
}

std::optional<Error> why_no_experts(const GgufFile& file, const std::string& arch) {
    const std::string experts_key = arch + ".expert_count";
    const auto experts = count_or_zero(file, experts_key);
    if (!experts) {
        return experts.error();
    }
    if (*experts > 0) {
        return Error{ErrorCode::Unsupported,
                     "a mixture of " + std::to_string(*experts) +
                         " experts of the architecture \"" + printable(arch) +
                         "\" is not something this version can run",
                     file.path(), experts_key};
    }
    return std::nullopt;
}

}  // namespace hearth
