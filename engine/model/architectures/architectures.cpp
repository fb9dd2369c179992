#include "model/architectures/architectures.h"

#include <array>

namespace hearth {

// Each is defined in its family's file. The table names them, since a linker takes from a static
// library only what somebody names; they are constants without a constructor, since other constants
// may look for them while they are made.
extern const Architecture kBamboo, kCohere2, kDeepSeek2, kFalcon, kGemma, kGemma2, kGemma3, kGemma4,
    kGlm4, kGlm4Moe, kGptOss, kGranite, kGraniteHybrid, kGraniteMoe, kLfm2, kLfm2Moe, kLlama,
    kLlama4, kMinimaxM2, kMistral3, kNemotron, kNemotronH, kNemotronHMoe, kOlmo2, kOlmoe, kOpt,
    kPhi3, kQwen2, kQwen2Moe, kQwen2Vl, kQwen3, kQwen35, kQwen35Moe, kQwen3Moe, kQwen3Next,
    kQwen3Vl, kQwen3VlMoe, kQwen4Exp, kSeedOss, kSmallThinker, kSmolLm3, kStableLm, kStarCoder2;

namespace {

// In the order in which messages list them.
constexpr std::array kArchitectures{
    &kLlama,         &kBamboo,    &kFalcon,       &kOpt,      &kQwen2,     &kQwen3,
    &kQwen2Vl,       &kQwen3Vl,   &kQwen35,       &kLfm2,     &kGemma,     &kGemma2,
    &kGemma3,        &kGemma4,    &kMistral3,     &kPhi3,     &kSmolLm3,   &kGranite,
    &kGraniteHybrid, &kGlm4,      &kOlmo2,        &kCohere2,  &kSeedOss,   &kStableLm,
    &kStarCoder2,    &kNemotron,  &kNemotronH,    &kQwen2Moe, &kQwen3Moe,  &kQwen3VlMoe,
    &kQwen3Next,     &kQwen35Moe, &kQwen4Exp,     &kOlmoe,    &kLfm2Moe,   &kGraniteMoe,
    &kGlm4Moe,       &kMinimaxM2, &kNemotronHMoe, &kGptOss,   &kDeepSeek2, &kSmallThinker,
    &kLlama4,
};

}  // namespace

const Architecture* find_architecture(std::string_view name) {
    for (const Architecture* one : kArchitectures) {
        if (one->name == name) {
            return one;
        }
    }
    return nullptr;
}

std::string architecture_names() {
    std::string names;
    for (std::size_t i = 0; i < kArchitectures.size(); ++i) {
        names += i == 0 ? "" : i + 1 < kArchitectures.size() ? ", " : " and ";
        names += kArchitectures[i]->name;
    }
    return names;
}

}  // namespace hearth
