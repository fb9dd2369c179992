// What the command line asks of the system beyond the standard library. The only file of app/cli
// that includes system headers.
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

// Call first. Standard streams pass bytes unchanged, a reader that went away and a limit on the
// size of files show as a failed write instead of a signal, and a stream that was closed by the
// caller is open on the null device, so that no model or output file is opened under its number.
void prepare_streams();

// The arguments after the program's name, as UTF-8.
std::vector<std::string> arguments(int argc, char** argv);

// Milliseconds since the system started this process, 0 if it does not say. Linux counts in steps
// of 10 ms, so this may be up to 10 ms too much.
double process_age_ms();

bool input_is_terminal();
bool errors_are_terminal();  // standard error

// Bytes of `file` that were put into `out`, which is not empty; 0: its end, -1: failed, with errno.
// What is typed at Windows' console, as standard input, is read as Unicode and arrives as UTF-8,
// whatever code page the console has; its lines end with \n.
std::ptrdiff_t read_some(std::FILE* file, std::span<char> out);

// All of `text`, which is UTF-8, to standard output or standard error, and nothing of it is kept
// back. Windows' console gets Unicode, whatever code page it has. False, with errno, if it cannot
// be written.
bool write_text(std::FILE* stream, std::string_view text);
// To standard error. Whoever cannot be told is not told.
void say(std::string_view text);

// Different from that of every other process alive.
unsigned long process_id();

// A new file to write bytes to. Null, with errno, if it cannot be made: EEXIST where one has the
// name.
std::FILE* create_file(const std::filesystem::path& path);

// Empty if unknown.
std::string executable_path();

// Where this program may keep what it can make again: "~/.cache/hearth" or the system's like of it.
// Empty if the system does not say.
std::string cache_folder();

// SIGINT requests `target`; a second one, or one while target is null, ends the process with status
// 130. Setting a target forgets earlier signals. The target must outlive its time here.
void set_interrupt_target(Cancellation* target);
// Whether SIGINT arrived since the target was set.
bool was_interrupted();

// What SIGINT writes to standard output when it ends the process. At most one call.
void offer_interrupt_output(std::string bytes);
// From now on SIGINT writes nothing: the caller is about to. Does not return if SIGINT came first.
void withdraw_interrupt_output();

}  // namespace hearth::cli
