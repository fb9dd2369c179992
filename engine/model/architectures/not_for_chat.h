// GGUF files that hold something else than a language model to chat with, and mixtures of experts.
#pragma once

#include <optional>
#include <string>

#include <hearth/result.h>

#include "gguf/reader.h"

namespace hearth {

// Tells by metadata alone: `general.type`, the architecture's name, "{arch}.pooling_type" and
// "{arch}.expert_count". `arch` is general.architecture.
// Unsupported: a projector, an adapter, an embedding model, a draft and the like (the message says
// "it is ..."), or experts. BadFile: a count that is no number. Else nothing.
std::optional<Error> why_not_for_chat(const GgufFile& file, const std::string& arch);

}  // namespace hearth
