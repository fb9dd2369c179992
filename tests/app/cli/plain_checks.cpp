// The command line's own files and the console. Without Qt: also run on Windows.
#include "support/plain_checks.h"

#ifdef _WIN32
#include <io.h>
#include <windows.h>
#endif

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "console_reader.h"
#include "files.h"
#include "support/temp_dir.h"
#include "system.h"

namespace hearth::test {
namespace {

namespace fs = std::filesystem;
using cli::ConsoleReader;

// ---- files
// ---------------------------------------------------------------------------------------
std::size_t files_in(const TempDir& dir) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(dir.path())) {
        ++count;
    }
    return count;
}

HEARTH_PLAIN_CHECK(a_file_is_created_once) {
    const TempDir dir;
    std::FILE* file = cli::create_file(dir.file("a"));
    HEARTH_CHECK(file != nullptr);
#ifdef _WIN32
    // Open in a child process too, it would get no other name.
    DWORD flags = HANDLE_FLAG_INHERIT;
    const auto handle = reinterpret_cast<HANDLE>(_get_osfhandle(_fileno(file)));
    HEARTH_CHECK(GetHandleInformation(handle, &flags) && (flags & HANDLE_FLAG_INHERIT) == 0);
#endif
    const std::string text = "one\n\x1A\r\ntwo";
    HEARTH_CHECK(std::fwrite(text.data(), 1, text.size(), file) == text.size());
    HEARTH_CHECK(std::fclose(file) == 0);
    errno = 0;
    HEARTH_CHECK(cli::create_file(dir.file("a")) == nullptr && errno == EEXIST);
    errno = 0;
    HEARTH_CHECK(cli::create_file(dir.file("none/a")) == nullptr && errno == ENOENT);
    const Result<std::string> back = cli::read_text(dir.file("a"));
    HEARTH_CHECK(back && *back == text);
    return {};
}

HEARTH_PLAIN_CHECK(output_appears_whole) {
    const TempDir dir;
    const std::string text = "logits\n";
    {
        cli::FileOrPipe file;
        HEARTH_CHECK(file.open(dir.file("a")) && file.write(std::as_bytes(std::span(text))));
        HEARTH_CHECK(!fs::exists(dir.file("a")) && files_in(dir) == 1);
        HEARTH_CHECK(file.finish() && file.bytes() == text.size());
    }
    HEARTH_CHECK(files_in(dir) == 1 && *cli::read_text(dir.file("a")) == text);
    {
        cli::FileOrPipe file;
        HEARTH_CHECK(file.open(dir.file("a")) && file.write(std::as_bytes(std::span(text))));
    }
    HEARTH_CHECK(files_in(dir) == 1);
    return {};
}

// Somebody makes a folder of that name meanwhile.
HEARTH_PLAIN_CHECK(output_that_gets_no_name_says_why) {
    const TempDir dir;
    cli::FileOrPipe file;
    HEARTH_CHECK(file.open(dir.file("a")));
    fs::create_directories(dir.file("a/b"));
    const Result<void> done = file.finish();
    HEARTH_CHECK(!done);
    HEARTH_CHECK(done.error().code == ErrorCode::NotAFile ||
                 done.error().code == ErrorCode::PermissionDenied);
    HEARTH_CHECK(done.error().message.starts_with(dir.file("a") + ": "));
    HEARTH_CHECK(files_in(dir) == 1);  // the folder: what was written is gone
    return {};
}

// ---- the console
// --------------------------------------------------------------------------------- A console that
// gives `pieces`, one a read, and then the end.
ConsoleReader::Source giving(std::vector<std::u16string> pieces) {
    return [pieces, at = std::size_t{0}](std::span<char16_t> out) mutable -> std::ptrdiff_t {
        if (at == pieces.size()) {
            return 0;
        }
        const std::u16string& piece = pieces[at++];
        std::copy(piece.begin(), piece.end(), out.begin());
        return static_cast<std::ptrdiff_t>(piece.size());
    };
}

// All of it, read a few bytes at a time.
std::string typed(std::vector<std::u16string> pieces, std::size_t bytes_at_once = 1000) {
    ConsoleReader reader(giving(std::move(pieces)));
    std::string all;
    std::string part(bytes_at_once, '\0');
    std::ptrdiff_t bytes = 0;
    while ((bytes = reader.read(part)) > 0) {
        all.append(part, 0, static_cast<std::size_t>(bytes));
    }
    return bytes == 0 ? all : "failed";
}

