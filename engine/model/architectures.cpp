#include <array>

#include "model/model_spec.h"

namespace hearth {
namespace {

// Adding an architecture adds a row here and its test; executors read the spec, never the name.
constexpr std::array kArchitectures{
    Architecture{"llama", NormKind::Rms, Activation::SiluGated, RopePairing::Neighbours},
    // Mistral's shape with ReLU on both gate and up (PowerInfer's Bamboo, the starter model).
    Architecture{"bamboo", NormKind::Rms, Activation::DRelu, RopePairing::Neighbours},
};

}  // namespace

const Architecture* find_architecture(std::string_view name) {
    for (const Architecture& row : kArchitectures) {
        if (row.name == name) {
            return &row;
        }
    }
    return nullptr;
}

std::string_view to_string(Activation activation) {
    switch (activation) {
        case Activation::SiluGated:
            return "silu";
        case Activation::ReluGated:
            return "relu";
        case Activation::DRelu:
            return "drelu";
    }
    return "unknown";
}

}  // namespace hearth
