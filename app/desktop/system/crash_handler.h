// What a crash leaves behind: a small text file about the program and the machine, without a word
// of any chat. It is written from within the crash, by calls that are safe there, and the process
// then ends as it would have, with its core dump. Nothing is sent.
#pragma once

#include <filesystem>
#include <string_view>

namespace hearth::ui {

// From here on a fault, an abort or an exception that nobody catches writes `file`, whose folder
// exists, at most once. It begins with `head`, lines that are known now: version, system. Called
// once, from the main thread, whose overflowed stack is then reported too. Text beyond 2000 bytes
// is cut, here and below. False: a later crash leaves nothing.
bool installCrashHandler(const std::filesystem::path& file, std::string_view head);
// Lines that become known later: graphics card, model. They replace those of the call before. Main
// thread.
void setCrashFacts(std::string_view lines);
// Addresses are written as module and offset, of the modules that are loaded when this is called.
// Main thread.
void noteModules();

}  // namespace hearth::ui
