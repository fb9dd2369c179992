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

namespace {

struct ActivationName {
    Activation activation;
    std::string_view name;
};
constexpr std::array kActivations{
    ActivationName{Activation::SiluGated, "silu"},    ActivationName{Activation::ReluGated, "reglu"},
    ActivationName{Activation::DRelu, "drelu"},       ActivationName{Activation::Relu, "relu"},
    ActivationName{Activation::ReluSquared, "relu2"},
};

}  // namespace

std::string_view to_string(Activation activation) {
    for (const ActivationName& row : kActivations) {
        if (row.activation == activation) {
            return row.name;
        }
    }
    return "unknown";
}

std::optional<Activation> activation_from_name(std::string_view name) {
    for (const ActivationName& row : kActivations) {
        if (row.name == name) {
            return row.activation;
        }
    }
    return std::nullopt;
}

}  // namespace hearth
