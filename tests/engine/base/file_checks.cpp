// Written files, where systems differ. It needs no Qt, so that it also runs on Windows.
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <system_error>

#include "base/input_file.h"
#include "base/output_file.h"
#include "base/output_target.h"
#include "base/resumable_file.h"
#include "support/plain_checks.h"
#include "support/temp_dir.h"

namespace hearth::test {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

// A folder whose name is in no code page as a whole.
class Folder {
public:
    Folder() : path_(dir_.file("größer Привет 漢字 🔥")) {
        std::error_code ignored;
        fs::create_directory(native_path(path_), ignored);
    }

    std::string file(const std::string& name) const { return path_ + "/" + name; }

    std::size_t files() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : fs::directory_iterator(native_path(path_))) {
            ++count;
        }
        return count;
    }

private:
    TempDir dir_;
    std::string path_;
};

bool write(const std::string& path, std::string_view text) {
    auto file = OutputFile::create(path, 0);
    return file && file->write(bytes_of(text)) && file->commit();
}

std::string read(const std::string& path) {
    const auto file = InputFile::open(path);
    std::string text(file ? static_cast<std::size_t>(file->size_bytes()) : 0, '\0');
    if (!file || !file->read_at(0, std::as_writable_bytes(std::span(text)))) {
        return "cannot be read";
    }
    return text;
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return fs::exists(native_path(path), ignored);
}

// Bytes are not what a text file would make of them.
HEARTH_PLAIN_CHECK(a_file_holds_what_was_written) {
    const Folder folder;
    const std::string text("one\ntwo\r\n\x1Athree\0\xFF", 17);
    HEARTH_CHECK(write(folder.file("имя ü"), text));
    HEARTH_CHECK(read(folder.file("имя ü")) == text);
    HEARTH_CHECK(folder.files() == 1);
    return {};
}

HEARTH_PLAIN_CHECK(an_unfinished_file_leaves_nothing) {
    const Folder folder;
    HEARTH_CHECK(write(folder.file("a"), "old"));
    {
        auto file = OutputFile::create(folder.file("a"), 0);
        HEARTH_CHECK(file && file->write(bytes_of("half")));
        HEARTH_CHECK(folder.files() == 2);
    }
    HEARTH_CHECK(folder.files() == 1 && read(folder.file("a")) == "old");
    return {};
}

HEARTH_PLAIN_CHECK(what_is_no_place_for_a_file_is_refused) {
    const Folder folder;
    HEARTH_CHECK(OutputFile::create(folder.file("none/a"), 0).error().code == ErrorCode::NotFound);
    HEARTH_CHECK(OutputFile::create(folder.file("."), 0).error().code == ErrorCode::NotAFile);
    HEARTH_CHECK(InputFile::open(folder.file(".")).error().code == ErrorCode::NotAFile);
    HEARTH_CHECK(InputFile::open(folder.file("none")).error().code == ErrorCode::NotFound);
    HEARTH_CHECK(folder.files() == 0);
    return {};
}

HEARTH_PLAIN_CHECK(a_rename_says_why_it_failed) {
    const Folder folder;
    HEARTH_CHECK(write(folder.file("from"), "new"));
    fs::create_directory(native_path(folder.file("folder")));
    const auto taken = rename_into_place(folder.file("from"), folder.file("folder"));
    HEARTH_CHECK(!taken);
    HEARTH_CHECK(taken.error().code == ErrorCode::NotAFile ||
                 taken.error().code == ErrorCode::PermissionDenied);
    HEARTH_CHECK(taken.error().message.starts_with(folder.file("folder") + ": cannot be written"));
    HEARTH_CHECK(read(folder.file("from")) == "new");
    const auto missing = rename_into_place(folder.file("none"), folder.file("to"));
    HEARTH_CHECK(!missing && missing.error().code == ErrorCode::NotFound);
    HEARTH_CHECK(!exists(folder.file("to")));
    return {};
}

// Windows may refuse; then both files are as they were.
HEARTH_PLAIN_CHECK(a_file_that_is_read_is_replaced_or_not) {
    const Folder folder;
    HEARTH_CHECK(write(folder.file("a"), "old"));
    HEARTH_CHECK(write(folder.file("b"), "newer"));
    const auto reader = InputFile::open(folder.file("a"));
    HEARTH_CHECK(reader);
    const auto renamed = rename_into_place(folder.file("b"), folder.file("a"));
    std::string text(3, '\0');
    HEARTH_CHECK(reader->read_at(0, std::as_writable_bytes(std::span(text))) && text == "old");
    HEARTH_CHECK(read(folder.file("a")) == (renamed ? "newer" : "old"));
    HEARTH_CHECK(exists(folder.file("b")) == !renamed);
    return {};
}

HEARTH_PLAIN_CHECK(what_is_half_written_can_be_removed) {
    const Folder folder;
    auto file = ResumableFile::open(folder.file("a"), "one", 100);
    HEARTH_CHECK(file && file->write(bytes_of("half")) && file->checkpoint());
    HEARTH_CHECK(folder.files() == 2);
    file->discard();
    HEARTH_CHECK(folder.files() == 0);
    return {};
}

HEARTH_PLAIN_CHECK(half_a_file_has_one_writer) {
    const Folder folder;
    auto file = ResumableFile::open(folder.file("a"), "one", 100);
    HEARTH_CHECK(file && file->write(bytes_of("half")) && file->checkpoint());
    const auto second = ResumableFile::open(folder.file("a"), "one", 100);
    HEARTH_CHECK(!second && second.error().message.ends_with("another process is writing it"));
    const auto removed = ResumableFile::discard_partial(folder.file("a"));
    HEARTH_CHECK(!removed && removed.error().message.ends_with("another process is writing it"));
    HEARTH_CHECK(folder.files() == 2 && read(folder.file("a.partial.journal")).ends_with("\n4\n"));
    *file = ResumableFile();  // both files stay
    HEARTH_CHECK(folder.files() == 2);
    HEARTH_CHECK(ResumableFile::discard_partial(folder.file("a")));
    HEARTH_CHECK(folder.files() == 0);
    return {};
}

HEARTH_PLAIN_CHECK(writing_goes_on_where_it_stopped) {
    const Folder folder;
    {
        auto file = ResumableFile::open(folder.file("a"), "one", 100);
        HEARTH_CHECK(file && file->write(bytes_of("good")) && file->checkpoint());
        HEARTH_CHECK(file->write(bytes_of("unknown")));
    }
    auto file = ResumableFile::open(folder.file("a"), "one", 100);
    HEARTH_CHECK(file && file->written_bytes() == 4);
    HEARTH_CHECK(file->write(bytes_of(" again")) && file->settle());
    HEARTH_CHECK(read(file->partial_path()) == "good again");
    HEARTH_CHECK(file->commit());
    HEARTH_CHECK(folder.files() == 1 && read(folder.file("a")) == "good again");
    return {};
}

}  // namespace
}  // namespace hearth::test
