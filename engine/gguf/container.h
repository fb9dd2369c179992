// The two magics in front of the same format.
#pragma once

namespace hearth {

enum class Container {
    Gguf,  // "GGUF"
    Pwri,  // "PWRI": PowerInfer's, for models with activation predictors
};

}  // namespace hearth
