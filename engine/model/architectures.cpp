#include <array>

#include "model/model_spec.h"

namespace hearth {
namespace {

// Adding an architecture adds a row here and its test; executors read the spec, never the name.
constexpr std::array kArchitectures{
    Architecture{"llama", NormKind::Rms, Activation::SiluGated, RopePairing::Neighbours},
    // Mistral's shape with ReLU on both gate and up (PowerInfer's Bamboo, the starter model).
    Architecture{"bamboo", NormKind::Rms, Activation::DRelu, RopePairing::Neighbours},
    // ReLU in PowerInfer's ReluFalcon.
    Architecture{"falcon", NormKind::Layer, Activation::Gelu, RopePairing::Halves,
                 .parallel_block = true},
    Architecture{"opt", NormKind::Layer, Activation::Relu, RopePairing::None, .biases = true,
                 .first_learned_position = 2},
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
    ActivationName{Activation::SiluGated, "silu"},
    ActivationName{Activation::ReluGated, "reglu"},
    ActivationName{Activation::DRelu, "drelu"},
    ActivationName{Activation::Relu, "relu"},
    ActivationName{Activation::ReluSquared, "relu2"},
    ActivationName{Activation::Gelu, "gelu"},
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
