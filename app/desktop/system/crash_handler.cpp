// The handler for POSIX; that for Windows is in crash_handler_windows.cpp.
#include "system/crash_handler.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string>

#include <fcntl.h>
#include <unistd.h>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#define HEARTH_BACKTRACE
#endif
#if __has_include(<link.h>)
#include <link.h>
#define HEARTH_MODULES
#endif

#include "system/crash_text.h"

namespace hearth::ui {

namespace {

struct CrashSignal {
    int number;
    const char* name;
};
constexpr std::array kSignals{CrashSignal{SIGSEGV, "SIGSEGV"}, CrashSignal{SIGABRT, "SIGABRT"},
                              CrashSignal{SIGBUS, "SIGBUS"}, CrashSignal{SIGFPE, "SIGFPE"},
                              CrashSignal{SIGILL, "SIGILL"}};
constexpr std::size_t kMostText = 2000;
constexpr int kMostFrames = 64;

// The handler may not allocate, so all that it reads is here before it runs. There are two copies:
// the one that `current` names is complete while the other is written.
struct Known {
    FixedText<kMostText> facts;
    ModuleTable modules;
};
std::array<Known, 2> known;
std::atomic<const Known*> current{known.data()};
std::array<char, 4096> fileName{};
FixedText<kMostText> head;
std::array<struct sigaction, kSignals.size()> before;
std::array<std::byte, 65'536> otherStack;  // for an overflow of the usual stack
std::atomic_flag writing;

Known& spare() {
    return &known[0] == current.load() ? known[1] : known[0];
}

void writeAll(int file, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = write(file, text.data(), text.size());
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return;  // a full disk: the report is shorter
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void writeReport(int signal, const siginfo_t* info) {
    const int file = open(fileName.data(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) {
        return;
    }
    writeAll(file, head.text());
    const Known& now = *current.load();
    writeAll(file, now.facts.text());
    FixedText<256> line;
    line.add("signal: ");
    for (const CrashSignal& one : kSignals) {
        line.add(one.number == signal ? one.name : "");
    }
    if (info->si_code > 0 && signal != SIGABRT) {
        line.add(" at address ");
        line.addHex(reinterpret_cast<std::uintptr_t>(info->si_addr));
    } else if (info->si_pid != getpid()) {
        line.add(", sent by another process");
    }
    line.add("\nstack, innermost first:\n");
    writeAll(file, line.text());
#ifdef HEARTH_BACKTRACE
    std::array<void*, kMostFrames> frames;
    const int count = backtrace(frames.data(), kMostFrames);
    for (int i = 0; i < count; ++i) {
        line.clear();
        line.add("  ");
        now.modules.describe(reinterpret_cast<std::uintptr_t>(frames[static_cast<std::size_t>(i)]),
                             line);
        line.add("\n");
        writeAll(file, line.text());
    }
#endif
    fsync(file);
    close(file);
}

void onCrash(int signal, siginfo_t* info, void*) {
    // This comes first: a second fault, here or in another thread, ends the process at once.
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        sigaction(kSignals[i].number, &before[i], nullptr);
    }
    if (!writing.test_and_set()) {
        writeReport(signal, info);
    }
    // A fault of the processor repeats as soon as this returns. A sent signal is raised again and
    // arrives once this has returned.
    if (info->si_code <= 0) {
        raise(signal);
    }
}

#ifdef HEARTH_MODULES
int addModule(dl_phdr_info* info, std::size_t, void* table) {
    const bool program = info->dlpi_name == nullptr || *info->dlpi_name == '\0';
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = info->dlpi_phdr[i];
        if (part.p_type == PT_LOAD && (part.p_flags & PF_X) != 0) {
            const std::uintptr_t from = info->dlpi_addr + part.p_vaddr;
            static_cast<ModuleTable*>(table)->add(from, from + part.p_memsz, info->dlpi_addr,
                                                  program ? "hearth" : info->dlpi_name);
        }
    }
    return 0;
}
#endif

}  // namespace

bool installCrashHandler(const std::filesystem::path& file, std::string_view headLines) {
    const std::string name = file.string();
    if (name.size() >= fileName.size()) {
        return false;
    }
    std::copy(name.begin(), name.end(), fileName.begin());
    head.add(headLines);
#ifdef HEARTH_BACKTRACE
    std::array<void*, 1> frame;
    backtrace(frame.data(), 1);  // the first call loads a library, which no handler may
#endif
    noteModules();
    stack_t stack{};
    stack.ss_sp = otherStack.data();
    stack.ss_size = otherStack.size();
    bool done = sigaltstack(&stack, nullptr) == 0;
    for (std::size_t i = 0; i < kSignals.size(); ++i) {
        struct sigaction action {};
        action.sa_sigaction = &onCrash;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        done = sigaction(kSignals[i].number, &action, &before[i]) == 0 && done;
    }
    return done;
}

void setCrashFacts(std::string_view lines) {
    Known& next = spare();
    next.modules = current.load()->modules;
    next.facts.clear();
    next.facts.add(lines);
    current = &next;
}

void noteModules() {
    Known& next = spare();
    next.facts = current.load()->facts;
    next.modules.clear();
#ifdef HEARTH_MODULES
    dl_iterate_phdr(&addModule, &next.modules);
#endif
    current = &next;
}

}  // namespace hearth::ui
