// Compiled with mingw-w64, never run: nobody has tried Hearth's window on Windows yet.
#include "system/crash_handler.h"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <string>

#include <windows.h>

#include "system/crash_text.h"

namespace hearth::ui {

namespace {

constexpr std::size_t kMostText = 2000;
constexpr int kMostFrames = 64;

std::wstring fileName;
FixedText<kMostText> head;
std::array<FixedText<kMostText>, 2> facts;
std::atomic<const FixedText<kMostText>*> current{facts.data()};
std::atomic_flag writing;

void writeAll(HANDLE file, std::string_view text) {
    DWORD written = 0;
    WriteFile(file, text.data(), static_cast<DWORD>(text.size()), &written, nullptr);
}

// The system knows the modules, and an exception filter may ask it.
void describe(void* address, FixedText<256>& line) {
    HMODULE module = nullptr;
    std::array<char, 1024> path{};
    if (GetModuleHandleExA(
            GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
            static_cast<LPCSTR>(address), &module) == 0 ||
        GetModuleFileNameA(module, path.data(), static_cast<DWORD>(path.size() - 1)) == 0) {
        line.addHex(reinterpret_cast<std::uintptr_t>(address));
        return;
    }
    const std::string_view name(path.data());
    line.add(name.substr(name.find_last_of('\\') + 1));
    line.add("+");
    line.addHex(reinterpret_cast<std::uintptr_t>(address) -
                reinterpret_cast<std::uintptr_t>(module));
}

void writeReport(std::uint64_t code, void* address) {
    if (writing.test_and_set()) {
        return;
    }
    const HANDLE file = CreateFileW(fileName.c_str(), GENERIC_WRITE, 0, nullptr, CREATE_NEW,
                                    FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) {
        return;
    }
    writeAll(file, head.text());
    writeAll(file, current.load()->text());
    FixedText<256> line;
    line.add("exception: ");
    line.addHex(code);
    line.add(" at ");
    describe(address, line);
    line.add("\nstack, innermost first:\n");
    writeAll(file, line.text());
    std::array<void*, kMostFrames> frames{};
    const USHORT count = CaptureStackBackTrace(0, kMostFrames, frames.data(), nullptr);
    for (USHORT i = 0; i < count; ++i) {
        line.clear();
        line.add("  ");
        describe(frames[i], line);
        line.add("\n");
        writeAll(file, line.text());
    }
    FlushFileBuffers(file);
    CloseHandle(file);
}

LONG WINAPI onException(EXCEPTION_POINTERS* what) {
    writeReport(what->ExceptionRecord->ExceptionCode, what->ExceptionRecord->ExceptionAddress);
    return EXCEPTION_CONTINUE_SEARCH;  // the system's own report follows
}

void onAbort(int) {
    writeReport(0, reinterpret_cast<void*>(&onAbort));
}

}  // namespace

bool installCrashHandler(const std::filesystem::path& file, std::string_view headLines) {
    fileName = file.wstring();
    head.add(headLines);
    SetUnhandledExceptionFilter(&onException);
    return std::signal(SIGABRT, &onAbort) != SIG_ERR;
}

void setCrashFacts(std::string_view lines) {
    FixedText<kMostText>& next = &facts[0] == current.load() ? facts[1] : facts[0];
    next.clear();
    next.add(lines);
    current = &next;
}

void noteModules() {}

}  // namespace hearth::ui
