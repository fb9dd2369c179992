#include "base/output_file.h"

#include <QtTest>
#include <filesystem>
#include <string>
#include <utility>

#ifndef _WIN32
#include <sys/resource.h>
#include <unistd.h>
#include <csignal>
#endif

#include "support/gguf_builder.h"
#include "support/temp_dir.h"
#include "support/without_root.h"

using namespace hearth;

namespace {

test::Bytes text(std::string_view characters) {
    test::Bytes bytes;
    test::append(bytes, characters);
    return bytes;
}

std::size_t files_in(const test::TempDir& dir) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(dir.path())) {
        ++count;
    }
    return count;
}

}  // namespace

class OutputFileTest : public QObject {
    Q_OBJECT

private slots:
    void appears_whole_on_commit() {
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("a"), text("old")));
        auto opened = OutputFile::create(dir.file("a"), 0);
        QVERIFY(opened);
        OutputFile out = *std::move(opened);
        QVERIFY(out.write(text("new ")));
        QVERIFY(out.write({}));
        QVERIFY(out.write(text("words")));
        QCOMPARE(quint64{out.written_bytes()}, quint64{9});
        QCOMPARE(test::read_file(dir.file("a")), text("old"));
        QVERIFY(out.commit());
        QCOMPARE(test::read_file(dir.file("a")), text("new words"));
        QCOMPARE(files_in(dir), std::size_t{1});
    }

    void leaves_the_old_file_when_dropped() {
        const test::TempDir dir;
        QVERIFY(test::write_file(dir.file("a"), text("old")));
        {
            auto out = OutputFile::create(dir.file("a"), 0);
            QVERIFY(out);
            QVERIFY(out->write(text("half")));
            QCOMPARE(files_in(dir), std::size_t{2});
            OutputFile moved = *std::move(out);
            QCOMPARE(files_in(dir), std::size_t{2});
        }
        QCOMPARE(test::read_file(dir.file("a")), text("old"));
        QCOMPARE(files_in(dir), std::size_t{1});
    }

    void two_writers_do_not_meet() {
        const test::TempDir dir;
        auto first = OutputFile::create(dir.file("a"), 0);
        auto second = OutputFile::create(dir.file("a"), 0);
        QVERIFY(first && second);
        QVERIFY(first->partial_path() != second->partial_path());
        QVERIFY(first->write(text("first")));
        QVERIFY(second->write(text("second")));
        QVERIFY(first->commit());
        QCOMPARE(test::read_file(dir.file("a")), text("first"));
        QVERIFY(second->commit());
        QCOMPARE(test::read_file(dir.file("a")), text("second"));
    }

    void refuses_what_is_no_place_for_a_file() {
        const test::TempDir dir;
        std::filesystem::create_directory(dir.file("folder"));
        const auto folder = OutputFile::create(dir.file("folder"), 0);
        QVERIFY(!folder);
        QVERIFY(folder.error().code == ErrorCode::NotAFile);
        QCOMPARE(folder.error().message,
                 dir.file("folder") + " is a folder, not a file that can be written");
        const auto nowhere = OutputFile::create(dir.file("none/a"), 0);
        QVERIFY(!nowhere);
        QVERIFY(nowhere.error().code == ErrorCode::NotFound);
        QVERIFY(OutputFile::create("", 0).error().code == ErrorCode::InvalidArgument);
#ifndef _WIN32
        QVERIFY(OutputFile::create("/dev/null", 0).error().code == ErrorCode::NotAFile);
#endif
        QCOMPARE(files_in(dir), std::size_t{1});
    }

    void knows_beforehand_that_the_disk_is_too_small() {
        const test::TempDir dir;
        const std::uint64_t wanted = std::uint64_t{1} << 62;
        const auto out = OutputFile::create(dir.file("a"), wanted);
        QVERIFY(!out);
        QVERIFY(out.error().code == ErrorCode::DiskFull);
        QVERIFY(out.error().message.starts_with(dir.file("a") + ": needs 4611686018427387904 "
                                                                "bytes, its disk has "));
        QCOMPARE(files_in(dir), std::size_t{0});
    }

#ifdef __linux__
    void a_disk_that_fills_up_is_disk_full() {
        // A limit on the size of files stands in for the disk: writing stops in the middle.
        const test::TempDir dir;
        auto out = OutputFile::create(dir.file("a"), 0);
        QVERIFY(out);
        rlimit before{};
        QCOMPARE(getrlimit(RLIMIT_FSIZE, &before), 0);
        const auto handler = std::signal(SIGXFSZ, SIG_IGN);
        rlimit small = before;
        small.rlim_cur = 1000;
        QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
        const auto written = out->write(test::Bytes(5000));
        setrlimit(RLIMIT_FSIZE, &before);
        std::signal(SIGXFSZ, handler);
        QVERIFY(!written);
        QVERIFY(written.error().code == ErrorCode::DiskFull);
        *out = OutputFile();
        // The swap put the broken file into a temporary that is gone by now.
        QCOMPARE(files_in(dir), std::size_t{0});
    }
#endif

#ifndef _WIN32
    void a_folder_without_permission() {
        const test::TempDir dir;
        std::filesystem::create_directory(dir.file("closed"));
        std::filesystem::permissions(dir.file("closed"), std::filesystem::perms::owner_read |
                                                             std::filesystem::perms::owner_exec);
        const test::WithoutRoot user;
        QVERIFY(user.done());
        const auto out = OutputFile::create(dir.file("closed/a"), 0);
        QVERIFY(!out);
        QVERIFY(out.error().code == ErrorCode::PermissionDenied);
    }
#endif
};

QTEST_APPLESS_MAIN(OutputFileTest)
#include "output_file_test.moc"
