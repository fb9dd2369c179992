// The chat in the terminal.
#pragma once

#include <string>

#include <hearth/engine.h>

#include "program.h"

namespace hearth::cli {

// Reads one message a line and streams the answers. /new starts over; /quit or the end of input
// ends. SIGINT stops an answer; a second one, or one at the prompt, ends the process with status
// 130. Prompt and notes go to standard error, and only to a terminal. Returns the exit status.
int chat_loop(Program& program, Engine& engine, const std::string& system,
              const GenerationOptions& options);

}  // namespace hearth::cli
