// Writes a report of a crash: a small text file about the program and the machine, without a word
// of any chat. It is written during the crash, with calls that are safe there. The process then
// ends as it would have, with its core dump. Nothing is sent.
#pragma once

#include <filesystem>
#include <string_view>

namespace hearth::ui {

// From this call on a fault, an abort or an uncaught exception writes `file`, whose folder exists,
// at most once. The report begins with `head`: lines that are known now, version and system. Call
// it once, from the main thread; an overflow of that thread's stack is then reported, too. Text
// beyond 2000 bytes is cut, here and below. False: a later crash leaves no report.
bool installCrashHandler(const std::filesystem::path& file, std::string_view head);
// Sets lines that become known later: graphics card, model. They replace those of the previous
// call. Main thread.
void setCrashFacts(std::string_view lines);
// Notes the modules that are loaded at this call. The report then writes addresses in them as
// module and offset. Main thread.
void noteModules();

}  // namespace hearth::ui