HEARTH_PLAIN_CHECK(every_letter_arrives) {
    const std::u16string line = u"a\u007F\u0080ß\u07FF\u0800漢\uFFFF\U00010000🔥\U0010FFFF\r\n";
    const std::string text =
        "a\x7F\xC2\x80\xC3\x9F\xDF\xBF\xE0\xA0\x80\xE6\xBC\xA2\xEF\xBF\xBF"
        "\xF0\x90\x80\x80\xF0\x9F\x94\xA5\xF4\x8F\xBF\xBF\n";
    HEARTH_CHECK(typed({line}) == text);
    for (std::size_t bytes = 1; bytes < text.size(); ++bytes) {
        HEARTH_CHECK(typed({line}, bytes) == text);
    }
    // Wherever the pieces end.
    for (std::size_t at = 1; at < line.size(); ++at) {
        HEARTH_CHECK(typed({line.substr(0, at), line.substr(at)}) == text);
    }
    return {};
}

HEARTH_PLAIN_CHECK(half_a_letter_is_marked) {
    const std::u16string first(1, char16_t{0xD83D});
    const std::u16string second(1, char16_t{0xDD25});
    const std::string mark = "\xEF\xBF\xBD";
    HEARTH_CHECK(typed({u"a" + first + u"b"}) == "a" + mark + "b");
    HEARTH_CHECK(typed({u"a" + second + u"b"}) == "a" + mark + "b");
    HEARTH_CHECK(typed({second + first}) == mark + mark);
    HEARTH_CHECK(typed({first + first + second}) == mark + "\xF0\x9F\x94\xA5");
    HEARTH_CHECK(typed({first, u"\r\n"}) == mark + "\n");
    HEARTH_CHECK(typed({first}) == mark);
    return {};
}

HEARTH_PLAIN_CHECK(lines_end_as_everywhere) {
    HEARTH_CHECK(typed({u"a\r\n\r\nb"}) == "a\n\nb");
    HEARTH_CHECK(typed({u"a\rb\nc\r\r\n"}) == "a\rb\nc\r\n");
    HEARTH_CHECK(typed({u"a\r"}) == "a\r");
    HEARTH_CHECK(typed({u"a\r", u"b"}) == "a\rb");
    return {};
}

HEARTH_PLAIN_CHECK(ctrl_z_at_the_start_of_a_line_ends) {
    HEARTH_CHECK(typed({u"\x1A\r\n", u"never"}).empty());
    HEARTH_CHECK(typed({u"a\r\n", u"\x1A\r\n", u"never"}) == "a\n");
    HEARTH_CHECK(typed({u"a\r\n\x1Anever\r\n", u"never"}) == "a\n");
    HEARTH_CHECK(typed({u"a\x1A\r\n", u"b"}) == "a\x1A\nb");
    HEARTH_CHECK(typed({u"a", u"\x1A\r\n"}) == "a\x1A\n");
    // For good: what is typed after it is for the next program.
    int reads = 0;
    ConsoleReader reader([&](std::span<char16_t> out) -> std::ptrdiff_t {
        out[0] = ++reads == 1 ? u'\x1A' : u'x';
        return 1;
    });
    char byte = 0;
    HEARTH_CHECK(reader.read({&byte, 1}) == 0 && reader.read({&byte, 1}) == 0 && reads == 1);
    return {};
}

HEARTH_PLAIN_CHECK(a_console_that_fails_is_no_end) {
    int reads = 0;
    ConsoleReader reader([&](std::span<char16_t> out) -> std::ptrdiff_t {
        out[0] = u'x';
        return ++reads == 1 ? 1 : -1;
    });
    char byte = 0;
    HEARTH_CHECK(reader.read({&byte, 1}) == 1 && byte == 'x');
    HEARTH_CHECK(reader.read({&byte, 1}) == -1);
    return {};
}

// A console lets nobody type more than it is asked for, and older ones refuse 64 KiB.
HEARTH_PLAIN_CHECK(long_lines_fit) {
    std::size_t asked = 0;
    ConsoleReader reader([&](std::span<char16_t> out) -> std::ptrdiff_t {
        asked = out.size();
        return 0;
    });
    char byte = 0;
    HEARTH_CHECK(reader.read({&byte, 1}) == 0);
    HEARTH_CHECK(asked >= 16 * 1024 && asked * 2 < 64 * 1024);
    return {};
}

}  // namespace
}  // namespace hearth::test
