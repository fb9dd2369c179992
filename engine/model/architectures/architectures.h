// The architectures that can be run. A new one is a file here, with all that is known of it by
// name: it turns metadata into a ModelSpec, says what its files call tensors, and defines an
// Architecture, which a line of architectures.cpp lists.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "model/architectures/keys.h"
#include "model/model_spec.h"
#include "model/tensor_names.h"

namespace hearth {

struct Architecture {
    std::string_view name;  // general.architecture
    // Gives the first failure of its own; keys.failure() is looked at by the caller.
    Result<ModelSpec> (*read)(Keys& keys, std::optional<Activation> stated) = nullptr;
    // Names that its files alone use; they are the only ones of their roles.
    std::span<const TensorName> names = {};
    bool experts = false;  // it may be a mixture
};

// Null: not in the table.
const Architecture* find_architecture(std::string_view name);
// "llama, bamboo and opt"
std::string architecture_names();

}  // namespace hearth
