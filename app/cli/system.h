// The command line's calls to the system beyond the standard library. Only this file's .cpp
// includes system headers in app/cli.
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <hearth/cancellation.h>

namespace hearth::cli {

// Call it first. Afterwards standard streams pass bytes unchanged. A reader that went away and a
// limit on the size of files show as a failed write instead of a signal. A stream that the caller
// closed is open on the null device, so that no model or output file gets its number.
void prepare_streams();

// The arguments after the program's name, as UTF-8.
std::vector<std::string> arguments(int argc, char** argv);

// Milliseconds since the system started this process; 0 if it does not say. Linux counts in steps
// of 10 ms, so this may be up to 10 ms too much.
double process_age_ms();

bool input_is_terminal();
bool errors_are_terminal();  // standard error

// Returns the bytes of `file` that it put into `out`, which is not empty; 0: the end of the file,
// -1: failed, with errno. Text typed at Windows' console, as standard input, is read as Unicode and
// arrives as UTF-8, whatever code page the console has; its lines end with \n.
std::ptrdiff_t read_some(std::FILE* file, std::span<char> out);

// Writes all of `text`, which is UTF-8, to standard output or standard error, and flushes. Windows'
// console gets Unicode, whatever code page it has. False, with errno, if it cannot be written.
bool write_text(std::FILE* stream, std::string_view text);
// Writes to standard error and ignores failures.
void say(std::string_view text);

// Differs from the id of every other living process.
unsigned long process_id();

// Creates a new file to write bytes to. Null, with errno, if it cannot: EEXIST where the name is
// taken.
std::FILE* create_file(const std::filesystem::path& path);

// The path of this program; empty if unknown.
std::string executable_path();

// The token of the local API as the environment has it (HEARTH_API_TOKEN), as UTF-8; empty: it has
// none.
std::string environment_token();

// The folder for files that this program can make again: "~/.cache/hearth", or the system's
// counterpart. Empty if the system names none.
std::string cache_folder();

// SIGINT requests `target`. A second one, or one while target is null, ends the process with status
// 130. Setting a target forgets earlier signals. The target must outlive the time that it is set.
void set_interrupt_target(Cancellation* target);
// From this call on SIGTERM, which asks a program to end, counts as SIGINT.
void termination_interrupts();
// True if SIGINT arrived since the target was set.
bool was_interrupted();

// The text that SIGINT writes to standard output when it ends the process. At most one call.
void offer_interrupt_output(std::string bytes);
// From this call on SIGINT writes nothing: the caller is about to write. Does not return if SIGINT
// came first.
void withdraw_interrupt_output();

}  // namespace hearth::cli
