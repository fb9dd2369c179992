#include <array>

#include "model/model_spec.h"

namespace hearth {
namespace {

// Adding an architecture adds a row here and its test; executors read the spec, never the name.
constexpr std::array kArchitectures{
    Architecture{.name = "llama",
                 .norm = NormKind::Rms,
                 .activation = Activation::SiluGated,
                 .rope = RopePairing::Neighbours},
    // Mistral's shape with ReLU on both gate and up (PowerInfer's Bamboo, the starter model).
    Architecture{.name = "bamboo",
                 .norm = NormKind::Rms,
                 .activation = Activation::DRelu,
                 .rope = RopePairing::Neighbours},
    // PowerInfer's ReluFalcon has ReLU instead.
    Architecture{.name = "falcon",
                 .norm = NormKind::Layer,
                 .activation = Activation::Gelu,
                 .rope = RopePairing::Halves,
                 .parallel_block = true},
    Architecture{.name = "opt",
                 .norm = NormKind::Layer,
                 .activation = Activation::Relu,
                 .rope = RopePairing::None,
                 .biases = true,
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
