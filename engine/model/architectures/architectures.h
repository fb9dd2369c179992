// The architectures that can be run. A new one is a file here that turns metadata into a ModelSpec,
// and a row in architectures.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <hearth/result.h>

#include "model/architectures/keys.h"
#include "model/model_spec.h"

namespace hearth {

// Gives the first failure of its own; keys.failure() is looked at by the caller.
using ReadArchitecture = Result<ModelSpec> (*)(Keys& keys, std::optional<Activation> stated);

Result<ModelSpec> read_bamboo(Keys& keys, std::optional<Activation> stated);
Result<ModelSpec> read_falcon(Keys& keys, std::optional<Activation> stated);
Result<ModelSpec> read_gemma(Keys& keys, std::optional<Activation> stated);
Result<ModelSpec> read_llama(Keys& keys, std::optional<Activation> stated);
Result<ModelSpec> read_opt(Keys& keys, std::optional<Activation> stated);
Result<ModelSpec> read_qwen2(Keys& keys, std::optional<Activation> stated);
Result<ModelSpec> read_qwen3(Keys& keys, std::optional<Activation> stated);

struct Architecture {
    std::string_view name;  // general.architecture
    ReadArchitecture read;
};

// Null: not in the table.
const Architecture* find_architecture(std::string_view name);
// "llama, bamboo and opt"
std::string architecture_names();

}  // namespace hearth
