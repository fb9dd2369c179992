// A saved past, whichever unit holds it: an engine that gets it back goes on as the one that wrote
// it, and computes only what came since.
#pragma once

#include <hearth/engine.h>

#include <optional>
#include <string>
#include <vector>

namespace hearth::test {

// Empty: it does. Else the first thing that it does not. Both engines are of the same file and
// options; `n_tokens` of a conversation are before the file.
std::string check_saved_past(Engine& writer, Engine& reader, const std::string& path, int n_tokens);

// A conversation of so many tokens, with the end of a message and the beginning of an answer.
std::vector<std::int32_t> conversation(int n_tokens);
std::optional<GenerationResult> answer_of(Engine& engine, const std::vector<std::int32_t>& prompt,
                                          int n_tokens = 8);

}  // namespace hearth::test
