// GGUF files that hold something else than a language model to chat with, and mixtures of families
// that have none.
#pragma once

#include <optional>
#include <string>

#include <hearth/result.h>

#include "gguf/reader.h"

namespace hearth {

// Tells by metadata alone: `general.type`, the architecture's name and "{arch}.pooling_type".
// `arch` is general.architecture. Unsupported: a projector, an adapter, an embedding model, a draft
// and the like (the message says "it is ..."). BadFile: a type that is no number. Else nothing.
std::optional<Error> why_not_for_chat(const GgufFile& file, const std::string& arch);

// For an architecture that runs no mixture. Unsupported: "{arch}.expert_count" says that the file
// is one. BadFile: it is no number. Else nothing.
std::optional<Error> why_no_experts(const GgufFile& file, const std::string& arch);

}  // namespace hearth
